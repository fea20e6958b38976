"""Steps as the ledger keeps them, and those without a game: set by hand, floors, rounding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from arpad.rate.workings import STEP_SCHEMA
from arpad.schema import schema

if TYPE_CHECKING:
    from arpad.model import Games
    from arpad.rate.workings import Workings

__all__ = ["STEPS", "kept", "leaps", "numbered_steps", "steps_by_number"]

_FIGURES = [n for n in STEP_SCHEMA.names() if n not in ("player", "seq", "game", "opponent")]

STEPS = schema(
    {
        "player_id": pl.Int64,
        "seq": pl.Int64,
        "game_id": pl.Int64,
        "event_id": pl.Int64,
        "opponent_id": pl.Int64,
        **{name: STEP_SCHEMA[name] for name in _FIGURES},
    }
)
"""The steps of a run; the rating before and all changes, added up in their order, are the rating after."""


def kept(shown: Workings, games: Games, table: pl.DataFrame) -> pl.DataFrame:
    """Return a system's steps with the numbers that players, games and events have in the ledger.

    Parameters
    ----------
    table
        `game_id` and `event_id` of the games, row by row.
    """
    ids = games.players["id"].cast(pl.Int64)
    steps = shown.steps
    return steps.select(
        ids.gather(steps["player"]).alias("player_id"),
        pl.col("seq").cast(pl.Int64),
        table["game_id"].gather(steps["game"]).alias("game_id"),
        table["event_id"].gather(steps["game"]).alias("event_id"),
        ids.gather(steps["opponent"]).alias("opponent_id"),
        *_FIGURES,
    )


def leaps(
    player: pl.Series, before: pl.Series, after: pl.Series, rule: pl.Series | str
) -> pl.DataFrame:
    """Return the steps that lead exactly from one figure to another, of those whose figure changes.

    No rating counts as 0. Where no single change leads there to the last bit, the old figure is taken away
    and the new one given.

    Examples
    --------
    >>> leaps(pl.Series([7, 8]), pl.Series([1499.6, 1500.0]), pl.Series([1500.0, 1500.0]), "rounding")[
    ...     "player_id"
    ... ].to_list()
    [7]
    """
    rows = pl.DataFrame(
        {"player_id": player, "before": before.cast(pl.Float64), "after": after.cast(pl.Float64)}
    ).with_columns(
        pl.lit(rule).alias("rule") if isinstance(rule, str) else rule.alias("rule"),
        pl.col("before").alias("rating"),
        pl.col("before", "after").fill_null(0.0),
    )
    rows = rows.filter(pl.col("before") != pl.col("after")).with_columns(
        (pl.col("after") - pl.col("before")).alias("change")
    )
    exact = pl.col("before") + pl.col("change") == pl.col("after")
    given = rows.filter(~exact).with_columns(
        pl.lit(None, dtype=pl.Float64).alias("rating"), pl.col("after").alias("change")
    )
    taken = rows.with_columns(
        pl.when(exact).then("change").otherwise(-pl.col("before")).alias("change")
    )
    return _with_every_column(pl.concat([taken, given]).sort("player_id", maintain_order=True))


def _with_every_column(steps: pl.DataFrame) -> pl.DataFrame:
    missing = [
        pl.lit(None, dtype=kind).alias(name)
        for name, kind in STEPS.items()
        if name not in steps.columns
    ]
    return steps.with_columns(missing).select(pl.col(c).cast(k) for c, k in STEPS.items())


def numbered_steps(parts: list[pl.DataFrame]) -> pl.DataFrame:
    """Return steps of several kinds, one after the other, by player and numbered from 0."""
    some = [part for part in parts if part.height]
    if not some:
        return pl.DataFrame(schema=STEPS)
    if len(some) == 1 and not some[0]["seq"].has_nulls():  # a system numbers its own
        return some[0].cast(STEPS)
    whole = pl.concat(some).cast(STEPS).sort("player_id", maintain_order=True)
    return whole.with_columns(pl.int_range(pl.len(), dtype=pl.Int64).over("player_id").alias("seq"))


def steps_by_number(steps: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return steps with numbers instead of rules, and the texts of the numbers in their order.

    Examples
    --------
    >>> steps, texts = steps_by_number(pl.DataFrame({"rule": ["floor", None, "K = 20", "floor"]}))
    >>> steps["rule"].to_list(), texts.rows()
    ([2, None, 1, 2], [(1, 'K = 20'), (2, 'floor')])
    """
    texts = steps["rule"].drop_nulls().unique().sort()
    numbered = pl.DataFrame(
        {"number": pl.int_range(1, len(texts) + 1, dtype=pl.Int64, eager=True), "text": texts}
    )
    number = pl.col("rule").replace_strict(
        numbered["text"], numbered["number"], return_dtype=pl.Int64
    )
    return steps.with_columns(number), numbered
