"""The games of one period, seen from both sides of the board."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import polars as pl
    from numpy.typing import NDArray

    Indicated = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]
    """From numbers of games and shares of the points to rating differences."""

__all__ = ["NEWCOMER_SPREAD", "Sides", "by_period"]

NEWCOMER_SPREAD = 350.0
"""Standard deviation, in rating points, of somebody who is put at the start for want of anything
better; the same as in `Elo`."""


@dataclass(frozen=True, slots=True)
class Sides:
    """Two rows a game: who, against whom, how many points.

    `players` are rows of the player table, each once; `me` and `opponent` are places in `players`, so
    that a small event costs little in a large pool.
    """

    players: NDArray[np.int64]
    me: NDArray[np.int64]
    opponent: NDArray[np.int64]
    score: NDArray[np.float64]

    def total(self, values: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Add up a value a side for each player; without values, the games."""
        return np.bincount(self.me, values, len(self.players)).astype(np.float64)

    def take(self, rows: NDArray[np.bool_]) -> Sides:
        """Return some of the sides; `players` stay as they are."""
        return Sides(self.players, self.me[rows], self.opponent[rows], self.score[rows])

    def estimated(
        self, ratings: NDArray[np.float64], indicated: Indicated, start: float
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return `ratings` with newcomers (NaN) estimated from whom they met, and who is but a guess.

        First those who met somebody rated, by their performance against them; then those who met
        these; and so on. Who has no such chain to anybody rated is guessed to be at `start`.
        """
        now = ratings.copy()
        guessed = np.zeros(len(now), dtype=np.bool_)
        while bool((new := np.isnan(now)).any()):
            met = self.take(new[self.me] & ~new[self.opponent])
            n = met.total()
            found = n > 0
            if not bool(found.any()):
                now[new], guessed = start, new
                break
            R_c = met.total(now[met.opponent])[found] / n[found]
            P = met.total(met.score)[found] / n[found]
            now[found] = R_c + indicated(n[found], P)
        return now, guessed


def by_period(played: pl.DataFrame, periods: NDArray[np.int64]) -> Iterator[Sides]:
    """Yield the sides of each period in turn; `periods` rises along the games."""
    if not played.height:
        return
    white, black = (played[side].to_numpy().astype(np.int64) for side in ("white", "black"))
    score = played["score"].to_numpy()
    who = np.stack([white, black], axis=1).ravel()
    against = np.stack([black, white], axis=1).ravel()
    points = np.stack([score, 1 - score], axis=1).ravel()
    # One place for each player and period; places of a period stand together.
    width = int(who.max()) + 1
    when = np.repeat(np.unique(periods, return_inverse=True)[1], 2)
    keys, me = np.unique(when * width + who, return_inverse=True)
    opponent = np.searchsorted(keys, when * width + against)
    sides = np.flatnonzero(np.r_[True, when[1:] != when[:-1], True])
    places = np.searchsorted(keys, np.arange(len(sides)) * width)
    players = keys % width
    for i in range(len(sides) - 1):
        rows, here = slice(sides[i], sides[i + 1]), slice(places[i], places[i + 1])
        first = places[i]
        yield Sides(players[here], me[rows] - first, opponent[rows] - first, points[rows])
