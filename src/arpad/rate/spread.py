"""How far chance alone moves a rating: one standard deviation, for any K."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.scale import Curve

__all__ = ["GAME_VARIANCE", "chance_spread", "slope"]

GAME_VARIANCE = 0.25
"""σ² of one game's score between equals without draws; draws make it smaller [Elo 8.95]."""

MANY = 10_000


def slope(curve: Curve) -> float:
    """Return how much expected score one rating point is worth between equals."""
    return (float(curve.expected(25.0)) - float(curve.expected(-25.0))) / 50


def chance_spread(
    k: NDArray[np.float64],
    games: NDArray[np.int64],
    newcomer: NDArray[np.float64],
    curve: Curve,
    *,
    steepness: float | None = None,
) -> NDArray[np.float64]:
    """Return one standard deviation of each rating, from chance in the results alone.

    Each game pulls a rating back towards the truth by the share K·s, s being the slope of the curve,
    and adds chance of variance K²σ². After n games, with a = 1 − K·s:

        Var = K²σ² (1 − a²ⁿ) / (1 − a²) + a²ⁿ · newcomer²

    Parameters
    ----------
    newcomer
        Standard deviation of what was not known at the start: 0 for a rating that was given.
    steepness
        s, where the slope between equals is not typical of the games.
    """
    s = slope(curve) if steepness is None else steepness
    kept = np.clip(1 - k * s, 0.0, 1.0) ** 2
    left = kept ** np.minimum(games, MANY)
    with np.errstate(divide="ignore", invalid="ignore"):
        chance = k**2 * GAME_VARIANCE * (1 - left) / (1 - kept)
    return np.asarray(np.sqrt(np.where(kept < 1, chance, 0.0) + left * newcomer**2))
