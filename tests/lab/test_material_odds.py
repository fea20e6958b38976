from __future__ import annotations

import random

import chess
import pytest

from arpad.errors import UsageError
from arpad.evaluation import EngineLine, Evaluation
from arpad.lab import material_odds as module
from arpad.lab.material_odds import GIVEN_BY_BLACK, ODDS, START, material_odds, play

STRENGTH = {"strong": 200, "weak": 0}
GIVEN = {"pawn and move": 100, "queen": 500}


def known(white, black, opening, start, lot):
    """Play as the strengths of both and the odds say."""
    D = STRENGTH[white] - STRENGTH[black]
    for name, worth in GIVEN.items():
        if start == ODDS[name]:
            D += worth if name in GIVEN_BY_BLACK else -worth
    return float(lot.random() < 1 / (1 + 10 ** (-D / 400)))


def test_known_odds_are_found_within_their_errors(monkeypatch):
    monkeypatch.setattr(module, "play", known)
    found = material_odds(
        {name: name for name in STRENGTH}, None, odds=list(GIVEN), games=250, parameters={"nodes": 1}
    )
    assert found.games == 250 * (1 + 2 * 2 * 2)
    for row in found.rows.to_dicts():
        assert row["games"] == 500
        assert abs(row["worth"] - GIVEN[row["odds"]]) < 2.5 * row["error"] < 100
    assert found.parameters == {"nodes": 1, "games": 250, "seed": 0}
    assert "2,250 games" in found.summary()


def test_odds_that_lose_every_game_have_no_worth(monkeypatch):
    monkeypatch.setattr(module, "play", lambda *game: 0.5 if START in game else 0.0)
    found = material_odds({"a": 1, "b": 2}, None, odds=["rook"], games=2)
    assert found.rows["worth"].null_count() == found.rows["error"].null_count() == 2


@pytest.mark.parametrize("name", ODDS)
def test_odds_positions_are_legal_and_lack_what_is_given(name):
    board, level = chess.Board(ODDS[name]), chess.Board(START)
    assert board.is_valid()
    assert len(board.piece_map()) == len(level.piece_map()) - 1
    giver = chess.BLACK if name in GIVEN_BY_BLACK else chess.WHITE
    assert chess.popcount(board.occupied_co[giver]) == 15


def first_move(cp=0):
    def search(epd):
        move = next(iter(chess.Board(f"{epd} 0 1").legal_moves)).uci()
        return Evaluation(epd=epd, lines=(EngineLine(move=move, cp=cp, mate=None, depth=1, nodes=1),))

    return search


@pytest.mark.parametrize(("cp", "score"), [(2000, 1.0), (-2000, 0.0)])
def test_a_game_is_over_when_both_say_so(cp, score):
    assert play(first_move(cp), first_move(cp), first_move(), START, random.Random(0)) == score


def test_players_who_do_not_agree_play_on(monkeypatch):
    monkeypatch.setattr(module, "LONGEST", 20)
    assert play(first_move(2000), first_move(-2000), first_move(), START, random.Random(0)) == 0.5


def test_misuse():
    with pytest.raises(UsageError, match="odds from pawn and move"):
        material_odds({"a": first_move(), "b": first_move()}, first_move(), odds=["bishop"])
    with pytest.raises(UsageError, match="two players"):
        material_odds({"a": first_move()}, first_move())
