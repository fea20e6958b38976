"""What happened: players, files, events, games, decisions, and what waits for one."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy import Column, Index, Integer, PrimaryKeyConstraint, UniqueConstraint

from arpad.store.ledger.column_types import Document, Moment, Number, Words
from arpad.store.ledger.schema import METADATA, row_number, to

__all__ = [
    "decisions",
    "doubts",
    "events",
    "games",
    "imports",
    "memberships",
    "moves",
    "player_ids",
    "player_names",
    "players",
]

STATUSES = "status IN ('played', 'unrated', 'forfeit', 'bye', 'unplayed')"

imports = sa.Table(
    "imports",
    METADATA,
    row_number(),
    Column("file", Words, nullable=False),  # name only, no folder
    Column("sha256", Words, nullable=False, index=True),  # of its content
    Column("format", Words),
    Column("options", Document),
    Column("when", Moment, nullable=False),
    Column("who", Words, nullable=False),
    Column("games", Integer, nullable=False),
    Column("events", Integer, nullable=False),
    Column("players_new", Integer, nullable=False),
    Column("doubtful", Integer, nullable=False),
)

players = sa.Table(
    "players",
    METADATA,
    row_number(),
    Column("name", Words, nullable=False),
    Column("birth", Words),  # YYYY, YYYY-MM or YYYY-MM-DD
    Column("federation", Words),
    Column("sex", Words),
    Column("title", Words),
    to("merged_into", "players.id", null=True),
    to("import_id", "imports.id", null=True),  # null: entered by hand
    Index(None, "merged_into"),
    Index(None, "name"),
)

player_ids = sa.Table(
    "player_ids",
    METADATA,
    to("player_id", "players.id"),
    Column("scheme", Words, nullable=False),  # fide, uscf, local, …
    Column("value", Words, nullable=False),
    PrimaryKeyConstraint("scheme", "value"),
    Index(None, "player_id"),
    Index(None, "value"),
)

player_names = sa.Table(
    "player_names",
    METADATA,
    to("player_id", "players.id"),
    Column("name", Words, nullable=False),
    Column("fold", Words, nullable=False),  # the name without case, accents and punctuation
    PrimaryKeyConstraint("player_id", "name"),
    Index(None, "fold"),
)

memberships = sa.Table(
    "memberships",
    METADATA,
    row_number(),
    to("player_id", "players.id"),
    Column("kind", Words, nullable=False),  # club, federation, …
    Column("number", Words),
    Column("from", sa.Date),
    Column("until", sa.Date),
    Index(None, "player_id"),
)

events = sa.Table(
    "events",
    METADATA,
    row_number(),
    to("import_id", "imports.id", null=True),
    Column("number", Integer, nullable=False),  # in its file
    Column("name", Words, nullable=False),
    Column("site", Words),
    Column("federation", Words),
    Column("start", sa.Date),
    Column("end", sa.Date),
    Column("kind", Words),
    Column("time_control", Words),  # standard, rapid, blitz
    Column("rounds", Integer),
    Column("source", Words, nullable=False, unique=True),  # hash of what was imported
    Column("content", Words, nullable=False),  # hash of what counts now
    Column("excluded", sa.Boolean, nullable=False, default=False),
    Column("document", Document),  # the rest of model.Event
    Index(None, "end"),
    Index(None, "name"),
)

games = sa.Table(
    "games",
    METADATA,
    row_number(),
    to("event_id", "events.id"),
    Column("number", Integer, nullable=False),  # order in its event
    Column("round", Words),
    Column("board", Integer),
    Column("date", sa.Date),  # the first day of what is known
    Column("precision", Words),  # day, month, year
    to("white_id", "players.id"),  # as imported; merges are applied on reading
    to("black_id", "players.id", null=True),  # null: a bye
    Column("score", Number),  # White's; null: unplayed
    Column("black_score", Number),
    Column("status", Words, nullable=False),
    Column("white_rating", Number),  # as given in the source
    Column("black_rating", Number),
    Column("plies", Integer),
    sa.CheckConstraint(STATUSES, name="status"),
    UniqueConstraint("event_id", "number"),
    Index(None, "white_id"),
    Index(None, "black_id"),
)

moves = sa.Table(
    "moves",
    METADATA,
    Column(
        "game_id",
        Integer,
        sa.ForeignKey("games.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("start", Words),  # the position before the first move, as FEN; null: the usual one
    Column("text", Words, nullable=False),  # as in the source: moves, comments, clocks, evaluations
)

decisions = sa.Table(
    "decisions",
    METADATA,
    row_number(),
    Column("when", Moment, nullable=False),
    Column("who", Words, nullable=False),
    Column("why", Words, nullable=False),
    Column("kind", Words, nullable=False),  # correct, merge, exclude, repair, rating, undo, …
    Column("subject", Words, nullable=False),  # "player 12", "event 3"
    Column("before", Document),
    Column("after", Document),
    to("undoes", "decisions.id", null=True),
    to("undone_by", "decisions.id", null=True),
    Index(None, "subject"),
)

doubts = sa.Table(
    "doubts",
    METADATA,
    row_number(),
    Column("kind", Words, nullable=False),  # player, event, fit, norm
    Column("opened", Moment, nullable=False),
    Column("about", Words, nullable=False),  # "player 12", "event 3", or words
    to("import_id", "imports.id", null=True),
    to("event_id", "events.id", null=True),
    to("player_id", "players.id", null=True),
    Column("document", Document),  # candidates with their scores, the reason
    to("settled_by", "decisions.id", null=True),  # null: open
    Index(None, "settled_by"),
)
