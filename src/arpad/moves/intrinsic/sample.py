"""Choose positions to calibrate on: even over rating marks, and over the games of a mark.

What is chosen depends on the positions alone, not on a seed, so that anybody with the same games in the same order chooses
the same. (The order counts only for a position that stood in two games: it belongs to the first.) A longer sample holds the
shorter one.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["sampled_positions"]

FIRST_PLY = 16
"""Plies of the opening that are left out: turns 1 to 8 of both players."""
COLUMNS = ("game", "ply", "epd", "uci", "mark", "legal")


def sampled_positions(
    positions: pl.DataFrame, *, per_mark: int, first_ply: int = FIRST_PLY
) -> pl.DataFrame:
    """Return up to `per_mark` positions of every rating mark.

    One position of every game comes first, then a second one of every game, and so on; within a game, and between
    games, the order is that of a hash of the position. A position that stood in two games is
    taken once, one that stood on the board before or leaves no choice never.

    Parameters
    ----------
    positions
        Columns `game`, `ply`, `epd`, `uci` (the move played, null at the end), `mark` (rating mark of the game)
        and `legal` (number of legal moves).
    """
    missing = [c for c in COLUMNS if c not in positions.columns]
    if missing:
        raise InputError(f"expected columns {', '.join(COLUMNS)}; missing: {', '.join(missing)}")
    rows = (
        positions.sort("game", "ply")
        .with_columns(pl.col("epd").is_first_distinct().over("game").alias("new"))
        .filter(
            pl.col("new"),
            pl.col("ply") >= first_ply,
            pl.col("uci").is_not_null(),
            pl.col("legal") > 1,
        )
    )
    rows = rows.with_columns(pl.Series("order", _hashes(rows["epd"].to_list()), dtype=pl.String))
    rows = (
        rows.sort("order", "game", "ply")
        .unique("epd", keep="first", maintain_order=True)
        .with_columns(pl.int_range(pl.len()).over("game").alias("turn"))
        .sort("mark", "turn", "order")
        .with_columns(pl.int_range(pl.len()).over("mark").alias("rank"))
    )
    return rows.filter(pl.col("rank") < per_mark).sort("rank", "mark").drop("new", "order", "turn")


def _hashes(epds: Sequence[str]) -> list[str]:
    return [hashlib.blake2b(e.encode(), digest_size=8).hexdigest() for e in epds]
