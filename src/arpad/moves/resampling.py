"""How often each game is drawn, again and again: the bootstrap that gives every estimate its interval.

The moves of a game hang together, so games are drawn, never single moves. From fewer than five games nothing
can be said so: their moves are drawn then, in blocks that follow one another, and what differs from game to
game is hardly in the interval.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from arpad.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["CONFIDENCE", "DRAWS", "FEWEST", "Resampling", "block_length", "draw_counts", "interval"]

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
    """How intervals are made: `draws` sets of games, which share of them lies inside, and the seed."""

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
        found = np.bincount(flat, minlength=rows * n).reshape(rows, n)
        counts[first : first + rows, order] = np.minimum(found, 255)
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
