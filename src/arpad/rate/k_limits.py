"""Whether a K suits: does it bring the new rating near enough to the performance? [Elo 8.28]."""

from __future__ import annotations

import math
from dataclasses import dataclass

from arpad.errors import UsageError
from arpad.scale import CLASS_INTERVAL

__all__ = ["TOLERANCE", "KLimits", "k_limits", "sigma_p"]

TOLERANCE = 1.5
"""How many σ_p the new rating may be away from the performance rating [(30)]."""


def sigma_p(games: float, *, class_interval: float = CLASS_INTERVAL) -> float:
    """Return σ_p = C√2 / √N, one standard deviation of a performance rating [8.28, 8.95].

    Examples
    --------
    >>> round(sigma_p(9), 1)
    94.3
    """
    if not 0 < games < math.inf:
        raise UsageError(f"expected a number of games above 0, found {games!r}")
    return class_interval * math.sqrt(2 / games)


@dataclass(frozen=True, slots=True, kw_only=True)
class KLimits:
    """How far a performance may be from the old rating for K to do its work.

    Inside both limits the new rating is within `tolerance` σ_p of the performance rating.
    """

    k: float
    games: float
    old_games: float
    sigma_p: float
    difference: float
    """|R_p − R_o| must be below this [(32)]."""
    change: float
    """|ΔR| must be below this [(33)]."""
    z: float
    """The first limit in units of σ_p."""
    probability: float
    """Share of performances within the limits, if nothing but chance is at work."""
    tolerance: float

    def suits(self, R_o: float, R_p: float) -> bool:
        """Say whether this performance leaves the new rating within the tolerance [(30)]."""
        return abs(R_p - R_o) < self.difference


def k_limits(
    *,
    games: float,
    old_games: float,
    tolerance: float = TOLERANCE,
    class_interval: float = CLASS_INTERVAL,
    rounded: bool = False,
) -> KLimits:
    """Return the limits (30)–(33) for N new games against N_o old ones, K being 4C/N_o.

    Parameters
    ----------
    games, old_games
        N and N_o; with N ≥ N_o the old rating has no weight left and there is no limit.
    rounded
        Round σ_p and the limits to whole points before going on, as the book's table does.

    Examples
    --------
    >>> found = k_limits(games=9, old_games=25, rounded=True)
    >>> found.k, found.sigma_p, found.difference, found.change, round(found.probability, 2)
    (32.0, 94.0, 220.0, 79.0, 0.98)
    """
    if not old_games > games:
        raise UsageError(
            f"expected more old games than new ones, found {old_games!r} and {games!r}: there is no limit"
        )
    if not tolerance > 0:
        raise UsageError(f"expected a tolerance above 0, found {tolerance!r}")

    def whole(value: float) -> float:
        return float(math.floor(value + 0.5)) if rounded else value

    sigma = whole(sigma_p(games, class_interval=class_interval))
    difference = whole(tolerance * sigma * old_games / (old_games - games))
    change = whole(tolerance * sigma * games / (old_games - games))
    z = difference / sigma
    return KLimits(
        k=4 * class_interval / old_games,
        games=games,
        old_games=old_games,
        sigma_p=sigma,
        difference=difference,
        change=change,
        z=z,
        probability=math.erf(z / math.sqrt(2)),
        tolerance=tolerance,
    )
