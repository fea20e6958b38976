"""Every table of the ledger."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy import Column, ForeignKey, Index, Integer, PrimaryKeyConstraint, UniqueConstraint
from sqlalchemy.types import TypeDecorator

from arpad.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.engine import Dialect


# What every table of the ledger shares: revisions of the schema, names of constraints, keys.

REVISIONS = ("0001", "0002", "0003", "0004", "0005", "0006", "0007", "0008")
"""Every revision of the schema, oldest first; each is a file in `migrations/versions`."""
HEAD = REVISIONS[-1]
"""The revision that these tables describe."""
METADATA = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def schema_row_number() -> Column[int]:
    """Return the column `id`; the writer gives its values, not the database."""
    return Column("id", Integer, primary_key=True, autoincrement=False)


def to(name: str, target: str, *, null: bool = False, ondelete: str | None = None) -> Column[int]:
    """Return a column that refers to another table."""
    return Column(name, Integer, ForeignKey(target, ondelete=ondelete), nullable=null)


# The types of the ledger's columns: they hold the same values on SQLite and on PostgreSQL.
#
# What only one of the two databases would take is refused before it gets there: NaN (SQLite makes it a
# null), a NUL inside a text (PostgreSQL refuses it), a moment without a time zone.

LARGEST = 2**31
"""Numbers of rows are smaller, on both databases."""


def now() -> datetime:
    """Return the present moment in UTC, whole seconds: finer ones mean nothing to a rating officer."""
    return datetime.now(UTC).replace(microsecond=0)


def document_text(value: Mapping[str, Any] | Sequence[Any]) -> str:
    """Return a document as the one JSON text that stands for it on both databases.

    Examples
    --------
    >>> document_text({"b": 1, "a": "½"})
    '{"a":"½","b":1}'
    """
    try:
        return json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise UsageError(f"expected a document that JSON can hold: {error}") from None


TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
"""Sorted by code points on both databases, whatever the language of the server."""


class Words(TypeDecorator[str]):
    """Text of any length in any script; without NUL, which PostgreSQL cannot hold."""

    impl = TEXT
    cache_ok = True

    def process_bind_param(self, value: str | None, _dialect: Dialect) -> str | None:
        """Return the text, or say what cannot be kept."""
        if value is None:
            return None
        if "\0" in value:
            raise UsageError(f"expected text, found a NUL character in {value[:80]!r}: take it out")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise UsageError(
                f"expected text, found half a character in {value[:80]!r}: take it out"
            ) from None
        return value


class Number(TypeDecorator[float]):
    """A double, the same bits on both databases; never NaN, never infinite, never −0."""

    impl = sa.Double
    cache_ok = True

    def process_bind_param(self, value: float | None, _dialect: Dialect) -> float | None:
        """Return the number, or say that it is none."""
        if value is None:
            return None
        if not math.isfinite(value):
            raise UsageError(f"expected a number, found {value!r}: write null for an unknown value")
        return float(value) + 0.0  # SQLite drops the sign of −0


class Moment(TypeDecorator[datetime]):
    """A moment in UTC; goes in and comes out with its time zone."""

    impl = sa.DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, _dialect: Dialect) -> datetime | None:
        """Return the moment in UTC without its zone, as it is kept."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise UsageError(f"expected a moment with its time zone, found {value.isoformat()}")
        return value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, _dialect: Dialect) -> datetime | None:
        """Return the moment with its zone."""
        return None if value is None else value.replace(tzinfo=UTC)


class Document(TypeDecorator[Any]):
    """A JSON document, kept as text with sorted keys: equal documents are equal bytes."""

    impl = TEXT
    cache_ok = True

    def process_bind_param(self, value: Any, _dialect: Dialect) -> str | None:
        """Return the text of a document."""
        return None if value is None else document_text(value)

    def process_result_value(self, value: str | None, _dialect: Dialect) -> Any:
        """Return the document of a text."""
        return None if value is None else json.loads(value)


def row_number(number: int) -> int:
    """Return a number to look a row up by; 0, which no row has, for one that is too large for a column.

    Examples
    --------
    >>> row_number(7), row_number(10**30)
    (7, 0)
    """
    return number if 0 < number < LARGEST else 0


# What happened: players, files, events, games, decisions, and what waits for one.

