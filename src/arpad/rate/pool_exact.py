"""The exact solution of a pool: everybody's expected score is the score [Elo 1.55, 3.4].

For the logistic curve this is the most likely set of ratings. Newton's method: the matrix is the
Laplacian of the graph of pairings, so each step is a sparse system that conjugate gradients solve in
some dozens of passes over the pairings.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from arpad.errors import ArpadError, UsageError
from arpad.rate.pool_errors import pool_errors
from arpad.rate.pool_matrix import Laplacian, solve_laplacian
from arpad.scale import Curve, Logistic, Normal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.rate.pairs import Pairs

__all__ = ["Solution", "solve"]

CLOSE = 1e-9
"""Largest difference of expected and actual score, in points per game, at which we stop."""

STEPS = 300
UNTOLD = 1e-9
FARTHEST = 1500.0
"""White's advantage beyond which there is none to be found: White won, or lost, everything."""
LARGEST_STEP = 400.0


@dataclass(frozen=True, slots=True)
class Solution:
    """Ratings of one group with mean 0, their standard deviations, and how they were found."""

    ratings: NDArray[np.float64]
    errors: NDArray[np.float64]
    advantage: float | None
    """White's; None where it was to be estimated and the colours do not tell it."""
    steps: int
    residual: float


def solve(
    pairs: Pairs, curve: Curve, *, advantage: float | None = 0.0, prior: float = 0.0
) -> Solution:
    """Solve one group; every player in `pairs` belongs to it.

    Parameters
    ----------
    advantage
        White's, in rating points; None estimates it with the ratings.
    prior
        Games, drawn, of everybody against an opponent of average strength: joins what the results do
        not, and makes 0 % and 100 % finite.
    """
    fit = advantage is None
    h = advantage or 0.0
    scored, played = pairs.scored(), pairs.played()
    R = _first_guess(scored, played, prior)
    residual = math.inf
    for step in range(1, STEPS + 1):
        P, slope = _expected(curve, R[pairs.white] - R[pairs.black] + h)
        own, pull = _expected(curve, R)
        expected, weight, extra = pairs.games * P, pairs.games * slope, prior * pull
        g = scored - pairs.both(expected, pairs.games - expected) + prior * (0.5 - own)
        surplus = float((pairs.points - expected).sum()) if fit else 0.0
        residual = float(np.max(np.abs(g) / np.maximum(played, 1), initial=0.0))
        if residual < CLOSE and abs(surplus) / max(pairs.games.sum(), 1) < CLOSE:
            errors = pool_errors(pairs, weight, extra, P)
            return Solution(R, errors, h if advantage is not None or fit else None, step, residual)
        matrix = Laplacian.of(pairs, weight, extra)
        delta = solve_laplacian(matrix, g, free=not prior)
        if fit:
            # White's advantage with the ratings: one more unknown, taken out of the others' way.
            v = pairs.both(weight, -weight)
            along = solve_laplacian(matrix, v, free=not prior)
            left = float(weight.sum() - v @ along)
            if left <= UNTOLD * weight.sum() or abs(h) > FARTHEST:
                fit, h = False, 0.0  # these colours do not tell it from strength
                continue
            move = float(np.clip((surplus - v @ delta) / left, -LARGEST_STEP, LARGEST_STEP))
            h, delta = h + move, delta - along * move
        apart = np.abs(delta[pairs.white] - delta[pairs.black])
        largest = float(np.max(apart, initial=0.0))
        R = R + delta * min(1.0, LARGEST_STEP / largest if largest else 1.0)
        if not prior:
            R -= R.mean()
    raise ArpadError(
        f"the pool has no solution to {CLOSE:g} after {STEPS} steps (off by {residual:.2g} points a game)"
    )


def _first_guess(
    scored: NDArray[np.float64], played: NDArray[np.float64], prior: float
) -> NDArray[np.float64]:
    share = (scored + 0.5 + prior / 2) / (played + 1 + prior)
    guess = Logistic().difference(share)
    return np.asarray(guess - (0.0 if prior else guess.mean()))


def _expected(
    curve: Curve, D: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the expected score and its slope."""
    if isinstance(curve, Logistic):
        P = curve.expected(D)
        return P, P * (1 - P) * (math.log(10) / (2 * curve.class_interval))
    if isinstance(curve, Normal):
        sigma = curve.class_interval * math.sqrt(2)
        slope = np.exp(-0.5 * (D / sigma) ** 2) / (sigma * math.sqrt(2 * math.pi))
        return curve.expected(D), np.maximum(slope, 1e-12)
    raise UsageError(f"expected the logistic or the normal curve for a pool, found {curve.name}")
