"""`arpad.strength`: from files to strengths; no test here needs an engine but the last ones."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import chess
import numpy as np
import polars as pl
import pytest

import arpad
from arpad.errors import InputError, UsageError
from arpad.moves.strength import EngineSource, Prior
from arpad.moves.strength.engine_values import ENGINE_MOVES, scaled
from arpad.moves.strength.features import chance_evidence, engine_evidence, valued_moves
from arpad.moves.strength.openings import (
    OpeningTable,
    move_name,
    opening_words,
    shipped_openings,
    weigh_words,
)
from arpad.moves.strength.outcome_model import shipped_calibration
from arpad.moves.strength.posterior import GRID, combine
from arpad.moves.strength.report import Situation, compare_players
from arpad.read.fields import Selection

SHUFFLE = ["Nf3", "Nf6", "Ng1", "Ng8"]


def game(
    white="Ann",
    black="Bob",
    evals=(),
    result="1/2-1/2",
    elo=(1800, 1750),
    extra="",
    date="2023.04.05",
    turns=30,
):
    """Return a game of knights that go forth and back; `evals` are pawns after each half-move."""
    tags = (
        f'[Event "Club"]\n[Date "{date}"]\n[White "{white}"]\n[Black "{black}"]\n[Result "{result}"]\n{extra}'
    )
    if elo:
        tags += f'[WhiteElo "{elo[0]}"]\n[BlackElo "{elo[1]}"]\n'
    words = []
    for ply in range(2 * turns):
        words.append(f"{ply // 2 + 1}." if ply % 2 == 0 else f"{ply // 2 + 1}...")
        words.append(SHUFFLE[ply % 4])
        if evals:
            words.append(f"{{ [%eval {evals[min(ply, len(evals) - 1)]}] }}")
    return f"{tags}\n{' '.join(words)} {result}\n\n"


STEADY = [0.2] * 60


def blunders(every: int) -> list[float]:
    """Return values of a game in which White throws away two pawns now and then, and Black gives them back."""
    now, values = 0.2, []
    for ply in range(60):
        if ply % (2 * every) == 14 % (2 * every):
            now = -2.0  # after a move of White
        elif ply % (2 * every) == 15 % (2 * every):
            now = 0.2
        values.append(now)
    return values


@pytest.fixture
def pgn(tmp_path):
    def write(*games: str, encoding="utf-8"):
        path = tmp_path / "games.pgn"
        path.write_bytes("".join(games).encode(encoding))
        return path

    return write


def finite(value) -> bool:
    if isinstance(value, dict):
        return all(map(finite, value.values()))
    if isinstance(value, list):
        return all(map(finite, value))
    return not isinstance(value, float) or math.isfinite(value)


def test_the_json_says_what_it_must(pgn):
    report = arpad.strength(pgn(game(evals=STEADY)), values="file")
    document = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert finite(document)
    ann, bob = document["players"]
    assert {ann["name"], bob["name"]} == {"Ann", "Bob"}
    for player in (ann, bob):
        assert player["games"] == 1
        assert player["moves"] == 24  # moves 7 to 30
        assert 0 < player["low"] < player["strength"] < player["high"]
        assert player["prior"]["kind"] == "flat"
        (only,) = player["by_game"]
        assert {"white", "black", "date", "event", "result", "moves", "strength", "low", "high"} <= set(only)
        assert (only["white"], only["black"], only["date"], only["result"]) == (
            "Ann",
            "Bob",
            "2023-04-05",
            "1/2-1/2",
        )
        assert only["source"] == "file"
        for part in ("event", "year", "phase", "colour", "time_control", "advantage"):
            assert sum(row["moves"] for row in player[f"by_{part}"]) == 24
    assert ann["opponents_rating"] == 1750


def test_who_loses_more_is_weaker(pgn):
    estimates = [
        arpad.strength(pgn(game(evals=values)), values="file").player("Ann").strength
        for values in (STEADY, blunders(8), blunders(3))
    ]
    assert estimates[0] > estimates[1] + 30 > estimates[2] + 60


def test_values_of_an_unknown_engine_have_an_error_that_no_number_of_games_removes(pgn):
    made = shipped_calibration()
    sure = replace(made, chance_effect=replace(made.chance_effect, level=0.0))
    assert made.chance_effect.level == 100
    path = pgn(*[game(evals=blunders(5), black=f"B{i}") for i in range(16)])
    wide, narrow = (arpad.strength(path, values="file", calibration=c).player("Ann") for c in (made, sure))
    assert wide.posterior.sd > narrow.posterior.sd
    assert wide.posterior.sd > 60


def test_a_game_too_short_to_count_has_an_answer_in_words(pgn):
    moves = '[White "Ann"]\n[Black "Bob"]\n[Result "1-0"]\n\n1. e4 { [%eval 0.3] } a6 { [%eval 0.5] } 2. d4 { [%eval 0.6] } 1-0\n'
    ann = arpad.strength(pgn(moves), values="file").player("Ann")
    assert ann.moves == 0
    assert "none of the moves counts" in ann.summary()
    assert 1400 < ann.interval[0] < 1500 < 2700 < ann.interval[1] < 2820


def test_more_games_of_one_kind_narrow_the_interval(pgn):
    widths = []
    for games in (1, 4, 16):
        report = arpad.strength(
            pgn(*[game(evals=blunders(5), black=f"B{i}") for i in range(games)]), values="file"
        )
        low, high = report.player("Ann").interval
        widths.append(high - low)
    assert widths[0] > widths[1] > widths[2]


def test_a_short_game_has_an_answer(pgn):
    report = arpad.strength(pgn(game(evals=STEADY, turns=4)), values="file")
    ann = report.player("Ann")
    assert (ann.games, ann.moves) == (1, 0)
    assert ann.strength == pytest.approx(Prior().mean)
    assert finite(report.to_dict())


def test_variants_forfeits_and_games_without_moves_are_left_out(pgn):
    report = arpad.strength(
        pgn(
            game(evals=STEADY),
            game(white="Cid", evals=STEADY, extra='[Variant "Crazyhouse"]\n'),
            game(white="Dan", evals=STEADY, extra='[Variant "Chess960"]\n'),
            '[White "Eve"]\n[Black "Fay"]\n[Result "1-0"]\n\n1-0\n\n',
        ),
        values="file",
    )
    assert {p.name for p in report.players} == {"Ann", "Bob"}
    assert len(report.notes) == 2
    assert any("2 games" in note for note in report.notes)


def test_names_in_latin_1_are_read(pgn):
    report = arpad.strength(pgn(game(white="Müller, Jörg", evals=STEADY), encoding="latin-1"), values="file")
    assert report.player("müller").name == "Müller, Jörg"


def test_one_player_of_several(pgn):
    path = pgn(game(evals=STEADY), game(white="Cid", black="Dan", evals=STEADY))
    report = arpad.strength(path, player="ann", values="file")
    assert [p.name for p in report.players] == ["Ann"]
    with pytest.raises(UsageError):
        arpad.strength(path, player="nobody", values="file")


def test_without_evaluations_the_file_is_not_enough(pgn):
    with pytest.raises(InputError):
        arpad.strength(pgn(game()), values="file")
    with pytest.raises(UsageError):
        arpad.strength(pgn(game()), values="guess")  # type: ignore[arg-type]


def test_games_without_evaluations_are_named_where_others_have_them(pgn):
    report = arpad.strength(pgn(game(evals=STEADY), game(date="2023.05.06")), values="file")
    assert report.player("Ann").games == 1
    assert len(report.notes) == 1


def test_a_rating_as_prior_pulls(pgn):
    path = pgn(game(evals=blunders(5)))
    flat = arpad.strength(path, values="file").player("Ann")
    known = arpad.strength(path, values="file", prior="rating", rating_error=40).player("Ann")
    given = arpad.strength(path, values="file", prior=Prior(rating=2400, error=40)).player("Ann")
    assert known.prior.rating == 1800
    assert abs(known.strength - 1800) < abs(flat.strength - 1800) + 1
    assert given.strength > 2300
    assert known.posterior.sd < flat.posterior.sd


def test_results_and_moves_together(pgn):
    won = arpad.strength(
        pgn(*[game(evals=STEADY, result="1-0", black=f"B{i}") for i in range(5)]), values="file"
    )
    lost = arpad.strength(
        pgn(*[game(evals=STEADY, result="0-1", black=f"B{i}") for i in range(5)]), values="file"
    )
    one, other = won.player("Ann"), lost.player("Ann")
    assert one.results is not None
    assert other.results is not None
    assert one.combined is not None
    assert other.combined is not None
    assert one.strength == other.strength
    assert one.results.mean > other.results.mean
    assert one.combined.mean > other.combined.mean
    unrated = arpad.strength(pgn(game(evals=STEADY, elo=None)), values="file").player("Ann")
    assert unrated.results is None


def test_the_order_of_games_does_not_matter(pgn):
    games = [game(evals=blunders(k), date=f"202{k}.01.01") for k in (3, 4, 5)]
    one = arpad.strength(pgn(*games), values="file").player("Ann")
    other = arpad.strength(pgn(*reversed(games)), values="file").player("Ann")
    assert one.strength == pytest.approx(other.strength)
    assert [y.label for y in one.parts["year"]] == ["2023", "2024", "2025"]


def test_bots_casual_games_and_time_controls_can_be_left_out(pgn):
    path = pgn(
        game(evals=STEADY, extra='[TimeControl "300+3"]\n'),
        game(white="Cid", evals=STEADY, extra='[WhiteTitle "BOT"]\n'),
        game(white="Dan", evals=STEADY).replace("Club", "Casual game"),
    )
    usual = arpad.strength(path, values="file")
    assert {p.name for p in usual.players} == {"Ann", "Bob", "Dan"}
    assert any("bots" in note for note in usual.notes)
    slow = arpad.strength(path, values="file", selection=Selection(time_control="standard", bots=True))
    assert {p.name for p in slow.players} == {"Cid", "Bob"}  # Ann's is blitz, Dan's is casual


def test_the_opening_counts_unless_it_must_not(pgn):
    path = pgn(game(evals=STEADY))
    with_it, without = (arpad.strength(path, values="file", openings=o).player("Ann") for o in (True, False))
    assert with_it.strength != without.strength
    of = {p.label: p.posterior.mean for p in with_it.parts["phase"]}
    other = {p.label: p.posterior.mean for p in without.parts["phase"]}
    assert of["opening"] != other["opening"]
    assert of["middlegame"] == other["middlegame"]


def test_openings_that_strong_players_choose_speak_for_strength():
    """Those above 2300 begin with d4, those below with e4; the answers say nothing."""
    rng = np.random.default_rng(1)
    rating = rng.uniform(1400, 2800, 600)
    games = [["d4" if r > 2300 else "e4", rng.choice(["a6", "h6"])] for r in rating]
    words = [opening_words(g, white=w) for g in games for w in (True, False)]
    twice = np.repeat(rating, 2)
    keys, weights = weigh_words(words, twice, np.zeros(1200), ridge=1.0)
    table = OpeningTable(keys=keys, weights=weights, curve=(500.0, -1050.0), spread=100.0, habit=0.1)
    again = OpeningTable.from_dict(json.loads(json.dumps(table.to_dict())))
    start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
    after = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -"
    asked = pl.DataFrame(
        {
            "game": [0, 1, 1, 2],
            "ply": [0, 0, 1, 1],
            "epd": [start, start, after, after],
            "uci": ["d2d4", "e2e4", "a7a6", "a7a6"],
        }
    )
    found = again.evidence(asked)
    assert set(found) == {(0, True), (1, True), (1, False)}  # game 2 has no beginning
    assert GRID[found[0, True].argmax()] >= 2600
    assert GRID[found[1, True].argmax()] <= 1800
    assert again.share(1) == 1
    assert again.share(11) == pytest.approx(0.5)
    with pytest.raises(InputError):
        OpeningTable.from_dict(again.to_dict() | {"weights": "AA=="})


def test_words_of_an_opening_are_those_of_its_notation():
    """1. e4 d5 2. exd5 Qxd5 3. Nc3, and castling: names as in the game's text, without what tells pieces apart."""
    board, names = chess.Board(), []
    for san in ["e4", "d5", "exd5", "Qxd5", "Nc3", "Qa5", "Nf3", "Nf6", "Be2", "g6", "O-O"]:
        move = board.parse_san(san)
        names.append(move_name(board.epd(), move.uci()))
        board.push(move)
    assert names == ["e4", "d5", "exd5", "Qxd5", "Nc3", "Qa5", "Nf3", "Nf6", "Be2", "g6", "O-O"]
    black = opening_words(names, white=False)
    assert {"b1d5", "Rexd5_Qxd5", "X0r", "bBd5_Qxd5", "be4_d5"} <= black
    assert not any(w.startswith("w") for w in black)


