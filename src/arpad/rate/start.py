"""Where each player starts: from an earlier list, from what the source gives, or as a newcomer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.model import Games, Ratings

__all__ = ["first_given", "known_before"]


def first_given(games: Games, played: pl.DataFrame) -> NDArray[np.float64]:
    """Return the first rating that the source gives each player, NaN for none.

    That is the player's own entry (an event file has one), else the rating beside the earliest game.
    """
    own = games.players["rating"].to_numpy().astype(np.float64, copy=True)
    if played["white_rating"].null_count() == played.height == played["black_rating"].null_count():
        return own
    sides = [
        played.select(
            pl.col(side).alias("player"),
            pl.col(f"{side}_rating").alias("rating"),
            at=pl.int_range(pl.len()),
        )
        for side in ("white", "black")
    ]
    earliest = (
        pl.concat(sides).drop_nulls().sort("at").unique("player", keep="first", maintain_order=True)
    )
    found = np.full(games.players.height, np.nan)
    found[earliest["player"].to_numpy()] = earliest["rating"].to_numpy()
    return np.where(np.isnan(own), found, own)


def known_before(games: Games, before: Ratings | None, column: str) -> NDArray[np.float64]:
    """Return a column of an earlier list for every player of these games, NaN where unknown."""
    if before is None:
        return np.full(games.players.height, np.nan)
    values = before.lookup(games.players, column).cast(pl.Float64)
    return values.to_numpy().astype(np.float64, copy=True)
