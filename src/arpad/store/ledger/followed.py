"""What followed: policies, runs with their workings, lists, norms and titles."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy import Column, Index, Integer, PrimaryKeyConstraint, UniqueConstraint

from arpad.store.ledger.column_types import Document, Moment, Number, Words
from arpad.store.ledger.schema import METADATA, row_number, to

__all__ = [
    "entries",
    "lists",
    "norms",
    "policies",
    "rules",
    "runs",
    "states",
    "steps",
    "titles",
]

policies = sa.Table(
    "policies",
    METADATA,
    row_number(),
    Column("name", Words, nullable=False),
    Column("version", Integer, nullable=False),
    Column("document", Document, nullable=False),
    Column("created", Moment, nullable=False),
    UniqueConstraint("name", "version"),
)

runs = sa.Table(
    "runs",
    METADATA,
    row_number(),
    to("policy_id", "policies.id"),
    Column("closing", sa.Date, nullable=False),
    to("previous_id", "runs.id", null=True),
    Column("key", Words, nullable=False),  # hash of policy, previous key and the period's events
    Column("made", Moment, nullable=False),
    Column("figures", Document),
    UniqueConstraint("policy_id", "key"),
    Index(None, "previous_id"),
)

states = sa.Table(
    "states",
    METADATA,
    to("run_id", "runs.id", ondelete="CASCADE"),
    Column("player_id", Integer, nullable=False),
    Column("rating", Number),
    Column("games", Integer),  # in the period
    Column("total_games", Integer),
    Column("deviation", Number),
    Column("status", Words),
    Column("state", Document),  # whatever else the system's `before` needs
    PrimaryKeyConstraint("run_id", "player_id"),
    sqlite_with_rowid=False,
)

# `states` and `steps` refer to players, games and events without a constraint: they are made by
# arpad out of those rows, by the million, and a constraint costs more than writing them.
steps = sa.Table(
    "steps",
    METADATA,
    to("run_id", "runs.id", ondelete="CASCADE"),
    Column("player_id", Integer, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("game_id", Integer),  # null: no game, but rounding, a floor, a bonus, a first rating
    Column("event_id", Integer),
    Column("opponent_id", Integer),
    Column("rating", Number),
    Column("opponent_rating", Number),
    Column("score", Number),
    Column("expected", Number),
    Column("k", Number),
    Column("change", Number),
    Column("rule", Integer),  # number of a text in `rules`
    PrimaryKeyConstraint("run_id", "player_id", "seq"),
    sqlite_with_rowid=False,
)

# A run knows some twenty texts and uses each a thousand times: they would be half of all that is written.
rules = sa.Table(
    "rules",
    METADATA,
    to("run_id", "runs.id", ondelete="CASCADE"),
    Column("number", Integer, nullable=False),  # 1, 2, … in the order of the texts
    Column("text", Words, nullable=False),
    PrimaryKeyConstraint("run_id", "number"),
    sqlite_with_rowid=False,
)

lists = sa.Table(
    "lists",
    METADATA,
    row_number(),
    to("policy_id", "policies.id"),
    Column("name", Words, nullable=False),  # 2026-11
    Column("number", Integer, nullable=False, default=0),  # 0: the list; 1, 2, …: its corrections
    Column("closing", sa.Date, nullable=False),
    Column("effective", sa.Date),
    Column("state", Words, nullable=False),
    to("run_id", "runs.id", null=True),  # null: nothing was played yet
    Column("made", Moment, nullable=False),
    Column("published", Moment),  # not null: frozen
    Column("published_by", Words),
    to("corrects", "lists.id", null=True),
    Column("figures", Document),
    UniqueConstraint("policy_id", "name", "number"),
    sa.CheckConstraint("state IN ('draft', 'published', 'correction')", name="state"),
    sa.CheckConstraint("state <> 'published' OR published IS NOT NULL", name="published"),
    Index(None, "run_id"),
)

entries = sa.Table(
    "entries",
    METADATA,
    to("list_id", "lists.id", ondelete="CASCADE"),
    to("player_id", "players.id"),
    Column("rank", Integer),
    Column("name", Words, nullable=False),  # this and the next two as published
    Column("title", Words),
    Column("federation", Words),
    Column("rating", Number),
    Column("games", Integer),
    Column("total_games", Integer),
    Column("status", Words),  # provisional, established, inactive, unlisted, …
    Column("change", Number),
    Column("deviation", Number),
    Column("document", Document),  # of a correction: what was published, and the cause
    PrimaryKeyConstraint("list_id", "player_id"),
    Index(None, "list_id", "rank"),
)

norms = sa.Table(
    "norms",
    METADATA,
    row_number(),
    to("player_id", "players.id"),
    to("event_id", "events.id"),
    Column("title", Words, nullable=False),
    Column("rules", Words, nullable=False),
    Column("verdict", Document),
    UniqueConstraint("player_id", "event_id", "title", "rules"),
    Index(None, "event_id"),
)

titles = sa.Table(
    "titles",
    METADATA,
    row_number(),
    to("player_id", "players.id"),
    Column("title", Words, nullable=False),
    Column("date", sa.Date),
    Column("rules", Words, nullable=False),
    Column("because", Document),  # numbers of the norms
    UniqueConstraint("player_id", "title", "rules"),
)
