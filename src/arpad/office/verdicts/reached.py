"""Ratings that somebody has reached: on a published list, on a list that was imported, or in a report."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import polars as pl
import sqlalchemy as sa

from arpad.office.records.merges import merged_ends, people_today
from arpad.store.ledger import tables
from arpad.store.ledger.bulk import frame

if TYPE_CHECKING:
    from datetime import date

    from sqlalchemy.engine import Connection

__all__ = ["Reached", "Reaches", "ratings_reached"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """A rating, since when, and where it stands."""

    rating: float
    on: date | None
    where: str
    """`list 2026-11 (fide)` or `report of Spring Open`."""


class Reaches:
    """Everybody's ratings over time: `player`, `rating`, `on`, `where`, `games`; by player and day."""

    def __init__(self, rows: pl.DataFrame) -> None:
        self.rows = rows
        self._first: dict[float, dict[int, Reached]] = {}

    def first(self, player: int, least: float) -> Reached | None:
        """Return where a player first had such a rating; None: not yet."""
        if least not in self._first:
            self._first[least] = _firsts(self.rows.filter(pl.col("rating") >= least))
        return self._first[least].get(player)

    def best(self, player: int) -> Reached | None:
        """Return the highest rating of a player, where it stood first."""
        return self._best.get(player)

    def games(self, player: int) -> int:
        """Return on how many games a player's ratings rest, as far as lists tell."""
        return self._games.get(player, 0)

    def above(self, least: float) -> list[int]:
        """Return everybody who ever had such a rating."""
        return self.rows.filter(pl.col("rating") >= least)["player"].unique().sort().to_list()

    @cached_property
    def _best(self) -> dict[int, Reached]:
        return _firsts(self.rows.filter(pl.col("rating") == pl.col("rating").max().over("player")))

    @cached_property
    def _games(self) -> dict[int, int]:
        known = self.rows.filter(pl.col("games").is_not_null())
        return dict(known.group_by("player").agg(pl.col("games").max()).iter_rows())


def _firsts(rows: pl.DataFrame) -> dict[int, Reached]:
    first = rows.group_by("player", maintain_order=True).first()
    return {
        player: Reached(rating=rating, on=on, where=where)
        for player, rating, on, where in first.select("player", "rating", "on", "where").iter_rows()
    }


def ratings_reached(connection: Connection, policy: str | None = None) -> Reaches:
    """Return the ratings that count toward titles.

    Those of reports (rated on the day of the game), of lists that were imported, and of a policy's published
    lists where one is named. A draft is no rating yet.
    """
    rows = pl.concat([_listed(connection, policy), *_given(connection)])
    today = people_today(rows["id"], merged_ends(connection))
    rows = (
        rows.with_columns(today.alias("player"))
        .select("player", "rating", "on", "where", "games")
        .sort("player", "on", "rating", "where", nulls_last=True, maintain_order=True)
    )
    return Reaches(rows)


def _listed(connection: Connection, policy: str | None) -> pl.DataFrame:
    n, t, p = tables.entries, tables.lists, tables.policies
    counts: sa.ColumnElement[bool] = t.c.run_id.is_(None)  # a list that was given
    if policy is not None:
        counts = sa.or_(counts, sa.and_(p.c.name == policy, t.c.published.is_not(None)))
    where = sa.literal("list ") + t.c.name + " (" + p.c.name + ")"
    return frame(
        connection,
        sa.select(
            n.c.player_id.label("id"),
            n.c.rating,
            sa.func.coalesce(t.c.effective, t.c.closing, type_=sa.Date).label("on"),
            where.label("where"),
            n.c.total_games.label("games"),
        )
        .join(t, t.c.id == n.c.list_id)
        .join(p, p.c.id == t.c.policy_id)
        .where(counts, n.c.rating.is_not(None))
        .order_by(t.c.id, n.c.player_id),
    )


def _given(connection: Connection) -> list[pl.DataFrame]:
    g, e = tables.games, tables.events
    day = sa.func.coalesce(g.c.date, e.c.end, e.c.start, type_=sa.Date)
    parts = []
    for side in ("white", "black"):
        who, rating = g.c[f"{side}_id"], g.c[f"{side}_rating"]
        query = (
            sa.select(
                who.label("id"),
                rating.label("rating"),
                sa.func.min(day, type_=sa.Date).label("on"),
                e.c.name,
            )
            .join(e, e.c.id == g.c.event_id)
            .where(
                rating.is_not(None),
                e.c.excluded.is_(False),
                sa.or_(e.c.time_control.is_(None), e.c.time_control == "standard"),
            )
            .group_by(who, rating, e.c.id, e.c.name)
            .order_by(who, e.c.id, rating)
        )
        parts.append(
            frame(connection, query).select(
                "id", "rating", "on", (pl.lit("report of ") + pl.col("name")).alias("where"),
                pl.lit(None, pl.Int64).alias("games"),
            )
        )  # fmt: skip
    return parts
