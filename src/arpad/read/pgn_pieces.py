"""A stream of PGN cut into pieces that begin and end where a game does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from arpad.errors import InputError
from arpad.read.source import read_failures

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arpad.read.source import Source

__all__ = ["pieces"]

PIECE = 1 << 25
"""Bytes that are scanned at once; a longer game makes a longer piece."""

LONGEST = 1 << 28
"""Bytes in which at least one game has to end."""

BOM = b"\xef\xbb\xbf"
EVENT = b'\n[Event "'
_TAG_BEFORE = re.compile(rb"(?:^|\n)\[[^\n]*\s*$")
_ANY_TAG = re.compile(rb'\n[ \t\r]*\n\[[A-Za-z][A-Za-z0-9_]*[ \t]*"')


def pieces(source: Source, size: int | None = None) -> Iterator[tuple[bytes, int]]:
    """Yield bytes and how many of them are whole games; a byte-order mark is dropped.

    What is behind the whole games comes again at the beginning of the next piece.
    """
    size = PIECE if size is None else size
    head = source.peek()
    old_mac = b"\n" not in head and b"\r" in head
    if source.packed or old_mac or not Path(source.name).is_file():
        yield from _from_stream(source, size, old_mac)
    else:
        yield from _from_file(source.name, size, len(head) - len(head.removeprefix(BOM)))


def _from_file(name: str, size: int, at: int) -> Iterator[tuple[bytes, int]]:
    """Go back to where the first game begins that is not whole: nothing needs to be put together."""
    wanted = size
    with read_failures(name), Path(name).open("rb", buffering=0) as handle:
        while True:
            handle.seek(at)
            data = handle.read(wanted)
            if len(data) < wanted:
                yield data, len(data)
                return
            end = _boundary(data, size)
            if end:
                yield data, end
            at, wanted = at + end, (size if end else 2 * wanted)
            _check_length(wanted, name)


def _from_stream(source: Source, size: int, old_mac: bool) -> Iterator[tuple[bytes, int]]:
    rest = b""
    first = True
    for block in _filled(source, size):
        if first:
            block, first = block.removeprefix(BOM), False
        data = rest + (block.replace(b"\r", b"\n") if old_mac else block)
        at = _boundary(data, size)
        if at:
            yield data, at
        rest = data[at:]
        _check_length(len(rest), source.name)
    yield rest, len(rest)


def _check_length(length: int, name: str) -> None:
    if length > LONGEST:
        raise InputError(
            f"expected games, found none that ends within {LONGEST >> 20} MB", file=name
        )


def _filled(source: Source, size: int) -> Iterator[bytes]:
    """Yield blocks of at least `size` bytes, the last one shorter."""
    waiting: list[bytes] = []
    for block in source.blocks(size):
        waiting.append(block)
        if sum(map(len, waiting)) >= size:
            yield b"".join(waiting)
            waiting = []
    yield b"".join(waiting)


def _boundary(data: bytes, size: int) -> int:
    """Return where the last game begins that surely begins there, or 0.

    That is an Event tag with no other tag just before it: such a line ends even a comment that was
    never closed. Files without Event tags are cut at a tag behind a blank line, once they get long.
    """
    at = data.rfind(EVENT)
    while at > 0:
        if not _TAG_BEFORE.search(data[max(0, at - 2000) : at + 1]):
            return at + 1
        at = data.rfind(EVENT, 0, at)
    if len(data) < 4 * size:
        return 0
    last = 0
    for found in _ANY_TAG.finditer(data, len(data) - size):
        if not _TAG_BEFORE.search(data[max(0, found.start() - 2000) : found.start() + 1]):
            last = data.index(b"[", found.start())
    return last
