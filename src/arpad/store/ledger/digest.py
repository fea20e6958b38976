"""A check sum of each table that is the same on both databases, and with every later arpad.

It is taken over the values, not over a file: row by row in the order of the key, as bytes that no
library's way to write a number can change.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import sqlalchemy as sa

from arpad.store.ledger.bulk import frames
from arpad.store.ledger.migrate import revision_of
from arpad.store.ledger.tables import HEAD, METADATA

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

__all__ = ["ROWS", "digest", "digests", "ledger_tables"]

ROWS = 50_000
"""Rows that are hashed at once; part of what the check sum means, so never changed."""

HIDDEN = ("alembic_version", "backup")
"""Tables that say something of the database and hold nothing of the ledger."""


def ledger_tables(connection: Connection) -> list[sa.Table]:
    """Return the tables that are in a database, of whatever revision; who is referred to comes first."""
    if revision_of(connection) == HEAD:
        return METADATA.sorted_tables
    found = sa.MetaData()
    found.reflect(connection)
    return [table for table in found.sorted_tables if table.name not in HIDDEN]


def digests(connection: Connection) -> dict[str, tuple[int, str]]:
    """Return rows and check sum of every table, by name."""
    return {
        str(t.name): digest(connection, t) for t in sorted(ledger_tables(connection), key=_name)
    }


def _name(table: sa.Table) -> str:
    return table.name


def digest(connection: Connection, table: sa.Table) -> tuple[int, str]:
    """Return the rows of a table and the SHA-256 of its values."""
    names = sorted(c.name for c in table.c)
    sha, rows = hashlib.sha256("\x1f".join(names).encode()), 0
    for part in frames(connection, table, rows=ROWS, stream=True):
        rows += part.height
        for name in names if part.height else ():
            _add(sha, part[name])
    return rows, sha.hexdigest()


def _add(sha: hashlib._Hash, values: pl.Series) -> None:
    """Add a column: what is null, then the values, 8 bytes each, or texts behind their lengths."""
    sha.update(values.is_null().to_numpy().astype(np.uint8).tobytes())
    if values.dtype == pl.String:
        filled = values.fill_null("")
        sha.update(filled.str.len_bytes().to_numpy().astype("<u4").tobytes())
        sha.update("".join(filled.to_list()).encode())
        return
    kind, plain = ("<f8", pl.Float64) if values.dtype == pl.Float64 else ("<i8", pl.Int64)
    sha.update(values.to_physical().cast(plain).fill_null(0).to_numpy().astype(kind).tobytes())
