"""Every other system that can go on from a list: it is called with a month and the list before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.model import Games, Ratings
from arpad.rate.next_list import next_list
from arpad.rate.onward import grown

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from arpad.rate.systems import RatingSystem
    from arpad.read.batch import Batch

__all__ = ["ListWalker"]


class ListWalker:
    """A list that grows month by month; a player's number stands in its column `id`."""

    whole = True

    def __init__(self, system: RatingSystem) -> None:
        self.system = system
        self.listed: Ratings | None = None
        self.played = np.zeros(0, dtype=np.int64)
        self.first = np.zeros(0)
        self._waiting: Batch | None = None

    def take(self, batch: Batch, players: int) -> None:
        """Keep the games until the month ends."""
        self._waiting = batch
        self.played = grown(self.played, players, 0)
        self.first = grown(self.first, players, np.nan)

    def close(self, first: date | None) -> None:
        """Rate the month; who does not play stays on the list."""
        batch, self._waiting = self._waiting, None
        if batch is None or batch.games is None or batch.numbers is None or not len(batch):
            return
        games = _numbered(batch.games, batch.numbers, first)
        rated, self.listed = next_list(self.system, games, self.listed)
        self._count(rated)

    def _count(self, rated: Ratings) -> None:
        who = rated.rows["id"].cast(pl.Int64).to_numpy()
        new = who[self.played[who] == 0]
        before = rated.rows["before"].cast(pl.Float64).fill_null(np.nan).to_numpy()
        self.first[new] = before[self.played[who] == 0]
        self.played[who] += rated.rows["games"].cast(pl.Int64).to_numpy()

    def state(self) -> tuple[pl.DataFrame, dict[str, Any]]:
        """Return the list, with the games of everybody and the rating that each came with."""
        if self.listed is None:
            return pl.DataFrame(), {}
        who = self.listed.rows["id"].cast(pl.Int64).to_numpy()
        rows = self.listed.rows.with_columns(
            pl.Series("_played", self.played[who]), pl.Series("_first", self.first[who])
        )
        shift = {k: v for k, v in self.listed.source.items() if isinstance(v, int | float)}
        return rows, {"parameters": _plain(self.listed.parameters), "source": shift}

    def restore(self, rows: pl.DataFrame, rest: Mapping[str, Any]) -> None:
        """Take up where `state` was asked."""
        if not rows.width:
            return
        who = rows["id"].cast(pl.Int64).to_numpy()
        most = int(who.max(initial=-1)) + 1
        self.played, self.first = np.zeros(most, dtype=np.int64), np.full(most, np.nan)
        self.played[who] = rows["_played"].to_numpy()
        self.first[who] = rows["_first"].to_numpy()
        self.listed = Ratings(
            system=self.system.name, rows=rows.drop("_played", "_first"),
            parameters=rest["parameters"], source=rest["source"],
        )  # fmt: skip

    def rows(self, people: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, object]]:
        """Return the list; what it says of games beside their number is of each player's last month."""
        if self.listed is None:
            empty = pl.DataFrame(schema={"player": pl.String, "id": pl.String, "rating": pl.Float64, "games": pl.Int64})  # fmt: skip
            return empty, self.system.parameters()
        who = self.listed.rows["id"].cast(pl.Int64)
        numbers = who.to_numpy()
        before = pl.Series("before", self.first[numbers]).fill_nan(None)
        rows = self.listed.rows.drop("rank").with_columns(
            people["name"].gather(who).alias("player"),
            people["id"].gather(who).alias("id"),
            pl.Series("games", self.played[numbers]),
            before,
            (pl.col("rating") - before).alias("change"),
        )
        return rows, dict(self.listed.parameters)


def _plain(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters as JSON can keep them."""
    return {k: v if isinstance(v, int | float | str | bool | None) else str(v) for k, v in parameters.items()}  # fmt: skip


def _numbered(games: Games, numbers: np.ndarray, first: date | None) -> Games:
    """Return games whose players have their numbers as ids, and dates where only the month is known."""
    players = games.players.with_columns(pl.Series("id", numbers).cast(pl.String))
    table = games.table
    if first is not None and table["date"].null_count() == table.height:
        table = table.with_columns(pl.lit(first, dtype=pl.Date).alias("date"))
    return Games(table, players, games.events)
