"""What the ledger knows already of players, events and files: what an import is compared with.

Questions are asked for the few rows that matter: one more event in a ledger of a million games looks
at its own players only. Rows that a preview would have written are known beside those of the database.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl
import sqlalchemy as sa

from arpad.office.records.merges import end_of
from arpad.schema import schema
from arpad.store.ledger import tables
from arpad.store.ledger.bulk import frame, next_id

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from sqlalchemy.engine import Connection

__all__ = ["COUNTED", "Register", "among"]

FEW = 4_000
"""Values up to which rows are looked up by them; above, the whole table is read."""

CHUNK = 500
"""Values in one IN (…): SQLite takes more, but not without end."""

COUNTED = ("imports", "players", "events", "games", "doubts")
"""Tables whose rows an import numbers."""

MERGED = schema({"id": pl.Int64, "today": pl.Int64})
IDS = schema({"player": pl.Int64, "value": pl.String})
SPELLINGS = schema(
    {"player": pl.Int64, "name": pl.String, "fold": pl.String, "settled": pl.Boolean}
)
PROFILES = schema(
    {"player": pl.Int64, "name": pl.String, "birth": pl.String, "federation": pl.String, "sex": pl.String, "title": pl.String}
)  # fmt: skip
EVENTS = schema(
    {"id": pl.Int64, "name": pl.String, "site": pl.String, "start": pl.Date, "end": pl.Date, "source": pl.String, "content": pl.String}
)  # fmt: skip
RATINGS = schema({"player": pl.Int64, "rating": pl.Float64, "day": pl.Date})


def among(
    connection: Connection,
    query: sa.Select[Any],
    column: sa.Column[Any],
    values: list[Any],
    order: sa.Column[Any],
) -> pl.DataFrame:
    """Return the rows whose column has one of these values."""
    if len(values) > FEW:
        every = frame(connection, query.order_by(order))
        return every.filter(pl.col(_called(query, column)).is_in(pl.Series(values).implode()))
    chunks = [values[at : at + CHUNK] for at in range(0, len(values), CHUNK)] or [[]]
    return pl.concat(
        frame(connection, query.where(column.in_(chunk)).order_by(order)) for chunk in chunks
    )


@dataclass(slots=True)
class Register:
    """Answers of a ledger (`connection` is None: there is none yet), and what comes on top of them.

    `added` holds rows of a preview by their table, as `among` would return them.
    """

    connection: Connection | None
    numbers: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTED, 1))
    added: dict[str, list[pl.DataFrame]] = field(default_factory=dict)
    all_spellings: pl.DataFrame | None = None
    _merged: dict[int, int] | None = None

    @classmethod
    def of(cls, connection: Connection) -> Register:
        """Return the register of a ledger."""
        return cls(
            connection, {name: next_id(connection, getattr(tables, name)) for name in COUNTED}
        )

    def merged(self) -> Mapping[int, int]:
        """Return who each player that was merged is today."""
        if self._merged is None:
            p, into = tables.players, {}
            if self.connection is not None:
                rows = self.connection.execute(
                    sa.select(p.c.id, p.c.merged_into)
                    .where(p.c.merged_into.is_not(None))
                    .order_by(p.c.id)
                )
                into = {row[0]: row[1] for row in rows}
            self._merged = {player: end_of(player, into) for player in into}
        return self._merged

    def file(self, sha256: str) -> tuple[int, str] | None:
        """Return number and name of the import that had this content."""
        f = tables.imports
        query = sa.select(f.c.id, f.c.file, f.c.sha256)
        found = self._rows("imports", query, f.c.sha256, [sha256], f.c.id)
        return None if found.is_empty() else found.sort("id").select("id", "file").row(0)

    def ids(self, scheme: str, values: list[str]) -> pl.DataFrame:
        """Return the players that have these ids of a scheme."""
        i = tables.player_ids
        query = sa.select(i.c.player_id.label("player"), i.c.scheme, i.c.value).where(
            i.c.scheme == scheme
        )
        found = self._rows("player_ids", query, i.c.value, values, i.c.value)
        return self._today(found.filter(pl.col("scheme") == scheme)).select(IDS.names())

    def ids_of(self, scheme: str, players: pl.Series) -> pl.DataFrame:
        """Return the ids of a scheme that these players have."""
        i = tables.player_ids
        query = sa.select(i.c.player_id.label("player"), i.c.scheme, i.c.value).where(
            i.c.scheme == scheme
        )
        found = self._rows("player_ids", query, i.c.player_id, self.everybody(players), i.c.value)
        return self._today(found.filter(pl.col("scheme") == scheme)).select(IDS.names())

    def spellings(self, players: pl.Series | None = None) -> pl.DataFrame:
        """Return every spelling of these players (of all); first those that somebody decided on."""
        if players is None and self.all_spellings is not None:
            return self.all_spellings
        n = tables.player_names
        query = sa.select(n.c.player_id.label("id"), n.c.name, n.c.fold)
        if players is None:
            found = self._all("player_names", query, n.c.player_id)
        else:
            found = self._rows(
                "player_names", query, n.c.player_id, self.everybody(players), n.c.player_id
            )
        found = self._today(found.with_columns(pl.col("id").alias("player")))
        found = (
            found.with_columns((pl.col("id") != pl.col("player")).alias("settled"))
            .sort("player", pl.col("settled").not_(), "id", "name")
            .unique(["player", "fold"], keep="first", maintain_order=True)
            .select(SPELLINGS.names())
        )
        if players is None:
            self.all_spellings = found
        return found

    def profiles(self, players: pl.Series) -> pl.DataFrame:
        """Return what is known of these players of today."""
        p = tables.players
        fields = [p.c[name] for name in PROFILES if name != "player"]
        query = sa.select(p.c.id.label("player"), *fields)
        found = self._rows("players", query, p.c.id, players.unique().sort().to_list(), p.c.id)
        # A preview knows more of a player than the database: the last word counts.
        return (
            found.group_by("player", maintain_order=True)
            .agg(pl.col(c).drop_nulls().last() for c in PROFILES if c != "player")
            .sort("player")
        )

    def events_by_source(self, sources: list[str]) -> pl.DataFrame:
        """Return `id` and `source` of the events with these sources."""
        e = tables.events
        return self._rows("events", self._events(), e.c.source, sources, e.c.id)

    def events(self, numbers: pl.Series) -> pl.DataFrame:
        """Return events by their numbers."""
        e = tables.events
        return self._rows("events", self._events(), e.c.id, numbers.unique().to_list(), e.c.id)

    def events_between(self, start: date, end: date) -> pl.DataFrame:
        """Return the events that have a day in common with a span of time."""
        e = tables.events
        query = self._events().where(e.c.start <= end, e.c.end >= start)
        found = self._all("events", query, e.c.id)
        return found.filter((pl.col("start") <= end) & (pl.col("end") >= start))

    def ratings(self, players: pl.Series) -> pl.DataFrame:
        """Return the last rating that a file gave to each of these players, and its day."""
        wanted = self.everybody(players)
        parts = [rows.select(RATINGS.names()) for rows in self.added.get("ratings", [])]
        if self.connection is not None:
            parts += [given for query, who, order in _given()
                      for given in [among(self.connection, query, who, wanted, order)]]  # fmt: skip
        every = self._today(pl.concat(parts) if parts else RATINGS.to_frame(eager=True))
        return (
            every.filter(pl.col("player").is_in(players.implode()))
            .drop_nulls()
            .sort("player", "day", "rating")
            .unique("player", keep="last", maintain_order=True)
        )

    def everybody(self, players: pl.Series) -> list[int]:
        """Return these players and all that were merged into them."""
        wanted = set(players.to_list())
        return sorted(wanted | {old for old, today in self.merged().items() if today in wanted})

    def _events(self) -> sa.Select[Any]:
        return sa.select(*(tables.events.c[name] for name in EVENTS))

    def _today(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Put who a player is today in the place of who it was."""
        merged = self.merged()
        if not merged:
            return rows
        return rows.with_columns(pl.col("player").replace(dict(merged)))

    def _all(self, name: str, query: sa.Select[Any], order: sa.Column[Any]) -> pl.DataFrame:
        parts = list(self.added.get(name, []))
        if self.connection is not None:
            parts.insert(0, frame(self.connection, query.order_by(order)))
        return pl.concat(parts) if parts else _empty(query)

    def _rows(
        self,
        name: str,
        query: sa.Select[Any],
        column: sa.Column[Any],
        values: list[Any],
        order: sa.Column[Any],
    ) -> pl.DataFrame:
        kept = _called(query, column)
        parts = [
            rows.filter(pl.col(kept).is_in(pl.Series(values, dtype=rows.schema[kept]).implode()))
            for rows in self.added.get(name, [])
        ]
        if self.connection is not None:
            parts.insert(0, among(self.connection, query, column, values, order))
        return pl.concat(parts) if parts else _empty(query)


