"""The first schema: what happened, what followed, and what can never be changed again."""

from __future__ import annotations

from alembic import op

from arpad.ledger.db.migrations.schema_0001 import GUARDS, make_tables

revision = "0001"
down_revision = None
INDEXES = {
    "decisions": "subject",
    "doubts": "settled_by",
    "events": "end name",
    "games": "black_id white_id",
    "imports": "sha256",
    "lists": "run_id",
    "memberships": "player_id",
    "norms": "event_id",
    "player_ids": "player_id",
    "player_names": "fold",
    "runs": "previous_id",
}


def upgrade() -> None:
    """Make every table, and the guards of what is published."""
    make_tables()
    for table, columns in INDEXES.items():
        for column in columns.split():
            op.create_index(op.f(f"ix_{table}_{column}"), table, [column])
    for statement in GUARDS[op.get_bind().dialect.name]:
        op.get_bind().exec_driver_sql(statement)
