"""Put the triggers that freeze what is published aside, for a restore and for nothing else."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from arpad.store.ledger.digest import ledger_tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.engine import Connection

__all__ = ["without_guards"]


@contextmanager
def without_guards(connection: Connection) -> Iterator[None]:
    """Let this transaction write what is frozen; whatever happens, nobody else ever sees them gone.

    Both databases take changes of triggers back with the transaction.
    """
    if connection.dialect.name == "sqlite":
        made = connection.exec_driver_sql(
            "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY rowid"
        ).fetchall()
        for name, _ in made:
            connection.exec_driver_sql(f'DROP TRIGGER "{name}"')
        yield
        for _, statement in made:
            connection.exec_driver_sql(statement)
        return
    names = [f'"{table.name}"' for table in ledger_tables(connection)]
    for name in names:
        connection.exec_driver_sql(f"ALTER TABLE {name} DISABLE TRIGGER USER")
    yield
    connection.exec_driver_sql("SET CONSTRAINTS ALL IMMEDIATE")
    for name in names:
        connection.exec_driver_sql(f"ALTER TABLE {name} ENABLE TRIGGER USER")
