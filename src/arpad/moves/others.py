"""Average centipawn loss and Lichess's accuracy for the moves of evaluated games, game by game."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.moves.accuracy import INITIAL, centipawn_losses, game_accuracy

if TYPE_CHECKING:
    from arpad.moves.measured import Gains

__all__ = ["accuracies", "losses"]


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
    gaps = {g: _only_the_first(rows) for (g,), rows in gains.left_out.group_by(["game"])}
    here = gains.table["game"].unique()
    found: list[tuple[int, bool, float | None]] = []
    for (game,), rows in gains.whole.filter(pl.col("game").is_in(here.to_list())).group_by(
        ["game"], maintain_order=True
    ):
        if not gaps.get(game, True):
            continue
        white = rows["white"].to_numpy()
        cp = np.r_[rows["before"][0], rows["after"].to_numpy()]
        if game in gaps:  # the first move has no gain: it is there, and Lichess counts it
            cp, white = np.r_[INITIAL, cp], np.r_[not white[0], white]
        for side, accuracy in zip((True, False), game_accuracy(cp, white), strict=True):
            found.append((int(game), side, accuracy))
    kinds = {"game": pl.Int32, "white": pl.Boolean, "accuracy": pl.Float64}
    return pl.DataFrame(found, schema=kinds, orient="row")


def _only_the_first(left_out: pl.DataFrame) -> bool:
    """Say whether nothing is missing but the evaluation of the starting position."""
    first = left_out.row(0, named=True)
    return (
        left_out.height == 1 and first["ply"] == 1 and first["reason"] == "no evaluation before it"
    )
