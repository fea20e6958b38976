"""Walks on arrays: Elo and the systems with a spread, without a list for every period.

The kernels of `rate` are called period by period on everybody's ratings at once. `chain_walk` is the
readable reference; a test says that they agree.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, get_args

import numpy as np
import polars as pl

from arpad.lab.course import Step
from arpad.rate.elo import Elo
from arpad.rate.elo_workings import k_arrays
from arpad.rate.expectancy import coded
from arpad.rate.form_state import LEAST_ERROR, Forms
from arpad.rate.glicko import Glicko
from arpad.rate.glicko2 import Glicko2
from arpad.rate.stephenson import Stephenson
from arpad.rate.timeline import Timeline, timeline

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.lab.course import Course
    from arpad.rate import RatingSystem

    Array = NDArray[np.float64]

__all__ = ["entry_ratings", "quick_walk"]

LOADING = 1.0
"""Seconds that it takes to load the kernels."""
A_PERIOD, A_GAME = 0.01, 15e-6
"""Seconds of the chain, about, for each period and for each game."""


def quick_walk(system: RatingSystem, way: Course) -> tuple[Array, Array] | None:
    """Return each game's rating difference and White's expected score; None where there is no quick way.

    A short course is left to the chain: loading the kernels takes longer than walking it.
    """
    if A_PERIOD * len(way.days) + A_GAME * len(way) < LOADING:
        return None
    if isinstance(system, Elo) and system.period == "game":
        return elo_walk(system, way)
    if isinstance(system, Glicko | Glicko2 | Stephenson) and _fits(system.period, way.period):
        return form_walk(system, way) if system.on is None else None
    return None


def _fits(own: str | int | None, step: Step) -> bool:
    """Say whether a step of the walk holds whole periods of the system."""
    steps = get_args(Step)
    unit = "month" if own is None else str(own)
    return unit in steps and steps.index(unit) <= steps.index(step)


def entry_ratings(way: Course) -> Array:
    """Return the rating that the source gives each player in the period of the first game, NaN for none.

    That is the player's own entry, else the earliest beside a game of that period: who comes without a
    rating is on the next list, and a later one is not looked at.
    """
    table, n = way.games.table, way.games.players.height
    own = way.games.players["rating"].to_numpy().astype(np.float64, copy=True)
    period = np.repeat(np.arange(len(way.days)), np.diff(way.first))
    sides = [
        pl.DataFrame(
            {
                "player": table[side],
                "rating": table[f"{side}_rating"],
                "period": period,
                "at": np.arange(len(way)),
            }
        )
        for side in ("white", "black")
    ]
    both = pl.concat(sides).sort("at")
    debut = np.full(n, len(way.days), dtype=np.int64)
    np.minimum.at(debut, both["player"].to_numpy(), both["period"].to_numpy())
    given = both.filter(
        pl.col("rating").is_not_null() & (pl.col("period") == debut[both["player"].to_numpy()])
    ).unique("player", keep="first", maintain_order=True)
    found = np.full(n, np.nan)
    found[given["player"].to_numpy()] = given["rating"].to_numpy()
    return np.where(np.isnan(own), found, own)


def _starts(system: Elo | Glicko | Glicko2 | Stephenson, way: Course) -> tuple[Array, NDArray[np.bool_]]:  # fmt: skip
    """Return everybody's rating at the start, and who brought it."""
    n = way.games.players.height
    given = entry_ratings(way) if system.given else np.full(n, np.nan)
    known = np.isfinite(given)
    return np.where(known, given, system.start), known


def elo_walk(system: Elo, way: Course) -> tuple[Array, Array]:
    """Walk with Elo's formula after every game; a game is foretold from the ratings before its period."""
    from arpad.rate import kernels

    ratings, known = _starts(system, way)
    white, black, score = (way.games.table[c].to_numpy() for c in ("white", "black", "score"))
    counts = np.where(known, system.k.new_games, 0).astype(np.int64)
    topped = ratings >= system.k.top
    policy = (*coded(system.curve), *k_arrays(system.k))
    D = np.empty(len(way))
    for a, b in pairwise(way.first.tolist()):
        D[a:b] = ratings[white[a:b]] - ratings[black[a:b]]
        kernels.each_game(
            white[a:b], black[a:b], score[a:b], ratings, counts, topped, *policy
        )  # fmt: skip
    return D, np.asarray(system.curve.expected(D))


def form_walk(system: Glicko | Glicko2 | Stephenson, way: Course) -> tuple[Array, Array]:
    """Walk with a rating and an RD, which is that of the first day of each game's period."""
    rating, known = _starts(system, way)
    n = len(rating)
    state = Forms(
        rating=rating,
        error=np.where(known, max(system.given_error, LEAST_ERROR), system.start_error),
        volatility=np.full(n, system.usual_volatility or 0.0),
        at=np.full(n, np.nan),
        known=known,
    )
    line = timeline(way.games, period=system.period, on=None)
    white, black = (way.games.table[side].to_numpy() for side in ("white", "black"))
    D, expected = np.empty(len(way)), np.empty(len(way))
    for i, (a, b) in enumerate(pairwise(way.first.tolist())):
        w, l = white[a:b], black[a:b]
        error = _errors_on(system, state, line.clock.at(way.days[i]))
        D[a:b] = state.rating[w] - state.rating[l]
        expected[a:b] = system.expected(
            state.rating[w], error[w], state.rating[l], error[l], colour=1
        )
        system.run(_cut(line, a, b), state)
    return D, expected


def _errors_on(system: Glicko | Glicko2 | Stephenson, state: Forms, now: float) -> Array:
    t = np.nan_to_num(np.maximum(0.0, now - state.at))
    grown = np.sqrt(state.error**2 + system.pace(state.volatility) * t)
    return np.asarray(np.clip(grown, LEAST_ERROR, system.max_error))


def _cut(line: Timeline, a: int, b: int) -> Timeline:
    """Return the part of a timeline that has the games from row a to row b."""
    inside = slice(*np.searchsorted(line.first, [a, b]).tolist())
    return Timeline(
        played=line.played[a:b],
        first=np.r_[line.first[inside], b] - a,
        start=line.start[inside],
        end=line.end[inside],
        until=float(line.end[inside][-1]),
        on=None,
        period=line.period,
        clock=line.clock,
    )
