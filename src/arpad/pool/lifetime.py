"""Lifetime curves and strength against age [Elo 5.44, 5.67, chapter 6]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.model import Result, columns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray


BEND = 4.0
"""Points a year by which the yearly gain usually changes in a year. Ours: a gain of 50 a year at 18
is gone at 30."""
SLOPE = 30.0
"""Points a year that are usual where nothing else is known. Ours."""


NEAR = 3
"""Years beyond the end of a curve for which its last value is taken."""


@dataclass(frozen=True, slots=True)
class Averages:
    """A player's averages over periods: their years, values, own errors and errors of the level."""

    first: NDArray[np.int64]
    last: NDArray[np.int64]
    rating: NDArray[np.float64]
    own_error: NDArray[np.float64]
    level_error: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Best:
    """The best years of a curve: their average, its error, the games in them."""

    first: int
    last: int
    rating: float
    own_error: float
    error: float
    games: int


@dataclass(frozen=True, slots=True)
class Lifetime:
    """A curve year by year, the covariance of its points, the error of the level, and the games."""

    years: NDArray[np.int64]
    rating: NDArray[np.float64]
    covariance: NDArray[np.float64]
    level_error: NDArray[np.float64]
    games: NDArray[np.int64]

    @property
    def error(self) -> NDArray[np.float64]:
        """One standard error of each point, the level's included."""
        return np.asarray(np.sqrt(np.diag(self.covariance) + self.level_error**2))

    def frame(self) -> pl.DataFrame:
        """Return `year`, `rating`, `error`, `games`."""
        return pl.DataFrame(
            {"year": self.years, "rating": self.rating, "error": self.error, "games": self.games}
        )

    def near(self, year: float) -> float | None:
        """Return the rating at a time on the curve, or at the end of it that is at most three years away; None: no curve there."""
        if not self.years[0] - NEAR <= year <= self.years[-1] + NEAR:
            return None
        return float(np.interp(year, self.years, self.rating))

    def own_error(self, year: float) -> float:
        """Return one standard error of the curve at a time, without that of the level, which two players share."""
        return float(np.interp(year, self.years, np.sqrt(np.diag(self.covariance))))

    def over(self, first: int, last: int) -> Best | None:
        """Return the average over the years from first to last that the curve covers; None: none of them."""
        part = (self.years >= first) & (self.years <= last)
        if not part.any():
            return None
        own = float(np.sqrt(self.covariance[np.ix_(part, part)].mean()))
        level = float(np.sqrt((self.level_error[part] ** 2).mean()))
        years = self.years[part]
        mean, games = float(self.rating[part].mean()), int(self.games[part].sum())
        return Best(int(years[0]), int(years[-1]), mean, own, float(np.hypot(own, level)), games)

    def best(self, window: int, enough: int) -> Best | None:
        """Return the best average over this many years, or over the whole of a shorter life.

        Best is the highest average less its own error, among those with enough games: the highest
        alone would favour years of which little is known.
        """
        wide = min(window, len(self.years))
        result: list[Best] = []
        for i in range(len(self.years) - wide + 1):
            if not self.games[i] or not self.games[i + wide - 1]:
                continue
            one = self.over(int(self.years[i]), int(self.years[i + wide - 1]))
            if one is not None and one.games >= enough:
                result.append(one)
        return max(result, key=lambda b: b.rating - b.own_error) if result else None

    def peak(self) -> tuple[int, float, float]:
        """Return year, rating and error of the highest point, among years with games."""
        i = int(np.argmax(np.where(self.games > 0, self.rating, -np.inf)))
        return int(self.years[i]), float(self.rating[i]), float(self.error[i])


