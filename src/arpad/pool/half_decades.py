"""Five-year crosstables, each solved by itself, then linked at one level [Elo 5.41–5.43]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.model import columns
from arpad.pool.lifetime import GAIN, PEAK_AGE, Additive, composite_curve, fit_additive
from arpad.rate.pool import PoolPairs, add_up, find_groups, solve
from arpad.scale import Curve, Logistic

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
    """Division of time into periods.

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
        return Crosstables(periods=pl.DataFrame([], schema=_PERIODS), rows=pl.DataFrame([], schema=_ROWS))
    start, end = int(years[0]), int(years[-1])
    while start <= end and not (how.step < how.window and start + how.window - 1 > end and periods):
        result = _grown(table, years, players, start, how)
        if result is None:
            start += 1
            continue
        last, pairs, games, drawn = result
        number = len(periods)
        ratings, errors, members = _solved(pairs, curve or Logistic(), drawn)
        played = pairs.played()[members]
        periods.append(
            {
                "period": number,
                "first": start,
                "last": last,
                "players": len(members),
                "games": int(pairs.games.sum()),
                "left_out": games - int(pairs.games.sum()),
            }
        )
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


_PERIODS = columns("period:int first:int last:int players:int games:int left_out:int")
_ROWS = {"period": pl.Int64, "player": pl.Int64, "rating": pl.Float64, "error": pl.Float64, "games": pl.Int64}


def _grown(
    table: pl.DataFrame, years: NDArray[Any], players: int, start: int, how: Periods
) -> tuple[int, PoolPairs, int, float] | None:
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


def _core(pairs: PoolPairs, fewest: int) -> PoolPairs:
    """Keep the largest group in which everybody has this many games and all can be compared."""
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
    pairs: PoolPairs, curve: Curve, drawn: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    members = np.flatnonzero(pairs.played() > 0)
    place = np.full(pairs.players, -1, dtype=np.int64)
    place[members] = np.arange(len(members))
    small = PoolPairs(len(members), place[pairs.white], place[pairs.black], pairs.games, pairs.points)
    solution = solve(small, curve)
    # pq a game counts draws as if they were chance; pq − r/4 does not [8.95].
    return solution.ratings, solution.errors * math.sqrt(max(0.0, 1 - drawn)), members


# Periods brought to one level through the players they share [Elo 5.41, 5.42].
#
# Results fix only differences within a period. A player who stands in several periods says how far
# their levels are apart, if his own strength did not change in between: that is the whole question.

Ageing = Literal["peak", "plateau", "curve", "none"]
"""Assumptions on players who appear in several periods.

peak      constant, but the farther from the peak age the less sure: what the composite curve is
          below its peak at that age counts as an error;
plateau   constant around the peak age, and only those years link;
curve     follows the composite curve, at every age;
none      constant for life.
"""
PLATEAU = 7.5
"""Years to each side of the peak age: performance is stable for ten to fifteen years [5.41]."""
FIRST_AGE = 20.0
"""Years of age at the first appearance of who has no year of birth, where nobody has one."""
KNOWN = 20
"""Players with a year of birth from whom the usual age at first appearance is taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Linking:
    """Ways to link periods."""

    ageing: Ageing = "peak"
    youngest: float = PEAK_AGE - PLATEAU
    oldest: float = PEAK_AGE + PLATEAU

    def __post_init__(self) -> None:
        if self.ageing not in get_args(Ageing):
            raise UsageError(f"ageing: expected {', '.join(get_args(Ageing))}, found {self.ageing!r}")
        if not 0 <= self.youngest < self.oldest:
            raise UsageError(
                f"expected a plateau from younger to older, found {self.youngest} to {self.oldest}"
            )


def link_periods(
    tables: Crosstables, how: Linking, *, birth: NDArray[np.float64], first: NDArray[np.float64]
) -> Additive:
    """Return the effect of every period: what has to be taken off its ratings.

    Parameters
    ----------
    birth, first
        Of each player: year of birth (NaN where unknown), first year of play. Who has no year of
        birth is taken to have appeared first at the median age of those who have one.
    """
    rows = tables.rows
    player, period = rows["player"].to_numpy(), rows["period"].to_numpy()
    values, error = rows["rating"].to_numpy(), rows["error"].to_numpy()
    middle = ((tables.periods["first"] + tables.periods["last"] + 1) / 2).to_numpy()
    born = np.where(np.isnan(birth), first - usual_first_age(birth, first), birth)
    age = middle[period] - born[player]
    if how.ageing == "curve":
        values = values - composite_curve(age)
    used = np.ones(len(values), dtype=bool)
    if how.ageing == "plateau":
        used = (age >= how.youngest) & (age <= how.oldest)
    # Nobody's error is 0, but two players who only drew may come near it.
    variance = np.maximum(error, 1.0) ** 2
    if how.ageing == "peak":
        variance = variance + (GAIN - composite_curve(age)) ** 2
    weight = 1 / variance
    return fit_additive(player[used], period[used], values[used], weight[used], tables.periods.height)


def usual_first_age(birth: NDArray[np.float64], first: NDArray[np.float64]) -> float:
    """Return the median age at the first game of those whose year of birth is known."""
    ages = (first - birth)[np.isfinite(first - birth)]
    return float(np.median(ages)) if len(ages) >= KNOWN else FIRST_AGE


# The level of a linked history: one number, which no result can tell [Elo 5.42].

NOWHERE = 1500.0
"""Mean of all, in points, where neither anchors nor published ratings say anything."""


@dataclass(frozen=True, slots=True)
class ScaleLevel:
    """The shift of each period, the players that it rests on, and its error."""

    added: float
    basis: str
    errors: NDArray[np.float64]


def find_level(
    rows: pl.DataFrame, anchors: pl.DataFrame, link: Additive, *, years: tuple[int, int] | None
) -> ScaleLevel:
    """Find the level: from anchors, else from published ratings, else 1500 on average.

    Parameters
    ----------
    rows
        A player a period: `player`, `period`, `first`, `last`, `rating`, `published`, `games`.
    anchors
        Best averages that are right on average: `period`, `rating`, `given`.
    years
        Periods within which published ratings count.
    """
    if anchors.height:
        known, given = anchors, anchors["given"].to_numpy()
        weight, basis = (
            np.ones(known.height),
            f"best averages of {known.height} anchor{'' if known.height == 1 else 's'}",
        )
    else:
        low, high = years or (-9999, 9999)
        known = rows.filter(
            pl.col("published").is_not_null() & (pl.col("first") >= low) & (pl.col("last") <= high)
        )
        if known.is_empty() and years:
            raise UsageError(f"expected published ratings in periods within {low}–{high}, found none")
        given = known["published"].to_numpy()
        weight, basis = (known["games"].to_numpy().astype(float), f"{known.height:,} published ratings")
        if known.is_empty():
            known, basis = rows, "1500 on average"
            given, weight = np.full(rows.height, NOWHERE), np.ones(rows.height)
    weight = weight / weight.sum()
    added = float(weight @ (given - known["rating"].to_numpy()))
    share = np.bincount(known["period"].to_numpy(), weight, len(link.effects))
    V = np.nan_to_num(link.covariance)
    variance = np.diag(V) - 2 * V @ share + share @ V @ share
    return ScaleLevel(added, basis, np.sqrt(np.maximum(variance, 0.0)))
