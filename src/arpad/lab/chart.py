"""PRA's chart: the steps by which its author's simulation decided who won a game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from arpad.errors import UsageError
from arpad.scale import Curve

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CUTOFFS", "LARGEST", "CutoffChart", "cutoff_table"]

CUTOFFS = (
    (0, 0.5), (100, 0.4), (200, 0.3), (300, 0.2), (400, 0.1), (500, 0.0640), (750, 0.0473),
    (1000, 0.0255), (1400, 0.0077),
)  # fmt: skip
"""From so many points of difference on, the weaker player's chance of the game [PRA, "Some Words about the Simulation"]."""

LARGEST = 1800
"""Points beyond which the weaker player never wins [the same]."""


def cutoff_table() -> NDArray[np.float64]:
    """Return the weaker player's chance for every whole difference from 0 to 1800 points."""
    table = np.empty(LARGEST + 1)
    for low, cutoff in CUTOFFS:
        table[low:] = cutoff
    return table


@dataclass(frozen=True, slots=True)
class CutoffChart(Curve):
    """The stronger player wins with 1 − cutoff; no game is drawn.

    A chart of steps has no inverse.

    Examples
    --------
    >>> CutoffChart().expected(130), CutoffChart().expected(-1750), CutoffChart().expected(99)
    (0.6, 0.0077, 0.5)
    """

    name: ClassVar[str] = "pra-chart"

    def _expected(self, D: NDArray[np.float64]) -> NDArray[np.float64]:
        size = np.abs(D)
        row = np.minimum(size, LARGEST).astype(np.int64)
        weaker = np.where(size > LARGEST, 0.0, cutoff_table()[row])
        return np.where(D < 0, weaker, 1 - weaker)

    def _difference(self, P: NDArray[np.float64]) -> NDArray[np.float64]:  # noqa: ARG002
        raise UsageError("PRA's chart has steps, and no difference belongs to a score: choose the curve pra instead")  # fmt: skip
