"""The order of play within each event: by round and board where every game has a round, else by day."""

from __future__ import annotations

import polars as pl

__all__ = ["in_order"]

ROUND = r"^(\d{1,6})(?:\.(\d{1,6}))?(?:\.(\d{1,6}))?$"
"""A round, a board in it, a game at it: 4, 4.10 or 4.10.2."""


def in_order(table: pl.DataFrame) -> pl.DataFrame:
    """Sort games by `group`, and within it as they were played; `by_round` says whether rounds told.

    P-Zero depends on the order. Rounds tell it best, then days where all are known; else the order of
    the source is all that there is. A play-off comes last.
    """
    keys = [f"_{i}" for i in (1, 2, 3)]
    table = table.with_columns(
        pl.col("round").str.strip_chars().str.extract(ROUND, i).cast(pl.Int32).alias(f"_{i}")
        for i in (1, 2, 3)
    )
    by_round = pl.col("_1").is_not_null().all().over("group")
    by_day = pl.col("exact").all().over("group")
    return (
        table.with_columns(by_round.alias("by_round"), by_day.alias("_day"))
        .with_columns(
            *(pl.when("by_round").then(pl.col(c)).alias(c) for c in keys),
            pl.when(~pl.col("by_round") & pl.col("_day")).then("date").alias("_day"),
        )
        .sort("group", "late", *keys, "_day", "row", nulls_last=False, maintain_order=True)
        .drop(*keys, "_day")
    )
