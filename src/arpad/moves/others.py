"""Average centipawn loss and Lichess's accuracy for the moves of evaluated games, game by game."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.moves.accuracy import INITIAL, centipawn_losses, game_accuracies
from arpad.schema import schema

if TYPE_CHECKING:
    from arpad.moves.measured import Gains

__all__ = ["accuracies", "losses"]

ACCURACY = schema({"game": pl.Int32, "white": pl.Boolean, "accuracy": pl.Float64})


def losses(gains: Gains) -> pl.Series:
    """Return each move's loss in centipawns, cut off at ten pawns and never below 0."""
    sign = np.where(gains.table["white"].to_numpy(), 1, -1)
    before, after = (sign * gains.column(c) for c in ("before", "after"))
    return pl.Series("loss", centipawn_losses(before, after))


def accuracies(gains: Gains) -> pl.DataFrame:
    """Return Lichess's accuracy of each side of each game: `game`, `white`, `accuracy`.

    Only for games whose every move has a gain; where nothing is missing but the starting position's
    evaluation, Lichess's own .15 stands for it.
    """
    here = gains.table["game"].unique().to_list()
    unopened = gains.unopened()
    broken = gains.left_out.filter(~pl.col("game").is_in(unopened))["game"].unique().to_list()
    moves = gains.whole.filter(pl.col("game").is_in(here) & ~pl.col("game").is_in(broken))
    positions = _positions(moves, unopened)
    if not positions.height:
        return pl.DataFrame(schema=ACCURACY)
    number = positions["game"].rle_id().to_numpy().astype(np.int64)
    found = game_accuracies(positions["cp"].to_numpy(), number, positions["white"].to_numpy())
    games = positions["game"].unique(maintain_order=True)
    sides = [
        pl.DataFrame({"game": games, "white": [white] * len(games), "accuracy": found[:, column]})
        for column, white in enumerate((True, False))
    ]
    both = pl.concat(sides).fill_nan(None).sort("game", "white", descending=[False, True])
    return both.select(pl.col(name).cast(kind) for name, kind in ACCURACY.items())


def _positions(moves: pl.DataFrame, unopened: list[int]) -> pl.DataFrame:
    """Return `game`, `cp`, `white` of each position of whole games, the starting position first.

    Where the starting position has no evaluation, Lichess's stands for it, and the first move counts.
    """
    first = moves.group_by("game", maintain_order=True).first()
    missing = pl.col("game").is_in(unopened)
    starts = first.select("game", pl.lit(0).alias("ply"), pl.when(missing).then(INITIAL).otherwise("before").alias("cp"), pl.lit(False).alias("white"))  # fmt: skip
    opening = first.filter(missing).select("game", pl.lit(1).alias("ply"), pl.col("before").alias("cp"), ~pl.col("white"))  # fmt: skip
    rest = moves.select("game", pl.col("ply"), pl.col("after").alias("cp"), "white")
    parts = [p.with_columns(pl.col("ply", "cp").cast(pl.Int32)) for p in (starts, opening, rest)]
    return pl.concat(parts).sort("game", "ply")
