"""A journal of evaluations: lines with check sums, appended and synced, whole up to the last one."""

from __future__ import annotations

import errno
import os
import zlib
from typing import TYPE_CHECKING

from arpad.errors import InputError
from arpad.evaluation import Evaluation, Line

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["Journal", "read_journal"]

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""What a system says when there is no more room."""


def _encoded(evaluation: Evaluation) -> bytes:
    lines = ";".join(
        f"{x.move} {'#' if x.cp is None else ''}{x.mate if x.cp is None else x.cp} {x.depth} {x.nodes}"
        for x in evaluation.lines
    )
    body = f"{evaluation.epd}\t{evaluation.searchmoves}\t{lines}".encode()
    return b"%08x\t%b\n" % (zlib.crc32(body), body)


def _decoded(row: bytes) -> Evaluation | None:
    """Return what a line says; None where it is torn or was changed."""
    check, _, body = row.partition(b"\t")
    if check != b"%08x" % zlib.crc32(body):
        return None
    epd, searchmoves, text = body.decode().split("\t")
    lines = []
    for part in text.split(";"):
        move, value, depth, nodes = part.split(" ")
        mate = int(value[1:]) if value.startswith("#") else None
        cp = None if mate is not None else int(value)
        lines.append(Line(move=move, cp=cp, mate=mate, depth=int(depth), nodes=int(nodes)))
    return Evaluation(epd=epd, searchmoves=searchmoves, lines=tuple(lines))


def read_journal(path: Path) -> tuple[list[Evaluation], int]:
    """Return what a journal holds, and where its last whole line ends.

    A process that was killed leaves a torn line at the end; one that was damaged later is left out.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return [], 0
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=str(path)) from None
    found: list[Evaluation] = []
    begin = whole = 0
    while (end := data.find(b"\n", begin)) >= 0:
        evaluation = _decoded(data[begin:end])
        begin = end + 1
        if evaluation is not None:
            found.append(evaluation)
            whole = begin
    return found, whole


class Journal:
    """A journal that is open for writing; a torn end is cut off first.

    Parameters
    ----------
    path
        The file; it is made if it is not there.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.evaluations, self._end = read_journal(path)
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o666)
            os.ftruncate(self._file, self._end)
        except OSError as error:
            raise InputError(f"cannot be written: {error.strerror}", file=str(path)) from None

    def append(self, evaluations: Iterable[Evaluation]) -> None:
        """Add evaluations: when this returns they are on the disk, when it raises none of them is."""
        data = b"".join(map(_encoded, evaluations))
        try:
            at = self._end
            view = memoryview(data)
            while view:
                written = os.pwrite(self._file, view, at)
                at, view = at + written, view[written:]
            os.fsync(self._file)
        except OSError as error:
            os.ftruncate(self._file, self._end)
            if error.errno in FULL:
                raise InputError(
                    "the disk is full. What was analysed before is kept: make room and give the same command again",
                    file=str(self.path),
                ) from None
            raise InputError(f"cannot be written: {error.strerror}", file=str(self.path)) from None
        self._end = at

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._file)
