"""From which list an event is rated, and which list takes its changes.

A list appears on the first of every month. An event is rated as a whole, from the list in force when it
begins, and its changes go into the list after the month in which it ends. An event that lasts longer
than `LONGEST_EVENT` days is rated month by month [article 4], and so are games without an event.
"""

from __future__ import annotations

import polars as pl

__all__ = ["LONGEST_EVENT", "NEVER", "by_list"]

LONGEST_EVENT = 31
NEVER = -(10**6)
"""The month of games without any date."""


def by_list(played: pl.DataFrame) -> pl.DataFrame:
    """Add `list` (the month whose list is used) and `close` (the month that takes the changes)."""
    month = pl.col("date").dt.year().cast(pl.Int32) * 12 + pl.col("date").dt.month()
    # A game without a date is of its event's; only where that has none, of the play before it.
    inside = month.forward_fill().backward_fill().over("event")
    inside = pl.when(pl.col("event").is_null()).then(month).otherwise(inside)
    dated = played.with_columns(inside.forward_fill().fill_null(NEVER).alias("month"))
    if dated["event"].null_count() == dated.height:
        return dated.with_columns(
            pl.col("month").alias("list"), pl.col("month").alias("close")
        ).sort("close", maintain_order=True)
    days = (pl.col("date").max() - pl.col("date").min()).dt.total_days().fill_null(0).over("event")
    whole = pl.col("event").is_not_null() & (days <= LONGEST_EVENT)
    first, last = pl.col("month").min().over("event"), pl.col("month").max().over("event")
    return dated.with_columns(
        pl.when(whole).then(first).otherwise("month").alias("list"),
        pl.when(whole).then(last).otherwise("month").alias("close"),
    ).sort("close", maintain_order=True)
