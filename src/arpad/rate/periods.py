"""Rating periods: which games are rated together, from the ratings before the period."""

from __future__ import annotations

from typing import Literal

import numpy as np
import polars as pl

from arpad.errors import UsageError

__all__ = ["Period", "period_numbers"]

Period = Literal["game", "day", "month", "quarter", "year", "event"]
_EVERY = {"day": "1d", "month": "1mo", "quarter": "1q", "year": "1y"}


def period_numbers(played: pl.DataFrame, period: Period) -> tuple[pl.DataFrame, pl.Series]:
    """Return the games in the order of their periods, and the number of each game's period.

    Parameters
    ----------
    played
        Games in the order in which they were played.
    period
        "event": an event is a period; it takes its place by its first game.
    """
    if period == "event":
        played = (
            played.with_columns(pl.int_range(pl.len()).alias("_first"))
            .with_columns(pl.col("_first").first().over(pl.col("event").fill_null(-1)))
            .sort("_first", maintain_order=True)
        )
        numbers = played["_first"].rank("dense").cast(pl.Int64) - 1
        return played.drop("_first"), numbers
    if period not in _EVERY:
        raise UsageError(
            f"expected a period, one of game, {', '.join(_EVERY)}, event; found {period!r}"
        )
    starts = played.select(pl.col("date").dt.truncate(_EVERY[period]).forward_fill()).to_series()
    numbers = starts.fill_null(np.datetime64("0001-01-01")).rank("dense").cast(pl.Int64) - 1
    return played, numbers
