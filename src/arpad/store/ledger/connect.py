"""Connections to the two databases: how each is told to be safe, and who may write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import sqlalchemy as sa
from sqlalchemy import event

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection, Engine

    from arpad.store.ledger.places import Place

__all__ = ["APPLICATION", "WRITER", "Mode", "engine_for"]

Mode = Literal["read", "write"]

APPLICATION = 0x41525044
"""SQLite's `application_id` of a ledger: the letters ARPD."""

WRITER = 0x6172706164
"""The advisory lock of PostgreSQL that the one writer holds: the letters arpad."""

CACHE = -65_536
"""KiB of pages (64 MiB) that a SQLite connection may keep; a big import touches its indexes often."""


def engine_for(place: Place, *, wait: float) -> Engine:
    """Return an engine; `wait` is how many seconds a writer waits for another."""
    if place.file is not None:
        return _sqlite(place, wait)
    return _postgresql(place, wait)


def _sqlite(place: Place, wait: float) -> Engine:
    # `mode=rw` never makes a file: a slip in a name is an error, not an empty ledger.
    path = sa.engine.URL.create(
        "sqlite", database=f"file:{_escaped(str(place.file))}", query={"mode": "rw", "uri": "true"}
    )
    engine = sa.create_engine(path, connect_args={"timeout": wait})

    @event.listens_for(engine, "connect")
    def _connected(connection: Any, _: object) -> None:
        connection.isolation_level = None  # transactions begin below, not where sqlite3 thinks
        # FULL, not NORMAL: after a power cut, too, what was said to be kept is there.
        for pragma in ("foreign_keys = ON", "synchronous = FULL", f"cache_size = {CACHE}"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        if connection.get_execution_options().get("arpad_mode") == "write":
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            return
        connection.exec_driver_sql("BEGIN")
        connection.exec_driver_sql("SELECT 1 FROM sqlite_master")  # from here on one snapshot

    return engine


def _escaped(path: str) -> str:
    """Return a path as SQLite's URIs want it."""
    for sign, code in (("%", "%25"), ("?", "%3f"), ("#", "%23")):
        path = path.replace(sign, code)
    return path


def _postgresql(place: Place, wait: float) -> Engine:
    engine = sa.create_engine(place.url, connect_args={"connect_timeout": 10})

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        if connection.get_execution_options().get("arpad_mode") == "write":
            # READ COMMITTED: what the writer before us left is seen once the lock is ours.
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = {max(1, int(wait * 1000))}")
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({WRITER})")
            return
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")

    return engine
