"""Whole-history ratings in plain steps: the readable twin of `whr_kernels`.

All of it is on the natural scale θ = r ln 10/400. With d = θ_white − θ_black + γ, p = 1/(1 + e^−d):

    ln posterior = Σ games s d − ln(1 + e^d)                         a draw, s = ½, is half a win and half a loss
                 − Σ neighbouring points (θ_(i+1) − θ_i)²/(2 w² Δt)  the Wiener process
                 + Σ players' first points: what was held before

It is concave, so that Newton's method finds its one top.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arpad.rate.glicko.steps import SCALE

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csc_array

    from arpad.rate.whr.curves import WhrPoints


ADVANTAGE_HOLD = (SCALE / 100) ** 2
"""1/variance of an advantage that is estimated: before any game it is 0 ± 100 points, so that a few games
that White won do not make it endless. Of a thousand games it takes less than a point."""
SLACK = 1e-9
"""Share by which a sum of many logarithms may seem to fall though it rises."""
LONGEST_STEP = 2.0
"""Natural units, 347 points: no rating moves farther in one step. Far from the top a result that could not
have been says little of how far to go, and Newton's step would throw a newcomer out of sight."""
SMALLEST_STEP = 1e-6
"""Part of a Newton step below which no smaller one is tried."""


def log_posterior(
    points: WhrPoints, theta: NDArray[np.float64], gamma: float, *, free: bool = False
) -> float:
    """Return ln posterior, but for a constant; `free`: White's advantage is estimated too."""
    d = theta[points.white] - theta[points.black] + gamma
    off = theta[points.first[:-1]] - points.centre
    along = np.diff(theta, append=0.0)
    return float(
        (points.score * d - np.logaddexp(0, d)).sum()
        - (points.link * along**2).sum() / 2
        + (points.draws * (off / 2 - np.logaddexp(0, off))).sum()
        - (points.hold * off**2).sum() / 2
        - (ADVANTAGE_HOLD * gamma**2 / 2 if free else 0.0)
    )


def fit_ratings(
    points: WhrPoints, theta: NDArray[np.float64], gamma: float, *, free: bool, tolerance: float, most: int
) -> tuple[NDArray[np.float64], float, int, float]:
    """Return θ and γ at the top, the steps, and the largest change of the last one.

    Parameters
    ----------
    free
        γ, White's advantage, is estimated too.
    """
    from scipy.sparse.linalg import splu

    value, change, steps = log_posterior(points, theta, gamma, free=free), np.inf, 0
    while steps < most and not change < tolerance:
        steps += 1
        factored = splu(hessian(points, theta, gamma))
        delta, move = factored.solve(_gradient(points, theta, gamma)), 0.0
        if free:  # the border of the Hessian, by the same factors
            p = expected(points, theta, gamma)
            w = p * (1 - p)
            beside = _per_point(points, w, -w)
            q = factored.solve(beside)
            slope = (points.score - p).sum() - ADVANTAGE_HOLD * gamma
            bend = w.sum() + ADVANTAGE_HOLD
            move = float((slope - beside @ delta) / (bend - beside @ q))
            delta = delta - q * move
        delta = np.clip(delta, -LONGEST_STEP, LONGEST_STEP)
        step = 1.0
        while True:
            ahead, gone = theta + step * delta, gamma + step * move
            after = log_posterior(points, ahead, gone, free=free)
            if after >= value - SLACK * (1 + abs(value)) or step < SMALLEST_STEP:
                break
            step /= 2
        change = max(float(np.abs(step * delta).max(initial=0.0)), abs(step * move))
        theta, gamma, value = ahead, gone, after
    return theta, gamma, steps, change


def fit_variances(
    points: WhrPoints, theta: NDArray[np.float64], gamma: float, *, joint: bool, tolerance: float, most: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], int, float]:
    """Return each point's variance, its covariance with the next point, the passes, the last change.

    A player's own variances are the inverse of the player's tridiagonal block, as if all opponents were
    known exactly. They are not: a game with p(1 − p) = h against somebody whose rating varies by v
    without that game says h/(1 + h v). What one knows of an opponent depends on all the other opponents:
    this is repeated until nothing changes (Gaussian belief propagation). It is exact where games make
    no circle, and never above the truth; see `level_variances` for most of what it leaves out.
    """
    p = expected(points, theta, gamma)
    h = p * (1 - p)
    base = own(points, theta)
    to_white, to_black = h, h
    variance, change, passes = np.full(len(theta), np.inf), np.inf, 0
    while True:
        diagonal = base + _per_point(points, to_white, to_black)
        before = variance
        variance, covariance = _inverse(points, diagonal)
        change = float(np.abs(variance / before - 1).max(initial=0.0)) if passes else np.inf
        passes += 1
        if not joint or passes >= most or change < tolerance:
            return variance, covariance, passes, change
        v_white, v_black = variance[points.white], variance[points.black]
        v_white, v_black = (v_white / (1 - to_white * v_white), v_black / (1 - to_black * v_black))
        to_white, to_black = h / (1 + h * v_black), h / (1 + h * v_white)


