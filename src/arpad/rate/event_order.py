"""The order of play within each event: by round and board where every game has a round, then by day."""

from __future__ import annotations

import polars as pl

__all__ = ["has_rounds", "in_order", "one_event_in_order"]

ROUND = r"^(\d{1,6})(?:\.(\d{1,6}))?(?:\.(\d{1,6}))?$"
"""A round, a board in it, a game at it: 4, 4.10 or 4.10.2."""


def in_order(table: pl.DataFrame) -> pl.DataFrame:
    """Sort games by `group`, and within it as they were played.

    P-Zero depends on the order. Rounds tell it best, then days where all are known; else the order of
    the source is all that there is. A play-off comes last. `when` is equal for games of which nothing
    tells which was first; `certain` says that all games have rounds, and nobody two games in one.
    """
    keys = [f"_{i}" for i in (1, 2, 3)]
    table = table.with_columns(_part(i).alias(f"_{i}") for i in (1, 2, 3))
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


def one_event_in_order(played: pl.DataFrame) -> pl.DataFrame:
    """Sort the games of one event as they were played, with `when` and `certain` of `in_order`.

    Games of several events keep what their days say: rounds of one say nothing of another's.

    Examples
    --------
    >>> from arpad.model import Games
    >>> games = Games.build([("Ann", "Bob", 1.0), ("Bob", "Ann", 0.5)])
    >>> played = games.table.with_columns(round=pl.Series(["2", "1"]))
    >>> one_event_in_order(played).select("round", "when", "certain").rows()
    [('1', 0, True), ('2', 1, True)]
    """
    one = played["event"].n_unique() <= 1
    known = pl.col("date").is_not_null()
    keys = played.select(
        "white", "black", "date",
        (pl.col("round") if one else pl.lit(None, pl.String)).alias("round"),
        (known & (pl.col("precision").cast(pl.String).fill_null("day") == "day")).alias("exact"),
        pl.lit(0).alias("group"),
        pl.lit(0).alias("late"),
        pl.int_range(pl.len()).alias("row"),
    )  # fmt: skip
    ordered = in_order(keys)
    return played[ordered["row"]].with_columns(ordered["when"], ordered["certain"])


def has_rounds(played: pl.DataFrame) -> bool:
    """Say whether these are games of one event, each with a round."""
    if not played.height or played["event"].n_unique() > 1:
        return False
    return bool(played.select(_part(1).is_not_null().all()).item())


def _part(i: int) -> pl.Expr:
    """Return the round (1), the board in it (2) or the game at it (3)."""
    return pl.col("round").str.strip_chars().str.extract(ROUND, i).cast(pl.Int32)
