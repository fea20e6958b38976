"""Evaluated games as one flat table, a row a position, and back: what CSV and Parquet hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import InputError
from arpad.moves.evaluated import EVALUATED, STARTS, EvaluatedGames
from arpad.read.table import games_and_lines

if TYPE_CHECKING:
    from arpad.read.report import Report

__all__ = ["flat", "unflat"]

_POSITION = [c for c in EVALUATED if c != "game"]
_START = ["fen", "variant"]


def flat(evaluated: EvaluatedGames) -> pl.DataFrame:
    """Return every position with what is known of its game: names, ratings, event, result.

    Examples
    --------
    >>> from arpad.model import Games
    >>> rows = {"game": [0, 0], "ply": [0, 1], "san": [None, "e4"], "cp": [13, 20]}
    >>> games = EvaluatedGames.build(Games.build([("A", "B", 1.0)]), rows)
    >>> flat(games).select("game", "white", "black", "score", "ply", "san", "cp").row(1)
    (0, 'A', 'B', 1.0, 1, 'e4', 20)
    """
    games = evaluated.games.frame()
    known = games.select(c for c in games.columns if not games[c].is_null().all())
    starts = evaluated.starts.select(c for c in _START if evaluated.starts[c].count())
    of_game = pl.concat([known, starts], how="horizontal").with_row_index("game")
    return (
        evaluated.table.with_columns(pl.lit(evaluated.source).alias("source"))
        .join(
            of_game.with_columns(pl.col("game").cast(pl.Int32)),
            on="game",
            how="left",
            maintain_order="left",
        )
        .select("game", *known.columns, *starts.columns, *_POSITION, "source")
    )


def unflat(frame: pl.DataFrame, file: str, report: Report) -> EvaluatedGames:
    """Return the games of a flat table; text is turned into numbers where it has to be."""
    missing = [c for c in ("game", "ply", "white", "black", "san") if c not in frame.columns]
    if missing:
        raise InputError(
            f"expected a table of positions as arpad writes it, found no column {', '.join(missing)}",
            file=file,
        )
    try:
        rows = frame.select(
            pl.col(c).cast(kind) for c, kind in EVALUATED.items() if c in frame.columns
        )
    except pl.exceptions.PolarsError as error:
        why = str(error).splitlines()[0]
        raise InputError(f"expected positions as arpad writes them: {why}", file=file) from None
    first = rows["game"].is_first_distinct()
    of_game = frame.filter(first)
    known = of_game.drop([*_POSITION, *_START, "game", "source"], strict=False)
    games, lines = games_and_lines(known, file, report)
    starts = of_game.with_columns(
        pl.lit(file).alias("file"),
        pl.lit(None, dtype=pl.Int64).alias("line"),
        *(pl.lit(None).alias(c) for c in _START if c not in frame.columns),
    ).select(pl.col(c).cast(kind) for c, kind in STARTS.items())
    numbers = pl.DataFrame(
        {
            "game": of_game.select(pl.col("game").cast(pl.Int32)).to_series().gather(lines - 1),
            "row": pl.int_range(len(lines), dtype=pl.Int32, eager=True),
        }
    )
    rows = rows.join(numbers, on="game", maintain_order="left").with_columns(
        pl.col("row").alias("game")
    )
    said = frame["source"][0] if "source" in frame.columns and frame.height else None
    return EvaluatedGames.build(
        games,
        rows.drop("row"),
        source=said or f"the table {file}",
        starts=starts[lines - 1],
        report=report,
    )
