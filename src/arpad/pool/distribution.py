"""How the ratings of a pool are distributed, against the normal and the Maxwell–Boltzmann shape."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from arpad.errors import UsageError
from arpad.pool.goodness import (
    LEAST,
    ChiSquare,
    KolmogorovSmirnov,
    chi_square,
    grouped_kolmogorov_smirnov,
    in_words,
    kolmogorov_smirnov,
)
from arpad.pool.histogram import Histogram, histogram
from arpad.pool.shapes import MaxwellShape, NormalShape, Shape

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import ArrayLike

__all__ = ["Distribution", "Fit", "distribution", "grouped_distribution"]

WIDTH = 100.0
"""Rating points an interval, as in the book's tables 7.33 and 7.38."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """One shape laid over a pool, with the tests of it."""

    shape: Shape
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
class Distribution:
    """The ratings of a pool: figures, histogram, and both fits; a fit is None where ratings do not differ."""

    players: float
    mean: float
    sd: float | None
    """Divided by n − 1; None for a single rating."""
    skewness: float | None
    """0 for a normal distribution, .49 for every Maxwell–Boltzmann one."""
    histogram: Histogram
    normal: Fit | None
    maxwell: Fit | None
    parameters: dict[str, Any]

    @property
    def fits(self) -> tuple[Fit, ...]:
        """The fits there are."""
        return tuple(fit for fit in (self.normal, self.maxwell) if fit is not None)

    @property
    def best(self) -> Fit | None:
        """The fit with the smaller χ²."""
        return min(self.fits, key=lambda fit: fit.chi_square.statistic, default=None)

    def table(self) -> pl.DataFrame:
        """Return the histogram, a row an interval, with the frequencies that each shape expects."""
        return self.histogram.table(**{fit.shape.name: fit.shape for fit in self.fits})

    def summary(self) -> str:
        """Return one sentence."""
        head = f"{self.players:,.0f} ratings, mean {self.mean:.1f}"
        best = self.best
        if self.sd is None or best is None:
            return f"{head}: they do not differ, so no shape can be fitted"
        words = "; ".join(
            f"{fit.shape.name}: χ² {fit.chi_square.statistic:,.2f}, {in_words(fit.chi_square.p_fitted)}"
            for fit in self.fits
        )
        small = "" if best.chi_square.large_enough else " (too few ratings for a χ² test)"
        return f"{head}, standard deviation {self.sd:.1f}; {words}{small}"


def distribution(
    ratings: ArrayLike, *, width: float = WIDTH, least: float = LEAST, zero: float | None = None
) -> Distribution:
    """Describe ratings and fit both shapes to them.

    Parameters
    ----------
    ratings
        One number a player.
    width
        Rating points an interval of the histogram.
    least
        Intervals that expect fewer players are pooled with their neighbours for χ².
    zero
        The zero point of the Maxwell–Boltzmann shape; fitted from mean and standard deviation if not
        given.

    Examples
    --------
    >>> found = distribution([1410, 1490, 1520, 1560, 1580, 1650, 1700, 1840])
    >>> found.mean, round(found.sd, 1), found.histogram.counts
    (1593.75, 134.4, (2, 3, 1, 1, 1))
    """
    values = np.asarray(ratings, dtype=np.float64)
    if values.ndim != 1 or not values.size:
        raise UsageError("expected ratings, found none")
    if not np.isfinite(values).all():
        raise UsageError("expected ratings that are numbers, found one that is none")
    counted = histogram(values, width)
    mean = float(values.mean())
    sd = float(values.std(ddof=1)) * bool(np.ptp(values)) if values.size > 1 else None
    fits: list[Fit | None] = [None, None]
    if sd:
        fits = [
            Fit(
                shape=shape,
                chi_square=_chi_square(counted, shape, least, zero),
                kolmogorov_smirnov=kolmogorov_smirnov(
                    values, shape.below, fitted=_fitted(shape, zero)
                ),
            )
            for shape in _shapes(mean, sd, zero)
        ]
    return Distribution(
        players=float(values.size),
        mean=mean,
        sd=sd,
        skewness=float(((values - mean) ** 3).mean() / values.std() ** 3) if sd else None,
        histogram=counted,
        normal=fits[0],
        maxwell=fits[1],
        parameters={"width": width, "least": least, "zero": zero},
    )


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
    fits: list[Fit | None] = [None, None]
    if sd > 0:
        fits = [
            Fit(
                shape=shape,
                chi_square=_chi_square(counted, shape, least, zero),
                kolmogorov_smirnov=grouped_kolmogorov_smirnov(
                    counted.cumulative()[:-1].tolist() or [1.0],
                    shape.below(counted.edges[1:-1]).tolist() or [1.0],
                    observations=counted.total,
                    at=counted.edges[1:-1] or counted.edges[:1],
                    fitted=_fitted(shape, zero),
                ),
            )
            for shape in _shapes(mean, sd, zero)
        ]
    return Distribution(
        players=counted.total,
        mean=mean,
        sd=sd or None,
        skewness=third / plain**3 if plain else None,
        histogram=counted,
        normal=fits[0],
        maxwell=fits[1],
        parameters={"width": counted.width, "least": least, "zero": zero, "sheppard": sheppard},
    )


def _shapes(mean: float, sd: float, zero: float | None) -> tuple[Shape, Shape]:
    if zero is None:
        return NormalShape(mean=mean, sd=sd), MaxwellShape.of_moments(mean=mean, sd=sd)
    if not (math.isfinite(zero) and zero < mean):
        raise UsageError(f"expected a zero point below the mean {mean:.1f}, found {zero!r}")
    return NormalShape(mean=mean, sd=sd), MaxwellShape.through_mean(zero=zero, mean=mean)


def _fitted(shape: Shape, zero: float | None) -> int:
    """Count the constants taken from the data: a zero point that was given is none of them."""
    return shape.fitted - (zero is not None and isinstance(shape, MaxwellShape))


def _chi_square(counted: Histogram, shape: Shape, least: float, zero: float | None) -> ChiSquare:
    # A Maxwell shape expects nobody below its zero point: such intervals must be pooled.
    return chi_square(
        counted.counts,
        counted.expected(shape),
        fitted=_fitted(shape, zero),
        least=max(least, 1e-9),
    )
