"""The first schema: what happened, what followed, and what can never be changed again."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa
from alembic import op

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    make_tables(TABLES, CHECKS)
    for table, columns in INDEXES.items():
        for column in columns.split():
            op.create_index(op.f(f"ix_{table}_{column}"), table, [column])
    for statement in GUARDS[op.get_bind().dialect.name]:
        op.get_bind().exec_driver_sql(statement)


TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
"""Sorted by code points on both databases, whatever the language of the server."""
TYPES: dict[str, Any] = {
    "int": sa.Integer(),
    "time": sa.DateTime(),
    "date": sa.Date(),
    "real": sa.Double(),
    "bool": sa.Boolean(),
    "": TEXT,
}
TABLES = """
decisions | id:int! when:time! who! why! kind! subject! before after undoes:int undone_by:int |
    undoes>decisions undone_by>decisions | id
imports | id:int! file! sha256! format options when:time! who! games:int! events:int! players_new:int!
    doubtful:int! | | id
policies | id:int! name! version:int! document! created:time! | | id | name version
events | id:int! import_id:int number:int! name! site federation start:date end:date kind time_control
    rounds:int source! content! excluded:bool! document | import_id>imports | id | source
players | id:int! name! birth federation sex title merged_into:int import_id:int | import_id>imports
    merged_into>players | id
runs | id:int! policy_id:int! closing:date! previous_id:int key! made:time! figures | policy_id>policies
    previous_id>runs | id | policy_id key
doubts | id:int! kind! opened:time! about! import_id:int event_id:int player_id:int document
    settled_by:int | event_id>events import_id>imports player_id>players settled_by>decisions | id
games | id:int! event_id:int! number:int! round board:int date:date precision white_id:int! black_id:int
    score:real black_score:real status! white_rating:real black_rating:real plies:int | black_id>players
    event_id>events white_id>players | id | event_id number
lists | id:int! policy_id:int! name! number:int! closing:date! effective:date state! run_id:int
    made:time! published:time published_by corrects:int figures | corrects>lists policy_id>policies
    run_id>runs | id | policy_id name number
memberships | id:int! player_id:int! kind! number from:date until:date | player_id>players | id
norms | id:int! player_id:int! event_id:int! title! rules! verdict | event_id>events player_id>players |
    id | player_id event_id title rules
player_ids | player_id:int! scheme! value! | player_id>players | scheme value
player_names | player_id:int! name! fold! | player_id>players | player_id name
states-rowid | run_id:int! player_id:int! rating:real games:int total_games:int deviation:real status
    state | run_id>>runs | run_id player_id
steps-rowid | run_id:int! player_id:int! seq:int! game_id:int event_id:int opponent_id:int rating:real
    opponent_rating:real score:real expected:real k:real change:real rule | run_id>>runs | run_id
    player_id seq
titles | id:int! player_id:int! title! date:date rules! because | player_id>players | id | player_id
    title rules
entries | list_id:int! player_id:int! rank:int name! title federation rating:real games:int
    total_games:int status change:real deviation:real document | list_id>>lists player_id>players |
    list_id player_id
"""
"""Name | columns (text without a type; ! is never null) | foreign keys (>> with deletion) | primary key | unique.

A table whose rows stand in the order of the primary key has -rowid behind its name.
"""
CHECKS = {
    ("games", "status"): "status IN ('played', 'unrated', 'forfeit', 'bye', 'unplayed')",
    ("lists", "published"): "state <> 'published' OR published IS NOT NULL",
    ("lists", "state"): "state IN ('draft', 'published', 'correction')",
}


def make_tables(tables: str, checks: Mapping[tuple[str, str], str]) -> None:
    """Make some tables, the ones first that others refer to."""
    for row in tables.replace("\n    ", " ").strip().splitlines():
        name, columns, references, primary, unique = [
            part.strip() for part in (row + " | | |").split("|")[:5]
        ]
        name, _, without = name.partition("-")
        parts: list[Any] = []
        for column in columns.split():
            called, _, kind = column.rstrip("!").partition(":")
            parts.append(
                sa.Column(
                    called,
                    TYPES[kind],
                    nullable=not column.endswith("!"),
                    autoincrement=False if called == primary else "auto",
                )
            )
        parts += [
            sa.CheckConstraint(text, name=op.f(f"ck_{table}_{rule}"))
            for (table, rule), text in checks.items()
            if table == name
        ]
        for reference in references.split():
            called, deletes, target = re.split("(>+)", reference)
            parts.append(
                sa.ForeignKeyConstraint(
                    [called],
                    [f"{target}.id"],
                    name=op.f(f"fk_{name}_{called}"),
                    ondelete="CASCADE" if deletes == ">>" else None,
                )
            )
        parts.append(sa.PrimaryKeyConstraint(*primary.split(), name=op.f(f"pk_{name}")))
        if unique:
            parts.append(
                sa.UniqueConstraint(*unique.split(), name=op.f(f"uq_{name}_{'_'.join(unique.split())}"))
            )
        op.create_table(name, *parts, **({"sqlite_with_rowid": False} if without else {}))


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
