"""The front door to moves: main lines of PGN files beside the games that `read` takes from them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.errors import InputError, UsageError
from arpad.read.formats import guess
from arpad.read.pgn import is_large, read_pgn_and
from arpad.read.pgn_moves import look_by_kernel, look_by_reference
from arpad.read.reading import joined
from arpad.read.report import Report
from arpad.read.source import Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arpad.model import Games

__all__ = ["Moves", "read_moves"]


KERNEL_FROM = 4_000_000
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
    parts = [_one(name, report, kernel) for name in names]
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


def _one(name: str, report: Report, kernel: bool | None) -> Moves:
    source = Source(name, report)
    kind = guess(source.peek(), name)
    if kind != "pgn":
        raise InputError(f"expected PGN, the format that has moves; found {kind}", file=name)
    fast = is_large(source, KERNEL_FROM) if kernel is None else kernel
    look = look_by_kernel if fast else look_by_reference
    games, lines, looks = read_pgn_and(source, look, kernel=fast)
    numbers = pl.DataFrame(
        {"line": lines, "game": pl.int_range(len(lines), dtype=pl.Int32, eager=True)}
    )
    taken = [_of_games(plies, starts, numbers) for plies, starts in looks]
    starts = pl.concat([mine for _, mine in taken])
    return Moves(
        games=games,
        plies=pl.concat([mine for mine, _ in taken]),
        starts=starts.select(pl.lit(name).alias("file"), "line", "fen", "variant"),
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