def test_the_opponents_moves_count_unless_they_must_not(pgn):
    """Ann's moves are the same twice; Bob's are not."""
    strong, weak = (
        [0.2] * 60,
        [v if i % 2 == 0 else min(v + 1.5 * (i % 6 == 1), 3.0) for i, v in enumerate([0.2] * 60)],
    )
    means = {}
    for name, values in (("strong", strong), ("weak", weak)):
        for counted in (True, False):
            path = pgn(*[game(evals=values, black=f"B{i}") for i in range(3)])
            ann = arpad.strength(path, values="file", opponents=counted).player("Ann")
            means[name, counted] = ann.strength
            assert ann.to_dict()["opponents_moves"] is counted
    pulled = means["strong", True] - means["weak", True]
    assert pulled > means["strong", False] - means["weak", False]
    known = [
        arpad.strength(pgn(game(evals=strong)), values="file", prior="rating", opponents=c)
        .player("Ann")
        .strength
        for c in (True, False)
    ]
    assert known[0] == known[1]


def test_situations_say_where_a_player_is_worse_than_others(pgn):
    extra = '[TimeControl "5400"]\n'
    ann = arpad.strength(
        pgn(*[game(evals=blunders(3), black=f"B{i}", extra=extra) for i in range(6)]), values="file"
    ).player("Ann")
    everywhere = ann.situations[0]
    assert everywhere.label == "all moves"
    assert everywhere.moves == ann.moves
    assert everywhere.mistakes == ann.blunders > 0
    for parts in (("opening", "middlegame", "endgame"), ("ahead", "level", "behind")):
        mine = [s for s in ann.situations if s.label in parts]
        assert sum(s.moves for s in mine) == ann.moves
        assert sum(s.expected for s in mine) == pytest.approx(everywhere.expected)


