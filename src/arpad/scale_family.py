"""Relatives of the usual curves: unequal spreads, and the logistic curve to any base [Elo 8.23, 8.36].

They have the interface of every `Curve`, but no name on the command line: their constants are no convention.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from arpad.errors import UsageError
from arpad.scale import CLASS_INTERVAL, Curve

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LogisticToBase", "UnequalNormal", "spread_of_differences", "spread_ratio"]


def spread_of_differences(sigma_1: float, sigma_2: float) -> float:
    """Return σ′ = √(σ₁² + σ₂²), the spread of the difference of two performances [8.23].

    Examples
    --------
    >>> round(spread_of_differences(200, 200), 2)
    282.84
    """
    if not (math.isfinite(sigma_1) and math.isfinite(sigma_2) and min(sigma_1, sigma_2) >= 0 and max(sigma_1, sigma_2) > 0):  # fmt: skip
        raise UsageError(
            f"expected two spreads, 0 or more and not both 0, found {sigma_1!r} and {sigma_2!r}"
        )
    return math.hypot(sigma_1, sigma_2)


def spread_ratio(sigma_1: float, sigma_2: float) -> float:
    """Return σ′ over the average of the two spreads: √2 for equals, and hardly more for others [8.23].

    Examples
    --------
    >>> round(spread_ratio(200, 200), 2), round(spread_ratio(400, 200), 2)
    (1.41, 1.49)
    """
    return spread_of_differences(sigma_1, sigma_2) / ((sigma_1 + sigma_2) / 2)


@dataclass(frozen=True, slots=True)
class UnequalNormal(Curve):
    """P = Φ(D / √(σ₁² + σ₂²)), for two players of whom one is steadier than the other [8.23].

    Examples
    --------
    >>> round(UnequalNormal(100, 300).expected(200), 4), round(UnequalNormal().expected(200), 4)
    (0.7365, 0.7602)
    """

    name: ClassVar[str] = "unequal normal"
    sigma_1: float = CLASS_INTERVAL
    sigma_2: float = CLASS_INTERVAL

    def __post_init__(self) -> None:
        spread_of_differences(self.sigma_1, self.sigma_2)

    def _expected(self, D: NDArray[np.float64]) -> NDArray[np.float64]:
        from scipy.special import ndtr  # costs .1 s: only where the curve is used

        return np.asarray(ndtr(D / spread_of_differences(self.sigma_1, self.sigma_2)))

    def _difference(self, P: NDArray[np.float64]) -> NDArray[np.float64]:
        from scipy.special import ndtri

        return np.asarray(ndtri(P) * spread_of_differences(self.sigma_1, self.sigma_2))


@dataclass(frozen=True, slots=True)
class LogisticToBase(Curve):
    """P = 1 / (1 + b^(−D/C)): one class interval means odds of b to 1 [8.36, (43), 8.42].

    Base e is (43) as it stands; base √10 is the logistic curve of chess.

    Examples
    --------
    >>> round(LogisticToBase().expected(200), 4), round(LogisticToBase(base=math.sqrt(10)).expected(200), 4)
    (0.7311, 0.7597)
    """

    name: ClassVar[str] = "logistic to any base"
    base: float = math.e
    class_interval: float = CLASS_INTERVAL

    def __post_init__(self) -> None:
        if not (math.isfinite(self.base) and self.base > 1):
            raise UsageError(f"expected a base above 1, found {self.base!r}: √10 is that of chess")
        if not (math.isfinite(self.class_interval) and self.class_interval > 0):
            raise UsageError(f"expected a class interval above 0, found {self.class_interval!r}")

    def _expected(self, D: NDArray[np.float64]) -> NDArray[np.float64]:
        return 0.5 + 0.5 * np.tanh(D * (math.log(self.base) / (2 * self.class_interval)))

    def _difference(self, P: NDArray[np.float64]) -> NDArray[np.float64]:
        with np.errstate(divide="ignore"):
            return np.asarray(self.class_interval / math.log(self.base) * (np.log(P) - np.log1p(-P)))  # fmt: skip
