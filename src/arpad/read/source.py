"""Bytes from a file, whatever it is packed in: plain, gzip, bzip2, Zstandard, standard input."""

from __future__ import annotations

import bz2
import sys
import zlib
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from arpad.errors import InputError

if TYPE_CHECKING:
    import io
    from collections.abc import Callable, Iterable, Iterator

    from arpad.read.report import Report

__all__ = ["STDIN", "Source", "decode", "read_failures"]

BLOCK = 1 << 22
PACKED_BLOCK = 1 << 18
"""Smaller: what is packed well grows a hundredfold when it is unpacked."""
STDIN = "-"
TRUNCATED = "the compressed file ends too early: what could be unpacked was read, the rest is lost"


@dataclass(slots=True)
class Source:
    """One input, opened once and read in blocks of unpacked bytes.

    Parameters
    ----------
    name
        A path, or ``-`` for standard input.
    report
        Where an early end is noted.
    """

    name: str
    report: Report
    packed: bool = field(default=False, init=False)
    """Whether the bytes had to be unpacked; known once the first of them were looked at."""
    _size: int = field(default=BLOCK, init=False)
    _waiting: bytes = field(default=b"", init=False)
    _blocks: Iterator[bytes] | None = field(default=None, init=False)

    @property
    def is_stream(self) -> bool:
        """Say whether this is standard input."""
        return self.name == STDIN

    def peek(self, size: int = 1 << 16) -> bytes:
        """Return the first unpacked bytes without consuming them."""
        while len(self._waiting) < size:
            block = next(self._raw(), b"")
            if not block:
                break
            self._waiting += block
        return self._waiting[:size]

    def blocks(self, size: int = BLOCK) -> Iterator[bytes]:
        """Yield the unpacked bytes, block by block; of plain files, `size` bytes at once."""
        self._size = size
        if self._waiting:
            waiting, self._waiting = self._waiting, b""
            yield waiting
        yield from self._raw()

    def everything(self) -> bytes:
        """Return all unpacked bytes."""
        return b"".join(self.blocks())

    def _raw(self) -> Iterator[bytes]:
        if self._blocks is None:
            self._blocks = self._unpack()
        return self._blocks

    def _unpack(self) -> Iterator[bytes]:
        with read_failures(self.name), self._open() as handle:
            head = handle.read(4)  # standard input cannot seek back
            unpacker = next((make for magic, make in _UNPACKERS if head.startswith(magic)), None)
            if unpacker is None:
                yield head
                while block := handle.read(self._size):
                    yield block
                return
            self.packed = True
            some = False
            try:
                for block in _unpacked(_chunks(head, handle, PACKED_BLOCK), unpacker):
                    some = True
                    yield block
            except EOFError:
                if not some:
                    raise InputError(
                        "the compressed file is damaged or ends too early: nothing could be unpacked",
                        file=self.name,
                    ) from None
                self.report.add(self.name, None, "repaired", TRUNCATED)

    def _open(self) -> io.BufferedReader:
        if self.is_stream:
            if sys.stdin is None or sys.stdin.closed:
                raise InputError("standard input is closed, or was read already", file=self.name)
            return cast("io.BufferedReader", sys.stdin.buffer)
        return Path(self.name).open("rb")


@contextmanager
def read_failures(name: str) -> Iterator[None]:
    """Turn what the operating system says of a file into one clear sentence."""
    try:
        yield
    except FileNotFoundError:
        raise InputError(
            "expected a file, found nothing there: check the name", file=name
        ) from None
    except IsADirectoryError:
        raise InputError(
            "expected a file, found a folder: name the files in it, for example "
            f"{name.rstrip('/')}/*.pgn",
            file=name,
        ) from None
    except PermissionError:
        raise InputError(
            "no permission to read this file: change its mode, or run as its owner", file=name
        ) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=name) from None


def _chunks(head: bytes, stream: io.BufferedIOBase, size: int) -> Iterator[bytes]:
    if head:
        yield head
    while block := stream.read(size):
        yield block


def _unpacked(chunks: Iterable[bytes], make: Callable[[], Any]) -> Iterator[bytes]:
    """Unpack member after member; EOFError where the last one has no end, or is damaged.

    The libraries' own file objects would lose what came before an early end, or say nothing of it.
    """
    unpacker = make()
    for packed in chunks:
        while packed:
            if unpacker.eof:
                unpacker = make()
            try:
                block = unpacker.decompress(packed)
            except Exception as error:  # each library has its own; all mean the same
                raise EOFError(str(error)) from error
            if block:
                yield block
            packed = unpacker.unused_data if unpacker.eof else b""
    if not unpacker.eof:
        raise EOFError


def _gzip() -> Any:
    return zlib.decompressobj(wbits=31)


def _zstd() -> Any:
    import zstandard

    return zstandard.ZstdDecompressor().decompressobj()


_UNPACKERS: tuple[tuple[bytes, Callable[[], Any]], ...] = (
    (b"\x1f\x8b", _gzip),
    (b"BZh", bz2.BZ2Decompressor),
    (b"\x28\xb5\x2f\xfd", _zstd),
)


def decode(data: bytes, name: str, report: Report) -> str:
    """Return text from UTF-8 (with or without BOM) or, line by line, from Latin-1."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", errors="replace")
    data = data.removeprefix(b"\xef\xbb\xbf").removesuffix(b"\x1a")  # BOM; the end mark of DOS
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    lines = data.splitlines(keepends=True)
    text = [_decode_line(line) for line in lines]
    odd = [
        n
        for n, (line, t) in enumerate(zip(lines, text, strict=True), start=1)
        if t.encode() != line
    ]
    more = f", and {len(odd) - 1} more lines" if len(odd) > 1 else ""
    report.add(name, odd[0], "noted", f"not UTF-8: read as Latin-1 (Windows-1252){more}")
    return "".join(text)


def _decode_line(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("cp1252", errors="replace")
