"""Norms of the U.S. Chess Federation as its committee proposed them in 1994 [USCF 1994, 2.2, 2.3].

A score makes a norm for a rating level when it exceeds what a player of that level is expected to score by
Δ, which grows with the root of the number of games.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.scale import Logistic

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "FEWEST_GAMES",
    "MOST_AT_ONCE",
    "RECOMMENDED_P",
    "Schedule",
    "expected_score",
    "expected_table",
    "norms_earned",
    "score_needed",
    "thresholds",
]

FEWEST_GAMES = 4
"""Games of an event in which norms can be earned [2.2, 2.3 rule 1]."""
MOST_AT_ONCE = 5
"""Norms that one event can earn: the schedule ends with the whole title [2.2]."""
RECOMMENDED_P = 27.0
"""P, in per cent [2.2]."""
DIGITS = 3
"""Decimals that the report gives of Δ / √n."""
LEAST_P, GREATEST_P = 0.001, 99.999


@dataclass(frozen=True, slots=True)
class Schedule:
    """How far a score must exceed the expected one: Δ = z √n / 2, z = Φ⁻¹(1 − (P/100)^k) [2.2].

    k norms at once are as unlikely for a player of just that level as k events with one norm each. A game is
    given the greatest variance that it can have, 1/4.

    Parameters
    ----------
    P
        In per cent: how often a player of just the level makes a norm by chance.
    exact
        Take z as it is. The report rounds z / 2 to three decimals and computes its figures from that.

    Examples
    --------
    >>> Schedule().coefficients
    (0.306, 0.727, 1.03, 1.277, 1.491)
    >>> [round(Schedule().delta(n), 3) for n in (4, 9)]
    [0.612, 0.918]
    """

    P: float = RECOMMENDED_P
    exact: bool = False
    coefficients: tuple[float, ...] = field(init=False)
    """Δ / √n for one norm, two, … five."""

    def __post_init__(self) -> None:
        if not LEAST_P <= self.P <= GREATEST_P:
            raise UsageError(
                f"expected P from {LEAST_P:g} to {GREATEST_P:g} per cent, found {self.P!r}: 27 is the report's"
            )
        z = [-NormalDist().inv_cdf((self.P / 100) ** k) for k in range(1, MOST_AT_ONCE + 1)]
        found = tuple(x / 2 if self.exact else round(x / 2, DIGITS) for x in z)
        object.__setattr__(self, "coefficients", found)

    def delta(self, games: int, norms: int = 1) -> float:
        """Return Δ, in points, for so many norms at once in an event of so many games."""
        if games < 1 or not 1 <= norms <= MOST_AT_ONCE:
            raise UsageError(
                f"expected at least one game and 1 to {MOST_AT_ONCE} norms, found {games} and {norms}"
            )
        return self.coefficients[norms - 1] * math.sqrt(games)

    def parameters(self) -> dict[str, object]:
        """Return the constants by name."""
        return {"P": self.P, "exact": self.exact, "coefficients": list(self.coefficients)}


def expected_score(level: float, opponents: Sequence[float]) -> float:
    """Return what a player of some rating is expected to score, by the USCF's winning expectancy.

    Examples
    --------
    >>> round(expected_score(1500, [1800, 1900, 2000, 2100]), 3)
    0.326
    """
    if not opponents:
        raise UsageError("expected at least one opponent")
    if not all(math.isfinite(rating) for rating in (level, *opponents)):
        raise UsageError(f"expected ratings, found {level!r} against {list(opponents)!r}")
    return math.fsum(Logistic().expected(level - np.array(opponents, dtype=np.float64)))


def thresholds(
    opponents: Sequence[float], level: float, schedule: Schedule | None = None
) -> tuple[float, ...]:
    """Return what a score must exceed for one norm, two, … five: the expected score and Δ.

    Examples
    --------
    >>> [round(x, 3) for x in thresholds([1800, 1900, 2000, 2100], 1500)]
    [0.938, 1.78, 2.386, 2.88, 3.308]
    """
    chosen, expected = schedule or Schedule(), expected_score(level, opponents)
    return tuple(
        expected + chosen.delta(len(opponents), norms) for norms in range(1, MOST_AT_ONCE + 1)
    )


def norms_earned(
    score: float, opponents: Sequence[float], level: float, schedule: Schedule | None = None
) -> int:
    """Return how many norms a score is worth toward the title of a level: 0 to 5, and 5 are the title.

    Fewer than four games earn nothing.

    Examples
    --------
    >>> norms_earned(3.5, [1800, 1900, 2000, 2100], 1700)
    4
    """
    games = len(opponents)
    if not 0 <= score <= games:
        raise UsageError(f"expected a score from 0 to {games} in {games} games, found {score!r}")
    if games < FEWEST_GAMES:
        return 0
    return sum(score > limit for limit in thresholds(opponents, level, schedule))


def score_needed(
    opponents: Sequence[float], level: float, norms: int = 1, schedule: Schedule | None = None
) -> float | None:
    """Return the smallest score, in half-points, that earns so many norms; None where none does.

    Examples
    --------
    >>> score_needed([1800, 1900, 2000, 2100], 2100), score_needed([1800, 1900, 2000, 2100], 2200)
    (3.5, 4.0)
    """
    games = len(opponents)
    if not 1 <= norms <= MOST_AT_ONCE:
        raise UsageError(f"expected 1 to {MOST_AT_ONCE} norms, found {norms}")
    if games < FEWEST_GAMES:
        return None
    above = thresholds(opponents, level, schedule)[norms - 1]
    if above < 0:
        return 0.0
    half_points = math.floor(2 * above) + 1  # strictly more than `above`
    return half_points / 2 if half_points <= 2 * games else None


def expected_table(
    opponents: Sequence[float],
    levels: Sequence[int],
    *,
    score: float | None = None,
    schedule: Schedule | None = None,
) -> pl.DataFrame:
    """Return each level's expected score and the scores that earn one norm to five [2.5].

    `norms_1` to `norms_5` are the least scores, null where none would do; with a score, `norms` is what it
    earns.
    """
    rows = []
    for level in levels:
        row: dict[str, object] = {"level": level, "expected": expected_score(level, opponents)}
        row |= {
            f"norms_{k}": score_needed(opponents, level, k, schedule)
            for k in range(1, MOST_AT_ONCE + 1)
        }
        if score is not None:
            row["norms"] = norms_earned(score, opponents, level, schedule)
        rows.append(row)
    return pl.DataFrame(rows, infer_schema_length=None)
