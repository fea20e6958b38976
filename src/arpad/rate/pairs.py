"""Games of a pool, added up by pairing: who met whom how often, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["Pairs", "add_up"]


@dataclass(frozen=True, slots=True)
class Pairs:
    """Each row: White, Black, games between them with these colours, White's points in them.

    Rows are sorted by White, then Black; no pairing stands here twice with the same colours.
    """

    players: int
    white: NDArray[np.int64]
    black: NDArray[np.int64]
    games: NDArray[np.float64]
    points: NDArray[np.float64]
    starts: NDArray[np.int64] = field(init=False)
    """Where the rows of each White begin: with `black` and values, a sparse matrix."""

    def __post_init__(self) -> None:
        starts = np.searchsorted(self.white, np.arange(self.players + 1))
        object.__setattr__(self, "starts", starts)

    def played(self) -> NDArray[np.float64]:
        """Return the number of games of each player."""
        return self.both(self.games, self.games)

    def scored(self) -> NDArray[np.float64]:
        """Return the points of each player."""
        return self.both(self.points, self.games - self.points)

    def both(
        self, to_white: NDArray[np.float64], to_black: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return everybody's sum of what each row gives to White and to Black."""
        from scipy.sparse import csr_array

        n, starts = self.players, self.starts
        each, shape = np.ones(n), (n, n)
        white = csr_array((to_white, self.black, starts), shape=shape) @ each
        black = csr_array((to_black, self.black, starts), shape=shape).T @ each
        return np.asarray(white + black, dtype=np.float64)

    def within(self, group: NDArray[np.int64]) -> Pairs:
        """Return the rows in which both belong to the same group (a number for each player)."""
        same = (group[self.white] == group[self.black]) & (group[self.white] >= 0)
        return self.take(same)

    def take(self, rows: NDArray[np.bool_]) -> Pairs:
        """Return some of the rows."""
        return Pairs(
            self.players, self.white[rows], self.black[rows], self.games[rows], self.points[rows]
        )


def add_up(played: pl.DataFrame, players: int) -> Pairs:
    """Add up the games of every pairing; colours are kept apart."""
    white = played["white"].to_numpy().astype(np.int64)
    black = played["black"].to_numpy().astype(np.int64)
    score = played["score"].to_numpy()
    key = white * players + black
    order = np.argsort(key)
    key = key[order]
    first = np.flatnonzero(np.r_[True, key[1:] != key[:-1]]) if len(key) else np.zeros(0, np.int64)
    games = np.diff(np.r_[first, len(key)]).astype(np.float64)
    points = np.add.reduceat(score[order], first) if len(key) else np.zeros(0)
    return Pairs(
        players, key[first] // max(players, 1), key[first] % max(players, 1), games, points
    )
