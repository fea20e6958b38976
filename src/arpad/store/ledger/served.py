"""Who may do what in the web app, and what it does in the background."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy import Column, Index, Integer

from arpad.store.ledger.column_types import Document, Moment, Words
from arpad.store.ledger.schema import METADATA, row_number

__all__ = ["accounts", "attempts", "jobs"]

accounts = sa.Table(
    "accounts",
    METADATA,
    row_number(),
    Column("name", Words, nullable=False, unique=True),
    Column("password", Words, nullable=False),  # argon2's hash, never the password
    Column("role", Words, nullable=False),
    Column(
        "epoch", Integer, nullable=False
    ),  # counted on: everybody who is signed in is signed out
    Column("created", Moment, nullable=False),
    sa.CheckConstraint("role IN ('viewer', 'administrator')", name="role"),
)

attempts = sa.Table(
    "attempts",
    METADATA,
    row_number(),
    Column("name", Words, nullable=False),  # as it was typed: it may be nobody's
    Column("address", Words, nullable=False),
    Column("when", Moment, nullable=False),
    Index(None, "name"),
    Index(None, "address"),
)

jobs = sa.Table(
    "jobs",
    METADATA,
    row_number(),
    Column("kind", Words, nullable=False),  # import, list, analyse, …
    Column("arguments", Document, nullable=False),
    Column("state", Words, nullable=False),
    Column("who", Words, nullable=False),
    Column("created", Moment, nullable=False),
    Column("started", Moment),
    Column("finished", Moment),
    Column("seen", Moment),  # when its worker was last heard of
    Column("done", Integer, nullable=False, default=0),
    Column("total", Integer),  # null: nobody knows yet
    Column("says", Words),  # what it is at, or why it failed
    Column("result", Document),
    Column("stop", sa.Boolean, nullable=False, default=False),  # somebody asked it to stop
    sa.CheckConstraint(
        "state IN ('waiting', 'running', 'done', 'failed', 'stopped')", name="state"
    ),
    Index(None, "state"),
)