def _given() -> list[tuple[sa.Select[Any], sa.Column[Any], sa.Column[Any]]]:
    """Return queries for the ratings that files gave: beside games, and in lists of others."""
    g, e, li = tables.games, tables.entries, tables.lists
    found = []
    for side in ("white", "black"):
        who, rating = g.c[f"{side}_id"], g.c[f"{side}_rating"]
        query = sa.select(who.label("player"), rating.label("rating"), g.c.date.label("day"))
        found.append((query.where(rating.is_not(None)), who, g.c.id))
    listed = (
        sa.select(e.c.player_id.label("player"), e.c.rating, li.c.closing.label("day"))
        .join(li, li.c.id == e.c.list_id)
        .where(li.c.run_id.is_(None), li.c.published.is_not(None))
    )
    return [*found, (listed, e.c.player_id, e.c.list_id)]


def _called(query: sa.Select[Any], column: sa.Column[Any]) -> str:
    """Return what a column of a table is called in a query."""
    for found in query.selected_columns:
        if found is column or getattr(found, "element", None) is column:
            return str(found.name)
    raise KeyError(column.name)


def _empty(query: sa.Select[Any]) -> pl.DataFrame:
    from arpad.store.ledger.bulk import polars_type

    return pl.DataFrame(schema={c.name: polars_type(c.type) for c in query.selected_columns})
