"""What the ledger knows already of players, events and files: what an import is compared with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl
import sqlalchemy as sa

from arpad.office.event_content import canonical
from arpad.office.names import fold
from arpad.schema import schema
from arpad.store.ledger import tables
from arpad.store.ledger.bulk import frame, next_id

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

__all__ = ["Known", "Numbers", "given_ratings", "stamp"]

FEW = 2_000
"""Players up to which their given ratings are looked up one by one; above, all games are read."""

CHUNK = 500

PLAYERS = schema(
    {
        "id": pl.Int64,
        "player": pl.Int64,  # who it is today, merges applied
        "name": pl.String,
        "birth": pl.String,
        "federation": pl.String,
        "sex": pl.String,
        "title": pl.String,
    }
)
SPELLINGS = schema(
    {"player": pl.Int64, "name": pl.String, "fold": pl.String, "settled": pl.Boolean}
)
IDS = schema({"player": pl.Int64, "scheme": pl.String, "value": pl.String})
EVENTS = schema(
    {
        "id": pl.Int64,
        "name": pl.String,
        "fold": pl.String,
        "site": pl.String,
        "start": pl.Date,
        "end": pl.Date,
        "source": pl.String,
        "content": pl.String,
    }
)
FILES = schema({"id": pl.Int64, "file": pl.String, "sha256": pl.String})
RATINGS = schema({"player": pl.Int64, "rating": pl.Float64, "day": pl.Date})


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """The number that the next row of each table has."""

    imports: int = 1
    players: int = 1
    events: int = 1
    games: int = 1
    doubts: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """Players, their spellings and ids, events and files, as they stand now or would stand."""

    players: pl.DataFrame
    spellings: pl.DataFrame
    ids: pl.DataFrame
    events: pl.DataFrame
    files: pl.DataFrame
    ratings: pl.DataFrame
    """Given ratings of files that are not in the database yet: a preview of several files."""
    numbers: Numbers

    @classmethod
    def nothing(cls) -> Known:
        """Return what an empty ledger knows."""
        return cls(
            players=PLAYERS.to_frame(eager=True),
            spellings=SPELLINGS.to_frame(eager=True),
            ids=IDS.to_frame(eager=True),
            events=EVENTS.to_frame(eager=True),
            files=FILES.to_frame(eager=True),
            ratings=RATINGS.to_frame(eager=True),
            numbers=Numbers(),
        )

    @classmethod
    def of(cls, connection: Connection) -> Known:
        """Read what a ledger knows."""
        p, n, i, e, f = (
            tables.players, tables.player_names, tables.player_ids, tables.events, tables.imports,
        )  # fmt: skip
        players = frame(
            connection,
            sa.select(
                *(p.c[c] for c in ("id", "merged_into", "name", "birth", "federation", "sex", "title"))
            ).order_by(p.c.id),
        )  # fmt: skip
        players = players.with_columns(canonical(players))
        today = players.select("id", "player")
        spelled = frame(
            connection,
            sa.select(n.c.player_id.label("id"), n.c.name, n.c.fold).order_by(n.c.player_id, n.c.name),
        )  # fmt: skip
        ids = frame(
            connection,
            sa.select(i.c.player_id.label("id"), i.c.scheme, i.c.value).order_by(i.c.scheme, i.c.value),
        )  # fmt: skip
        events = frame(
            connection,
            sa.select(
                *(e.c[c] for c in ("id", "name", "site", "start", "end", "source", "content"))
            ).order_by(e.c.id),
        )
        files = frame(connection, sa.select(f.c.id, f.c.file, f.c.sha256).order_by(f.c.id))
        folds = pl.Series("fold", [fold(name) for name in events["name"]], dtype=pl.String)
        return cls(
            players=players.select(PLAYERS.names()),
            spellings=_spellings(spelled.join(today, on="id", maintain_order="left")),
            ids=ids.join(today, on="id", maintain_order="left").select(IDS.names()),
            events=events.with_columns(folds).select(EVENTS.names()),
            files=files,
            ratings=RATINGS.to_frame(eager=True),
            numbers=Numbers(
                **{
                    name: next_id(connection, getattr(tables, name))
                    for name in ("imports", "players", "events", "games", "doubts")
                }
            ),
        )

    def profiles(self) -> pl.DataFrame:
        """Return what is known of each player of today."""
        own = pl.col("id") == pl.col("player")
        kept = self.players.filter(own)
        return kept.select("player", "birth", "federation", "title", "sex")

    def ids_of(self, scheme: str) -> pl.DataFrame:
        """Return the players and their ids of one scheme."""
        return self.ids.filter(pl.col("scheme") == scheme).select("player", "value")

    def file(self, sha256: str) -> tuple[int, str] | None:
        """Return the number and the name under which a content was imported before."""
        found = self.files.filter(pl.col("sha256") == sha256)
        return None if found.is_empty() else found.select("id", "file").row(0)

    def more(self, *, numbers: Numbers, files: pl.DataFrame, **frames: pl.DataFrame) -> Known:
        """Return what will be known once these rows are there, too."""
        return replace(
            self,
            numbers=numbers,
            files=pl.concat([self.files, files]),
            **{name: pl.concat([getattr(self, name), rows]) for name, rows in frames.items()},
        )


def _spellings(spelled: pl.DataFrame) -> pl.DataFrame:
    """Return the spellings of each player of today; first those that somebody decided on."""
    settled = pl.col("id") != pl.col("player")
    return (
        spelled.with_columns(settled.alias("settled"))
        .sort("player", pl.col("settled").not_(), "id", "name")
        .unique(["player", "fold"], keep="first", maintain_order=True)
        .select(SPELLINGS.names())
    )


def stamp(connection: Connection) -> tuple[int, ...]:
    """Return numbers that change whenever somebody else has written."""
    seen = [next_id(connection, getattr(tables, t)) for t in ("imports", "decisions", "players")]
    return tuple(seen)


def given_ratings(connection: Connection, players: pl.Series, today: pl.DataFrame) -> pl.DataFrame:
    """Return the last rating that a file gave to each of these players, and its day.

    Parameters
    ----------
    players
        Players of today.
    today
        `id`, `player`: who each row of the ledger is today.
    """
    rows = today.filter(pl.col("player").is_in(players.implode()))
    wanted = rows["id"].to_list()
    found = []
    for side in ("white", "black"):
        g = tables.games
        who, rating = g.c[f"{side}_id"], g.c[f"{side}_rating"]
        query = sa.select(who.label("id"), rating.label("rating"), g.c.date.label("day")).where(
            rating.is_not(None), g.c.date.is_not(None)
        )
        chunks = [wanted[at : at + CHUNK] for at in range(0, len(wanted), CHUNK)]
        if len(wanted) > FEW:
            found.append(frame(connection, query.order_by(g.c.id)))
        else:
            found += [frame(connection, query.where(who.in_(c)).order_by(g.c.id)) for c in chunks]
    listed = (
        sa.select(
            tables.entries.c.player_id.label("id"),
            tables.entries.c.rating,
            tables.lists.c.closing.label("day"),
        )
        .join(tables.lists, tables.lists.c.id == tables.entries.c.list_id)
        .where(tables.lists.c.run_id.is_(None), tables.entries.c.rating.is_not(None))
        .order_by(tables.entries.c.list_id, tables.entries.c.player_id)
    )
    found.append(frame(connection, listed))
    return (
        pl.concat(found)
        .join(rows, on="id", maintain_order="left")
        .sort("player", "day", "rating")
        .group_by("player", maintain_order=True)
        .agg(pl.col("rating").last(), pl.col("day").last())
    )
