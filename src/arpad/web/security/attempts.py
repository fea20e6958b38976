"""Failed attempts to sign in: after a few, a name and an address have to wait."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import sqlalchemy as sa

from arpad.store.ledger import tables
from arpad.store.ledger.bulk import insert
from arpad.store.ledger.column_types import now

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

__all__ = ["FREE", "FREE_BY_ADDRESS", "WINDOW", "failed", "forget", "must_wait"]

FREE = 5
"""Attempts that a name has within the window."""

FREE_BY_ADDRESS = 30
"""Attempts that an address has, whatever the names: a club may share one."""

WINDOW = timedelta(minutes=15)


def must_wait(connection: Connection, name: str, address: str) -> int:
    """Return the seconds until another attempt is looked at; 0: now.

    A name is held up for every address: else a guess from each of a thousand addresses would be looked at.
    """
    t = tables.attempts.c
    since = now() - WINDOW
    waits = [0]
    for where, free in ((t.name == name, FREE), (t.address == address, FREE_BY_ADDRESS)):
        query = sa.select(t.when).where(where, t.when > since).order_by(t.when.desc()).limit(free)
        times = connection.execute(query).scalars().all()
        if len(times) >= free:
            waits.append(int((times[-1] + WINDOW - now()).total_seconds()) + 1)
    return max(waits)


def failed(connection: Connection, name: str, address: str) -> None:
    """Keep a failed attempt; old ones are forgotten."""
    t = tables.attempts
    connection.execute(sa.delete(t).where(t.c.when <= now() - WINDOW))
    insert(connection, t, name=name, address=address, when=now())


def forget(connection: Connection, name: str) -> None:
    """Forget the failed attempts of a name: it has signed in."""
    t = tables.attempts
    connection.execute(sa.delete(t).where(t.c.name == name))
