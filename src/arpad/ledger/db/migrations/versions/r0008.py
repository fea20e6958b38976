"""The steps of a run hold against REPLACE, too."""

from __future__ import annotations

from alembic import op

from arpad.ledger.db.migrations.versions.r0006 import KEPT

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add a trigger; no figure changes. PostgreSQL has no REPLACE."""
    if op.get_bind().dialect.name == "sqlite":
        op.execute(
            "CREATE TRIGGER guard_steps_insert_replace BEFORE INSERT ON steps WHEN EXISTS (SELECT 1 FROM steps"
            " WHERE run_id = NEW.run_id AND player_id = NEW.player_id AND seq = NEW.seq)"
            f" BEGIN SELECT RAISE(ABORT, '{KEPT}'); END"
        )
