"""Figures as they are published: multiples of a step, halves upwards; and floors."""

from __future__ import annotations

import numpy as np
import polars as pl

__all__ = ["floored", "rounded"]

NOISE = 9
"""Decimals of a multiple that count: what binary fractions leave beyond them is noise."""


def rounded(figures: pl.Series, step: float | None) -> pl.Series:
    """Return figures rounded to multiples of a step, halves upwards; None: as they are.

    Examples
    --------
    >>> rounded(pl.Series([1499.5, 1497.4, None]), 1.0).to_list()
    [1500.0, 1497.0, None]
    >>> rounded(pl.Series([2642.5, 2644.9]), 5.0).to_list()
    [2645.0, 2645.0]
    """
    if step is None:
        return figures
    values = figures.fill_null(np.nan).to_numpy() / step
    whole = np.floor(np.round(values, NOISE) + 0.5) * step
    # A step such as .1 has no binary fraction of its own: take the nearest to its decimals.
    decimals = max(0, -int(np.floor(np.log10(step)))) + 2
    whole = np.round(whole, decimals) + 0.0
    return pl.Series(figures.name, whole, dtype=pl.Float64).fill_nan(None)


def floored(figures: pl.Series, floor: float | None) -> pl.Series:
    """Return figures, none of them below a floor; None: no floor."""
    return figures if floor is None else figures.clip(lower_bound=floor)
