"""Five-year crosstables, each solved by itself [Elo 5.42, 5.43]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.rate.groups import find_groups
from arpad.rate.pairs import Pairs, add_up
from arpad.rate.pool_exact import solve
from arpad.scale import Curve, Logistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Crosstables", "Periods", "solve_periods"]

WINDOW = 5
"""Years of a crosstable: fewer, and the data of some players mean nothing [5.43]."""

FEWEST_PLAYERS = 20
"""Players in the book's crosstables of the early years [5.43]."""

LONGEST = 17
"""Years of the book's longest crosstable, 1846 to 1862 [5.43]."""

FEWEST_GAMES = 10
"""Games, against others who have as many, that bring a player into a crosstable. Ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Periods:
    """How time is cut.

    Parameters
    ----------
    window
        Years of a crosstable.
    step
        Years from the start of one to the start of the next; less than `window` makes them overlap.
    fewest_players, longest
        A period that has fewer players grows year by year until it has them, but not beyond
        `longest` years; where that does not help, it starts a year later.
    fewest_games
        In one period, against others in the crosstable.
    """

    window: int = WINDOW
    step: int = WINDOW
    fewest_players: int = FEWEST_PLAYERS
    fewest_games: int = FEWEST_GAMES
    longest: int = LONGEST

    def __post_init__(self) -> None:
        if not (1 <= self.step <= self.window <= self.longest):
            raise UsageError(
                f"expected 1 ≤ step ≤ window ≤ longest, found {self.step}, {self.window}, {self.longest}"
            )
        if self.fewest_players < 2 or self.fewest_games < 1:
            raise UsageError(
                f"expected at least 2 players and 1 game, found {self.fewest_players}, {self.fewest_games}"
            )

    @property
    def overlap(self) -> float:
        """In how many crosstables each game stands."""
        return self.window / self.step


@dataclass(frozen=True, slots=True, kw_only=True)
class Crosstables:
    """Solved periods: `periods` (first, last, players, games, …) and `rows`, a player a period.

    Ratings in `rows` have mean 0 in each period: they cannot be compared between periods yet.
    """

    periods: pl.DataFrame
    rows: pl.DataFrame


def solve_periods(
    table: pl.DataFrame, players: int, how: Periods, *, curve: Curve | None = None
) -> Crosstables:
    """Cut the games into periods and solve each.

    Parameters
    ----------
    table
        Games with `year`, `white`, `black`, `score`.
    players
        Rows of players that `white` and `black` speak of.
    """
    table = table.select("year", "white", "black", "score").sort("year")
    years = table["year"].to_numpy()
    periods: list[dict[str, Any]] = []
    parts: list[pl.DataFrame] = []
    if len(years) == 0:
        return Crosstables(
            periods=pl.DataFrame([], schema=_PERIODS), rows=pl.DataFrame([], schema=_ROWS)
        )
    start, end = int(years[0]), int(years[-1])
    while start <= end and not (how.step < how.window and start + how.window - 1 > end and periods):
        found = _grown(table, years, players, start, how)
        if found is None:
            start += 1
            continue
        last, pairs, games, drawn = found
        number = len(periods)
        ratings, errors, members = _solved(pairs, curve or Logistic(), drawn)
        played = pairs.played()[members]
        periods.append(
            {"period": number, "first": start, "last": last, "players": len(members),
             "games": int(pairs.games.sum()), "left_out": games - int(pairs.games.sum())}
        )  # fmt: skip
        parts.append(
            pl.DataFrame(
                {
                    "period": np.full(len(members), number),
                    "player": members,
                    "rating": ratings,
                    "error": errors,
                    "games": played.astype(np.int64),
                },
                schema=_ROWS,
            )
        )
        start = start + how.step if how.step < how.window else last + 1
    rows = pl.concat(parts) if parts else pl.DataFrame([], schema=_ROWS)
    return Crosstables(periods=pl.DataFrame(periods, schema=_PERIODS), rows=rows)


_PERIODS = {"period": pl.Int64, "first": pl.Int64, "last": pl.Int64, "players": pl.Int64, "games": pl.Int64,
            "left_out": pl.Int64}  # fmt: skip
_ROWS = {
    "period": pl.Int64,
    "player": pl.Int64,
    "rating": pl.Float64,
    "error": pl.Float64,
    "games": pl.Int64,
}


def _grown(
    table: pl.DataFrame, years: NDArray[Any], players: int, start: int, how: Periods
) -> tuple[int, Pairs, int, float] | None:
    """Return the last year, crosstable, games and share of draws of the period that starts here."""
    end = int(years[-1])
    first = int(np.searchsorted(years, start))
    seen = -1
    for last in range(start + how.window - 1, start + how.longest):
        stop = int(np.searchsorted(years, last, side="right"))
        if stop - first == seen and last <= end:
            continue  # nothing was played that year
        seen = stop - first
        part = table[first:stop]
        pairs = _core(add_up(part, players), how.fewest_games)
        if int((pairs.played() > 0).sum()) >= how.fewest_players:
            return min(last, end), pairs, part.height, float((part["score"] == 0.5).mean() or 0.0)  # type: ignore[arg-type]
        if last >= end:
            return None
    return None


def _core(pairs: Pairs, fewest: int) -> Pairs:
    """Keep the largest group in which everybody has so many games and all can be compared."""
    while True:
        before = len(pairs.games)
        enough = pairs.played() >= fewest
        pairs = pairs.take(enough[pairs.white] & enough[pairs.black])
        if len(pairs.games) == before:
            groups = find_groups(pairs)
            pairs = pairs.take((groups.group[pairs.white] == 0) & (groups.group[pairs.black] == 0))
            if len(pairs.games) == before:
                return pairs


def _solved(
    pairs: Pairs, curve: Curve, drawn: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    members = np.flatnonzero(pairs.played() > 0)
    place = np.full(pairs.players, -1, dtype=np.int64)
    place[members] = np.arange(len(members))
    small = Pairs(len(members), place[pairs.white], place[pairs.black], pairs.games, pairs.points)
    solution = solve(small, curve)
    # pq a game counts draws as if they were chance; pq − r/4 does not [8.95].
    return solution.ratings, solution.errors * math.sqrt(max(0.0, 1 - drawn)), members
