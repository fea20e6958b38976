"""How a population of players grows, and how many stand above a rating."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.errors import InputError, UsageError
from arpad.files import input_file
from arpad.model import Result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from arpad.pool.distribution import Shape
    from arpad.pool.rating_lists import DatedList


LEAST_YEARS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth(Result):
    """The curve with the standard errors of its three constants.

    `half` is the time at which half of `n_max` is reached. `r_squared` is the share of the counts' spread that the curve
    explains; `saturated` says whether the counts came far enough (beyond half) to tell N_max at all.
    """

    n_max: float
    a: float
    b: float
    n_max_error: float
    a_error: float
    b_error: float
    origin: float
    points: int
    r_squared: float
    saturated: bool

    @property
    def half(self) -> float:
        """The time at which half of N_max is reached."""
        return self.origin + float(np.log(self.a)) / self.b

    def count(self, time: float | NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how many players the curve gives for a time, in the unit of the data."""
        return _logistic(np.asarray(time, dtype=np.float64) - self.origin, self.n_max, self.a, self.b)

    def to_dict(self) -> dict[str, Any]:
        """Return every figure."""
        return {"summary": self.summary(), **asdict(self), "half": self.half}

    def summary(self) -> str:
        """Return one sentence."""
        limit = f"{self.n_max:,.0f} ± {self.n_max_error:,.0f}"
        doubt = "" if self.saturated else "; the counts end before half of it: N_max is a guess"
        return (
            f"logistic growth towards {limit} players, half of them at {self.half:.1f}, "
            f"R² {self.r_squared:.4f} on {self.points} counts{doubt}"
        )


def growth(time: Sequence[float], count: Sequence[float]) -> Growth:
    """Fit the logistic curve to the number of players above a floor, at several times.

    Examples
    --------
    >>> years = list(range(1971, 2012))
    >>> counts = [20_000 / (1 + 40 * 2.718281828 ** (-0.13 * (y - 1971))) for y in years]
    >>> found = growth(years, counts)
    >>> round(found.n_max), round(found.b, 3), round(found.half)
    (20000, 0.13, 1999)
    """
    from scipy.optimize import curve_fit  # loads 40 MB

    t, n = np.asarray(time, dtype=np.float64), np.asarray(count, dtype=np.float64)
    if len(t) != len(n) or len(np.unique(t)) < LEAST_YEARS:
        raise InputError(f"expected counts at {LEAST_YEARS} times or more, found {len(np.unique(t))}")
    if not (np.isfinite(n).all() and (n > 0).all() and np.isfinite(t).all()):
        raise InputError("expected counts above 0 at every time")
    if np.polyfit(t, n, 1)[0] <= 0:
        raise InputError("the counts do not grow: no logistic curve of growth fits them")
    origin, span = float(t.min()), float(np.ptp(t))
    start = (1.5 * n.max(), max(1.5 * n.max() / n[t.argmin()] - 1.0, 0.1), 4.0 / span)
    try:
        found, covariance = curve_fit(
            _logistic, t - origin, n, p0=start, bounds=(1e-9, np.inf), max_nfev=20_000
        )
    except RuntimeError:
        raise InputError("no logistic curve could be fitted to these counts") from None
    errors = np.sqrt(np.diag(covariance))
    misses = n - _logistic(t - origin, *found)
    return Growth(
        n_max=float(found[0]),
        a=float(found[1]),
        b=float(found[2]),
        n_max_error=float(errors[0]),
        a_error=float(errors[1]),
        b_error=float(errors[2]),
        origin=origin,
        points=len(t),
        r_squared=float(1 - (misses**2).sum() / ((n - n.mean()) ** 2).sum()),
        saturated=bool(n.max() > found[0] / 2),
    )


COUNTS = ("year", "players")


