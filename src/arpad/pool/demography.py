"""Where and when strong players come from: titleholders, federations, chances of the young, growth [Elo 4.7, 6.4, 7.1, 7.5]."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import asdict, dataclass
from importlib.resources import as_file, files
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import polars as pl

from arpad.errors import InputError, UsageError
from arpad.files import input_text
from arpad.model import Result
from arpad.pool.lifetime import LEVELS
from arpad.pool.rating_lists import years_between
from arpad.read.text_table import LINE, finite_number, small_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from arpad.pool.distribution import DistributionShape
    from arpad.pool.rating_lists import DatedList


PERIODS = ((1950, 1957), (1958, 1970), (1971, 1977), (1978, 1982), (1983, 1985))
"""The periods of table 4.71, and the rest of list 9.4."""
By = Literal["period", "year", "country", "birthplace"]
BIRTHS = (
    (0, 1799),
    (1800, 1829),
    (1830, 1859),
    (1860, 1879),
    (1880, 1899),
    (1900, 1919),
    (1920, 1939),
    (1940, 1985),
)
"""Years of birth that are counted together by birthplace."""


def masters() -> pl.DataFrame:
    """Return lists 9.4 and 9.5: `list`, `name`, `country`, `birth`, `death`, `title`, `year`, `best`, `rating`.

    `country` is that of birth and, after a stroke, of residence. `best` is the best five-year average and
    `rating` that of 1 January 1986; 35 ratings, from Duric to Fernandez, are not in the text at hand.

    Examples
    --------
    >>> masters().filter(pl.col("name") == "Tal, Mikhail").select("birth", "title", "year", "best").row(0)
    (1936, 'GM', 1957, 2700)
    """
    return _sample("masters.csv")


def titleholders(by: By = "period") -> pl.DataFrame:
    """Count the titleholders of list 9.4 by period of the award, year, country or birthplace [4.28, 4.71, 7.5].

    The list has each player's highest title only: a grandmaster is not counted as an international master
    of earlier years. `average` is that of the best five-year averages where one is printed, else of the ratings of 1986.
    """
    if by not in get_args(By):
        raise UsageError(f"expected {', '.join(get_args(By))}, found {by!r}")
    every = masters()
    titled = every.filter(pl.col("list") == "9.4").with_columns(strength=pl.coalesce("best", "rating"))
    gm, im = pl.col("title") == "GM", pl.col("title") == "IM"
    if by == "period":
        rows = [
            (title, f"{first}–{last}", part.height, part["strength"].mean(), part["strength"].count())
            for title in ("GM", "IM")
            for first, last in PERIODS
            for part in [titled.filter((pl.col("title") == title) & pl.col("year").is_between(first, last))]
        ]
        return pl.DataFrame(rows, schema=["title", "years", "awarded", "average", "rated"], orient="row")
    if by == "year":
        result = []
        for year in range(PERIODS[0][0], PERIODS[-1][-1] + 1):
            new = pl.col("year") == year
            living = (pl.col("year") <= year) & (pl.col("death").is_null() | (pl.col("death") > year))
            counts = [titled.filter(title & which).height for which in (new, living) for title in (gm, im)]
            result.append((str(year), *counts))
        return pl.DataFrame(
            result, schema=["year", "new GM", "new IM", "living GM", "living IM"], orient="row"
        )
    if by == "country":
        where = _country("last").alias("country")
        counted = titled.group_by(where).agg(
            GM=gm.sum(), IM=im.sum(), titled=pl.len(), average=pl.col("strength").mean()
        )
        return counted.sort("titled", "country", descending=[True, False])
    born = every.filter(pl.col("birth").is_not_null()).with_columns(birthplace=_country("first"))
    columns = [
        pl.col("birth").is_between(low, high).sum().alias(f"{low}–{high}" if low else f"until {high}")
        for low, high in BIRTHS
    ]
    counted = born.drop_nulls("birthplace").group_by("birthplace").agg(*columns, masters=pl.len())
    return counted.sort("masters", "birthplace", descending=[True, False])


ABBREVIATED = {
    "CSSR": "Czechoslovakia",
    "Czechoslov.": "Czechoslovakia",
    "East Ger.": "East Germany",
    "Eng.": "England",
    "Engl.": "England",
    "FRG": "West Germany",
    "Ger.": "Germany",
    "N. Zealand": "New Zealand",
    "S.U.": "Soviet Union",
    "Switz.": "Switzerland",
    "USA": "United States",
    "W. Germany": "West Germany",
    "West Ger.": "West Germany",
}
"""Countries as list 9.4 shortens them."""


def _country(which: Literal["first", "last"]) -> pl.Expr:
    parts = pl.col("country").str.split("/").list
    return (parts.first() if which == "first" else parts.last()).replace(ABBREVIATED)


def _sample(name: str) -> pl.DataFrame:
    with as_file(files("arpad") / "samples" / name) as path:
        return pl.read_csv(path, schema_overrides={"list": pl.String})


# Federations, their players and their population [7.13, 7.14].


def federations_1982() -> pl.DataFrame:
    """Return the inputs of table 7.13: `group`, `federation`, `population` (millions), `players` (thousands), `rated`, `gm`, `im`."""
    return _sample("federations-1982.csv")


RATES = {
    "players per thousand": ("players", "population"),
    "rated per million": ("rated", "population"),
    "rated per thousand players": ("rated", "players"),
    "titled per million": ("titled", "population"),
    "titled per thousand players": ("titled", "players"),
}


def demography(counted: pl.DataFrame, *, groups: bool = False) -> pl.DataFrame:
    """Return densities of players and talent, a row a federation or a group of federations [7.13, 7.14].

    counted: `federation`, `population` in millions, `rated`; `players` in thousands, `gm`, `im` and `group`
        where known.
    groups: Add up the federations of a group first; figures that are missing count as 0, as in the book's
        totals.

    Examples
    --------
    >>> demography(federations_1982()).filter(pl.col("federation") == "Iceland")["rated per million"].round(2).item()
    191.67
    """
    key = "group" if groups else "federation"
    if key not in counted.columns:
        raise UsageError(f"expected a column {key} beside the population, found {', '.join(counted.columns)}")
    have: list[str] = [c for c in ("population", "players", "rated", "gm", "im") if c in counted.columns]
    table = counted.with_columns(pl.col(have).cast(pl.Float64))
    if {"gm", "im"} <= set(have):
        table, have = table.with_columns(titled=pl.col("gm") + pl.col("im")), [*have, "titled"]
    sums = table.group_by(key, maintain_order=True).agg(
        pl.when(pl.col(c).count() > 0).then(pl.col(c).sum()).alias(c) for c in have
    )
    return sums.with_columns(
        (pl.col(top) / pl.col(bottom)).alias(name)
        for name, (top, bottom) in RATES.items()
        if {top, bottom} <= set(have)
    )


def read_population(path: str) -> pl.DataFrame:
    """Read a CSV table of federations: `federation`, `population` in millions, perhaps `players` in thousands and `group`."""
    table = small_table(path, {"federation"})
    if not {"federation", "population"} <= set(table.columns):
        names = ", ".join(table.columns[:-1])
        raise InputError(f"expected the columns federation and population, found {names}", file=path, line=1)
    for name in {"population", "players"} & set(table.columns):
        cells = [
            finite_number(cell, path, line, f"a number in {name}") if (cell or "").strip() else None
            for cell, line in table.select(name, LINE).iter_rows()
        ]
        table = table.with_columns(pl.Series(name, cells, dtype=pl.Float64))
    table = table.drop(LINE)
    if table["federation"].is_duplicated().any():
        raise InputError("expected each federation once, found one twice", file=path)
    return table


def counted_list(listed: DatedList, population: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Join a rating list with a table of population: the counts, and the federations of the list that are not in it."""
    title = pl.col("title").str.to_uppercase()
    counts = (
        listed.rows.filter(pl.col("federation").is_not_null())
        .group_by("federation")
        .agg(rated=pl.len(), gm=title.is_in(["GM", "G"]).sum(), im=title.is_in(["IM", "M"]).sum())
    )
    table = population.drop([c for c in ("rated", "gm", "im") if c in population.columns])
    joined = table.join(counts, on="federation", how="left", maintain_order="left")
    joined = joined.with_columns(pl.col("rated", "gm", "im").fill_null(0))
    missing = sorted(set(counts["federation"]) - set(population["federation"]))
    return joined, missing


