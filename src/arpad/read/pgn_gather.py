"""The values of tags, copied out of a piece of PGN into columns; compiled by Numba."""

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = ["gather"]

BACKSLASH = ord("\\")
U = np.uint64
"""Unsigned numbers for places: signed ones make Numba test every index for being negative."""


@njit(cache=True, nogil=True)
def gather(data, places):
    """Copy every tag of every game, ``places[game, tag, 0]:places[game, tag, 1]``, tag by tag.

    Blanks around a value are left out; -1 gives nothing. Game by game, because the tags of one game
    are close together in memory.

    Returns
    -------
    values, starts, offsets, escaped
        All bytes; where those of each tag begin; for each tag where, behind that, those of each game
        begin; and whether a backslash is among them.
    """
    games, tags = places.shape[0], places.shape[1]
    starts = np.zeros(tags + 1, dtype=np.int64)
    for g in range(games):
        for t in range(tags):
            starts[t + 1] += places[g, t, 1] - places[g, t, 0]
    for t in range(tags):
        starts[t + 1] += starts[t]
    values = np.empty(starts[tags], dtype=np.uint8)
    offsets = np.zeros((tags, games + 1), dtype=np.int64)
    escaped = np.zeros(tags, dtype=np.bool_)
    one = U(1)
    for g in range(games):
        for t in range(tags):
            length = offsets[t, g]
            if places[g, t, 0] >= 0:
                k, stop = U(places[g, t, 0]), U(places[g, t, 1])
                while k < stop and (data[k] == 32 or data[k] == 9):
                    k += one
                while stop > k and (data[stop - one] == 32 or data[stop - one] == 9):
                    stop -= one
                at = U(starts[t] + length)
                length += np.int64(stop - k)
                slash = False
                while k < stop:
                    values[at] = data[k]
                    slash |= data[k] == BACKSLASH
                    at += one
                    k += one
                escaped[t] |= slash
            offsets[t, g + 1] = length
    return values, starts, offsets, escaped
