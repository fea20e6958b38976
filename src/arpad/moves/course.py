"""Algorithm 4: a player's strength after each move, against the engine [Ferreira 2012, 7]."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.moves.distribution import ZERO_GAIN, Distribution
from arpad.moves.expected import difference
from arpad.moves.resampling import FEWEST, Resampling, block_length, interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["course", "so_far"]


def so_far(
    gains: ArrayLike, *, engine: Distribution = ZERO_GAIN, resampling: Resampling | None = None
) -> tuple[float, float, float]:
    """Return the expected score against the engine over these moves of one game, and its interval.

    Moves are drawn in blocks, since one game is all there is; NaN where there are too few.

    Examples
    --------
    >>> so_far([-1, -5], resampling=Resampling(draws=0))[0]
    0.0
    """
    how = resampling or Resampling()
    scores = engine.middle(np.asarray(gains))
    low, high = _limits(scores, how)
    return float(scores.mean()), low, high


def course(
    gains: ArrayLike,
    *,
    engine: Distribution = ZERO_GAIN,
    engine_rating: float | None = None,
    resampling: Resampling | None = None,
) -> pl.DataFrame:
    """Return the strength after each move of a player in one game: −∞ as long as no move was good enough.

    Parameters
    ----------
    gains
        The player's gains in centipawns, in order.
    engine
        The engine's distribution of gain: a single peak at 0, or one that was measured.
    engine_rating
        The engine's rating, which makes strengths of differences.

    Returns
    -------
    pl.DataFrame
        `move` (1, 2, …), `gain`, `expected`, `low`, `high`, and `difference`, `difference_low`,
        `difference_high`; with `engine_rating` also `strength`, `strength_low`, `strength_high`.

    Examples
    --------
    >>> course([-1, 0], resampling=Resampling(draws=0))["difference"].round(1).to_list()
    [-inf, -190.8]
    """
    how = resampling or Resampling()
    given = np.asarray(gains)
    scores = engine.middle(given)
    n = np.arange(1, len(scores) + 1)
    limits = np.array([_limits(scores[:k], how) for k in n]).reshape(-1, 2)
    figures = {"expected": np.cumsum(scores) / n, "low": limits[:, 0], "high": limits[:, 1]}
    rows = pl.DataFrame({"move": n, "gain": given, **figures})
    for name, suffix in (("expected", ""), ("low", "_low"), ("high", "_high")):
        d = pl.Series(f"difference{suffix}", _differences(figures[name]))
        rows = rows.with_columns(d)
        if engine_rating is not None:
            rows = rows.with_columns((d + engine_rating).alias(f"strength{suffix}"))
    return rows.with_columns(pl.selectors.float().fill_nan(None))


def _differences(p: NDArray[np.float64]) -> NDArray[np.float64]:
    d = np.full(len(p), np.nan)
    known = ~np.isnan(p)
    d[known] = difference(np.clip(p[known], 0.0, 1.0))
    return d


def _limits(scores: NDArray[np.float64], how: Resampling) -> tuple[float, float]:
    """Return the interval of a mean over moves that are drawn in blocks."""
    blocks = np.arange(len(scores)) // block_length(len(scores))
    count = int(blocks[-1]) + 1 if len(blocks) else 0
    if how.draws == 0 or count < FEWEST:
        return math.nan, math.nan
    sums, sizes = np.bincount(blocks, weights=scores), np.bincount(blocks)
    rng = np.random.default_rng(how.seed)
    drawn = rng.integers(0, count, (how.draws, count))
    means = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    return interval(means, count, how.confidence)
