"""The loops of a simulation, compiled by Numba: pairings, results, ratings, and who is in spec.

Chance is SplitMix64 in an array of one number, `dice`: the same on every machine, and a place in its
sequence can be returned to. No explicit signatures: those compile at import. PRA's own steps are inlined
from `rate.pra_kernels`: Numba does not see when that file changes; touch this one then.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from arpad.rate.elo_kernels import _expected
from arpad.rate.pra.kernels import basic_step, boost_step

CHART = 100
"""The number of PRA's chart, beside those that `rate.expectancy` gives to the curves."""
NEAR = 128
"""Games whose players are fetched together: many waits for memory at once instead of one after another."""
WHOLE = 1 << 17
"""Players that are shuffled in one piece; more are first dealt into parts that fit a cache."""
PARTS = 256
"""Parts, as many as a byte of chance tells apart."""


@njit(cache=True, nogil=True, inline="always")
def _next(dice):
    """Return 64 random bits [Steele, Lea and Flood 2014, SplitMix64]."""
    dice[0] += np.uint64(0x9E3779B97F4A7C15)
    z = dice[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit(cache=True, nogil=True, inline="always")
def _below(dice, n):
    """Return a whole number from 0 to n − 1; n is so small that no number is favoured by 1 in 30,000."""
    return np.int64(((_next(dice) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@njit(cache=True, nogil=True, inline="always")
def _uniform(dice):
    """Return a number from 0 to 1, 1 left out."""
    return (_next(dice) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@njit(cache=True, nogil=True)
def uniforms(out, dice):
    """Fill an array with numbers from 0 to 1."""
    for i in range(out.shape[0]):
        out[i] = _uniform(dice)


@njit(cache=True, nogil=True)
def _fisher_yates(order, low, high, dice):
    for i in range(high - 1, low, -1):
        j = low + _below(dice, i + 1 - low)
        order[i], order[j] = order[j], order[i]


@njit(cache=True, nogil=True)
def shuffle(order, spare, dice):
    """Put `order` into random order, every order as likely as any other.

    Large arrays are dealt into 256 parts at random, and each part is shuffled [Rao 1961, Sandelius
    1962]: that too gives every order alike, and never reaches across memory.
    """
    n = order.shape[0]
    if n <= WHOLE:
        _fisher_yates(order, 0, n, dice)
        return
    begin = dice[0]
    bounds = np.zeros(PARTS + 1, dtype=np.int64)
    for low in range(0, n, 8):
        bits = _next(dice)
        for _ in range(low, min(low + 8, n)):
            bounds[(bits & np.uint64(255)) + np.uint64(1)] += 1
            bits >>= np.uint64(8)
    for part in range(PARTS):
        bounds[part + 1] += bounds[part]
    place = bounds.copy()
    dice[0] = begin  # the same bytes again, now to deal by
    for low in range(0, n, 8):
        bits = _next(dice)
        for i in range(low, min(low + 8, n)):
            part = bits & np.uint64(255)
            spare[place[part]] = order[i]
            place[part] += 1
            bits >>= np.uint64(8)
    for part in range(PARTS):
        _fisher_yates(spare, bounds[part], bounds[part + 1], dice)
    order[:] = spare


@njit(cache=True, nogil=True)
def decide(white, black, true, score, dice, code, c):
    """Decide every game of a round: White wins if a random number lies below the expected score."""
    for g in range(white.shape[0]):
        D = true[white[g]] - true[black[g]]
        if code == CHART:
            size = abs(D)
            weaker = 0.0 if size > c.shape[0] - 1 else c[int(size)]
            E = weaker if D < 0 else 1.0 - weaker
        else:
            E = _expected(D, code, c)
        score[g] = 1.0 if _uniform(dice) < E else 0.0


@njit(cache=True, nogil=True)
def basic_round(white, black, score, ratings, k):
    """Rate a round by PRA's Basic System."""
    for g in range(white.shape[0]):
        w, b = white[g], black[g]
        ratings[w], ratings[b] = basic_step(ratings[w], ratings[b], score[g], k)


@njit(cache=True, nogil=True)
def boosted_round(white, black, score, state, k, c):
    """Rate a round by PRA's Basic and Boosting Systems; return the points that boosting brought in.

    Everybody plays once a round, so that a few games' ratings may be fetched before they are rated.
    """
    R_w, R_b = np.empty(NEAR), np.empty(NEAR)
    brought = 0.0
    for low in range(0, white.shape[0], NEAR):
        n = min(NEAR, white.shape[0] - low)
        for i in range(n):
            R_w[i] = state[white[low + i]].rating
            R_b[i] = state[black[low + i]].rating
        for i in range(n):
            g = low + i
            new_w, new_b = basic_step(R_w[i], R_b[i], score[g], k)
            after_w = boost_step(state, white[g], new_w, c)
            after_b = boost_step(state, black[g], new_b, c)
            state[white[g]].rating = after_w
            state[black[g]].rating = after_b
            brought += (after_w - new_w) + (after_b - new_b)
    return brought


@njit(cache=True, nogil=True)
def tally(ratings, shift, true, here, tolerance):
    """Return how many are here, how many of them have a rating, are out of spec, Σ error and Σ error².

    `shift` belongs to everybody's rating. Who has no rating is out of spec, and no part of the sums.
    """
    players, rated, out, total, squares = 0, 0, 0, 0.0, 0.0
    for i in range(ratings.shape[0]):
        if not here[i]:
            continue
        players += 1
        error = ratings[i] + shift - true[i]
        out += not abs(error) < tolerance
        if not math.isnan(error):
            rated += 1
            total += error
            squares += error * error
    return players, rated, out, total, squares
