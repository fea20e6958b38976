"""One rating a player: from a list, or from the last game of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from arpad.model import Games, Ratings

__all__ = ["from_games", "from_list"]


def from_list(ratings: Ratings) -> NDArray[np.float64]:
    """Return the ratings of a list; players without one are left out."""
    return _numbers(ratings.rows["rating"])


def from_games(games: Games) -> NDArray[np.float64]:
    """Return the last rating that stands beside each player's games, or that of the player's own row."""
    played = games.rateable()
    if not played.height:
        played = games.table
    sides = pl.concat(
        played.select(
            pl.col(side).alias("player"),
            pl.col(f"{side}_rating").alias("rating"),
            pl.int_range(pl.len()).alias("order"),
        )
        for side in ("white", "black")
    )
    last = (
        sides.drop_nulls()
        .filter(pl.col("rating").is_finite())
        .sort("order", maintain_order=True)
        .group_by("player")
        .agg(pl.col("rating").last())
    )
    known = games.players.select(
        pl.int_range(pl.len(), dtype=pl.Int32).alias("player"), pl.col("rating").alias("own")
    ).join(last, on="player", how="left", maintain_order="left")
    return _numbers(known.select(pl.coalesce("rating", "own")).to_series())


def _numbers(column: pl.Series) -> NDArray[np.float64]:
    known = column.cast(pl.Float64).drop_nulls()
    known = known.filter(known.is_finite())
    if not known.len():
        raise InputError(f"expected ratings, found none beside {column.len():,} players")
    return known.to_numpy()
