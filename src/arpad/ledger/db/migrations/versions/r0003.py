"""Moves of games, accounts of the web app with failed attempts to sign in, and work in the background."""

from __future__ import annotations

from alembic import op

from arpad.ledger.db.migrations.versions.r0001 import make_tables

revision = "0003"
down_revision = "0002"
INDEXES = {"attempts": ("address", "name"), "jobs": ("state",)}
TABLES = """
moves | game_id:int! start text! | game_id>>games | game_id
accounts | id:int! name! password! role! epoch:int! created:time! | | id | name
attempts | id:int! name! address! when:time! | | id
jobs | id:int! kind! arguments! state! who! created:time! started:time finished:time seen:time done:int!
    total:int says result stop:bool! | | id
"""
CHECKS = {
    ("accounts", "role"): "role IN ('viewer', 'administrator')",
    ("jobs", "state"): "state IN ('waiting', 'running', 'done', 'failed', 'stopped')",
}


def upgrade() -> None:
    """Add four tables; no figure changes."""
    make_tables(TABLES, CHECKS)
    for table, columns in INDEXES.items():
        for column in columns:
            op.create_index(op.f(f"ix_{table}_{column}"), table, [column])
