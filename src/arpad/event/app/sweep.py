"""The probability that the favourite wins every game [PRA (18)]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arpad.event.app.p_zero import EXPECTED

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Sweep", "sweep_probability"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """How likely it was that the highest rated player would win all games, and whether that happened."""

    favourite: str
    row: int
    rating: float
    games: int
    probability: float
    happened: bool


def sweep_probability(rating: float, opponents: Sequence[float]) -> float:
    """Return Π E(R − R_opponent) over the games; a draw is no way to sweep, E stands for the win.

    Examples
    --------
    >>> round(100 * sweep_probability(2730, [2648] * 7), 3)
    1.217
    """
    return math.prod(EXPECTED(rating - opponent) for opponent in opponents)
