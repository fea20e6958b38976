"""The exact solution of a pool: everybody's expected score is the score [Elo 1.55, 3.4].

For the logistic curve this is the most likely set of ratings. Newton's method: the matrix is the
Laplacian of the graph of pairings, so each step is a sparse system that conjugate gradients solve in
some dozens of passes over the pairings.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from arpad.errors import ArpadError, UsageError
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
SMALL = 200
"""Players up to whom a step is solved directly."""

DENSE = 1500
"""Players up to whom the errors come from the whole inverse matrix."""


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
        g = scored - _both(pairs, expected, pairs.games - expected) + prior * (0.5 - own)
        surplus = float((pairs.points - expected).sum()) if fit else 0.0
        residual = float(np.max(np.abs(g) / np.maximum(played, 1), initial=0.0))
        if residual < CLOSE and abs(surplus) / max(pairs.games.sum(), 1) < CLOSE:
            errors = _errors(pairs, weight, extra, P)
            return Solution(R, errors, h if advantage is not None or fit else None, step, residual)
        delta = _solve_laplacian(pairs, weight, extra, g)
        if fit:
            # White's advantage with the ratings: one more unknown, taken out of the others' way.
            v = _both(pairs, weight, -weight)
            along = _solve_laplacian(pairs, weight, extra, v)
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


def _both(
    pairs: Pairs, to_white: NDArray[np.float64], to_black: NDArray[np.float64]
) -> NDArray[np.float64]:
    n = pairs.players
    return np.asarray(np.bincount(pairs.white, to_white, n) + np.bincount(pairs.black, to_black, n))


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


def _laplacian(pairs: Pairs, weight: NDArray[np.float64], extra: NDArray[np.float64]) -> Any:
    from scipy.sparse import coo_array

    n = pairs.players
    degree = np.bincount(pairs.white, weight, n) + np.bincount(pairs.black, weight, n) + extra
    rows = np.r_[pairs.white, pairs.black, np.arange(n)]
    columns = np.r_[pairs.black, pairs.white, np.arange(n)]
    return coo_array(
        (np.r_[-weight, -weight, degree], (rows, columns)), shape=(n, n)
    ).tocsr(), degree


def _solve_laplacian(
    pairs: Pairs, weight: NDArray[np.float64], extra: NDArray[np.float64], g: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Solve L x = g; L is singular (all ratings may move together) unless there is a prior."""
    from scipy.sparse import dia_array
    from scipy.sparse.linalg import cg, spsolve

    matrix, degree = _laplacian(pairs, weight, extra)
    n = pairs.players
    free = not extra.any()
    if n <= SMALL:
        together = degree.mean() / n**2 if free else 0.0
        return np.asarray(np.linalg.solve(matrix.toarray() + together, g))
    if free:
        g = g - g.mean()  # what rounding left over cannot be solved for
    scale = dia_array((1 / np.maximum(degree, 1e-300)[None, :], [0]), shape=(n, n))
    x, failed = cg(matrix, g, rtol=1e-7, atol=1e-13 * float(degree.max()), maxiter=5000, M=scale)
    if failed:
        # A long chain of pairings: few entries, so that a direct solution is cheap.
        tied = matrix.tolil()
        if free:
            tied[0, :] = 0
            tied[0, 0] = 1
            g = np.r_[0.0, g[1:]]
        x = spsolve(tied.tocsc(), g)
    return np.asarray(x)


def _errors(
    pairs: Pairs,
    weight: NDArray[np.float64],
    extra: NDArray[np.float64],
    P: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return standard deviations around the group's mean: √diag of L⁺ B L⁺.

    L is the matrix of slopes, B that of the scores' variances, pq a game. In large groups the inverse
    is not taken as a whole: to a player's own uncertainty that of each opponent is added once.
    """
    n = pairs.players
    noise = pairs.games * P * (1 - P)
    matrix, degree = _laplacian(pairs, weight, extra)
    if n <= DENSE:
        whole, mean = matrix.toarray(), float(degree.mean()) or 1.0
        # All ratings may move together: fill that direction in, and take it out again.
        inverse = np.linalg.inv(whole + (0.0 if extra.any() else mean / n**2))
        inverse -= 0.0 if extra.any() else 1 / mean
        spread, _ = _laplacian(pairs, noise, np.zeros(n))
        variance = np.einsum("ij,ij->i", inverse @ spread.toarray(), inverse)
        return np.asarray(np.sqrt(np.maximum(variance, 0.0)))
    own = np.divide(1.0, degree, out=np.zeros(n), where=degree > 0)
    total = np.bincount(pairs.white, noise, n) + np.bincount(pairs.black, noise, n)
    variance = total * own**2
    theirs = np.bincount(pairs.white, weight**2 * variance[pairs.black], n)
    theirs += np.bincount(pairs.black, weight**2 * variance[pairs.white], n)
    return np.asarray(np.sqrt(variance + own**2 * theirs))
