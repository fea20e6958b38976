"""FIDE categories: of the events of the paper's tables, and of files with gaps."""

from __future__ import annotations

import polars as pl
import pytest

from arpad.event.field import category, event_categories, event_kinds
from arpad.model import Event, Games

OWN = "London Classic 2010"
"""Printed 20: 2725, though 2725 is category 19, as it is for Sofia M-Tel 2007 in the same table."""


def event(ratings, pairs, *, of=None, **columns):
    names = [f"P{i}" for i in range(len(ratings))]
    white, black = zip(*pairs, strict=True)
    return Games.assemble(
        {
            "white": white,
            "black": black,
            "score": [0.5] * len(pairs),
            "event": of or [0] * len(pairs),
            "white_rating": [ratings[i] for i in white],
            "black_rating": [ratings[i] for i in black],
            **columns,
        },
        {"name": names},
        [Event(name="first"), Event(name="second")],
    )


@pytest.mark.parametrize("table", ["ipr_table3.csv", "ipr_table4.csv"])
def test_the_categories_of_the_papers_tables(golden, table):
    rows = [r for r in golden(table) if r["category"] and r["elo"]]
    assert len(rows) >= 16
    for row in rows:
        printed = int(row["category"])
        assert category(float(row["elo"])) == (19 if row["event"] == OWN else printed), row


def test_the_blocks_of_section_4(golden):
    """The paper's blocks begin at 2500, FIDE's at 2501: a full 2500 is still category 10."""
    rows = [r for r in golden("ipr_section4.csv") if r["what"] in ("category", "line")]
    for row in rows:
        first, _, last = row["name"].partition("–")
        low, high = int(row["low"]), int(row["high"])
        assert category(low) == int(first) - 1
        assert category(low + 1) == int(first)
        assert category(high) == int(last or first)


def test_an_event_without_enough_ratings_has_none():
    round_robin = [(i, j) for i in range(5) for j in range(i)]
    four = event([2600.0, 2610.0, 2620.0, 2630.0, None], round_robin)
    assert event_categories(four).select("rated", "average", "category").row(0) == (4, 2615.0, 15)
    three = event([2600.0, 2610.0, 2620.0, None, None], round_robin)
    assert event_categories(three).select("rated", "average", "category").row(0) == (3, None, None)


def test_who_did_not_play_does_not_count():
    games = event([2600.0, 2600.0, 1200.0], [(0, 1), (0, 2)], status=["played", "forfeit"])
    assert event_categories(games)["category"].to_list() == [14]


def test_each_event_has_its_own_ratings():
    games = event([2600.0, 2700.0], [(0, 1), (0, 1), (0, 1)], of=[0, 1, None])
    games = Games(
        games.table.with_columns(
            white_rating=pl.Series([2500.0, 2700.0, None]), black_rating=pl.Series([2500.0, 2700.0, None])
        ),
        games.players,
        games.events,
    )
    found = dict(event_categories(games).select("event", "category").iter_rows())
    assert found == {0: 10, 1: 18, None: None}
    assert event_kinds(games) == {0: "match", 1: "match", None: "match"}


def test_below_the_first_category_there_is_an_average_all_the_same():
    weak = event([1500.0, 1600.0], [(0, 1)])
    assert event_categories(weak).select("average", "category").row(0) == (1550.0, None)
