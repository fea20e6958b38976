"""Does what was observed agree with what was expected? χ² and Kolmogorov–Smirnov [Elo 8.96, 9.17]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from arpad.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "LEAST",
    "OBSERVATIONS",
    "ChiSquare",
    "KolmogorovSmirnov",
    "chi_square",
    "grouped_kolmogorov_smirnov",
    "in_words",
    "kolmogorov_smirnov",
    "p_text",
    "pooled",
]

LEAST = 5.0
"""Expected observations that an interval must have [8.96]."""
OBSERVATIONS, INTERVALS = 30, 6
"""Fewest observations and intervals that make a χ² test [8.96]."""
CERTAIN, PROBABLE = 0.01, 0.05
"""Below the first a difference is almost certainly real, below the second probably [8.96]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChiSquare:
    """χ² = Σ (f_o − f_e)² / f_e with the two ways of counting degrees of freedom [(73)].

    The book counts j − 1. Every constant that was fitted to the same data costs one more; `p_fitted`
    takes that into account and is the one to trust. A p-value is None where no degree is left.
    """

    statistic: float
    intervals: int
    """j, after small intervals were pooled."""
    observations: float
    fitted: int = 0
    """Constants that were estimated from the same data."""
    tied: bool = True
    """The expected frequencies add up to the observed ones, which costs one degree of freedom."""

    @property
    def degrees(self) -> int:
        """J − 1, as the book counts."""
        return self.intervals - self.tied

    @property
    def degrees_fitted(self) -> int:
        """The same, less one for every fitted constant."""
        return max(self.degrees - self.fitted, 0)

    @property
    def p(self) -> float | None:
        """The probability of so large a χ² by chance, with j − 1 degrees of freedom."""
        return _chi_square_tail(self.statistic, self.degrees)

    @property
    def p_fitted(self) -> float | None:
        """The same with the fitted constants counted."""
        return _chi_square_tail(self.statistic, self.degrees_fitted)

    @property
    def large_enough(self) -> bool:
        """Whether there are 30 observations in 6 intervals, which the book asks for."""
        return self.observations >= OBSERVATIONS and self.intervals >= INTERVALS

    def critical(self, level: float) -> float | None:
        """Return the χ² that chance exceeds with probability `level`, by j − 1 degrees.

        Examples
        --------
        >>> round(ChiSquare(statistic=8.843, intervals=7, observations=546).critical(0.01), 3)
        16.812
        """
        from scipy.special import chdtri

        return float(chdtri(self.degrees, level)) if self.degrees >= 1 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class KolmogorovSmirnov:
    """The largest difference of two cumulative proportions, and how likely chance is to make it.

    `p` holds for an expectation that was fixed beforehand. Where its constants were `fitted` to the
    same data, p is too large: a small one still rejects, a large one says little.
    """

    difference: float
    at: float
    """Where it was found."""
    observations: float
    fitted: int = 0

    @property
    def p(self) -> float:
        """The probability of so large a difference by chance."""
        from scipy.special import kolmogorov

        root = math.sqrt(self.observations)
        # Stephens' term makes the limiting law good from a handful of observations on.
        return float(kolmogorov((root + 0.12 + 0.11 / root) * self.difference))

    def limit(self, level: float) -> float:
        """Return the difference that chance exceeds with probability `level`: 1.36/√N for 5 % [9.17].

        Examples
        --------
        >>> found = KolmogorovSmirnov(difference=0.0235, at=1100, observations=1857)
        >>> round(found.limit(0.05), 4)
        0.0315
        """
        from scipy.special import kolmogi

        return float(kolmogi(level)) / math.sqrt(self.observations)


