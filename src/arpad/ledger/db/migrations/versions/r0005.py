"""Sessions of the web app are rows, and every ledger has an id of its own."""

from __future__ import annotations

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Add two tables; no figure changes. Everybody signs in again."""
    identity = op.create_table(
        "identity",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("value", TEXT, nullable=False),
        sa.Column("last_account", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_identity")),
    )
    op.create_table(
        "sessions",
        sa.Column("key", TEXT, nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("expires", sa.DateTime(), nullable=False),
        sa.Column("address", TEXT, nullable=False),
        sa.Column("browser", TEXT, nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_sessions_account_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_sessions")),
    )
    op.create_index(op.f("ix_sessions_account_id"), "sessions", ["account_id"])
    connection = op.get_bind()
    last = connection.exec_driver_sql("SELECT max(id) FROM accounts").scalar() or 0
    connection.execute(identity.insert().values(id=1, value=secrets.token_hex(16), last_account=last))
