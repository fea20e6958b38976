"""The arithmetic of a norm: averages, percentages, performance, and the score it takes [1.4.6 to 1.4.9]."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from arpad.errors import UsageError
from arpad.expectancy_table import TABLE_DP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arpad.event.norm_rules import Level, NormRules

__all__ = [
    "at_least",
    "at_most",
    "average",
    "enough",
    "percent",
    "performance",
    "score_needed",
]

NOISE = 1e-9
"""Of binary fractions, which must not decide a rounding."""


def at_least(share: tuple[int, int], games: int) -> int:
    """Return a share of the opponents as the least number, rounded up [1.4.4].

    Examples
    --------
    >>> at_least((1, 2), 9), at_least((1, 3), 10), at_most((3, 5), 9), at_most((2, 3), 10)
    (5, 4, 5, 6)
    """
    part, whole = share
    return -(-part * games // whole)


def at_most(share: tuple[int, int], games: int) -> int:
    """Return a share of the opponents as the largest number, rounded down [1.4.4]."""
    part, whole = share
    return part * games // whole


def average(ratings: Sequence[float], floor: float) -> int:
    """Return R_a, the lowest rating alone raised to the floor [1.4.6c, 1.4.7].

    Examples
    --------
    >>> average([2500, 2400, 2000, 2100], 2200)
    2300
    """
    if not ratings:
        raise UsageError("expected at least one opponent")
    ordered = sorted(ratings)
    ordered[0] = max(ordered[0], floor)
    return math.floor(math.fsum(ordered) / len(ordered) + 0.5 + NOISE)


def percent(score: float, games: int) -> int:
    """Return a score in whole per cent, halves upwards [1.4.9].

    Examples
    --------
    >>> percent(6.5, 9), percent(5, 8)
    (72, 63)
    """
    return math.floor(100 * score / games + 0.5 + NOISE)


def performance(R_a: int, score: float, games: int) -> int:
    """Return R_p = R_a + d_p [1.4.8, 1.4.9].

    Examples
    --------
    >>> performance(2434, 6.5, 9), performance(2600, 3.5, 9)
    (2600, 2520)
    """
    p = percent(score, games)
    return R_a + (TABLE_DP[p - 50] if p >= 50 else -TABLE_DP[50 - p])


def enough(R_a: int, score: float, games: int, level: Level, rules: NormRules) -> bool:
    """Say whether a score is enough: the performance [1.4.8] and the least score [1.4.8b]."""
    return (
        performance(R_a, score, games) >= level.performance
        and percent(score, games) >= rules.least_percent
    )


def score_needed(R_a: int, games: int, level: Level, rules: NormRules) -> float | None:
    """Return the smallest score for a norm against an average, or None if there is none.

    Examples
    --------
    >>> from arpad.event.norm_rules import TODAY
    >>> score_needed(2460, 9, TODAY.level("GM"), TODAY)
    6.5
    >>> score_needed(2379, 9, TODAY.level("GM"), TODAY)
    """
    if R_a < level.average:
        return None
    for halves in range(2 * games + 1):
        if enough(R_a, halves / 2, games, level, rules):
            return halves / 2
    return None
