"""SQLite files as wholes: copy one that is in use, check one, give one its name."""

from __future__ import annotations

import os
import sqlite3
import tempfile
import time
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from arpad.errors import BusyError, LedgerError
from arpad.store.ledger.connect import address
from arpad.store.ledger.places import Place
from arpad.store.ledger.troubles import BUSY, explained

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["appear", "beside", "check_file", "copy_database", "single_file"]

ENDINGS = ("", "-wal", "-shm", "-journal")
STEP = 0.05
"""Seconds between two looks at a database that is locked."""


@contextmanager
def beside(path: Path) -> Iterator[Path]:
    """Give a new file beside `path`, which is gone afterwards unless it was given its name."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise LedgerError(
            f"cannot be made: {error.strerror or error}: the folder must be there, and yours to write in",
            file=str(path),
        ) from None
    os.close(handle)
    try:
        yield Path(name)
    finally:
        for ending in ENDINGS:
            Path(name + ending).unlink(missing_ok=True)


def appear(made: Path, path: Path, *, replace: bool = False) -> bool:
    """Give a file its name; say no if there is one already that must not be replaced."""
    made.chmod(0o666 & ~_umask())
    with made.open("rb") as file:
        os.fsync(file.fileno())
    if replace or (path.exists() and not path.stat().st_size):
        made.replace(path)
        return True
    try:
        os.link(made, path)
    except FileExistsError:
        return False
    except OSError:  # a file system without links
        made.replace(path)
    return True


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def copy_database(source: Path, target: Path, *, wait: float) -> None:
    """Copy a database as it stands at one moment; the target changes whole or not at all.

    Both may be in use: readers of the target go on, a writer is waited for.
    """
    until = time.monotonic() + wait

    def _patient(status: int, _: int, __: int) -> None:
        if status in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) and time.monotonic() > until:
            raise BusyError(BUSY, file=str(target))

    with (
        explained(Place.of(source)),
        closing(sqlite3.connect(address(source), uri=True)) as old,
        explained(Place.of(target)),
        closing(sqlite3.connect(address(target), uri=True, timeout=0)) as new,
    ):
        new.execute("PRAGMA synchronous = FULL")
        old.backup(new, progress=_patient, sleep=STEP)


def check_file(path: Path) -> None:
    """Raise unless the pages of a database fit together."""
    with explained(Place.of(path)), closing(sqlite3.connect(address(path), uri=True)) as found:
        said = found.execute("PRAGMA quick_check(1)").fetchone()[0]
    if said != "ok":
        raise LedgerError(
            f"the file is damaged ({said.splitlines()[0]}): move it away and take the last backup (arpad restore)",
            file=str(path),
        )


def single_file(path: Path, *, wal: bool) -> None:
    """Bring what lies beside a database into it, and set how it will be written from now on."""
    with explained(Place.of(path)), closing(sqlite3.connect(address(path), uri=True)) as found:
        found.execute("PRAGMA journal_mode = DELETE")
        if wal:
            found.execute("PRAGMA journal_mode = WAL")
