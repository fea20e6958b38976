"""The Ratings Goodness of Fit Test: do the ratings fit the performances? [PRA (24), (33)].

``χ² = Σ (O − E)² / 2500``: O the ratings before the event, E the line's own values (never turned round),
n − 1 degrees of freedom, α = .05. Quantiles are exact; the text's 7.810, 19.680 and 154.300 are look-ups.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from arpad.errors import UsageError
from arpad.event.app.line import Line, regress

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["CONSTANT", "LEVEL", "Fit", "Goodness", "fit_line", "goodness", "quantiles"]

CONSTANT = 2500.0
"""Square rating points a degree of freedom, which the text settled on: 50² [PRA (24)]."""

LEVEL = 0.05
"""α: a fit worse than 95 in a hundred fails; one better than 95 in a hundred arouses suspicion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Goodness:
    """χ² with its thresholds."""

    chi_square: float
    degrees: int
    critical: float
    """Above this the test fails."""
    lower: float
    """Below this the fit is suspiciously good."""
    constant_interval: tuple[float, float]
    """Constants, in the place of 2500, with which χ² would lie between the thresholds: 90 %."""
    constant: float = CONSTANT
    level: float = LEVEL

    @property
    def passed(self) -> bool:
        """Say whether the players performed as expected."""
        return self.chi_square <= self.critical

    @property
    def low_warning(self) -> bool:
        """Say whether they performed so close to expectation as to arouse suspicion."""
        return self.chi_square < self.lower


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """The line, and how well the ratings fit it."""

    line: Line
    goodness: Goodness

    @property
    def r(self) -> float:
        """The linear correlation of ratings and P-Zero scores."""
        return self.line.r

    @property
    def intercept(self) -> float:
        """Of the regression, in rating points."""
        return self.line.intercept

    @property
    def slope(self) -> float:
        """Of the regression, in rating points a point of P-Zero, with its sign."""
        return self.line.slope

    @property
    def flipped(self) -> bool:
        """Say whether the slope is negative and performance ratings use its size."""
        return self.line.flipped

    @property
    def n(self) -> int:
        """Players that the line rests on."""
        return self.line.n

    @property
    def centroid(self) -> tuple[float, float]:
        """Mean P-Zero score and mean rating."""
        return self.line.centroid

    @property
    def chi_square(self) -> float:
        """Σ (O − E)² / 2500."""
        return self.goodness.chi_square

    @property
    def degrees(self) -> int:
        """Degrees of freedom, n − 1."""
        return self.goodness.degrees

    @property
    def critical(self) -> float:
        """The critical value at α = .05."""
        return self.goodness.critical

    @property
    def lower(self) -> float:
        """The lower threshold, at the other 5 %."""
        return self.goodness.lower

    @property
    def passed(self) -> bool:
        """Say whether the ratings fit."""
        return self.goodness.passed

    @property
    def can_fail(self) -> bool:
        """Say whether any results could fail: χ² is never more than (n − 1) s² / 2500, s of the ratings."""
        return self.degrees * self.line.spread[1] ** 2 / self.constant > self.critical

    @property
    def low_warning(self) -> bool:
        """Say whether they fit suspiciously well."""
        return self.goodness.low_warning

    @property
    def constant_interval(self) -> tuple[float, float]:
        """The 90 % interval for the constant."""
        return self.goodness.constant_interval

    @property
    def constant(self) -> float:
        """2500."""
        return self.goodness.constant

    @property
    def level(self) -> float:
        """α."""
        return self.goodness.level


@lru_cache(maxsize=1024)
def quantiles(degrees: int, level: float = LEVEL) -> tuple[float, float]:
    """Return the χ² that is exceeded with probability 1 − `level`, and with probability `level`.

    Examples
    --------
    >>> [round(q, 3) for q in quantiles(11)]
    [4.575, 19.675]
    """
    from scipy.special import chdtri  # costs .1 s: only where there is something to test

    return float(chdtri(degrees, 1 - level)), float(chdtri(degrees, level))


def goodness(
    observed: Sequence[float], expected: Sequence[float], *, constant: float = CONSTANT
) -> Goodness:
    """Test observed against expected ratings: χ² = Σ (O − E)² / constant, n − 1 degrees of freedom.

    It is the test of one event, where E is the line; and of a later list (O) against the ratings that the
    app gave long before (E), which the text did for nineteen months.
    """
    if len(observed) != len(expected) or len(observed) < 2:
        raise UsageError(
            f"expected two or more observed ratings and as many expected ones, found {len(observed)} and {len(expected)}"
        )
    squares = math.fsum((o - e) ** 2 for o, e in zip(observed, expected, strict=True))
    if not math.isfinite(squares):
        raise UsageError("expected ratings, found one that is no number")
    degrees = len(observed) - 1
    lower, critical = quantiles(degrees)
    return Goodness(
        chi_square=squares / constant,
        degrees=degrees,
        critical=critical,
        lower=lower,
        constant_interval=(squares / critical, squares / lower),
        constant=constant,
    )


def fit_line(scores: Sequence[float], ratings: Sequence[float]) -> Fit:
    """Regress ratings on P-Zero scores, and test how well they fit the line.

    Examples
    --------
    >>> fit = fit_line([17.82, 4.49, -8.90, -13.40], [2630, 2600, 2655, 2510])
    >>> round(fit.chi_square, 3), fit.passed
    (3.758, True)
    """
    line = regress(scores, ratings)
    return Fit(line=line, goodness=goodness(ratings, [line.expected(x) for x in scores]))
