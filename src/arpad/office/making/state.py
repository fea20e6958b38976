"""Where everybody stands between two periods: rows of the ledger, and a system's `before`.

A system's rows have columns of their own (K, volatility, games on file …). Those travel in one column of
JSON, `state`; `columns` says what kind each is, so that they come back as they went.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import InputError
from arpad.model import Ratings
from arpad.schema import schema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arpad.model import Games

__all__ = ["STATE_SCHEMA", "before_of", "carried", "empty_state", "kinds", "moved_on"]

STATE_SCHEMA = schema(
    {
        "player_id": pl.Int64,
        "rating": pl.Float64,  # null: not rated
        "games": pl.Int64,  # in the period
        "total_games": pl.Int64,
        "deviation": pl.Float64,
        "status": pl.String,  # as the system says
        "state": pl.String,  # JSON: whatever else the next period needs
    }
)

OWN = ("id", "rating", "games", "total_games", "error", "status")
"""Columns of a system's rows that have a column of their own in the ledger."""

FORGOTTEN = ("rank", "player", "before", "change", "score", "expected", "birth", "on_file")
"""Columns that no next period looks at: they are told again by the steps, or follow from the rest."""

LAST = "last"
"""Day of a player's last rated game; it tells who is active."""

WHOLE_POOL = ("elo-book",)
"""Systems that look at people who do not play: newcomers may start at the pool's median [3.76]."""

_KINDS = {
    "Float64": pl.Float64,
    "Int64": pl.Int64,
    "String": pl.String,
    "Boolean": pl.Boolean,
    "Date": pl.Date,
}


def empty_state() -> pl.DataFrame:
    """Return the state before anything was played."""
    return pl.DataFrame(schema=STATE_SCHEMA)


def kinds(rows: pl.DataFrame) -> dict[str, str]:
    """Return the columns of a system's rows that travel in `state`, and what kind each is."""
    found = {LAST: "Date"}
    for name, kind in rows.schema.items():
        if name not in OWN and name not in FORGOTTEN:
            found[name] = _kind(kind)
    return dict(sorted(found.items()))


def _kind(kind: pl.DataType) -> str:
    if kind.is_integer():
        return "Int64"
    if kind.is_float():
        return "Float64"
    return "Boolean" if kind == pl.Boolean else "Date" if kind == pl.Date else "String"


def carried(state: pl.DataFrame, columns: Mapping[str, str]) -> pl.DataFrame:
    """Return the state with what travels in JSON as columns again, and without the JSON."""
    days = [name for name, kind in columns.items() if kind == "Date"]
    fields = {name: pl.String if kind == "Date" else _KINDS[kind] for name, kind in columns.items()}
    if not fields:
        return state.drop("state")
    try:
        found = state["state"].str.json_decode(pl.Struct(fields)).struct.unnest()
    except pl.exceptions.PolarsError as error:
        raise InputError(f"the ledger holds a state that cannot be read: {error}") from None
    return state.drop("state").with_columns(
        found.with_columns(pl.col(days).str.to_date("%Y-%m-%d"))
    )


def before_of(
    state: pl.DataFrame, players: pl.Series, columns: Mapping[str, str], *, system: str
) -> Ratings | None:
    """Return what a system takes as `before`, for these players; None if nobody has a state yet.

    `source` says as ``others`` how many more are rated, and with how many points. Systems that look at
    the whole pool get everybody.
    """
    if state.is_empty():
        return None
    mine = pl.col("player_id").is_in(players.implode())
    if system in WHOLE_POOL:
        mine = pl.lit(True)
    rows = carried(state.filter(mine), columns)
    rest = state.filter(~mine)["rating"].drop_nulls()
    rows = rows.select(
        pl.col("player_id").cast(pl.String).alias("player"),
        pl.col("player_id").cast(pl.String).alias("id"),
        "rating",
        pl.col("deviation").alias("error"),
        pl.exclude("player_id", "rating", "deviation"),
    )
    source = {"others": (len(rest), float(rest.sum()))}
    return Ratings(system=system, rows=rows, parameters={}, source=source)


def moved_on(
    ratings: Ratings, games: Games, state: pl.DataFrame, columns: Mapping[str, str]
) -> pl.DataFrame:
    """Return the new state of everybody in the system's rows.

    Parameters
    ----------
    state
        Everybody's before: total games are counted on from there where the system does not count.
    columns
        What travels in `state`: `kinds` of the rows.
    """
    rows = ratings.rows.with_columns(pl.col("id").cast(pl.Int64).alias("player_id"))
    earlier = state.select("player_id", pl.col("total_games").alias("_earlier"))
    rows = rows.join(earlier, on="player_id", how="left", maintain_order="left")
    if LAST not in rows.columns:
        rows = rows.join(_last_played(games), on="id", how="left", maintain_order="left")
    total = pl.col("_earlier").fill_null(0) + pl.col("games")
    if "total_games" in rows.columns:
        total = pl.coalesce("total_games", total)
    deviation = pl.col("error") if "error" in rows.columns else pl.lit(None)
    status = pl.col("status").cast(pl.String) if "status" in rows.columns else pl.lit(None)
    return (
        rows.select(
            "player_id",
            pl.col("rating").cast(pl.Float64).fill_nan(None),
            "games",
            total.alias("total_games"),
            deviation.cast(pl.Float64).fill_nan(None).alias("deviation"),
            status.alias("status"),
            _json(columns).alias("state"),
        )
        .cast(STATE_SCHEMA)
        .sort("player_id")
    )


def _json(columns: Mapping[str, str]) -> pl.Expr:
    fields = [
        pl.col(name).dt.strftime("%Y-%m-%d")
        if kind == "Date"
        else pl.col(name).fill_nan(None)
        if kind == "Float64"
        else pl.col(name).cast(_KINDS[kind])
        for name, kind in columns.items()
    ]
    return pl.struct(fields).struct.json_encode()


def _last_played(games: Games) -> pl.DataFrame:
    """Return the day of everybody's last game; of an undated game the last day of its event."""
    ends = pl.Series([e.end or e.start for e in games.events], dtype=pl.Date)
    day = pl.coalesce("date", pl.Series("_end", ends.gather(games.table["event"])))
    sides = [
        games.table.select(pl.col(side).alias("player"), day.alias(LAST))
        for side in ("white", "black")
    ]
    latest = pl.concat(sides).group_by("player").agg(pl.col(LAST).max())
    return latest.select(games.players["id"].gather(latest["player"]).alias("id"), LAST)
