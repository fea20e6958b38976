"""Strength against age: the book's composite curve, and one's own [Elo 5.67, chapter 6]."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.pool.additive import fit_additive

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

__all__ = [
    "FORMATIVE",
    "GAIN",
    "LEVELS",
    "LEVEL_AGES",
    "PEAK_AGE",
    "ages_at",
    "composite_curve",
    "development",
]

LEVEL_AGES = (21.0, 63.0)
"""Years of age at which performance is the same [5.67]."""

PEAK_AGE = 36.0
"""Years of age of peak performance [5.67]."""

GAIN = 120.0
"""Points from 21 to the peak, on average [5.67, 6.21]."""

FORMATIVE = {
    12: 1640, 13: 1785, 14: 1930, 15: 2120, 16: 2255, 17: 2315, 18: 2350, 19: 2405, 20: 2425, 21: 2445,
}  # fmt: skip
"""Average ratings by age of twelve early achievers [6.32]."""

LEVELS = (2300.0, 2400.0, 2500.0)
"""Master, international master, grandmaster [6.42]."""


def composite_curve(age: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Return points above the level at age 21, for masters in continuous competition.

    The drawing at 6.22 is described in words only: 0 at 21, 120 at 36, 0 at 63, a rise quicker than
    the decline. Half a parabola on each side of the peak has these properties; below 21 the averages
    of 6.32 are joined on, as in 6.33.

    Examples
    --------
    >>> composite_curve(np.array([18.0, 21.0, 36.0, 50.0, 63.0])).round()
    array([-95.,   0., 120.,  88.,   0.])
    """
    age = np.asarray(age, dtype=np.float64)
    rise, fall = PEAK_AGE - LEVEL_AGES[0], LEVEL_AGES[1] - PEAK_AGE
    wide = np.where(age < PEAK_AGE, rise, fall)
    adult = GAIN * (1 - ((age - PEAK_AGE) / wide) ** 2)
    ages = list(FORMATIVE)
    young = np.interp(age, ages, [FORMATIVE[a] - FORMATIVE[21] for a in ages])
    return np.asarray(np.where(age < LEVEL_AGES[0], young, adult))


def development(
    curves: Mapping[str, pl.DataFrame],
    births: Mapping[str, float],
    *,
    zero: int = 21,
    fewest: int = 5,
) -> pl.DataFrame:
    """Return strength by age from lifetime curves: points above age `zero`, error, players.

    Each player has a level of his own, each age an effect; least squares, clustered by player.

    Parameters
    ----------
    curves
        By player: `year`, `rating`, `error`.
    births
        Year of birth by player; others are passed over.
    fewest
        Players that an age needs.
    """
    points = [
        (number, int(year - births[name]), rating, 1 / max(error, 1.0) ** 2)
        for number, (name, curve) in enumerate(curves.items())
        if name in births
        for year, rating, error in curve.select("year", "rating", "error").iter_rows()
    ]
    schema = {"age": pl.Int64, "points": pl.Float64, "error": pl.Float64, "players": pl.Int64}
    ages = np.array([age for _, age, _, _ in points], dtype=np.int64)
    count = np.bincount(ages[ages >= 0]) if len(ages) else np.zeros(0, dtype=np.int64)
    kept = [p for p in points if p[1] >= 0 and count[p[1]] >= fewest]
    if not kept or zero >= len(count) or count[zero] < fewest:
        return pl.DataFrame([], schema=schema)
    rows, columns, values, weights = (np.array(c) for c in zip(*kept, strict=True))
    fit = fit_additive(rows, columns, values, weights, len(count))
    V = fit.covariance
    variance = np.diag(V) + V[zero, zero] - 2 * V[:, zero]
    found = pl.DataFrame(
        {"age": np.arange(len(count)), "points": fit.effects - fit.effects[zero],
         "error": np.sqrt(np.maximum(variance, 0.0)), "players": count}, schema=schema
    )  # fmt: skip
    return found.filter(pl.col("points").is_not_nan())


def ages_at(
    curves: Mapping[str, pl.DataFrame],
    births: Mapping[str, float],
    levels: Sequence[float] = LEVELS,
) -> pl.DataFrame:
    """Return at what age players reached levels, on average [6.42].

    Only those are counted whose curve starts below the level: `above` says how many started above
    it, so that nobody knows when they passed it.
    """
    rows = []
    for level in levels:
        reached, above = [], 0
        for name, curve in curves.items():
            if name not in births:
                continue
            high = curve.filter(pl.col("rating") >= level)
            if high.is_empty():
                continue
            first = float(high["year"].min())  # type: ignore[arg-type]
            if first == curve["year"].min():
                above += 1
            else:
                reached.append(first - births[name])
        n = len(reached)
        rows.append(
            {"level": level, "age": float(np.mean(reached)) if n else None,
             "error": float(np.std(reached, ddof=1) / n**0.5) if n > 1 else None, "players": n, "above": above}
        )  # fmt: skip
    schema = {
        "level": pl.Float64,
        "age": pl.Float64,
        "error": pl.Float64,
        "players": pl.Int64,
        "above": pl.Int64,
    }
    return pl.DataFrame(rows, schema=schema)
