"""The steps of PRA: R′ = R + K (S − E), the boosts at the ends of blocks, and what the anchor moved.

The anchor moves everybody every night by a little. A step says what it moved a player by in all, from
the first game in the list, or from the beginning, to the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.rate.elo_workings import Begun, openings
from arpad.rate.pra_rating import run_pra
from arpad.rate.workings import Workings, both_sides, numbered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.model import Games, Ratings
    from arpad.rate.pra_rating import PraRun, PraSystem

__all__ = ["pra_workings"]

BOOST = "boost at the end of a block of games that went one way [PRA 11, 12]"
ANCHOR = "the anchor: the mean of all players brought back every night [PRA 1, 2]"


def pra_workings(
    system: PraSystem, games: Games, before: Ratings | None
) -> tuple[Ratings, Workings]:
    """Rate, and return every step."""
    run = run_pra(system, numbered(games), before, told=True)
    played = run.played
    white, black, score = (played[c].to_numpy() for c in ("white", "black", "score"))
    shift, R_w, R_b, leap_w, leap_b = run.steps.T
    E = np.asarray(system.curve.expected(R_w - R_b))
    who, points = both_sides(white, black), both_sides(score, 1 - score)
    expected = both_sides(E, 1 - E)
    sides = pl.DataFrame(
        {
            "at": np.arange(len(who)) * 2,
            "player": who,
            "game": np.repeat(played["row"].to_numpy(), 2),
            "opponent": both_sides(black, white),
            "rating": both_sides(R_w + shift, R_b + shift),
            "opponent_rating": both_sides(R_b + shift, R_w + shift),
            "score": points,
            "expected": expected,
            "change": system.k * (points - expected),
        },
        schema_overrides={"game": pl.Int64},
    ).with_columns(
        pl.lit(float(system.k)).alias("k"),
        pl.lit(f"K {system.k:g}: for everybody; R + K (S − E) by PRA's curve [PRA 2, 3]").alias(
            "rule"
        ),
    )
    leap = both_sides(leap_w, leap_b)
    boosted = np.flatnonzero(leap)
    boosts = pl.DataFrame({"at": 2 * boosted + 1, "player": who[boosted], "change": leap[boosted]})
    begun = Begun(
        ratings=run.first,
        counts=np.zeros(0, dtype=np.int64),
        topped=np.zeros(0, dtype=np.bool_),
        known=run.begun.known,
        listed=run.listed,
    )
    new = openings(begun, np.unique(who))
    steps = pl.concat(
        [
            new.with_columns(pl.lit(-1, dtype=pl.Int64).alias("at")),
            sides,
            boosts.with_columns(pl.lit(BOOST).alias("rule")),
            _anchored(run, who, np.repeat(shift, 2)),
        ],
        how="diagonal_relaxed",
    )
    return run.ratings, Workings.build(
        system.name, steps.sort("at", maintain_order=True).drop("at")
    )


def _anchored(run: PraRun, who: NDArray[np.int64], shift: NDArray[np.float64]) -> pl.DataFrame:
    """Return by how much the anchor moved each player since he was there."""
    players, first = np.unique(who, return_index=True)
    came = np.where(run.listed[players], 0.0, shift[first])
    moved = run.shift - came
    rows = pl.DataFrame({"player": players, "change": moved}).with_columns(
        pl.lit(2 * len(who), dtype=pl.Int64).alias("at"), pl.lit(ANCHOR).alias("rule")
    )
    return rows.filter(pl.col("change") != 0)
