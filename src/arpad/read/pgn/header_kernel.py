"""The header scanner compiled by Numba: one pass over the bytes of a PGN file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from arpad.read.pgn.scan import FLAG_MATE, FLAG_OPEN_COMMENT, MATE_SUFFIX, TAGS, WEIGHTS

if TYPE_CHECKING:
    from numpy.typing import NDArray


# `pgn_scan.scan` at the memory's speed: one pass over the bytes, compiled by Numba.
#
# The rules and their reasons are in `pgn_scan`; this module only follows them.

COLUMNS = ("begin", "line", "text", "end", "plies", "ending", "flags", "tags")
BEGIN, LINE, TEXT, END, PLIES, ENDING, FLAGS, TAG_COUNT = range(len(COLUMNS))


# What a byte is in moves.
SPACE, SPECIAL, PLY, BREAK, MATE, WORD = 1, 2, 4, 8, 16, 32
KIND_BITS = 6
DRAWN = tuple(b"1/2-1/2")
SHORT_GAME = 150
"""Bytes; there is room at first for games of this length. If most are shorter, the scan begins again."""
U = np.uint64
_KIND = np.zeros(256, dtype=np.uint8)
_KIND[list(b" \t\n\r\x0b\x0c")] |= SPACE | BREAK
_KIND[list(b"{}();$")] |= SPECIAL | BREAK
_KIND[list(b"abcdefghKQRBNPO")] |= PLY
_KIND[ord(".")] |= BREAK
_KIND[ord("#")] |= MATE
_KIND[list(b"0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")] |= WORD


# The weights of the hash with the kind of the byte in their lowest bits: one look-up for both.
_WEIGHTS = WEIGHTS.copy()
_WEIGHTS[list(b" \t\n\r\x0b\x0c")] = 0
_WEIGHTS = (_WEIGHTS << np.uint64(KIND_BITS)) | _KIND.astype(np.uint64)


@njit(cache=True, nogil=True)
def _slot(length, first, last):
    """Return a place for a tag name; no two that arpad uses share one."""
    return (U(length) + (U(first) + U(last)) * U(2)) & U(127)


# Tables are arguments of the kernel, not globals: Numba's cache looks at the date of this file only,
# and would keep an old table of another module.
_NAMES = np.zeros((len(TAGS), max(map(len, TAGS)) + 1), dtype=np.uint8)
_SLOTS = np.full(128, -1, dtype=np.int64)
for _number, _name in enumerate(TAGS):
    _bytes = _name.encode()
    _NAMES[_number, : len(_bytes) + 1] = [len(_bytes), *_bytes]
    _place = int(_slot.py_func(len(_bytes), _bytes[0], _bytes[-1]))
    if _SLOTS[_place] >= 0:
        raise AssertionError(f"{_name} and {TAGS[_SLOTS[_place]]} share a slot: change _slot")
    _SLOTS[_place] = _number


@njit(cache=True, nogil=True, forceinline=True)
def _tag(data, at, names, slots, kind):
    """Return (is a tag, its number or -1, value begin, value end, end of line) for the line at `at`.

    Unsigned numbers for places: signed ones make Numba test every index for being negative.
    """
    one, size = U(1), U(data.shape[0])
    first = U(at) + one
    i = first
    while i < size and (kind[data[i]] & WORD) != 0:
        i += one
    length = i - first
    while i < size and (data[i] == 32 or data[i] == 9):
        i += one
    quoted = i < size and data[i] == 34
    begin = i + one
    while i < size and data[i] != 10:
        i += one
    stop = np.int64(i)
    if not quoted or length == U(0) or 48 <= data[first] <= 57 or data[first] == 95:
        return False, -1, -1, -1, stop
    last = i
    while last > begin and data[last - one] != 34:
        last -= one
    if last <= begin:
        return False, -1, -1, -1, stop
    number = slots[_slot(length, data[first], data[first + length - one])]
    if number < 0 or names[number, 0] != length:
        return True, -1, np.int64(begin), np.int64(last - one), stop
    k = U(0)
    while k < length:
        if names[number, k + one] != data[first + k]:
            number = -1
            break
        k += one
    return True, number, np.int64(begin), np.int64(last - one), stop


@njit(cache=True, nogil=True, forceinline=True)
def _ending(data, at, fence, kind):
    """Return the number in `ENDINGS`, and the length, of the word behind `fence` that ends at `at`."""
    begin = at
    while begin > fence + 1 and (kind[data[begin - 1]] & (SPACE | SPECIAL)) == 0:
        begin -= 1
    size = at + 1 - begin
    if size == 1 and data[begin] == 42:
        return 4, 1
    if size == 3 and data[begin + 1] == 45:
        if data[begin] == 49 and data[begin + 2] == 48:
            return 1, 3
        if data[begin] == 48 and data[begin + 2] == 49:
            return 2, 3
    if size == len(DRAWN):
        for k in range(size):
            if data[begin + k] != DRAWN[k]:
                return 0, 0
        return 3, size
    return 0, 0


@njit(cache=True, nogil=True, forceinline=True)
def _begin(rows, values, n, at, line, text):
    rows[n] = 0
    values[n] = -1
    rows[n, BEGIN], rows[n, LINE], rows[n, TEXT] = at, line, text


@njit(cache=True, nogil=True)
def _finish(row, moves, n, data, end, kind, plies, digest, place, last, fence, mate):
    """Write down what was counted while the moves of game n went by."""
    row[END] = end
    row[PLIES] = plies
    moves[n] = digest if plies > 0 else np.uint64(0)
    length = 0
    if last >= 0:
        row[ENDING], length = _ending(data, last, fence, kind)
    if mate > 0 and place - mate - length <= MATE_SUFFIX:
        row[FLAGS] |= FLAG_MATE


@njit(cache=True, nogil=True, forceinline=True)
def _plain(data, at, weights, digest, place):
    """Run over one line as if all of it were main line.

    Unsigned numbers throughout: signed ones make Numba test every index for being negative. The
    length of the line comes back in the upper bits of `signs`.
    """
    one, two, three, shift = U(1), U(2), U(3), U(KIND_BITS)
    size = U(data.shape[0])
    signs, before, plies = U(0), U(BREAK), U(0)
    i = U(at)
    while i < size and data[i] != 10:
        i += one
    for k in range(U(at), i):
        what = weights[data[k]]
        signs |= what
        plies += (what >> two) & (before >> three) & one
        place += (what & one) ^ one
        digest += what >> shift
        before = what
    return (signs & U(63)) | (i - U(at)) << U(8), plies, digest, place


@njit(cache=True, nogil=True)
def _scan(data, room, names, slots, kind, weights):  # noqa: C901, PLR0912, PLR0915
    """Scan for up to `room` games; where there are more, say so by a number of lines of -1.

    The arrays never grow in here: ones that may be exchanged are looked up again at every byte.
    """
    size = data.shape[0]
    rows = np.empty((room, len(COLUMNS)), dtype=np.int64)
    values = np.empty((room, names.shape[0], 2), dtype=np.int32)
    moves = np.empty(room, dtype=np.uint64)
    n = -1  # the game being read; -1 before the first
    blank = comment = False
    depth = plies = 0
    digest, place = np.uint64(0), np.uint64(0)
    last, fence, guard, mate = -1, -1, -1, np.uint64(0)
    at = 0
    stop = 0
    line = 1
    while at < size:
        # --- the start of a line ---
        is_tag, number, begin, quote = False, -1, -1, -1
        if data[at] == 91:
            is_tag, number, begin, quote, stop = _tag(data, at, names, slots, kind)
            if comment and is_tag:
                if number == 0:
                    rows[n, FLAGS] |= FLAG_OPEN_COMMENT
                    comment = False
                else:
                    is_tag = False
        if is_tag:
            present = n >= 0 and number >= 0 and values[n, number, 0] >= 0
            if n < 0 or rows[n, TEXT] >= 0 or (present and (blank or number == 0)):
                if n >= 0:
                    _finish(rows[n], moves, n, data, at, kind, plies, digest, place, last, guard, mate)
                n += 1
                if n == room:
                    return rows, values, moves, -1
                _begin(rows, values, n, at, line, -1)
                depth = plies = 0
                digest, place = np.uint64(0), np.uint64(0)
                last, fence, guard, mate = -1, -1, -1, np.uint64(0)
                present = False
            rows[n, TAG_COUNT] += 1
            if number >= 0 and not present:
                values[n, number, 0], values[n, number, 1] = begin, quote
            blank = False
            at = stop + 1
            line += 1
            continue
        if not comment and data[at] == 37:  # %
            while at < size and data[at] != 10:
                at += 1
            at += 1
            line += 1
            continue
        # --- a line of moves, hopefully plain: no comment, no variation, no NAG, no mate ---
        signs, new_plies, new_digest, new_place = _plain(data, at, weights, digest, place)
        i = at + np.int64(signs >> U(8))
        if new_place == place:
            blank = True
            at = i + 1
            line += 1
            continue
        if n < 0:
            n = 0
            _begin(rows, values, n, at, line, at)
        if rows[n, TEXT] < 0:
            rows[n, TEXT] = at
        if not comment and depth == 0 and (signs & U(SPECIAL | MATE)) == 0:
            plies += np.int64(new_plies)
            digest, place = new_digest, new_place
            last, guard = i - 1, fence
            while (kind[data[last]] & SPACE) != 0:
                last -= 1
            at = i + 1
            line += 1
            continue
        # --- it was not: letter by letter ---
        before = BREAK
        i = at
        while i < size and data[i] != 10:
            byte = data[i]
            what = kind[byte]
            if comment:
                comment = byte != 125
                before = BREAK
            elif (what & SPECIAL) != 0:
                before = BREAK
                if byte == 123:
                    comment = True
                elif byte == 59:
                    while i + 1 < size and data[i + 1] != 10:
                        i += 1
                elif byte == 40:
                    depth += 1
                elif byte == 41:
                    depth = max(0, depth - 1)
                elif byte == 36:
                    while i + 1 < size and 48 <= data[i + 1] <= 57:
                        i += 1
                fence = i
            elif depth == 0:
                if (what & PLY) != 0 and (before & BREAK) != 0:
                    plies += 1
                if (what & SPACE) == 0:
                    place += np.uint64(1)
                    digest += weights[byte] >> U(KIND_BITS)
                    last, guard = i, fence
                    if byte == 35:
                        mate = place
                before = what
            i += 1
        at = i + 1
        line += 1
    if n >= 0:
        _finish(rows[n], moves, n, data, size, kind, plies, digest, place, last, guard, mate)
        if comment:
            rows[n, FLAGS] |= FLAG_OPEN_COMMENT
    return rows[: n + 1], values[: n + 1], moves[: n + 1], line - 1


def scan(data: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.uint64], int]:
    """Return a row a game (`COLUMNS`), places of tags, hashes of moves, and the number of lines."""
    room = max(1024, len(data) // SHORT_GAME)  # pages that are not used are not touched
    while True:
        rows, values, moves, lines = _scan(data, room, _NAMES, _SLOTS, _KIND, _WEIGHTS)
        if lines >= 0:
            return rows, values, moves, lines
        room *= 8


# The values of tags, copied out of a piece of PGN into columns; compiled by Numba.

BACKSLASH = ord("\\")


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
