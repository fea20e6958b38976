"""What every table of the ledger shares: revisions of the schema, names of constraints, keys."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy import Column, ForeignKey, Integer

__all__ = ["HEAD", "METADATA", "REVISIONS", "row_number", "to"]

REVISIONS = ("0001", "0002", "0003", "0004")
"""Every revision of the schema, oldest first; each is a file in `migrations/versions`."""

HEAD = REVISIONS[-1]
"""The revision that these tables describe."""

METADATA = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def row_number() -> Column[int]:
    """Return the column `id`; the writer gives its values, not the database."""
    return Column("id", Integer, primary_key=True, autoincrement=False)


def to(name: str, target: str, *, null: bool = False, ondelete: str | None = None) -> Column[int]:
    """Return a column that refers to another table."""
    return Column(name, Integer, ForeignKey(target, ondelete=ondelete), nullable=null)
