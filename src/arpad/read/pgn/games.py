"""The reader of PGN: games by their headers, and moves, evaluations and clocks as columns."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np
import polars as pl

from arpad.model import schema
from arpad.read.collect import Collector
from arpad.read.pgn import scan as pgn_scan
from arpad.read.pgn.movetext import BEHIND_RESULT, OPEN_VARIATION, Ply, evaluations, mainline
from arpad.read.pgn.scan import TAGS, Scanned, decoded, pieces, raw_columns
from arpad.read.source import Note, Report, Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from arpad.model import Games
    from arpad.read.pgn.movetext import Marks


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

    `kernel`: Use the compiled scanner; by default for large files only.
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


# Moves, evaluations and clocks out of pieces of PGN, as columns: by the reference or by the kernel.
#
# Both looks are what `pgn.read_pgn_and` wants: they take a piece in which the games were found already.

TURN = pl.Enum(["w", "b"])
MARKS = schema(
    {
        "cp": pl.Int32,  # centipawns, from White's side; null: not known, or a mate score
        "mate": pl.Int32,  # moves to mate; negative: Black mates; 0: mate is on the board
        "depth": pl.Int32,  # of the engine's search
        "clock": pl.Float64,  # seconds left to who has moved
        "spent": pl.Float64,  # seconds spent on the move
        "best": pl.String,  # the engine's choice in this position, UCI
        "over": pl.String,  # how the game has ended on the board: mate, stalemate, …
    }
)
PLIES = schema(
    {
        "ply": pl.Int32,  # 0: the starting position
        "turn": TURN,  # who is to move in this position
        "san": pl.String,  # the move that led here; null at ply 0
        **MARKS,
    }
)
STARTS = schema(
    {
        "line": pl.Int64,  # at which the game begins
        "fen": pl.String,  # null: the usual starting position
        "variant": pl.String,  # as the tag says it
        "positions": pl.UInt32,  # rows of this game among the plies
    }
)


def look_by_reference(piece: Scanned, file: str, report: Report) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the plies (`PLIES`) and the starting positions (`STARTS`) of the games in a piece."""
    plies, counts = _read(piece, range(len(piece.columns["line"])), file, report)
    starts = _starts(piece, counts)
    return _numbered(plies, starts), starts


