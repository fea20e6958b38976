"""The chart of ratings over time: every point is in it, and first ratings do not flatten it."""

from __future__ import annotations

from datetime import date

from arpad.publish.charts.ratings import REACH, ROOM, ratings_over_time

DAYS = [date(2026, month, 28) for month in range(1, 5)]


def drawn(lines):
    chart = ratings_over_time(lines, title="Novak, Jan").to_dict()
    (rows,) = chart["datasets"].values()
    return chart, [row for row in rows if not row["open"]]


def test_a_line_has_its_points_and_its_band():
    chart, rows = drawn({"club": [(DAYS[0], 1500.0, 80.0), (DAYS[1], 1520.0, None)]})
    assert [(r["low"], r["rating"], r["high"]) for r in rows] == [(1420, 1500, 1580), (1520, 1520, 1520)]  # fmt: skip
    assert chart["layer"][0]["encoding"]["color"]["legend"] is None  # one line needs no name


def test_two_lines_are_named():
    chart, rows = drawn({"club": [(DAYS[0], 1500.0, None)], "fide": [(DAYS[2], 1700.0, None)]})
    assert {r["line"] for r in rows} == {"club", "fide"}
    assert chart["layer"][0]["encoding"]["color"]["legend"] is not None


def test_a_band_of_the_first_ratings_does_not_flatten_the_line():
    chart, _ = drawn({"club": [(DAYS[0], 1500.0, 900.0), (DAYS[1], 1520.0, 60.0)]})
    domain = chart["layer"][1]["encoding"]["y"]["scale"]["domain"]
    assert domain == [1500 - REACH - ROOM, 1520 + REACH + ROOM]


def test_the_last_rating_still_stands():
    lines = {"club": [(DAYS[0], 1500.0, 80.0)], "fide": [(DAYS[1], 1600.0, None)]}
    (rows,) = ratings_over_time(lines, title="x").to_dict()["datasets"].values()
    ends = [row for row in rows if row["open"]]
    assert [(row["rating"], row["low"]) for row in ends] == [(1500, 1420), (1600, 1600)]
    assert len({row["day"] for row in ends}) == 1
    assert min(row["day"] for row in ends) > max(row["day"] for row in rows if not row["open"])


def test_nothing_is_a_chart_too():
    assert drawn({"club": []})[1] == []
