"""The fit of all strengths at once, compiled: Newton's method by conjugate gradients, and what is not known.

The symbols are those of `reference`, which says the same in plain steps; a test says that both agree.
"""

# mypy: ignore-errors

from __future__ import annotations

import math

import numpy as np
from numba import njit

from arpad.rate.whr.kernels import conjugate, factor

LONGEST_STEP = 4.0
"""Logits: no strength moves further in one step."""

SLACK = 1e-12
"""Share of the log posterior that rounding may take."""

SMALLEST_STEP = 1e-3


@njit(cache=True, nogil=True)
def _posterior(white, black, score, weight, plus, first, link, mean, hold, x, gradient, diagonal, h):
    """Fill gradient, diagonal and each game's curvature; return the log posterior."""
    value = 0.0
    gradient[:] = 0.0
    diagonal[:] = 0.0
    for k in range(white.shape[0]):
        i, j = white[k], black[k]
        z = (x[i] - x[j]) + plus[k]
        p = 1.0 / (1.0 + math.exp(-z))
        soft = max(z, 0.0) + math.log1p(math.exp(-abs(z)))
        value += weight[k] * (score[k] * z - soft)
        rest = weight[k] * (score[k] - p)
        gradient[i] += rest
        gradient[j] -= rest
        c = weight[k] * p * (1.0 - p)
        h[k] = c
        diagonal[i] += c
        diagonal[j] += c
    for player in range(first.shape[0] - 1):
        a, b = first[player], first[player + 1]
        off = x[a] - mean[player]
        value -= 0.5 * hold[player] * off * off
        gradient[a] -= hold[player] * off
        diagonal[a] += hold[player]
        for i in range(a, b - 1):
            d = x[i + 1] - x[i]
            value -= 0.5 * link[i] * d * d
            gradient[i] += link[i] * d
            gradient[i + 1] -= link[i] * d
            diagonal[i] += link[i]
            diagonal[i + 1] += link[i]
    return value


@njit(cache=True, nogil=True)
def fit_strengths(
    white, black, score, weight, plus, first, link, mean, hold, x, tolerance, share, most, most_passes
):
    """Move x to the mode; return steps, passes, and the last step's largest change."""
    n = x.shape[0]
    gradient, diagonal, pivot, delta = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    h, trial = np.empty(white.shape[0]), np.empty(n)
    args = (white, black, score, weight, plus, first, link, mean, hold)
    value = _posterior(*args, x, gradient, diagonal, h)
    passes, steps, change = 1, 0, np.inf
    while steps < most and not change < tolerance:
        steps += 1
        factor(first, link, diagonal, pivot)
        passes += conjugate(
            white, black, h, first, link, diagonal, pivot, gradient, delta, share, most_passes
        )
        size = 1.0
        while True:
            for i in range(n):
                trial[i] = x[i] + size * min(max(delta[i], -LONGEST_STEP), LONGEST_STEP)
            after = _posterior(*args, trial, gradient, diagonal, h)
            passes += 1
            if after >= value - SLACK * (1.0 + abs(value)) or size < SMALLEST_STEP:
                break
            size /= 2.0
        change = 0.0
        for i in range(n):
            change = max(change, abs(trial[i] - x[i]))
            x[i] = trial[i]
        value = after
    return steps, passes, change


@njit(cache=True, nogil=True)
def fit_variances(white, black, weight, plus, first, link, hold, x, tolerance, most):  # noqa: C901
    """Return each point's variance, its covariance with the next, and what was known of it before its games.

    A game against somebody who is not known exactly says less: what is known of opponents is passed on
    until no variance changes by more than `tolerance` (a share).
    """
    n, games = x.shape[0], white.shape[0]
    base, pivot, diagonal = np.zeros(n), np.empty(n), np.empty(n)
    variance, covariance = np.ones(n), np.zeros(n)
    h = np.empty(games)
    for k in range(games):
        z = (x[white[k]] - x[black[k]]) + plus[k]
        p = 1.0 / (1.0 + math.exp(-z))
        h[k] = weight[k] * p * (1.0 - p)
    for player in range(first.shape[0] - 1):
        a, b = first[player], first[player + 1]
        base[a] += hold[player]
        for i in range(a, b - 1):
            base[i] += link[i]
            base[i + 1] += link[i]
    to_white, to_black = h.copy(), h.copy()
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
                change = max(change, abs(v / variance[i] - 1.0))
                variance[i] = v
        passes += 1
        if passes >= most or (passes > 1 and change < tolerance):
            return variance, covariance, passes
        for k in range(games):
            i, j = white[k], black[k]
            v_i = variance[i] / (1.0 - to_white[k] * variance[i])
            v_j = variance[j] / (1.0 - to_black[k] * variance[j])
            to_white[k] = h[k] / (1.0 + h[k] * v_j)
            to_black[k] = h[k] / (1.0 + h[k] * v_i)