def look_by_kernel(piece: Scanned, file: str, report: Report) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the same, by the compiled scanner."""
    from arpad.read.pgn import move_kernels as kernel

    data = np.frombuffer(piece.data, dtype=np.uint8)
    texts, ends = (piece.columns[c].to_numpy() for c in ("text", "end"))
    moves, comments, counts, flags = kernel.scan_moves(data, texts, ends)
    plies = _columns(data, moves, comments)
    for game in np.flatnonzero(flags & (kernel.OPEN | kernel.BEHIND)):
        why = OPEN_VARIATION if flags[game] & kernel.OPEN else BEHIND_RESULT
        report.add(file, piece.columns["line"][int(game)], "noted", why)
    strange = np.flatnonzero(flags & kernel.STRANGE)
    if len(strange):
        theirs, their_counts = _read(piece, strange.tolist(), file, report)
        every = np.concatenate((np.repeat(np.arange(len(counts)), counts), np.repeat(strange, their_counts)))
        plies = pl.concat([plies, theirs])[np.argsort(every, kind="stable")]
        counts[strange] = their_counts
    starts = _starts(piece, pl.Series(counts))
    return _numbered(plies, starts), starts


def movetext(piece: Scanned, game: int) -> str:
    """Return the moves of one game without lines that are escaped by ``%``."""
    text, end = piece.columns["text"][game], piece.columns["end"][game]
    if text < 0:
        return ""
    result = pgn_scan.scan(piece.data[text:end])
    return decoded(b"\n".join(line for game in result for line in game.lines))


def _read(piece: Scanned, games: Iterable[int], file: str, report: Report) -> tuple[pl.DataFrame, pl.Series]:
    """Return the positions of some games, and how many each has, by the reference."""
    result: list[list[tuple[str | None, Marks]]] = []
    for game in games:
        positions, doubts = evaluations(movetext(piece, game))
        result.append(positions)
        for doubt in doubts:
            report.add(file, piece.columns["line"][game], "noted", doubt)
    rows = [row for game in result for row in game]
    columns = {
        "san": [san for san, _ in rows],
        **{name: [getattr(said, name) for _, said in rows] for name in MARKS},
    }
    counts = pl.Series([len(game) for game in result], dtype=pl.UInt32)
    return pl.DataFrame(columns, schema={"san": pl.String, **MARKS}), counts


def _columns(data: NDArray[np.uint8], moves: NDArray[np.int32], comments: NDArray[np.int32]) -> pl.DataFrame:
    """Return positions as columns; what the kernels call nothing becomes null."""
    from arpad.read.pgn import move_kernels as kernel

    figures, times = kernel.read_commands(data, comments, len(moves))
    numbers = {"cp": kernel.CP, "mate": kernel.MATE, "depth": kernel.DEPTH}
    clocks = {"clock": kernel.CLOCK, "spent": kernel.SPENT}
    texts = {"best": kernel.BEST, "over": kernel.OVER}
    columns = [
        _words(data, moves).alias("san"),
        *(pl.Series(name, figures[:, at].copy()) for name, at in numbers.items()),
        *(pl.Series(name, times[:, at].copy()) for name, at in clocks.items()),
        *(_words(data, figures[:, at : at + 2]).alias(name) for name, at in texts.items()),
    ]
    known = [pl.when(pl.col(name) != kernel.NONE).then(name).alias(name) for name in numbers]
    return pl.DataFrame(columns).with_columns(*known, pl.col(*clocks).fill_nan(None))


def _words(data: NDArray[np.uint8], places: NDArray[np.int32]) -> pl.Series:
    """Copy words out of the text; null where there is no place."""
    import nanoarrow as na

    from arpad.read.pgn.header_kernel import gather

    there = places[:, 0] >= 0
    if not there.any():
        return pl.repeat(None, len(places), dtype=pl.String, eager=True)
    text, _, offsets, _ = gather(data, np.ascontiguousarray(places[:, np.newaxis]))
    words = pl.Series(na.c_array_from_buffers(na.large_string(), len(places), [None, offsets[0], text]))
    return pl.select(pl.when(pl.Series(there)).then(words)).to_series()


def _starts(piece: Scanned, counts: pl.Series) -> pl.DataFrame:
    columns = {name.lower(): tag(piece.tags[name]) for name in ("FEN", "Variant")}
    return pl.DataFrame({"line": piece.columns["line"], **columns, "positions": counts}, schema=STARTS)


def tag(values: pl.Series) -> pl.Series:
    """Decode a tag; null where it is empty or not there."""
    try:
        text = values.cast(pl.String)
    except pl.exceptions.PolarsError:  # one value that is not UTF-8 is enough
        text = pl.Series([decoded(value) for value in values], dtype=pl.String)
    return pl.select(pl.when(text != "").then(text)).to_series()


def black_begins(fen: pl.Series) -> pl.Series:
    """Say of each starting position whether Black is to move in it; null is the usual one.

    Examples
    --------
    >>> black_begins(pl.Series(["8/8/8/8/8/8/8/K1k5  b - -", "8/8/8/8/8/8/8/K1k5 w - -", None])).to_list()
    [True, False, False]
    """
    return fen.cast(pl.String).str.extract(r"^\s*\S+\s+(\S+)").eq_missing("b")


def turn_numbers(fen: pl.Series, game: NDArray[Any], ply: NDArray[Any]) -> NDArray[np.int64]:
    """Return the number of the move that is to be made after this many half-moves of each game.

    Parameters
    ----------
    fen
        The starting position of every game; null is the usual one.
    game, ply
        Position by position, the row of its game and the half-moves made before it.

    Examples
    --------
    >>> turn_numbers(pl.Series(["8/8/8/8/8/8/8/K1k5 b - - 0 30"]), np.zeros(3, int), np.arange(3)).tolist()
    [30, 31, 31]
    """
    number = fen.cast(pl.String).str.extract(r"^\s*(?:\S+\s+){5}0*([1-9]\d{0,3})\s*$").cast(pl.Int64)
    first = number.fill_null(1).to_numpy()[game]
    return np.asarray(first + (ply + black_begins(fen).to_numpy()[game]) // 2)


def _numbered(plies: pl.DataFrame, starts: pl.DataFrame) -> pl.DataFrame:
    """Give every position its number in the game, and who is to move in it."""
    black = black_begins(starts["fen"]).to_numpy()
    counts = starts["positions"].to_numpy().astype(np.int64)
    first = np.repeat(np.cumsum(counts) - counts, counts)
    ply = (np.arange(len(first)) - first).astype(np.int32)
    parity = ((ply + np.repeat(black, counts)) & 1).astype(np.uint8)
    numbers = [pl.Series("ply", ply), pl.Series("turn", parity).cat.to(TURN)]
    return plies.insert_column(0, numbers[0]).insert_column(1, numbers[1])


# The moves of games as they stand in a PGN file, piece by piece: memory stays flat.

LONGEST_TEXT = 1 << 20
"""Bytes of one game's moves and comments; what is longer is no game, and not kept."""
ESCAPED = b"\n%"
TEXTS = schema(
    {
        "line": pl.Int64,  # at which the game begins
        "fen": pl.String,  # null: the usual starting position
        "variant": pl.String,  # as the tag says it
        "text": pl.String,  # moves, comments, variations, result; null: too long
    }
)


def movetexts(path: str, lines: pl.Series, *, kernel: bool | None = None) -> Iterator[pl.DataFrame]:
    """Give the texts of the games that begin at some lines, some megabytes at a time (`TEXTS`).

    Parameters
    ----------
    lines
        The line at which each game begins, as `pgn.read_pgn_and` returns them.
    kernel
        Use the compiled scanner; by default for large files only.
    """
    source = Source(path, Report())
    scan = by_kernel if (is_large(source) if kernel is None else kernel) else by_reference
    before = 0
    for data, end in pieces(source):
        piece = scan(data, end)
        result = pl.DataFrame(
            {
                "line": piece.columns["line"] + before,
                "fen": tag(piece.tags["FEN"]),
                "variant": tag(piece.tags["Variant"]),
            }
        ).with_row_index("at")
        result = result.filter(pl.col("line").is_in(lines.implode()))
        texts = pl.Series("text", [_text(piece, at) for at in result["at"]], dtype=pl.String)
        yield result.with_columns(texts).select(pl.col(name).cast(kind) for name, kind in TEXTS.items())
        before += piece.lines


def _text(piece: Scanned, game: int) -> str | None:
    """Return what stands behind the tags, without escaped lines and what no database takes."""
    begin, end = piece.columns["text"][game], piece.columns["end"][game]
    if begin < 0:
        return ""
    if end - begin > LONGEST_TEXT:
        return None
    raw = piece.data[begin:end]
    text = movetext(piece, game) if ESCAPED in raw else decoded(raw)
    return text.replace("\r\n", "\n").replace("\0", "").strip()
