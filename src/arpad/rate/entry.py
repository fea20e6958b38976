"""New players: their first rating, from their first event [Elo 1.53–1.55, 1.67, 2.59, 3.33, 3.76]."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from arpad.errors import UsageError
from arpad.expectancy_table import TABLE_DP
from arpad.rate.expectancy import plain
from arpad.rate.small_samples import DIFFERENCES, ENOUGH, small_sample_factor
from arpad.scale import Curve, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    Sides = Mapping[int, Sequence[tuple[int, float]]]

__all__ = ["Entry", "fide_entry", "first_performances", "performance_rating"]

Entry = Literal["performance", "median", "fide"]
"""Where a new player enters the pool: at the performance rating of the first games [1.53, 3.71]; at the
median of the pool, and then by formula (2) [3.76]; at the average of the event with 50 % or more, else
at the performance rating, as FIDE did [3.76]."""

WIDE = 600.0
"""Spread of the opponents, in points, above which (1) gives way to the exact rating [1.55]."""

FURTHEST = float(TABLE_DP[-1])
"""D_p of 100 %, in points: (1) has none [1.54], FIDE's table says 800."""


def performance_rating(
    score: float,
    opponents: Sequence[float],
    *,
    curve: Curve | None = None,
    small_samples: bool = True,
) -> float:
    """Return R_p = R_c + F · D_p, always finite [(1), (70), 2.59].

    Against opponents more than 600 points apart D_p is that of the exact rating [1.55]. A D_p beyond
    the end of table 8.85, 400 points, counts as 400 where F applies: 100 % in five games is worth 204
    points, not 800; from thirty games on it is worth 800.

    Parameters
    ----------
    small_samples
        Apply the factor F of table 8.85, which is 1 from thirty games on.

    Examples
    --------
    >>> performance_rating(7.5, [1800.0] * 9, small_samples=False)
    2073.0
    >>> round(performance_rating(7.5, [1800.0] * 9))
    1996
    """
    games = len(opponents)
    if not games or not 0 <= score <= games:
        raise UsageError(f"expected a score in one game or more, found {score!r} in {games}")
    chosen = curve or Table()
    R_c = math.fsum(opponents) / games
    decided = 0 < score < games
    if decided and max(opponents) - min(opponents) > WIDE:
        D_p = _exact(score, opponents, chosen) - R_c
    else:
        D_p = _indicated(chosen, min(max(score / games, 0.0), 1.0))
    few = small_samples and games < ENOUGH
    most = float(DIFFERENCES[-1]) if few else FURTHEST
    D_p = min(max(D_p, -most), most)
    return R_c + D_p * (small_sample_factor(games, D_p) if few else 1.0)


def first_performances(
    new: Collection[int],
    sides: Sides,
    rated: Mapping[int, float],
    *,
    level: Callable[[], float],
    curve: Curve,
    small_samples: bool = True,
    second_cycle: bool = True,
) -> dict[int, float]:
    """Return the performance rating of every new player of one event.

    First from the games against rated players alone; whoever met none of them, from those who have
    been reached so far. Then, in a second cycle, from all games [1.67]. New players who met nobody
    but each other are rated around `level` [3.33].

    Parameters
    ----------
    sides
        Each player's ``(opponent, score)`` pairs.
    rated
        The ratings of the players who have one.
    level
        Says the average given to a group that nobody rated has met; asked only if there is one.
    """

    def perform(player: int, known: Mapping[int, float]) -> float | None:
        met = [(known[who], s) for who, s in sides[player] if who in known]
        if not met:
            return None
        return performance_rating(
            math.fsum(s for _, s in met),
            [r for r, _ in met],
            curve=curve,
            small_samples=small_samples,
        )

    known = dict(rated)
    waiting = sorted(new)
    while True:
        found = {p: R for p in waiting if (R := perform(p, known)) is not None}
        if not found:
            break
        known |= found
        waiting = [p for p in waiting if p not in found]
    middle = level() if waiting else 0.0
    stand_in = dict.fromkeys(waiting, middle)
    known |= {p: R for p in waiting if (R := perform(p, stand_in)) is not None}
    if second_cycle:
        known |= {p: R for p in new if (R := perform(p, known)) is not None}
    if waiting:
        # Cycles drift [3.41]: a group that stands alone is put back around its level.
        drift = math.fsum(known[p] for p in waiting) / len(waiting) - middle
        known |= {p: known[p] - drift for p in waiting}
    return {p: known[p] for p in new}


def fide_entry(score: float, games: int, *, average: float, performance: float) -> float:
    """Return where FIDE entered a new player: at the event's average with 50 % or more [3.76].

    Examples
    --------
    >>> fide_entry(6, 9, average=2250, performance=2375)
    2250
    >>> fide_entry(3, 9, average=2250, performance=2125)
    2125
    """
    return average if 2 * score >= games else performance


@lru_cache(maxsize=4096)  # few percentages come up in events
def _indicated(curve: Curve, P: float) -> float:
    return float(curve.difference(P))


def _exact(score: float, opponents: Sequence[float], curve: Curve) -> float:
    """Halve the interval until the expected score is the score."""
    # The printed table has steps, and few scores fall on one: join its points.
    expected = plain(Table(interpolate=True) if isinstance(curve, Table) else curve)
    low, high = min(opponents) - FURTHEST, max(opponents) + FURTHEST
    for _ in range(60):
        middle = (low + high) / 2
        if math.fsum(expected(middle - R) for R in opponents) < score:
            low = middle
        else:
            high = middle
    return (low + high) / 2
