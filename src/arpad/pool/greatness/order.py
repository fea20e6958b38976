"""The order of play within each event: by round and board where every game has a round, then by day."""

from __future__ import annotations

import polars as pl

__all__ = ["in_order"]

ROUND = r"^(\d{1,6})(?:\.(\d{1,6}))?(?:\.(\d{1,6}))?$"
"""A round, a board in it, a game at it: 4, 4.10 or 4.10.2."""


def in_order(table: pl.DataFrame) -> pl.DataFrame:
    """Sort games by `group`, and within it as they were played, as the app does with one event.

    P-Zero depends on the order. Rounds tell it best, then days where all are known; else the order of
    the source is all that there is. A play-off comes last. `when` is equal for games of which nothing
    tells which was first; `certain` says that all games have rounds, and nobody two games in one.
    """
    keys = [f"_{i}" for i in (1, 2, 3)]
    table = table.with_columns(
        pl.col("round").str.strip_chars().str.extract(ROUND, i).cast(pl.Int32).alias(f"_{i}")
        for i in (1, 2, 3)
    )
    by_round = pl.col("_1").is_not_null().all().over("group")
    by_day = pl.col("exact").all().over("group")
    time = ("late", *keys, "_day")
    table = (
        table.with_columns(by_round.alias("by_round"), by_day.alias("_day"))
        .with_columns(
            *(pl.when("by_round").then(pl.col(c)).alias(c) for c in keys),
            pl.when("_day").then("date").alias("_day"),
        )
        .sort("group", *time, "row", nulls_last=False, maintain_order=True)
        .with_columns(pl.struct("group", *time).rle_id().cast(pl.Int64).alias("when"))
    )
    sides = pl.concat(
        table.select("group", "when", side).rename({side: "p"}) for side in ("white", "black")
    )
    twice = sides.filter(sides.is_duplicated())["group"].unique()
    certain = pl.col("by_round") & ~pl.col("group").is_in(twice.implode())
    return table.with_columns(certain.alias("certain")).drop(*keys, "_day", "by_round")
