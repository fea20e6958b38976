"""Sessions of the web app are rows, and every ledger has an id of its own."""

from __future__ import annotations

import secrets

import sqlalchemy as sa
from alembic import op

from arpad.ledger.db.migrations.versions.r0001 import make_tables

revision = "0005"
down_revision = "0004"
TABLES = """
identity | id:int! value! last_account:int! | | id
sessions | key! account_id:int! created:time! expires:time! address! browser! | account_id>>accounts | key
"""


def upgrade() -> None:
    """Add two tables; no figure changes. Everybody signs in again."""
    make_tables(TABLES, {})
    op.create_index(op.f("ix_sessions_account_id"), "sessions", ["account_id"])
    connection = op.get_bind()
    last = connection.exec_driver_sql("SELECT max(id) FROM accounts").scalar() or 0
    values = {"id": 1, "value": secrets.token_hex(16), "last": last}
    connection.execute(sa.text("INSERT INTO identity VALUES (:id, :value, :last)"), values)
