"""Players are found at once; nothing gets into a published list from another one, or out of it whole.

Indexes: players by name, by any number of theirs, and by whom they were merged into. Guards: an entry
cannot be moved into a published list, and PostgreSQL's TRUNCATE, which asks no row, is refused.
"""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"
INDEXES = {"players": ("merged_into", "name"), "player_ids": ("value",)}
SAYS = "a published list is frozen: make a correction instead (arpad list make)"
FROZEN = "EXISTS (SELECT 1 FROM lists WHERE id IN (OLD.list_id, NEW.list_id) AND published IS NOT NULL)"
WHOLE = ("lists", "entries", "policies", "runs", "states", "steps", "decisions")
SQLITE = (
    "DROP TRIGGER guard_entries_update",
    (
        f"CREATE TRIGGER guard_entries_update BEFORE UPDATE ON entries WHEN {FROZEN}"
        f" BEGIN SELECT RAISE(ABORT, '{SAYS}'); END"
    ),
)
POSTGRESQL = (
    (
        "CREATE OR REPLACE FUNCTION guard_entries_update() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        f" IF {FROZEN} THEN RAISE EXCEPTION '{SAYS}'; END IF; RETURN NEW; END $$"
    ),
    (
        "CREATE FUNCTION guard_truncate() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        " RAISE EXCEPTION 'what is published, logged or computed is not thrown away'; END $$"
    ),
    *(
        f"CREATE TRIGGER guard_{table}_truncate BEFORE TRUNCATE ON {table}"
        " FOR EACH STATEMENT EXECUTE FUNCTION guard_truncate()"
        for table in WHOLE
    ),
)


def upgrade() -> None:
    """Add the indexes and the guards; no figure changes."""
    for table, columns in INDEXES.items():
        for column in columns:
            op.create_index(op.f(f"ix_{table}_{column}"), table, [column])
    for statement in SQLITE if op.get_bind().dialect.name == "sqlite" else POSTGRESQL:
        op.get_bind().exec_driver_sql(statement)
