"""What a history says: best five-year averages, lifetime curves, the best of a year, ages."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.errors import UsageError
from arpad.model import ranked
from arpad.pool.development import LEVELS, ages_at, development
from arpad.pool.directory import Directory

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arpad.pool.lifetime import Lifetime

__all__ = ["History", "TopAverage"]

SURE = 100.0
"""Points, half a class interval: a best average with a larger error of its own is not listed."""


@dataclass(frozen=True, slots=True)
class TopAverage:
    """The average of the best of a year, with the error of its level and of chance [5.73]."""

    year: int
    first: int
    last: int
    players: int
    rating: float
    error: float


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Ratings of every player in every period, at one level.

    Attributes
    ----------
    ratings
        A row a player a period: `player`, `period`, `first`, `last`, `year` (mean of the games),
        `rating`, `error` (of `own_error` and `level_error`), `games`, `published`.
    periods
        `first`, `last`, `players`, `games`, `left_out`, `level` (null where nothing links the
        period), `level_error`, `links` (players in it and in another).
    lives
        The lifetime curve of each player.
    births
        Year of birth by player, where known.
    joined, doubtful
        Names that were joined, and short names that fit several people.
    """

    ratings: pl.DataFrame
    periods: pl.DataFrame
    lives: Mapping[str, Lifetime]
    births: Mapping[str, float]
    joined: pl.DataFrame
    doubtful: tuple[str, ...]
    spelled: Mapping[str, str]
    parameters: Mapping[str, Any]
    source: Mapping[str, Any]

    def find(self, asked: str) -> str:
        """Return the player who is meant; the surname alone means its most active bearer."""
        games = [int(life.games.sum()) for life in self.lives.values()]
        found = Directory.of(list(self.lives), games, self.spelled).find(asked)
        if found is None:
            raise UsageError(
                f"expected a player who stands in a crosstable, found {asked!r}: another name, or too few games?"
            )
        return found

    def table(self, top: int | None = None) -> pl.DataFrame:
        """Return best averages, best first.

        `rank`, `player`, `rating`, `error`, `games`, `first`, `last`; the highest point of the smoothed
        curve, `peak`, `peak_error`, `peak_year`; `age` in the middle of the best years, where the birth
        is known. Who has too few games, or too large an error, is not in it.
        """
        window, enough = int(self.parameters["window"]), int(self.parameters["enough"])
        rows = []
        for name, life in self.lives.items():
            best = life.best(window, enough)
            if best is None or best.own_error > SURE:
                continue
            year, peak, peak_error = life.peak()
            born = self.births.get(name)
            age = None if born is None else (best.first + best.last + 1) / 2 - born
            rows.append(
                (
                    name,
                    best.rating,
                    best.error,
                    best.games,
                    best.first,
                    best.last,
                    peak,
                    peak_error,
                    year,
                    age,
                )
            )
        found = ranked(pl.DataFrame(rows, schema=_BEST, orient="row"))
        return found if top is None else found.head(top)

    def lifetime(self, player: str) -> pl.DataFrame:
        """Return a player's smoothed curve: `year`, `rating`, `error`, `games` [5.51, 5.52]."""
        return self.lives[self.find(player)].frame()

    def top(self, year: int, n: int = 20) -> pl.DataFrame:
        """Return the best of the period around a year: `rank`, `player`, `rating`, `error`, `games`."""
        period = self._period(year)
        rows = self.ratings.filter(
            (pl.col("period") == period["period"])
            & (pl.col("games") >= self.parameters["fewest_games"])
        )
        shown = ("rank", "player", "rating", "error", "games", "first", "last")
        return ranked(rows).select(shown).head(n)

    def top_average(self, year: int, n: int = 20) -> TopAverage:
        """Return the average of the best of a year [5.73]."""
        period = self._period(year)
        best = self.top(year, n)
        level = float(period["level_error"])
        own = float((best["error"] ** 2).sum()) - best.height * level**2
        error = math.sqrt(max(own, 0.0) / best.height**2 + level**2)
        mean = float(best["rating"].mean())  # type: ignore[arg-type]
        return TopAverage(year, period["first"], period["last"], best.height, mean, error)

    def _period(self, year: int) -> dict[str, Any]:
        linked = self.periods.filter(pl.col("level").is_not_null())
        around = linked.filter(pl.lit(year).is_between(pl.col("first"), pl.col("last")))
        if around.is_empty():
            low, high = linked["first"][0], linked["last"][-1]
            raise UsageError(
                f"expected a year from {low} to {high} with a crosstable, found {year}"
            )
        off = ((around["first"] + around["last"]) / 2 - year).abs()
        return around.row(int(off.arg_min() or 0), named=True)

    def _curves(self) -> dict[str, pl.DataFrame]:
        """Return the curves of those whose birth is known."""
        return {name: life.frame() for name, life in self.lives.items() if name in self.births}

    def development(self) -> pl.DataFrame:
        """Return strength by age, points above age 21, from players whose birth is known [6.2]."""
        return development(self._curves(), self.births)

    def ages_at(self, levels: Sequence[float] = LEVELS) -> pl.DataFrame:
        """Return at what age, on average, levels were reached [6.42]."""
        return ages_at(self._curves(), self.births, levels)

    def summary(self) -> str:
        """Return one sentence on what was studied and how."""
        linked = self.periods.filter(pl.col("level").is_not_null())
        left = sum(self.source["left_out"].values())
        p = self.parameters
        return (
            f"history: {self.source['games']:,} games in {linked.height} linked periods {linked['first'][0]}–"
            f"{linked['last'][-1]}, {self.ratings['player'].n_unique():,} players (window {p['window']}, step {p['step']}, "
            f"ageing {p['ageing']}, level from {p['level']}); left out: {left:,} games; births known: "
            f"{len(self.births):,}; names joined: {self.joined.height:,}; input {self.source['fingerprint']}"
        )


_BEST = {
    "player": pl.String, "rating": pl.Float64, "error": pl.Float64, "games": pl.Int64, "first": pl.Int64,
    "last": pl.Int64, "peak": pl.Float64, "peak_error": pl.Float64, "peak_year": pl.Int64, "age": pl.Float64,
}  # fmt: skip