def count_lists(lists: Sequence[DatedList]) -> pl.DataFrame:
    """Return the number of players on rating lists by `year`, a month being a twelfth."""
    undated = [each.label for each in lists if each.date is None]
    if undated:
        raise UsageError(f"expected a date for every list, found none for {undated[0]}", code="list-dates")
    days = [(each.date, each.rows.height) for each in lists if each.date is not None]
    rows = [(day.year + (day.month - 1) / 12, players) for day, players in days]
    return pl.DataFrame(rows, schema=dict.fromkeys(COUNTS, pl.Float64), orient="row").sort("year")


def read_counts(path: str) -> pl.DataFrame | None:
    """Read a CSV file with the columns year and players; None if the file is something else."""
    try:
        text = input_file(path).read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None  # readers of lists know the words
    rows = list(csv.reader(io.StringIO(text)))
    heading = [h.strip().casefold() for h in rows[0]] if rows else []
    if not set(COUNTS) <= set(heading):
        return None
    places = [heading.index(c) for c in COUNTS]
    counts = []
    for number, row in enumerate(rows[1:], 2):
        if not any(cell.strip() for cell in row):
            continue
        try:
            counts.append([float(row[place]) for place in places])
        except (ValueError, IndexError):
            raise InputError(
                f"expected a year and a number of players, found {','.join(row)!r}", file=path, line=number
            ) from None
    return pl.DataFrame(counts, schema=dict.fromkeys(COUNTS, pl.Float64), orient="row").sort("year")


def _logistic(t: NDArray[np.float64], n_max: float, a: float, b: float) -> NDArray[np.float64]:
    return np.asarray(n_max / (1.0 + a * np.exp(-b * t)))


# How many players stand above a rating, and samples of the best in step with the population [Elo 5.73, 7.39].


@dataclass(frozen=True, slots=True, kw_only=True)
class Top:
    """The best of a pool: their number, average and the lowest of them."""

    players: int
    average: float
    lowest: float
    error: float | None
    """Standard error of the average; None for one player."""


def in_proportion(number: float, *, population: float, then: float) -> int:
    """Return how many top players make the same share of another population [5.73].

    Parameters
    ----------
    number
        Players sampled from the first population.
    population
        The size of the first population.
    then
        The size of the other.

    Examples
    --------
    >>> in_proportion(15, population=300, then=1000)
    50
    """
    if not (population > 0 and then >= 0 and number >= 0 and math.isfinite(then + number)):
        raise UsageError(
            f"expected a number of players and two populations, found {number!r}, {population!r}, {then!r}"
        )
    return math.floor(number * then / population + 0.5)


def best(ratings: ArrayLike, number: int) -> Top:
    """Return the average of the best this many, as table 5.73 compares epochs.

    Examples
    --------
    >>> best([2500, 2600, 2400, 2300], 3).average
    2500.0
    """
    values = np.asarray(ratings, dtype=np.float64)
    if not np.isfinite(values).all() or not 1 <= number <= values.size:
        raise UsageError(
            f"expected a number of players from 1 to the {values.size} with ratings, found {number!r}"
        )
    chosen = np.sort(values)[-number:]
    error = float(chosen.std(ddof=1)) / math.sqrt(number) if number > 1 else None
    return Top(players=number, average=float(chosen.mean()), lowest=float(chosen[0]), error=error)


def players_above(rating: float, *, players: float, shape: Shape) -> float:
    """Return how many of this many players a shape expects above a rating.

    Examples
    --------
    >>> from arpad.pool.distribution import NormalShape
    >>> round(players_above(2200, players=1000, shape=NormalShape(mean=1600, sd=300)), 1)
    22.8
    """
    return players * (1.0 - float(shape.below([rating])[0]))


def rating_of_best(number: float, *, players: float, shape: Shape) -> float:
    """Return the rating above which a shape expects this many of the players."""
    if not 0 < number < players:
        raise UsageError(f"expected a number between 0 and {players:g}, found {number!r}")
    return shape.at(1.0 - number / players)