def test_a_trait_takes_a_mistake_more_or_fewer(pgn):
    ann = arpad.strength(pgn(game(evals=STEADY)), values="file").player("Ann")
    clear = Situation(label="endgame", moves=40, mistakes=5, expected=1.5, z=3.0)
    decided = Situation(label="behind", moves=20, mistakes=0, expected=0.04, z=-4.0)
    (trait,) = replace(ann, situations=(ann.situations[0], clear, decided)).traits()
    assert "endgame" in trait


def test_two_players_compared(pgn):
    report = arpad.strength(pgn(game(evals=blunders(4))), values="file")
    both = compare_players(report, "ann", "bob")
    turned = compare_players(report, "bob", "ann")
    assert both.probability + turned.probability == pytest.approx(1)
    assert both.difference == pytest.approx(-turned.difference)
    assert (both.probability > 0.5) == (both.first.strength > both.second.strength)
    assert finite(both.to_dict())
    with pytest.raises(UsageError):
        compare_players(report, "ann", "ann")


def test_valued_moves_need_a_value_before_and_after():
    table = pl.DataFrame(
        {
            "game": [0] * 5,
            "ply": [12, 13, 14, 15, 16],
            "white": [True, False, True, False, True],
            "value": [20.0, 30.0, float("nan"), 10.0, 15.0],
        }
    )
    moves = valued_moves(table)
    assert moves["ply"].to_list() == [12, 15]
    assert moves["before"].to_list() == [20.0, -10.0]
    assert moves["after"].to_list() == [30.0, -15.0]
    assert moves["given"].to_list() == [0.0, 0.0]


