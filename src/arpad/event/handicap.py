"""Handicaps from ratings: Brasket's rating points, the tables for tournaments, whether to handicap at all [Elo 3.9].

A handicap brings players of unequal strength within reach of each other. `match_handicap` has that of a match, `handicap_field` that of
whole fields, and `handicap_standings` ranks an event with it.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from arpad.errors import UsageError
from arpad.event.handicap_tables import (
    ROUND_ROBIN,
    ROUND_ROBIN_LEVELS,
    ROUND_ROBIN_PLAYERS,
    SWISS,
    SWISS_LEVELS,
    SWISS_ROUNDS,
)
from arpad.event.unrated import expected_in_round_robin
from arpad.scale import CLASS_INTERVAL

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "SHARE",
    "Advice",
    "Scratch",
    "brasket",
    "round_robin_points",
    "scratch_rating",
    "swiss_points",
    "worth_a_handicap",
]

Scratch = Literal["top", "top-three"]
"""The rating that gets no handicap: the highest, or the average of the three highest [3.95, 3.98]."""

SHARE = 0.8
"""The share of the distance to scratch that Brasket's handicap gives [3.93]."""


def brasket(rating: float, performance: float, scratch: float, *, share: float = SHARE) -> float:
    """Return Brasket's handicap score: the performance rating plus a share of the way to scratch [3.93].

    R_p + share (scratch − R); whoever is rated above scratch gets nothing and gives nothing.

    Examples
    --------
    >>> brasket(1900, 2050, 2200)
    2290.0
    """
    _check_ratings((rating, performance, scratch))
    if not 0 <= share <= 1:
        raise UsageError(f"expected a share from 0 to 1 of the way to scratch, found {share!r}")
    return performance + share * max(scratch - rating, 0.0)


def round_robin_points(level: float, players: int) -> float:
    """Return the handicap points of table 3.96 for somebody `level` points below scratch.

    The printed values belong to the lower limits of the rows; between them, and between 20 and 22 players, it is
    interpolated and rounded to a tenth [3.95]. From 326 points on the last row holds.

    Examples
    --------
    >>> round_robin_points(165, 16), round_robin_points(225, 16)
    (1.6, 2.9)
    """
    _check_ratings((level,))
    if not ROUND_ROBIN_PLAYERS[0] <= players <= ROUND_ROBIN_PLAYERS[-1]:
        raise UsageError(
            f"expected 10 to 22 participants, as table 3.96 has them, found {players}: "
            "the method 'expected' needs no table"
        )
    if level < ROUND_ROBIN_LEVELS[0]:
        return 0.0
    at = bisect_right(ROUND_ROBIN_PLAYERS, players) - 1
    beyond = players - ROUND_ROBIN_PLAYERS[at]
    column = [row[at] for row in ROUND_ROBIN]
    if beyond:
        step = ROUND_ROBIN_PLAYERS[at + 1] - ROUND_ROBIN_PLAYERS[at]
        column = [a + (row[at + 1] - a) * beyond / step for a, row in zip(column, ROUND_ROBIN, strict=True)]  # fmt: skip
    return _tenths(_between(level, ROUND_ROBIN_LEVELS, column))


def swiss_points(level: float, rounds: int) -> float:
    """Return the handicap points of table 3.99, as printed, for somebody `level` points below scratch.

    Examples
    --------
    >>> swiss_points(200, 9), swiss_points(433, 9), swiss_points(1200, 9)
    (0.0, 1.6, 3.9)
    """
    _check_ratings((level,))
    if rounds not in SWISS_ROUNDS:
        raise UsageError(
            f"expected 5 to 12 rounds, as table 3.99 has them, found {rounds}: "
            "the method 'brasket' needs no table"
        )
    row = bisect_right(SWISS_LEVELS, math.floor(level + 0.5)) - 1
    return SWISS[row][SWISS_ROUNDS.index(rounds)] if row >= 0 else 0.0


def scratch_rating(ratings: Sequence[float], rule: Scratch = "top") -> float:
    """Return the rating that gets no handicap.

    Examples
    --------
    >>> scratch_rating([2470, 2635, 2600, 2615]), scratch_rating([2470, 2635, 2600, 2615], "top-three")
    (2635.0, 2616.6666666666665)
    """
    if not ratings:
        raise UsageError("expected at least one rating to measure a handicap from, found none")
    _check_ratings(ratings)
    best = sorted(ratings, reverse=True)[: 3 if rule == "top-three" else 1]
    return math.fsum(best) / len(best)


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """Whether a round robin of given ratings calls for a handicap, and why."""

    players: int
    games: int
    """Of each player."""
    average: float
    top: float
    lowest: float
    expected_top: float
    expected_lowest: float
    sigma: float
    """Standard deviation of a score in so many games between equals, ½√N."""

    @property
    def difference(self) -> float:
        """The expected score of the highest rated less that of the lowest rated."""
        return self.expected_top - self.expected_lowest

    @property
    def handicap(self) -> bool:
        """Say whether the expected scores differ by more than one standard deviation."""
        return self.difference > self.sigma

    def summary(self) -> str:
        """Return one sentence."""
        word = "a handicap is worth considering" if self.handicap else "no handicap is needed"
        span = self.top - self.lowest
        return (
            f"{word}: ratings from {self.lowest:.0f} to {self.top:.0f} ({span / CLASS_INTERVAL:.1f} class intervals), "
            f"expected scores from {self.expected_lowest:.2f} to {self.expected_top:.2f} of {self.games}, "
            f"{self.difference:.2f} apart; one standard deviation is {self.sigma:.2f}"
        )


def worth_a_handicap(ratings: Sequence[float], *, times: int = 1) -> Advice:
    """Say whether a round robin, played so many times over, calls for a handicap [3.95].

    It does where the expected scores of the highest and the lowest rated, W_e = k(PM − ½) by (8) and table 2.11,
    differ by more than the standard deviation of a score.

    Examples
    --------
    >>> worth_a_handicap([2100, 2090, 2080, 2070]).handicap
    False
    """
    _check_ratings(ratings)
    M = len(ratings)
    if M < 2 or times < 1:
        raise UsageError(f"expected two ratings or more, found {M}, to compare in {times} rounds")
    R_a = math.floor(math.fsum(ratings) / M + 0.5)
    N = times * (M - 1)

    def expected(rating: float) -> float:
        return min(max(expected_in_round_robin(rating - R_a, M, cycles=times), 0.0), float(N))

    top, lowest = max(ratings), min(ratings)
    return Advice(
        players=M,
        games=N,
        average=math.fsum(ratings) / M,
        top=top,
        lowest=lowest,
        expected_top=expected(top),
        expected_lowest=expected(lowest),
        sigma=math.sqrt(N) / 2,
    )


def _check_ratings(values: Sequence[float]) -> None:
    if not all(math.isfinite(value) for value in values):
        raise UsageError("expected ratings that are numbers, found one that is none")


def _between(x: float, places: Sequence[float], values: Sequence[float]) -> float:
    """Interpolate between the places; beyond the last one its value holds."""
    at = bisect_right(places, x) - 1
    if at + 1 == len(places):
        return values[at]
    share = (x - places[at]) / (places[at + 1] - places[at])
    return values[at] + share * (values[at + 1] - values[at])


def _tenths(value: float) -> float:
    # The inner rounding removes the noise of binary fractions before halves go upwards.
    return math.floor(round(10 * value, 9) + 0.5) / 10
