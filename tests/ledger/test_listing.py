"""Who stands on a list, with which rank and which mark [Elo 3.2, 4.42, 4.54, 2.59]."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest

from arpad.ledger.db import tables
from arpad.ledger.db.bulk import bulk_insert
from arpad.ledger.list_making import make_list, publish_list
from arpad.ledger.lists import entries_of, list_called
from arpad.ledger.period import STATE_SCHEMA
from arpad.ledger.policy import Listed, Policy, preset, rounded
from arpad.ledger.queries.lists import list_diff
from arpad.model import Games
from arpad.rate.registry import system
from tests.ledger.ledgers import NAMES, put_event, put_policy, round_robin

CLOSING = date(1986, 5, 31)
ANN, BOB, CLEO, DORA, ERIC, FAY = NAMES


def entries(policy, rows, *, sex=None, members=None):
    """Entries of people who are (rating, games in all, day of the last game)."""
    n = len(rows)
    state = pl.DataFrame(
        {
            "player_id": range(1, n + 1),
            "rating": [float(r[0]) if r[0] is not None else None for r in rows],
            "games": [0] * n,
            "total_games": [r[1] for r in rows],
            "deviation": [None] * n,
            "status": [None] * n,
            "state": [f'{{"last":"{r[2]}"}}' for r in rows],
        },
        schema=STATE_SCHEMA,
    )
    players = pl.DataFrame(
        {
            "player_id": range(1, n + 1),
            "name": [f"P{i}" for i in range(1, n + 1)],
            "title": [None] * n,
            "federation": [None] * n,
            "sex": sex or [None] * n,
        },
        schema_overrides=dict.fromkeys(("title", "federation", "sex"), pl.String),
    )
    found = entries_of(
        policy, CLOSING, state, {"last": "Date"}, players=players, earlier=state, played=state,
        members=members,
    )  # fmt: skip
    return {name: (rank, status) for name, rank, status in found.select("name", "rank", "status").iter_rows()}


def test_the_standards_of_the_book():
    found = entries(
        preset("book"),
        [
            (2500, 100, "1986-05-01"),
            (2500, 29, "1984-01-01"),
            (2450, 8, "1986-01-01"),
            (2200, 50, "1986-01-01"),
            (2300, 50, "1983-05-01"),
            (2000, 40, "1986-01-01"),
            (1900, 40, "1986-01-01"),
            (None, 40, "1986-01-01"),
        ],
        sex=["m", None, "m", "m", "m", "w", "F", "m"],
    )
    assert found == {
        "P1": (1, "established"),
        "P2": (1, "provisional"),  # below thirty games: an asterisk [2.59]
        "P3": (None, "unlisted: fewer than 9 games"),  # [4.54]
        "P4": (None, "unlisted: not above 2200"),  # [4.42]
        "P5": (None, "unlisted: inactive"),  # three years [3.2]
        "P6": (1, "established"),  # women apart, above 1900 [4.42]
        "P7": (None, "unlisted: not above 1900"),
    }


def test_equal_ratings_share_a_rank():
    rows = [(r, 30, "1986-01-01") for r in (1500.4, 1600, 1499.6, 1400)]
    found = entries(Policy(name="x"), rows)
    assert {n: r for n, (r, _) in found.items()} == {"P1": 2, "P2": 1, "P3": 2, "P4": 4}


def test_the_inactive_are_marked_or_left_out():
    rows = [(1500, 30, "1985-05-31"), (1500, 30, "1985-06-01")]
    marked = Policy(name="x", listed=Listed(active_months=12))
    assert entries(marked, rows) == {"P1": (1, "inactive"), "P2": (1, "established")}
    left = Policy(name="x", listed=Listed(active_months=12, inactive="left out"))
    assert entries(left, rows) == {"P1": (None, "unlisted: inactive"), "P2": (1, "established")}


def test_who_is_no_member_is_rated_but_not_listed():
    rows = [(1500, 30, "1986-01-01"), (1400, 30, "1986-01-01")]
    rules = Policy(name="x", listed=Listed(member="club"))
    found = entries(rules, rows, members=pl.Series([2], dtype=pl.Int64))
    assert found == {"P1": (None, "unlisted: no club member"), "P2": (1, "established")}


def test_memberships_of_the_ledger(ledger):
    put_policy(ledger, Policy(name="club", listed=Listed(member="club")))
    put_event(ledger, "Open", "2026-10-10", round_robin([1, 0.5]))
    with ledger.writing() as connection:
        rows = pl.DataFrame(
            {
                "id": [1, 2, 3],
                "player_id": [1, 2, 3],
                "kind": ["club", "club", "federation"],
                "from": [date(2026, 1, 1), date(2026, 11, 1), None],
                "until": [None, None, None],
            },
            schema_overrides={"until": pl.Date},
        )
        bulk_insert(connection, tables.memberships, rows)
    made = make_list(ledger)
    assert made.entries.filter(pl.col("rank").is_not_null())["name"].to_list() == [ANN]


def test_floor_and_exact_ratings(ledger):
    put_policy(ledger, Policy(name="floor", system="elo", floor=1495.0))
    put_policy(ledger, Policy(name="exact", system="elo", carries="exact", round_to=5.0))
    put_event(ledger, "Open", "2026-10-10", [(ANN, BOB, 1.0)] * 3)
    floor, exact = (make_list(ledger, policy=p).entries for p in ("floor", "exact"))
    assert floor["rating"].to_list() == [1528.0, 1495.0]
    assert exact["rating"].to_list() == [1530.0, 1470.0]
    put_event(ledger, "More", "2026-11-10", [(ANN, BOB, 1.0)] * 3)
    # From the figures before rounding; from 1530 and 1470 it would be 1555 and 1445.
    once = system("elo", k=20).rate(Games.build([(ANN, BOB, 1.0)] * 6)).rows["rating"]
    assert rounded(once, 5.0).to_list() == [1550.0, 1450.0]
    assert make_list(ledger, policy="exact").entries["rating"].to_list() == [1550.0, 1450.0]


def test_time_makes_ratings_less_sure(ledger):
    put_policy(ledger, Policy(name="g", system="glicko2"))
    put_event(ledger, "Open", "2026-01-10", round_robin([1, 0.5]))
    then = make_list(ledger, name="2026-02").entries
    later = make_list(ledger, name="2030-02").entries
    assert (later["deviation"] > then["deviation"]).all()
    assert later["rating"].equals(then["rating"])


@pytest.fixture
def two_lists(ledger):
    put_policy(ledger, Policy(name="club", system="elo"))
    put_event(ledger, "Autumn", "2026-09-12", round_robin([1, 0.5, 1, 0]))
    make_list(ledger, name="2026-10")
    publish_list(ledger)
    put_event(ledger, "October", "2026-10-10", [(ANN, ERIC, 1.0), (BOB, ANN, 1.0)])
    make_list(ledger, name="2026-11")
    return ledger


def test_a_difference_tells_the_events(two_lists):
    with two_lists.reading() as connection:
        first, second = (list_called(connection, "club", n) for n in ("2026-10", "2026-11"))
        found = list_diff(connection, first, second)
        back = list_diff(connection, second, first)
        same = list_diff(connection, first, first)
    rows = {r["name"]: r for r in found.rows.to_dicts()}
    assert set(rows) == {ANN, BOB, ERIC}
    assert rows[ERIC]["before"] is None
    assert rows[BOB]["because"].startswith("October +")
    for player, difference in found.rows.select("player_id", "difference").drop_nulls().iter_rows():
        shares = found.shares.filter(pl.col("player_id") == player)["change"].sum()
        assert shares == pytest.approx(difference)
    assert "2 figures changed, 1 new, 0 gone" in found.summary()
    assert "0 new, 1 gone" in back.summary()
    assert same.rows.height == same.shares.height == 0


def test_a_difference_to_a_list_that_was_corrected(two_lists):
    put_event(two_lists, "Late", "2026-09-20", [(CLEO, ANN, 1.0)] * 2)
    make_list(two_lists, name="2026-11")
    with two_lists.reading() as connection:
        first, second = (list_called(connection, "club", n) for n in ("2026-10", "2026-11"))
        found = list_diff(connection, first, second, as_published=True)
    because = dict(found.rows.select("name", "because").iter_rows())
    assert "Late +" in because[CLEO]
    for player, difference in found.rows.select("player_id", "difference").drop_nulls().iter_rows():
        shares = found.shares.filter(pl.col("player_id") == player)["change"].sum()
        assert shares == pytest.approx(difference)


def test_the_boundaries_of_a_standard():
    """As many games as are asked for are enough; one fewer is not [Elo 4.54]."""
    book = preset("book")
    fewest, sure = book.listed.min_games, book.provisional_games
    games = [fewest, fewest - 1, sure, sure - 1]
    found = entries(book, [(2500, n, "1986-05-01") for n in games])
    assert [found[f"P{i}"] for i in (1, 2, 3, 4)] == [
        (1, "provisional"), (None, f"unlisted: fewer than {fewest} games"), (1, "established"), (1, "provisional"),
    ]  # fmt: skip
