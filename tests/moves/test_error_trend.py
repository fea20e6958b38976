"""Moving averages over the years: what a point holds, where lines break, where marks stand."""

from __future__ import annotations

import polars as pl
import pytest

from arpad.errors import UsageError
from arpad.moves.error_report import SPAN, error_trend, group_errors
from tests.moves.error_worlds import made_up


def test_a_point_is_all_moves_of_four_years():
    world = made_up(categories=(11, 12, 15))
    found = error_trend(world)
    year = world.games.table["date"].dt.year().gather(world.table["game"])
    label = group_labels(world)
    inside = (year >= 1993) & (year <= 1996) & label.is_in(["11", "12"])
    point = found.rows.filter((pl.col("line") == "11–12") & (pl.col("year") == 1996)).row(0, named=True)
    assert SPAN == 4
    assert point["moves"] == inside.sum() == 4 * 2 * 6 * 20
    assert point["years"] == 4
    assert point["scaled"] == pytest.approx(world.table.filter(inside)["scaled"].mean())
    assert found.rows["line"].unique(maintain_order=True).to_list() == ["11–12", "15–16"]


def group_labels(world):
    from arpad.moves.error_report import labels_of

    return labels_of(world, "category")["label"]


def test_the_first_spans_hold_what_there_is():
    rows = error_trend(made_up(categories=(11,))).rows
    assert rows["year"].to_list() == list(range(1990, 2000))
    assert rows["years"].to_list() == [1, 2, 3, *[4] * 7]


def test_one_year_is_the_year_itself():
    world = made_up(categories=(11,))
    years = group_errors(world, "year").rows
    trend = error_trend(world, span=1, categories=False).rows
    assert trend["line"].unique().to_list() == ["all"]
    assert trend["scaled"].to_list() == pytest.approx(years["scaled"].to_list())
    assert trend["scaled_error"].to_list() == pytest.approx(years["scaled_error"].to_list())


def test_a_line_breaks_where_a_whole_span_is_empty():
    rows = error_trend(made_up(years=[1990, 1991, 1998, 1999], categories=(11,))).rows
    assert rows["year"].to_list() == [1990, 1991, 1992, 1993, 1994, 1998, 1999]


def test_runs_above_category_20_are_marks_at_their_last_year(golden):
    """The paper has events of category 21 in 1996–2001, none in 2002–2006, some of 21 and 22 from 2007 to 2011."""
    printed = [r for r in golden("ipr_section4.csv") if r["what"] == "mark"]
    world = made_up(years=[*range(1996, 2002), *range(2007, 2012)], categories=(19, 21, 22))
    found = error_trend(world)
    ends = found.marks.select("first", "year").rows()
    assert ends == [(int(r["low"]), int(r["high"])) for r in printed]
    assert found.rows["line"].unique().to_list() == ["19–20"]
    assert found.marks["moves"].sum() == len(world) * 2 / 3
    lines = error_trend(world, highest=None)
    assert lines.marks.height == 0
    assert "21–22" in lines.rows["line"].to_list()


def test_events_above_every_line_leave_marks_only():
    found = error_trend(made_up(years=[2010], categories=(22,)))
    assert (found.rows.height, found.marks.height) == (0, 1)
    assert "2010–2010" in found.summary()


def test_a_level_that_does_not_change_makes_a_flat_line():
    """What no inflation looks like: the truth, .08, lies inside nearly all limits."""
    flat = error_trend(made_up(7, years=range(1971, 2012), categories=(15,), level=lambda *_: 0.08))
    inside = flat.rows.filter((pl.col("scaled_low") < 0.08) & (pl.col("scaled_high") > 0.08))
    assert inside.height / flat.rows.height > 0.85
    falling = error_trend(
        made_up(7, years=range(1971, 2012), categories=(15,), level=lambda y, _: 0.12 - (y - 1971) / 1000)
    )  # fmt: skip
    first, last = falling.rows["scaled"][0], falling.rows["scaled"][-1]
    assert last < 0.8 * first


def test_what_is_refused():
    with pytest.raises(UsageError, match="at least one year"):
        error_trend(made_up(), span=0)
