"""`kill -9` in the middle of a write: afterwards all of it is there, or nothing."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arpad.ledger.db import tables
from arpad.ledger.db.bulk import bulk_insert, frame, insert
from arpad.ledger.db.ledger import Ledger
from arpad.ledger.db.tables import now
from tests.ledger.db.crash import killed_after, killed_at, points

PLAYERS, GAMES = 40, 120


def enter_event(place: str) -> None:
    """Write an import with its players, its event and its games in one transaction."""
    with Ledger.open(place) as ledger, ledger.writing("anna", "crash") as connection:
        number = insert(
            connection, tables.imports, file="a.pgn", sha256="0", when=now(), who="anna",
            games=GAMES, events=1, players_new=PLAYERS, doubtful=0,
        )  # fmt: skip
        first = frame(connection, tables.players).height
        ids = range(first + 1, first + PLAYERS + 1)
        names = [f"Player {i}" for i in ids]
        bulk_insert(connection, tables.players, pl.DataFrame({"id": ids, "name": names, "import_id": number}))
        event = insert(
            connection, tables.events, import_id=number, number=1, name="Open",
            source=f"s{number}", content="c", end=date(2026, 11, 16), excluded=False,
        )  # fmt: skip
        bulk_insert(
            connection,
            tables.games,
            pl.DataFrame({"number": range(1, GAMES + 1)}).select(
                (pl.col("number") + (event - 1) * GAMES).alias("id"),
                "number",
                pl.lit(event).alias("event_id"),
                (first + 1 + pl.col("number") % PLAYERS).alias("white_id"),
                (first + 1 + (pl.col("number") + 1) % PLAYERS).alias("black_id"),
                pl.lit(0.5).alias("score"),
                pl.lit("played").alias("status"),
            ),
        )


WHOLE = {"imports": 1, "players": PLAYERS, "events": 1, "games": GAMES}


def assert_whole(place: str) -> int:
    """Return how many imports there are, each of them whole."""
    with Ledger.open(place) as ledger, ledger.reading() as connection:
        found = {name: frame(connection, tables.METADATA.tables[name]).height for name in WHOLE}
        if ledger.dialect == "sqlite":
            assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
            assert not connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
    times = found["imports"]
    assert found == {name: n * times for name, n in WHOLE.items()}
    return times


@pytest.fixture
def last(place) -> int:
    """How many points the work passes when nothing happens to it."""
    passed = points(enter_event, place)
    assert assert_whole(place) == 1
    assert passed > 10
    return passed


@settings(max_examples=8)
@given(share=st.floats(0, 1))
def test_killed_at_any_point(share, last, place):
    before = assert_whole(place)
    assert killed_at(1 + round(share * (last - 1)), enter_event, place)
    assert assert_whole(place) == before
    if share < 0.3:  # it can be done again, and the next crash finds more in the ledger
        enter_event(place)
        assert assert_whole(place) == before + 1


@settings(max_examples=8)
@given(seconds=st.floats(0, 0.15))
def test_killed_at_any_moment(seconds, place):
    before = assert_whole(place)
    killed_after(seconds, enter_event, place)
    assert assert_whole(place) in (before, before + 1)