def pooled(
    f_o: ArrayLike, f_e: ArrayLike, least: float = LEAST
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Join neighbouring intervals until each has at least `least` expected observations.

    Examples
    --------
    >>> f_o, f_e = pooled([1, 2, 9, 8, 1], [1.5, 4.0, 8.0, 6.0, 1.5])
    >>> f_o.tolist(), f_e.tolist()
    ([3.0, 9.0, 9.0], [5.5, 8.0, 7.5])
    """
    observed, expected = _frequencies(f_o, f_e)
    starts, room = [0], 0.0
    for i, f in enumerate(expected):
        if room >= least:
            starts.append(i)
            room = 0.0
        room += f
    if room < least and len(starts) > 1:
        starts.pop()  # what is left over goes to the last interval
    return np.add.reduceat(observed, starts), np.add.reduceat(expected, starts)


def chi_square(
    f_o: ArrayLike,
    f_e: ArrayLike,
    *,
    fitted: int = 0,
    least: float = 0.0,
    tied: bool = True,
) -> ChiSquare:
    """Test observed against expected frequencies [(73)].

    Parameters
    ----------
    fitted
        How many constants of the expectation were estimated from these observations: 2 for a normal
        distribution with their mean and standard deviation.
    least
        Pool neighbouring intervals that expect fewer observations; 0 takes them as they are.

    Examples
    --------
    >>> found = chi_square([18, 24, 30, 28], [25, 25, 25, 25])
    >>> round(found.statistic, 2), found.degrees, round(found.p, 3)
    (3.36, 3, 0.339)
    """
    observed, expected = pooled(f_o, f_e, least) if least else _frequencies(f_o, f_e)
    if bool((expected <= 0).any()):
        raise UsageError(
            "expected frequencies above 0, found an interval without: pool it with its neighbour"
        )
    return ChiSquare(
        statistic=float(((observed - expected) ** 2 / expected).sum()),
        intervals=len(observed),
        observations=float(observed.sum()),
        fitted=fitted,
        tied=tied,
    )


def kolmogorov_smirnov(
    values: ArrayLike, cumulative: Callable[[NDArray[np.float64]], ArrayLike], *, fitted: int = 0
) -> KolmogorovSmirnov:
    """Test measurements against a distribution given by its cumulative proportions [9.17]."""
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    n = len(ordered)
    if not n or bool(np.isnan(ordered).any()):
        raise UsageError(f"expected measurements that are numbers, found {n or 'one that is none'}")
    F = np.asarray(cumulative(ordered), dtype=np.float64)
    apart = np.maximum(np.arange(1, n + 1) / n - F, F - np.arange(n) / n)
    worst = int(apart.argmax())
    return KolmogorovSmirnov(
        difference=float(apart[worst]), at=float(ordered[worst]), observations=n, fitted=fitted
    )


def grouped_kolmogorov_smirnov(
    observed: Sequence[float],
    expected: Sequence[float],
    *,
    observations: float,
    at: Sequence[float] | None = None,
    fitted: int = 0,
) -> KolmogorovSmirnov:
    """Test cumulative proportions at the ends of intervals, as table 9.17 does.

    Between those ends nothing is seen, so that the difference can only be too small.
    """
    apart = np.abs(np.asarray(observed, dtype=np.float64) - np.asarray(expected, dtype=np.float64))
    if not apart.size or not np.isfinite(apart).all() or observations < 1:
        raise UsageError("expected cumulative proportions and the number of observations")
    worst = int(apart.argmax())
    return KolmogorovSmirnov(
        difference=float(apart[worst]),
        at=float(worst if at is None else at[worst]),
        observations=observations,
        fitted=fitted,
    )


def in_words(p: float | None) -> str:
    """Say what a probability means, as the book does [8.96].

    Examples
    --------
    >>> in_words(0.03)
    'probably a real difference'
    """
    if p is None:
        return "too few intervals to tell"
    if p < CERTAIN:
        return "almost certainly a real difference"
    return "probably a real difference" if p < PROBABLE else "no significant difference"


def p_text(p: float | None) -> str:
    """Return a probability as people read it.

    Examples
    --------
    >>> p_text(0.0314), p_text(1e-9), p_text(None)
    ('0.031', '< 0.001', '')
    """
    if p is None:
        return ""
    return f"{p:.3f}" if p >= 0.0005 else "< 0.001"


def _chi_square_tail(statistic: float, degrees: int) -> float | None:
    from scipy.special import chdtrc

    return float(chdtrc(degrees, statistic)) if degrees >= 1 else None


def _frequencies(f_o: ArrayLike, f_e: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    observed, expected = np.asarray(f_o, dtype=np.float64), np.asarray(f_e, dtype=np.float64)
    if observed.ndim != 1 or observed.shape != expected.shape or not observed.size:
        raise UsageError(
            f"expected as many observed as expected frequencies, found {observed.size} and {expected.size}"
        )
    if not (np.isfinite(observed).all() and np.isfinite(expected).all()):
        raise UsageError("expected frequencies that are numbers, found one that is none")
    return observed, expected
