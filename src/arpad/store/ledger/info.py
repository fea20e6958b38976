"""What a ledger is and holds, and whether it is sound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from arpad.errors import LedgerError
from arpad.store.ledger.digest import digests, ledger_tables

if TYPE_CHECKING:
    from arpad.store.ledger.ledger import Ledger

__all__ = ["LedgerInfo", "check_ledger", "ledger_info"]

SHOWN = 20
"""Faults that are named; where there are more, the rest is no news."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerInfo:
    """Where a ledger is, in which database, of which revision, how big, and its rows by table."""

    place: str
    database: str
    revision: str
    size: int
    """Bytes."""
    rows: dict[str, int]


def ledger_info(ledger: Ledger) -> LedgerInfo:
    """Return what a ledger is and holds, of whatever revision."""
    with ledger.reading() as connection:
        rows = {
            str(table.name): connection.execute(
                sa.select(sa.func.count()).select_from(table)
            ).scalar()
            or 0
            for table in sorted(ledger_tables(connection), key=lambda t: t.name)
        }
        if ledger.dialect == "sqlite":
            version = connection.exec_driver_sql("SELECT sqlite_version()").scalar()
            size = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
            name = "SQLite"
        else:
            version = connection.exec_driver_sql("SHOW server_version").scalar()
            size = "SELECT pg_database_size(current_database())"
            name = "PostgreSQL"
        return LedgerInfo(
            place=ledger.place.shown,
            database=f"{name} {str(version).split()[0]}",
            revision=ledger.revision_in(connection),
            size=int(connection.exec_driver_sql(size).scalar() or 0),
            rows=rows,
        )


def check_ledger(ledger: Ledger) -> list[str]:
    """Return what is wrong with a ledger, in sentences; none: every row is there and can be read."""
    found: list[str] = []
    try:
        with ledger.reading() as connection:
            if ledger.dialect == "sqlite":
                said = (
                    connection.exec_driver_sql(f"PRAGMA integrity_check({SHOWN})").scalars().all()
                )
                found += [f"the file is damaged: {line}" for line in said if line != "ok"]
                missing = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchmany(SHOWN)
                found += [
                    f"row {row} of {table} refers to a row of {target} that is not there"
                    for table, row, target, _ in missing
                ]
            digests(connection)
    except LedgerError as error:
        found.append(error.reason)
    return found
