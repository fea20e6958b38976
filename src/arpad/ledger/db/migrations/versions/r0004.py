"""The texts of rules stand once a run, and steps have their numbers; a page of a list is found by rank."""

from __future__ import annotations

from alembic import op

from arpad.ledger.db.migrations.versions.r0001 import make_tables

revision = "0004"
down_revision = "0003"
TABLES = """
rules-rowid | run_id:int! number:int! text! | run_id>>runs | run_id number
steps-rowid | run_id:int! player_id:int! seq:int! game_id:int event_id:int opponent_id:int rating:real
    opponent_rating:real score:real expected:real k:real change:real rule:int | run_id>>runs |
    run_id player_id seq
"""
OLD = "steps_0003"
KEPT = "workings of a run never change: a changed ledger gives a new run"
SQLITE = tuple(
    f"CREATE TRIGGER guard_{table}_{verb.lower()} BEFORE {verb} ON {table} WHEN {when}"
    f" BEGIN SELECT RAISE(ABORT, '{KEPT}'); END"
    for table in ("rules", "steps")
    for verb, when in (("UPDATE", "1 = 1"), ("DELETE", "EXISTS (SELECT 1 FROM runs WHERE id = OLD.run_id)"))
)
POSTGRESQL = (
    *(
        f"CREATE TRIGGER guard_{table}_{verb.lower()} BEFORE {verb} ON {table}"
        f" FOR EACH ROW EXECUTE FUNCTION guard_steps_{verb.lower()}()"
        for table in ("rules", "steps")
        for verb in ("UPDATE", "DELETE")
    ),
    *(
        f"CREATE TRIGGER guard_{table}_truncate BEFORE TRUNCATE ON {table}"
        " FOR EACH STATEMENT EXECUTE FUNCTION guard_truncate()"
        for table in ("rules", "steps")
    ),
)
NAMES = tuple(
    f"ALTER TABLE {OLD} RENAME CONSTRAINT {name} TO {name}_0003" for name in ("pk_steps", "fk_steps_run_id")
)
"""PostgreSQL: names of constraints are wanted by the new table."""
FIGURES = "run_id, player_id, seq, game_id, event_id, opponent_id, rating, opponent_rating, score, expected, k, change"
TEXTS = (
    "INSERT INTO rules (run_id, number, text)"
    " SELECT run_id, ROW_NUMBER() OVER (PARTITION BY run_id ORDER BY rule), rule"
    f" FROM (SELECT DISTINCT run_id, rule FROM {OLD} WHERE rule IS NOT NULL) AS used"
)
STEPS = (
    f"INSERT INTO steps ({FIGURES}, rule)"
    f" SELECT {', '.join('o.' + name for name in FIGURES.split(', '))}, r.number"
    f" FROM {OLD} AS o LEFT JOIN rules AS r ON r.run_id = o.run_id AND r.text = o.rule"
    " ORDER BY o.run_id, o.player_id, o.seq"
)


def upgrade() -> None:
    """Write the steps again with numbers of rules; no figure and no text changes."""
    connection = op.get_bind()
    sqlite = connection.dialect.name == "sqlite"
    op.rename_table("steps", OLD)
    for statement in () if sqlite else NAMES:
        connection.exec_driver_sql(statement)
    make_tables(TABLES, {})
    for statement in (TEXTS, STEPS):
        connection.exec_driver_sql(statement)
    op.drop_table(OLD)
    for statement in SQLITE if sqlite else POSTGRESQL:
        connection.exec_driver_sql(statement)
    op.create_index(op.f("ix_entries_list_id_rank"), "entries", ["list_id", "rank"])
