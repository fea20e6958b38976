"""Changes of rows, as a decision keeps them: what stood there before, what stands there after.

A change that can be told in this way can be taken back: `reverse` it, and the rows are as they were.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from arpad.errors import UsageError
from arpad.store.ledger import tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy.engine import Connection

__all__ = ["Change", "apply", "documents", "from_documents", "reverse", "row_change", "stale"]

Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One row: `before` is None where it is new, `after` is None where it goes."""

    table: str
    key: Values
    before: Values | None
    after: Values | None

    def cells(self) -> set[tuple[str, str, str]]:
        """Return what it touches: table, key and column."""
        key = ",".join(f"{name}={self.key[name]}" for name in sorted(self.key))
        return {
            (self.table, key, column)
            for side in (self.before, self.after)
            if side is not None
            for column in side
        }


def row_change(connection: Connection, table: sa.Table, row: int, **values: Any) -> Change | None:
    """Return the change of a numbered row to these values; None if nothing changes.

    Raises
    ------
    UsageError
        There is no such row.
    """
    key = {"id": row}
    now = _read(connection, table, key, values)
    if now is None:
        raise UsageError(f"expected a row {row} of {table.name}, found none")
    changed = {name: value for name, value in values.items() if now[name] != value}
    if not changed:
        return None
    return Change(
        table=table.name, key=key, before={name: now[name] for name in changed}, after=changed
    )


def apply(connection: Connection, changes: Iterable[Change]) -> None:
    """Write changes, in their order."""
    for change in changes:
        table = tables.METADATA.tables[change.table]
        if change.after is None:
            connection.execute(table.delete().where(*_at(table, change.key)))
        elif change.before is None:
            connection.execute(table.insert().values(**change.key, **change.after))
        else:
            connection.execute(table.update().where(*_at(table, change.key)).values(**change.after))


def stale(connection: Connection, changes: Iterable[Change]) -> list[Change]:
    """Return the changes whose rows do not stand as `before` says: somebody was there meanwhile."""
    found = []
    for change in changes:
        table = tables.METADATA.tables[change.table]
        wanted = change.before
        now = _read(connection, table, change.key, wanted or {})
        if (None if now is None else dict(now)) != (None if wanted is None else dict(wanted)):
            found.append(change)
    return found


def reverse(changes: Sequence[Change]) -> list[Change]:
    """Return the changes that take these back, the last first."""
    return [
        Change(table=c.table, key=c.key, before=c.after, after=c.before) for c in reversed(changes)
    ]


def documents(changes: Sequence[Change]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return rows before and after, as JSON holds them."""
    sides: tuple[list[dict[str, Any]], list[dict[str, Any]]] = ([], [])
    for change in changes:
        for side, values in zip(sides, (change.before, change.after), strict=True):
            side.append(
                {
                    "table": change.table,
                    "key": dict(change.key),
                    "values": None if values is None else _plain(values),
                }
            )
    return sides


def from_documents(before: Sequence[Values], after: Sequence[Values]) -> list[Change]:
    """Return the changes that `documents` has written down."""
    return [
        Change(
            table=one["table"],
            key=one["key"],
            before=_typed(one["table"], one["values"]),
            after=_typed(one["table"], two["values"]),
        )
        for one, two in zip(before, after, strict=True)
    ]


def _read(
    connection: Connection, table: sa.Table, key: Values, columns: Iterable[str]
) -> Values | None:
    wanted = list(columns)
    chosen = [table.c[name] for name in wanted or key]
    row = connection.execute(sa.select(*chosen).where(*_at(table, key))).one_or_none()
    return None if row is None else {name: row._mapping[name] for name in wanted}


def _at(table: sa.Table, key: Values) -> list[sa.ColumnElement[bool]]:
    return [table.c[name] == value for name, value in key.items()]


def _plain(values: Values) -> dict[str, Any]:
    return {n: v.isoformat() if isinstance(v, date) else v for n, v in values.items()}


def _typed(table: str, values: Values | None) -> Values | None:
    if values is None:
        return None
    columns = tables.METADATA.tables[table].c
    return {
        name: date.fromisoformat(value)
        if isinstance(columns[name].type, sa.Date) and value is not None
        else value
        for name, value in values.items()
    }
