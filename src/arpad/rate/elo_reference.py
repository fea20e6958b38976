"""Elo's formula game by game: the readable reference of the kernels, and the spread that chance causes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from arpad.errors import UsageError
from arpad.scale import TABLE_DP, Curve, Linear, Logistic, Normal, PraCurve, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from arpad.rate.k import KPolicy


# Curves as the kernels need them: a number for the curve, and its constants in one array.
#
# `plain` is the readable counterpart: an ordinary function of an ordinary number.

LOGISTIC, NORMAL, LINEAR, LOOKUP, SMOOTH, PRA = range(6)
LOOKUP_SIZE = TABLE_DP[-1] + 1


def coded(curve: Curve) -> tuple[int, NDArray[np.float64]]:
    """Return the number of a curve and its constants."""
    if isinstance(curve, Logistic):
        return LOGISTIC, np.array([math.log(10) / (2 * curve.class_interval)])
    if isinstance(curve, Normal):
        return NORMAL, np.array([1 / (2 * curve.class_interval)])
    if isinstance(curve, Linear):
        return LINEAR, np.array([1 / (4 * curve.class_interval), curve.cap])
    if isinstance(curve, Table):
        whole = np.arange(LOOKUP_SIZE, dtype=np.float64)
        return (SMOOTH if curve.interpolate else LOOKUP), np.asarray(curve.expected(whole))
    if isinstance(curve, PraCurve):
        return PRA, np.zeros(1)
    raise UsageError(f"the {curve.name} curve measures ratios: a rating by differences cannot use it")


def plain(curve: Curve) -> Callable[[float], float]:
    """Return ``expected`` as a function of one float, ten times as fast as the vectorised one."""
    code, constants = coded(curve)
    c = constants.tolist()
    if code == LOGISTIC:
        return lambda D: 0.5 + 0.5 * math.tanh(D * c[0] / 2)
    if code == NORMAL:
        return lambda D: 0.5 * math.erfc(-D * c[0])
    if code == LINEAR:
        return lambda D: 0.5 + min(max(D, -c[1]), c[1]) * c[0]
    if code == LOOKUP:
        return lambda D: _look_up(math.floor(D + 0.5), c)
    if code == SMOOTH:
        return lambda D: _between(D, c)
    return _pra


def _look_up(D: int, table: list[float]) -> float:
    high = table[min(abs(D), len(table) - 1)]
    return high if D >= 0 else 1 - high


def _between(D: float, table: list[float]) -> float:
    size = min(abs(D), len(table) - 1)
    low = min(int(size), len(table) - 2)
    high = table[low] + (size - low) * (table[low + 1] - table[low])
    return high if D >= 0 else 1 - high


def _pra(D: float) -> float:
    size = abs(D)
    if size <= 150:
        high = 0.6 - math.sqrt((150 - size) / 15000)
    elif size <= 450:
        high = 0.001 * size + 0.45
    else:
        high = 0.9 + math.sqrt((min(size, 1800) - 450) / 135000)
    return high if D >= 0 else 1 - high


# Elo's formula (2), R_n = R_o + K (W − W_e), game by game: the readable reference.
#
# `kernels` does the same on arrays; a property test says that they agree. Small inputs are rated here, so
# that nobody waits for a compiler.


class EloStep(NamedTuple):
    """One player's side of one game.

    A tuple rather than a dataclass: a list has a million of them.
    """

    game: int
    player: int
    opponent: int
    rating: float
    opponent_rating: float
    score: float
    expected: float
    k: float
    change: float
    level: int
    """The policy's reason for this K, one of its `reasons`."""


def rate(
    games: Iterable[tuple[int, int, float]],
    ratings: list[float],
    played: list[int],
    *,
    curve: Curve,
    k: KPolicy,
    periods: Sequence[int] | None = None,
    topped: list[bool] | None = None,
) -> Iterator[EloStep]:
    """Yield each player's side of each game; `ratings`, `played` and `topped` change along the way.

    Parameters
    ----------
    games
        ``(white, black, white's score)`` in order.
    ratings, played
        Rating and number of games of each player, before; after the last step, afterwards.
    periods
        The number of each game's period, rising; without it every game is a period of its own.
    topped
        Who has reached the last tier of K before; without it, who is there now.
    """
    expected, levels = plain(curve), k.levels
    if topped is None:
        topped = [rating >= k.top for rating in ratings]
    pending: dict[int, float] = {}
    counted: dict[int, int] = {}
    now: int | None = None

    def close() -> None:
        for player, change in pending.items():
            ratings[player] += change
            played[player] += counted[player]
            topped[player] = topped[player] or ratings[player] >= k.top
        pending.clear()
        counted.clear()

    for number, (white, black, score) in enumerate(games):
        period = number if periods is None else periods[number]
        if period != now:
            close()
            now = period
        e = expected(ratings[white] - ratings[black])
        for player, opponent, s, w in ((white, black, score, e), (black, white, 1 - score, 1 - e)):
            mine = ratings[player]
            level = k.level(mine, played[player], topped[player])
            weight = levels[level]
            change = weight * (s - w)
            yield EloStep(number, player, opponent, mine, ratings[opponent], s, w, weight, change, level)
            pending[player] = pending.get(player, 0.0) + change
            counted[player] = counted.get(player, 0) + 1
    close()


# How far chance alone moves a rating: one standard deviation, for any K.

GAME_VARIANCE = 0.25
"""σ² of one game's score between equals without draws; draws make it smaller [Elo 8.95]."""
MANY = 10_000


def slope(curve: Curve) -> float:
    """Return how much expected score one rating point is worth between equals."""
    return (float(curve.expected(25.0)) - float(curve.expected(-25.0))) / 50


def chance_spread(
    k: NDArray[np.float64],
    games: NDArray[np.int64],
    newcomer: NDArray[np.float64],
    curve: Curve,
    *,
    steepness: float | None = None,
) -> NDArray[np.float64]:
    """Return one standard deviation of each rating, from chance in the results alone.

    Each game pulls a rating back towards the truth by the share K·s, s being the slope of the curve,
    and adds chance of variance K²σ². After n games, with a = 1 − K·s:

        Var = K²σ² (1 − a²ⁿ) / (1 − a²) + a²ⁿ · newcomer²

    Parameters
    ----------
    newcomer
        Standard deviation of what was not known at the start: 0 for a rating that was given.
    steepness
        s, where the slope between equals is not typical of the games.
    """
    s = slope(curve) if steepness is None else steepness
    kept = np.clip(1 - k * s, 0.0, 1.0) ** 2
    left = kept ** np.minimum(games, MANY)
    with np.errstate(divide="ignore", invalid="ignore"):
        chance = k**2 * GAME_VARIANCE * (1 - left) / (1 - kept)
    return np.asarray(np.sqrt(np.where(kept < 1, chance, 0.0) + left * newcomer**2))
