"""The distribution of a pool's ratings, against the normal and the Maxwell–Boltzmann shape."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

import numpy as np
import polars as pl

from arpad.errors import InputError, UsageError
from arpad.model import Ratings, Result
from arpad.pool.significance import (
    LEAST,
    ChiSquare,
    KolmogorovSmirnov,
    chi_square,
    grouped_kolmogorov_smirnov,
    in_words,
    kolmogorov_smirnov,
)
from arpad.read.text_table import LINE, finite_number, small_table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray


MOST = 10_000
"""Intervals beyond which a width is taken for a mistake."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """Counts between edges, all intervals of one width; the first and the last may be open.

    An open interval (`Below 600`, `2600 & Over`) stands for one width when a mean is taken, and for
    everything beyond when frequencies are expected.

    Examples
    --------
    >>> h = Histogram(edges=(1000, 1100, 1200, 1300), counts=(5, 10, 5))
    >>> h.mean(), round(h.sd(), 1), round(h.sd(sheppard=False), 1)
    (1150.0, 64.5, 70.7)
    """

    edges: tuple[float, ...]
    counts: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.edges) != len(self.counts) + 1 or not self.counts:
            raise UsageError(
                f"expected one edge more than counts, found {len(self.edges)} and {len(self.counts)}"
            )
        steps = np.diff(self.edges)
        if not (steps > 0).all() or not np.allclose(steps, steps[0]):
            raise UsageError("expected rising edges, equally far apart")
        counts = np.asarray(self.counts, dtype=np.float64)
        if not np.isfinite(counts).all() or (counts < 0).any():
            raise UsageError("expected counts of 0 or more")
        if counts.sum() <= 0:
            raise UsageError("expected something counted, found nothing")

    @property
    def width(self) -> float:
        """The width of an interval, in the unit of the measurements."""
        return (self.edges[-1] - self.edges[0]) / len(self.counts)

    @property
    def digits(self) -> int:
        """Decimals for a mean or a deviation in this unit."""
        return 1 if self.width >= 1 else 2

    @property
    def total(self) -> float:
        """Number of counted players."""
        return math.fsum(self.counts)

    def _middles(self) -> NDArray[np.float64]:
        return np.asarray(self.edges[:-1], dtype=np.float64) + self.width / 2

    def mean(self) -> float:
        """Return the mean, every measurement taken at the middle of its interval."""
        return float(np.asarray(self.counts) @ self._middles()) / self.total

    def sd(self, *, sheppard: bool = True) -> float:
        """Return the standard deviation.

        sheppard: Take w²/12 off the variance: counting by intervals of width w adds so much. The book's
            figures at 2.73 and, for the USCF, at 7.33 have it taken off.
        """
        apart = self._middles() - self.mean()
        variance = float(np.asarray(self.counts) @ apart**2) / self.total
        # Two neighbouring intervals alone can be narrower than the correction supposes.
        return math.sqrt(max(variance - (self.width**2 / 12 if sheppard else 0.0), 0.0))

    def cumulative(self) -> NDArray[np.float64]:
        """Return the share below the upper edge of each interval."""
        return np.asarray(np.cumsum(self.counts) / self.total)

    def above(self, value: float) -> float:
        """Return how many lie above a value, spread evenly within its interval [7.39]."""
        below = np.interp(value, self.edges, np.concatenate(([0.0], np.cumsum(self.counts))))
        return self.total - float(below)

    def expected(self, shape: DistributionShape) -> NDArray[np.float64]:
        """Return the frequencies f_e that a distribution puts into each interval; the ends are open."""
        F = np.asarray(shape.below(np.asarray(self.edges, dtype=np.float64)))
        F[0], F[-1] = 0.0, 1.0
        return np.asarray(np.diff(F) * self.total)

    def table(self, **shapes: DistributionShape) -> pl.DataFrame:
        """Return a row an interval: `low`, `high`, `count`, `percent`, `cumulative`, and f_e by each shape."""
        counts = np.asarray(self.counts, dtype=np.float64)
        whole = bool((counts == np.round(counts)).all())
        return pl.DataFrame(
            {
                "low": self.edges[:-1],
                "high": self.edges[1:],
                "count": counts.astype(np.int64) if whole else counts,
                "percent": 100 * counts / self.total,
                "cumulative": 100 * self.cumulative(),
                **{name: self.expected(shape) for name, shape in shapes.items()},
            }
        )


def histogram(values: ArrayLike, width: float, *, limits: Sequence[float] | None = None) -> Histogram:
    """Count measurements in intervals that begin at multiples of `width`.

    limits: Lowest and highest edge; what lies beyond is counted in the first and the last interval.

    Examples
    --------
    >>> histogram([1203, 1299, 1300, 1415], 100).counts
    (2, 1, 1)
    """
    numbers = np.asarray(values, dtype=np.float64)
    if not (math.isfinite(width) and width > 0):
        raise UsageError(f"expected a width above 0, found {width!r}")
    if not numbers.size or not np.isfinite(numbers).all():
        raise UsageError("expected measurements that are numbers, found none or one that is none")
    low, high = (numbers.min(), numbers.max()) if limits is None else (limits[0], limits[1])
    first = math.floor(low / width)
    last = max(math.floor(high / width), first) if limits is None else math.ceil(high / width) - 1
    count = last - first + 1
    if count > MOST:
        raise UsageError(
            f"expected at most {MOST:,} intervals, found {count:,}: choose a larger width than {width:g}"
        )
    place = np.clip(np.floor(numbers / width).astype(np.int64) - first, 0, count - 1)
    counts = np.bincount(place, minlength=count)
    return Histogram(
        edges=tuple(float(width * (first + i)) for i in range(count + 1)),
        counts=tuple(int(c) for c in counts),
    )


def read_histogram(file: str, column: str, *, players: float | None = None) -> Histogram:
    """Read a printed table of counts, such as 7.38: each interval in `low` or `range`, its count in a column.

    Only the number with which an interval begins is read. The first and the last may be open
    (`Below 600`, `2600 & Over`).

    players: The counts are shares of this many.
    """
    wanted = column.strip().casefold()
    frame = small_table(file, {wanted})
    place = next((name for name in ("low", "range") if name in frame.columns), None)
    if place is None or wanted not in frame.columns:
        names = ", ".join(frame.columns[:-1])
        raise InputError(f"expected the columns low (or range) and {column}, found {names}", file=file)
    interval = pl.concat_str(place, *({"high"} & set(frame.columns)), separator=" ", ignore_nulls=True)
    lows, counts = [], []
    for text, count, line in frame.select(interval, wanted, LINE).iter_rows():
        if count is not None and count.strip():
            begin = re.search(r"-?\d*\.?\d+", text)
            lows.append(math.nan if begin is None else float(begin[0]))
            counts.append(finite_number(count, file, line, f"a count in {column}"))
    if len(lows) > 2 and lows[1] > lows[-2]:
        lows, counts = lows[::-1], counts[::-1]
    # The ends may be open: the intervals between tell the width.
    steps = np.diff(lows[1:])
    width = float(np.median(steps)) if steps.size else math.nan
    if not (np.abs(steps - width) <= width / 10).all() or not width > 0:
        raise InputError("expected three intervals or more, of one width but for the ends", file=file)
    edges = lows[1] + width * (np.arange(len(lows) + 1) - 1)
    scale = 1.0 if players is None else players / math.fsum(counts)
    return Histogram(edges=tuple(edges.round(6).tolist()), counts=tuple(c * scale for c in counts))


# Shapes of a rating pool: the normal distribution, and Maxwell's and Boltzmann's [Elo 7.3, 9.1].

MEAN_TO_MODE = 2 / math.sqrt(math.pi)
"""R_a / R_m from the zero point: 1.1284; printed 1.1287 [(75)]."""
RMS_TO_MODE = math.sqrt(1.5)
"""R_r / R_m from the zero point, so that R_a / R_r = .9213 [(75)]."""
SD_TO_MODE = math.sqrt(1.5 - 4 / math.pi)
"""σ / R_m, from the two above."""
MAXWELL_SKEWNESS = 2 * math.sqrt(2) * (16 - 5 * math.pi) / (3 * math.pi - 8) ** 1.5
"""The same for every Maxwell–Boltzmann distribution: .4857."""


class DistributionShape(Protocol):
    """Protocol of both distributions."""

    @property
    def name(self) -> str:
        """As people call it."""
        ...

    @property
    def fitted(self) -> int:
        """How many constants it has."""
        ...

    def below(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return the share of the pool below each value."""
        ...

    def density(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return the share of the pool per rating point at each value."""
        ...

    def at(self, share: float) -> float:
        """Return the value below which such a share of the pool lies."""
        ...

    def parameters(self) -> dict[str, Any]:
        """Return the constants by name."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class NormalShape:
    """The normal distribution of a mean and a standard deviation [7.35]."""

    name: ClassVar[str] = "normal"
    fitted: ClassVar[int] = 2
    mean: float
    sd: float

    def __post_init__(self) -> None:
        _check(self.mean, self.sd)

    def below(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return the share of the pool below each value."""
        from scipy.special import ndtr

        return np.asarray(ndtr((np.asarray(values, dtype=np.float64) - self.mean) / self.sd))

    def density(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return the share of the pool per rating point at each value."""
        z = (np.asarray(values, dtype=np.float64) - self.mean) / self.sd
        return np.asarray(np.exp(-(z**2) / 2) / (self.sd * math.sqrt(2 * math.pi)))

    def at(self, share: float) -> float:
        """Return the value below which such a share of the pool lies."""
        from scipy.special import ndtri

        return self.mean + self.sd * float(ndtri(share))

    def parameters(self) -> dict[str, Any]:
        """Return the constants by name."""
        return {"mean": self.mean, "sd": self.sd}


@dataclass(frozen=True, slots=True, kw_only=True)
class MaxwellShape:
    """Maxwell's and Boltzmann's distribution, which begins at a zero point [9.13, (74)].

    ΔN/N = 4/√π (R/R_m)² e^−(R/R_m)² ΔR/R_m, with R measured from the zero point.

    Examples
    --------
    >>> uscf = MaxwellShape.through_mean(zero=945, mean=1547)
    >>> round(uscf.mode, 1), round(uscf.rms, 1)
    (1478.5, 1598.4)
    """

    name: ClassVar[str] = "maxwell"
    fitted: ClassVar[int] = 2
    zero: float
    """The rating at which the distribution begins."""
    R_m: float
    """The most frequent rating, measured from the zero point."""

    def __post_init__(self) -> None:
        _check(self.zero, self.R_m)

    @classmethod
    def of_moments(cls, *, mean: float, sd: float) -> Self:
        """Return the shape that has this mean and standard deviation; both fix the zero point.

        Examples
        --------
        >>> round(MaxwellShape.of_moments(mean=1547, sd=251.6).zero)
        951
        """
        R_m = sd / SD_TO_MODE
        return cls(zero=mean - MEAN_TO_MODE * R_m, R_m=R_m)

    @classmethod
    def through_mean(cls, *, zero: float, mean: float) -> Self:
        """Return the shape with this zero point and mean [9.16]."""
        return cls(zero=zero, R_m=(mean - zero) / MEAN_TO_MODE)

    @classmethod
    def of_mean_and_mode(cls, *, mean: float, mode: float) -> Self:
        """Return the shape with this mean and most frequent rating: they fix the zero point [9.14]."""
        return cls.through_mean(zero=(MEAN_TO_MODE * mode - mean) / (MEAN_TO_MODE - 1), mean=mean)

    @property
    def mode(self) -> float:
        """The most frequent rating."""
        return self.zero + self.R_m

    @property
    def mean(self) -> float:
        """R_a, the average rating."""
        return self.zero + MEAN_TO_MODE * self.R_m

    @property
    def rms(self) -> float:
        """R_r, the root of the mean square from the zero point."""
        return self.zero + RMS_TO_MODE * self.R_m

    @property
    def sd(self) -> float:
        """The standard deviation."""
        return SD_TO_MODE * self.R_m

    def below(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return the share of the pool below each value."""
        from scipy.special import gammainc

        x = np.maximum(np.asarray(values, dtype=np.float64) - self.zero, 0.0) / self.R_m
        return np.asarray(gammainc(1.5, x**2))

    def density(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return the share of the pool per rating point at each value [(74)]."""
        x = np.maximum(np.asarray(values, dtype=np.float64) - self.zero, 0.0) / self.R_m
        return np.asarray(4 / math.sqrt(math.pi) * x**2 * np.exp(-(x**2)) / self.R_m)

    def at(self, share: float) -> float:
        """Return the value below which such a share of the pool lies."""
        from scipy.special import gammaincinv

        return self.zero + self.R_m * math.sqrt(float(gammaincinv(1.5, share)))

    def parameters(self) -> dict[str, Any]:
        """Return the constants by name, and what follows from them."""
        return {"zero": self.zero, "mode": self.mode, "mean": self.mean, "rms": self.rms}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeAbove:
    """The part of a shape above the floor of a list, where the rest of the pool is not listed."""

    whole: DistributionShape
    floor: float

    @property
    def name(self) -> str:
        """As people call the whole shape."""
        return self.whole.name

    @property
    def fitted(self) -> int:
        """How many constants it has; the floor is given."""
        return self.whole.fitted

    @property
    def listed(self) -> float:
        """The share of the pool above the floor."""
        return 1.0 - float(self.whole.below([self.floor])[0])

    def below(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return the share of the list below each value."""
        return np.maximum(self.whole.below(values) - (1.0 - self.listed), 0.0) / self.listed

    def density(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return the share of the list per rating point at each value."""
        return self.whole.density(values) * (np.asarray(values) >= self.floor) / self.listed

    def at(self, share: float) -> float:
        """Return the value below which such a share of the list lies."""
        return self.whole.at(1.0 - self.listed * (1.0 - share))

    def parameters(self) -> dict[str, Any]:
        """Return the constants of the whole shape, the floor and the share that is listed."""
        return {**self.whole.parameters(), "floor": self.floor, "listed": self.listed}


def _above(
    values: NDArray[np.float64], floor: float, zero: float | None
) -> tuple[DistributionShape, DistributionShape]:
    """Fit both shapes to the ratings above a floor by maximum likelihood."""
    from scipy.optimize import minimize

    at, counts = np.unique(values, return_counts=True)
    mean, sd = float(values.mean()), float(values.std())

    def normal(x: NDArray[np.float64]) -> DistributionShape:
        return NormalShape(mean=float(x[0]), sd=math.exp(x[1]))

    def maxwell(x: NDArray[np.float64]) -> DistributionShape:
        return MaxwellShape(zero=float(x[0]) if zero is None else zero, R_m=math.exp(x[1]))

    result: list[DistributionShape] = []
    for make, start in ((normal, (mean, math.log(sd))), (maxwell, (mean - 3 * sd, math.log(2 * sd)))):

        def loss(
            x: NDArray[np.float64], make: Callable[[NDArray[np.float64]], DistributionShape] = make
        ) -> float:
            shape = ShapeAbove(whole=make(x), floor=floor)
            if not shape.listed > 1e-6:  # further off the floor nothing can be told
                return math.inf
            return -float(counts @ np.log(np.maximum(shape.density(at), 1e-300)))

        best = minimize(
            loss,
            start,
            method="Nelder-Mead",
            options={"xatol": 1e-3, "fatol": 1e-6 * len(values), "maxiter": 4000},
        )
        result.append(ShapeAbove(whole=make(best.x), floor=floor))
    return result[0], result[1]


def _check(place: float, size: float) -> None:
    if not (math.isfinite(place) and math.isfinite(size) and size > 0):
        raise UsageError(
            f"expected a place and a spread above 0, found {place!r} and {size!r}: the ratings must differ"
        )


# How the ratings of a pool are distributed, against the normal and the Maxwell–Boltzmann shape.

WIDTH = 100.0
"""Rating points an interval, as in the book's tables 7.33 and 7.38."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeFit:
    """One shape laid over a pool, with the tests of it."""

    shape: DistributionShape
    chi_square: ChiSquare
    kolmogorov_smirnov: KolmogorovSmirnov

    def document(self) -> dict[str, Any]:
        """Return everything as plain values."""
        chi, ks = self.chi_square, self.kolmogorov_smirnov
        return {
            "shape": self.shape.name,
            "parameters": self.shape.parameters(),
            "chi_square": chi.statistic,
            "intervals": chi.intervals,
            "degrees": chi.degrees,
            "p": chi.p,
            "degrees_fitted": chi.degrees_fitted,
            "p_fitted": chi.p_fitted,
            "ks": ks.difference,
            "ks_at": ks.at,
            "ks_p": ks.p,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution(Result):
    """The ratings of a pool: figures, histogram, and both fits; a fit is None where ratings do not differ."""

    players: float
    mean: float
    sd: float | None
    """Divided by n − 1; None for a single rating."""
    skewness: float | None
    """0 for a normal distribution, .49 for every Maxwell–Boltzmann one."""
    histogram: Histogram
    normal: ShapeFit | None
    maxwell: ShapeFit | None
    parameters: dict[str, Any]
    gain: tuple[float, float] | None = None
    """Log likelihood of Maxwell–Boltzmann over normal for 1,000 players, and half its 95 % interval (Vuong)."""

    @property
    def fits(self) -> tuple[ShapeFit, ...]:
        """The fits there are."""
        return tuple(fit for fit in (self.normal, self.maxwell) if fit is not None)

    @property
    def best(self) -> ShapeFit | None:
        """The fit with the smaller χ²."""
        return min(self.fits, key=lambda fit: fit.chi_square.statistic, default=None)

    def table(self) -> pl.DataFrame:
        """Return the histogram, a row an interval, with the frequencies that each shape expects."""
        return self.histogram.table(**{fit.shape.name: fit.shape for fit in self.fits})

    def to_dict(self) -> dict[str, Any]:
        """Return every figure."""
        return {
            "summary": self.summary(),
            "parameters": self.parameters,
            "players": int(self.players),
            "mean": self.mean,
            "sd": self.sd,
            "skewness": self.skewness,
            "fits": [fit.document() for fit in self.fits],
            "maxwell_gain": None
            if self.gain is None
            else dict(zip(("gain", "half"), self.gain, strict=True)),
            "histogram": self.table().to_dicts(),
        }

    def summary(self) -> str:
        """Return one sentence."""
        digits = self.histogram.digits
        head = f"{self.players:,.0f} ratings, mean {round(self.mean, digits) + 0.0:.{digits}f}"
        best = self.best
        if self.sd is None or best is None:
            return f"{head}: they do not differ, so no shape can be fitted"
        words = "; ".join(
            f"{fit.shape.name}: χ² {fit.chi_square.statistic:,.2f}, {in_words(fit.chi_square.p_fitted)}"
            for fit in self.fits
        )
        small = "" if best.chi_square.large_enough else " (too few ratings for a χ² test)"
        return f"{head}, standard deviation {self.sd:.{digits}f}; {words}{small}"


def distribution(
    ratings: ArrayLike | Ratings,
    *,
    width: float = WIDTH,
    least: float = LEAST,
    zero: float | None = None,
    floor: float | None = None,
) -> Distribution:
    """Describe ratings and fit both shapes to them.

    Parameters
    ----------
    ratings
        One number a player, or a list.
    width
        Rating points an interval of the histogram.
    least
        Intervals that expect fewer players are pooled with their neighbours for χ².
    zero
        The zero point of the Maxwell–Boltzmann shape; fitted from mean and standard deviation if not
        given.
    floor
        Leave out ratings below it, and fit the part of each shape above it: for lists that begin at a rating.

    Examples
    --------
    >>> found = distribution([1410, 1490, 1520, 1560, 1580, 1650, 1700, 1840])
    >>> found.mean, round(found.sd, 1), found.histogram.counts
    (1593.75, 134.4, (2, 3, 1, 1, 1))
    """
    if isinstance(ratings, Ratings):
        ratings = ratings.rows["rating"].drop_nulls()
    values = np.asarray(ratings, dtype=np.float64)
    if values.ndim != 1 or not values.size:
        raise UsageError("expected ratings, found none")
    if not np.isfinite(values).all():
        raise UsageError("expected ratings that are numbers, found one that is not")
    if floor is not None:
        values = values[values >= floor]
        if not values.size:
            raise UsageError(f"expected ratings of {floor:g} or more, found none")
    counted = histogram(values, width)
    mean = float(values.mean())
    sd = float(values.std(ddof=1)) * bool(np.ptp(values)) if values.size > 1 else None

    def test(shape: DistributionShape, fitted: int) -> KolmogorovSmirnov:
        return kolmogorov_smirnov(values, shape.below, fitted=fitted)

    shapes = () if not sd else _shapes(mean, sd, zero) if floor is None else _above(values, floor, zero)
    return Distribution(
        players=float(values.size),
        mean=mean,
        sd=sd,
        skewness=float(((values - mean) ** 3).mean() / values.std() ** 3) if sd else None,
        histogram=counted,
        **_fits(counted, shapes, test, least, zero),
        parameters={"width": width, "least": least, "zero": zero, "floor": floor},
        gain=_gain(values, *shapes) if shapes else None,
    )


def _fits(
    counted: Histogram,
    shapes: Sequence[DistributionShape],
    test: Callable[[DistributionShape, int], KolmogorovSmirnov],
    least: float,
    zero: float | None,
) -> dict[str, Any]:
    """Return the fits of both shapes by their names in `Distribution`; None where there are no shapes."""
    fits: list[ShapeFit | None] = []
    for shape in shapes:
        # A zero point that was given is no constant taken from the data.
        fitted = shape.fitted - (zero is not None and shape.name == MaxwellShape.name)
        # A Maxwell shape expects nobody below its zero point: such intervals must be pooled.
        chi = chi_square(counted.counts, counted.expected(shape), fitted=fitted, least=max(least, 1e-9))
        fits.append(ShapeFit(shape=shape, chi_square=chi, kolmogorov_smirnov=test(shape, fitted)))
    return dict(zip(("normal", "maxwell"), fits or [None, None], strict=True))


def _gain(
    values: NDArray[np.float64], normal: DistributionShape, maxwell: DistributionShape
) -> tuple[float, float] | None:
    with np.errstate(divide="ignore"):
        apart = np.log(maxwell.density(values)) - np.log(normal.density(values))
    if not np.isfinite(apart).all():  # a rating below the zero point
        return None
    return 1000 * float(apart.mean()), 1000 * 1.96 * float(apart.std(ddof=1)) / math.sqrt(len(values))


def grouped_distribution(
    counted: Histogram, *, sheppard: bool = True, least: float = LEAST, zero: float | None = None
) -> Distribution:
    """Do the same where only the counts by interval are known, as in a printed table.

    Kolmogorov–Smirnov then looks at the ends of intervals only.
    """
    mean, sd = counted.mean(), counted.sd(sheppard=sheppard)
    middles = np.asarray(counted.edges[:-1]) + counted.width / 2
    plain = counted.sd(sheppard=False)
    third = float(np.asarray(counted.counts) @ (middles - mean) ** 3) / counted.total

    def test(shape: DistributionShape, fitted: int) -> KolmogorovSmirnov:
        return grouped_kolmogorov_smirnov(
            counted.cumulative()[:-1].tolist() or [1.0],
            shape.below(counted.edges[1:-1]).tolist() or [1.0],
            observations=counted.total,
            at=counted.edges[1:-1] or counted.edges[:1],
            fitted=fitted,
        )

    return Distribution(
        players=counted.total,
        mean=mean,
        sd=sd or None,
        skewness=third / plain**3 if plain else None,
        histogram=counted,
        **_fits(counted, _shapes(mean, sd, zero) if sd > 0 else (), test, least, zero),
        parameters={"width": counted.width, "least": least, "zero": zero, "sheppard": sheppard},
    )


def _shapes(mean: float, sd: float, zero: float | None) -> tuple[DistributionShape, DistributionShape]:
    if zero is None:
        return NormalShape(mean=mean, sd=sd), MaxwellShape.of_moments(mean=mean, sd=sd)
    if not (math.isfinite(zero) and zero < mean):
        raise UsageError(f"expected a zero point below the mean {mean:.1f}, found {zero!r}")
    return NormalShape(mean=mean, sd=sd), MaxwellShape.through_mean(zero=zero, mean=mean)
