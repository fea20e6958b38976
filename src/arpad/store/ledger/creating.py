"""Make an empty ledger: it is there whole, or not at all."""

from __future__ import annotations

import os
import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from arpad.errors import LedgerError
from arpad.store.ledger.connect import APPLICATION, engine_for
from arpad.store.ledger.migrate import migrate, revision_of
from arpad.store.ledger.places import Place
from arpad.store.ledger.schema import HEAD
from arpad.store.ledger.troubles import explained

if TYPE_CHECKING:
    from sqlalchemy.engine import Engine

__all__ = ["create_file", "create_ledger"]


def create_ledger(place: Place, *, wait: float) -> None:
    """Make the ledger at a place unless there is one; something else there is left alone."""
    if place.file is None:
        engine = engine_for(place, wait=wait)
        with explained(place), closing(_Disposing(engine)):
            _fill(engine, place, HEAD)
    elif not place.file.exists() or (place.file.is_file() and not place.file.stat().st_size):
        create_file(place.file)


class _Disposing:
    def __init__(self, engine: Engine) -> None:
        self.close = engine.dispose


def create_file(path: Path, *, revision: str = HEAD) -> None:
    """Make a ledger in a file: beside it first, so that nobody ever sees half of it."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise LedgerError(
            f"cannot be made: {error.strerror or error}: the folder must be there, and yours to write in",
            file=str(path),
        ) from None
    os.close(handle)
    beside = Place.of(Path(name))
    try:
        engine = engine_for(beside, wait=1)
        with explained(Place.of(path)), closing(_Disposing(engine)):
            with engine.connect() as connection:
                raw: Any = connection.connection.driver_connection
                raw.execute("PRAGMA journal_mode = WAL")
            _fill(engine, Place.of(path), revision)
        Path(name).chmod(0o666 & ~_umask())
        _appear(Path(name), path)
    finally:
        for ending in ("", "-wal", "-shm", "-journal"):
            Path(name + ending).unlink(missing_ok=True)


def _appear(beside: Path, path: Path) -> None:
    """Give a file its name unless another process was quicker."""
    if path.exists() and not path.stat().st_size:
        beside.replace(path)
        return
    try:
        os.link(beside, path)
    except FileExistsError:
        return
    except OSError:  # a file system without links
        beside.replace(path)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def _fill(engine: Engine, place: Place, revision: str) -> None:
    with engine.connect() as connection:
        bound = connection.execution_options(arpad_mode="write")
        with bound.begin():
            if revision_of(bound) is not None:
                return
            if others := sa.inspect(bound).get_table_names():
                raise LedgerError(
                    f"this database holds other tables ({', '.join(sorted(others)[:3])}, …): make one for the ledger alone",
                    file=place.shown,
                )
            migrate(bound, revision)
            if bound.dialect.name == "sqlite":
                bound.exec_driver_sql(f"PRAGMA application_id = {APPLICATION}")
