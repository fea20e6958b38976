"""Make an empty ledger: it is there whole, or not at all."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import sqlalchemy as sa

from arpad.errors import LedgerError
from arpad.store.ledger.connect import APPLICATION, address, engine_for
from arpad.store.ledger.files import appear, beside
from arpad.store.ledger.migrate import migrate, revision_of
from arpad.store.ledger.places import Place
from arpad.store.ledger.schema import HEAD
from arpad.store.ledger.troubles import explained

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["create_ledger", "fill_file"]


def create_ledger(place: Place, *, wait: float, revision: str = HEAD) -> None:
    """Make the ledger at a place unless there is one; something else there is left alone."""
    if place.file is None:
        with explained(place):
            _fill(place, wait, revision)
    elif not place.file.exists() or (place.file.is_file() and not place.file.stat().st_size):
        with beside(place.file) as made, explained(place):
            fill_file(made, revision=revision)
            appear(made, place.file)


def fill_file(path: Path, *, revision: str = HEAD) -> None:
    """Make a ledger in an empty file."""
    with closing(sqlite3.connect(address(path), uri=True)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    _fill(Place.of(path), 1.0, revision)


def _fill(place: Place, wait: float, revision: str) -> None:
    engine = engine_for(place, wait=wait)
    try:
        with (
            engine.connect().execution_options(arpad_mode="write") as connection,
            connection.begin(),
        ):
            if revision_of(connection) is not None:
                return
            if others := sa.inspect(connection).get_table_names():
                raise LedgerError(
                    f"this database holds other tables ({', '.join(sorted(others)[:3])}, …): make one for the ledger alone",
                    file=place.shown,
                )
            migrate(connection, revision)
            if connection.dialect.name == "sqlite":
                connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION}")
    finally:
        engine.dispose()