def engine_table(loss: float, moves: int = 40) -> pl.DataFrame:
    """Return moves in a usual position, each of which loses so much."""
    usual = {
        "game": 0, "white": True, "best": 30.0, "loss": loss, "chose_best": loss == 0, "first_played": 20.0,
        "first_best": 20.0, "third_played": 10.0, "third_best": 5.0, "third_top": 30.0, "legal": 32, "close": 8,
        "gap": 10.0, "spread": 2.0, "pieces": 50, "check": False, "capture": False, "recapture": False,
        "best_capture": False, "best_recapture": False, "best_check": False, "given": 0.0,
    }  # fmt: skip
    return pl.DataFrame([usual | {"ply": 20 + 2 * i} for i in range(moves)], schema=ENGINE_MOVES)


def test_with_an_engine_who_loses_more_is_weaker():
    made = shipped_calibration()
    means = [
        combine(
            made.engine_effect.apply(
                engine_evidence(pl.concat([engine_table(0.0, 40 - bad), engine_table(150.0, bad)]), made).sum(
                    axis=0
                )
            ),
            Prior(),
        ).mean
        for bad in (0, 2, 5, 10)
    ]
    assert means == sorted(means, reverse=True)
    assert means[0] - means[-1] > 300


def test_no_moves_say_nothing():
    made = shipped_calibration()
    assert engine_evidence(engine_table(0.0, 0), made).shape[0] == 0
    assert (
        chance_evidence(
            valued_moves(pl.DataFrame({"game": [], "ply": [], "white": [], "value": []})), made
        ).shape[0]
        == 0
    )


