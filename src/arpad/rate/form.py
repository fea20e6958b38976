"""What a rating with a spread knows of a player, and what one game says of it.

Glicko, Glicko-2 and Stephenson's system share these: a rating, its standard deviation RD (`error` in a
list), perhaps a volatility; and the formulas g and E, by which an opponent of whom little is known
counts for less.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from arpad.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["LEAST_INFORMATION", "SCALE", "Form", "Meeting", "expectation", "g", "predicted"]

Q = math.log(10) / 400
"""q of the papers, per rating point: .0057565 as printed."""

SCALE = 400 / math.log(10)
"""Rating points in one unit of Glicko-2's own scale: 173.7178 as printed."""

LEAST_INFORMATION = 1e-12
"""Below this Σ g² E (1 − E) a player's games, all of them foregone conclusions, say nothing; without a
floor 1/v would be 1/0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A player as a system sees him: rating, RD (rating points), volatility (Glicko-2's own scale)."""

    rating: float
    error: float
    volatility: float = 0.0

    def aged(self, pace: float, t: float, most: float) -> Form:
        """Return the form after t periods without a game: RD² + pace · t, never above `most`.

        Parameters
        ----------
        pace
            What one period adds to RD², in points².
        """
        return replace(self, error=min(math.sqrt(self.error**2 + pace * t), most))


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """One game seen from one side: the opponent's rating and RD, the points, the colour.

    `colour` is 1 with White, −1 with Black, 0 where it is not known.
    """

    rating: float
    error: float
    score: float
    colour: int = 0


def g(error: float) -> float:
    """Return how much a result against somebody with this RD counts: 1/√(1 + 3q² RD²/π²).

    Examples
    --------
    >>> [round(g(error), 4) for error in (30, 100, 300)]
    [0.9955, 0.9531, 0.7242]
    """
    return 1 / math.sqrt(1 + 3 * (Q * error / math.pi) ** 2)


def expectation(D: float, error: float) -> float:
    """Return E = 1/(1 + 10^(−g(RD) D/400)): D is the difference, RD the opponent's.

    Examples
    --------
    >>> round(expectation(1500 - 1400, 30), 3)
    0.639
    """
    return 0.5 + 0.5 * math.tanh(g(error) * D * Q / 2)


def predicted(
    rating: ArrayLike,
    error: ArrayLike,
    opponent: ArrayLike,
    opponent_error: ArrayLike,
    advantage: ArrayLike = 0.0,
) -> Any:
    """Return the expected score of games to come, where both ratings are uncertain.

    1/(1 + 10^(−g(√(RD² + RD_j²)) (r − r_j + advantage)/400)): a float for numbers, an array for arrays.

    Examples
    --------
    >>> round(predicted(1400, 40, 1500, 150), 4)
    0.3737
    """
    r, RD, r_j, RD_j, plus = (
        np.asarray(value, dtype=np.float64)
        for value in (rating, error, opponent, opponent_error, advantage)
    )
    if not all(bool(np.isfinite(value).all()) for value in (r, RD, r_j, RD_j, plus)):
        raise UsageError("expected ratings and errors that are numbers, found one that is none")
    if bool((RD < 0).any()) or bool((RD_j < 0).any()):
        raise UsageError("expected errors of 0 or more, found one below 0")
    weight = 1 / np.sqrt(1 + 3 * (Q / math.pi) ** 2 * (RD**2 + RD_j**2))
    found: NDArray[np.float64] = 0.5 + 0.5 * np.tanh(weight * (r - r_j + plus) * Q / 2)
    return float(found) if found.ndim == 0 else found
