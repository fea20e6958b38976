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
    exponents = [math.exp((d / s) ** c) if d > 0 else 1.0 for d in delta]

    def surplus(p_0: float) -> float:
        return float(sum(n * p_0**e for n, e in zip(count, exponents, strict=True))) - 1.0

    lowest = 1.0 / sum(count)
    p_0 = 1.0 if sum(count) == 1 else float(brentq(surplus, lowest, 1.0, xtol=1e-15))
    return [p_0**e for e in exponents]
