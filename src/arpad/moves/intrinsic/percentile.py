"""Percentile fitting: played moves should fall evenly over the projected distribution.

Moves are laid end to end in the engine's order, each as long as its probability. If the model is right, the move
played lies below the mark q in a share q of all positions, for every q [Regan and Haworth].
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arpad.moves.intrinsic.projection import probabilities

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.moves.intrinsic.choices import Choices

__all__ = ["MARKS", "percentile_misses"]

MARKS = np.linspace(0.05, 0.95, 19)
"""The marks q = .05, .10, … .95."""


def percentile_misses(choices: Choices, s: float, c: float) -> NDArray[np.float64]:
    """Return, for each mark q, the share of moves played below it, minus q.

    A mark that cuts the interval of the move played counts it in part.
    """
    share = probabilities(choices, s, c) * choices.count
    rows = np.arange(len(choices))
    loss = choices.loss
    # A move with a line of its own stands behind every line that loses less, and behind its equals
    # that the engine listed before it.
    column = np.arange(choices.delta.shape[1])
    before = (choices.delta < loss[:, None]) | (
        (choices.delta == loss[:, None]) & (column < choices.played[:, None])
    )
    start = np.where(before, share, 0.0).sum(axis=1)
    length = share[rows, choices.played]
    part = (MARKS[None, :] - start[:, None]) / np.maximum(length, 1e-300)[:, None]
    return np.asarray(np.clip(part, 0.0, 1.0).mean(axis=0) - MARKS)
