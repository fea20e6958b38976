"""Rules of Elo's procedure: new players, exceptional performances, small samples."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal

import numpy as np

from arpad.errors import UsageError
from arpad.rate.elo_reference import plain
from arpad.rate.k import sigma_p
from arpad.scale import TABLE_DP, Curve, Table, indicated_difference

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    Sides = Mapping[int, Sequence[tuple[int, float]]]

# Exceptional performances: the z–M test, the bonus, the feedback [Elo 3.62–3.64, 3.74, 3.75].

LEVELS = (0.10, 0.05, 0.01)
"""The criteria of table 3.64."""
MOST_K = 50.0
"""No K is raised above this, the largest that the book uses [3.32]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ZM:
    """Result of the z–M test of one performance.

    `excess` is W − W_e in game points, `z` the same in units of σ = ½√N, `probability` how often chance
    alone gives as much or more.
    """

    excess: float
    games: int
    sigma: float
    z: float
    probability: float
    needed: float
    """The excess from which a performance is exceptional at `level`."""
    level: float

    @property
    def exceptional(self) -> bool:
        """Say whether the performance is exceptional at the level asked for."""
        return self.z > 0 and round(self.probability - self.level, 12) <= 0

    @property
    def significance(self) -> float | None:
        """The strictest level of table 3.64 that it passes: .01, .05, .10, or None."""
        return next((p for p in sorted(LEVELS) if self.z > 0 and self.probability <= p), None)


def excess_needed(games: int, level: float = 0.05) -> float:
    """Return the W − W_e from which chance alone is less probable than `level` [3.64].

    z(level) · ½√N, one-sided: only scores above expectation are looked for.

    Examples
    --------
    >>> round(excess_needed(9, 0.05), 2), round(excess_needed(12, 0.01), 2)
    (2.47, 4.03)
    """
    _check(games, level)
    return NormalDist().inv_cdf(1 - level) * math.sqrt(games) / 2


def zm_test(W: float, W_e: float, games: int, *, level: float = 0.05) -> ZM:
    """Test whether a performance is exceptionally above expectation.

    Parameters
    ----------
    W, W_e
        Score and expected score.
    games
        N. σ is taken as ½√N as in table 3.64; it is less between unequal players or with draws, so
        that the test is rather too slow than too quick.
    level
        How improbable a performance must be: the book has .10, "better yet" .05, and .01.

    Examples
    --------
    >>> found = zm_test(7.5, 4.5, 9)
    >>> found.z, round(found.probability, 3), found.exceptional, found.significance
    (2.0, 0.023, True, 0.05)
    """
    _check(games, level)
    if not (math.isfinite(W) and math.isfinite(W_e)):
        raise UsageError(f"expected a score and an expected score, found {W!r} and {W_e!r}")
    sigma = math.sqrt(games) / 2
    z = (W - W_e) / sigma
    return ZM(
        excess=W - W_e,
        games=games,
        sigma=sigma,
        z=z,
        probability=0.5 * math.erfc(z / math.sqrt(2)),
        needed=excess_needed(games, level),
        level=level,
    )


def bonus_points(R_n: float, R_p: float, games: int, *, tolerance: float = 1.0) -> float:
    """Return what brings a new rating within one standard deviation of the performance [3.74].

    Parameters
    ----------
    tolerance
        How many σ_p the rating may stay below R_p: 1 by 3.74, 1.5 by (30).

    Examples
    --------
    >>> round(bonus_points(1845, 1996, 9), 1), bonus_points(1950, 1996, 9)
    (56.7, 0.0)
    """
    return max(0.0, R_p - tolerance * sigma_p(games) - R_n)


def raised_k(K: float, R_o: float, R_p: float, excess: float, games: int, *, tolerance: float = 1.0) -> float:
    """Return the smallest K, from the usual one up to 50, that reaches the target of 3.74.

    Examples
    --------
    >>> round(raised_k(15, 1800, 1996, 3.0, 9), 1)
    33.9
    """
    if excess <= 0:
        return K
    target = R_p - tolerance * sigma_p(games)
    return max(K, min(MOST_K, (target - R_o) / excess))


def feedback_points(K: float, W: float, W_e: float, games: int) -> float:
    """Return K (W − W_e) / N: what each opponent of an exceptional performer gets back a game [3.75].

    Parameters
    ----------
    K
        The opponent's.
    W, W_e, games
        The performer's.

    Examples
    --------
    >>> feedback_points(15, 7.5, 4.5, 9)
    5.0
    """
    _check(games, 0.05)
    return K * max(0.0, W - W_e) / games


