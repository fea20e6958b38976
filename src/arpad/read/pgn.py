"""PGN, streaming: headers of millions of games, or game by game with moves."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import polars as pl

from arpad.read import pgn_scan
from arpad.read.collect import Collector
from arpad.read.fields import rating_number, split_date, split_result
from arpad.read.movetext import Ply, mainline
from arpad.read.pgn_pieces import pieces
from arpad.read.pgn_scan import ENDINGS, FLAG_MATE, FLAG_OPEN_COMMENT, TAGS
from arpad.read.report import Note, Report
from arpad.read.source import Source
from arpad.schema import STATUS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from arpad.model import Games

__all__ = ["PgnGame", "iterate", "read_pgn"]

KERNEL_FROM = 24_000_000
"""Bytes from which on compiling (or loading) the kernel costs less than it saves."""

NAMELESS = ("", "?")

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


@dataclass(frozen=True, slots=True)
class _Scanned:
    """The games found in one piece of a file, as columns."""

    data: bytes
    columns: dict[str, pl.Series]
    tags: dict[str, pl.Series]


def read_pgn(source: Source, *, kernel: bool | None = None) -> Games:
    """Read the headers of every game.

    Parameters
    ----------
    kernel
        Use the compiled scanner; by default for large files only.
    """
    report = source.report
    collector = Collector(source.name, report)
    last: _Scanned | None = None
    by = _by_kernel if (_is_large(source) if kernel is None else kernel) else _by_reference
    for scanned, raw, notes in _ahead(lambda piece: _work(piece, by, source.name), pieces(source)):
        for note in notes:
            report.add(note.file, note.line, note.action, note.reason)
        collector.add(raw)
        last = scanned
    if (
        last
        and len(last.columns["line"])
        and last.columns["plies"][-1]
        and not last.columns["ending"][-1]
    ):
        why = "the last game has no result behind its moves: cut off?"
        report.add(source.name, last.columns["line"][-1], "noted", why)
    return collector.games()


def iterate(path: str | Path, *, report: Report | None = None) -> Iterator[PgnGame]:
    """Yield the games of a file one by one, with all tags and their moves; memory stays flat."""
    for data, line in pieces(Source(str(path), Report() if report is None else report)):
        for game in pgn_scan.scan(data, line):
            head = data[game.begin : game.text if game.text >= 0 else game.end]
            tags: dict[str, str] = {}
            for text in head.split(b"\n"):
                if found := pgn_scan.TAG_LINE.match(text):
                    tags.setdefault(found[1].decode(), _decoded(found[2]).strip())
            yield PgnGame(tags, _decoded(b"\n".join(game.lines)), game.line)


def _is_large(source: Source) -> bool:
    if source.is_stream:
        return len(source.peek(KERNEL_FROM)) >= KERNEL_FROM
    size = Path(source.name).stat().st_size
    packed = source.name.endswith((".gz", ".bz2", ".zst"))
    return size * (4 if packed else 1) > KERNEL_FROM


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


def _work(
    piece: tuple[bytes, int], scan: Callable[[bytes, int], _Scanned], file: str
) -> tuple[_Scanned, pl.DataFrame, list[Note]]:
    scanned = scan(*piece)
    report = Report()
    return scanned, _raw(scanned, file, report), report.notes


def _by_reference(data: bytes, line: int) -> _Scanned:
    games = pgn_scan.scan(data, line)
    names = ("begin", "line", "text", "end", "plies", "ending", "flags", "tags")
    columns = {n: pl.Series(n, [getattr(g, n) for g in games], dtype=pl.Int64) for n in names}
    columns["moves"] = pl.Series("moves", [g.moves for g in games], dtype=pl.UInt64)
    tags = {
        name: pl.Series(name, [data[slice(*g.values[i])] for g in games], dtype=pl.Binary)
        for i, name in enumerate(TAGS)
    }
    return _Scanned(data, columns, tags)


def _by_kernel(data: bytes, line: int) -> _Scanned:
    import pyarrow as pa

    from arpad.read import pgn_kernel

    array = np.frombuffer(data, dtype=np.uint8)
    rows, values, moves = pgn_kernel.scan(array, line)
    columns = {n: pl.Series(n, rows[:, i]) for i, n in enumerate(pgn_kernel.COLUMNS)}
    columns["moves"] = pl.Series("moves", moves)
    tags = {}
    for number, name in enumerate(TAGS):
        text, offsets = pgn_kernel.gather(array, values[:, number, :])
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(text)]
        binary = pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(rows), buffers)
        tags[name] = pl.Series(name, pl.from_arrow(binary))
    return _Scanned(data, columns, tags)


def _raw(piece: _Scanned, file: str, report: Report) -> pl.DataFrame:
    """Columns of text to the typed columns that `Collector` takes."""
    lines = piece.columns["line"]
    frame = pl.DataFrame(
        [_text(series, lines, file, report) for series in piece.tags.values()]
    ).with_columns(piece.columns.values())
    strange = (pl.col("tags") == 0) & (pl.col("plies") == 0)
    for line in frame.filter(strange)["line"]:
        report.add(file, line, "skipped", "text that belongs to no game: no tags, no moves")
    frame = frame.filter(~strange)
    frame = _settle_results(frame, piece.data, file, report)
    frame = frame.with_columns(*split_result("Result"))
    for line, result in frame.filter(pl.col("unread")).select("line", "Result").iter_rows():
        report.add(file, line, "skipped", f"expected a result such as 1-0, found {result!r}")
    frame = frame.filter(~pl.col("unread"))
    # "Time forfeit" is a game that was played; these words are what `arpad convert` writes.
    said = pl.col("Termination").str.to_lowercase()
    for word in ("forfeit", "unrated", "unplayed"):
        status = pl.when(said == word).then(pl.lit(word, dtype=STATUS)).otherwise("status")
        frame = frame.with_columns(status.alias("status"))
    frame = frame.with_columns(split_date(frame["Date"]).rename({"unread": "no_date"}))
    for line, text in frame.filter(pl.col("no_date")).select("line", "Date").iter_rows():
        report.add(file, line, "repaired", f"expected a date, found {text!r}: taken as unknown")
    for tag in ("WhiteElo", "BlackElo"):
        text = frame[tag]
        frame = frame.with_columns(*rating_number(tag))
        bad = frame[f"{tag}_unread"]
        for line, value in zip(frame["line"].filter(bad), text.filter(bad), strict=True):
            report.add(
                file,
                line,
                "repaired",
                f"expected a rating in {tag}, found {value!r}: taken as unrated",
            )
    return frame.select(
        *[pl.when(~pl.col(t).is_in(NAMELESS)).then(t).alias(t.lower()) for t in ("White", "Black")],
        *[_known("WhiteFideId", "white_id"), _known("BlackFideId", "black_id")],
        *[_known("WhiteTitle", "white_title"), _known("BlackTitle", "black_title")],
        *["score", "black_score", "status"],
        "date",
        "precision",
        *[_known("Event", "event"), _known("Site", "site"), _known("Round", "round")],
        *[pl.col("WhiteElo").alias("white_rating"), pl.col("BlackElo").alias("black_rating")],
        pl.col("plies").cast(pl.Int32),
        pl.when(pl.col("plies") > 0).then("moves").alias("moves"),
        "line",
    )


def _known(tag: str, name: str) -> pl.Expr:
    unknown = ("", "?", "-", "0") if name.endswith("_id") else ("", "?", "-")
    return pl.when(~pl.col(tag).is_in(unknown)).then(tag).alias(name)


def _text(series: pl.Series, lines: pl.Series, file: str, report: Report) -> pl.Series:
    """Decode one tag: UTF-8, or Latin-1 where it is not; undo the escapes."""
    try:
        text = series.cast(pl.String)
    except pl.exceptions.PolarsError:  # one value that is not UTF-8 is enough
        text = pl.Series(series.name, [_decoded(value) for value in series], dtype=pl.String)
        for line, value, word in zip(lines, series, text, strict=True):
            if value != word.encode():
                why = f"{series.name} is not UTF-8: read as Latin-1, {word!r}"
                report.add(file, line, "noted", why)
    if text.str.contains("\\", literal=True).any():
        text = text.str.replace_all(r'\\(["\\])', "$1")
    return text.str.strip_chars()


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def _settle_results(frame: pl.DataFrame, data: bytes, file: str, report: Report) -> pl.DataFrame:
    """Compare the Result tag with the end of the moves and with a mate on the board."""
    tag = pl.col("Result")
    open_tag = tag.is_in(("", "*", "?"))
    ending = pl.col("ending").replace_strict(range(len(ENDINGS)), ENDINGS, return_dtype=pl.String)
    doubtful = frame.with_columns(ending.alias("_end")).filter(
        (pl.col("_end").is_in(("1-0", "0-1", "1/2-1/2")) & (tag != pl.col("_end")))
        | ((pl.col("flags") & (FLAG_MATE | FLAG_OPEN_COMMENT)) > 0)
    )
    if doubtful.is_empty():
        return frame
    mended: dict[int, str] = {}
    for row in doubtful.with_columns(open_tag.alias("_open")).iter_rows(named=True):
        line, stated = row["line"], row["Result"]
        if row["flags"] & FLAG_OPEN_COMMENT:
            report.add(
                file, line, "noted", "a comment { is never closed: moves behind it are not read"
            )
        if row["flags"] & FLAG_MATE and (board := _mated(row, data)) is not None:
            if stated != board:
                why = f"the Result tag says {stated or 'nothing'!r}, but the board shows mate: {board}"
                report.add(file, line, "repaired", why)
                mended[line] = board
        elif row["_end"] in ENDINGS[1:4] and row["_end"] != stated:
            if row["_open"]:
                why = f"the Result tag says {stated or 'nothing'!r}: {row['_end']} taken from the end of the moves"
                report.add(file, line, "repaired", why)
                mended[line] = row["_end"]
            else:
                why = f"the Result tag says {stated!r}, the end of the moves {row['_end']}: the tag is taken"
                report.add(file, line, "noted", why)
    if not mended:
        return frame
    fixed = pl.col("line").replace_strict(
        list(mended), list(mended.values()), default=None, return_dtype=pl.String
    )
    return frame.with_columns(pl.coalesce(fixed, tag).alias("Result"))


def _mated(row: dict[str, Any], data: bytes) -> str | None:
    """Play the game over; return the result if it does end in mate, else None.

    Only games with a mate sign whose result says otherwise come here.
    """
    plies, fen = row["plies"], row["FEN"] or ""
    black_begins = len(fen.split()) > 1 and fen.split()[1] == "b"
    likely = "1-0" if (plies % 2 == 1) != black_begins else "0-1"
    if row["Result"] == likely:
        return likely
    import chess

    text = _decoded(data[row["text"] : row["end"]])
    try:
        board = chess.Board(fen or chess.STARTING_FEN)
        for ply in mainline(text)[1]:
            board.push_san(ply.san)
    except ValueError:
        return None
    return board.result() if board.is_checkmate() else None
