"""What was worked out for one page and serves the next, for as long as the ledger stands as it stood."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from arpad.store.ledger import tables

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.engine import Connection

__all__ = ["Memory", "stamp"]

ROOM = 64
"""Things that are remembered; a list of 50,000 players takes about ten megabytes."""

NUMBERED = (
    tables.imports, tables.decisions, tables.policies, tables.doubts, tables.norms, tables.titles,
    tables.events,
)  # fmt: skip
"""Tables whose last number grows with whatever is written into the ledger."""


def stamp(connection: Connection) -> tuple[Any, ...]:
    """Return what changes whenever something in the ledger does."""
    lists = tables.lists.c
    columns = [
        *(sa.select(sa.func.max(t.c.id)).scalar_subquery() for t in NUMBERED),
        sa.select(sa.func.max(lists.id)).scalar_subquery(),
        sa.select(sa.func.count(lists.id)).scalar_subquery(),
        sa.select(sa.func.max(lists.made)).scalar_subquery(),
        sa.select(sa.func.count(lists.published)).scalar_subquery(),
    ]
    return tuple(
        connection.execute(sa.select(*(c.label(f"c{i}") for i, c in enumerate(columns)))).one()
    )


class Memory:
    """A few things by key; they are forgotten as soon as the ledger has changed."""

    def __init__(self, room: int = ROOM) -> None:
        self._room = room
        self._lock = threading.Lock()
        self._kept: OrderedDict[Any, Any] = OrderedDict()
        self._making: dict[Any, threading.Lock] = {}

    def get(self, stamp: tuple[Any, ...], key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
        """Return what is kept for the key at this stamp, else what `make` makes: once, whoever asks."""
        whole = (stamp, key)
        with self._lock:
            if whole in self._kept:
                self._kept.move_to_end(whole)
                return self._kept[whole]
            mine = self._making.setdefault(whole, threading.Lock())
        with mine:
            with self._lock:
                if whole in self._kept:
                    return self._kept[whole]
            made = make()
            with self._lock:
                self._kept[whole] = made
                self._making.pop(whole, None)
                while len(self._kept) > self._room:
                    self._kept.popitem(last=False)
            return made
