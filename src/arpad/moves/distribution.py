"""The distribution of gain: a normalised histogram, one bin a centipawn [Ferreira 2012, 4]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.moves.gain import CENTIPAWNS

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["ZERO_GAIN", "Distribution"]


@dataclass(frozen=True, slots=True)
class Distribution:
    """How often each gain was seen.

    `gain` holds the centipawns that occur, rising; `count` how many moves had them.

    Examples
    --------
    >>> byrne = Distribution.of([0, -5, 0, -137])
    >>> byrne.gain.tolist(), byrne.count.tolist(), byrne.mean, byrne.share(0)
    ([-137, -5, 0], [1.0, 1.0, 2.0], -0.355, 0.5)
    """

    gain: NDArray[np.int32]
    count: NDArray[np.float64]

    @classmethod
    def of(cls, gains: ArrayLike) -> Distribution:
        """Return the distribution of gains in centipawns."""
        values = np.asarray(gains)
        if values.size == 0:
            raise UsageError("expected the gain of at least one move, found none")
        if not bool(np.all(np.isfinite(values))):
            raise UsageError("expected gains in centipawns, found one that is not a number")
        gain, count = np.unique(np.rint(values).astype(np.int32), return_counts=True)
        return cls(gain, count.astype(np.float64))

    @property
    def moves(self) -> float:
        """How many moves it rests on."""
        return float(self.count.sum())

    @property
    def mean(self) -> float:
        """The average gain a move, in pawns."""
        return float(self.gain @ self.count) / self.moves / CENTIPAWNS

    @property
    def frequency(self) -> NDArray[np.float64]:
        """The normalised frequencies f, which add up to 1."""
        return np.asarray(self.count / self.count.sum())

    def share(self, gain: int) -> float:
        """Return the share of moves with this very gain, in centipawns."""
        at = np.searchsorted(self.gain, gain)
        return float(self.frequency[at]) if at < len(self.gain) and self.gain[at] == gain else 0.0

    def middle(self, gain: ArrayLike) -> NDArray[np.float64]:
        """Return P(X < gain) + ½ P(X = gain) for each gain: what it scores against this distribution."""
        below = np.r_[0.0, np.cumsum(self.frequency)]
        left = np.searchsorted(self.gain, gain, side="left")
        right = np.searchsorted(self.gain, gain, side="right")
        return np.asarray((below[left] + below[right]) / 2)

    def table(self) -> pl.DataFrame:
        """Return the histogram: `gain` in centipawns, `count`, `frequency`."""
        return pl.DataFrame({"gain": self.gain, "count": self.count, "frequency": self.frequency})


ZERO_GAIN = Distribution(np.zeros(1, dtype=np.int32), np.ones(1))
"""A player who agrees with the engine on every move and evaluation: a single peak at 0 [6]."""
