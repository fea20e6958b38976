"""Two lists side by side: who changed, by how much, because of which events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl
import sqlalchemy as sa

from arpad.office.making.lists import KeptList, entries_as_of, entries_kept
from arpad.office.making.runs import ancestry
from arpad.office.records.merges import merged_ends
from arpad.schema import schema
from arpad.store.ledger import tables
from arpad.store.ledger.bulk import frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.engine import Connection

__all__ = ["ListDiff", "list_diff"]

NAMED = 4
"""Events that a line names; the shares tell all of them."""

LEAST = 0.05
"""Points: a smaller share of an event is not worth naming."""

SHARES = schema(
    {"player_id": pl.Int64, "event_id": pl.Int64, "event": pl.String, "change": pl.Float64}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListDiff:
    """What is other on one list than on another.

    Parameters
    ----------
    rows
        `player_id`, `name`, `before` and `rating` (null: not there), `difference`, `because`; the largest
        differences first.
    shares
        What each event adds to the rating of each player on the second list, and did not on the first:
        games played meanwhile, and games that count otherwise than they did. Without an event: first
        ratings, floors, rounding, what was set by hand.
    """

    first: KeptList
    second: KeptList
    rows: pl.DataFrame
    shares: pl.DataFrame

    def summary(self) -> str:
        """Return one sentence."""
        both = self.rows["difference"].drop_nulls()
        new = self.rows.filter(pl.col("before").is_null()).height
        gone = self.rows.filter(pl.col("rating").is_null()).height
        return (
            f"{self.first.words} → {self.second.words}: {int((both != 0).sum()):,} figures changed,"
            f" {new:,} new, {gone:,} gone"
        )


def list_diff(
    connection: Connection, first: KeptList, second: KeptList, *, as_published: bool = False
) -> ListDiff:
    """Return what is other on the second list.

    Parameters
    ----------
    as_published
        Leave published corrections out.
    """
    read = entries_kept if as_published else entries_as_of
    was = read(connection, first).select("player_id", "name", pl.col("rating").alias("before"))
    now = read(connection, second).select("player_id", "name", "rating")
    rows = (
        now.join(was, on="player_id", how="full", coalesce=True)
        .filter(~pl.col("rating").eq_missing(pl.col("before")))
        .with_columns(
            pl.coalesce("name", "name_right").alias("name"),
            (pl.col("rating") - pl.col("before")).alias("difference"),
        )
        .sort(
            pl.col("difference").abs(), pl.col("name"), pl.col("player_id"),
            descending=[True, False, False], nulls_last=True,
        )
    )  # fmt: skip
    shares = _shares(connection, first, second, rows["player_id"])
    words = _words(shares)
    into = merged_ends(connection)
    because = [
        f"is player {into[p]} now" if p in into else words.get(p, "through opponents")
        for p in rows["player_id"]
    ]
    rows = rows.with_columns(pl.Series("because", because, dtype=pl.String))
    columns = ("player_id", "name", "before", "rating", "difference", "because")
    return ListDiff(first=first, second=second, rows=rows.select(columns), shares=shares)


def _shares(
    connection: Connection, first: KeptList, second: KeptList, players: pl.Series
) -> pl.DataFrame:
    """Return what every event adds, on the chain of the second list less that of the first."""
    one, two = ancestry(connection, first.run_id), ancestry(connection, second.run_id)
    added = _sums(connection, [run for run in two if run not in set(one)])
    taken = _sums(connection, [run for run in one if run not in set(two)])
    e = tables.events
    names = frame(connection, sa.select(e.c.id.label("event_id"), e.c.name.label("event")).order_by(e.c.id))  # fmt: skip
    return (
        pl.concat([added, taken.with_columns(-pl.col("change"))])
        .filter(pl.col("player_id").is_in(players.implode()))
        .group_by("player_id", "event_id")
        .agg(pl.col("change").sum().round(6))
        .filter(pl.col("change") != 0)
        .join(names, on="event_id", how="left")
        .select(SHARES.names())
        .cast(SHARES)
        .sort(
            pl.col("player_id"), pl.col("change").abs(), pl.col("event_id"),
            descending=[False, True, False], nulls_last=True,
        )
    )  # fmt: skip


def _sums(connection: Connection, runs: Sequence[int]) -> pl.DataFrame:
    s = tables.steps
    query = (
        sa.select(s.c.player_id, s.c.event_id, sa.func.sum(s.c.change).label("change"))
        .where(s.c.run_id.in_(runs))
        .group_by(s.c.player_id, s.c.event_id)
        .order_by(s.c.player_id, s.c.event_id)
    )
    return frame(connection, query, {"change": pl.Float64})


def _words(shares: pl.DataFrame) -> dict[int, str]:
    found: dict[int, list[str]] = {}
    for player, _, event, change in shares.iter_rows():
        if event is not None and abs(change) >= LEAST:
            found.setdefault(player, []).append(f"{event} {change:+.1f}".replace("-", "−"))
    return {
        player: ", ".join(said[:NAMED]) + (f" and {len(said) - NAMED} more" if len(said) > NAMED else "")
        for player, said in found.items()
    }  # fmt: skip