# The chances of a young player: does your child have master potential? [6.34, 6.43]

LIVES, SEED = 4000, 634
NEIGHBOURS = 60
"""Players of the lists who are nearest in age and rating; each step of a life copies the change of one of them."""
YEAR_IN_POINTS = 40.0
"""Points of rating that count as much as a year of age when neighbours are looked for. Ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Potential(Result):
    """Imagined lives of a player, each made of changes that others of that age and rating had on real lists.

    ages, lives: The ages, the first of them the player's own; and the ratings, a row a life, a column an age.
    pairs, years: Players on two lists in a row whose changes are drawn from, and the years between two lists.
    """

    ages: NDArray[np.float64]
    lives: NDArray[np.float64]
    pairs: int
    years: float
    parameters: dict[str, Any]

    def table(self) -> pl.DataFrame:
        """Return the band of curves: `age`, and the ratings that 10, 25, 50, 75 and 90 % of the lives are below."""
        shares = (10, 25, 50, 75, 90)
        values = np.percentile(self.lives, shares, axis=0)
        return pl.DataFrame({"age": self.ages, **{f"{s} %": v for s, v in zip(shares, values, strict=True)}})

    def chances(self, levels: Sequence[float] = LEVELS) -> pl.DataFrame:
        """Return the share of lives that reach a level at some time: `level`, `chance`, `age` (median at the first time)."""
        rows = []
        for level in levels:
            reached = self.lives >= level
            some = reached.any(axis=1)
            age = float(np.median(self.ages[reached[some].argmax(axis=1)])) if some.any() else None
            rows.append((level, float(some.mean()), age))
        return pl.DataFrame(rows, schema=dict.fromkeys(("level", "chance", "age"), pl.Float64), orient="row")

    def summary(self) -> str:
        """Return one sentence."""
        chances = ", ".join(
            f"{chance:.0%} to reach {level:.0f}" for level, chance, _ in self.chances().iter_rows()
        )
        return (
            f"{self.lives[0, 0]:.0f} at {self.ages[0]:g}: chances until {self.ages[-1]:.3g}: {chances} "
            f"(changes of {self.pairs:,} players within {self.years:.2g} years)"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return every figure but the single lives."""
        return {
            "summary": self.summary(),
            "parameters": self.parameters,
            "chances": self.chances().to_dicts(),
            "curves": self.table().to_dicts(),
            "pairs": self.pairs,
        }