def smooth_curve(
    averages: Averages,
    years: NDArray[np.int64],
    games: NDArray[np.int64],
    *,
    overlap: float = 1.0,
    bend: float = BEND,
) -> Lifetime:
    """Return the curve from the first to the last year of the averages.

    The curve f is that for which

        Σ (average of f over the games of a period − rating)² / (overlap · error²)
          + Σ (f'' / bend)² + Σ (f' / slope)²

    is least. Its error is that of this fit, and in quadrature the error of the periods' level.

    years, games: The player's games by year, in order.
    overlap: In how many periods each game stands.
    """
    inside = (years >= averages.first.min()) & (years <= averages.last.max())
    years, games = years[inside], games[inside]
    grid = np.arange(years[0], years[-1] + 1)
    played = np.zeros(len(grid), dtype=np.int64)
    played[years - grid[0]] = games
    covers = (grid >= averages.first[:, None]) & (grid <= averages.last[:, None])
    inside_games = np.where(covers, played.astype(np.float64), 0.0)
    mean = inside_games / inside_games.sum(axis=1, keepdims=True)
    weight = 1 / (overlap * np.maximum(averages.own_error, 1.0) ** 2)
    matrix = mean.T @ (weight[:, None] * mean)
    for order, usual in ((1, SLOPE), (2, bend)):
        if len(grid) > order:
            D = np.diff(np.eye(len(grid)), order, axis=0)
            matrix += D.T @ D / usual**2
    inverse = np.asarray(np.linalg.inv(matrix), dtype=np.float64)
    curve = inverse @ (mean.T @ (weight * averages.rating))
    return Lifetime(grid, curve, inverse, _level(averages, covers), played)


