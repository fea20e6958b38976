"""Rating periods: which games are rated together, from the ratings before the period."""

from __future__ import annotations

from typing import Literal

import polars as pl

from arpad.errors import UsageError

__all__ = ["Period", "period_numbers"]

Period = Literal["game", "day", "month", "quarter", "year", "event"]
_DATE = pl.col("date").forward_fill()
_YEAR = _DATE.dt.year().cast(pl.Int64)
_NUMBER = {
    "day": _DATE.dt.epoch("d").cast(pl.Int64),
    "month": 12 * _YEAR + _DATE.dt.month(),
    "quarter": 4 * _YEAR + _DATE.dt.quarter(),
    "year": _YEAR,
}


def period_numbers(
    played: pl.DataFrame, period: Period, *, gaps: bool = False
) -> tuple[pl.DataFrame, pl.Series]:
    """Return the games in the order of their periods, and the number of each game's period.

    Parameters
    ----------
    played
        Games in the order in which they were played.
    period
        "event": an event is a period; it takes its place by its first game.
    gaps
        Number the periods of the calendar without games too.
    """
    if period == "event":
        played = (
            played.with_columns(pl.int_range(pl.len()).alias("_first"))
            .with_columns(pl.col("_first").first().over(pl.col("event").fill_null(-1)))
            .sort("_first", maintain_order=True)
        )
        numbers = played["_first"].rank("dense").cast(pl.Int64) - 1
        return played.drop("_first"), numbers
    if period not in _NUMBER:
        raise UsageError(
            f"expected a period, one of game, {', '.join(_NUMBER)}, event; found {period!r}"
        )
    known = played.select(_NUMBER[period].alias("period")).to_series()
    # Games before the first date are a period of their own.
    numbers = known.fill_null(strategy="min") - known.is_null().cast(pl.Int64)
    return played, numbers if gaps else numbers.rank("dense").cast(pl.Int64) - 1
