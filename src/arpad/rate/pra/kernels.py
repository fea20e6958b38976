"""`pra_reference` on arrays, compiled by Numba: tens of millions of games a second.

A player is one row of `STATE`, 64 bytes: one line of the processor's cache. Any compiled loop may use
it: `basic_step` gives the two ratings after a game, `boost_step` then each player's own. No explicit
signatures: those compile at import.
"""

from __future__ import annotations

import math

from numba import njit

from arpad.rate.pra.steps import PARTS


@njit(cache=True, nogil=True, inline="always")
def expected_pra(D):
    """Return E, the expected score for a rating difference [PRA (3)]."""
    size = abs(D)
    if size <= 150.0:
        high = 0.6 - math.sqrt((150.0 - size) / 15000.0)
    elif size <= 450.0:
        high = 0.001 * size + 0.45
    else:
        high = 0.9 + math.sqrt((min(size, 1800.0) - 450.0) / 135000.0)
    return high if D >= 0.0 else 1.0 - high


@njit(cache=True, nogil=True, inline="always")
def basic_step(rating, opponent, score, k):
    """Return both ratings after a game: R′ = R + K (S − E) [PRA (2)]."""
    change = k * (score - expected_pra(rating - opponent))
    return rating + change, opponent - change


@njit(cache=True, nogil=True)
def boost_step(state, p, rating, c):
    """Return player p's rating, boosted where a block ends; `rating` is the one after the game.

    Block, `games` and `direction` of the row change; its `rating` is left to the caller. `c` is a
    `pra_reference.Boosting`.
    """
    row = state[p]
    ctr = row.games
    row.games = ctr + 1
    if ctr >= c.late_until or row.boosting == 0:
        return rating
    late = ctr >= c.until
    size = c.late_block if late else c.block
    place = (ctr - c.until if late else ctr) % size
    part = size // PARTS
    if place == 0:
        row.measured = 0
        for i in range(PARTS):
            row.sums[i] = 0.0
    first = row.measured == 0
    row.peak = rating if first else max(row.peak, rating)
    row.trough = rating if first else min(row.trough, rating)
    row.sums[place // part] += rating
    row.measured += 1
    if place + 1 < size:
        return rating
    return _end_of_block(row, rating, part, ctr, c)


@njit(cache=True, nogil=True)
def _end_of_block(row, rating, part, ctr, c):
    """Return the boosted rating, and move the direction a step [PRA (11, 12)]."""
    way = 0
    if row.measured == part * PARTS:
        rising, falling = 0, 0
        for i in range(PARTS - 1):
            V = row.sums[i + 1] / part - row.sums[i] / part
            rising += V > 0.0
            falling += V < 0.0
        way = (rising == PARTS - 1) - (falling == PARTS - 1)
    if way == 0:
        row.direction = 0
        return rating
    if ctr < c.block:
        row.direction = way
    before = row.direction
    row.direction = max(-1, min(1, before + way))
    coefficient = c.steady if before == way else (c.fresh if before == 0 else c.turning)
    omega = c.omega if ctr < c.until else c.late_omega
    leap = omega * coefficient * (row.peak - row.trough)
    return row.peak + leap if way == 1 else row.trough - leap


@njit(cache=True, nogil=True)
def rate_days(white, black, score, day, state, inside, leaps, k, c, target, surplus, population, told):
    """Rate the games and anchor the population after each day; return by how much it moved in all.

    `pra_walk.walk` says what the arguments are. While this runs, ratings are without the shift. `told` has
    a row a game, or none where nobody asks for it.
    """
    shift = 0.0
    for g in range(white.shape[0]):
        if g > 0 and day[g] != day[g - 1]:
            shift -= surplus / population
            surplus = 0.0
        w, b = white[g], black[g]
        for p in (w, b):
            if not inside[p]:
                inside[p] = True
                population += 1.0
                if target == target:  # noqa: PLR0124 - NaN: everybody keeps what he brings
                    surplus += state[p].rating - target
                state[p].rating -= shift
        R_w, R_b = basic_step(state[w].rating, state[b].rating, score[g], k)
        if told.shape[0] > 0:
            told[g, 0], told[g, 1], told[g, 2] = shift, state[w].rating, state[b].rating
        new_w = boost_step(state, w, R_w, c)
        new_b = boost_step(state, b, R_b, c)
        state[w].rating, state[b].rating = new_w, new_b
        leaps[w] += new_w - R_w
        leaps[b] += new_b - R_b
        surplus += (new_w - R_w) + (new_b - R_b)
        if told.shape[0] > 0:
            told[g, 3], told[g, 4] = new_w - R_w, new_b - R_b
    return shift - surplus / population
