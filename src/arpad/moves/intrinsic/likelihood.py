"""Maximum likelihood: the (s, c) under which the moves played are likeliest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arpad.moves.intrinsic.projection import solved

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.moves.intrinsic.choices import Choices

__all__ = ["log_likelihood"]


def log_likelihood(
    choices: Choices, s: float, c: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return ln p of each move played, and its derivatives by s and c.

    ln p_k = w_k u with w_k = e^((δ_k/s)^c), so that ∂ ln p_k = u ∂w_k + w_k ∂u.
    """
    at = solved(choices, s, c)
    rows = np.arange(len(choices))
    w, delta = at.w[rows, choices.played], choices.loss
    x = np.where(delta > 0, delta / s, 1.0)
    power = np.where(delta > 0, x**c, 0.0)
    of_weight = np.stack([-w * power * c / s, w * power * np.log(x)], axis=1)
    value = w * at.u
    slope = of_weight * at.u[:, None] + w[:, None] * at.slopes
    return value, slope
