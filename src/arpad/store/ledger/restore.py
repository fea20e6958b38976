"""Bring a backup back, whole or not at all; and bring a ledger to the newest revision."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

from arpad.errors import LedgerError, UsageError
from arpad.store.ledger.backup import Backup, back_up, copy_tables, read_backup
from arpad.store.ledger.creating import create_ledger
from arpad.store.ledger.digest import digests, ledger_tables
from arpad.store.ledger.files import appear, beside, copy_database, single_file
from arpad.store.ledger.guards import without_guards
from arpad.store.ledger.ledger import PATIENCE, Ledger
from arpad.store.ledger.migrate import migrate
from arpad.store.ledger.places import Place
from arpad.store.ledger.schema import HEAD, REVISIONS
from arpad.store.ledger.troubles import explained

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

__all__ = ["restore", "upgrade"]


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
        Take the place of what is in the ledger now.
    """
    place, source = Place.of(place), Path(backup)
    held = read_backup(source)
    if held.revision not in REVISIONS:
        raise LedgerError(
            f"this backup is of a newer arpad (revision {held.revision}, this one knows {HEAD}): install that one",
            file=str(source),
        )
    if place.file is not None and place.file.exists() and place.file.samefile(source):
        raise UsageError(f"{source}: this is the backup itself: name another --db")
    with beside(place.file or Path(tempfile.gettempdir()) / "arpad-restore") as made:
        _prepare(source, made, place)
        if place.file is not None and not place.file.exists():
            if appear(made, place.file):
                return held
            raise UsageError(
                f"{place.shown}: somebody has just made a ledger here: look at it first"
            )
        create_ledger(place, wait=wait)
        with Ledger.open(place, wait=wait) as ledger:
            _into(ledger, made, replace=replace, wait=wait)
    return held


def _prepare(source: Path, made: Path, place: Place) -> None:
    """Make a ledger of the newest revision out of a backup."""
    with explained(place):
        copy_database(source, made, wait=PATIENCE)
    with Ledger.at_any_revision(made) as copy, copy.writing() as connection:
        connection.exec_driver_sql("DROP TABLE backup")
        migrate(connection)
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
        if digests(target) != digests(source):
            raise LedgerError(
                "what was written is not what the backup holds; nothing was changed",
                file=ledger.place.shown,
            )


def _refuse_full(ledger: Ledger, connection: Connection) -> None:
    for table in ledger_tables(connection):
        if connection.execute(sa.select(sa.literal(1)).select_from(table).limit(1)).first():
            raise UsageError(
                f"{ledger.place.shown}: this ledger is not empty: make a backup of it, then give --replace"
            )


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
        kept = Path(copy) if copy is not None else _name_of_copy(ledger.place, old)
        back_up(ledger, kept)
        with ledger.writing() as connection:
            migrate(connection)
        return old, kept


def _name_of_copy(place: Place, revision: str) -> Path:
    if place.file is not None:
        return place.file.with_name(f"{place.file.name}.revision-{revision}.backup")
    return Path(f"{place.url.database}.revision-{revision}.backup")
