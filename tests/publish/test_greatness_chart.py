from __future__ import annotations

import itertools

import pytest

from arpad.errors import UsageError
from arpad.pool.greatness.ratings import PublishedRatings
from arpad.pool.greatness.run import find_greatness
from arpad.publish.charts.event import GAP, LETTER, LINE, WIDE, _labels, greatness_chart
from arpad.publish.charts.event import _greatness_chart_words as _words
from arpad.publish.charts.style import svg
from tests.pool.greatness.events import Database, history


@pytest.fixture(scope="module")
def found():
    return find_greatness(history(), lambda g: [PublishedRatings(g.published, g.names)])


def test_the_chart_names_the_best(found):
    drawn = svg(greatness_chart(found))
    best = found.table().row(0, named=True)
    assert _words(best) in drawn
    assert "G-score" in drawn
    assert "tournament strength" in drawn


def test_names_cover_neither_each_other_nor_the_edge(found):
    span, limits = (1968.0, 2001.0), (90.0, 260.0)
    labels = _labels(found.table(), "g_score", span, limits, 400, 14)
    assert 3 <= labels.height <= 14
    boxes = []
    for row in labels.iter_rows(named=True):
        at = (row["year"] - span[0]) * WIDE / (span[1] - span[0])
        wide = LETTER * len(row["label"])
        left = at + GAP if row["align"] == "left" else at - GAP - wide
        assert 0 <= left <= left + wide <= WIDE
        boxes.append((left, left + wide, row["g_score"] * 400 / (limits[1] - limits[0])))
    for one, other in itertools.combinations(boxes, 2):
        assert one[1] <= other[0] or other[1] <= one[0] or abs(one[2] - other[2]) >= LINE


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"event": "m1: Steinitz – Blackburne", "year": 1876, "player": "Steinitz, W"}, "Steinitz – Blackburne 1876"),
        ({"event": "m1: Steinitz – Blackburne", "year": 1876}, "Steinitz – Blackburne 1876"),
        ({"event": "Town 1901", "year": 1901, "player": "Ann"}, "Ann, Town 1901"),
        ({"event": "Town", "year": 1901}, "Town 1901"),
    ],
)  # fmt: skip
def test_words(row, words):
    assert _words(row) == words


def test_what_is_read_with_caution_is_marked(found):
    assert "caution" not in svg(greatness_chart(found))
    games = history()
    alone = games.keep(games.table["event"] == 1)
    few = find_greatness(alone, lambda g: [PublishedRatings(g.published, g.names)])
    drawn = svg(greatness_chart(few))
    assert "to be read with caution" in drawn
    assert "Master A – Master B 1970 *" in drawn


def test_nothing_to_draw():
    made = Database()
    made.match("M", "A", "B", [1.0] * 6)
    found = find_greatness(made.games(), lambda g: [PublishedRatings(g.published, g.names)])
    with pytest.raises(UsageError, match="nothing to draw"):
        greatness_chart(found)
