"""All strengths at once, in plain steps: the readable reference of `whr.kernels`, exact, for few games.

The posterior is that of a random walk for every player and a logistic chance for every game:

    ln p = Σ φ (S z − ln(1 + e^z)) − Σ (θ_1 − m)²/2σ² − Σ (θ_(t+1) − θ_t)²/2 w² Δt,  z = θ_w − θ_b + γ
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from arpad.rate.arpad_system.points import Array, CurvePoints

MOST_STEPS = 50
LONGEST_STEP = 4.0
"""Logits: no strength moves further in one step."""


def chances(points: CurvePoints, plus: Array, x: Array) -> Array:
    """Return White's expected score of every game."""
    return logistic(x[points.white] - x[points.black] + plus)


def logistic(z: Array) -> Array:
    """Return 1/(1 + e^−z)."""
    return np.asarray(0.5 + 0.5 * np.tanh(z / 2))


def _gradient(
    points: CurvePoints,
    score: Array,
    weight: Array,
    plus: Array,
    link: Array,
    mean: Array,
    hold: Array,
    x: Array,
) -> Array:
    rest = weight * (score - chances(points, plus, x))
    result = 0.0 + np.bincount(points.white, rest, len(x)) - np.bincount(points.black, rest, len(x))
    pull = link * np.diff(x, append=0.0)
    result += pull
    result[1:] -= pull[:-1]
    first = points.first[:-1]
    result[first] -= hold * (x[first] - mean)
    return np.asarray(result)


def hessian(points: CurvePoints, weight: Array, plus: Array, link: Array, hold: Array, x: Array) -> Array:
    """Return −∂² ln p: what is known, and of what together."""
    n = len(x)
    p = chances(points, plus, x)
    h = weight * p * (1 - p)
    result = np.zeros((n, n))
    here = np.arange(n)
    np.add.at(result, (points.white, points.white), h)
    np.add.at(result, (points.black, points.black), h)
    np.add.at(result, (points.white, points.black), -h)
    np.add.at(result, (points.black, points.white), -h)
    result[here, here] += link
    result[here[1:], here[1:]] += link[:-1]
    result[here[:-1], here[1:]] -= link[:-1]
    result[here[1:], here[:-1]] -= link[:-1]
    result[points.first[:-1], points.first[:-1]] += hold
    return result


def fit_strengths(
    points: CurvePoints,
    score: Array,
    weight: Array,
    plus: Array,
    link: Array,
    mean: Array,
    hold: Array,
    x: Array,
    tolerance: float,
) -> Array:
    """Return the mode, by Newton's method from x; it is concave, so that it has one."""
    for _ in range(MOST_STEPS):
        slope = _gradient(points, score, weight, plus, link, mean, hold, x)
        step = np.linalg.solve(hessian(points, weight, plus, link, hold, x), slope)
        longest = float(np.abs(step).max(initial=0.0))
        x = x + step * min(1.0, LONGEST_STEP / max(longest, 1e-300))
        if longest < tolerance:
            break
    return x
