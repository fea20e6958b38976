"""The line from projected average error to a rating, and the intervals around it [IPR (6)]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from arpad.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ACTUAL_ERROR", "ACTUAL_MATCH", "SIGMAS", "Line", "Rated", "fitted_line"]

SIGMAS = 2.0
"""Standard deviations either side of a rating in its interval."""
ACTUAL_ERROR = 1.4
"""By how much the spread of the average error really is wider than projected: moves of one game are not
independent choices. The paper's trials."""
ACTUAL_MATCH = 1.15
"""The same for the match rate."""
LEAST_POINTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Rated:
    """A rating with both intervals: as the model projects them, and as trials found them."""

    rating: float
    low: float
    high: float
    low_actual: float
    high_actual: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """IPR = intercept − slope · AE_e.

    `points` pairs of Elo and error made it; `r_squared` is of the regression, `residual` its standard
    deviation in Elo. Zero where they are not known.
    """

    intercept: float
    slope: float
    points: int = 0
    r_squared: float = 0.0
    residual: float = 0.0

    def rating(self, error: float, sigma: float = 0.0) -> Rated:
        """Return the rating of a projected average error, whose standard deviation is `sigma`.

        Examples
        --------
        >>> RYBKA = Line(intercept=3571, slope=15413)
        >>> round(RYBKA.rating(0.0572).rating)
        2689
        """
        middle = self.intercept - self.slope * error
        half = SIGMAS * self.slope * sigma
        return Rated(
            rating=middle,
            low=middle - half,
            high=middle + half,
            low_actual=middle - ACTUAL_ERROR * half,
            high_actual=middle + ACTUAL_ERROR * half,
        )

    def error(self, rating: float) -> float:
        """Return the average error that a rating stands for."""
        return (self.intercept - rating) / self.slope


def fitted_line(
    elo: Sequence[float], error: Sequence[float], weights: Sequence[float] | None = None
) -> Line:
    """Regress the error on Elo, and turn the line round.

    The error is what was measured with chance in it, so it is the regression's dependent side; this way gives the
    paper's own line, the other way does not.

    Parameters
    ----------
    weights
        Of each point: one over the variance of its error. All alike by default.
    """
    x, y = np.asarray(elo, dtype=np.float64), np.asarray(error, dtype=np.float64)
    w = np.ones_like(x) if weights is None else np.asarray(weights, dtype=np.float64)
    if len(x) < LEAST_POINTS or len(x) != len(y) or len(w) != len(x):
        raise UsageError(
            f"expected at least {LEAST_POINTS} pairs of rating and error, found {len(x)} and {len(y)}"
        )
    mean_x, mean_y = np.average(x, weights=w), np.average(y, weights=w)
    s_xx, s_yy = (w * (x - mean_x) ** 2).sum(), (w * (y - mean_y) ** 2).sum()
    s_xy = (w * (x - mean_x) * (y - mean_y)).sum()
    if s_xx <= 0 or s_xy >= 0:
        raise UsageError(
            "expected the error to fall as ratings rise, found "
            + ("one rating only" if s_xx <= 0 else "that it does not: no line can rate these moves")
        )
    gradient = s_xy / s_xx
    misses = (y - mean_y - gradient * (x - mean_x)) / gradient
    return Line(
        intercept=float(mean_x - mean_y / gradient),
        slope=float(-1.0 / gradient),
        points=len(x),
        r_squared=float(s_xy**2 / (s_xx * s_yy)),
        residual=float(np.sqrt((misses**2).sum() / max(len(x) - 2, 1))),
    )
