"""Games of a pool, added up by pairing: who met whom how often, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
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

    def played(self) -> NDArray[np.float64]:
        """Return the number of games of each player."""
        return self._spread(self.games, self.games)

    def scored(self) -> NDArray[np.float64]:
        """Return the points of each player."""
        return self._spread(self.points, self.games - self.points)

    def _spread(
        self, to_white: NDArray[np.float64], to_black: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        n = self.players
        total = np.bincount(self.white, to_white, n) + np.bincount(self.black, to_black, n)
        return total.astype(np.float64)

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
    order = np.argsort(key, kind="stable")
    key = key[order]
    first = np.flatnonzero(np.r_[True, key[1:] != key[:-1]]) if len(key) else np.zeros(0, np.int64)
    games = np.diff(np.r_[first, len(key)]).astype(np.float64)
    points = np.add.reduceat(score[order], first) if len(key) else np.zeros(0)
    return Pairs(
        players, key[first] // max(players, 1), key[first] % max(players, 1), games, points
    )
