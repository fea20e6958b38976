"""Positions of rated games: which games stand at a mark, and what is taken of them."""

import chess
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import InputError, UsageError
from arpad.moves.ipr.inputs import game_marks, rated_sample, sampled_positions
from arpad.moves.positions import board_of, epd_of


def games(*ratings):
    return pl.DataFrame(ratings, schema={"white_rating": pl.Float64, "black_rating": pl.Float64}, orient="row")  # fmt: skip


def walked(count, plies=60):
    """Games of moves that a number chooses; now and then a king has one way out only."""
    rows = []
    for game in range(count):
        board = chess.Board()
        for ply in range(plies):
            moves = sorted(board.legal_moves, key=lambda m: m.uci())
            if not moves:
                break
            # Checks come first, so that forced moves turn up.
            checks = [m for m in moves if board.gives_check(m)]
            move = (checks or moves)[(7 * game + 3 * ply) % len(checks or moves)]
            rows.append({"game": game, "ply": ply, "epd": epd_of(board), "uci": move.uci()})
            board.push(move)
    return pl.DataFrame(rows)


def test_both_players_are_near_the_mark():
    table = games((2390, 2410), (2389, 2400), (None, 2400), (2440, 2460), (2410, 2440))
    assert game_marks(table).to_list() == [2400, None, None, 2450, None]
    assert game_marks(table, step=100).to_list() == [2400, None, None, None, None]


@given(st.floats(1000, 2900), st.floats(1000, 2900))
def test_the_mark_does_not_know_colours(white, black):
    one, other = game_marks(games((white, black), (black, white))).to_list()
    assert one == other
    if one is not None:
        assert max(abs(white - one), abs(black - one)) <= 10


def test_legal_moves_are_counted_in_the_sample_only_and_it_is_the_same():
    positions = walked(6)
    table = games(*[(2400, 2400)] * 3, *[(2500, 2505)] * 3)
    counted = positions.with_columns(
        pl.Series("legal", [board_of(e).legal_moves.count() for e in positions["epd"]]),
        (2400.0 + 100 * (pl.col("game") >= 3)).alias("mark"),
    )
    assert (counted.filter(pl.col("ply") >= 16)["legal"] == 1).any()
    for per_mark in (5, 60, 1000):
        whole = sampled_positions(counted, per_mark=per_mark)
        mine = rated_sample(positions, table, per_mark=per_mark)
        columns = ["game", "ply", "epd", "mark", "legal"]
        assert mine.positions.select(columns).rows() == whole.select(columns).rows()


def test_a_sample_is_known_by_its_fingerprint():
    positions = walked(3)
    table = games(*[(2400, 2400)] * 2, (2400, 2450))
    sample = rated_sample(positions, table, per_mark=10)
    assert (sample.games, sample.given) == (2, 3)
    again = rated_sample(positions.sample(fraction=1.0, shuffle=True, seed=1), table, per_mark=10)
    assert again.fingerprint() == sample.fingerprint()
    assert rated_sample(positions, table, per_mark=9).fingerprint() != sample.fingerprint()
    document = sample.document({"/somewhere/games.pgn": 3})
    assert document["files"] == [{"file": "games.pgn", "games": 3}]
    assert document["positions"] == sample.positions.height == 10


def test_games_beyond_the_marks_are_left_out():
    positions, table = walked(2), games((1900, 1900), (2400, 2400))
    assert set(rated_sample(positions, table, per_mark=5, first=2000).positions["mark"]) == {2400}
    with pytest.raises(InputError, match="marks from 2500 to 2600"):
        rated_sample(positions, table, per_mark=5, first=2500, last=2600)
    with pytest.raises(InputError, match="both players are rated within 10 points"):
        rated_sample(positions, games((1900, 2300), (None, None)), per_mark=5)
    with pytest.raises(UsageError, match="1 position a mark or more"):
        rated_sample(positions, table, per_mark=0)
    with pytest.raises(UsageError, match="every 10 points"):
        game_marks(table, step=10, within=10)
