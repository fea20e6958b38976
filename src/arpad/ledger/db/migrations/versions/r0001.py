"""The first schema: what happened, what followed, and what can never be changed again."""

from __future__ import annotations

from typing import NamedTuple

import sqlalchemy as sa
from alembic import op

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


# Tables and triggers of revision 0001.

# Tables of revision 0001.

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
"""Sorted by code points on both databases, whatever the language of the server."""


def _to(column: str, target: str, name: str, ondelete: str | None = None) -> sa.Constraint:
    return sa.ForeignKeyConstraint([column], [target], name=op.f(name), ondelete=ondelete)


def make_tables() -> None:
    """Make every table, the ones first that others refer to."""
    op.create_table(
        "decisions",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("when", sa.DateTime(), nullable=False),
        sa.Column("who", TEXT, nullable=False),
        sa.Column("why", TEXT, nullable=False),
        sa.Column("kind", TEXT, nullable=False),
        sa.Column("subject", TEXT, nullable=False),
        sa.Column("before", TEXT),
        sa.Column("after", TEXT),
        sa.Column("undoes", sa.Integer()),
        sa.Column("undone_by", sa.Integer()),
        _to("undoes", "decisions.id", "fk_decisions_undoes"),
        _to("undone_by", "decisions.id", "fk_decisions_undone_by"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_decisions")),
    )
    op.create_table(
        "imports",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("file", TEXT, nullable=False),
        sa.Column("sha256", TEXT, nullable=False),
        sa.Column("format", TEXT),
        sa.Column("options", TEXT),
        sa.Column("when", sa.DateTime(), nullable=False),
        sa.Column("who", TEXT, nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("events", sa.Integer(), nullable=False),
        sa.Column("players_new", sa.Integer(), nullable=False),
        sa.Column("doubtful", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_imports")),
    )
    op.create_table(
        "policies",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("document", TEXT, nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_policies")),
        sa.UniqueConstraint("name", "version", name=op.f("uq_policies_name_version")),
    )
    op.create_table(
        "events",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("import_id", sa.Integer()),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("site", TEXT),
        sa.Column("federation", TEXT),
        sa.Column("start", sa.Date()),
        sa.Column("end", sa.Date()),
        sa.Column("kind", TEXT),
        sa.Column("time_control", TEXT),
        sa.Column("rounds", sa.Integer()),
        sa.Column("source", TEXT, nullable=False),
        sa.Column("content", TEXT, nullable=False),
        sa.Column("excluded", sa.Boolean(), nullable=False),
        sa.Column("document", TEXT),
        _to("import_id", "imports.id", "fk_events_import_id"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_events")),
        sa.UniqueConstraint("source", name=op.f("uq_events_source")),
    )
    op.create_table(
        "players",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("birth", TEXT),
        sa.Column("federation", TEXT),
        sa.Column("sex", TEXT),
        sa.Column("title", TEXT),
        sa.Column("merged_into", sa.Integer()),
        sa.Column("import_id", sa.Integer()),
        _to("import_id", "imports.id", "fk_players_import_id"),
        _to("merged_into", "players.id", "fk_players_merged_into"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_players")),
    )
    op.create_table(
        "runs",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("policy_id", sa.Integer(), nullable=False),
        sa.Column("closing", sa.Date(), nullable=False),
        sa.Column("previous_id", sa.Integer()),
        sa.Column("key", TEXT, nullable=False),
        sa.Column("made", sa.DateTime(), nullable=False),
        sa.Column("figures", TEXT),
        _to("policy_id", "policies.id", "fk_runs_policy_id"),
        _to("previous_id", "runs.id", "fk_runs_previous_id"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
        sa.UniqueConstraint("policy_id", "key", name=op.f("uq_runs_policy_id_key")),
    )
    op.create_table(
        "doubts",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", TEXT, nullable=False),
        sa.Column("opened", sa.DateTime(), nullable=False),
        sa.Column("about", TEXT, nullable=False),
        sa.Column("import_id", sa.Integer()),
        sa.Column("event_id", sa.Integer()),
        sa.Column("player_id", sa.Integer()),
        sa.Column("document", TEXT),
        sa.Column("settled_by", sa.Integer()),
        _to("event_id", "events.id", "fk_doubts_event_id"),
        _to("import_id", "imports.id", "fk_doubts_import_id"),
        _to("player_id", "players.id", "fk_doubts_player_id"),
        _to("settled_by", "decisions.id", "fk_doubts_settled_by"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_doubts")),
    )
    op.create_table(
        "games",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("event_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("round", TEXT),
        sa.Column("board", sa.Integer()),
        sa.Column("date", sa.Date()),
        sa.Column("precision", TEXT),
        sa.Column("white_id", sa.Integer(), nullable=False),
        sa.Column("black_id", sa.Integer()),
        sa.Column("score", sa.Double()),
        sa.Column("black_score", sa.Double()),
        sa.Column("status", TEXT, nullable=False),
        sa.Column("white_rating", sa.Double()),
        sa.Column("black_rating", sa.Double()),
        sa.Column("plies", sa.Integer()),
        sa.CheckConstraint(
            "status IN ('played', 'unrated', 'forfeit', 'bye', 'unplayed')", name=op.f("ck_games_status")
        ),
        _to("black_id", "players.id", "fk_games_black_id"),
        _to("event_id", "events.id", "fk_games_event_id"),
        _to("white_id", "players.id", "fk_games_white_id"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_games")),
        sa.UniqueConstraint("event_id", "number", name=op.f("uq_games_event_id_number")),
    )
    op.create_table(
        "lists",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("policy_id", sa.Integer(), nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("closing", sa.Date(), nullable=False),
        sa.Column("effective", sa.Date()),
        sa.Column("state", TEXT, nullable=False),
        sa.Column("run_id", sa.Integer()),
        sa.Column("made", sa.DateTime(), nullable=False),
        sa.Column("published", sa.DateTime()),
        sa.Column("published_by", TEXT),
        sa.Column("corrects", sa.Integer()),
        sa.Column("figures", TEXT),
        sa.CheckConstraint("state <> 'published' OR published IS NOT NULL", name=op.f("ck_lists_published")),
        sa.CheckConstraint("state IN ('draft', 'published', 'correction')", name=op.f("ck_lists_state")),
        _to("corrects", "lists.id", "fk_lists_corrects"),
        _to("policy_id", "policies.id", "fk_lists_policy_id"),
        _to("run_id", "runs.id", "fk_lists_run_id"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_lists")),
        sa.UniqueConstraint("policy_id", "name", "number", name=op.f("uq_lists_policy_id_name_number")),
    )
    op.create_table(
        "memberships",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("kind", TEXT, nullable=False),
        sa.Column("number", TEXT),
        sa.Column("from", sa.Date()),
        sa.Column("until", sa.Date()),
        _to("player_id", "players.id", "fk_memberships_player_id"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_memberships")),
    )
    op.create_table(
        "norms",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("event_id", sa.Integer(), nullable=False),
        sa.Column("title", TEXT, nullable=False),
        sa.Column("rules", TEXT, nullable=False),
        sa.Column("verdict", TEXT),
        _to("event_id", "events.id", "fk_norms_event_id"),
        _to("player_id", "players.id", "fk_norms_player_id"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_norms")),
        sa.UniqueConstraint(
            "player_id", "event_id", "title", "rules", name=op.f("uq_norms_player_id_event_id_title_rules")
        ),
    )
    op.create_table(
        "player_ids",
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("scheme", TEXT, nullable=False),
        sa.Column("value", TEXT, nullable=False),
        _to("player_id", "players.id", "fk_player_ids_player_id"),
        sa.PrimaryKeyConstraint("scheme", "value", name=op.f("pk_player_ids")),
    )
    op.create_table(
        "player_names",
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("fold", TEXT, nullable=False),
        _to("player_id", "players.id", "fk_player_names_player_id"),
        sa.PrimaryKeyConstraint("player_id", "name", name=op.f("pk_player_names")),
    )
    op.create_table(
        "states",
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("rating", sa.Double()),
        sa.Column("games", sa.Integer()),
        sa.Column("total_games", sa.Integer()),
        sa.Column("deviation", sa.Double()),
        sa.Column("status", TEXT),
        sa.Column("state", TEXT),
        _to("run_id", "runs.id", "fk_states_run_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "player_id", name=op.f("pk_states")),
        sqlite_with_rowid=False,
    )
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
        sa.Column("rule", TEXT),
        _to("run_id", "runs.id", "fk_steps_run_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "player_id", "seq", name=op.f("pk_steps")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "titles",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("title", TEXT, nullable=False),
        sa.Column("date", sa.Date()),
        sa.Column("rules", TEXT, nullable=False),
        sa.Column("because", TEXT),
        _to("player_id", "players.id", "fk_titles_player_id"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_titles")),
        sa.UniqueConstraint("player_id", "title", "rules", name=op.f("uq_titles_player_id_title_rules")),
    )
    op.create_table(
        "entries",
        sa.Column("list_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("rank", sa.Integer()),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("title", TEXT),
        sa.Column("federation", TEXT),
        sa.Column("rating", sa.Double()),
        sa.Column("games", sa.Integer()),
        sa.Column("total_games", sa.Integer()),
        sa.Column("status", TEXT),
        sa.Column("change", sa.Double()),
        sa.Column("deviation", sa.Double()),
        sa.Column("document", TEXT),
        _to("list_id", "lists.id", "fk_entries_list_id", ondelete="CASCADE"),
        _to("player_id", "players.id", "fk_entries_player_id"),
        sa.PrimaryKeyConstraint("list_id", "player_id", name=op.f("pk_entries")),
    )


# Triggers of revision 0001: what is published, logged or computed stays as it is.
#
# - a published list and its entries are never changed, deleted or added to;
# - a policy, a run and its workings are never changed; workings go only with their run, and a run that
#   a list or a later run rests on cannot go (its foreign keys say so);
# - a decision is never deleted, and of its columns only `undone_by` is ever written again.


class Guard(NamedTuple):
    """One rule: what must not be done to a table, when, and what is said."""

    table: str
    verb: str
    when: str  # reads OLD and NEW; a query is allowed on both databases
    says: str


PUBLISHED = "a published list is frozen: make a correction instead (arpad list make)"
KEPT = "workings of a run never change: a changed ledger gives a new run"
FROZEN_ENTRY = "EXISTS (SELECT 1 FROM lists WHERE id = {row}.list_id AND published IS NOT NULL)"
HAS_RUN = "EXISTS (SELECT 1 FROM runs WHERE id = OLD.run_id)"
RULES = (
    Guard("lists", "UPDATE", "OLD.published IS NOT NULL", PUBLISHED),
    Guard("lists", "DELETE", "OLD.published IS NOT NULL", PUBLISHED),
    Guard("entries", "INSERT", FROZEN_ENTRY.format(row="NEW"), PUBLISHED),
    Guard("entries", "UPDATE", FROZEN_ENTRY.format(row="OLD"), PUBLISHED),
    Guard("entries", "DELETE", FROZEN_ENTRY.format(row="OLD"), PUBLISHED),
    Guard("policies", "UPDATE", "1 = 1", "a policy never changes: give it a new version"),
    Guard("runs", "UPDATE", "1 = 1", KEPT),
    Guard("states", "UPDATE", "1 = 1", KEPT),
    Guard("states", "DELETE", HAS_RUN, KEPT),
    Guard("steps", "UPDATE", "1 = 1", KEPT),
    Guard("steps", "DELETE", HAS_RUN, KEPT),
    Guard("decisions", "DELETE", "1 = 1", "a decision stays in the log: undo it instead"),
    Guard(
        "decisions",
        'UPDATE OF id, "when", who, why, kind, subject, before, after, undoes',
        "1 = 1",
        "a decision stays as it was taken: undo it instead",
    ),
)


def _name(rule: Guard) -> str:
    return f"guard_{rule.table}_{rule.verb.split()[0].lower()}"


def _sqlite(rule: Guard) -> list[str]:
    return [
        (
            f"CREATE TRIGGER {_name(rule)} BEFORE {rule.verb} ON {rule.table} WHEN {rule.when}"
            f" BEGIN SELECT RAISE(ABORT, '{rule.says}'); END"
        )
    ]


def _postgresql(rule: Guard) -> list[str]:
    row = "OLD" if rule.verb == "DELETE" else "NEW"
    return [
        (
            f"CREATE FUNCTION {_name(rule)}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            f" IF {rule.when} THEN RAISE EXCEPTION '{rule.says}'; END IF; RETURN {row}; END $$"
        ),
        (
            f"CREATE TRIGGER {_name(rule)} BEFORE {rule.verb} ON {rule.table}"
            f" FOR EACH ROW EXECUTE FUNCTION {_name(rule)}()"
        ),
    ]


GUARDS = {
    "sqlite": [statement for rule in RULES for statement in _sqlite(rule)],
    "postgresql": [statement for rule in RULES for statement in _postgresql(rule)],
}
"""The statements that make the triggers, for each database."""
