"""`pra_reference` on arrays, compiled by Numba: tens of millions of games a second.

A player is one row of `STATE`, 64 bytes: one line of the processor's cache. Any compiled loop may use
it: `basic_step` gives the two ratings after a game, `boost_step` then each player's own. No explicit
signatures: those compile at import.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from arpad.rate.pra_reference import PARTS, START

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["STATE", "basic_step", "boost_step", "expected_pra", "newcomers"]

STATE = np.dtype(
    [
        ("rating", np.float64),
        ("sums", np.float64, PARTS),  # of the ratings in each part of the block under way
        ("peak", np.float64),
        ("trough", np.float64),
        ("games", np.int32),  # in all
        ("measured", np.int16),  # games in the block under way
        ("direction", np.int8),  # of the block before: 1, 0, −1
        ("boosting", np.int8),  # 0 after a correction
    ],
    align=True,
)
"""One player; ratings in points. The fields are those of `pra_reference.PraPlayer`."""


def newcomers(n: int, *, start: float = START) -> NDArray[np.void]:
    """Return the state of n players of whom nothing is known."""
    state = np.zeros(n, dtype=STATE)
    state["rating"] = start
    state["boosting"] = 1
    return state


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
