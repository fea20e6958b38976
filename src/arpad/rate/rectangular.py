"""Performances on a straight line: R_p = R_c ± k (P − ½) [8.56 (53)].

Ingo, Harkness and the British grades differ in k and in what they do with R_p. All of them imply that
every performance within ±k/2 of a player's rating is equally likely and none beyond it possible: the
rectangular distribution [(54)], of which the straight line is the integral.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from arpad.rate.sides import NEWCOMER_SPREAD, by_period
from arpad.rate.spread import GAME_VARIANCE
from arpad.scale import Linear

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import polars as pl
    from numpy.typing import NDArray

    Worth = Callable[[NDArray[np.float64]], NDArray[np.float64]]
    """From the number of games to k, in rating points for the whole of P."""

__all__ = ["Showing", "performances", "straight_line"]


@dataclass(frozen=True, slots=True)
class Showing:
    """What everybody showed in one period, from the ratings before it.

    `player` are rows of the player table, each once; `newcomer` says who had no rating; `variance` is
    that of the performance, from chance in the results and from opponents of whom nothing is known.
    """

    player: NDArray[np.int64]
    newcomer: NDArray[np.bool_]
    games: NDArray[np.float64]
    performance: NDArray[np.float64]
    variance: NDArray[np.float64]
    period: int


def performances(
    played: pl.DataFrame,
    periods: NDArray[np.int64],
    ratings: NDArray[np.float64],
    *,
    worth: Worth,
    start: float,
    limit: float = math.inf,
) -> Iterator[Showing]:
    """Yield what everybody showed, period by period.

    `ratings` is read anew for each period: whoever asks for the next one has updated it.

    Parameters
    ----------
    worth
        k for so many games, in rating points.
    start
        The level of people who met nobody that is rated, even through others.
    limit
        Rating points: an opponent further away counts as this far. It does not bind newcomers, who have
        no rating to be far from.
    """
    for number, sides in zip(np.unique(periods).tolist(), by_period(played, periods), strict=True):
        own = ratings[sides.players]
        newcomer = np.isnan(own)
        now, guessed = sides.estimated(own, lambda n, P: worth(n) * (P - 0.5), start)
        theirs = now[sides.opponent]
        if math.isfinite(limit):
            mine = now[sides.me]
            near = np.clip(theirs, mine - limit, mine + limit)
            theirs = np.where(newcomer[sides.me], theirs, near)
        n = sides.total()
        k = worth(n)
        R_c, P = sides.total(theirs) / n, sides.total(sides.score) / n
        strangers = sides.total(guessed[sides.opponent].astype(np.float64))
        variance = k**2 * GAME_VARIANCE / n + strangers * (NEWCOMER_SPREAD / n) ** 2
        yield Showing(sides.players, newcomer, n, R_c + k * (P - 0.5), variance, number)


def straight_line(k: float, limit: float = math.inf) -> Linear:
    """Return the curve that (53) implies: P = ½ + D/k, and no further than D = ±k/2 [8.56].

    Examples
    --------
    >>> straight_line(800).expected(200.0), straight_line(800).expected(500.0)
    (0.75, 1.0)
    """
    return Linear(class_interval=k / 4, cap=min(limit, k / 2))
