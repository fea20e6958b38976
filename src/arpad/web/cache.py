"""A cache keyed by the version of the ledger."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa
from cachetools import LRUCache
from starlette.concurrency import run_in_threadpool

from arpad.errors import ArpadError
from arpad.ledger.db import tables
from arpad.ledger.db.ledger import address
from arpad.moves.evaluation_store import store_stamp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime
    from pathlib import Path

    from sqlalchemy.engine import Connection

    from arpad.ledger.db.ledger import Ledger


# Versions of the ledger and of its tables.
#
# Imports and decisions write everything that happened. An import may change any table; a decision lists the rows that
# it changed. So a value that was read from a few tables holds until there is an import, or a decision that changed one
# of these tables: the correction of an event does not invalidate the index of 50,000 names.


class LedgerVersion(NamedTuple):
    """The last row numbers of the tables that every write adds to: together they identify the state of the ledger."""

    imports: int | None
    decisions: int | None
    policies: int | None
    doubts: int | None
    norms: int | None
    titles: int | None
    events: int | None
    runs: int | None
    last_list: int | None
    lists: int
    made: datetime | None
    published: int
    made_from: int | None
    """A sum over the runs that lists were made from: a draft may be made twice in the second that `made` knows."""

    @property
    def of_lists(self) -> tuple[Any, ...]:
        """The version of lists and policies."""
        return (
            "lists",
            self.last_list,
            self.lists,
            self.made,
            self.published,
            self.made_from,
            self.policies,
            self.runs,
        )


_li = tables.lists.c
_NUMBERED = (
    tables.imports,
    tables.decisions,
    tables.policies,
    tables.doubts,
    tables.norms,
    tables.titles,
    tables.events,
    tables.runs,
)
VERSIONS = sa.select(
    *(sa.select(sa.func.max(t.c.id)).scalar_subquery().label(t.name) for t in _NUMBERED),
    sa.func.max(_li.id).label("last_list"),
    sa.func.count(_li.id).label("lists"),
    sa.func.max(_li.made).label("made"),
    sa.func.count(_li.published).label("published"),
    sa.func.sum(sa.cast(_li.run_id, sa.BigInteger) * _li.id).label("made_from"),
)
"""A constant, because SQLAlchemy takes longer to build the statement than the database to run it."""


def ledger_version(connection: Connection) -> LedgerVersion:
    """Return the version of the ledger in the transaction of a connection."""
    return LedgerVersion._make(connection.execute(VERSIONS).one())


class LedgerClock:
    """The version of everything that pages show; the ledger is only read if somebody has written.

    An `exact` clock counts every write, also those that change nothing that is public.
    """

    def __init__(self, ledger: Ledger, store: Path | None, *, exact: bool = False) -> None:
        self._ledger, self._store, self._exact = ledger, store, exact
        self._watch: sqlite3.Connection | None = None
        self._seen: int | None = None
        self._version: LedgerVersion | None = None

    async def version(self) -> tuple[Any, ...] | None:
        """Return the version of the ledger, of the store of evaluations, and the day; None: it cannot be told."""
        try:
            seen = self._count()
            if self._exact and seen is None:
                return None
            if seen != self._seen or seen is None:
                self._version = await run_in_threadpool(self._read)
                self._seen = seen
        except (sqlite3.Error, ArpadError):  # somebody writes, or the database is gone: the page will say so
            return None
        counted = seen if self._exact else None
        return (counted, self._version, tables.now().date(), store_stamp(self._store))

    def _count(self) -> int | None:
        """Return a number that SQLite changes with every write of others; None: it is another database."""
        file = self._ledger.place.file
        if file is None:
            return None
        if self._watch is None:
            self._watch = sqlite3.connect(address(file), uri=True, timeout=0, check_same_thread=False)
        return int(self._watch.execute("PRAGMA data_version").fetchone()[0])

    def _read(self) -> LedgerVersion:
        with self._ledger.reading() as connection:
            return ledger_version(connection)

    def close(self) -> None:
        """Let go of the database."""
        if self._watch is not None:
            self._watch.close()


class TableVersions:
    """The last decision that changed each table."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: int | None = None
        self._all = 0
        """The last decision that does not list its rows: it may have changed any table."""
        self._by: dict[str, int] = {}

    def of(self, connection: Connection, marks: LedgerVersion, names: Iterable[str]) -> tuple[Any, ...]:
        """Return the version of some tables: it changes when a row of one of them changes."""
        last = marks.decisions or 0
        with self._lock:
            if self._seen is None:
                self._seen = self._all = last
            if last > self._seen:
                self._read(connection, self._seen)
                self._seen = last
            result = max([self._by.get(name, self._all) for name in names])
        if result > last:  # the transaction is older than the last change
            return ("then", marks.imports, last)
        return ("rows", marks.imports, result)

    def _read(self, connection: Connection, after: int) -> None:
        d = tables.decisions.c
        query = sa.select(d.id, d.kind, d.after).where(d.id > after).order_by(d.id)
        for number, kind, after_it in connection.execute(query):
            rows = (after_it or {}).get("rows")
            if rows is None or kind == "erase":  # it may have changed any table
                self._all, self._by = number, {}
                continue
            self._by.update({row["table"]: number for row in rows})


# Values, each kept until the part of the ledger that it follows from changes.

SIZE = 256
"""Values that are kept: most are pages of some kilobytes; a list of 50,000 players takes one megabyte."""
FILES = 24 << 20
"""Bytes of files and pictures that are kept: a list of 50,000 players has up to 15 MB."""


class LedgerCache:
    """A least-recently-used cache of values with the version of the ledger that each was computed from."""

    def __init__(self, size: int = SIZE) -> None:
        self._changed = threading.Condition()
        self._values: LRUCache[Any, tuple[Any, Any]] = LRUCache(size)
        self._files: LRUCache[Any, tuple[Any, bytes]] = LRUCache(FILES, getsizeof=lambda entry: len(entry[1]))
        self._pending: set[Any] = set()

    def get(self, version: tuple[Any, ...], key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
        """Return the value of a key at a version; one caller computes it while the others wait.

        A value of another version gives way: nobody will request it again.
        """
        with self._changed:
            self._changed.wait_for(lambda: (version, key) not in self._pending)
            entry = self._values.get(key) or self._files.get(key)
            if entry is not None and entry[0] == version:
                return entry[1]
            self._pending.add((version, key))
        try:
            value = make()
            kept: LRUCache[Any, Any] = self._files if isinstance(value, bytes) else self._values
            with self._changed, suppress(ValueError):  # larger than all that is kept
                kept[key] = (version, value)
            return value
        finally:
            with self._changed:
                self._pending.discard((version, key))
                self._changed.notify_all()
