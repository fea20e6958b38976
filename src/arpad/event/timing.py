"""When an event was played: its days, its rounds, how many rounds on one day."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from datetime import date

    from arpad.model import Games

__all__ = ["days_taken", "last_day", "round_days", "rounds_of"]


def days_taken(games: Games) -> int | None:
    """Return how many days lie between the first and the last game, both counted; None if unknown."""
    days = _days(games)
    if not days:
        return None
    return (max(days) - min(days)).days + 1


def last_day(games: Games) -> date | None:
    """Return the day of the last game, or the event's own end; None if neither is known."""
    ends = [e.end for e in games.events if e.end is not None]
    return max([*_days(games), *ends], default=None)


def round_days(games: Games) -> dict[int, date]:
    """Return the day of each round: that of most of its games, for some are played later."""
    known = games.table.filter(
        (pl.col("status") == "played")
        & pl.col("date").is_not_null()
        & (pl.col("precision").fill_null("day") == "day")
    ).select(_round_number().alias("number"), "date")
    counted: dict[int, Counter[date]] = defaultdict(Counter)
    for number, day in known.drop_nulls().iter_rows():
        counted[number][day] += 1
    return {n: min(c, key=lambda day: (-c[day], day)) for n, c in sorted(counted.items())}


def rounds_of(games: Games) -> int:
    """Return the number of rounds: as the event has it, as numbered, or as many as anybody played."""
    stated = max((e.rounds or 0 for e in games.events), default=0)
    numbered = games.table.select(_round_number().max()).item() or 0
    busiest: Counter[int] = Counter()
    for side in ("white", "black"):
        busiest.update(games.table[side].drop_nulls().to_list())
    return max(stated, int(numbered), max(busiest.values(), default=0))


def _round_number() -> pl.Expr:
    return pl.col("round").str.extract(r"^(\d{1,4})").cast(pl.Int32)


def _days(games: Games) -> list[date]:
    exact = games.table.filter(
        (pl.col("status") == "played") & (pl.col("precision").fill_null("day") == "day")
    )
    return exact["date"].drop_nulls().unique().to_list()
