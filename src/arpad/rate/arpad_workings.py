"""The steps of arpad's own system: a result, and what meeting and practice add to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.rate.arpad_run import COLUMNS
from arpad.rate.workings import GIVEN, Workings, both_sides

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["arpad_workings"]

NEW = "a newcomer: the start rating, or so many points below the first opponent [arpad, 1]"
RESULT = "K (W − We), K by what is not known of both and by the share of draws [arpad, 4]"
MORE = "who meets is near in strength; practice teaches [arpad, 5, 6]"


def arpad_workings(
    name: str,
    played: pl.DataFrame,
    sides: NDArray[np.float64],
    *,
    listed: NDArray[np.bool_],
    known: NDArray[np.bool_],
) -> Workings:
    """Return two steps a side of a game, behind what everybody starts from.

    Parameters
    ----------
    played
        The games in their order, with the column `row`.
    sides
        Two rows a game.
    listed, known
        Who has a rating from an earlier list, and who has one at all before the first game.
    """
    white, black, score = (played[c].to_numpy() for c in ("white", "black", "score"))
    figures = {column: sides[:, i] for i, column in enumerate(COLUMNS)}
    games = pl.DataFrame(
        {
            "player": both_sides(white, black),
            "game": np.repeat(played["row"].to_numpy(), 2),
            "opponent": both_sides(black, white),
            **{c: figures[c] for c in ("rating", "opponent_rating", "expected", "k")},
            "score": both_sides(score, 1 - score),
            "change": figures["by_result"],
            "rule": np.full(len(sides), RESULT),
            "order": 2 * np.arange(len(sides)) + 1,
        },
        schema_overrides={
            "player": pl.Int32,
            "opponent": pl.Int32,
            "game": pl.Int64,
            "rule": pl.String,
        },
    )
    more = games.select(
        "player", "game", "opponent",
        pl.Series("change", figures["by_meeting"] + figures["by_practice"]),
        pl.lit(MORE).alias("rule"),
        pl.col("order") + 1,
    )  # fmt: skip
    begun = games.unique("player", keep="first", maintain_order=True).filter(
        ~pl.Series(listed)[games["player"].unique(maintain_order=True)]
    )
    openings = begun.select(
        "player",
        pl.col("rating").alias("change"),
        pl.Series("rule", np.where(known[begun["player"].to_numpy()], GIVEN, NEW), dtype=pl.String),
        pl.lit(0, dtype=pl.Int64).alias("order"),
    )
    steps = pl.concat([openings, games, more], how="diagonal").sort("order", maintain_order=True)
    return Workings.build(name, steps.drop("order"))
