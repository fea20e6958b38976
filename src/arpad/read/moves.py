"""The front door to moves: main lines of PGN files beside the games that `read` takes from them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.errors import InputError, UsageError
from arpad.read.formats import guess
from arpad.read.pgn import by_kernel, by_reference, read_pgn_and
from arpad.read.pgn_columns import raw_columns
from arpad.read.pgn_moves import look_by_kernel, look_by_reference
from arpad.read.pgn_pieces import pieces
from arpad.read.reading import joined
from arpad.read.report import Report
from arpad.read.source import Source, read_failures

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from arpad.model import Games

__all__ = ["Moves", "iterate_moves", "read_moves"]


PACKED = 4
"""How many times as long a packed file is, about, once it is unpacked."""
KERNEL_FROM = 3_000_000
"""Bytes from which on compiling (or loading) the kernels costs less than it saves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moves:
    """The main lines of some games.

    `plies` has a row for every position of every game: `game` (row of `games.table`), `ply` (0 is the
    starting position), and what the file says of it. `starts` has a row a game: where it stands
    (`file`, `line`), and from which position it starts if not from the usual one (`fen`, `variant`).
    """

    games: Games
    plies: pl.DataFrame
    starts: pl.DataFrame
    report: Report


def read_moves(
    files: str | Path | Sequence[str | Path], *, kernel: bool | None = None, strict: bool = False
) -> Moves:
    """Read the main line of every game that `read` takes from PGN files.

    Parameters
    ----------
    files
        Paths, or ``-`` for standard input.
    kernel
        Use the compiled scanner; by default for large files only.
    strict
        Make an error of the first record that would be skipped or repaired.
    """
    names = [str(files)] if isinstance(files, str | Path) else [str(f) for f in files]
    if not names:
        raise UsageError("expected at least one file")
    report = Report(strict=strict)
    parts = _each(names, report, kernel)
    games, kept = joined([p.games for p in parts], names, report)
    before = 0
    for number, part in enumerate(parts):
        mine = kept.slice(before, len(part.games))
        before += len(part.games)
        first = int(kept.head(before - len(mine)).sum())
        parts[number] = _moved(part, mine, first)
    plies = pl.concat([p.plies for p in parts])
    return Moves(
        games=games, plies=plies, starts=pl.concat([p.starts for p in parts]), report=report
    )


def iterate_moves(
    file: str | Path, *, kernel: bool | None = None, report: Report | None = None
) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    """Yield games and plies of a PGN file, some thousands of games at a time; memory stays flat.

    The first frame has a row a game: `line`, the headers under the names that tables of games use
    (`white`, `black`, `score`, `white_rating`, …), `fen` and `variant`. The second is as `Moves.plies`;
    `game` is the row of the first. Repeated games are not looked for.
    """
    report = Report() if report is None else report
    source = _pgn(Source(str(file), report))
    fast = _size(source) > KERNEL_FROM if kernel is None else kernel
    scan, look = (by_kernel, look_by_kernel) if fast else (by_reference, look_by_reference)
    before = 0
    for data, end in pieces(source):
        scanned = scan(data, end)
        own = Report()
        raw = raw_columns(scanned, source.name, own)
        plies, starts = look(scanned, source.name, own)
        for note in own.notes:
            line = None if note.line is None else note.line + before
            report.add(note.file, line, note.action, note.reason)
        numbers = raw.select("line", pl.int_range(pl.len(), dtype=pl.Int32).alias("game"))
        plies, starts = _of_games(plies, starts, numbers)
        games = pl.concat([raw, starts.select("fen", "variant")], how="horizontal")
        yield games.with_columns(pl.col("line") + before), plies
        before += scanned.lines


def _each(names: list[str], report: Report, kernel: bool | None) -> list[Moves]:
    sources = [Source(name, report) for name in names]
    if kernel is None:  # many small files are large together
        kernel = sum(_size(source) for source in sources) > KERNEL_FROM
    return [_one(source, report, kernel) for source in sources]


def _pgn(source: Source) -> Source:
    """Return the source, if it is PGN."""
    kind = guess(source.peek(), source.name)
    if kind == "pgn":
        return source
    raise InputError(f"expected PGN, the format that has moves; found {kind}", file=source.name)


def _size(source: Source) -> int:
    """Return about how many bytes there are to read; of a stream, as many as decide."""
    if source.is_stream:
        return len(source.peek(KERNEL_FROM + 1))
    with read_failures(source.name):
        size = Path(source.name).stat().st_size
    return size * (PACKED if source.name.endswith((".gz", ".bz2", ".zst")) else 1)


def _one(source: Source, report: Report, kernel: bool) -> Moves:
    look = look_by_kernel if kernel else look_by_reference
    games, lines, looks = read_pgn_and(_pgn(source), look, kernel=kernel)
    numbers = pl.DataFrame(
        {"line": lines, "game": pl.int_range(len(lines), dtype=pl.Int32, eager=True)}
    )
    taken = [_of_games(plies, starts, numbers) for plies, starts in looks]
    starts = pl.concat([mine for _, mine in taken])
    return Moves(
        games=games,
        plies=pl.concat([mine for mine, _ in taken]),
        starts=starts.select(pl.lit(source.name).alias("file"), "line", "fen", "variant"),
        report=report,
    )


def _of_games(
    plies: pl.DataFrame, starts: pl.DataFrame, numbers: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Give every row the number of its game; leave out what belongs to games that were not taken."""
    starts = starts.join(numbers, on="line", how="left", maintain_order="left")
    every = np.repeat(starts["game"].fill_null(-1).to_numpy(), starts["positions"].to_numpy())
    plies = plies.insert_column(0, pl.Series("game", every))
    if starts["game"].null_count():
        plies = plies.filter(pl.col("game") >= 0)
    return plies, starts.filter(pl.col("game").is_not_null())


def _moved(part: Moves, kept: pl.Series, first: int) -> Moves:
    """Give the games of a part new numbers, from `first` on, without those that are not kept."""
    if kept.all() and first == 0:
        return part
    row = pl.select(pl.when(kept).then(kept.cast(pl.Int32).cum_sum() + (first - 1))).to_series()
    plies = part.plies.with_columns(row.gather(part.plies["game"]).alias("game"))
    return Moves(
        games=part.games,
        plies=plies.filter(pl.col("game").is_not_null()),
        starts=part.starts.filter(kept),
        report=part.report,
    )
