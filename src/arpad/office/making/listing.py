"""From where everybody stands to what a list says: ranks, marks, who is listed [Elo 3.2, 4.42]."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from arpad.office.making.state import LAST, carried
from arpad.office.rules.rounding import rounded
from arpad.schema import schema

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from arpad.office.rules.policy import Policy

__all__ = ["ENTRIES", "WOMEN", "entries_of", "in_order", "placed"]

ENTRIES = schema(
    {
        "player_id": pl.Int64,
        "rank": pl.Int64,  # equal ratings share it; null: not listed
        "name": pl.String,
        "title": pl.String,
        "federation": pl.String,
        "rating": pl.Float64,
        "games": pl.Int64,  # in the period
        "total_games": pl.Int64,
        "status": pl.String,
        "change": pl.Float64,  # since the closing date before; null: new
        "deviation": pl.Float64,
    }
)
"""What a list says of a player.

`status` is established, provisional or inactive for those on the list; for those who are rated but not
listed it begins with "unlisted" and says why.
"""

WOMEN = ("w", "f")


def entries_of(
    policy: Policy,
    closing: date,
    state: pl.DataFrame,
    columns: Mapping[str, str],
    *,
    players: pl.DataFrame,
    earlier: pl.DataFrame,
    played: pl.DataFrame,
    members: pl.Series | None = None,
) -> pl.DataFrame:
    """Return everybody who is rated, best first, with rank and mark.

    Parameters
    ----------
    state, columns
        Where everybody stands on the closing date.
    players
        `player_id`, `name`, `title`, `federation`, `sex`.
    earlier
        `player_id` and `rating` on the closing date before.
    played
        `player_id` and `games` of the list's own period.
    members
        Who has the membership that the policy asks for; None: nobody is asked.
    """
    rows = _on(policy, closing, carried(state.filter(pl.col("rating").is_not_null()), columns))
    figure = rounded(rows["rating"], policy.round_to)
    before = earlier.select(
        "player_id", rounded(earlier["rating"], policy.round_to).alias("earlier")
    )
    wanted = ["player_id", "name", "title", "federation", "sex"]
    rows = (
        rows.with_columns(figure.alias("rating"))
        .drop("games")
        .join(played.select("player_id", "games"), on="player_id", how="left")
        .join(before, on="player_id", how="left")
        .join(players.select(wanted), on="player_id", how="left")
        .with_columns(
            pl.col("games").fill_null(0),
            (pl.col("rating") - pl.col("earlier")).alias("change"),
            pl.col("sex").str.to_lowercase().is_in(WOMEN).fill_null(False).alias("_woman"),
            pl.col("name").fill_null(""),
            _member(members).alias("_member"),
        )
    )
    rows = rows.with_columns(_status(policy, closing, rows).alias("status"))
    woman = pl.col("_woman") if policy.listed.women_apart else pl.lit(False)
    found = rows.with_columns(placed(woman).alias("rank"))
    return in_order(found.select(pl.col(c).cast(k) for c, k in ENTRIES.items()))


def placed(apart: pl.Expr) -> pl.Expr:
    """Return the ranks of the listed: equal ratings share one; `apart` says who is ranked apart."""
    listed = ~pl.col("status").str.starts_with("unlisted").fill_null(True)
    place = pl.col("rating").rank("min", descending=True).over(apart, listed)
    return pl.when(listed).then(place).cast(pl.Int64)


def in_order(entries: pl.DataFrame) -> pl.DataFrame:
    """Return entries as a list has them: by rank, then name, then number; the unlisted behind."""
    return entries.sort(
        "rank", "rating", "name", "player_id",
        descending=[False, True, False, False], nulls_last=True,
    )  # fmt: skip


def _member(members: pl.Series | None) -> pl.Expr:
    return pl.lit(True) if members is None else pl.col("player_id").is_in(members.implode())


def _on(policy: Policy, closing: date, rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows as of the closing date: some systems know less of a player with time."""
    system = policy.made(closing)
    if not hasattr(system, "pace"):
        return rows
    from datetime import timedelta

    from arpad.model import Ratings
    from arpad.rate.form_list import list_on

    aged = list_on(
        system,  # type: ignore[arg-type]
        Ratings(system=system.name, rows=rows.rename({"deviation": "error"}), parameters={}),
        closing + timedelta(days=1),
    )
    return rows.with_columns(aged.rows["error"].alias("deviation"))


def _status(policy: Policy, closing: date, rows: pl.DataFrame) -> pl.Expr:
    """Say how somebody stands on the list, or why not."""
    rules = policy.listed
    above = pl.lit(rules.above, dtype=pl.Float64)
    if rules.above_women is not None:
        above = pl.when("_woman").then(pl.lit(rules.above_women)).otherwise(above)
    inactive = pl.lit(False)
    if rules.active_months is not None and LAST in rows.columns:
        since = pl.lit(closing).dt.offset_by(f"-{rules.active_months}mo")
        inactive = (pl.col(LAST) <= since).fill_null(False)
    left_out = inactive if rules.inactive == "left out" else pl.lit(False)
    said = pl.col("status").fill_null("")
    provisional = (
        (said == "provisional")
        if policy.provisional_games is None
        else pl.col("total_games").fill_null(0) < policy.provisional_games
    )
    return (
        pl.when(pl.col("total_games").fill_null(0) < rules.min_games)
        .then(pl.lit(f"unlisted: fewer than {rules.min_games} games"))
        .when((pl.col("rating") <= above).fill_null(False))
        .then(pl.lit("unlisted: not above ") + above.cast(pl.Int64).cast(pl.String))
        .when(~pl.col("_member"))
        .then(pl.lit(f"unlisted: no {rules.member} member"))
        .when(left_out)
        .then(pl.lit("unlisted: inactive"))
        .when(inactive)
        .then(pl.lit("inactive"))
        .when(provisional)
        .then(pl.lit("provisional"))
        .otherwise(pl.lit("established"))
    )