def test_values_are_scaled_alike_on_both_sides():
    assert scaled([-250.0])[0] == -scaled([250.0])[0]
    assert scaled([100.0])[0] == pytest.approx(100 * math.log(2))


def test_words_of_the_opening_say_less_in_years_after_their_fit():
    table = replace(shipped_openings(), year=2016)
    near, later, end, on = (table.says(250.0, year) for year in (2016, 2019, 2022, 2030))
    strong, weak = np.searchsorted(GRID, [2700, 1900])
    assert near[strong] - near[weak] != later[strong] - later[weak]
    assert (end == on).all()
    assert (table.says(250.0) == near).all()
    # Before the games of the fit, too: what was played in 1956 says less than what was played in 2010.
    assert [table.lag(year) for year in (1956, 2007, 2010, 2016, 2020)] == [51, 0, 0, 0, 4]
    assert (table.says(250.0, 1956) == end).all()
    assert table.share(1, table.lag(1956)) < table.share(1, table.lag(2020)) < table.share(1) == 1


@pytest.mark.stockfish
def test_a_game_with_an_engine_and_once_more_from_the_store(pgn, tmp_path, stockfish):
    asked = []
    source = EngineSource(
        engine=stockfish,
        workers=1,
        store=tmp_path / "store",
        on_progress=lambda done, total: asked.append((done, total)),
    )
    path = pgn(game(turns=12))
    first = arpad.strength(path, engine=source)
    assert first.player("Ann").moves == 6
    assert first.player("Ann").by_game[0].source == "engine"
    assert asked
    asked.clear()
    again = arpad.strength(path, engine=source)
    assert not asked
    assert again.to_dict() == first.to_dict()


@pytest.mark.stockfish
def test_each_game_has_its_own_source(pgn, tmp_path, stockfish):
    source = EngineSource(engine=stockfish, workers=1, store=tmp_path / "store")
    path = pgn(game(evals=STEADY), game(turns=9, date="2024.01.01"))
    ann = arpad.strength(path, engine=source).player("Ann")
    assert [g.source for g in ann.by_game] == ["file", "engine"]
