"""The engine's own distribution of gain, measured: what its first choices gained.

Ferreira 2012 takes an engine that gains 0 with every move and leaves the real distribution as future work [6, 10]. At a
fixed depth an engine sees one ply further after its own move and corrects itself, mostly downwards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from arpad.errors import InputError
from arpad.moves.distribution import Distribution
from arpad.moves.evaluated import MATE

if TYPE_CHECKING:
    from arpad.moves.measured import Gains

__all__ = ["FEWEST_MOVES", "EngineGain", "after_best", "agreed_gain", "best_gain", "position_value"]

EngineGain = Literal["zero", "agreed", "best"]
"""zero     every move gains 0 [6];
agreed   the gains of the moves that were the engine's first choice: easy moves are over-represented;
best     the gains of the engine's first choice in every position, played or not: costs more analysis.
"""

FEWEST_MOVES = 100
"""Moves below which a distribution of the engine's gain says little."""


def agreed_gain(gains: Gains, positions: pl.DataFrame) -> Distribution:
    """Return the distribution of gain of the moves that were the engine's own.

    Parameters
    ----------
    positions
        `game`, `ply`, `uci` (the move that was played in the position) and `best` (the engine's choice there).
    """
    chosen = positions.select(
        "game", (pl.col("ply") + 1).alias("ply"), (pl.col("uci") == pl.col("best")).alias("agreed")
    )
    moves = gains.table.join(chosen, on=["game", "ply"], how="inner")
    return _enough(
        moves.filter(pl.col("agreed"))["gain"].to_numpy(), "that the engine would have played"
    )


def best_gain(before: pl.Series, after: pl.Series, white: pl.Series) -> Distribution:
    """Return the distribution of gain of the engine's first choices, from values in centipawns from White's side."""
    known = before.is_not_null() & after.is_not_null()
    change = (after - before).filter(known).to_numpy()
    sign = np.where(white.filter(known).to_numpy(), 1, -1)
    return _enough(sign * change, "of the engine's choice")


def after_best(positions: pl.DataFrame) -> pl.DataFrame:
    """Return the position after the engine's choice in each different position: `epd`, `best`, `next`, `over`.

    Examples
    --------
    >>> start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
    >>> after_best(pl.DataFrame({"epd": [start] * 2, "best": ["e2e4"] * 2}))["next"].to_list()
    ['rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -']
    """
    from arpad.moves.position import board_of, epd_of

    rows = []
    different = positions.select("epd", "best").drop_nulls().unique(maintain_order=True)
    for epd, best in different.iter_rows():
        board = board_of(epd)
        board.push(board.parse_uci(best))
        over = "mate" if board.is_checkmate() else "stalemate" if board.is_stalemate() else None
        rows.append((epd, best, epd_of(board), over))
    names = {"epd": pl.String(), "best": pl.String(), "next": pl.String(), "over": pl.String()}
    return pl.DataFrame(rows, schema=names, orient="row")


def position_value(white_to_move: pl.Expr) -> pl.Expr:
    """Return centipawns from White's side out of `cp`, `mate` and `over`, as `EvaluatedGames.values` has them."""
    against = pl.when(white_to_move).then(-MATE).otherwise(MATE)
    return (
        pl.when(pl.col("over") == "mate")
        .then(against)
        .when(pl.col("over").is_not_null())
        .then(0)
        .otherwise(
            pl.coalesce(pl.col("mate").sign().cast(pl.Int32) * MATE, pl.col("cp").clip(-MATE, MATE))
        )
    )


def _enough(gains: np.ndarray, what: str) -> Distribution:
    if len(gains) < FEWEST_MOVES:
        raise InputError(
            f"expected at least {FEWEST_MOVES} moves {what} to measure its gain, found {len(gains)}: "
            "add games, or take an engine that gains nothing"
        )
    return Distribution.of(gains)