def _level(averages: Averages, covers: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the error of the level in each year: that of the periods around it."""
    count = covers.sum(axis=0)
    square = (covers * averages.level_error[:, None] ** 2).sum(axis=0)
    known = np.flatnonzero(count)
    return np.asarray(np.interp(np.arange(len(count)), known, np.sqrt(square[known] / count[known])))


# Least squares of what two kinds of thing add up to: a player's own level and that of a period.


@dataclass(frozen=True, slots=True, kw_only=True)
class Additive:
    """Effects of the columns, mean 0 over those that hang together; NaN for the others.

    effects, covariance: The covariance is clustered by row: what one player does in several periods counts as
        one piece of evidence, also where periods overlap.
    links: Rows that stand in the column and in at least one other.
    """

    effects: NDArray[np.float64]
    covariance: NDArray[np.float64]
    links: NDArray[np.int64]


def fit_additive(
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    values: NDArray[np.float64],
    weights: NDArray[np.float64],
    count: int,
) -> Additive:
    """Fit value = own level of the row + effect of the column, by weighted least squares.

    With the rows' levels taken out, the matrix is the Laplacian of the columns: two are joined by
    every row that stands in both. Columns that nothing joins to the largest part have no effect.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    effects, covariance = np.full(count, np.nan), np.full((count, count), np.nan)
    links = np.zeros(count, dtype=np.int64)
    if not len(rows):
        return Additive(effects=effects, covariance=covariance, links=links)
    _, row = np.unique(rows, return_inverse=True)
    share = coo_array((weights, (row, columns)), shape=(row.max() + 1, count)).tocsr()
    several = np.bincount(row) > 1
    links = np.bincount(columns[several[row]], minlength=count)
    _, part = connected_components(share.T @ share, directed=False)
    used = np.bincount(columns, minlength=count) > 0
    biggest = np.bincount(part[used], weights=np.bincount(columns, minlength=count)[used]).argmax()
    inside = np.flatnonzero(used & (part == biggest))
    known = np.isin(columns, inside)
    effects[inside], covariance[np.ix_(inside, inside)] = _within(
        row[known], np.equal.outer(columns[known], inside), values[known], weights[known]
    )
    effects[inside] -= effects[inside].mean()
    return Additive(effects=effects, covariance=covariance, links=links)


# Strength against age: the book's composite curve, and one's own [Elo 5.67, chapter 6].

LEVEL_AGES = (21.0, 63.0)
"""Years of age at which performance is the same [5.67]."""
PEAK_AGE = 36.0
"""Years of age of peak performance [5.67]."""
GAIN = 120.0
"""Points from 21 to the peak, on average [5.67, 6.21]."""
FORMATIVE = {
    12: 1640,
    13: 1785,
    14: 1930,
    15: 2120,
    16: 2255,
    17: 2315,
    18: 2350,
    19: 2405,
    20: 2425,
    21: 2445,
}
"""Average ratings by age of twelve early achievers [6.32]."""
LATE = {13: 1610, 14: 1765, 15: 1975, 16: 2035, 17: 2125, 18: 2180, 19: 2225, 20: 2295, 21: 2325, 22: 2325}
"""The same of masters who came later [6.32]."""
IDEAL = {"grandmaster": 2500.0, "international master": 2400.0, "national master": 2200.0}
"""Peaks of the ideal curves of 6.34, whose drawing is not in the text: the levels of the titles. Ours."""
LEVELS = (2300.0, 2400.0, 2500.0)
"""Master, international master, grandmaster [6.42]."""


def composite_curve(age: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Return points above the level at age 21, for masters in continuous competition.

    The drawing at 6.22 is described in words only: 0 at 21, 120 at 36, 0 at 63, a rise quicker than
    the decline. Half a parabola on each side of the peak has these properties; below 21 the averages
    of 6.32 are joined on, as in 6.33.

    Examples
    --------
    >>> composite_curve(np.array([18.0, 21.0, 36.0, 50.0, 63.0])).round()
    array([-95.,   0., 120.,  88.,   0.])
    """
    age = np.asarray(age, dtype=np.float64)
    rise, fall = PEAK_AGE - LEVEL_AGES[0], LEVEL_AGES[1] - PEAK_AGE
    wide = np.where(age < PEAK_AGE, rise, fall)
    adult = GAIN * (1 - ((age - PEAK_AGE) / wide) ** 2)
    ages = list(FORMATIVE)
    young = np.interp(age, ages, [FORMATIVE[a] - FORMATIVE[21] for a in ages])
    return np.asarray(np.where(age < LEVEL_AGES[0], young, adult))


def ideal_curves(ages: Sequence[float]) -> pl.DataFrame:
    """Return the composite curve for three masters-to-be, by their peaks [6.33, 6.34].

    Examples
    --------
    >>> ideal_curves([12.0, 18.0, 36.0])["grandmaster"].to_list()
    [1575.0, 2285.0, 2500.0]
    """
    course = composite_curve(np.asarray(ages))
    return pl.DataFrame({"age": list(ages), **{name: peak - GAIN + course for name, peak in IDEAL.items()}})


OLDEST = 75
"""Years of age to which the composite curve is followed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgeCurves(Result):
    """Ratings by age on the composite curve: the ideal ones, or that of a player beside the averages of 6.32."""

    rows: pl.DataFrame
    told: str

    def to_dict(self) -> dict[str, Any]:
        """Return the rows."""
        return {"rows": self.rows.to_dicts()}

    def summary(self) -> str:
        """Say what the curves are."""
        return self.told


def age_curves(rating: float | None = None, years: float | None = None) -> AgeCurves:
    """Return the rating at other ages of a player with this one now; without it, the ideal curves [6.22, 6.34]."""
    youngest = min(FORMATIVE)
    ages = {float(age) for age in (*range(youngest, 22), 24, 30, PEAK_AGE, *range(42, OLDEST + 1, 6))}
    if rating is None:
        peaks = ", ".join(f"{name} {peak:.0f}" for name, peak in IDEAL.items())
        told = f"The composite curve, with the peak at {PEAK_AGE:.0f} (ours): {peaks}"
        return AgeCurves(rows=ideal_curves(sorted(ages)), told=told)
    if years is None or not youngest <= years <= OLDEST:
        found = "none" if years is None else f"{years:g}"
        raise UsageError(f"expected an age from {youngest} to {OLDEST}, found {found}")
    every = sorted({*ages, years})
    rows = pl.DataFrame(
        {
            "age": every,
            "rating": rating + composite_curve(np.array(every)) - composite_curve(years),
            "early achievers": [FORMATIVE.get(int(a)) if a == int(a) else None for a in every],
            "late achievers": [LATE.get(int(a)) if a == int(a) else None for a in every],
        },
        schema=columns("age:float rating:float")
        | dict.fromkeys(("early achievers", "late achievers"), pl.Float64),
        strict=False,
    )
    told = (
        "The course of masters in continuous competition: most people who have this rating at this age do not "
        "follow it. Early and late achievers: averages of masters [6.32]"
    )
    return AgeCurves(rows=rows, told=told)


def development(ratings: pl.DataFrame, births: Mapping[str, float], *, fewest: int = 5) -> pl.DataFrame:
    """Return strength by age from ratings of periods: points above age 21, error, players [5.67, 6.21].

    A rating is the player's own level, the level of the period and the effect of the age, all three fitted
    at once by least squares; errors are clustered by player. Who was born when settles the sum of the
    three only up to a straight line, so that 21 and 63 are taken to be level, as in the book. Where nobody
    of 63 is there, the levels of the periods are taken as they stand.

    ratings: A row a player a period: `player`, `period`, `year`, `rating`, `own_error`.
    births: Year of birth by player; others are passed over.
    fewest: Players that an age needs, within 1½ years.
    """
    known = ratings.filter(pl.col("player").is_in(list(births)))
    born = pl.Series("born", [births[name] for name in known["player"]], dtype=pl.Float64)
    known = known.with_columns((pl.col("year") - born).alias("age"))
    count = {
        age: known.filter((pl.col("age") - age).abs() <= KNOT / 2)["player"].n_unique()
        for age in range(12, 76, KNOT)
    }
    ages = [age for age, players in count.items() if players >= fewest]
    zero, level = (int(age) for age in LEVEL_AGES)
    if zero not in ages:
        return pl.DataFrame([], schema=_DEVELOPMENT)
    known = known.filter(pl.col("age").is_between(min(ages), max(ages)))
    free = [i for i, age in enumerate(ages) if age not in (zero, level)]
    hats = np.stack([np.interp(known["age"], ages, one) for one in np.eye(len(ages))], axis=1)[:, free]
    if level in ages:
        _, period = np.unique(known["period"], return_inverse=True)
        hats = np.concatenate([hats, np.eye(period.max() + 1)[period][:, 1:]], axis=1)
    weights = 1 / np.maximum(known["own_error"].to_numpy(), 1.0) ** 2
    _, player = np.unique(known["player"], return_inverse=True)
    effects, covariance = _within(player, hats, known["rating"].to_numpy(), weights)
    points, error = np.zeros(len(ages)), np.zeros(len(ages))
    points[free] = effects[: len(free)]
    error[free] = np.sqrt(np.maximum(np.diag(covariance)[: len(free)], 0.0))
    columns = {"age": ages, "points": points, "error": error, "players": [count[age] for age in ages]}
    return pl.DataFrame(columns, schema=_DEVELOPMENT)


KNOT = 3
"""Years from one age to the next; between them the course is straight."""
_DEVELOPMENT = {"age": pl.Int64, "points": pl.Float64, "error": pl.Float64, "players": pl.Int64}


def _within(
    row: NDArray[np.int64],
    matrix: NDArray[np.float64],
    values: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Fit value = own level of the row + matrix · effects; return the effects, their covariance clustered by row."""
    _, row = np.unique(row, return_inverse=True)
    total = np.bincount(row, weights)

    def centred(column: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(column - (np.bincount(row, weights * column) / total)[row])

    X = np.apply_along_axis(centred, 0, matrix)
    y = centred(values)
    inverse = np.linalg.pinv((X * weights[:, None]).T @ X, hermitian=True)
    effects = inverse @ (X.T @ (weights * y))
    pull = np.zeros((len(total), X.shape[1]))
    np.add.at(pull, row, (weights * (y - X @ effects))[:, None] * X)
    return effects, inverse @ (pull.T @ pull) @ inverse


def ages_at(
    curves: Mapping[str, pl.DataFrame], births: Mapping[str, float], levels: Sequence[float] = LEVELS
) -> pl.DataFrame:
    """Return at what age players reached levels, on average [6.42].

    Only those are counted whose curve starts below the level: `above` says how many started above
    it, so that nobody knows when they passed it.
    """
    rows = []
    for level in levels:
        reached, above = [], 0
        for name, curve in curves.items():
            if name not in births:
                continue
            high = curve.filter(pl.col("rating") >= level)
            if high.is_empty():
                continue
            first = float(high["year"].min())  # type: ignore[arg-type]
            if first == curve["year"].min():
                above += 1
            else:
                reached.append(first - births[name])
        n = len(reached)
        rows.append(
            {
                "level": level,
                "age": float(np.mean(reached)) if n else None,
                "error": float(np.std(reached, ddof=1) / n**0.5) if n > 1 else None,
                "players": n,
                "above": above,
            }
        )
    schema = columns("level:float age:float error:float players:int above:int")
    return pl.DataFrame(rows, schema=schema)
