"""The model's p_0 and its derivatives, position by position, compiled by Numba.

The paper prints its equation upside down; the authors' model is p_i = p_0^(1/α_i), 1/α_i = e^((δ_i/s)^c),
Σ p_i = 1. With u = ln p_0 and w_i = 1/α_i this is Σ n_i e^(w_i u) = 1, which rises with u and has
one root between −ln Σ n_i and 0. `reference.py` says the same in readable words.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

LARGEST = 100.0
"""(δ/s)^c beyond which it is not followed: such a move has a chance of 1e-40."""
TOLERANCE = 1e-14
MOST_STEPS = 200


@njit(cache=True, nogil=True)
def _root(w, n, lines):
    """Return u: Newton's steps, kept inside a bracket that always holds the root.

    Where one move stands far above the rest, u is as small as 1e-12 and still decides the others' chances through w·u: so
    the first line, whose w is 1, enters as e^u − 1 without loss, and the tolerance is relative.
    """
    total = 0.0
    for i in range(lines):
        total += n[i]
    if total == 1.0:
        return 0.0
    low, high = -math.log(total), 0.0
    u = max(-0.7, low)
    for _ in range(MOST_STEPS):
        f = math.expm1(u) + (n[0] - 1.0) * math.exp(u)
        slope = n[0] * math.exp(u)
        for i in range(1, lines):
            if n[i] > 0.0:
                p = n[i] * math.exp(w[i] * u)
                f += p
                slope += w[i] * p
        if f > 0.0:
            high = u
        else:
            low = u
        step = u - f / slope
        if not low <= step <= high:
            step = 0.5 * (low + high) if high < 0.0 else 0.1 * low
        if abs(step - u) <= TOLERANCE * abs(u):
            return step
        u = step
    return u


@njit(cache=True, nogil=True)
def solve(delta, count, s, c, p, w, slopes):
    """Fill `p` and `w`, and `slopes` with ∂u/∂s and ∂u/∂c; return u of each position.

    Differentiating Σ n_i e^(w_i u) = 1 gives ∂u = −u Σ n_i p_i ∂w_i / Σ n_i p_i w_i.
    """
    positions, lines = delta.shape
    u = np.empty(positions)
    for t in range(positions):
        for i in range(lines):
            x = delta[t, i] / s
            w[t, i] = math.exp(min(x**c, LARGEST)) if x > 0.0 else 1.0
        u[t] = _root(w[t], count[t], lines)
        by_s, by_c, weight = 0.0, 0.0, 0.0
        for i in range(lines):
            p[t, i] = 0.0
            if count[t, i] > 0.0:
                p[t, i] = math.exp(w[t, i] * u[t])
                share = count[t, i] * p[t, i] * w[t, i]
                weight += share
                x = delta[t, i] / s
                if x > 0.0 and share > 0.0:
                    power = x**c
                    by_s -= share * power * c / s
                    by_c += share * power * math.log(x)
        slopes[t, 0] = -u[t] * by_s / weight
        slopes[t, 1] = -u[t] * by_c / weight
    return u


@njit(cache=True, nogil=True)
def moments(delta, count, s, c):
    """Return per position p_0, Σ p δ, Σ p δ² and the derivatives of the first two by s and c."""
    positions, lines = delta.shape
    out = np.zeros((positions, 7))
    w = np.empty(lines)
    by_s = np.empty(lines)
    by_c = np.empty(lines)
    for t in range(positions):
        for i in range(lines):
            w[i], by_s[i], by_c[i] = 1.0, 0.0, 0.0
            x = delta[t, i] / s
            if x > 0.0 and count[t, i] > 0.0:
                power = min(x**c, LARGEST)
                w[i] = math.exp(power)
                by_s[i] = -w[i] * power * c / s
                by_c[i] = w[i] * power * math.log(x)
        u = _root(w, count[t], lines)
        weight, up_s, up_c = 0.0, 0.0, 0.0
        for i in range(lines):
            p = count[t, i] * math.exp(w[i] * u)
            if p > 0.0:
                weight += p * w[i]
                up_s += p * by_s[i]
                up_c += p * by_c[i]
        u_s, u_c = -u * up_s / weight, -u * up_c / weight
        for i in range(lines):
            p = count[t, i] * math.exp(w[i] * u)
            if p > 0.0:
                d = delta[t, i]
                out[t, 1] += p * d
                out[t, 2] += p * d * d
                out[t, 5] += p * d * (u * by_s[i] + w[i] * u_s)
                out[t, 6] += p * d * (u * by_c[i] + w[i] * u_c)
        out[t, 0] = math.exp(u)
        out[t, 3] = out[t, 0] * u_s
        out[t, 4] = out[t, 0] * u_c
    return out