STATUSES = "status IN ('played', 'unrated', 'forfeit', 'bye', 'unplayed')"
imports = sa.Table(
    "imports",
    METADATA,
    schema_row_number(),
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
    schema_row_number(),
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
    schema_row_number(),
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
    schema_row_number(),
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
    schema_row_number(),
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
    schema_row_number(),
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
    schema_row_number(),
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


# What followed: policies, runs with their workings, lists, norms and titles.

policies = sa.Table(
    "policies",
    METADATA,
    schema_row_number(),
    Column("name", Words, nullable=False),
    Column("version", Integer, nullable=False),
    Column("document", Document, nullable=False),
    Column("created", Moment, nullable=False),
    UniqueConstraint("name", "version"),
)
runs = sa.Table(
    "runs",
    METADATA,
    schema_row_number(),
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
    schema_row_number(),
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
list_hashes = sa.Table(  # of what is published: `db.check` writes and compares them
    "list_hashes",
    METADATA,
    Column(
        "list_id",
        Integer,
        sa.ForeignKey("lists.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("entries", Integer, nullable=False),
    Column("sha256", Words, nullable=False),
)
norms = sa.Table(
    "norms",
    METADATA,
    schema_row_number(),
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
    schema_row_number(),
    to("player_id", "players.id"),
    Column("title", Words, nullable=False),
    Column("date", sa.Date),
    Column("rules", Words, nullable=False),
    Column("because", Document),  # numbers of the norms
    UniqueConstraint("player_id", "title", "rules"),
)


# Who may do what in the web app, and what it does in the background.

identity = sa.Table(
    "identity",
    METADATA,
    schema_row_number(),
    Column("value", Words, nullable=False),  # random: no other ledger and no restored copy has it
    Column("last_account", Integer, nullable=False),  # numbers of accounts are never used again
)
accounts = sa.Table(
    "accounts",
    METADATA,
    schema_row_number(),
    Column("name", Words, nullable=False, unique=True),
    Column("password", Words, nullable=False),  # argon2's hash, never the password
    Column("role", Words, nullable=False),
    Column("epoch", Integer, nullable=False),  # counts changes of the account
    Column("created", Moment, nullable=False),
    sa.CheckConstraint("role IN ('viewer', 'arbiter', 'officer', 'administrator')", name="role"),
)
sessions = sa.Table(
    "sessions",
    METADATA,
    Column("key", Words, primary_key=True),  # a hash of what the cookie holds
    to("account_id", "accounts.id", ondelete="CASCADE"),
    Column("created", Moment, nullable=False),
    Column("expires", Moment, nullable=False),
    Column("address", Words, nullable=False),
    Column("browser", Words, nullable=False),
    Index(None, "account_id"),
)
tokens = sa.Table(  # of programs that upload
    "tokens",
    METADATA,
    schema_row_number(),
    Column("key", Words, nullable=False, unique=True),  # a hash of the token
    to("account_id", "accounts.id", ondelete="CASCADE"),
    Column("name", Words, nullable=False),
    Column("created", Moment, nullable=False),
    Column("expires", Moment, nullable=False),
    Index(None, "account_id"),
)
uploads = sa.Table(  # files between their preview and their import, in compressed parts
    "uploads",
    METADATA,
    Column("key", Words, nullable=False),
    Column("part", Integer, nullable=False, autoincrement=False),
    Column("created", Moment, nullable=False),
    Column("content", sa.LargeBinary, nullable=False),
    PrimaryKeyConstraint("key", "part"),
)
attempts = sa.Table(
    "attempts",
    METADATA,
    schema_row_number(),
    Column("name", Words, nullable=False),  # as it was typed: it may be nobody's
    Column("address", Words, nullable=False),
    Column("when", Moment, nullable=False),
    Index(None, "name"),
    Index(None, "address"),
)
jobs = sa.Table(
    "jobs",
    METADATA,
    schema_row_number(),
    Column("kind", Words, nullable=False),  # import, list, analyse, …
    Column("arguments", Document, nullable=False),
    Column("state", Words, nullable=False),
    Column("who", Words, nullable=False),
    Column("created", Moment, nullable=False),
    Column("started", Moment),
    Column("finished", Moment),
    Column("seen", Moment),  # when its worker was last heard of
    Column("done", Integer, nullable=False, default=0),
    Column("total", Integer),  # null: nobody knows yet
    Column("says", Words),  # what it is at, or why it failed
    Column("result", Document),
    Column("stop", sa.Boolean, nullable=False, default=False),  # somebody asked it to stop
    sa.CheckConstraint("state IN ('waiting', 'running', 'done', 'failed', 'stopped')", name="state"),
    Index(None, "state"),
)
