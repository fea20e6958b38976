"""The texts of rules stand once a run, and steps have their numbers; a page of a list is found by rank."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
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
    _make_rules()
    _make_steps()
    for statement in (TEXTS, STEPS):
        connection.exec_driver_sql(statement)
    op.drop_table(OLD)
    for statement in SQLITE if sqlite else POSTGRESQL:
        connection.exec_driver_sql(statement)
    op.create_index(op.f("ix_entries_list_id_rank"), "entries", ["list_id", "rank"])


def _of_run(name: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f(name), ondelete="CASCADE")


def _make_rules() -> None:
    op.create_table(
        "rules",
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("text", TEXT, nullable=False),
        _of_run("fk_rules_run_id"),
        sa.PrimaryKeyConstraint("run_id", "number", name=op.f("pk_rules")),
        sqlite_with_rowid=False,
    )


def _make_steps() -> None:
    op.create_table(
        "steps",
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer()),
        sa.Column("event_id", sa.Integer()),
        sa.Column("opponent_id", sa.Integer()),
        sa.Column("rating", sa.Double()),
        sa.Column("opponent_rating", sa.Double()),
        sa.Column("score", sa.Double()),
        sa.Column("expected", sa.Double()),
        sa.Column("k", sa.Double()),
        sa.Column("change", sa.Double()),
        sa.Column("rule", sa.Integer()),
        _of_run("fk_steps_run_id"),
        sa.PrimaryKeyConstraint("run_id", "player_id", "seq", name=op.f("pk_steps")),
        sqlite_with_rowid=False,
    )
