"""A stream of PGN cut into pieces that begin and end where a game does."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from arpad.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arpad.read.source import Source

__all__ = ["pieces"]

PIECE = 1 << 24
"""Bytes that are scanned at once; a longer game makes a longer piece."""

LONGEST = 1 << 28
"""Bytes in which at least one game has to end."""

EVENT = b'\n[Event "'
_TAG_BEFORE = re.compile(rb"(?:^|\n)\[[^\n]*\s*$")
_ANY_TAG = re.compile(rb'\n[ \t\r]*\n\[[A-Za-z][A-Za-z0-9_]*[ \t]*"')


def pieces(source: Source) -> Iterator[tuple[bytes, int]]:
    """Yield pieces and the number of the first line of each; a byte-order mark is dropped."""
    waiting = bytearray()
    line = 1
    first = True
    old_mac = False
    for block in source.blocks():
        if first:
            block, first = block.removeprefix(b"\xef\xbb\xbf"), False
            old_mac = b"\n" not in block and b"\r" in block
        waiting += block.replace(b"\r", b"\n") if old_mac else block
        if len(waiting) < PIECE:
            continue
        at = _boundary(waiting)
        if at:
            piece = bytes(memoryview(waiting)[:at])
            yield piece, line
            line += piece.count(b"\n")
            del waiting[:at]
        elif len(waiting) > LONGEST:
            raise InputError(
                f"expected games, found none that ends within {LONGEST >> 20} MB", file=source.name
            )
    yield bytes(waiting), line


def _boundary(data: bytearray) -> int:
    """Return where the last game begins that surely begins there, or 0.

    That is an Event tag with no other tag just before it: such a line ends even a comment that was
    never closed. Files without Event tags are cut at a tag behind a blank line, once they get long.
    """
    at = data.rfind(EVENT)
    while at > 0:
        if not _TAG_BEFORE.search(data[max(0, at - 2000) : at + 1]):
            return at + 1
        at = data.rfind(EVENT, 0, at)
    if len(data) < 4 * PIECE:
        return 0
    last = 0
    for found in _ANY_TAG.finditer(data, len(data) - PIECE):
        if not _TAG_BEFORE.search(data[max(0, found.start() - 2000) : found.start() + 1]):
            last = data.index(b"[", found.start())
    return last
