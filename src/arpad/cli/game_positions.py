"""The positions of games, as the verbs that ask an engine take them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from arpad.moves.evaluated import EvaluatedGames

__all__ = ["game_positions"]


def game_positions(games: EvaluatedGames) -> pl.DataFrame:
    """Return game, ply, epd, uci, turn, over of every position; faults go to the report of the games."""
    from arpad.moves.positions import positions

    return positions(games)
