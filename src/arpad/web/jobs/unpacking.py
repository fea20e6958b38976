"""What was uploaded, unpacked with limits: a small file that would fill the disk is refused on the way."""

from __future__ import annotations

import bz2
import hashlib
import time
import zipfile
import zlib
from typing import IO, TYPE_CHECKING, Any

from arpad.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["unpack"]

BLOCK = 1 << 16
PIECE = 256
"""Bytes of a Zstandard file that are unpacked at once: four may become 128 KiB."""

CUT = "the file ends too early: it was cut off on the way; upload it again"
WINDOW = 1 << 27
"""Bytes of memory that a Zstandard file may ask for."""

SECONDS = 60.0
"""Time that unpacking may take."""

DIRECTORY = 1 << 16
"""Bytes of a zip file's own list of its files: one that is longer is no event."""

END_OF_ZIP = b"PK\x05\x06"
END_LENGTH = 22
MAGIC = {
    b"PK\x03\x04": "zip", b"PK\x05\x06": "zip", b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\x28\xb5\x2f\xfd": "zstd",
    b"\xfd7zXZ": "xz", b"7z\xbc\xaf": "7z", b"Rar!": "rar",
}  # fmt: skip
PLAIN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Ways to pack that need little memory."""


def unpack(source: IO[bytes], target: Path, *, most: int, name: str) -> str:
    """Copy an upload into a file, unpacked if it is packed, and return the hash of what is in it.

    Parameters
    ----------
    most
        Bytes that may come out.
    name
        What messages call the file.

    Raises
    ------
    InputError
        If more comes out, if it takes too long, if something packed comes out, or if it cannot be unpacked.
    """
    kind = _kind(source)
    ends = time.monotonic() + SECONDS
    digest, written = hashlib.sha256(), 0
    head = b""
    try:
        with target.open("wb") as out:
            for block in _blocks(source, kind, name):
                written += len(block)
                if written > most:
                    raise InputError(f"too long: at most {most / 1024 / 1024:.3g} MiB are taken when it is unpacked", file=name)  # fmt: skip
                if time.monotonic() > ends:
                    raise InputError("unpacking takes too long", file=name)
                head = head or block[:8]
                if kind and _packed(head):
                    raise InputError(f"packed twice ({kind}, then {_packed(head)}): upload what is inside", file=name)  # fmt: skip
                digest.update(block)
                out.write(block)
    except BaseException:
        target.unlink(missing_ok=True)
        raise
    return digest.hexdigest()


def _packed(head: bytes) -> str | None:
    return next((kind for magic, kind in MAGIC.items() if head.startswith(magic)), None)


def _kind(source: IO[bytes]) -> str | None:
    source.seek(0)
    kind = _packed(source.read(8))
    source.seek(0)
    return kind


def _blocks(source: IO[bytes], kind: str | None, name: str) -> Iterator[bytes]:
    ways: dict[str | None, Callable[[IO[bytes], str], Iterator[bytes]]] = {
        None: _plain, "zip": _zip, "gzip": _gzip, "bzip2": _bzip2, "zstd": _zstd,
    }  # fmt: skip
    if kind not in ways:
        raise InputError(f"expected a file, or one packed with zip, gzip, bzip2 or Zstandard; found {kind}", file=name)  # fmt: skip
    try:
        yield from ways[kind](source, name)
    except InputError:
        raise
    except Exception as error:  # each library has its own; all mean the same
        raise InputError(f"cannot be unpacked ({kind}: {error}): is it whole?", file=name) from None


def _plain(source: IO[bytes], _: str) -> Iterator[bytes]:
    while block := source.read(BLOCK):
        yield block


def _gzip(source: IO[bytes], name: str) -> Iterator[bytes]:
    return _members(source, name, lambda: zlib.decompressobj(wbits=31), _zlib_more)


def _bzip2(source: IO[bytes], name: str) -> Iterator[bytes]:
    return _members(source, name, bz2.BZ2Decompressor, _bz2_more)


def _members(
    source: IO[bytes],
    name: str,
    make: Callable[[], Any],
    more: Callable[[Any, bytes], Iterator[bytes]],
) -> Iterator[bytes]:
    """Unpack one member after the other, never more than a block at once."""
    unpacker = make()
    while packed := source.read(BLOCK):
        while packed:
            if unpacker.eof:
                unpacker = make()
            yield from more(unpacker, packed)
            packed = unpacker.unused_data if unpacker.eof else b""
    if not unpacker.eof:
        raise InputError(CUT, file=name)


def _zlib_more(unpacker: Any, packed: bytes) -> Iterator[bytes]:
    while packed and not unpacker.eof:
        block = unpacker.decompress(packed, BLOCK)
        if block:
            yield block
        packed = unpacker.unconsumed_tail


def _bz2_more(unpacker: Any, packed: bytes) -> Iterator[bytes]:
    yield unpacker.decompress(packed, BLOCK)
    while not unpacker.eof and not unpacker.needs_input:
        yield unpacker.decompress(b"", BLOCK)


def _zstd(source: IO[bytes], name: str) -> Iterator[bytes]:
    """Unpack one frame after the other; a reader of streams would not say that the last one is cut off."""
    import zstandard

    frames = zstandard.ZstdDecompressor(max_window_size=WINDOW)
    unpacker = frames.decompressobj()
    while packed := source.read(PIECE):
        while packed:
            if unpacker.eof:
                unpacker = frames.decompressobj()
            found = unpacker.decompress(packed)
            packed = unpacker.unused_data if unpacker.eof else b""
            for at in range(0, len(found), BLOCK):
                yield found[at : at + BLOCK]
    if not unpacker.eof:
        raise InputError(CUT, file=name)


def _zip(source: IO[bytes], name: str) -> Iterator[bytes]:
    _check_directory(source, name)
    with zipfile.ZipFile(source) as folder:
        inside = [
            m for m in folder.infolist()
            if not m.is_dir() and not m.filename.startswith("__MACOSX/")
        ]  # fmt: skip
        if not inside:
            raise InputError("there is no file in the zip file: upload the event itself", file=name)
        if len(inside) != 1:
            raise InputError(f"expected one file in the zip file, found {len(inside)}: upload them one by one", file=name)  # fmt: skip
        one = inside[0]
        if one.flag_bits & 1 or one.compress_type not in PLAIN:
            raise InputError("expected a plain zip file, found an encrypted or unusual one", file=name)  # fmt: skip
        with folder.open(one) as packed:
            while block := packed.read(BLOCK):
                yield block


def _check_directory(source: IO[bytes], name: str) -> None:
    """Refuse a zip file whose list of files alone would fill the memory."""
    source.seek(0, 2)
    size = source.tell()
    source.seek(max(0, size - DIRECTORY - END_LENGTH))
    tail = source.read()
    source.seek(0)
    at = tail.rfind(END_OF_ZIP)
    if at < 0 or len(tail) - at < END_LENGTH:
        raise InputError(f"the zip file has no end ({CUT})", file=name)
    length = int.from_bytes(tail[at + 12 : at + 16], "little")
    if length > DIRECTORY:
        raise InputError("too many files in the zip file: upload one", file=name)
