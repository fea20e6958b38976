"""Moves and comment commands of many games, compiled by Numba."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray


# `movetext.mainline` at the memory's speed: one pass over the moves of many games, compiled by Numba.
#
# The rules are in `movetext`; this module only follows them. Games with letters beyond ASCII in their
# main line are handed back: what is a blank there is not for bytes to say.

OPEN, BEHIND, STRANGE = 1, 2, 4
"""Flags of a game: an open variation, moves after the result, letters beyond ASCII."""
U = np.uint64


# What a byte is in moves.
SPACE, SPECIAL, PLY, DIGIT, SIGN = 1, 2, 4, 8, 16
_KIND = np.zeros(256, dtype=np.uint8)
for _byte in b" \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f":
    _KIND[_byte] |= SPACE
for _byte in b"{}();$":
    _KIND[_byte] |= SPECIAL
for _byte in b"abcdefghKQRBNPO":
    _KIND[_byte] |= PLY
for _byte in b"0123456789":
    _KIND[_byte] |= DIGIT
for _byte in b"!?":
    _KIND[_byte] |= SIGN


@njit(cache=True, nogil=True)
def _is_end(data, at, size):
    """Say whether a word is one of `movetext.ENDINGS`."""
    if size == 1:
        return data[at] == 42
    if size == 3:
        return data[at + 1] == 45 and (
            (data[at] == 49 and data[at + 2] == 48) or (data[at] == 48 and data[at + 2] == 49)
        )
    return size == 7 and (
        data[at] == 49
        and data[at + 1] == 47
        and data[at + 2] == 50
        and data[at + 3] == 45
        and data[at + 4] == 49
        and data[at + 5] == 47
        and data[at + 6] == 50
    )


@njit(cache=True, nogil=True)
def _san(data, at, end, kind):
    """Return where the move in a word begins, behind its number; -1 where it is none."""
    while True:
        k = at
        while k < end and (kind[data[k]] & DIGIT) != 0:
            k += 1
        if k >= end or data[k] != 46:
            break
        while k < end and data[k] == 46:
            k += 1
        at = k
    size = end - at
    if size < 2:
        return -1
    a, b = data[at], data[at + 1]
    c = data[at + 2] if size > 2 else np.uint8(0)
    d = data[at + 3] if size > 3 else np.uint8(0)
    if a == 101 and ((size == 2 and b == 112) or (size == 4 and b == 46 and c == 112 and d == 46)):
        return -1  # ep, e.p.
    castles = a == 48 and b == 45 and c == 48
    null = (a == 45 and b == 45) or (a == 90 and b == 48) or (a == b == c == d == 64)
    return at if (kind[a] & PLY) != 0 or castles or null or _foreign(data, at, end) else -1


@njit(cache=True, nogil=True)
def _foreign(data, at, end):
    """Say whether a word begins like a move in other letters, such as Sf3 or Txe1."""
    if not 65 <= data[at] <= 90:
        return False
    for k in range(at + 1, min(at + 5, end - 1)):
        file, rank = 97 <= data[k] <= 104, 49 <= data[k] <= 56
        if file and 49 <= data[k + 1] <= 56:
            return True
        if not (file or rank or data[k] == 120 or data[k] == 58 or data[k] == 45):  # x : -
            return False
    return False


@njit(cache=True, nogil=True)
def _until(data, at, end, close):
    """Return where the byte `close` stands, or the end.

    Unsigned numbers for places: signed ones make Numba test every index for being negative.
    """
    one, k, stop = U(1), U(at), U(end)
    while k < stop and data[k] != close:
        k += one
    return np.int64(k)


@njit(cache=True, nogil=True)
def _word(data, at, end, kind):
    """Return where a word ends, and its bytes laid over each other."""
    one, k, stop = U(1), U(at), U(end)
    over = np.uint8(0)
    while k < stop and (kind[data[k]] & (SPACE | SPECIAL)) == 0:
        over |= data[k]
        k += one
    if k + U(2) < stop and data[k] == 40 and data[k + U(2)] == 41 and data[k + one] in {81, 82, 66, 78}:
        k += U(3)  # the piece of a promotion, as in e8(Q)
        while k < stop and (kind[data[k]] & (SPACE | SPECIAL)) == 0:
            over |= data[k]
            k += one
    return np.int64(k), over


@njit(cache=True, nogil=True)
def _longer(array):
    return np.concatenate((array, np.empty_like(array)))


@njit(cache=True, nogil=True)
def _scan(data, texts, ends, kind):  # noqa: C901, PLR0912, PLR0915
    games = texts.shape[0]
    moves = np.empty((max(1024, games * 100), 2), dtype=np.int32)
    comments = np.empty((max(1024, games * 100), 3), dtype=np.int32)
    counts = np.zeros(games, dtype=np.uint32)
    flags = np.zeros(games, dtype=np.uint8)
    n = m = 0  # positions and comments so far
    for game in range(games):
        first, comments_first = n, m
        i, end = texts[game], ends[game]
        if i < 0:
            i = end
        if n == moves.shape[0]:
            moves = _longer(moves)
        moves[n] = -1  # the starting position
        n += 1
        depth = 0
        over = False
        line = True  # at the beginning of one
        while i < end:
            byte = data[i]
            what = kind[byte]
            if (what & SPACE) != 0:
                line = byte == 10
                i += 1
                continue
            if line and byte == 37:  # %
                i = _until(data, i, end, 10)
                continue
            line = False
            begin = i
            if (what & SPECIAL) != 0:
                i += 1
                if byte in {123, 59}:  # { ;
                    close = 125 if byte == 123 else 10
                    i = _until(data, i, end, close)
                    if depth == 0 and not over:
                        if m == comments.shape[0]:
                            comments = _longer(comments)
                        comments[m, 0], comments[m, 1], comments[m, 2] = n - 1, begin + 1, i
                        m += 1
                    i += byte == 123
                elif byte == 40:
                    depth += 1
                elif byte == 41:
                    depth = max(0, depth - 1)
                elif byte == 36:
                    while i < end and (kind[data[i]] & DIGIT) != 0:
                        i += 1
                continue
            i, bits = _word(data, i, end, kind)
            if depth > 0:
                continue
            if bits >= 128:
                flags[game] |= STRANGE
                break
            if _is_end(data, begin, i - begin):
                if over:
                    break
                over = True
                continue
            begin = _san(data, begin, i, kind)
            if begin < 0:
                continue
            if over:
                flags[game] |= BEHIND
                break
            stop = i
            while (kind[data[stop - 1]] & SIGN) != 0:
                stop -= 1
            if n == moves.shape[0]:
                moves = _longer(moves)
            moves[n, 0], moves[n, 1] = begin, stop
            n += 1
        if (flags[game] & STRANGE) != 0:
            n, m = first, comments_first
        elif depth > 0 and not over:
            flags[game] |= OPEN
        counts[game] = n - first
    return moves[:n], comments[:m], counts, flags


def scan_moves(
    data: NDArray[np.uint8], texts: NDArray[np.int64], ends: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint32], NDArray[np.uint8]]:
    """Find the main lines between `texts` and `ends`.

    Returns
    -------
    moves, comments, counts, flags
        For every position where the move to it begins and ends (-1: the starting position); row of
        `moves`, begin and end of every comment; positions and flags of every game (no positions where
        it is `STRANGE`).
    """
    return _scan(data, texts, ends, _KIND)  # type: ignore[no-any-return]


# Commands in comments (``[%eval …]``, ``[%clk …]``, …) read in bulk; compiled by Numba.
#
# The rules are in `movetext.marks`; this module only follows them.

BEST, OVER, CP, MATE, DEPTH, WIDTH = 0, 2, 4, 5, 6, 7
"""Columns of the figures; the first two are where a text begins, and beside it where it ends."""
CLOCK, SPENT = 0, 1
"""Columns of the times."""
NONE = -(2**31)
"""Stands for null."""
COMMANDS_KERNEL_DIGIT, BLANK = 1, 2
_COMMANDS_KERNEL_KIND = np.zeros(256, dtype=np.uint8)
for _commands_kernel_byte in b" \t\n\r\x0b\x0c":
    _COMMANDS_KERNEL_KIND[_commands_kernel_byte] = BLANK
for _commands_kernel_byte in b"0123456789":
    _COMMANDS_KERNEL_KIND[_commands_kernel_byte] = COMMANDS_KERNEL_DIGIT


@njit(cache=True, nogil=True)
def _digits(data, at, end, kind):
    """Return the number that stands at `at`, and how many digits it has."""
    value, k = 0, at
    while k < end and (kind[data[k]] & COMMANDS_KERNEL_DIGIT) != 0:
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
def _eval(data, at, end, kind, row):  # noqa: C901, PLR0912
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
            while at < end and (kind[data[at]] & COMMANDS_KERNEL_DIGIT) != 0:
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
def _comment(data, at, end, kind, row, times):  # noqa: C901, PLR0912
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
    return _read(data, comments, rows, _COMMANDS_KERNEL_KIND)  # type: ignore[no-any-return]
