"""Positions to calibrate on."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import InputError
from arpad.moves.ipr.inputs import sampled_positions


def positions(games, plies=40):
    rows = [
        {"game": g, "ply": p, "epd": f"{g}/{p} w - -", "uci": "e2e4", "mark": 2000 + 100 * (g % 2), "legal": 30}
        for g in range(games)
        for p in range(plies)
    ]  # fmt: skip
    return pl.DataFrame(rows)


def test_marks_and_games_come_evenly():
    found = sampled_positions(positions(10), per_mark=15)
    assert found["mark"].value_counts().sort("mark")["count"].to_list() == [15, 15]
    per_game = found["game"].value_counts()["count"]
    assert (per_game.min(), per_game.max()) == (3, 3)


def test_the_opening_repetitions_ends_and_forced_moves_are_left_out():
    rows = positions(1, 22).with_columns(
        pl.when(pl.col("ply") == 20).then(pl.lit("0/19 w - -")).otherwise("epd").alias("epd"),
        pl.when(pl.col("ply") == 21).then(None).otherwise("uci").alias("uci"),
        pl.when(pl.col("ply") == 18).then(1).otherwise("legal").alias("legal"),
    )
    assert sorted(sampled_positions(rows, per_mark=99)["ply"]) == [16, 17, 19]


def test_a_position_of_two_games_is_taken_once():
    both = pl.concat([positions(1), positions(1).with_columns(game=pl.lit(2, dtype=pl.Int64))])
    assert sampled_positions(both, per_mark=99)["epd"].n_unique() == 24
    assert sampled_positions(both, per_mark=99).height == 24


@given(few=st.integers(1, 40), more=st.integers(0, 40), seed=st.integers(0, 9))
def test_a_longer_sample_holds_the_shorter_whatever_the_order(few, more, seed):
    rows = positions(6)
    short = set(sampled_positions(rows, per_mark=few)["epd"])
    shuffled = rows.sample(fraction=1.0, shuffle=True, seed=seed)
    long = sampled_positions(shuffled, per_mark=few + more)["epd"].to_list()
    assert short <= set(long)
    assert set(long[: len(short)]) == short


def test_columns_are_asked_for():
    with pytest.raises(InputError, match="missing: mark"):
        sampled_positions(positions(1).drop("mark"), per_mark=1)
