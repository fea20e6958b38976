"""Tournament strength: the resistance that all players brought, weighted by their games [PRA (37)]."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from arpad.event.app.greatness import resistance

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["tournament_strength"]


def tournament_strength(
    ratings: Sequence[float], games: Sequence[int], number_two: float
) -> float | None:
    """Return 100 Σ resistance · games / Σ games; None without games.

    Examples
    --------
    >>> round(tournament_strength([2730, 2648], [7, 7], 2648), 4)
    101.4643
    """
    whole = sum(games)
    if not whole:
        return None
    brought = math.fsum(
        resistance(R, number_two) * n for R, n in zip(ratings, games, strict=True) if n
    )
    return 100 * brought / whole
