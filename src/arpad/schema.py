"""The columns of the tables that `model` speaks of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

import polars as pl

from arpad.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["GAME_SCHEMA", "PLAYER_SCHEMA", "PRECISION", "STATUS", "Status", "filled", "schema"]

Status = Literal["played", "unrated", "forfeit", "bye", "unplayed"]
"""How a pairing ended.

played     on the board: counts for points and for ratings;
unrated    on the board, or split so that the scores are not one point: counts for points only;
forfeit    decided without play: points only;
bye        no opponent: points only;
unplayed   no result (yet, or known): neither.
"""


def schema(columns: Mapping[str, Any]) -> pl.Schema:
    """Return a schema; Polars' own type for this does not take `Enum` beside plain types."""
    return pl.Schema(columns)


STATUS = pl.Enum(get_args(Status))
PRECISION = pl.Enum(["day", "month", "year"])

GAME_SCHEMA = schema(
    {
        "white": pl.Int32,  # row of `players`
        "black": pl.Int32,  # null: a bye
        "score": pl.Float64,  # white's share of the point; null: unplayed
        "black_score": pl.Float64,  # 1 - score, except where the point was not shared out whole
        "status": STATUS,
        "date": pl.Date,  # the first day of what is known
        "precision": PRECISION,  # how much of the date is known
        "event": pl.Int32,  # row of `events`
        "round": pl.String,
        "white_rating": pl.Float64,  # as given in the source, at the time of the game
        "black_rating": pl.Float64,
        "plies": pl.Int32,
    }
)

PLAYER_SCHEMA = schema(
    {
        "name": pl.String,
        "id": pl.String,
        "federation": pl.String,
        "title": pl.String,
        "sex": pl.String,
        "birth": pl.String,  # YYYY, YYYY-MM or YYYY-MM-DD
        "rating": pl.Float64,  # as given in the source, before its first game
        "k": pl.Float64,  # as given by a rating list
        "total_games": pl.Int32,  # that the rating in the source rests on; null: enough, or not known
    }
)


def filled(columns: Mapping[str, Any], schema: pl.Schema) -> pl.DataFrame:
    """Return a frame with every column of a schema; what is not given is null."""
    unknown = set(columns) - set(schema)
    if unknown:
        raise UsageError(f"expected columns among {', '.join(schema)}; found {sorted(unknown)}")
    given = pl.DataFrame(
        {
            k: v if isinstance(v, pl.Series) else pl.Series(k, v, dtype=schema[k], strict=False)
            for k, v in columns.items()
        }
    )
    missing = [pl.lit(None, dtype=kind).alias(k) for k, kind in schema.items() if k not in columns]
    return given.with_columns(missing).select(pl.col(k).cast(t) for k, t in schema.items())
