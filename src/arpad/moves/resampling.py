"""The bootstrap behind the intervals of measures of moves: games are drawn, not moves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from arpad.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


# How often each game is drawn, again and again: the bootstrap that gives every estimate its interval.
#
# The moves of a game hang together, so games are drawn, never single moves. From fewer than five games nothing
# can be said so: their moves are drawn then, in blocks that follow one another, and what differs from game to
# game is hardly in the interval.

DRAWS = 1000
FEWEST_DRAWS = 100
"""Draws below which the limits of an interval are mostly chance."""
FEWEST = 5
"""Games, or blocks of moves, below which there is no interval: even the whole range of four misses the truth one time in
eight (2^(1−n), for the median)."""
MOST_NUMBERS = 400_000_000
"""Numbers that the table of draws may hold."""
CONFIDENCE = 0.95
AT_ONCE = 4_000_000
"""Random numbers that are made at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resampling:
    """Settings of intervals: number of random samples (`draws`), probability, and seed."""

    draws: int = DRAWS
    confidence: float = CONFIDENCE
    seed: int = 0

    def __post_init__(self) -> None:
        if self.draws != 0 and self.draws < FEWEST_DRAWS:
            raise UsageError(
                f"expected at least {FEWEST_DRAWS} draws, or 0 for no intervals; found {self.draws}"
            )
        if not 0 < self.confidence < 1:
            raise UsageError(f"expected a confidence between 0 and 1, found {self.confidence!r}")

    def parameters(self) -> dict[str, object]:
        """Return the settings by name."""
        return {"draws": self.draws, "confidence": self.confidence, "seed": self.seed}


def block_length(moves: int) -> int:
    """Return how many moves stay together where a single game is resampled: the cube root, upwards.

    Examples
    --------
    >>> block_length(41), block_length(8), block_length(1)
    (4, 2, 1)
    """
    return max(1, math.ceil(round(math.cbrt(moves), 9)))


