"""The model in readable words, one position at a time; the kernels must agree with it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from scipy.optimize import brentq

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["move_probabilities"]


def move_probabilities(
    delta: Sequence[float], s: float, c: float, count: Sequence[float] | None = None
) -> list[float]:
    """Return the probability of each move: p_i = p_0^(e^((δ_i/s)^c)), Σ p_i = 1 [IPR (3), (4), corrected].

    Examples
    --------
    >>> [round(p, 4) for p in move_probabilities([0.0, 0.1, 0.5], s=0.08, c=0.5)]
    [0.6814, 0.3093, 0.0093]
    """
    count = count or [1.0] * len(delta)
    # Beyond e^100 a move has a chance of 1e-40, and soon the power would be no number.
    exponents = [math.exp(min((d / s) ** c, 100.0)) if d > 0 else 1.0 for d in delta]

    if sum(count) == 1:
        return [1.0]

    def surplus(u: float) -> float:
        others = sum(n * math.exp(e * u) for n, e in zip(count[1:], exponents[1:], strict=True))
        return math.expm1(u) + (count[0] - 1) * math.exp(u) + others

    # In u = ln p_0, since p_0 itself may be nearer to 1 than numbers tell apart.
    u = float(brentq(surplus, -math.log(sum(count)) - 1.0, 0.0, xtol=1e-60, maxiter=1000))
    return [math.exp(e * u) for e in exponents]
