"""How many players stand above a rating, and samples of the best in step with the population [Elo 5.73, 7.39]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from arpad.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from arpad.pool.shapes import Shape

__all__ = ["Top", "best", "in_proportion", "players_above", "rating_of_best"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Top:
    """The best of a pool: their number, average and the lowest of them."""

    players: int
    average: float
    lowest: float
    error: float | None
    """Standard error of the average; None for one player."""


def in_proportion(number: float, *, population: float, then: float) -> int:
    """Return how many top players make the same share of another population [5.73].

    Parameters
    ----------
    number
        Players sampled from the first population.
    population
        The size of the first population.
    then
        The size of the other.

    Examples
    --------
    >>> in_proportion(15, population=300, then=1000)
    50
    """
    if not (population > 0 and then >= 0 and number >= 0 and math.isfinite(then + number)):
        raise UsageError(
            f"expected a number of players and two populations, found {number!r}, {population!r}, {then!r}"
        )
    return math.floor(number * then / population + 0.5)


def best(ratings: ArrayLike, number: int) -> Top:
    """Return the average of the best so many, as table 5.73 compares epochs.

    Examples
    --------
    >>> best([2500, 2600, 2400, 2300], 3).average
    2500.0
    """
    values = np.asarray(ratings, dtype=np.float64)
    if not np.isfinite(values).all() or not 1 <= number <= values.size:
        raise UsageError(
            f"expected a number of players from 1 to the {values.size} with ratings, found {number!r}"
        )
    chosen = np.sort(values)[-number:]
    error = float(chosen.std(ddof=1)) / math.sqrt(number) if number > 1 else None
    return Top(players=number, average=float(chosen.mean()), lowest=float(chosen[0]), error=error)


def players_above(rating: float, *, players: float, shape: Shape) -> float:
    """Return how many of so many players a shape expects above a rating.

    Examples
    --------
    >>> from arpad.pool.shapes import NormalShape
    >>> round(players_above(2200, players=1000, shape=NormalShape(mean=1600, sd=300)), 1)
    22.8
    """
    return players * (1.0 - float(shape.below([rating])[0]))


def rating_of_best(number: float, *, players: float, shape: Shape) -> float:
    """Return the rating above which a shape expects so many of the players."""
    if not 0 < number < players:
        raise UsageError(f"expected a number between 0 and {players:g}, found {number!r}")
    return shape.at(1.0 - number / players)
