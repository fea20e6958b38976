"""`whr_reference` on arrays, compiled by Numba: Newton's method over all curves at once.

A Newton step solves H δ = g, H the Hessian of all points of all players. Within a player H is tridiagonal
and cheap to factor; games join players. Conjugate gradients, with the players' own blocks as
preconditioner, solve it in a few passes over the games, where sweeps from player to player (Coulom 2008)
need hundreds: what many players share travels slowly from one to the next.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from arpad.rate.whr.reference import ADVANTAGE_HOLD, LONGEST_STEP, SLACK, SMALLEST_STEP


@njit(cache=True, nogil=True)
def _softplus(x):
    """Return ln(1 + e^x) without overflow."""
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


@njit(cache=True, nogil=True)
def _terms(
    white, black, score, weight, plus, first, link, centre, draws, hold, theta, gamma, gradient, diagonal, h
):
    """Fill gradient, diagonal and each game's weight × p(1 − p); return the log posterior."""
    value = 0.0
    gradient[:] = 0.0
    diagonal[:] = 0.0
    for k in range(white.shape[0]):
        i, j = white[k], black[k]
        d = theta[i] - theta[j] + (gamma + plus[k])
        p = 1.0 / (1.0 + math.exp(-d))
        value += weight[k] * (score[k] * d - _softplus(d))
        rest = weight[k] * (score[k] - p)
        gradient[i] += rest
        gradient[j] -= rest
        w = weight[k] * p * (1.0 - p)
        h[k] = w
        diagonal[i] += w
        diagonal[j] += w
    for player in range(first.shape[0] - 1):
        a, b = first[player], first[player + 1]
        off = theta[a] - centre[player]
        p = 1.0 / (1.0 + math.exp(-off))
        value += draws[player] * (0.5 * off - _softplus(off)) - 0.5 * hold[player] * off * off
        gradient[a] += draws[player] * (0.5 - p) - hold[player] * off
        diagonal[a] += draws[player] * p * (1.0 - p) + hold[player]
        for i in range(a, b - 1):
            d = theta[i + 1] - theta[i]
            value -= 0.5 * link[i] * d * d
            gradient[i] += link[i] * d
            gradient[i + 1] -= link[i] * d
            diagonal[i] += link[i]
            diagonal[i + 1] += link[i]
    return value


@njit(cache=True, nogil=True)
def factor(first, link, diagonal, pivot):
    """Fill the pivots of every player's tridiagonal block: d_i = a_i − l²_(i−1)/d_(i−1)."""
    for player in range(first.shape[0] - 1):
        a, b = first[player], first[player + 1]
        pivot[a] = diagonal[a]
        for i in range(a + 1, b):
            pivot[i] = diagonal[i] - link[i - 1] * link[i - 1] / pivot[i - 1]


@njit(cache=True, nogil=True)
def _solve(first, link, pivot, x, y):
    """Solve every player's block for x; into y."""
    for player in range(first.shape[0] - 1):
        a, b = first[player], first[player + 1]
        y[a] = x[a]
        for i in range(a + 1, b):
            y[i] = x[i] + link[i - 1] / pivot[i - 1] * y[i - 1]
        y[b - 1] /= pivot[b - 1]
        for i in range(b - 2, a - 1, -1):
            y[i] = (y[i] + link[i] * y[i + 1]) / pivot[i]


@njit(cache=True, nogil=True)
def _product(white, black, h, first, link, diagonal, x, y):
    """Put H x into y."""
    for player in range(first.shape[0] - 1):
        a, b = first[player], first[player + 1]
        for i in range(a, b):
            y[i] = diagonal[i] * x[i]
        for i in range(a, b - 1):
            y[i] -= link[i] * x[i + 1]
            y[i + 1] -= link[i] * x[i]
    for k in range(white.shape[0]):
        i, j = white[k], black[k]
        y[i] -= h[k] * x[j]
        y[j] -= h[k] * x[i]


@njit(cache=True, nogil=True)
def _dot(x, y):
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * y[i]
    return total


@njit(cache=True, nogil=True)
def conjugate(white, black, h, first, link, diagonal, pivot, gradient, delta, share, most):
    """Solve H δ = g until the residual is `share` of what it was; return the passes."""
    n = gradient.shape[0]
    r, z, q = gradient.copy(), np.empty(n), np.empty(n)
    delta[:] = 0.0
    _solve(first, link, pivot, r, z)
    p = z.copy()
    rho = _dot(r, z)
    enough = rho * share * share
    for passes in range(most):
        if rho <= enough or rho <= 0.0:
            return passes
        _product(white, black, h, first, link, diagonal, p, q)
        alpha = rho / _dot(p, q)
        for i in range(n):
            delta[i] += alpha * p[i]
            r[i] -= alpha * q[i]
        _solve(first, link, pivot, r, z)
        later = _dot(r, z)
        beta = later / rho
        rho = later
        for i in range(n):
            p[i] = z[i] + beta * p[i]
    return most


