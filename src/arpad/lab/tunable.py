"""What may be tuned: the constants of each system that are there to be chosen, and between what.

One table for all. Ranges are wide on purpose: about a quarter to four times what was published. Rules that
define a system (its curve, its periods, its entry rules) are not in it; nor is White's advantage, which is
fitted to every system alike.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from arpad.errors import UsageError

__all__ = ["TUNABLE", "Range"]


@dataclass(frozen=True, slots=True)
class Range:
    """Where a constant may lie."""

    low: float
    high: float
    log: bool = False
    """Steps are factors, not differences."""
    whole: bool = False
    """Whole numbers only."""

    def __post_init__(self) -> None:
        if not self.low < self.high or (self.log and self.low <= 0):
            raise UsageError(f"expected a range that rises, found {self.low!r} to {self.high!r}")

    def at(self, share: float) -> float:
        """Return the value at a share of the range, 0 to 1.

        Examples
        --------
        >>> Range(10, 1000, log=True).at(0.5), Range(0, 10).at(0.5)
        (100.0, 5.0)
        """
        share = min(1.0, max(0.0, share))
        if self.log:
            low, high = math.log(self.low), math.log(self.high)
            value = round(math.exp(low + share * (high - low)), 10)
        else:
            value = self.low + share * (self.high - self.low)
        return round(value) if self.whole else value

    def share(self, value: float) -> float:
        """Return where in the range a value lies, 0 to 1."""
        if self.log:
            value = max(value, self.low)
            place = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            place = (value - self.low) / (self.high - self.low)
        return min(1.0, max(0.0, place))


TUNABLE: dict[str, dict[str, Range]] = {
    "elo": {"k": Range(5, 80, log=True)},
    "elo-book": {"k": Range(5, 80, log=True)},
    "ingo": {"share": Range(0.05, 0.8), "limit": Range(10, 80)},
    "harkness": {"limit": Range(100, 800)},
    "bcf": {
        "minimum": Range(10, 80, whole=True),
        "window": Range(1, 4, whole=True),
        "limit": Range(10, 80),
    },
    "berkin": {"sample": Range(10, 120, log=True, whole=True)},
    "glicko": {"c": Range(4, 60, log=True), "start_error": Range(100, 350)},
    "glicko2": {
        "tau": Range(0.2, 1.2),
        "volatility": Range(0.015, 0.24, log=True),
        "start_error": Range(100, 500),
    },
    "stephenson": {
        "c": Range(2, 40, log=True),
        "h": Range(2, 40, log=True),
        "bonus": Range(0, 10),
        "neighbourhood": Range(0, 8),
        "start_error": Range(100, 350),
    },
    "uscf1994": {"start": Range(800, 2400)},
    "uscf1993": {"start": Range(800, 2400)},
    "pra": {"k": Range(5, 80, log=True)},
    "pra-basic": {"k": Range(5, 80, log=True)},
    "whr": {"w2": Range(1, 60, log=True), "prior": Range(0.5, 8, log=True)},
    "arpad": {
        "drift": Range(6, 100, log=True),
        "meeting": Range(100, 1600, log=True),
        "practice": Range(0, 8),
        "steepness": Range(0.5, 2.0, log=True),
        "start_error": Range(110, 1000, log=True),
    },
}
"""System → constant → range. Who is not here has nothing to tune: every figure is a rule of it."""
