"""Scaled differences: half a pawn weighs more in a level position than in a decided one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["scaled_loss", "scaled_value"]


def scaled_value(v: NDArray[Any] | float) -> NDArray[np.float64]:
    """Return the integral of 1/(1+|z|) from 0 to v: ±ln(1+|v|) of a value in pawns.

    Examples
    --------
    >>> scaled_value(np.array([-1.0, 0.0, 1.0])).round(4).tolist()
    [-0.6931, 0.0, 0.6931]
    """
    v = np.asarray(v, dtype=np.float64)
    return np.asarray(np.sign(v) * np.log1p(np.abs(v)))


def scaled_loss(best: NDArray[Any] | float, value: NDArray[Any] | float) -> NDArray[np.float64]:
    """Return δ, the integral of 1/(1+|z|) from a move's value to the best one [IPR section 4].

    Both are in pawns from the side of the player to move. A move that comes out above the best one (two
    searches never agree in full) loses nothing.

    Examples
    --------
    >>> float(scaled_loss(0.5, -0.5).round(4)), float(scaled_loss(3.5, 2.5).round(4))
    (0.8109, 0.2513)
    """
    return np.maximum(scaled_value(best) - scaled_value(value), 0.0)