@njit(cache=True, nogil=True)
def _border(white, black, score, weight, plus, theta, gamma, h, beside):
    """Fill ∂²/∂θ∂γ; return the slope and the bend of γ, White's advantage."""
    slope, bend = -ADVANTAGE_HOLD * gamma, ADVANTAGE_HOLD
    beside[:] = 0.0
    for k in range(white.shape[0]):
        d = theta[white[k]] - theta[black[k]] + (gamma + plus[k])
        slope += weight[k] * (score[k] - 1.0 / (1.0 + math.exp(-d)))
        bend += h[k]
        beside[white[k]] += h[k]
        beside[black[k]] -= h[k]
    return slope, bend


@njit(cache=True, nogil=True)
def fit_ratings(
    white,
    black,
    score,
    weight,
    plus,
    first,
    link,
    centre,
    draws,
    hold,
    theta,
    gamma,
    free,
    tolerance,
    share,
    most,
    most_passes,
):
    """Move theta to the mode; return γ, steps, passes, the last step's largest change, and the log posterior.

    `weight` is how often each game counts, `plus` what White is ahead in it beside γ. `free`: γ is estimated too.
    """
    n = theta.shape[0]
    gradient, diagonal, pivot, delta = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    h, trial = np.empty(white.shape[0]), np.empty(n)
    beside, q = np.empty(n if free else 0), np.empty(n if free else 0)
    hold_gamma = ADVANTAGE_HOLD if free else 0.0
    args = (white, black, score, weight, plus, first, link, centre, draws, hold)
    value = _terms(*args, theta, gamma, gradient, diagonal, h) - 0.5 * hold_gamma * gamma * gamma
    passes, change, steps = 1, np.inf, 0
    while steps < most and not change < tolerance:
        steps += 1
        factor(first, link, diagonal, pivot)
        blocks = (white, black, h, first, link, diagonal, pivot)
        passes += conjugate(*blocks, gradient, delta, share, most_passes)
        move = 0.0
        if free:
            slope, bend = _border(white, black, score, weight, plus, theta, gamma, h, beside)
            passes += 1 + conjugate(*blocks, beside, q, share, most_passes)
            move = (slope - _dot(beside, delta)) / (bend - _dot(beside, q))
            for i in range(n):
                delta[i] -= q[i] * move
        for i in range(n):
            delta[i] = min(max(delta[i], -LONGEST_STEP), LONGEST_STEP)
        step = 1.0
        while True:
            for i in range(n):
                trial[i] = theta[i] + step * delta[i]
            gone = gamma + step * move
            after = _terms(*args, trial, gone, gradient, diagonal, h)
            after -= 0.5 * hold_gamma * gone * gone
            passes += 1
            if after >= value - SLACK * (1.0 + abs(value)) or step < SMALLEST_STEP:
                break
            step /= 2.0
        change = abs(gone - gamma)
        for i in range(n):
            change = max(change, abs(trial[i] - theta[i]))
            theta[i] = trial[i]
        gamma, value = gone, after
    return gamma, steps, passes, change, value


@njit(cache=True, nogil=True)
def fit_variances(white, black, h, first, link, base, joint, tolerance, most):
    """Return each point's variance, its covariance with the next, the passes, and the largest last change.

    `h` is what each game says, `base` what is known of each point beside its games.
    """
    n, games = base.shape[0], white.shape[0]
    pivot, variance, covariance = np.empty(n), np.empty(n), np.zeros(n)
    to_white, to_black = h.copy(), h.copy()
    diagonal = np.empty(n)
    passes, change = 0, np.inf
    while True:
        diagonal[:] = base
        for k in range(games):
            diagonal[white[k]] += to_white[k]
            diagonal[black[k]] += to_black[k]
        factor(first, link, diagonal, pivot)
        change = 0.0
        for player in range(first.shape[0] - 1):
            a, b = first[player], first[player + 1]
            for i in range(b - 1, a - 1, -1):
                v = 1.0 / pivot[i]
                if i < b - 1:
                    part = link[i] / pivot[i]
                    covariance[i] = part * variance[i + 1]
                    v += part * covariance[i]
                if passes > 0:
                    change = max(change, abs(v / variance[i] - 1.0))
                variance[i] = v
        passes += 1
        if not joint or passes >= most or (passes > 1 and change < tolerance):
            break
        for k in range(games):
            i, j = white[k], black[k]
            v_i = variance[i] / (1.0 - to_white[k] * variance[i])
            v_j = variance[j] / (1.0 - to_black[k] * variance[j])
            to_white[k] = h[k] / (1.0 + h[k] * v_j)
            to_black[k] = h[k] / (1.0 + h[k] * v_i)
    return variance, covariance, passes, change