def exact_variances(
    points: WhrPoints, theta: NDArray[np.float64], gamma: float, *, most: int | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return variances and covariances with the next point from the inverse of the Hessian.

    Groups have nothing to do with each other, so that each has its own inverse: what is said of one does
    not depend on who else is in the file.

    Parameters
    ----------
    most
        Larger groups, in points, have NaN; None: no group has.
    """
    group = points.groups()[points.curves()]
    sizes = np.bincount(group)
    order = np.argsort(group, kind="stable")  # a curve's points stay neighbours
    variance, covariance = np.full((2, len(theta)), np.nan)
    if most is not None and sizes.min() > most:
        return variance, covariance
    matrix = hessian(points, theta, gamma).tocsr()[order][:, order]
    for end, size in zip(np.cumsum(sizes).tolist(), sizes.tolist(), strict=True):
        if most is not None and size > most:
            continue
        rows = slice(end - size, end)
        inverse = np.linalg.inv(matrix[rows, rows].toarray())
        variance[order[rows]] = np.diagonal(inverse)
        covariance[order[rows]] = np.append(np.diagonal(inverse, 1), 0.0)
    return variance, np.where(points.link > 0, covariance, 0.0)


def level_variances(points: WhrPoints, theta: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each point how much the level of its whole group varies.

    Games say nothing of it: only what was held before does, P by player. With H = L + P and L 1 = 0, P 1 is
    H 1, so that the level Σ P θ/Σ P has the covariance 1/Σ P with every point. Belief propagation
    goes round circles and does not see it; where games make no circle it is exact, and nothing is added.
    """
    first = points.first[:-1]
    p = 0.5 + 0.5 * np.tanh((theta[first] - points.centre) / 2)
    held = points.draws * p * (1 - p) + points.hold
    group, curve = points.groups(), points.curves()
    size = np.bincount(group, np.diff(points.first))
    edges = np.bincount(group, np.diff(points.first) - 1)
    edges += np.bincount(group[curve[points.white]], minlength=len(size))
    level = np.where(edges < size, 0.0, 1 / np.bincount(group, held))
    return np.asarray(level[group][curve])


def hessian(points: WhrPoints, theta: NDArray[np.float64], gamma: float) -> csc_array:
    """Return −∂² ln posterior: what is known, and of what together."""
    from scipy.sparse import coo_array

    p = expected(points, theta, gamma)
    h = p * (1 - p)
    n, here = len(theta), np.arange(len(theta))
    diagonal = own(points, theta) + _per_point(points, h, h)
    links = points.link[:-1]
    rows = np.concatenate([here, here[:-1], here[1:], points.white, points.black])
    columns = np.concatenate([here, here[1:], here[:-1], points.black, points.white])
    values = np.concatenate([diagonal, -links, -links, -h, -h])
    return coo_array((values, (rows, columns)), shape=(n, n)).tocsc()


def expected(points: WhrPoints, theta: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
    """Return White's expected score of every game."""
    d = theta[points.white] - theta[points.black] + gamma
    return np.asarray(0.5 + 0.5 * np.tanh(d / 2))


def _gradient(points: WhrPoints, theta: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
    rest = points.score - expected(points, theta, gamma)
    result = _per_point(points, rest, -rest)
    pull = points.link * np.diff(theta, append=0.0)
    result += pull
    result[1:] -= pull[:-1]
    first = points.first[:-1]
    off = theta[first] - points.centre
    result[first] -= points.draws * np.tanh(off / 2) / 2 + points.hold * off
    return result


def own(points: WhrPoints, theta: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what a curve says of its own points: its neighbours, and what was held before."""
    result = points.link.copy()
    result[1:] += points.link[:-1]
    first = points.first[:-1]
    p = 0.5 + 0.5 * np.tanh((theta[first] - points.centre) / 2)
    result[first] += points.draws * p * (1 - p) + points.hold
    return result


def _per_point(
    points: WhrPoints, white: NDArray[np.float64], black: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Add up something of each game's two sides by point."""
    n = len(points)
    result = np.bincount(points.white, white, minlength=n).astype(np.float64)
    return result + np.bincount(points.black, black, minlength=n)


def _inverse(
    points: WhrPoints, diagonal: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the diagonal of the inverse of all tridiagonal blocks, and what stands beside it.

    Down: d_i = a_i − l²_(i−1)/d_(i−1). Up: V_i = 1/d_i + (l_i/d_i)² V_(i+1). Between two players l = 0.
    """
    n, link = len(diagonal), points.link.tolist()
    pivot = diagonal.tolist()
    for i in range(1, n):
        pivot[i] -= link[i - 1] ** 2 / pivot[i - 1]
    variance, covariance = [0.0] * n, [0.0] * n
    after = 0.0
    for i in range(n - 1, -1, -1):
        part = link[i] / pivot[i]
        covariance[i] = part * after
        after = variance[i] = 1 / pivot[i] + part * covariance[i]
    return np.array(variance), np.array(covariance)
