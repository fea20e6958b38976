"""Connections to the two databases: how each is told to be safe, and who may write."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import sqlalchemy as sa
from sqlalchemy import event

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.engine import Connection, Engine

    from arpad.store.ledger.places import Place

__all__ = ["APPLICATION", "WRITER", "Mode", "address", "engine_for"]

Mode = Literal["read", "write"]

APPLICATION = 0x41525044
"""SQLite's `application_id` of a ledger: the letters ARPD."""

WRITER = 0x6172706164
"""The advisory lock of PostgreSQL that the one writer holds: the letters arpad."""

CACHE = -65_536
"""KiB of pages (64 MiB) that a SQLite connection may keep; a big import touches its indexes often."""


def engine_for(
    place: Place, *, wait: float, on_wait: Callable[[str], object] = lambda _: None
) -> Engine:
    """Return an engine for a place.

    Parameters
    ----------
    wait
        Seconds that a writer waits for another one.
    on_wait
        Called with a sentence before such a wait.
    """
    if place.file is not None:
        return _sqlite(place, wait, on_wait)
    return _postgresql(place, wait, on_wait)


def _sqlite(place: Place, wait: float, on_wait: Callable[[str], object]) -> Engine:
    url = sa.engine.URL.create(
        "sqlite", database=address(Path(str(place.file))), query={"uri": "true"}
    )
    engine = sa.create_engine(url, connect_args={"timeout": wait})

    @event.listens_for(engine, "connect")
    def _connected(connection: Any, _: object) -> None:
        connection.isolation_level = None  # transactions begin below, not where sqlite3 thinks
        # FULL, not NORMAL: after a power cut, too, what was said to be kept is there.
        # Recursive triggers: REPLACE deletes a row, and whoever guards it is asked.
        for pragma in (
            "foreign_keys = ON",
            "recursive_triggers = ON",
            "synchronous = FULL",
            f"cache_size = {CACHE}",
        ):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        raw: Any = connection.connection.driver_connection
        if connection.get_execution_options().get("arpad_mode") != "write":
            raw.execute("BEGIN")
            raw.execute("SELECT 1 FROM sqlite_master").close()  # from here on one snapshot
            return
        raw.execute("PRAGMA busy_timeout = 0")
        try:
            raw.execute("BEGIN IMMEDIATE")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
        finally:
            raw.execute(f"PRAGMA busy_timeout = {int(wait * 1000)}")
        on_wait(f"another writer is at work in {place.shown}: waiting up to {wait:.0f} s")
        raw.execute("BEGIN IMMEDIATE")

    return engine


def address(path: Path) -> str:
    """Return a file as SQLite's URIs want it.

    ``mode=rw`` never makes a file: a slip in a name is an error, not an empty ledger. Where nothing can
    be written, not even the little files of a reader, and no writer has any open, it is read as it lies.
    """
    name = str(path)
    for sign, code in (("%", "%25"), ("?", "%3f"), ("#", "%23")):
        name = name.replace(sign, code)
    alone = not Path(f"{path}-wal").exists()
    if alone and path.exists() and not os.access(path.parent, os.W_OK):
        return f"file:{name}?mode=ro&immutable=1"
    return f"file:{name}?mode=rw"


def _postgresql(place: Place, wait: float, on_wait: Callable[[str], object]) -> Engine:
    engine = sa.create_engine(place.url, connect_args={"connect_timeout": 10})

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        if connection.get_execution_options().get("arpad_mode") != "write":
            connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            return
        # READ COMMITTED: what the writer before us left is seen once the lock is ours.
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = {max(1, int(wait * 1000))}")
        if not connection.exec_driver_sql(f"SELECT pg_try_advisory_xact_lock({WRITER})").scalar():
            on_wait(f"another writer is at work in {place.shown}: waiting up to {wait:.0f} s")
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({WRITER})")

    return engine
