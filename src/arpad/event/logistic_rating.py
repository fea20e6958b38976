"""The rating that explains a score on the logistic curve, and its error: found in a few of Newton's steps."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from arpad.scale import Logistic

__all__ = ["MANY", "logistic_error", "logistic_rating"]

MANY = 24
"""Opponents above which arrays are faster than one at a time."""

STEPS, NEAR = 200, 1e-9
"""Newton's steps at most; points between two of them at which the rating is found."""


def logistic_rating(
    score: float, opponents: Sequence[float], curve: Logistic, widest: float
) -> float | None:
    """Return the rating whose expected score is the score; None: none is so near to the opponents [1.55].

    Newton's step is (W − W_e) / W_e′; where it leads astray, the interval in which the rating lies is halved.

    Parameters
    ----------
    widest
        Points around the opponents within which it is looked for.

    Examples
    --------
    >>> from arpad.scale import Logistic
    >>> round(logistic_rating(3.5, [1600, 1700, 1750, 1800, 1850], Logistic(), 6000.0), 2)
    1895.88
    """
    games, scale = len(opponents), math.log(10) / (2 * curve.class_interval)
    at = _surplus(score, opponents, scale)
    low, high = min(opponents) - widest, max(opponents) + widest
    least = games * math.exp(-scale * widest)  # at the ends no more than so much is won, or lost
    sure = least < score < games - least
    if not sure and (at(low)[0] > 0 or at(high)[0] < 0):
        return None
    share = score / games
    rating = math.fsum(opponents) / games
    if 0 < share < 1:  # exact where all opponents are equal
        rating = min(max(rating + math.log(share / (1 - share)) / scale, low), high)
    for _ in range(STEPS):
        surplus, slope = at(rating)
        low, high = (rating, high) if surplus < 0 else (low, rating)
        new = rating - surplus / slope if slope > 0 else math.nan
        if not low <= new <= high:
            new = (low + high) / 2
        if abs(new - rating) <= NEAR:
            return new
        rating = new
    return rating


def _surplus(
    score: float, opponents: Sequence[float], scale: float
) -> Callable[[float], tuple[float, float]]:
    """Return by how much the expected score of a rating is above the score, and how steeply it rises."""
    half = scale / 2
    if len(opponents) > MANY:  # a career: one call for all of them
        many = np.asarray(opponents, dtype=np.float64)

        def of_many(rating: float) -> tuple[float, float]:
            p = 0.5 + 0.5 * np.tanh((rating - many) * half)
            return float(p.sum()) - score, scale * float((p * (1 - p)).sum())

        return of_many

    def of_few(rating: float) -> tuple[float, float]:
        p = [0.5 + 0.5 * math.tanh((rating - opponent) * half) for opponent in opponents]
        return math.fsum(p) - score, scale * math.fsum([share * (1 - share) for share in p])

    return of_few


def logistic_error(rating: float, opponents: Sequence[float], curve: Logistic) -> float | None:
    """Return σ of the rating: that of the score, √Σpq, over the slope of the expected score around it.

    Examples
    --------
    >>> from arpad.scale import Logistic
    >>> round(logistic_error(1900.0, [1800.0] * 9, Logistic()), 1)
    120.8
    """
    half = math.log(10) / (4 * curve.class_interval)
    variance, rise = [], []
    for opponent in opponents:
        D = rating - opponent
        q = 0.5 * math.tanh(D * half)
        variance.append((0.5 + q) * (0.5 - q))
        rise.append(0.5 * (math.tanh((D + 25) * half) - math.tanh((D - 25) * half)))
    slope = math.fsum(rise) / 50
    return math.sqrt(math.fsum(variance)) / slope if slope > 0 else None
