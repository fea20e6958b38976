"""The points of all rating curves: one for each day on which a player played, and what ties them.

Inside, ratings are on the natural scale θ = r ln 10/400, on which a game is worth p(1 − p).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from arpad.rate.form import SCALE

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Points", "Priors", "lay_out"]

LONGEST_DAY = 2**22
"""Days are kept below this, so that a player and a day fit into one number: eleven thousand years."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Priors:
    """What is held of each player before the first game, by row of the players.

    A normal distribution around `held` with the standard deviation `error`, both in rating points; where
    they are NaN, so many virtual draws against somebody of the rating `level`.
    """

    held: NDArray[np.float64]
    error: NDArray[np.float64]
    level: float
    draws: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Points:
    """All curves in one row, player by player, each by date.

    Parameters
    ----------
    player, day
        Whose point, a row of the players; when, in days since 1970.
    first
        Where the curve of each player who played begins, and at last the number of points.
    link
        1/(w² Δt) to the next point of the same curve, 0 at its last.
    white, black, score
        The points of both sides of each game, and White's score.
    centre, draws, hold
        By curve: the rating, the virtual draws and the 1/variance of what was held before.
    """

    player: NDArray[np.int64]
    day: NDArray[np.int64]
    first: NDArray[np.int64]
    link: NDArray[np.float64]
    white: NDArray[np.int64]
    black: NDArray[np.int64]
    score: NDArray[np.float64]
    centre: NDArray[np.float64]
    draws: NDArray[np.float64]
    hold: NDArray[np.float64]

    def __len__(self) -> int:
        """Return the number of points."""
        return len(self.day)

    @property
    def keys(self) -> NDArray[np.int64]:
        """A number for each point, growing: player first, then day."""
        return self.player * LONGEST_DAY + (self.day + LONGEST_DAY // 2)

    def started(self) -> NDArray[np.float64]:
        """Return curves that are flat at what was held before."""
        return np.repeat(self.centre, np.diff(self.first))

    def curves(self) -> NDArray[np.int64]:
        """Return the number of each point's curve."""
        return np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))

    def groups(self) -> NDArray[np.int64]:
        """Return for each curve the number of its group: players of two groups never met, nor friends' friends."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        n, curve = len(self.first) - 1, self.curves()
        met = (curve[self.white], curve[self.black])
        edges = coo_array((np.ones(len(self.white), dtype=np.int8), met), shape=(n, n))
        return np.asarray(connected_components(edges, directed=False)[1], dtype=np.int64)

    def played(self) -> NDArray[np.int64]:
        """Return the games at each point."""
        n = len(self)
        return np.bincount(self.white, minlength=n) + np.bincount(self.black, minlength=n)


def lay_out(
    white: NDArray[np.int64],
    black: NDArray[np.int64],
    score: NDArray[np.float64],
    day: NDArray[np.int64],
    priors: Priors,
    *,
    w2: float,
) -> Points:
    """Return the points of games between rows of players, on days since 1970."""
    shifted = day + LONGEST_DAY // 2
    keys = np.concatenate([white * LONGEST_DAY + shifted, black * LONGEST_DAY + shifted])
    found, at = np.unique(keys, return_inverse=True)
    player, days = found // LONGEST_DAY, found % LONGEST_DAY - LONGEST_DAY // 2
    begins = np.flatnonzero(np.r_[True, player[1:] != player[:-1]]) if len(found) else found
    first = np.r_[begins, len(found)].astype(np.int64)
    own = player[begins]
    link = np.zeros(len(found))
    same = np.flatnonzero(player[1:] == player[:-1])
    link[same] = SCALE**2 / (w2 * (days[same + 1] - days[same]))
    held, error = priors.held[own], priors.error[own]
    listed = ~np.isnan(held)
    return Points(
        player=player,
        day=days,
        first=first,
        link=link,
        white=at[: len(white)],
        black=at[len(white) :],
        score=np.asarray(score, dtype=np.float64),
        centre=np.where(listed, held, priors.level) / SCALE,
        draws=np.where(listed, 0.0, priors.draws),
        hold=np.where(listed, (SCALE / np.where(listed, error, 1.0)) ** 2, 0.0),
    )
