"""The current rating without a table: Elo's linear forms [1.82–1.84, 8.27]."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from arpad.errors import UsageError
from arpad.scale import CLASS_INTERVAL

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["linear_rating"]

USCF_K = 32.0
"""K with which (11) becomes (12), R_o + 16 (W − L) + .04 ΣD [1.83]."""

CAP = 350.0
"""Larger differences are entered as this one, in points [1.84]."""


def linear_rating(
    R_o: float,
    score: float,
    opponents: Sequence[float],
    *,
    K: float = USCF_K,
    class_interval: float = CLASS_INTERVAL,
    cap: float | None = CAP,
) -> float:
    """Return R_n = R_o + K (W − L)/2 − (K/4C) Σ D_i, with D_i = R_o − R_i [(11)].

    With K = 32 this is (12), where D has the other sign.

    Parameters
    ----------
    score
        W, draws counting half; L is the rest of the games.
    cap
        Count larger differences as this one; None: do not.

    Examples
    --------
    >>> linear_rating(1500, 3, [1500, 1600, 1700, 1400])
    1540.0
    """
    games = len(opponents)
    if not 0 <= score <= games:
        raise UsageError(f"expected a score from 0 to {games} in {games} games, found {score!r}")
    if not all(math.isfinite(rating) for rating in (R_o, K, *opponents)):
        raise UsageError("expected ratings and K, found one that is no number")
    most = math.inf if cap is None else cap
    total = math.fsum(min(max(R_o - R_i, -most), most) for R_i in opponents)
    return R_o + K * (score - (games - score)) / 2 - K / (4 * class_interval) * total
