"""Means whose moves hang together: the moves of one game are one draw, not many.

A mean over moves is a ratio of two sums over games, errors and moves; its standard error is that of a ratio
[Cochran, *Sampling Techniques*, 3rd edition, 2.11 and 6.19].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from arpad.errors import UsageError
from arpad.moves.resampling import CONFIDENCE, FEWEST

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["ClusteredMeans", "clustered_means"]

NOISE = 1e-12
"""Below this a spread is what adding floating-point numbers leaves behind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteredMeans:
    """Means by group, with standard errors and limits; NaN where nothing can be said.

    `by_games` says of each group whether games were told apart; with fewer than five of them the error is that of
    single moves, and what differs from game to game is not in it.
    """

    mean: NDArray[np.float64]
    error: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    moves: NDArray[np.int64]
    games: NDArray[np.int64]
    by_games: NDArray[np.bool_]


def clustered_means(
    value: ArrayLike,
    group: ArrayLike,
    game: ArrayLike,
    *,
    groups: int | None = None,
    confidence: float = CONFIDENCE,
) -> ClusteredMeans:
    """Return the mean of each group 0, 1, …, and its standard error from the spread between games.

    With S_g and n_g the sum and the number of values of game g, N = Σ n_g and G games, the mean is m = Σ S_g / N and
    its error √(G/(G−1) · Σ (S_g − m n_g)²) / N. The limits are Student's with G − 1 degrees of freedom.

    Parameters
    ----------
    groups
        How many groups there are; None: as many as are named.

    Examples
    --------
    >>> found = clustered_means([0.1, 0.3, 0.2, 0.0, 0.4, 0.2], [0] * 6, [0, 0, 1, 2, 3, 4])
    >>> round(float(found.mean[0]), 3), round(float(found.error[0]), 3), int(found.games[0])
    (0.2, 0.053, 5)
    """
    from scipy.special import stdtrit

    if not 0 < confidence < 1:
        raise UsageError(f"expected a confidence between 0 and 1, found {confidence!r}")
    x = np.asarray(value, dtype=np.float64)
    g = np.asarray(group, dtype=np.int64)
    count = groups if groups is not None else int(g.max(initial=-1)) + 1
    moves = np.bincount(g, minlength=count)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(g, x, count) / moves
        games, spread = _between(x - mean[g], g, np.asarray(game, dtype=np.int64), count)
        by_games = games >= FEWEST
        between = np.sqrt(games / (games - 1) * spread) / moves
        within = np.sqrt(np.bincount(g, (x - mean[g]) ** 2, count) / (moves - 1) / moves)
    error = np.where(by_games, between, np.where(moves > 1, within, np.nan))
    # That nothing varied in a sample does not make it certain.
    error = np.where(error > NOISE, error, np.nan)
    freedom = np.maximum(np.where(by_games, games, moves) - 1, 1)
    reach = stdtrit(freedom, (1 + confidence) / 2) * error
    return ClusteredMeans(
        mean=mean, error=error, low=mean - reach, high=mean + reach, moves=moves, games=games,
        by_games=by_games,
    )  # fmt: skip


def _between(
    away: NDArray[np.float64], group: NDArray[np.int64], game: NDArray[np.int64], groups: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return how many games each group has, and the sum of their squared departures."""
    if not len(group):
        return np.zeros(groups, dtype=np.int64), np.zeros(groups)
    width = int(game.max()) + 1
    pair, place = np.unique(group * width + game, return_inverse=True)
    departure = np.bincount(place.reshape(-1), away, len(pair))
    of = pair // width
    spread: NDArray[np.float64] = np.bincount(of, weights=departure**2, minlength=groups).astype(
        np.float64
    )
    return np.bincount(of, minlength=groups).astype(np.int64), spread
