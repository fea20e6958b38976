"""Games one after the other by arpad's own system: a few in plain Python, many by the kernel."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.rate.arpad_game import Standing
from arpad.rate.arpad_game import played as play
from arpad.rate.form_state import days_of as dates

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.model import Games, Ratings
    from arpad.rate.arpad_game import Side
    from arpad.rate.arpad_system import ArpadSystem

    Array = NDArray[np.float64]

__all__ = ["COLUMNS", "EPOCH", "KERNEL_FROM", "People", "days_of", "played_arrays", "run"]

KERNEL_FROM = 60_000
"""Games from which on the compiled kernel pays: loading it costs about half a second."""

COLUMNS = ("rating", "opponent_rating", "expected", "k", "by_result", "by_meeting", "by_practice")
EPOCH = 719_163
"""Days from the year 1 to 1970: counted from there, no day of chess history is below 0."""
UNKNOWN = -1
"""A day that nobody knows."""


@dataclass(slots=True)
class People:
    """Everybody's standing, in arrays that change as games are rated; a rating of NaN is a newcomer's."""

    rating: Array
    variance: Array
    games: NDArray[np.int64]
    last: NDArray[np.int64]
    """The day of the last game, counted from the year 1; −1: not known."""


def days_of(games: Games, before: Ratings | None) -> NDArray[np.int64]:
    """Return the day of everybody's last game on an earlier list."""
    if before is None:
        return np.full(games.players.height, UNKNOWN, dtype=np.int64)
    return _numbers(dates(before.lookup(games.players, "last")))


def _numbers(days: pl.Series) -> NDArray[np.int64]:
    numbers = (days.to_physical().cast(pl.Int64) + EPOCH).fill_null(UNKNOWN)
    return numbers.to_numpy().astype(np.int64, copy=True)


def played_arrays(
    played: pl.DataFrame,
) -> tuple[NDArray[np.int32], NDArray[np.int32], Array, NDArray[np.int64]]:
    """Return White, Black, White's score and the day of each game."""
    white, black, score = (played[c].to_numpy() for c in ("white", "black", "score"))
    return white, black, score, _numbers(played["date"])


def run(system: ArpadSystem, played: pl.DataFrame, people: People, *, told: bool = False) -> Array:
    """Rate games; `people` changes. Return both sides of every game if they are to be told."""
    if played.height >= KERNEL_FROM:
        return by_kernel(system, played, people, told=told)
    return by_reference(system, played, people, told=told)


def by_kernel(
    system: ArpadSystem, played: pl.DataFrame, people: People, *, told: bool = False
) -> Array:
    """Rate games with the compiled kernel."""
    from arpad.rate.arpad_kernel import rate_games

    sides = np.zeros((2 * played.height if told else 0, len(COLUMNS)))
    rate_games(
        np.array(system.values()), *played_arrays(played),
        system.start, system.start_error**2, system.below,
        people.rating, people.variance, people.games, people.last, sides,
    )  # fmt: skip
    return sides


def by_reference(
    system: ArpadSystem, played: pl.DataFrame, people: People, *, told: bool = False
) -> Array:
    """Rate games one by one in plain Python."""
    standing: dict[int, Standing] = {}
    found: list[Side] = []
    columns = (column.tolist() for column in played_arrays(played))
    for white, black, score, day in zip(*columns, strict=True):
        pair = [_standing(people, standing, who) for who in (white, black)]
        new = [math.isnan(each.rating) for each in pair]
        for me, other in ((0, 1), (1, 0)):
            if new[me]:
                known = not new[other]
                pair[me].rating = pair[other].rating - system.below if known else system.start
                pair[me].variance = system.start_error**2
        both = play(system, pair[0], pair[1], score, day if day >= 0 else None)
        if told:
            found.extend(both)
    for who, each in standing.items():
        people.rating[who], people.variance[who] = each.rating, each.variance
        people.games[who] = each.games
        people.last[who] = UNKNOWN if each.day is None else each.day
    return np.array([[getattr(s, c) for c in COLUMNS] for s in found]).reshape(-1, len(COLUMNS))


def _standing(people: People, known: dict[int, Standing], who: int) -> Standing:
    if who not in known:
        day = int(people.last[who])
        known[who] = Standing(
            rating=float(people.rating[who]),
            variance=float(people.variance[who]),
            games=int(people.games[who]),
            day=None if day < 0 else day,
        )
    return known[who]
