"""Moves of games, accounts of the web app with failed attempts to sign in, and work in the background."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
INDEXES = {"attempts": ("address", "name"), "jobs": ("state",)}


def upgrade() -> None:
    """Add four tables; no figure changes."""
    op.create_table(
        "moves",
        sa.Column("game_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("start", TEXT),
        sa.Column("text", TEXT, nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_moves_game_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", name=op.f("pk_moves")),
    )
    op.create_table(
        "accounts",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("password", TEXT, nullable=False),
        sa.Column("role", TEXT, nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.CheckConstraint("role IN ('viewer', 'administrator')", name=op.f("ck_accounts_role")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_accounts")),
        sa.UniqueConstraint("name", name=op.f("uq_accounts_name")),
    )
    op.create_table(
        "attempts",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("address", TEXT, nullable=False),
        sa.Column("when", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attempts")),
    )
    _make_jobs()
    for table, columns in INDEXES.items():
        for column in columns:
            op.create_index(op.f(f"ix_{table}_{column}"), table, [column])


def _make_jobs() -> None:
    op.create_table(
        "jobs",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", TEXT, nullable=False),
        sa.Column("arguments", TEXT, nullable=False),
        sa.Column("state", TEXT, nullable=False),
        sa.Column("who", TEXT, nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("started", sa.DateTime()),
        sa.Column("finished", sa.DateTime()),
        sa.Column("seen", sa.DateTime()),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer()),
        sa.Column("says", TEXT),
        sa.Column("result", TEXT),
        sa.Column("stop", sa.Boolean(), nullable=False),
        sa.CheckConstraint(
            "state IN ('waiting', 'running', 'done', 'failed', 'stopped')", name=op.f("ck_jobs_state")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
    )