def draw_counts(stratum: ArrayLike, draws: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Return how often each cluster is drawn, draw by draw; as many as there are, within each stratum.

    Examples
    --------
    >>> counts = draw_counts([0, 0, 0, 1], 2, np.random.default_rng(0))
    >>> counts.sum(axis=1).tolist(), counts[:, 3].tolist()
    ([4, 4], [1, 1])
    """
    group = np.unique(np.asarray(stratum), return_inverse=True)[1]
    n = len(group)
    if draws * n > MOST_NUMBERS:
        raise UsageError(
            f"expected at most {MOST_NUMBERS // n:,} draws for {n:,} games, found {draws:,}: ask for fewer"
        )
    order = np.argsort(group, kind="stable")
    size = np.bincount(group)
    start = (np.cumsum(size) - size)[group[order]]
    width = size[group[order]]
    counts = np.empty((draws, n), dtype=np.uint8)
    step = max(1, AT_ONCE // max(n, 1))
    for first in range(0, draws, step):
        rows = min(step, draws - first)
        picks = start + (rng.random((rows, n)) * width).astype(np.int64)
        flat = (picks + n * np.arange(rows)[:, None]).ravel()
        result = np.bincount(flat, minlength=rows * n).reshape(rows, n)
        counts[first : first + rows, order] = np.minimum(result, 255)
    return counts


def interval(
    drawn: NDArray[np.float64], clusters: int, confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """Return the limits of a percentile interval, widened for few clusters; NaN where there are none.

    None for fewer than five clusters, nor where every draw gives the same: that nothing varied in a sample does
    not make it certain.

    A plain percentile interval is too narrow for few clusters, as a normal limit is beside Student's: the
    quantile taken is Φ(−√(n/(n−1)) t_(n−1)) instead of α/2 [Hesterberg, *What teachers should know about the
    bootstrap*, The American Statistician 69 (2015), 371–386, expanded percentile interval].
    """
    from scipy.special import ndtr, stdtrit

    kept = drawn[~np.isnan(drawn)]
    if clusters < FEWEST or len(kept) < FEWEST_DRAWS // 2 or kept.min() == kept.max():
        return math.nan, math.nan
    t = stdtrit(clusters - 1, (1 + confidence) / 2)
    tail = float(ndtr(-math.sqrt(clusters / (clusters - 1)) * t))
    ordered = np.sort(kept)  # infinite values are quantiles like others; never interpolated between
    last = len(ordered) - 1
    low, high = math.floor(tail * last), math.ceil((1 - tail) * last)
    return float(ordered[low]), float(ordered[high])


# What is drawn again and again as a whole: the moves of a player in a game, or in a block of one.


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """Moves by sheet and cluster, sheets together: the smallest parts that are drawn as a whole.

    A cluster is a game, or a block of moves of a game where the sheet has too few games.
    """

    gain: NDArray[np.int32]
    """Every move's gain, cell by cell."""
    cell: NDArray[np.int64]
    """Every move's cell."""
    sheet: NDArray[np.int64]
    """Every cell's sheet."""
    cluster: NDArray[np.int64]
    """Every cell's cluster."""
    stratum: NDArray[np.int64]
    """Every cluster's stratum: clusters are drawn among those of the same."""
    first: NDArray[np.int64]
    """Every sheet's first cell, and one more: where the last one ends."""
    by_games: NDArray[np.bool_]
    """Whether the clusters of a sheet are games."""
    games: NDArray[np.int64]
    """Number of games in which a sheet has moves."""

    def of_sheet(self, sheet: int) -> slice:
        """Return a sheet's cells."""
        return slice(int(self.first[sheet]), int(self.first[sheet + 1]))

    def sums(self, each: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Return the sum of a figure of each move, cell by cell; without one, how many moves there are."""
        return np.bincount(self.cell, weights=each, minlength=len(self.sheet)).astype(np.float64)


def cells_of(
    gain: ArrayLike,
    sheet: ArrayLike,
    game: ArrayLike,
    ply: ArrayLike,
    *,
    sheets: int,
    stratum: ArrayLike | None,
) -> Cells:
    """Put moves into cells: by games where a sheet has enough of them, by blocks of moves where not.

    Parameters
    ----------
    gain, sheet, game, ply
        Move by move: centipawns, whose sheet it belongs to, which game, which ply.
    stratum
        For each move the set of games among which its game, or its block, is drawn; all of them without it.
    """
    gains = np.asarray(gain, dtype=np.int32)
    sheet, game, ply = (np.asarray(a, dtype=np.int64) for a in (sheet, game, ply))
    strata = np.zeros(len(game), np.int64) if stratum is None else np.asarray(stratum, np.int64)
    width = int(game.max(initial=0)) + 1
    games = np.bincount(np.unique(sheet * width + game) // width, minlength=sheets)
    by_games = games >= FEWEST
    block = _blocks(game, ply)
    key = np.where(by_games[sheet], 0, 1 + block)
    # A cluster is the whole game (0) or one block of it; games are drawn among games, blocks among blocks.
    deep = int(key.max(initial=0)) + 1
    cluster, label = np.unique(game * deep + key, return_inverse=True)
    group = 2 * strata + (key > 0)
    of_cluster = np.zeros(len(cluster), dtype=np.int64)
    of_cluster[label] = group
    cell_key, cell = np.unique(sheet * len(cluster) + label, return_inverse=True)
    order = np.argsort(cell, kind="stable")
    owner = cell_key // max(len(cluster), 1)
    return Cells(
        gain=gains[order],
        cell=cell[order],
        sheet=owner,
        cluster=cell_key % max(len(cluster), 1),
        stratum=of_cluster,
        first=np.searchsorted(owner, np.arange(sheets + 1)),
        by_games=by_games,
        games=games,
    )


def _blocks(game: NDArray[np.int64], ply: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of the block that each move is in; both sides' moves share their blocks."""
    length = np.zeros(int(game.max(initial=-1)) + 1, dtype=np.int64)
    np.maximum.at(length, game, (ply + 1) // 2)
    blocks = np.array([block_length(int(n)) for n in range(int(length.max(initial=0)) + 1)])
    return np.asarray(((ply - 1) // 2) // blocks[length[game]])


# Means whose moves hang together: the moves of one game are one draw, not many.
#
# A mean over moves is a ratio of two sums over games, errors and moves; its standard error is that of a ratio
# [Cochran, *Sampling Techniques*, 3rd edition, 2.11 and 6.19].

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
        mean=mean,
        error=error,
        low=mean - reach,
        high=mean + reach,
        moves=moves,
        games=games,
        by_games=by_games,
    )


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
    spread: NDArray[np.float64] = np.bincount(of, weights=departure**2, minlength=groups).astype(np.float64)
    return np.bincount(of, minlength=groups).astype(np.int64), spread
