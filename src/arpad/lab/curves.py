"""Calibration curves: where a system expects so much, so much should be scored."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["BINS", "calibration_curve", "calibration_error"]

BINS = 20
"""Bins of equal width, .05 each."""
Z = 1.959964
"""Standard deviations for a two-sided 95 %."""


def calibration_curve(S: Array, E: Array, bins: int = BINS) -> pl.DataFrame:
    """Return, for each bin with games, n, the mean expected and the mean score with an interval.

    `low` and `high` are Wilson's 95 % interval for a mean of n results of 0 or 1. With draws the true
    interval is narrower; that of games which share players is wider.

    Examples
    --------
    >>> E = np.repeat([0.22, 0.72], 100)
    >>> S = np.r_[np.repeat([0.0, 1.0], [80, 20]), np.repeat([0.0, 1.0], [30, 70])]
    >>> calibration_curve(S, E).select("from", "n", "expected", "score").rows()
    [(0.2, 100, 0.22, 0.2), (0.7, 100, 0.72, 0.7)]
    """
    if bins < 1:
        raise UsageError(f"expected a number of bins above 0, found {bins}")
    place = np.minimum((E * bins).astype(np.int64), bins - 1)
    n = np.bincount(place, minlength=bins)
    here = np.flatnonzero(n)
    count = n[here].astype(np.float64)
    expected, score = (
        np.bincount(place, weights=w, minlength=bins)[here] / count for w in (E, S)
    )  # fmt: skip
    low, high = _wilson(score, count)
    return pl.DataFrame(
        {
            "from": here / bins,
            "to": (here + 1) / bins,
            "n": n[here],
            "expected": expected.round(9),
            "score": score.round(9),
            "low": low,
            "high": high,
        }
    )


def calibration_error(curve: pl.DataFrame) -> float:
    """Return the mean distance between what was expected and what was scored, by games."""
    if not curve.height:
        return math.nan
    off = (curve["expected"] - curve["score"]).abs() * curve["n"]
    return float(off.sum()) / float(curve["n"].sum())


def _wilson(p: Array, n: Array) -> tuple[Array, Array]:
    """Return Wilson's interval for a share p of n."""
    middle = (p + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z * np.sqrt(p * (1 - p) / n + Z**2 / (4 * n**2)) / (1 + Z**2 / n)
    return np.clip(middle - half, 0, 1), np.clip(middle + half, 0, 1)
