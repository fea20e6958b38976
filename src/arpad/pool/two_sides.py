"""Games seen from both sides: one row for each player of each game."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from arpad.model import Games
    from arpad.scale import Curve

__all__ = ["two_sides"]


def two_sides(
    played: pl.DataFrame, games: Games, people: pl.DataFrame, curve: Curve
) -> pl.DataFrame:
    """Return two rows a game, one for each side, of the games in which both have a rating.

    Parameters
    ----------
    played
        Rows of games, with `part`, the number of their event.
    people
        What is known of each player, as `arpad.pool.kinds.described` tells it.
    """
    own = games.players["rating"]
    both = played.with_columns(
        pl.coalesce(f"{side}_rating", own.gather(played[side]))
        .fill_nan(None)
        .alias(f"{side}_rating")
        for side in ("white", "black")
    ).filter(pl.col("white_rating").is_not_null() & pl.col("black_rating").is_not_null())
    halves = []
    for mine, theirs in (("white", "black"), ("black", "white")):
        points = pl.col("score") if mine == "white" else 1 - pl.col("score")
        halves.append(
            both.select(
                "part",
                player=mine,
                opponent=theirs,
                rating=f"{mine}_rating",
                against=f"{theirs}_rating",
                score=points,
                year=pl.col("date").dt.year().cast(pl.Int32),
                game=pl.int_range(pl.len()),
            )
        )
    sides = pl.concat(halves)
    D = (sides["rating"] - sides["against"]).to_numpy()
    return sides.with_columns(pl.Series("expected", curve.expected(D), dtype=pl.Float64)).join(
        people, on="player", how="left", maintain_order="left"
    )
