"""Backup and restore: the whole ledger in one file, with check sums."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import tempfile
from contextlib import closing, contextmanager
from dataclasses import dataclass
from dataclasses import replace as dataclass_replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

from arpad.errors import LedgerError, UsageError
from arpad.ledger.db import tables
from arpad.ledger.db.bulk import bulk_insert, frame, frames
from arpad.ledger.db.check import digests, ledger_tables
from arpad.ledger.db.connection import (
    Place,
    address,
    appear,
    beside,
    check_file,
    copy_database,
    explained,
    single_file,
)
from arpad.ledger.db.ledger import PATIENCE, Ledger, create_ledger, fill_file, migrate, renew_identity
from arpad.ledger.db.tables import HEAD, REVISIONS, document_text, now

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.engine import Connection


# Put the triggers that freeze what is published aside, for a restore and for nothing else.


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


# A backup: the whole ledger in one file, with check sums; from either database, into either.
#
# The file is itself a ledger (SQLite): it can be looked at with ``--db FILE``. Beside the ledger's tables
# it has one row in `backup`: when it was made, of which revision, and rows and check sum of each table.


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """Content of a backup: number of rows and checksum of each table, by name."""

    made: datetime
    revision: str
    tables: dict[str, tuple[int, str]]
    dropped: tuple[str, ...] = ()
    """After a restore: lists that were published in the ledger before and are not in the backup, or not so."""
    copy: Path | None = None
    """After a restore that dropped published lists: where the ledger as it was is kept."""

    def rows(self) -> int:
        """Return how many rows there are in all."""
        return sum(rows for rows, _ in self.tables.values())


def back_up(ledger: Ledger, path: str | Path, *, replace: bool = False) -> Backup:
    """Write the ledger of this moment into one file, whole or not at all.

    Others may go on reading and writing meanwhile. The ledger is looked over first: a damaged one does
    not take the place of a good backup.
    """
    path = Path(path)
    if path.exists() and not replace:
        raise UsageError(f"{path}: there is a file of this name", code="file-exists")
    if ledger.place.file is not None and path.exists() and path.samefile(ledger.place.file):
        raise UsageError(f"{path}: this is the ledger itself: give another name")
    with beside(path) as made:
        with explained(Place.of(path)):
            _copy(ledger, made)
        with Ledger.at_any_revision(made) as copy:
            if copy.revision() == HEAD:  # nobody is signed in to a backup
                with copy.writing() as connection:
                    renew_identity(connection)
            with copy.reading() as connection:
                backup = Backup(made=now(), revision=copy.revision_in(connection), tables=digests(connection))
        with explained(Place.of(path)):
            _write(made, backup)
        if not appear(made, path, replace=replace):
            raise UsageError(f"{path}: there is a file of this name", code="file-exists")
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
        for name, result in digests(connection).items():
            if backup.tables.get(name) != result:
                raise _changed(place, name)
    return backup


def _changed(place: Place, table: str) -> LedgerError:
    return LedgerError(
        f"the backup is not as it was made: the check sum of {table} differs. Take an earlier one",
        file=place.shown,
    )


# Bring a backup back, whole or not at all; and bring a ledger to the newest revision.


def restore(
    backup: str | Path,
    place: str | Path | Place | None = None,
    *,
    replace: bool = False,
    wait: float = PATIENCE,
) -> Backup:
    """Bring a backup back into a ledger that is empty or not there.

    Every check sum is looked at before anything is written and, on PostgreSQL, after it. A backup of an
    older arpad is brought to the newest revision on the way.

    Parameters
    ----------
    replace
        Replace the present content of the ledger. Where that drops published lists, they are named, and
        the previous ledger is kept in a file beside it.
    """
    place, source = Place.of(place), Path(backup)
    held = read_backup(source)
    if held.revision not in REVISIONS:
        raise LedgerError(
            f"this backup is of a newer arpad (revision {held.revision}, this one knows {HEAD}): install that one",
            file=str(source),
        )
    if place.file is not None and place.file.exists() and place.file.samefile(source):
        raise UsageError(f"{source}: this is the backup itself", code="backup-itself")
    with beside(place.file or Path(tempfile.gettempdir()) / "arpad-restore") as made:
        _prepare(source, made, place)
        lost = place.file is not None and place.file.is_file() and not place.file.stat().st_size
        if place.file is not None and (not place.file.exists() or (lost and replace)):
            if appear(made, place.file, replace=lost):
                return held
            raise UsageError(f"{place.shown}: somebody has just made a ledger here: look at it first")
        create_ledger(place, wait=wait)
        with Ledger.open(place, wait=wait) as ledger:
            dropped = _dropped(ledger, made) if replace else ()
            copy = None
            if dropped:
                copy = _free_name(place, f"before-restore-{now():%Y%m%dT%H%M%S}")
                back_up(ledger, copy)
            _into(ledger, made, replace=replace, wait=wait)
    return dataclass_replace(held, dropped=dropped, copy=copy)


def _dropped(ledger: Ledger, made: Path) -> tuple[str, ...]:
    """Return the published lists of a ledger that a backup does not have, or not with these figures."""
    with ledger.reading() as connection:
        mine = _published_lists(connection)
    with Ledger.open(made) as copy, copy.reading() as connection:
        theirs = _published_lists(connection)
    return tuple(name for name, sha256 in mine.items() if theirs.get(name) != sha256)


def _published_lists(connection: Connection) -> dict[str, str | None]:
    t, p, h = tables.lists, tables.policies, tables.list_hashes
    query = (
        sa.select(p.c.name, t.c.name.label("list"), t.c.number, h.c.sha256)
        .join(p, p.c.id == t.c.policy_id)
        .join(h, h.c.list_id == t.c.id, isouter=True)
        .where(t.c.published.is_not(None))
        .order_by(p.c.name, t.c.closing, t.c.number, t.c.id)
    )
    return {
        f"{row.list}{f' correction {row.number}' if row.number else ''} ({row.name})": row.sha256
        for row in connection.execute(query)
    }


def _prepare(source: Path, made: Path, place: Place) -> None:
    """Make a ledger of the newest revision out of a backup."""
    with explained(place):
        copy_database(source, made, wait=PATIENCE)
    with Ledger.at_any_revision(made) as copy, copy.writing() as connection:
        connection.exec_driver_sql("DROP TABLE backup")
        migrate(connection)
        renew_identity(connection)
    single_file(made, wal=True)


def _into(ledger: Ledger, made: Path, *, replace: bool, wait: float) -> None:
    if not replace:
        with ledger.reading() as connection:
            _refuse_full(ledger, connection)
    if ledger.place.file is not None:
        copy_database(made, ledger.place.file, wait=wait)
        return
    with Ledger.open(made) as copy, copy.reading() as source, ledger.writing() as target:
        if not replace:  # again: somebody may have been quicker
            _refuse_full(ledger, target)
        with without_guards(target):
            for table in reversed(ledger_tables(target)):
                target.execute(sa.delete(table))
        copy_tables(source, target)
        renew_identity(target)
        if digests(target) != digests(source):
            raise LedgerError(
                "what was written is not what the backup holds; nothing was changed", file=ledger.place.shown
            )


def _refuse_full(ledger: Ledger, connection: Connection) -> None:
    for table in ledger_tables(connection):
        if connection.execute(sa.select(sa.literal(1)).select_from(table).limit(1)).first():
            raise UsageError(f"{ledger.place.shown}: this ledger is not empty", code="ledger-not-empty")


def upgrade(
    place: str | Path | Place | None = None, *, copy: str | Path | None = None
) -> tuple[str, Path | None]:
    """Bring a ledger to the newest revision; a backup of what it was is made first.

    Parameters
    ----------
    copy
        Where the backup goes; by default beside the file, or in the current folder.

    Returns
    -------
    The revision it was of, and the backup; none if there was nothing to do.
    """
    with Ledger.at_any_revision(place) as ledger:
        old = str(ledger.revision())
        if old == HEAD:
            return old, None
        if old not in REVISIONS:
            Ledger.open(place)  # says what is wrong
        kept = Path(copy) if copy is not None else _copy_of(ledger, old)
        if copy is not None or not kept.exists():
            back_up(ledger, kept)
        with ledger.writing() as connection:
            migrate(connection)
        return old, kept


def _copy_of(ledger: Ledger, revision: str) -> Path:
    """Return the file for the backup: one of an upgrade that was killed, if it is of this ledger, or a free name."""
    first = _free_name(ledger.place, f"revision-{revision}", free=False)
    if first.exists():
        try:
            with ledger.reading() as connection:
                if read_backup(first).tables == digests(connection):
                    return first
        except LedgerError:  # another file of this name: it stays
            pass
    return _free_name(ledger.place, f"revision-{revision}")


def _free_name(place: Place, words: str, *, free: bool = True) -> Path:
    """Return a name beside the ledger, or in the current folder, that no file has yet."""
    beginning = place.file if place.file is not None else Path(str(place.url.database))
    path, number = beginning.with_name(f"{beginning.name}.{words}.backup"), 1
    while free and path.exists():
        number += 1
        path = beginning.with_name(f"{beginning.name}.{words}.{number}.backup")
    return path