def potential(
    rating: float,
    age: float,
    lists: Sequence[DatedList],
    *,
    until: float = 30.0,
    lives: int = LIVES,
    seed: int = SEED,
) -> Potential:
    """Follow a young player through lives that real rating lists make likely [6.34, 6.43].

    From one list to the next a life changes by what one of the sixty players nearest in age and rating has gained
    between two lists; that is repeated until the age of 30. Players who left the lists, or are marked as inactive, are not in it.
    """
    if not 5 <= age < until:
        raise UsageError(f"expected an age from 5 to {until:g}, found {age:g}")
    if len(lists) < 2:
        raise UsageError(f"expected two rating lists or more, found {len(lists)}")
    rows: list[pl.DataFrame] = []
    gaps: list[float] = []
    for first, last in pairwise(lists):
        gap = years_between(first, last)
        if first.date is None or gap is None or gap <= 0:
            raise UsageError("expected lists of different dates, found one without a date or two of one day")
        later = last.rows.filter(~pl.col("inactive")).select("person", after="rating")
        both = first.rows.join(later, on="person").drop_nulls(["born", "rating", "after"])
        middle = first.date.year + (first.date.month - 1) / 12 - 0.5  # born in the middle of the year
        rows.append(
            both.select(middle - pl.col("born"), "rating", change=(pl.col("after") - pl.col("rating")))
        )
        gaps.append(gap)
    table = pl.concat(rows).to_numpy()
    if len(table) < NEIGHBOURS:
        raise InputError(
            f"expected {NEIGHBOURS} players with a year of birth on two lists, found {len(table)}"
        )
    from scipy.spatial import cKDTree

    step = float(np.mean(gaps))
    scale = np.array([1.0, 1 / YEAR_IN_POINTS])
    tree = cKDTree(table[:, :2] * scale)
    rng = np.random.default_rng(seed)
    ages = age + step * np.arange(math.ceil((until - age) / step - 0.05) + 1)
    result = np.full((lives, len(ages)), float(rating))
    for i in range(1, len(ages)):
        here = np.column_stack([np.full(lives, ages[i - 1]), result[:, i - 1]])
        _, near = tree.query(here * scale, k=NEIGHBOURS)
        result[:, i] = result[:, i - 1] + table[near[np.arange(lives), rng.integers(0, NEIGHBOURS, lives)], 2]
    return Potential(
        ages=ages.astype(np.float64),
        lives=result,
        pairs=len(table),
        years=step,
        parameters={
            "rating": rating,
            "age": age,
            "until": until,
            "lives": lives,
            "neighbours": NEIGHBOURS,
            "seed": seed,
        },
    )


# How a population of players grows, and how many stand above a rating [Elo 4.27, 7.39; IPR (2)].

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
        result, covariance = curve_fit(
            _logistic, t - origin, n, p0=start, bounds=(1e-9, np.inf), max_nfev=20_000
        )
    except RuntimeError:
        raise InputError("no logistic curve could be fitted to these counts") from None
    errors = np.sqrt(np.diag(covariance))
    misses = n - _logistic(t - origin, *result)
    return Growth(
        **dict(zip(("n_max", "a", "b"), result.tolist(), strict=True)),
        **dict(zip(("n_max_error", "a_error", "b_error"), errors.tolist(), strict=True)),
        origin=origin,
        points=len(t),
        r_squared=float(1 - (misses**2).sum() / ((n - n.mean()) ** 2).sum()),
        saturated=bool(n.max() > result[0] / 2),
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
        text = input_text(path)
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

    number: Players sampled from the first population.
    population: The size of the first population.
    then: The size of the other.

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


def players_above(rating: float, *, players: float, shape: DistributionShape) -> float:
    """Return how many of this many players a shape expects above a rating.

    Examples
    --------
    >>> from arpad.pool.distribution import NormalShape
    >>> round(players_above(2200, players=1000, shape=NormalShape(mean=1600, sd=300)), 1)
    22.8
    """
    return players * (1.0 - float(shape.below([rating])[0]))


def rating_of_best(number: float, *, players: float, shape: DistributionShape) -> float:
    """Return the rating above which a shape expects this many of the players."""
    if not 0 < number < players:
        raise UsageError(f"expected a number between 0 and {players:g}, found {number!r}")
    return shape.at(1.0 - number / players)
