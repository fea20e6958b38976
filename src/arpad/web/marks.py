"""Marks of the ledger as somebody sees it: what is the same as before where a mark is the same.

Everything that happened is written by imports and decisions. An import may touch all of it; a decision says which
rows of which tables it changed. So what was read from a few tables stands until there is an import, or a decision
that changed one of these: a corrected event does not make anybody look for the names of 50,000 players again.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from arpad.store.ledger import tables

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sqlalchemy.engine import Connection

__all__ = ["Marks", "Touched", "marks_of"]


class Marks(NamedTuple):
    """The last number of what grows with every writing; all of it is the mark of the whole ledger."""

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
        """What changes whenever a list or a policy does."""
        return (
            "lists", self.last_list, self.lists, self.made, self.published, self.made_from, self.policies,
            self.runs,
        )  # fmt: skip


_li = tables.lists.c
_NUMBERED = (
    tables.imports, tables.decisions, tables.policies, tables.doubts, tables.norms, tables.titles,
    tables.events, tables.runs,
)  # fmt: skip
MARKS = sa.select(
    *(sa.select(sa.func.max(t.c.id)).scalar_subquery().label(t.name) for t in _NUMBERED),
    sa.func.max(_li.id).label("last_list"),
    sa.func.count(_li.id).label("lists"),
    sa.func.max(_li.made).label("made"),
    sa.func.count(_li.published).label("published"),
    sa.func.sum(sa.cast(_li.run_id, sa.BigInteger) * _li.id).label("made_from"),
)
"""Made once: to make a statement takes longer than to run it."""


def marks_of(connection: Connection) -> Marks:
    """Return the marks of the ledger as a connection sees it."""
    return Marks._make(connection.execute(MARKS).one())


class Touched:
    """The last decision that changed a table, for those tables that somebody asks about."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: int | None = None
        self._all = 0
        """The decision up to which any of them may have changed everything."""
        self._by: dict[str, int] = {}

    def mark(self, connection: Connection, marks: Marks, names: Iterable[str]) -> tuple[Any, ...]:
        """Return what changes whenever one of these tables of what happened does."""
        last = marks.decisions or 0
        with self._lock:
            if self._seen is None:
                self._seen = self._all = last
            if last > self._seen:
                self._read(connection, self._seen)
                self._seen = last
            found = max([self._by.get(name, self._all) for name in names])
        if found > last:  # changed since; he looks at the ledger as it stood a while ago
            return ("then", marks.imports, last)
        return ("rows", marks.imports, found)

    def _read(self, connection: Connection, after: int) -> None:
        d = tables.decisions.c
        query = sa.select(d.id, d.after).where(d.id > after).order_by(d.id)
        for number, told in connection.execute(query):
            rows = (told or {}).get("rows")
            if rows is None:  # it does not say: whatever it may be
                self._all, self._by = number, {}
                continue
            self._by.update({row["table"]: number for row in rows})
