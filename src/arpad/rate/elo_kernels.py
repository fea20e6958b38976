"""Elo's formula on arrays, compiled by Numba, with or without a trace."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from arpad.rate.elo_reference import LINEAR, LOGISTIC, LOOKUP, NORMAL, SMOOTH

# `reference.rate` on arrays, compiled by Numba: tens of millions of games a second.
#
# Two loops: `each_game` updates after every game, `each_period` collects a period's changes first. Both
# change `ratings`, `played` and `topped` in place. No explicit signatures: those compile at import.


@njit(cache=True, nogil=True, inline="always")
def _expected(D, code, c):
    if code == LOGISTIC:
        return 1.0 / (1.0 + math.exp(-D * c[0]))
    if code == NORMAL:
        return 0.5 * math.erfc(-D * c[0])
    if code == LINEAR:
        return 0.5 + min(max(D, -c[1]), c[1]) * c[0]
    if code == LOOKUP:
        whole = math.floor(D + 0.5)
        high = c[min(int(abs(whole)), c.shape[0] - 1)]
        return high if whole >= 0 else 1.0 - high
    size = abs(D)
    if code == SMOOTH:
        size = min(size, c.shape[0] - 1.0)
        low = min(int(size), c.shape[0] - 2)
        high = c[low] + (size - low) * (c[low + 1] - c[low])
    elif size <= 150:
        high = 0.6 - math.sqrt((150 - size) / 15000)
    elif size <= 450:
        high = 0.001 * size + 0.45
    else:
        high = 0.9 + math.sqrt((min(size, 1800.0) - 450) / 135000)
    return high if D >= 0 else 1.0 - high


@njit(cache=True, nogil=True, inline="always")
def _level(rating, played, topped, bounds, new_games, permanent):
    """Return which of `KPolicy.levels` K is."""
    if permanent and topped:
        return 0
    if played < new_games:
        return 1
    i = 0
    while rating >= bounds[i]:
        i += 1
    return 2 + i


RATING, OPPONENT, EXPECTED, LEVEL, CHANGE = range(5)
"""Columns of `sides`, which has two rows a game, White's and Black's; without rows nothing is written."""


@njit(cache=True, nogil=True, inline="always")
def _write(sides, row, rating, opponent, expected, level, change):
    sides[row, RATING] = rating
    sides[row, OPPONENT] = opponent
    sides[row, EXPECTED] = expected
    sides[row, LEVEL] = level
    sides[row, CHANGE] = change


FAR = 40.0
"""Beyond e^±40 an expected score is 0 or 1 to the last bit of any change."""
STEPS = 16
"""Steps of the table of powers for each doubling: between them seven terms of the series are enough."""
_MOST = int(FAR * STEPS / math.log(2)) + 2
_POWERS = np.exp2(np.arange(-_MOST, _MOST + 1) / STEPS)
_PER_STEP, _MIDDLE = STEPS / math.log(2), _MOST + 0.5


# ln 2/16 in two parts, the first with so few bits that its multiples are exact.
_HIGH, _LOW = 6.93147180369123816490e-01 / STEPS, 1.90821492927058770002e-10 / STEPS


@njit(cache=True, nogil=True, inline="always")
def _e_to(x):
    """Return e^x within 3 units of the last place; beyond ±`FAR`, e^±`FAR`. It is faster than a call."""
    if x != x:  # noqa: PLR0124 - not a number: there is no place in the table for it
        return x
    y = min(FAR, max(-FAR, x))
    i = np.uint64(y * _PER_STEP + _MIDDLE)
    n = np.float64(i) - _MOST
    r = (y - n * _HIGH) - n * _LOW
    q = r * r
    last = q * (1 / 720 + r * (1 / 5040))
    return _POWERS[i] * ((1.0 + r) + q * ((0.5 + r * (1 / 6)) + q * ((1 / 24 + r * (1 / 120)) + last)))


AHEAD = 8
"""Games ahead whose ratings are fetched: while one game is rated the next ones' come out of memory."""


@njit(cache=True, nogil=True, fastmath={"contract"})
def each_game_simple(white, black, score, ratings, played, slope, k):
    """Logistic curve, one K: the common case, with nothing else in the loop.

    Returns the highest rating that was fetched ahead, so that no compiler leaves the fetching out.
    """
    games, seen = white.shape[0], 0.0
    for g in range(games):
        soon = min(g + AHEAD, games - 1)
        seen = max(seen, ratings[np.uint32(white[soon])])
        seen = max(seen, ratings[np.uint32(black[soon])])
        w, b = np.uint32(white[g]), np.uint32(black[g])
        change = k * (score[g] - 1.0 / (1.0 + _e_to((ratings[b] - ratings[w]) * slope)))
        ratings[w] += change
        ratings[b] -= change
        played[w] += 1
        played[b] += 1
    return seen


@njit(cache=True, nogil=True)
def each_game(
    white, black, score, ratings, played, topped, code, c, bounds, levels, new_games, permanent, sides
):
    """Update both players after every game."""
    top = bounds[-2] if bounds.shape[0] > 1 else -math.inf
    told = sides.shape[0] > 0
    for g in range(white.shape[0]):
        w, b = white[g], black[g]
        R_w, R_b = ratings[w], ratings[b]
        E = _expected(R_w - R_b, code, c)
        l_w = _level(R_w, played[w], topped[w], bounds, new_games, permanent)
        l_b = _level(R_b, played[b], topped[b], bounds, new_games, permanent)
        d_w, d_b = levels[l_w] * (score[g] - E), levels[l_b] * (score[g] - E)
        if told:
            _write(sides, 2 * g, R_w, R_b, E, l_w, d_w)
            _write(sides, 2 * g + 1, R_b, R_w, 1.0 - E, l_b, -d_b)
        R_w += d_w
        R_b -= d_b
        ratings[w], ratings[b] = R_w, R_b
        played[w] += 1
        played[b] += 1
        if R_w >= top:
            topped[w] = True
        if R_b >= top:
            topped[b] = True


@njit(cache=True, nogil=True)
def each_period(
    white, black, score, period, ratings, played, topped, code, c, bounds, levels, new_games, permanent, sides
):
    """Rate a period's games from the ratings before it; then update everybody at once."""
    top = bounds[-2] if bounds.shape[0] > 1 else -math.inf
    told = sides.shape[0] > 0
    n = white.shape[0]
    pending = np.zeros(ratings.shape[0])
    counted = np.zeros(ratings.shape[0], dtype=np.int64)
    start = 0
    while start < n:
        stop = start
        while stop < n and period[stop] == period[start]:
            w, b = white[stop], black[stop]
            R_w, R_b = ratings[w], ratings[b]
            E = _expected(R_w - R_b, code, c)
            l_w = _level(R_w, played[w], topped[w], bounds, new_games, permanent)
            l_b = _level(R_b, played[b], topped[b], bounds, new_games, permanent)
            d_w, d_b = levels[l_w] * (score[stop] - E), levels[l_b] * (score[stop] - E)
            if told:
                _write(sides, 2 * stop, R_w, R_b, E, l_w, d_w)
                _write(sides, 2 * stop + 1, R_b, R_w, 1.0 - E, l_b, -d_b)
            pending[w] += d_w
            pending[b] -= d_b
            counted[w] += 1
            counted[b] += 1
            stop += 1
        for g in range(start, stop):
            for side in range(2):
                p = white[g] if side == 0 else black[g]
                if counted[p] > 0:
                    ratings[p] += pending[p]
                    played[p] += counted[p]
                    if ratings[p] >= top:
                        topped[p] = True
                    pending[p] = 0.0
                    counted[p] = 0
        start = stop
