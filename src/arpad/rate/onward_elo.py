"""Elo's formula on arrays that go on: after every game, or all games of a day or a month at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.rate.elo_workings import k_arrays
from arpad.rate.expectancy import LOGISTIC, coded
from arpad.rate.onward import first_ratings, grown

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from arpad.rate.elo import Elo
    from arpad.read.batch import Batch

__all__ = ["EloWalker"]


class EloWalker:
    """Everybody's rating by Elo's formula."""

    whole = False

    def __init__(self, system: Elo) -> None:
        self.system = system
        self.players = 0
        self.ratings = np.zeros(0)
        self.counts = np.zeros(
            0, dtype=np.int64
        )  # for K: with the games that a given rating stands for
        self.played = np.zeros(0, dtype=np.int64)
        self.topped = np.zeros(0, dtype=np.bool_)
        self.first = np.zeros(0)  # the rating that somebody came with, NaN for newcomers
        self._waiting: list[Batch] = []

    def take(self, batch: Batch, players: int) -> None:
        """Rate games at once, or keep them until the month ends."""
        self._grow(players)
        if self.system.period != "game":
            self._waiting.append(batch)
            return
        self._begin(batch)
        self._rate(batch)

    def close(self, first: date | None) -> None:  # noqa: ARG002 - games have their days
        """Rate what waits for the end of the month."""
        if self._waiting:
            from arpad.read.batch import Batch

            month = Batch.joined(self._waiting)
            self._waiting = []
            self._begin(month)
            self._rate(month)

    def _grow(self, players: int) -> None:
        self.players = max(self.players, players)
        self.ratings = grown(self.ratings, players, self.system.start)
        self.counts, self.played = (grown(a, players, 0) for a in (self.counts, self.played))
        self.topped = grown(self.topped, players, self.system.start >= self.system.k.top)
        self.first = grown(self.first, players, np.nan)

    def _begin(self, batch: Batch) -> None:
        """Start who is new from the rating that the source gives, if it is wanted and there."""
        if not self.system.given or batch.ratings is None:
            return
        who, given = first_ratings(batch, self.played)
        who, given = who[~np.isnan(given)], given[~np.isnan(given)]
        self.ratings[who], self.first[who] = given, given
        self.counts[who] = self.system.k.new_games
        self.topped[who] = given >= self.system.k.top

    def _rate(self, batch: Batch) -> None:
        from arpad.rate import kernels

        k = self.system.k
        code, constants = coded(self.system.curve)
        games = (batch.white, batch.black, batch.score)
        now = (self.ratings, self.counts, self.topped)
        if self.system.period != "game":
            kernels.each_period(*games, self._periods(batch), *now, code, constants, *k_arrays(k))
        elif code == LOGISTIC and len(k.tiers) == 1 and not k.new_games:
            kernels.each_game_simple(*games, *now[:2], constants[0], k.tiers[0][1])
        else:
            kernels.each_game(*games, *now, code, constants, *k_arrays(k))
        for side in games[:2]:
            mine = np.bincount(side)
            self.played[: len(mine)] += mine

    def _periods(self, batch: Batch) -> np.ndarray:
        if self.system.period == "day":
            return batch.day.astype(np.int64)
        return np.zeros(len(batch), dtype=np.int64)

    def state(self) -> tuple[pl.DataFrame, dict[str, Any]]:
        """Return everybody's row."""
        n = self.players
        columns = {name: getattr(self, name)[:n] for name in ("ratings", "counts", "played", "topped", "first")}  # fmt: skip
        return pl.DataFrame(columns), {}

    def restore(self, rows: pl.DataFrame, rest: Mapping[str, Any]) -> None:  # noqa: ARG002
        """Take up where `state` was asked."""
        self.players = rows.height
        for name in rows.columns:
            setattr(self, name, rows[name].to_numpy().copy())

    def rows(self, people: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, object]]:
        """Return the list, with the columns that `Elo.rate` has."""
        system, n = self.system, people.height
        self._grow(n)
        ratings, first = self.ratings[:n], self.first[:n]
        counts, played = self.counts[:n], self.played[:n]
        doubt = np.where(np.isnan(first), system.newcomer_spread, 0.0)
        before = pl.Series(first).fill_nan(None)
        return pl.DataFrame(
            {
                "player": people["name"],
                "id": people["id"],
                "rating": ratings,
                "error": system.errors(ratings, counts, played, doubt),
                "games": played,
                "before": before,
                "change": pl.Series(ratings) - before,
                **({"topped": self.topped[:n]} if system.k.permanent else {}),
                "total_games": counts,
            }
        ), system.parameters()
