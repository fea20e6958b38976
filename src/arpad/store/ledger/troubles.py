"""What a database says when something is wrong, in a sentence: what, where, what to do."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlalchemy.exc import StatementError

from arpad.errors import ArpadError, BusyError, LedgerError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arpad.store.ledger.places import Place

__all__ = ["explained", "trouble"]

PRIMARY = 0xFF
"""SQLite's extended codes keep the plain one in their last byte."""

SQLITE = {
    sqlite3.SQLITE_NOTADB: "this is no ledger, and no SQLite database at all: give the file that `arpad import` made",
    sqlite3.SQLITE_CORRUPT: "the file is damaged: move it away and take the last backup (arpad restore)",
    sqlite3.SQLITE_READONLY: "the ledger cannot be written: its file or its folder is read-only for this user",
    sqlite3.SQLITE_PERM: "no permission to open this file",
    sqlite3.SQLITE_FULL: "the disk is full. Nothing was changed: make room and give the same command again",
    sqlite3.SQLITE_TOOBIG: "a text is too long for the database",
}
FULL_CODES = (
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_TRUNCATE,
    sqlite3.SQLITE_IOERR_SHMSIZE,
)
BUSY = "another writer is at work in this ledger: wait until it is done and try again. Nothing was changed"

POSTGRESQL = {
    "28": "the server does not let this user in: look at the name and the password",
    "3D": "there is no such database on the server: make it first (createdb)",
    "42501": "this user may not do that in this database: its owner must allow it",
    "53100": "the server's disk is full. Nothing was changed: make room and give the same command again",
    "25006": "the server takes no changes now (it is read-only)",
    "57P03": "the server is starting or stopping: try again in a moment",
    "57P01": "the server was stopped in the middle of the work. Nothing was changed",
    "XX001": "the database is damaged: take the last backup (arpad restore)",
    "XX002": "the database is damaged: take the last backup (arpad restore)",
}
CLOSED = "cannot be opened: the file, its folder or the -wal file beside it is not for this user to read and write"
LOST = "the connection to the server was lost; what was not finished is not kept: give the same command again"
RAISED = "P0001"
"""PostgreSQL's code of what our own triggers say."""


@contextmanager
def explained(place: Place) -> Iterator[None]:
    """Turn what a database says inside this block into a sentence; what is not known passes."""
    try:
        yield
    except StatementError as error:
        if isinstance(error.orig, ArpadError):  # a value that is never stored
            raise error.orig from None
        raise trouble(error, place) from error
    except sqlite3.Error as error:
        raise trouble(error, place) from error
    except Exception as error:
        if hasattr(error, "sqlstate"):  # psycopg's own, when it was used without SQLAlchemy
            raise trouble(error, place) from error
        raise


def trouble(error: Exception, place: Place) -> Exception:
    """Return the sentence for an error of a database, or the error itself if it has none."""
    cause = error.orig if isinstance(error, StatementError) else error
    if isinstance(cause, sqlite3.Error):
        found = _sqlite(cause, place)
    elif isinstance(cause, Exception) and hasattr(cause, "sqlstate"):
        found = _postgresql(cause, place)
    else:
        found = None
    return error if found is None else found


def _sqlite(error: sqlite3.Error, place: Place) -> Exception | None:
    code = getattr(error, "sqlite_errorcode", 0)
    plain = code & PRIMARY
    if code == sqlite3.SQLITE_CONSTRAINT_TRIGGER:
        return UsageError(str(error))
    if plain in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return BusyError(BUSY, file=place.shown)
    said = SQLITE.get(plain)
    if plain == sqlite3.SQLITE_CANTOPEN:
        said = CLOSED
    elif code in FULL_CODES:
        said = SQLITE[sqlite3.SQLITE_FULL]
    elif "Could not decode" in str(error):
        said = SQLITE[sqlite3.SQLITE_CORRUPT]
    elif plain == sqlite3.SQLITE_IOERR:
        said = f"the disk does not answer as it should ({error})"
    return LedgerError(said, file=place.shown) if said else None


def _postgresql(error: Exception, place: Place) -> Exception | None:
    state = getattr(error, "sqlstate", None) or ""
    said = str(error).strip().partition("\n")[0]
    if state == RAISED:
        return UsageError(said)
    if state == "55P03":
        return BusyError(BUSY, file=place.shown)
    for code, sentence in POSTGRESQL.items():
        if state.startswith(code):
            return LedgerError(sentence, file=place.shown)
    if not state and type(error).__name__ in (
        "OperationalError",
        "InterfaceError",
        "ConnectionTimeout",
    ):
        return _no_server(said, place)
    return None


def _no_server(said: str, place: Place) -> Exception:
    """Return what is meant by an error that the client made, not the server."""
    if "lost" in said or "closed the connection" in said or "connection is closed" in said:
        return LedgerError(LOST, file=place.shown)
    words = {"password": "28", "role": "28", "pg_hba.conf": "28", "database": "3D"}
    told = next((POSTGRESQL[code] for word, code in words.items() if word in said), None)
    if told is None or "refused" in said:
        told = f"the server does not answer: is it running, and are host and port right? ({said})"
    return LedgerError(told, file=place.shown)
