"""The performance rating line: initial ratings regressed on P-Zero scores [PRA (21)–(28)]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["FEWEST", "Line", "regress", "why_no_line"]

FEWEST = 3
"""Players that a line needs: through two points there is always one, and it proves nothing."""

SAME = 1e-9
"""Points within which ratings, or P-Zero scores, are one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """ŷ = intercept + slope · x, as least squares has it, with the correlation r."""

    intercept: float
    slope: float
    r: float
    n: int
    centroid: tuple[float, float]
    """(x̄, ȳ), which the line goes through whichever way it is turned."""
    spread: tuple[float, float]
    """Standard deviations of x and y, over n − 1."""

    @property
    def flipped(self) -> bool:
        """Say whether the slope is negative, so that performance ratings turn it round."""
        return self.slope < 0

    def expected(self, x: float) -> float:
        """Return ŷ, the E of the goodness of fit: by the slope as it is [PRA (25)]."""
        return self.intercept + self.slope * x

    def performance(self, x: float) -> float:
        """Return the performance rating, ȳ + |slope| (x − x̄) [PRA (26)]."""
        return self.centroid[1] + abs(self.slope) * (x - self.centroid[0])


def regress(x: Sequence[float], y: Sequence[float]) -> Line:
    """Return the line of y on x by least squares.

    Examples
    --------
    >>> line = regress([17.82, 4.49, -8.90, -13.40], [2630, 2600, 2655, 2510])
    >>> round(line.intercept, 2), round(line.slope, 3), round(line.r, 2)
    (2598.74, 2.097, 0.47)
    """
    n = len(x)
    mean_x, mean_y = math.fsum(x) / n, math.fsum(y) / n
    xx = math.fsum((a - mean_x) ** 2 for a in x)
    yy = math.fsum((b - mean_y) ** 2 for b in y)
    xy = math.fsum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    slope = xy / xx
    return Line(
        intercept=mean_y - slope * mean_x,
        slope=slope,
        r=max(-1.0, min(1.0, xy / math.sqrt(xx * yy))),
        n=n,
        centroid=(mean_x, mean_y),
        spread=(math.sqrt(xx / (n - 1)), math.sqrt(yy / (n - 1))),
    )


def why_no_line(x: Sequence[float], y: Sequence[float]) -> str:
    """Return why there is no line through these points, or nothing where there is one."""
    if len(x) < FEWEST:
        have = "one rated player" if len(x) == 1 else f"{len(x) or 'no'} rated players"
        return f"a performance line needs at least {FEWEST} rated players who played, found {have}"
    if max(x) - min(x) <= SAME:
        return "all P-Zero scores are equal: there is no line of ratings on them"
    if max(y) - min(y) <= SAME:
        return (
            "all ratings are equal: there is no line of them on P-Zero scores, and no correlation"
        )
    return ""
