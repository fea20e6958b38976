"""Charts of average error: what is drawn, and from what."""

from __future__ import annotations

import json
from typing import get_args

import pytest

from arpad.errors import InputError
from arpad.moves.average_error import measure_errors
from arpad.moves.error_report import By, error_trend, group_errors
from arpad.moves.evaluated_games import read_evaluated
from arpad.publish.charts.moves import LEAST, error_chart, trend_chart
from arpad.publish.charts.style import HEADROOM, headroom, svg
from tests.moves.error_worlds import made_up
from tests.moves.events import CENTURY


@pytest.fixture(scope="module")
def world():
    return made_up()


def data_of(chart):
    """All rows of all tables in a chart."""
    sets = json.loads(chart.to_json())["datasets"].values()
    return [row for rows in sets for row in rows]


@pytest.mark.parametrize("by", get_args(By))
def test_every_grouping_is_drawn(world, by):
    found = group_errors(world, by)
    chart = error_chart(found)
    assert "<svg" in svg(chart)
    drawn = {round(r["value"], 9) for r in data_of(chart) if r.get("value") is not None}
    for name in ("raw", "scaled"):
        shown = found.rows.filter(found.rows["moves"] >= LEAST) if by in ("turn", "advantage", "year") else found.rows.head(0)  # fmt: skip
        assert {round(v, 9) for v in shown[name]} <= drawn
    assert all(r["low"] <= r["value"] for r in data_of(chart) if r.get("low") is not None)


def test_move_40_is_marked_where_there_are_moves_on_both_sides():
    long = error_chart(group_errors(made_up(moves=100), "turn"))
    short = error_chart(group_errors(made_up(moves=20), "turn"))
    assert any(r.get("text") == "move 40" for r in data_of(long))
    assert not any(r.get("text") == "move 40" for r in data_of(short))


def test_eras_have_a_line_each(world):
    chart = error_chart(group_errors(world, "advantage", eras=(1990, 1995)))
    assert {r["which"] for r in data_of(chart) if "which" in r} == {"1990–1994", "from 1995"}
    assert "<svg" in svg(chart)


def test_points_of_few_moves_are_not_drawn_and_the_chart_says_so(world):
    found = group_errors(world, "advantage")
    thin = int((found.rows["moves"] < LEAST).sum())
    assert thin
    assert f"{thin} points of fewer than {LEAST} moves not drawn" in error_chart(found).to_json(ensure_ascii=False)  # fmt: skip
    one = group_errors(measure_errors(read_evaluated(CENTURY)), "turn")
    with pytest.raises(InputError, match="at least 50 moves to draw"):
        error_chart(one)


def test_a_trend_has_a_line_a_pair_and_a_cross_a_run():
    world = made_up(years=[*range(1996, 2002), *range(2007, 2012)], categories=(13, 19, 21))
    found = error_trend(world)
    chart = trend_chart(found)
    rows = data_of(chart)
    assert {r["which"] for r in rows if "which" in r} == {"category 13–14", "category 19–20"}
    crosses = [r for r in rows if "which" not in r and "value" in r]
    assert [r["at"] for r in crosses] == [2001, 2011]
    assert "<svg" in svg(chart)
    assert "a run of years" in chart.to_json()


def test_a_line_breaks_where_years_are_missing():
    chart = trend_chart(error_trend(made_up(years=[1990, 1998], categories=(11,))))
    gaps = {r["at"] for r in data_of(chart) if r["value"] is None}
    assert gaps == {1994, 1995, 1996, 1997}


def test_all_together_is_one_line_without_a_key(world):
    chart = trend_chart(error_trend(world, categories=False), "raw")
    assert "raw, in pawns" in chart.to_json()
    assert '"legend": null' in chart.to_json()


def test_limits_of_few_games_do_not_squeeze_the_rest(world):
    import polars as pl

    frame = pl.DataFrame({"value": [0.1, 0.2, None], "high": [0.15, 9.0, None]})
    assert headroom([frame]) == pytest.approx(HEADROOM * 0.2)
    assert headroom([frame.head(1)]) == pytest.approx(0.15)
    assert headroom([frame.tail(1)]) == 1.0
