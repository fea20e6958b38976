"""Commands in comments (``[%eval …]``, ``[%clk …]``, …) read in bulk; compiled by Numba.

The rules are in `movetext.marks`; this module only follows them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BEST", "CLOCK", "CP", "DEPTH", "MATE", "NONE", "OVER", "SPENT", "read_commands"]

BEST, OVER, CP, MATE, DEPTH, WIDTH = 0, 2, 4, 5, 6, 7
"""Columns of the figures; the first two are where a text begins, and beside it where it ends."""
CLOCK, SPENT = 0, 1
"""Columns of the times."""
NONE = -(2**31)
"""Stands for null."""

U = np.uint64

DIGIT, BLANK = 1, 2
_KIND = np.zeros(256, dtype=np.uint8)
for _byte in b" \t\n\r\x0b\x0c":
    _KIND[_byte] = BLANK
for _byte in b"0123456789":
    _KIND[_byte] = DIGIT


@njit(cache=True, nogil=True)
def _digits(data, at, end, kind):
    """Return the number that stands at `at`, and how many digits it has."""
    value, k = 0, at
    while k < end and (kind[data[k]] & DIGIT) != 0:
        if k - at < 10:
            value = value * 10 + np.int64(data[k]) - 48
        k += 1
    return value, k - at


@njit(cache=True, nogil=True)
def _closed(data, at, end, kind):
    """Say whether only blanks stand between `at` and the bracket that closes a command."""
    while at < end and (kind[data[at]] & BLANK) != 0:
        at += 1
    return at < end and data[at] == 93


@njit(cache=True, nogil=True)
def _is_move(data, at, end):
    """Say whether a move in UCI stands in these four or five bytes."""
    for k in range(4):
        low = 97 if k % 2 == 0 else 49
        if not low <= data[at + k] < low + 8:
            return False
    if end - at == 4:
        return True
    last = data[at + 4]
    return last in {113, 114, 98, 110}


@njit(cache=True, nogil=True)
def _eval(data, at, end, kind, row):
    """Read what stands behind ``[%eval`` and its blanks; a mate has a ``#``."""
    mate = at < end and data[at] == 35
    at += mate
    negative = at < end and data[at] == 45
    at += at < end and (data[at] == 45 or data[at] == 43)
    value, length = _digits(data, at, end, kind)
    at += length
    if mate:
        if not 1 <= length <= 4:
            return
    else:
        parts = -1  # digits behind the point; -1: there is none
        hundredths, third = 0, 0
        if length > 6:
            return
        if at < end and data[at] == 46:
            at += 1
            begin = at
            while at < end and (kind[data[at]] & DIGIT) != 0:
                if at - begin < 2:
                    hundredths = hundredths * 10 + np.int64(data[at]) - 48
                elif at - begin == 2:
                    third = np.int64(data[at]) - 48
                at += 1
            parts = at - begin
            if parts == 1:
                hundredths *= 10
        if length == 0 and parts < 1:
            return
        value = value * 100 + hundredths + (third >= 5)
    depth = NONE
    if at < end and data[at] == 44:
        depth, length = _digits(data, at + 1, end, kind)
        if not 1 <= length <= 4:
            return
        at += 1 + length
    if _closed(data, at, end, kind):
        row[MATE if mate else CP] = -value if negative else value
        row[DEPTH] = depth


@njit(cache=True, nogil=True)
def _time(data, at, end, kind):
    """Return the seconds of h:mm:ss, or NaN."""
    hours, length = _digits(data, at, end, kind)
    at += length
    if not 1 <= length <= 4 or at >= end or data[at] != 58:
        return np.nan
    minutes, length = _digits(data, at + 1, end, kind)
    at += 1 + length
    if not 1 <= length <= 2 or at >= end or data[at] != 58:
        return np.nan
    seconds, length = _digits(data, at + 1, end, kind)
    at += 1 + length
    if not 1 <= length <= 2:
        return np.nan
    scale = 1
    if at < end and data[at] == 46:
        parts, length = _digits(data, at + 1, end, kind)
        if not 1 <= length <= 9:
            return np.nan
        at += 1 + length
        for _ in range(length):
            scale *= 10
        seconds = seconds * scale + parts
    if not _closed(data, at, end, kind):
        return np.nan
    return (hours * 3600 + minutes * 60) + seconds / scale


@njit(cache=True, nogil=True)
def _text(data, at, end, kind, row, column):
    """Keep where a word stands that a command names: a move or a lower-case word."""
    begin = at
    while at < end and (kind[data[at]] & BLANK) == 0 and data[at] != 93:
        if column == OVER and not 97 <= data[at] <= 122:
            return
        at += 1
    fits = 1 <= at - begin <= 20
    if column == BEST:
        fits = 4 <= at - begin <= 5 and _is_move(data, begin, at)
    if fits and _closed(data, at, end, kind):
        row[column], row[column + 1] = begin, at


@njit(cache=True, nogil=True)
def _bracket(data, at, end):
    """Return where the next bracket opens, or the end.

    Unsigned numbers for places: signed ones make Numba test every index for being negative.
    """
    one, k, stop = U(1), U(at), U(end)
    while k < stop and data[k] != 91:
        k += one
    return np.int64(k)


@njit(cache=True, nogil=True)
def _comment(data, at, end, kind, row, times):
    """Read the commands between `at` and `end`: the first of each kind that is well formed."""
    while at + 6 < end:
        at = _bracket(data, at, end)
        if at + 6 >= end or data[at + 1] != 37:
            at += 1
            continue
        at += 2
        a, b, c, d = data[at], data[at + 1], data[at + 2], data[at + 3]
        short = (kind[d] & BLANK) != 0
        begin = at + 3 if short else at + 4
        if (kind[data[begin]] & BLANK) == 0:
            continue
        while begin < end and (kind[data[begin]] & BLANK) != 0:
            begin += 1
        if short:
            if a == 99 and b == 108 and c == 107:  # clk
                if np.isnan(times[CLOCK]):
                    times[CLOCK] = _time(data, begin, end, kind)
            elif a == 101 and b == 109 and c == 116:  # emt
                if np.isnan(times[SPENT]):
                    times[SPENT] = _time(data, begin, end, kind)
        elif a == 101 and b == 118 and c == 97 and d == 108:  # eval
            if row[CP] == NONE and row[MATE] == NONE:
                _eval(data, begin, end, kind, row)
        elif a == 98 and b == 101 and c == 115 and d == 116:  # best
            if row[BEST] < 0:
                _text(data, begin, end, kind, row, BEST)
        elif a == 111 and b == 118 and c == 101 and d == 114:  # over
            if row[OVER] < 0:
                _text(data, begin, end, kind, row, OVER)


@njit(cache=True, nogil=True)
def _read(data, comments, rows, kind):
    figures = np.empty((rows, WIDTH), dtype=np.int32)
    figures[:, :CP] = -1
    figures[:, CP:] = NONE
    times = np.full((rows, 2), np.nan)
    for k in range(comments.shape[0]):
        row = comments[k, 0]
        _comment(data, comments[k, 1], comments[k, 2], kind, figures[row], times[row])
    return figures, times


def read_commands(
    data: NDArray[np.uint8], comments: NDArray[np.int32], rows: int
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Read comments, each given as (row, begin, end); return figures and times of every row."""
    return _read(data, comments, rows, _KIND)  # type: ignore[no-any-return]