def _check(games: int, level: float) -> None:
    if games < 1:
        raise UsageError(f"expected at least one game, found {games!r}")
    if not 0.5 < 1 - level < 1:  # also of a level too small to take from 1
        raise UsageError(f"expected a level between 0 and .5, such as .05; found {level!r}")


# Table 8.85: the factor F by which a difference from few games is reduced.

GAMES = (5, 7, 9, 11, 13, 15, 17)
DIFFERENCES = (50, 100, 150, 200, 250, 300, 350, 400)
FACTORS = (
    (0.96, 0.91, 0.85, 0.78, 0.71, 0.64, 0.57, 0.51),
    (0.96, 0.92, 0.86, 0.80, 0.73, 0.66, 0.59, 0.53),
    (0.97, 0.93, 0.87, 0.82, 0.75, 0.68, 0.61, 0.55),
    (0.97, 0.94, 0.89, 0.84, 0.77, 0.71, 0.64, 0.57),
    (0.98, 0.94, 0.89, 0.85, 0.78, 0.72, 0.65, 0.59),
    (0.99, 0.95, 0.90, 0.85, 0.80, 0.73, 0.67, 0.60),
    (0.99, 0.95, 0.90, 0.86, 0.81, 0.74, 0.68, 0.61),
)
"""F by number of games (rows) and |D_p| (columns), as printed; no formula gives it."""
ENOUGH = 30
"""From thirty games on F is 1 [2.59, 8.86]."""


@lru_cache(maxsize=4096)  # a season asks for the same few hundred again and again
def small_sample_factor(games: int, D_p: float) -> float:
    """Return F, interpolated in games and in |D_p|.

    Below the table's first column F runs to 1 at D_p = 0, behind its last row to 1 at thirty games;
    beyond its other edges the last value holds.

    Examples
    --------
    >>> small_sample_factor(9, 200), small_sample_factor(8, 200)
    (0.82, 0.81)
    """
    columns = np.array([0, *DIFFERENCES], dtype=np.float64)
    rows = np.array([*GAMES, ENOUGH], dtype=np.float64)
    factors = np.array([[1.0, *row] for row in FACTORS] + [[1.0] * len(columns)])
    at_difference = [np.interp(abs(D_p), columns, row) for row in factors]
    return round(float(np.interp(games, rows, at_difference)), 12)


def small_sample_difference(games: int, D_p: float) -> float:
    """Return F · D_p [(70)]: below thirty games a D_p beyond the end of table 8.85, 400, counts as 400.

    So 100 % in five games is worth 204 points, not 800; from thirty games on it is worth 800.

    Examples
    --------
    >>> round(small_sample_difference(5, 800)), small_sample_difference(30, 800)
    (204, 800.0)
    """
    most = float(DIFFERENCES[-1]) if games < ENOUGH else FURTHEST
    D_p = min(max(D_p, -most), most)
    return D_p * small_sample_factor(games, D_p)


# New players: their first rating, from their first event [Elo 1.53–1.55, 1.67, 2.59, 3.33, 3.76].

Entry = Literal["performance", "median", "fide"]
"""Entry of a new player into the pool: at the performance rating of the first games [1.53, 3.71]; at the
median of the pool, and then by formula (2) [3.76]; at the average of the event with 50 % or more,
otherwise at the performance rating, as FIDE did [3.76].
"""
WIDE = 600.0
"""Spread of the opponents, in points, above which (1) gives way to the exact rating [1.55]."""
FURTHEST = float(TABLE_DP[-1])
"""D_p of 100 %, in points: (1) has none [1.54], FIDE's table says 800."""


def performance_rating(
    score: float, opponents: Sequence[float], *, curve: Curve | None = None, small_samples: bool = True
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
    if small_samples:
        return R_c + small_sample_difference(games, D_p)
    return R_c + min(max(D_p, -FURTHEST), FURTHEST)


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

    First from the games against rated players alone; a player who met none of them, from those who have
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
            math.fsum(s for _, s in met), [r for r, _ in met], curve=curve, small_samples=small_samples
        )

    known = dict(rated)
    waiting = sorted(new)
    while True:
        result = {p: R for p in waiting if (R := perform(p, known)) is not None}
        if not result:
            break
        known |= result
        waiting = [p for p in waiting if p not in result]
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
    return indicated_difference(P, curve)


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
