"""How uncertain the ratings of a pool are.

They are x = L⁺ u, where u is the chance in everybody's score: their variances are the diagonal of
L⁺ B L⁺, with B the matrix of the scores' variances. Drawing u again and again in large groups was
tried: on a year of real games it takes minutes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arpad.rate.pool_matrix import Laplacian

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.rate.pairs import Pairs

__all__ = ["pool_errors"]

DENSE = 1500
"""Players up to whom the errors come from the whole inverse matrix."""


def pool_errors(
    pairs: Pairs,
    weight: NDArray[np.float64],
    extra: NDArray[np.float64],
    P: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return standard deviations around the group's mean; the scores vary by pq a game."""
    noise = pairs.games * P * (1 - P)
    matrix, free = Laplacian.of(pairs, weight, extra), not extra.any()
    if pairs.players <= DENSE:
        return _whole(matrix, Laplacian.of(pairs, noise, np.zeros(pairs.players)), free)
    return _nearly(pairs, matrix.degree, weight, noise)


def _whole(matrix: Laplacian, spread: Laplacian, free: bool) -> NDArray[np.float64]:
    n, mean = len(matrix.degree), float(matrix.degree.mean()) or 1.0
    # All ratings may move together: fill that direction in, and take it out again.
    inverse = np.linalg.inv(matrix.dense() + (mean / n**2 if free else 0.0))
    inverse -= 1 / mean if free else 0.0
    variance = np.einsum("ij,ij->i", inverse @ spread.dense(), inverse)
    return np.asarray(np.sqrt(np.maximum(variance, 0.0)))


def _nearly(
    pairs: Pairs,
    degree: NDArray[np.float64],
    weight: NDArray[np.float64],
    noise: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Add to a player's own uncertainty that of each opponent, once: too little along thin chains."""
    n = pairs.players
    own = np.divide(1.0, degree, out=np.zeros(n), where=degree > 0)
    variance = pairs.both(noise, noise) * own**2
    theirs = pairs.both(weight**2 * variance[pairs.black], weight**2 * variance[pairs.white])
    return np.asarray(np.sqrt(variance + own**2 * theirs))
