"""Table 8.85: the factor F by which a difference from few games is reduced."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

__all__ = ["DIFFERENCES", "ENOUGH", "FACTORS", "GAMES", "small_sample_factor"]

GAMES = (5, 7, 9, 11, 13, 15, 17)
DIFFERENCES = (50, 100, 150, 200, 250, 300, 350, 400)
FACTORS = (
    (0.96, 0.91, 0.85, 0.78, 0.71, 0.64, 0.57, 0.51),
    (0.96, 0.92, 0.86, 0.80, 0.73, 0.66, 0.59, 0.53),
    (0.97, 0.93, 0.87, 0.82, 0.75, 0.68, 0.61, 0.55),
    (0.97, 0.94, 0.89, 0.84, 0.77, 0.71, 0.64, 0.57),
    (0.98, 0.94, 0.89, 0.85, 0.78, 0.72, 0.65, 0.59),
    (0.99, 0.95, 0.90, 0.85, 0.80, 0.73, 0.67, 0.60),
    (0.99, 0.95, 0.90, 0.86, 0.81, 0.74, 0.68, 0.61),
)
"""F by number of games (rows) and |D_p| (columns), as printed; no formula gives it."""

ENOUGH = 30
"""From thirty games on F is 1 [2.59, 8.86]."""


@lru_cache(maxsize=4096)  # a season asks for the same few hundred again and again
def small_sample_factor(games: int, D_p: float) -> float:
    """Return F, interpolated in games and in |D_p|.

    Below the table's first column F runs to 1 at D_p = 0, behind its last row to 1 at thirty games;
    beyond its other edges the last value holds.

    Examples
    --------
    >>> small_sample_factor(9, 200), small_sample_factor(8, 200)
    (0.82, 0.81)
    """
    columns = np.array([0, *DIFFERENCES], dtype=np.float64)
    rows = np.array([*GAMES, ENOUGH], dtype=np.float64)
    factors = np.array([[1.0, *row] for row in FACTORS] + [[1.0] * len(columns)])
    at_difference = [np.interp(abs(D_p), columns, row) for row in factors]
    return round(float(np.interp(games, rows, at_difference)), 12)
