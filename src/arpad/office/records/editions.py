"""Events out of a column of games: which games belong together, and when they were played."""

from __future__ import annotations

from typing import Literal

import polars as pl

__all__ = ["GAP", "Split", "dated", "edition_numbers"]

GAP = 270
"""Days without play behind which an event of the same name is its next edition.

Of the 6,013 names in six years of The Week in Chess, leagues rest for up to 240 days within a season,
and yearly events come back after 300 and more; nothing lies between.
"""

Split = Literal["file", "month", "day"]
"""What games without an event's name make: one event a file, a calendar month or a day."""


def last_day() -> pl.Expr:
    """Return the last day that a date with its precision may mean."""
    first = pl.col("date")
    return (
        pl.when(pl.col("precision") == "year")
        .then(pl.date(first.dt.year(), 12, 31))
        .when(pl.col("precision") == "month")
        .then(first.dt.month_end())
        .otherwise(first)
    )


def edition_numbers(table: pl.DataFrame, whole: pl.Series) -> pl.Series:
    """Return for every game the number of the edition of its event, from 0.

    Parameters
    ----------
    table
        `event`, `date`, `precision`.
    whole
        Rows of `events` that are never divided: their reports say when they were.
    """
    days = (
        table.select("event", "date", "precision")
        .filter(pl.col("date").is_not_null() & ~pl.col("event").is_in(whole.implode()))
        .unique()
        .with_columns(last_day().alias("last"))
        .sort("event", "date", "last")
    )
    before = pl.col("last").cum_max().shift(1).over("event")
    rest = (pl.col("date") - before).dt.total_days() > GAP
    days = days.with_columns(
        rest.fill_null(value=False).cast(pl.Int32).cum_sum().over("event").alias("edition")
    )
    if not (days["edition"] > 0).any():
        return pl.Series("edition", [0], dtype=pl.Int32).new_from_index(0, table.height)
    # Without a date, a game belongs to the one before it in the file.
    return (
        table.select("event", "date", "precision")
        .join(
            days.drop("last"),
            on=["event", "date", "precision"],
            how="left",
            maintain_order="left",
            nulls_equal=True,
        )
        .select(
            pl.col("edition").forward_fill().over("event").fill_null(0).cast(pl.Int32)
        )
        .to_series()
    )  # fmt: skip


def dated(table: pl.DataFrame) -> pl.DataFrame:
    """Return `start` and `end` of every event, null where no game has a date.

    The end is the last day on which a game was played. Where no day is known, it is the last one that
    it may have been: a game is never rated before it was played.
    """
    exact = pl.col("precision").fill_null("day") == "day"
    first, last = pl.col("date"), pl.col("last")
    return (
        table.with_columns(last_day().alias("last"))
        .group_by("event")
        .agg(
            pl.coalesce(first.filter(exact).min(), first.min()).alias("start"),
            pl.coalesce(last.filter(exact).max(), last.max()).alias("end"),
        )
        .sort("event")
    )
