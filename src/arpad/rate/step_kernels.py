"""`kernels` with everything on the way written down: one row a side of a game, compiled by Numba.

`sides` has two rows a game, White's and Black's, and the columns named below. The ratings come out the
same to the last bit; a property test says so. No explicit signatures: those compile at import.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from arpad.rate.kernels import _expected

__all__ = [
    "CHANGE",
    "EXPECTED",
    "LEVEL",
    "OPPONENT",
    "RATING",
    "each_game_written",
    "each_period_written",
]

RATING, OPPONENT, EXPECTED, LEVEL, CHANGE = range(5)
"""Columns of `sides`; `LEVEL` is that of `KPolicy.levels`."""


@njit(cache=True, nogil=True, inline="always")
def _level(rating, played, topped, bounds, new_games, permanent):
    if permanent and topped:
        return 0
    if played < new_games:
        return 1
    i = 0
    while rating >= bounds[i]:
        i += 1
    return 2 + i


@njit(cache=True, nogil=True, inline="always")
def _write(sides, row, rating, opponent, expected, level, change):
    sides[row, RATING] = rating
    sides[row, OPPONENT] = opponent
    sides[row, EXPECTED] = expected
    sides[row, LEVEL] = level
    sides[row, CHANGE] = change


@njit(cache=True, nogil=True)
def each_game_written(
    white,
    black,
    score,
    ratings,
    played,
    topped,
    code,
    c,
    bounds,
    ks,
    new_games,
    new_k,
    permanent,
    sides,
):
    """Update both players after every game."""
    top = bounds[-2] if bounds.shape[0] > 1 else -math.inf
    for g in range(white.shape[0]):
        w, b = white[g], black[g]
        R_w, R_b = ratings[w], ratings[b]
        E = _expected(R_w - R_b, code, c)
        surprise = score[g] - E
        l_w = _level(R_w, played[w], topped[w], bounds, new_games, permanent)
        l_b = _level(R_b, played[b], topped[b], bounds, new_games, permanent)
        d_w = (ks[-1] if l_w == 0 else new_k if l_w == 1 else ks[l_w - 2]) * surprise
        d_b = (ks[-1] if l_b == 0 else new_k if l_b == 1 else ks[l_b - 2]) * surprise
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
def each_period_written(
    white,
    black,
    score,
    period,
    ratings,
    played,
    topped,
    code,
    c,
    bounds,
    ks,
    new_games,
    new_k,
    permanent,
    sides,
):
    """Rate a period's games from the ratings before it; then update everybody at once."""
    top = bounds[-2] if bounds.shape[0] > 1 else -math.inf
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
            surprise = score[stop] - E
            l_w = _level(R_w, played[w], topped[w], bounds, new_games, permanent)
            l_b = _level(R_b, played[b], topped[b], bounds, new_games, permanent)
            d_w = (ks[-1] if l_w == 0 else new_k if l_w == 1 else ks[l_w - 2]) * surprise
            d_b = (ks[-1] if l_b == 0 else new_k if l_b == 1 else ks[l_b - 2]) * surprise
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
