"""PGN, streaming: headers of millions of games, or game by game with moves."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np
import polars as pl

from arpad.read.collect import Collector
from arpad.read.pgn import scan as pgn_scan
from arpad.read.pgn.movetext import Ply, mainline
from arpad.read.pgn.scan import TAGS, Scanned, decoded, pieces, raw_columns
from arpad.read.source import Note, Report, Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from arpad.model import Games


KERNEL_FROM = 16_000_000
"""Bytes from which on compiling (or loading) the kernel costs less than it saves."""
ITERATE_PIECE = 1 << 22
Look: TypeAlias = "Callable[[Scanned, str, Report], tuple[pl.DataFrame, ...]]"
"""Takes what was scanned, the file's name and a report; returns frames, whose column `line` is counted on."""
In = TypeVar("In")
Out = TypeVar("Out")


@dataclass(frozen=True, slots=True)
class PgnGame:
    """One game with all its tags and its moves as they stand in the file."""

    tags: dict[str, str]
    movetext: str
    line: int

    def mainline(self) -> tuple[str, list[Ply]]:
        """Return the comment before the first move, and the plies of the main line."""
        return mainline(self.movetext)


def read_pgn(source: Source, *, kernel: bool | None = None) -> Games:
    """Read the headers of every game.

    Parameters
    ----------
    kernel
        Use the compiled scanner; by default for large files only.
    """
    return read_pgn_and(source, None, kernel=kernel)[0]


def read_pgn_and(
    source: Source, look: Look | None, *, kernel: bool | None = None
) -> tuple[Games, pl.Series, list[tuple[pl.DataFrame, ...]]]:
    """Read the headers of every game, and let `look` take more out of the same pieces.

    Returns
    -------
    games, lines, looks
        The games; the line in the file at which each of them begins; what `look` returned, piece by
        piece, with every column `line` counted from the beginning of the file.
    """
    report = source.report
    collector = Collector(source.name, report)
    scan = by_kernel if (is_large(source) if kernel is None else kernel) else by_reference
    before = 0  # lines in the pieces so far
    cut: int | None = None
    looks: list[tuple[pl.DataFrame, ...]] = []
    for done in _ahead(lambda piece: _work(piece, scan, source.name, look), pieces(source)):
        for note in done.notes:
            line = None if note.line is None else note.line + before
            report.add(note.file, line, note.action, note.reason)
        collector.add(done.raw.with_columns(pl.col("line") + before))
        looks.append(tuple(_further(frame, before) for frame in done.look))
        cut = None if done.cut is None else done.cut + before
        before += done.lines
    if cut is not None:
        why = "the last game has no result behind its moves: cut off?"
        report.add(source.name, cut, "noted", why)
    games = collector.games()
    return games, collector.lines, looks


def iterate(path: str | Path, *, report: Report | None = None) -> Iterator[PgnGame]:
    """Yield the games of a file one by one, with all tags and their moves; memory stays flat."""
    line = 1
    for data, end in pieces(Source(str(path), Report() if report is None else report), ITERATE_PIECE):
        for game in pgn_scan.scan(data[:end], line):
            head = data[game.begin : game.text if game.text >= 0 else game.end]
            tags: dict[str, str] = {}
            for text in head.split(b"\n"):
                if result := pgn_scan.TAG_LINE.match(text):
                    tags.setdefault(result[1].decode(), decoded(result[2]).strip())
            yield PgnGame(tags, decoded(b"\n".join(game.lines)), game.line)
        line += data.count(b"\n", 0, end)


def is_large(source: Source) -> bool:
    """Say whether the compiled scanner pays for itself."""
    if source.is_stream or source.data is not None:
        return len(source.peek(KERNEL_FROM)) >= KERNEL_FROM
    size = Path(source.name).stat().st_size
    packed = source.name.endswith((".gz", ".bz2", ".zst"))
    return size * (4 if packed else 1) > KERNEL_FROM


def _further(frame: pl.DataFrame, lines: int) -> pl.DataFrame:
    """Count the lines of a piece from the beginning of the file."""
    return frame.with_columns(pl.col("line") + lines) if "line" in frame.columns else frame


def _ahead(function: Callable[[In], Out], items: Iterable[In]) -> Iterator[Out]:
    """Map in order, two items at a time: scanner and columns let go of Python's lock."""
    with ThreadPoolExecutor(2) as pool:
        waiting: deque[Future[Out]] = deque()
        for item in items:
            waiting.append(pool.submit(function, item))
            if len(waiting) > 2:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


@dataclass(frozen=True, slots=True)
class _Done:
    """One piece, ready to be collected; its lines are counted from 1."""

    raw: pl.DataFrame
    notes: list[Note]
    lines: int
    cut: int | None
    """The line of the last game, if no result stands behind its moves."""
    look: tuple[pl.DataFrame, ...]


def _work(
    piece: tuple[bytes, int], scan: Callable[[bytes, int], Scanned], file: str, look: Look | None
) -> _Done:
    scanned = scan(*piece)
    report = Report()
    raw = raw_columns(scanned, file, report)
    more = () if look is None else look(scanned, file, report)
    last = {name: series[-1] for name, series in scanned.columns.items() if len(series)}
    cut = last["line"] if last and last["plies"] and not last["ending"] else None
    return _Done(raw, report.notes, scanned.lines, cut, more)


def by_reference(data: bytes, end: int) -> Scanned:
    """Scan a piece with the readable scanner."""
    data = data[:end]
    games = pgn_scan.scan(data)
    names = ("begin", "line", "text", "end", "plies", "ending", "flags", "tags")
    columns = {n: pl.Series(n, [getattr(g, n) for g in games], dtype=pl.Int64) for n in names}
    columns["moves"] = pl.Series("moves", [g.moves for g in games], dtype=pl.UInt64)
    tags = {
        name: pl.Series(name, [data[slice(*g.values[i])].strip(b" \t") for g in games], dtype=pl.Binary)
        for i, name in enumerate(TAGS)
    }
    escaped = {name for name, series in tags.items() if any(b"\\" in value for value in series)}
    return Scanned(data, columns, tags, data.count(b"\n"), escaped)


def by_kernel(data: bytes, end: int) -> Scanned:
    """Scan a piece with the compiled scanner."""
    import nanoarrow as na

    from arpad.read.pgn import header_kernel as pgn_kernel
    from arpad.read.pgn.header_kernel import gather

    array = np.frombuffer(data, dtype=np.uint8, count=end)
    rows, values, moves, lines = pgn_kernel.scan(array)
    columns = {n: pl.Series(n, rows[:, i]) for i, n in enumerate(pgn_kernel.COLUMNS)}
    columns["moves"] = pl.Series("moves", moves)
    tags = {}
    text, starts, offsets, slashes = gather(array, values)
    for number, name in enumerate(TAGS):
        own = text[starts[number] : starts[number] + offsets[number, -1]]
        binary = na.c_array_from_buffers(na.large_binary(), len(rows), [None, offsets[number], own])
        tags[name] = pl.Series(binary).alias(name)
    escaped = {name for name, result in zip(TAGS, slashes, strict=True) if result}
    return Scanned(data, columns, tags, lines, escaped)
