"""The inspection queue: what waits for somebody to look at it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

import sqlalchemy as sa

from arpad.errors import UsageError
from arpad.store.ledger import tables
from arpad.store.ledger.bulk import insert, next_id
from arpad.store.ledger.column_types import now, row_number

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from sqlalchemy.engine import Connection

__all__ = ["CHOICES", "Doubt", "DoubtKind", "doubt", "doubts", "drop_doubt", "open_doubt"]

DoubtKind = Literal["player", "event", "fit", "norm"]
"""player: may be somebody who is here; event: a changed report of one that is here; fit: the results do
not fit the ratings; norm: all but one requirement is met."""

CHOICES: dict[str, tuple[str, ...]] = {
    "player": ("same", "new"),
    "event": ("replace", "add", "leave"),
    "fit": ("leave", "adjust", "correct", "exclude"),
    "norm": ("grant", "leave"),
}
"""How each kind can be settled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """One thing that waits."""

    id: int
    kind: str
    opened: datetime
    about: str
    import_id: int | None = None
    event_id: int | None = None
    player_id: int | None = None
    document: Mapping[str, Any] = field(default_factory=dict)
    settled_by: int | None = None

    @property
    def candidates(self) -> list[Mapping[str, Any]]:
        """Return whom or what it may be, best first."""
        return list(self.document.get("candidates", ()))

    def summary(self) -> str:
        """Return one sentence."""
        return f"{self.id}. {self.kind}: {self.about}: {self.document.get('reason', '?')}"


def doubts(
    connection: Connection, *, kind: DoubtKind | None = None, settled: bool | None = False
) -> list[Doubt]:
    """Return the queue, oldest first.

    Parameters
    ----------
    settled
        False: what is open; True: what is settled; None: both.
    """
    if kind is not None and kind not in get_args(DoubtKind):
        raise UsageError(f"expected one of {', '.join(get_args(DoubtKind))}; found {kind!r}")
    d = tables.doubts
    query = sa.select(d).order_by(d.c.id)
    if kind is not None:
        query = query.where(d.c.kind == kind)
    if settled is not None:
        query = query.where(d.c.settled_by.is_not(None) if settled else d.c.settled_by.is_(None))
    return [_of(row) for row in connection.execute(query)]


def doubt(connection: Connection, number: int) -> Doubt:
    """Return one of the queue by its number."""
    d = tables.doubts
    row = connection.execute(sa.select(d).where(d.c.id == row_number(number))).one_or_none()
    if row is None:
        last = next_id(connection, d) - 1
        known = f"there are 1 to {last}" if last else "the queue is empty"
        raise UsageError(f"expected a number of the queue, found {number}: {known}")
    return _of(row)


def open_doubt(
    connection: Connection, kind: DoubtKind, about: str, document: Mapping[str, Any], **ids: int
) -> int:
    """Put something into the queue and return its number."""
    return insert(
        connection, tables.doubts, kind=kind, opened=now(), about=about, document=document, **ids
    )


def drop_doubt(connection: Connection, number: int) -> None:
    """Take something out that is open and no longer true; what somebody settled stays."""
    d = tables.doubts
    connection.execute(d.delete().where(d.c.id == number, d.c.settled_by.is_(None)))


def _of(row: sa.Row[Any]) -> Doubt:
    values = dict(row._mapping)
    return Doubt(**{**values, "document": values["document"] or {}})
