"""White's advantage and the scale of a system, fitted to an earlier window: the same for every system.

    logit E′ = a + b · logit E

b stretches the scale of ratings and a is White's advantage on it. It is asked of the expected score and not
of the rating difference, so that systems whose expectation rests on more (an RD, an age) keep it: their
logit is g · D · ln 10 / 400. For a logistic curve it is exactly a scale and an advantage in points. Two
figures for everybody, whatever the curve.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from arpad.errors import UsageError
from arpad.lab.metrics import SUREST, log_losses

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["Recalibration", "recalibration"]

POINTS = 400 / math.log(10)
"""Rating points for one unit of the logit [Elo 8.43]."""
MOST_STEPS = 60
TOLERANCE = 1e-9
STEEPEST = 20.0
"""No fit stretches a scale more than so many times, nor moves it by more than so many logits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalibration:
    """The two figures, what they were fitted to, and how well."""

    a: float
    """White's advantage, in logits."""
    b: float
    """Scale: above 1 the system was too timid, below 1 too sure."""
    n: int
    """Games that it was fitted to."""
    log_loss: float
    """Of those games, with the figures."""

    @property
    def white_advantage(self) -> float:
        """White's advantage in points of the scale on which 200 points are .76; NaN where b is 0."""
        return POINTS * self.a / self.b if self.b else math.nan

    def apply(self, E: Array) -> Array:
        """Return recalibrated expected scores."""
        return _expit(self.a + self.b * _logit(E))


def recalibration(S: Array, E: Array) -> Recalibration:
    """Fit a and b by least log loss (Newton's steps; the loss is convex, so that there is one answer).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> E = rng.uniform(0.1, 0.9, 50_000)
    >>> truth = 1 / (1 + np.exp(-0.2 - 0.8 * np.log(E / (1 - E))))
    >>> found = recalibration((rng.random(50_000) < truth).astype(float), E)
    >>> round(found.a, 1), round(found.b, 1)
    (0.2, 0.8)
    """
    if not len(S):
        raise UsageError("White's advantage and the scale are fitted to games, and there are none")
    x = _logit(E)
    at = np.array([0.0, 1.0])
    value = _loss(at, S, x)
    for _ in range(MOST_STEPS):
        fitted = _expit(at[0] + at[1] * x)
        miss, weight = fitted - S, fitted * (1 - fitted)
        slope = np.array([miss.mean(), (miss * x).mean()])
        bend = np.array(
            [[weight.mean(), (weight * x).mean()], [(weight * x).mean(), (weight * x * x).mean()]]
        )
        # A touch of ridge: all expectations equal, or all results alike, have no second figure.
        step = np.linalg.solve(bend + 1e-9 * np.eye(2), slope)
        moved, best = _descended(at, step, value, S, x)
        done = value - best < TOLERANCE and float(np.abs(moved - at).max()) < 1e-7
        at, value = moved, best
        if done:
            break
    a, b = (float(figure) for figure in at)
    return Recalibration(a=a, b=b, n=len(S), log_loss=value)


def _descended(at: Array, step: Array, value: float, S: Array, x: Array) -> tuple[Array, float]:
    """Go the step, or a half, a quarter … of it, so that the loss does not grow."""
    for half in range(30):
        moved = np.clip(at - step / 2**half, -STEEPEST, STEEPEST)
        found = _loss(moved, S, x)
        if found <= value:
            return moved, found
    return at, value


def _loss(at: Array, S: Array, x: Array) -> float:
    return float(log_losses(S, _expit(at[0] + at[1] * x)).mean())


def _logit(E: Array) -> Array:
    E = np.clip(E, SUREST, 1 - SUREST)
    return np.asarray(np.log(E) - np.log1p(-E))


def _expit(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))
