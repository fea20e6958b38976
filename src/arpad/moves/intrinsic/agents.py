"""Simulated players of known skill: what the fits must find again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arpad.moves.intrinsic.choices import Choices
from arpad.moves.intrinsic.projection import probabilities

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["generated_positions", "simulated"]


def simulated(choices: Choices, s: float, c: float, *, seed: int) -> Choices:
    """Return the same positions with the moves that a player of skill (s, c) would choose."""
    share = probabilities(choices, s, c) * choices.count
    cumulative = np.cumsum(share, axis=1)
    draw = np.random.default_rng(seed).random(len(choices)) * cumulative[:, -1]
    played = (cumulative <= draw[:, None]).sum(axis=1)
    return Choices(delta=choices.delta, count=choices.count, played=played.astype(np.int64))


def generated_positions(positions: int, *, lines: int = 16, seed: int) -> Choices:
    """Return made-up positions whose losses look like an engine's, for tests and trials."""
    rng = np.random.default_rng(seed)
    # Gaps between neighbouring lines: mostly a few hundredths of a pawn, now and then a whole piece.
    gaps: NDArray[np.float64] = rng.exponential(0.03, (positions, lines)) + np.where(
        rng.random((positions, lines)) < 0.08, rng.exponential(0.6, (positions, lines)), 0.0
    )
    gaps[:, 0] = 0.0
    return Choices(
        delta=np.cumsum(gaps, axis=1),
        count=np.ones((positions, lines)),
        played=np.zeros(positions, dtype=np.int64),
    )
