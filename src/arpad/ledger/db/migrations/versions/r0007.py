"""Uploaded files lie in the database, accounts have four roles, and programs sign in with tokens."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from arpad.ledger.db.migrations.versions.r0001 import make_tables

revision = "0007"
down_revision = "0006"
TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
TOKENS = """
tokens | id:int! key! account_id:int! name! created:time! expires:time! | account_id>>accounts | id | key
"""
ROLES = "role IN ('viewer', 'arbiter', 'officer', 'administrator')"


def upgrade() -> None:
    """Add two tables and two roles; no figure changes. Everybody signs in again."""
    op.execute("DELETE FROM sessions")
    connection = op.get_bind()
    if connection.dialect.name == "sqlite":
        _make_accounts("accounts_0007")
        connection.exec_driver_sql(
            "INSERT INTO accounts_0007 SELECT id, name, password, role, epoch, created FROM accounts"
        )
        op.drop_table("accounts")
        op.rename_table("accounts_0007", "accounts")
    else:
        op.drop_constraint(op.f("ck_accounts_role"), "accounts")
        op.create_check_constraint(op.f("ck_accounts_role"), "accounts", ROLES)
    make_tables(TOKENS, {})
    op.create_index(op.f("ix_tokens_account_id"), "tokens", ["account_id"])
    op.create_table(
        "uploads",
        sa.Column("key", TEXT, nullable=False),
        sa.Column("part", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("key", "part", name=op.f("pk_uploads")),
    )


def _make_accounts(name: str) -> None:
    op.create_table(
        name,
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("password", TEXT, nullable=False),
        sa.Column("role", TEXT, nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.CheckConstraint(ROLES, name=op.f("ck_accounts_role")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_accounts")),
        sa.UniqueConstraint("name", name=op.f("uq_accounts_name")),
    )
