"""Average error by groups: they add up, and do not depend on names or order."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import InputError, UsageError
from arpad.model import Games
from arpad.moves.average_error import Filters, measure_errors
from arpad.moves.error_report import ERAS, MEASURES, By, advantage_bins, group_errors, labels_of, pair_of
from arpad.moves.evaluated_games import read_evaluated
from tests.moves.error_worlds import made_up
from tests.moves.events import CENTURY


@pytest.fixture(scope="module")
def world():
    return made_up()


@pytest.mark.parametrize("by", get_args(By))
def test_groups_add_up_to_the_whole(world, by):
    found = group_errors(world, by)
    whole = found.total.row(0, named=True)
    assert found.rows["moves"].sum() == whole["moves"] == len(world)
    for name in MEASURES:
        weighted = (found.rows[name] * found.rows["moves"]).sum() / whole["moves"]
        assert weighted == pytest.approx(whole[name])
        assert whole[name] == pytest.approx(world.column(name).mean())
        low, high = found.rows[f"{name}_low"], found.rows[f"{name}_high"]
        assert ((low <= found.rows[name]) & (found.rows[name] <= high)).all()
    assert (found.rows["scaled"] <= found.rows["raw"]).all()
    assert found.parameters["by"] == by
    assert found.parameters["first_turn"] == 9


def test_eras_add_up_too(world):
    found = group_errors(world, "turn", eras=(1990, 1995))
    assert found.rows["era"].unique(maintain_order=True).to_list() == ["1990–1994", "from 1995"]
    assert found.rows["moves"].sum() == len(world)
    late = group_errors(world, "turn", eras=(1995,))
    assert late.rows["moves"].sum() == len(world) / 2
    assert any("in no group" in note for note in late.notes)


def test_the_eras_of_the_paper(golden):
    rows = [r for r in golden("ipr_section4.csv") if r["what"] == "era"]
    assert [int(r["low"]) for r in rows] == list(ERAS)
    assert [int(r["high"]) for r in rows[:-1]] == [year - 1 for year in ERAS[1:]]


@given(seed=st.integers(0, 200))
def test_relabelling_players_relabels_their_rows_only(seed):
    one = made_up(seed, years=range(2000, 2002), games=4, moves=8)
    order = np.random.default_rng(seed).permutation(4)
    games, place = one.games, np.argsort(order)
    table = games.table.with_columns(
        pl.Series("white", place[games.table["white"].to_numpy()], dtype=pl.Int32),
        pl.Series("black", place[games.table["black"].to_numpy()], dtype=pl.Int32),
    )
    two = replace(
        one,
        games=Games(table, games.players[order], games.events),
        table=one.table.with_columns(
            pl.Series("player", place[one.table["player"].to_numpy()], dtype=pl.Int32)
        ),
    )
    a, b = (group_errors(e, "player").rows.sort("label").drop("key") for e in (one, two))
    assert a.equals(b)


@given(seed=st.integers(0, 200))
def test_the_order_of_games_does_not_matter(seed):
    one = made_up(seed, years=range(2000, 2002), games=4, moves=8)
    n = len(one.games)
    order = np.random.default_rng(seed).permutation(n)
    place = np.argsort(order)
    moved = one.table.with_columns(
        pl.Series("game", place[one.table["game"].to_numpy()], dtype=pl.Int32)
    ).sort("game", "ply")
    two = replace(one, games=Games(one.games.table[order], one.games.players, one.games.events), table=moved)
    for by in ("player", "category", "turn", "advantage", "year"):
        a, b = (group_errors(e, by).rows.sort("label") for e in (one, two))
        for name in ("games", "moves"):
            assert a[name].to_list() == b[name].to_list()
        for name in ("raw", "raw_error", "scaled", "scaled_high"):
            assert a[name].to_list() == pytest.approx(b[name].to_list())


def test_stretches_of_advantage_are_alike_on_both_sides():
    values = pl.Series([0.51, 0.60, 0.61, 0.0, 0.004])
    assert advantage_bins(values).to_list() == [6, 6, 7, 0, 1]
    assert advantage_bins(-values).to_list() == [-6, -6, -7, 0, -1]
    assert advantage_bins(values, 0.05).to_list() == [11, 12, 13, 0, 1]
    with pytest.raises(UsageError, match="steps"):
        advantage_bins(values, 0)


def test_stretches_are_named_as_in_the_paper(world):
    labels = group_errors(world, "advantage").rows["label"].to_list()
    assert {"−.51 to −.60", ".01 to .10", ".00", "1.01 to 1.10", ".91 to 1.00"} <= set(labels)
    assert ".01 to .05" in group_errors(world, "advantage", step=0.05).rows["label"].to_list()


def test_pairs_of_categories_are_those_of_figure_4(golden):
    lines = [r["name"] for r in golden("ipr_section4.csv") if r["what"] == "line"]
    assert lines == ["{}–{}".format(*pair_of(c)) for c in range(11, 21, 2)]
    assert lines == ["{}–{}".format(*pair_of(c)) for c in range(12, 22, 2)]


def test_better_players_come_first_and_categories_in_order(world):
    assert group_errors(world, "player").rows["scaled"].is_sorted()
    assert group_errors(world, "category").rows["label"].to_list() == ["11", "14"]


def test_one_game_has_errors_of_moves_and_says_so():
    found = group_errors(measure_errors(read_evaluated(CENTURY)), "game")
    assert found.rows["error_by"].to_list() == ["moves"]
    assert found.rows["label"].to_list() == ["Byrne, Donald – Fischer, Robert James, round 8"]
    assert any("leaves out differences between games" in note for note in found.notes)
    assert "20 moves in 1 game by 2 players" in found.summary()


def test_all_moves_best_is_an_error_of_zero_without_a_limit():
    world = made_up()
    perfect = replace(world, table=world.table.with_columns(raw=pl.lit(0.0), scaled=pl.lit(0.0)))
    found = group_errors(perfect, "event")
    assert set(found.rows["raw"]) == {0.0}
    assert found.rows["raw_error"].null_count() == found.rows.height
    assert "Average error 0.000 pawns" in found.summary()


def test_what_cannot_be_filed():
    with pytest.raises(InputError, match="expected dates for years, found none"):
        group_errors(made_up(dated=False), "year")
    with pytest.raises(InputError, match="expected ratings for categories"):
        group_errors(made_up(rated=False), "category")
    with pytest.raises(UsageError, match="expected one of player, game"):
        group_errors(made_up(), "colour")
    with pytest.raises(UsageError, match="in order"):
        group_errors(made_up(), "turn", eras=(2000, 1990))
    weak = made_up(categories=(-10,))
    assert group_errors(weak, "category").rows["label"].to_list() == ["below 1"]


def test_games_without_a_date_are_in_the_total_only():
    world = made_up()
    table = world.games.table.with_columns(
        date=pl.when(pl.int_range(pl.len()) < 6).then(None).otherwise("date")
    )
    found = group_errors(replace(world, games=replace(world.games, table=table)), "year")
    assert found.rows["moves"].sum() == len(world) - 6 * 20
    assert found.total["moves"][0] == len(world)
    assert any(note.startswith("120 moves are in no group (no date)") for note in found.notes)


def test_labels_have_a_row_a_move(world):
    for by in get_args(By):
        assert labels_of(world, by).height == len(world)


@pytest.mark.data
def test_error_by_advantage_in_real_games(data):
    """Figure 2: raw error rises with the advantage, near-equal positions have the smallest; scaling flattens it."""
    found = measure_errors(
        read_evaluated(data / "engine_evals" / "cct_finals_2023_2024.pgn.zst"), filters=Filters()
    )
    rows = group_errors(found, "advantage", step=0.5).rows
    raw, scaled = (dict(rows.select("key", name).iter_rows()) for name in MEASURES)
    assert raw[1] < raw[2] < raw[3] < raw[4]
    assert raw[-2] > 1.5 * raw[-1]
    inside = [k for k in range(-4, 5) if k]
    spread = [max(v[k] for k in inside) / min(v[k] for k in inside) for v in (raw, scaled)]
    assert spread[1] < spread[0] / 2
