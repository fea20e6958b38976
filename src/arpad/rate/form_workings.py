"""The steps of Glicko, Glicko-2 and Stephenson's system: what each game of a period added.

All three change a rating by q RD′² Σ g (s − E), RD′ being the spread after the period: a sum over games,
in which W − W_e of each is multiplied by K = q RD′² g. (Glicko-2 writes φ′² Σ g (s − E) on a scale of
1/q points.)
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.rate.elo_workings import Begun, openings
from arpad.rate.form import Q
from arpad.rate.form_rating import run_forms
from arpad.rate.workings import Workings, both_sides, numbered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.model import Games, Ratings
    from arpad.rate.form_rating import FormSystem

__all__ = ["form_workings"]


def form_workings(
    system: FormSystem,
    games: Games,
    before: Ratings | None,
    *,
    source: str,
    bonus: float = 0.0,
    pull: float = 0.0,
) -> tuple[Ratings, Workings]:
    """Rate, and return what every game added.

    Parameters
    ----------
    source
        Where the formula stands.
    bonus
        Points of a game that everybody gets for playing; a step of its own each period.
    pull
        Share of the way to the opponents' average that a rating goes; a step of its own each period.
    """
    ratings, line, state, first = run_forms(system, numbered(games), before, told=True)
    assert state.sides is not None  # it was asked for
    played = line.played
    white, black, score = (played[c].to_numpy() for c in ("white", "black", "score"))
    rating, opponent, g, E, variance = state.sides.T
    k, points = Q * variance * g, both_sides(score, 1 - score)
    period = np.searchsorted(line.first, np.arange(played.height), side="right") - 1
    steps = pl.DataFrame(
        {
            "period": np.repeat(period, 2),
            "part": np.zeros(len(k), dtype=np.int64),
            "player": both_sides(white, black),
            "game": np.repeat(played["row"].to_numpy(), 2),
            "opponent": both_sides(black, white),
            "rating": rating,
            "opponent_rating": opponent,
            "score": points,
            "expected": E,
            "k": k,
            "change": k * (points - E),
            "rule": _rules(variance, g, source),
        },
        schema_overrides={"game": pl.Int64},
    )
    more = (
        [
            _by_period(
                steps, pl.col("k").sum() * bonus, f"for playing: K × {bonus:g} a game [{source}]", 1
            )
        ]
        if bonus
        else []
    )
    if pull:
        way = (pl.col("opponent_rating").mean() - pl.col("rating").first()) * pull
        more.append(
            _by_period(steps, way, f"{pull:g} of the way to the opponents' average [{source}]", 2)
        )
    if more:
        steps = pl.concat([steps, *more], how="diagonal").sort(
            "period", "part", maintain_order=True
        )
    begun = Begun(
        ratings=first,
        counts=np.zeros(0, dtype=np.int64),
        topped=np.zeros(0, dtype=np.bool_),
        known=state.known,
        listed=state.listed,
    )
    new = openings(begun, np.unique(both_sides(white, black)))
    return ratings, Workings.build(
        system.name, pl.concat([new, steps.drop("period", "part")], how="diagonal")
    )


def _by_period(steps: pl.DataFrame, change: pl.Expr, rule: str, part: int) -> pl.DataFrame:
    """Return a step a player and period."""
    return (
        steps.group_by("period", "player", maintain_order=True)
        .agg(change.alias("change"), pl.col("rating").first())
        .with_columns(pl.lit(rule).alias("rule"), pl.lit(part, dtype=pl.Int64).alias("part"))
    )


def _rules(variance: NDArray[np.float64], g: NDArray[np.float64], source: str) -> pl.Series:
    """Return why K is what it is: the spreads of both, in whole points."""
    own = np.rint(np.sqrt(variance)).astype(np.int64)
    theirs = np.sqrt(np.maximum(1 / np.maximum(g, 1e-9) ** 2 - 1, 0)) * math.pi / (Q * math.sqrt(3))
    return pl.select(
        pl.format(
            "K = q RD² g: RD {} after the period, the opponent's {} [{}]",
            pl.Series(own),
            pl.Series(np.rint(theirs).astype(np.int64)),
            pl.lit(source),
        )
    ).to_series()
