"""What an administrator set by hand: it holds before the games of the period in which it was set."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.office.making.state import STATE_SCHEMA
from arpad.schema import schema

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ADJUSTMENTS", "adjusted", "no_adjustments"]

ADJUSTMENTS = schema(
    {
        "player_id": pl.Int64,
        "rating": pl.Float64,  # set to this; null: it stays
        "settings": pl.String,  # JSON: other columns of the state that are set; null: none
        "rule": pl.String,  # why
    }
)


PLAIN = ("total_games", "deviation")
"""What can be set that has a column of its own."""


def no_adjustments() -> pl.DataFrame:
    """Return what was set by hand where nothing was."""
    return pl.DataFrame(schema=ADJUSTMENTS)


def adjusted(
    state: pl.DataFrame, adjustments: pl.DataFrame, columns: Mapping[str, str]
) -> tuple[pl.DataFrame, pl.DataFrame, dict[str, str]]:
    """Return everybody's state, who was adjusted (`player_id`, `earlier`, `rating`, `rule`), the columns.

    The last word on a player counts.
    """
    if adjustments.is_empty():
        return state, adjustments.with_columns(pl.col("rating").alias("earlier")), dict(columns)
    who = adjustments.unique("player_id", keep="last", maintain_order=True).sort("player_id")
    was = state.select("player_id", pl.col("rating").alias("earlier"))
    who = who.join(was, on="player_id", how="left", maintain_order="left").with_columns(
        pl.coalesce("rating", "earlier").alias("rating")
    )
    rows = state.join(who, on="player_id", how="semi", maintain_order="left")
    new = who.join(state, on="player_id", how="anti").select("player_id")
    missing = [pl.lit(None, dtype=k).alias(n) for n, k in STATE_SCHEMA.items() if n != "player_id"]
    rows = pl.concat([rows, new.with_columns(missing).select(state.columns)]).sort("player_id")
    texts, named = _set(rows["state"], who["settings"], columns)
    rows = rows.with_columns(
        who["rating"],
        *(_plain(rows[name], who["settings"]) for name in PLAIN),
        texts.alias("state"),
        pl.lit(0, dtype=pl.Int64).alias("games"),
    )
    rest = state.join(who, on="player_id", how="anti", maintain_order="left")
    return pl.concat([rest, rows]).sort("player_id"), who, named


def _set(
    states: pl.Series, settings: pl.Series, columns: Mapping[str, str]
) -> tuple[pl.Series, dict[str, str]]:
    """Put what was set beside the rating into the JSON of the states."""
    texts: list[str | None] = []
    named = dict(columns)
    for text, setting in zip(states, settings, strict=True):
        values: dict[str, Any] = json.loads(text) if text else {}
        for name, value in (json.loads(setting) if setting else {}).items():
            if name in PLAIN:
                continue
            values[name] = value
            named.setdefault(name, "String")
        texts.append(json.dumps(values, sort_keys=True, ensure_ascii=False, separators=(",", ":")))
    return pl.Series("state", texts, dtype=pl.String), dict(sorted(named.items()))


def _plain(values: pl.Series, settings: pl.Series) -> pl.Series:
    """Return a column with what was set of it."""
    found = [
        json.loads(setting).get(values.name, value) if setting else value
        for value, setting in zip(values, settings, strict=True)
    ]
    return pl.Series(values.name, found, dtype=values.dtype, strict=False)
