"""The same as `arpad_game`, compiled, over many games: a test says that both agree."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from numba import njit

from arpad.rate.arpad_constants import LEVEL, LEVELS
from arpad.rate.arpad_game import (
    LEAST_CHANCE,
    LEAST_DRAWS,
    LEAST_SHARE,
    MOST_DRAWS,
    YEAR,
    Q,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["foretell", "rate_games"]

LOWEST, HIGHEST = LEVELS


@njit(cache=True, error_model="numpy")
def _slope(level: float) -> Any:
    return min(HIGHEST, max(LOWEST, (level - LEVEL) / 100.0))


@njit(cache=True, error_model="numpy")
def _aged(c: Any, rating: float, variance: float, days: float) -> Any:
    share = max(LEAST_SHARE, 1.0 + c[1] * _slope(rating))
    return max(c[2] * c[2], variance + c[0] * c[0] * share * max(0.0, days) / YEAR)


@njit(cache=True, error_model="numpy")
def _forecast(c: Any, white: float, black: float, variance: float) -> Any:
    level = _slope((white + black) / 2.0)
    flat = 1.0 / math.sqrt(1.0 + 3.0 * Q * Q * c[7] * variance / math.pi**2)
    steep = Q * flat * c[5] * max(LEAST_SHARE, 1.0 + c[6] * level)
    D = white - black + c[3] + c[4] * level
    return 1.0 / (1.0 + math.exp(-min(500.0, max(-500.0, steep * D)))), steep


@njit(cache=True, error_model="numpy")
def _learnt(c: Any, rating: float, games: int) -> Any:
    return c[11] * max(LEAST_SHARE, 1.0 + c[12] * _slope(rating)) * math.exp(-games / c[13])


@njit(cache=True, error_model="numpy")
def rate_games(
    c: Any, white: Any, black: Any, score: Any, day: Any,
    start: float, start_variance: float, below: float,
    rating: NDArray[np.float64], variance: Any, games: Any, last: Any, sides: Any,
) -> None:  # fmt: skip
    """Rate games in their order; everybody's standing changes in the arrays.

    A rating that is NaN is a newcomer's; a day below 0 is not known. `sides` has two rows a game (rating,
    opponent's, expected, K, by result, by meeting, by practice), or none where nobody asks.
    """
    for i in range(len(score)):
        w, b = white[i], black[i]
        new_w, new_b = math.isnan(rating[w]), math.isnan(rating[b])
        if new_w:
            rating[w] = start if new_b else rating[b] - below
            variance[w] = start_variance
        if new_b:
            rating[b] = start if new_w else rating[w] - below
            variance[b] = start_variance
        known = day[i] >= 0
        d_w = float(day[i] - last[w]) if known and last[w] >= 0 else 0.0
        d_b = float(day[i] - last[b]) if known and last[b] >= 0 else 0.0
        v_w, v_b = _aged(c, rating[w], variance[w], d_w), _aged(c, rating[b], variance[b], d_b)
        if known:
            last[w] = last[b] = day[i]
        R_w, R_b = rating[w], rating[b]
        E, steep = _forecast(c, R_w, R_b, v_w + v_b)
        chance = max(LEAST_CHANCE, E * (1.0 - E))
        draws = min(MOST_DRAWS, max(LEAST_DRAWS, c[8] + c[9] * _slope((R_w + R_b) / 2.0)))
        rise = steep * chance
        total = chance * (1.0 - draws) + rise * rise * (v_w + v_b)
        K_w, K_b = v_w * rise / total, v_b * rise / total
        rating[w] += K_w * (score[i] - E)
        rating[b] -= K_b * (score[i] - E)
        v_w *= 1.0 - K_w * rise
        v_b *= 1.0 - K_b * rise
        apart = rating[b] - rating[w]
        whole = v_w + v_b + c[10] * c[10]
        near_w, near_b = v_w / whole * apart, -v_b / whole * apart
        learnt_w = _learnt(c, rating[w], games[w])
        learnt_b = _learnt(c, rating[b], games[b])
        rating[w] += near_w + learnt_w
        rating[b] += near_b + learnt_b
        variance[w], variance[b] = v_w, v_b
        games[w] += 1
        games[b] += 1
        if len(sides):
            sides[2 * i] = (R_w, R_b, E, K_w, K_w * (score[i] - E), near_w, learnt_w)
            sides[2 * i + 1] = (R_b, R_w, 1.0 - E, K_b, -K_b * (score[i] - E), near_b, learnt_b)


@njit(cache=True, error_model="numpy")
def foretell(
    c: Any, evidence: float, white: Any, black: Any, day: Any, given_white: Any, given_black: Any,
    start: float, start_variance: float, below: float, rating: Any, variance: Any, last: Any,
    difference: Any, expected: Any,
) -> None:  # fmt: skip
    """Foretell games from everybody's standing; nothing of it changes.

    `evidence` is the weight that a rating in the source has beside our own.
    """
    for i in range(len(white)):
        w, b = white[i], black[i]
        new_w, new_b = math.isnan(rating[w]), math.isnan(rating[b])
        R_w = (start if new_b else rating[b] - below) if new_w else rating[w]
        R_b = (start if new_w else rating[w] - below) if new_b else rating[b]
        v_w = start_variance if new_w else variance[w]
        v_b = start_variance if new_b else variance[b]
        if day[i] >= 0:
            v_w = _aged(c, R_w, v_w, float(day[i] - last[w]) if last[w] >= 0 else 0.0)
            v_b = _aged(c, R_b, v_b, float(day[i] - last[b]) if last[b] >= 0 else 0.0)
        if evidence > 0.0 and not math.isnan(given_white[i]):
            R_w += evidence * (given_white[i] - R_w)
        if evidence > 0.0 and not math.isnan(given_black[i]):
            R_b += evidence * (given_black[i] - R_b)
        difference[i] = R_w - R_b
        expected[i] = _forecast(c, R_w, R_b, v_w + v_b)[0]
