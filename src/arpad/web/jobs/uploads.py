"""Uploaded files: unpacked with limits, and kept in the ledger between preview and import."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import re
import secrets
import time
import zipfile
import zlib
from contextlib import ExitStack
from datetime import timedelta
from typing import IO, TYPE_CHECKING, cast

import sqlalchemy as sa

from arpad.errors import InputError
from arpad.ledger.db import tables
from arpad.read.formats import guess
from arpad.web.jobs import records

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlalchemy.engine import Connection

    from arpad.ledger.db.ledger import Ledger


KEPT = 24 * 3600  # seconds that a file is kept which nobody confirms
PART = 1 << 20  # bytes of a file in one row of the table
LONGEST = 100  # characters of a file's name that are shown
_u = tables.uploads.c


def keep_upload(connection: Connection, path: Path) -> str:
    """Copy a file into the ledger, where every server that shares it finds it; return its key."""
    key, created = secrets.token_hex(16), tables.now()
    with path.open("rb") as source:
        for part, content in enumerate(iter(lambda: source.read(PART), b"")):
            connection.execute(
                tables.uploads.insert().values(
                    key=key, part=part, created=created, content=zlib.compress(content, 1)
                )
            )
    return key


def has_upload(connection: Connection, key: str) -> bool:
    """Say whether the ledger holds an uploaded file."""
    return connection.execute(sa.select(_u.part).where(_u.key == key).limit(1)).first() is not None


def copy_upload(ledger: Ledger, key: str, target: Path) -> bool:
    """Write an uploaded file out of the ledger; False: it is not there any more."""
    query = sa.select(_u.content).where(_u.key == key, _u.part == sa.bindparam("part"))
    part = 0
    with target.open("wb") as out, ledger.reading() as connection:
        while content := connection.execute(query, {"part": part}).scalar():
            out.write(zlib.decompress(content))
            part += 1
    return part > 0


def drop_upload(connection: Connection, key: str) -> None:
    """Remove an uploaded file from the ledger."""
    connection.execute(sa.delete(tables.uploads).where(_u.key == key))


def shown_name(name: str | None) -> str:
    r"""Return a name as it is shown and kept beside the import: one line, no folder, not too long.

    Examples
    --------
    >>> shown_name("../../etc/pass\x00wd"), shown_name("C:\\games\\open.pgn"), shown_name("")
    ('passwd', 'open.pgn', 'upload')
    """
    last = re.split(r"[/\\\\]", name or "")[-1]
    plain = "".join(c for c in last if c.isprintable()).strip(" .")
    if len(plain) > LONGEST:
        plain = plain[: LONGEST - 10] + "…" + plain[-9:]
    return plain or "upload"


def sweep(ledger: Ledger, *, older: float = KEPT) -> int:
    """Remove files that nobody has confirmed for a day and that no job waits for; return how many."""
    before = tables.now() - timedelta(seconds=older)
    with ledger.reading() as connection:
        if connection.execute(sa.select(_u.key).where(_u.created < before).limit(1)).first() is None:
            return 0
    with ledger.writing("server", "old uploads") as connection:
        wanted = {str(j.arguments.get("file")) for j in records.jobs_in(connection, records.OPEN)}
        old = connection.execute(sa.select(_u.key).where(_u.created < before).distinct()).scalars().all()
        gone = [key for key in old if key not in wanted]
        for key in gone:
            drop_upload(connection, key)
        for each in records.last_jobs(connection, 1000, records.PREVIEW):
            if each.created < before:
                records.remove_job(connection, each.id)
    return len(gone)


BLOCK = 1 << 16
PIECE = 256  # bytes of a Zstandard file that are unpacked at once: four may become 128 KiB
CUT = "the file ends too early: it was cut off on the way; upload it again"
WINDOW = 1 << 27  # bytes of memory that a Zstandard file may need
SECONDS = 60.0  # time that unpacking may take
DIRECTORY = 1 << 16  # bytes of a zip file's own list of its files: one that is longer is no event
END_OF_ZIP = b"PK\x05\x06"
END_LENGTH = 22
MAGIC = {
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\xfd7zXZ": "xz",
    b"7z\xbc\xaf": "7z",
    b"Rar!": "rar",
}
SPREADSHEETS = ("xlsx", "ods", "docx")
PLAIN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # ways to pack that need little memory


def unpack(source: IO[bytes], target: Path, *, most: int, name: str) -> str:
    """Copy an upload into a file, unpacked if it is packed, and return the hash of what is in it.

    An InputError says that more than `most` bytes came out, that it took too long, or that it cannot be unpacked.
    """
    ends = time.monotonic() + SECONDS
    kind = _kind(source, most, ends, name)
    digest, written = hashlib.sha256(), 0
    head = b""
    try:
        with target.open("wb") as out:
            for block in _blocks(source, kind, name):
                written += len(block)
                if written > most:
                    raise _too_long(most, name)
                if time.monotonic() > ends:
                    raise InputError("unpacking takes too long", file=name)
                head = head or block
                if kind not in (None, "files") and _packed(head) and not _is_spreadsheet(head):
                    raise InputError(
                        f"packed twice ({kind}, then {_packed(head)}): upload what is inside", file=name
                    )
                digest.update(block)
                out.write(block)
        if kind != "files" and _is_spreadsheet(head):
            with target.open("rb") as made:
                _check_members(made, most, ends, name)
    except BaseException:
        target.unlink(missing_ok=True)
        raise
    return digest.hexdigest()


def _packed(head: bytes) -> str | None:
    return next((kind for magic, kind in MAGIC.items() if head.startswith(magic)), None)


def _is_spreadsheet(head: bytes) -> bool:
    return head[:2] == b"PK" and guess(head, "") in SPREADSHEETS


def _kind(source: IO[bytes], most: int, ends: float, name: str) -> str | None:
    """Return how a file is packed; "files" is a zip file that is kept as it is: a spreadsheet, or several files."""
    source.seek(0)
    head = source.read(BLOCK)
    kind = _packed(head)
    source.seek(0)
    if kind == "zip":
        _check_directory(source, name)
        if _check_members(source, most, ends, name) > 1 or _is_spreadsheet(head):
            kind = "files"
        source.seek(0)
    return kind


def _check_members(source: IO[bytes], most: int, ends: float, name: str) -> int:
    """Return the number of files in a zip file; unpack several of them once to see that they are not too large."""
    try:
        with zipfile.ZipFile(source) as folder:
            inside = _members_of(folder)
            left = most
            for one in inside if len(inside) > 1 else ():
                _check_plain(one, name)
                with folder.open(one) as packed:
                    while block := packed.read(BLOCK):
                        left -= len(block)
                        if left < 0:
                            raise _too_long(most, name)
                        if time.monotonic() > ends:
                            raise InputError("unpacking takes too long", file=name)
            return len(inside)
    except InputError:
        raise
    except Exception as error:  # zipfile and zlib raise many kinds
        raise InputError(f"cannot be unpacked (zip: {error}): is it whole?", file=name) from None


def _members_of(folder: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    return [m for m in folder.infolist() if not m.is_dir() and not m.filename.startswith("__MACOSX/")]


def _too_long(most: int, name: str) -> InputError:
    return InputError(
        f"too long: at most {most / 1024 / 1024:.3g} MiB are taken when it is unpacked", file=name
    )


def _blocks(source: IO[bytes], kind: str | None, name: str) -> Iterator[bytes]:
    """Give what is in an upload, never more than a block at once."""
    try:
        with ExitStack() as opened:
            unpacked: IO[bytes]
            match kind:
                case None | "files":
                    unpacked = source
                case "zip":
                    unpacked = opened.enter_context(_only_member(source, name))
                case "gzip" | "bzip2":
                    opener = gzip.open if kind == "gzip" else bz2.open
                    unpacked = cast("IO[bytes]", opened.enter_context(opener(source)))
                case "zstd":
                    yield from _zstd(source, name)
                    return
                case _:
                    raise InputError(
                        f"expected a file, or one packed with zip, gzip, bzip2 or Zstandard; found {kind}",
                        file=name,
                    )
            while block := unpacked.read(BLOCK):
                yield block
    except InputError:
        raise
    except EOFError:
        raise InputError(CUT, file=name) from None
    except Exception as error:  # each library has its own; all mean the same
        raise InputError(f"cannot be unpacked ({kind}: {error}): is it whole?", file=name) from None


def _zstd(source: IO[bytes], name: str) -> Iterator[bytes]:
    """Unpack one frame after the other; a reader of streams would not say that the last one is cut off."""
    import zstandard

    frames = zstandard.ZstdDecompressor(max_window_size=WINDOW)
    unpacker = frames.decompressobj()
    while packed := source.read(PIECE):
        while packed:
            if unpacker.eof:
                unpacker = frames.decompressobj()
            result = unpacker.decompress(packed)
            packed = unpacker.unused_data if unpacker.eof else b""
            for at in range(0, len(result), BLOCK):
                yield result[at : at + BLOCK]
    if not unpacker.eof:
        raise InputError(CUT, file=name)


def _only_member(source: IO[bytes], name: str) -> IO[bytes]:
    folder = zipfile.ZipFile(source)
    inside = _members_of(folder)
    if not inside:
        raise InputError("there is no file in the zip file: upload the event itself", file=name)
    _check_plain(inside[0], name)
    return folder.open(inside[0])


def _check_plain(one: zipfile.ZipInfo, name: str) -> None:
    if one.flag_bits & 1 or one.compress_type not in PLAIN:
        raise InputError("expected a plain zip file, found an encrypted or unusual one", file=name)


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
        raise InputError("too many files in the zip file: upload fewer at once", file=name)
