"""The chart of ratings over time: every point is in it, and first ratings do not flatten it."""

from __future__ import annotations

import re
from datetime import date

from arpad.publish.charts.style import REACH, RIGHT, ROOM, limits, line_chart, sparkline, win_chart

DAYS = [date(2026, month, 28) for month in range(1, 5)]


def drawn(lines) -> tuple[str, list[str]]:
    chart = line_chart(lines, says="Novak, <Jan>")
    return chart, re.findall(r"<title>([^<]*)</title>", chart)


def test_a_line_has_its_points_and_its_band():
    chart, points = drawn({"club": [(DAYS[0], 1500.0, 80.0), (DAYS[1], 1520.0, None)]})
    assert points == ["club, 2026-01-28: 1500 ± 80", "club, 2026-02-28: 1520"]
    assert chart.count('class="band"') == 1
    assert "Novak, &lt;Jan&gt;" in chart


def test_two_lines_are_told_apart():
    chart, points = drawn({"club": [(DAYS[0], 1500.0, None)], "fi<de": [(DAYS[2], 1700.0, None)]})
    assert points == ["club, 2026-01-28: 1500", "fi&lt;de, 2026-03-28: 1700"]
    assert chart.count('class="line"') == 2
    assert 'class="c1" data-line="1"' in chart
    assert 'class="band"' not in chart


def test_a_band_of_the_first_ratings_does_not_flatten_the_line():
    line = {"club": [(DAYS[0], 1500.0, 900.0), (DAYS[1], 1520.0, 60.0)]}
    assert limits(line) == (1500 - REACH - ROOM, 1520 + REACH + ROOM)


def test_the_last_rating_still_stands():
    chart, _ = drawn({"club": [(DAYS[0], 1500.0, 80.0)], "fide": [(DAYS[1], 1600.0, None)]})
    for path in re.findall(r'class="line" d="M([^"]*)"', chart):
        *_, (x, y), (end, last) = [corner.split() for corner in re.findall(r"\S+ \S+", path)]
        assert (float(end), last) == (RIGHT, y)
        assert float(x) < RIGHT


def test_nothing_is_no_chart():
    assert drawn({"club": []}) == ("", [])
    assert sparkline([1500.0]) == win_chart([None], {}) == ""


def test_a_chance_to_win_goes_from_the_bottom_to_the_top():
    chart = win_chart([0.5, 1.0, None, 0.0], {3: "blunder", 2: "mistake"}, height=100)
    assert 'd="M0.0 50.0 333.3 0.0 1000.0 100.0"' in chart
    assert 'class="blunder" cx="100.0%" cy="100.0"' in chart
    assert "mistake" not in chart  # nothing is known after it
