"""A backup: the whole ledger in one file, with check sums; from either database, into either.

The file is itself a ledger (SQLite): it can be looked at with ``--db FILE``. Beside the ledger's tables
it has one row in `backup`: when it was made, of which revision, and rows and check sum of each table.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from arpad.errors import LedgerError, UsageError
from arpad.store.ledger.bulk import bulk_insert, frame, frames
from arpad.store.ledger.column_types import document_text, now
from arpad.store.ledger.connect import address
from arpad.store.ledger.creating import fill_file
from arpad.store.ledger.digest import digests, ledger_tables
from arpad.store.ledger.files import appear, beside, check_file, copy_database
from arpad.store.ledger.guards import without_guards
from arpad.store.ledger.ledger import PATIENCE, Ledger
from arpad.store.ledger.places import Place
from arpad.store.ledger.troubles import explained

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

__all__ = ["Backup", "back_up", "copy_tables", "read_backup"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """What a backup holds: rows and check sum of each table, by name."""

    made: datetime
    revision: str
    tables: dict[str, tuple[int, str]]

    def rows(self) -> int:
        """Return how many rows there are in all."""
        return sum(rows for rows, _ in self.tables.values())


def back_up(ledger: Ledger, path: str | Path, *, replace: bool = False) -> Backup:
    """Write the ledger as it stands at this moment into one file, whole or not at all.

    Others may go on reading and writing meanwhile. The ledger is looked over first: a damaged one does
    not take the place of a good backup.
    """
    path = Path(path)
    if path.exists() and not replace:
        raise UsageError(f"{path}: there is a file of this name: give another, or --replace")
    if ledger.place.file is not None and path.exists() and path.samefile(ledger.place.file):
        raise UsageError(f"{path}: this is the ledger itself: give another name")
    with beside(path) as made:
        with explained(Place.of(path)):
            _copy(ledger, made)
        with Ledger.at_any_revision(made) as copy:
            backup = _described(copy)
        with explained(Place.of(path)):
            _write(made, backup)
        if not appear(made, path, replace=replace):
            raise UsageError(f"{path}: there is a file of this name: give another, or --replace")
    return backup


def _copy(ledger: Ledger, made: Path) -> None:
    if ledger.place.file is not None:
        copy_database(ledger.place.file, made, wait=PATIENCE)
        check_file(made)
        return
    with ledger.reading() as source:
        fill_file(made, revision=ledger.revision_in(source))
        with Ledger.at_any_revision(made) as copy, copy.writing() as target:
            copy_tables(source, target)


def copy_tables(source: Connection, target: Connection) -> None:
    """Copy every table into a ledger of the same revision, which is empty."""
    if target.dialect.name == "sqlite":  # a player may be merged into a later one
        target.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
    with without_guards(target):
        for table in ledger_tables(source):
            if any(key.column.table is table for key in table.foreign_keys):
                bulk_insert(target, table, frame(source, table))  # PostgreSQL looks when all is in
                continue
            for part in frames(source, table, stream=True):
                bulk_insert(target, table, part)


def _described(copy: Ledger) -> Backup:
    with copy.reading() as connection:
        return Backup(made=now(), revision=copy.revision_in(connection), tables=digests(connection))


def _write(path: Path, backup: Backup) -> None:
    """Write the row that says what a file holds; from here on it is one file without company."""
    text = document_text(
        {"made": backup.made.isoformat(), "revision": backup.revision, "tables": backup.tables}
    )
    with closing(sqlite3.connect(address(path), uri=True)) as connection, connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("DROP TABLE IF EXISTS backup")  # of a backup that is in use as a ledger
        connection.execute("CREATE TABLE backup (document TEXT, sha256 TEXT)")
        connection.execute("INSERT INTO backup VALUES (?, ?)", (text, _sha256(text)))


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def read_backup(path: str | Path) -> Backup:
    """Return what a backup holds; raise unless every check sum is what it was."""
    place = Place.of(Path(path))
    place.check()
    assert place.file is not None
    with explained(place):
        check_file(place.file)
        with closing(sqlite3.connect(address(place.file), uri=True)) as connection:
            try:
                text, sha256 = connection.execute("SELECT document, sha256 FROM backup").fetchone()
            except (sqlite3.OperationalError, TypeError):
                raise LedgerError(
                    "this is no backup: give a file that `arpad backup` made", file=place.shown
                ) from None
    if _sha256(text) != sha256:
        raise _changed(place, "backup")
    written = json.loads(text)
    backup = Backup(
        made=datetime.fromisoformat(written["made"]),
        revision=written["revision"],
        tables={name: (rows, sha) for name, (rows, sha) in written["tables"].items()},
    )
    with Ledger.at_any_revision(place) as ledger, ledger.reading() as connection:
        for name, found in digests(connection).items():
            if backup.tables.get(name) != found:
                raise _changed(place, name)
    return backup


def _changed(place: Place, table: str) -> LedgerError:
    return LedgerError(
        f"the backup is not as it was made: the check sum of {table} differs. Take an earlier one",
        file=place.shown,
    )
