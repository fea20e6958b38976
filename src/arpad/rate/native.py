"""A system's own numbers beside the rating points that all systems here share.

Ingo numbers fall as strength rises, British grades stop at about 250, Berkin's ratios run to millions.
`rating` is always in Elo's points, best highest, so that lists and predictions can be compared; the
number that the system itself prints stands in a column of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from arpad.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BCF_GRADE", "DIRECT_RATIO", "INGO_NUMBER", "Direct", "Native", "Straight"]

WIDEST = 50_000.0
"""Rating points beyond which a direct ratio no longer fits into a number."""


class Native(Protocol):
    """From rating points to a system's own number, and back."""

    @property
    def column(self) -> str:
        """What the number is called in a list."""
        ...

    def number(self, rating: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the system's own numbers for rating points."""
        ...

    def rating(self, number: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return rating points for the system's own numbers."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Straight:
    """Rating = zero + unit × number.

    Parameters
    ----------
    zero
        The rating of somebody whose number is 0.
    unit
        Rating points in one point of the number; below 0 if small numbers are good.
    """

    column: str
    zero: float
    unit: float

    def number(self, rating: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the system's own numbers for rating points."""
        return (rating - self.zero) / self.unit

    def rating(self, number: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return rating points for the system's own numbers."""
        return self.zero + self.unit * number


@dataclass(frozen=True, slots=True, kw_only=True)
class Direct:
    """The direct ratio scale: the ratio of two numbers is the odds [8.71].

    The book's table sets 1000 beside 1,000, 2000 beside 316,200 and 2700 beside 17,780,000: 400 points
    are a factor of ten, and 1000 is the same on both scales.

    Examples
    --------
    >>> Direct().number(np.array([1000.0, 2000.0, 2700.0])).round().astype(int).tolist()
    [1000, 316228, 17782794]
    """

    column: str = "ratio"
    same: float = 1000.0
    tenfold: float = 400.0

    def number(self, rating: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return ratios for rating points."""
        if bool(np.any(np.abs(rating) > WIDEST)):
            raise UsageError(
                f"expected ratings within {WIDEST:g} points: a direct ratio holds no more"
            )
        return np.asarray(self.same * 10 ** ((rating - self.same) / self.tenfold))

    def rating(self, number: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return rating points for ratios."""
        if bool(np.any(number <= 0)):
            raise UsageError("expected ratings above 0 on a ratio scale")
        return np.asarray(self.same + self.tenfold * np.log10(number / self.same))


INGO_NUMBER = Straight(column="ingo", zero=2840.0, unit=-8.0)
"""Elo = 2840 − 8 × Ingo, as the German federation converted its numbers in 1991."""

BCF_GRADE = Straight(column="grade", zero=600.0, unit=8.0)
"""Elo = 600 + 8 × grade, as the British federation converted until about 2003."""

DIRECT_RATIO = Direct()
