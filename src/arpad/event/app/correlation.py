"""The test on r: should the players have finished in the order of their ratings? [PRA, introduction]."""

from __future__ import annotations

import math
from dataclasses import dataclass

from arpad.event.app.fit import LEVEL

__all__ = ["Correlation", "correlation_test"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Correlation:
    """Student's test of a linear correlation, two-sided.

    `significant` means that the favourites should have come first; without it, it was anybody's event.
    """

    r: float
    n: int
    t: float
    degrees: int
    p_value: float
    critical: float
    """The size of r at which the test passes."""
    level: float = LEVEL

    @property
    def significant(self) -> bool:
        """Say whether ratings and performances go together."""
        return abs(self.r) >= self.critical


def correlation_test(r: float, n: int, *, level: float = LEVEL) -> Correlation | None:
    """Test r of n players by t = r √((n − 2) / (1 − r²)); None with fewer than three.

    Examples
    --------
    >>> test = correlation_test(0.47, 4)
    >>> test.significant, round(test.critical, 3)
    (False, 0.95)
    """
    from scipy.special import stdtr, stdtrit

    degrees = n - 2
    if degrees < 1:
        return None
    # Points on one line have no finite t; a huge one stands for it, which JSON can hold.
    t = r * math.sqrt(degrees / max(1 - r * r, 1e-30))
    limit = float(stdtrit(degrees, 1 - level / 2))
    return Correlation(
        r=r,
        n=n,
        t=t,
        degrees=degrees,
        p_value=float(2 * stdtr(degrees, -abs(t))),
        critical=limit / math.sqrt(degrees + limit * limit),
        level=level,
    )
