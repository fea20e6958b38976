"""Segments of a pool: which kind of player somebody is at an event [Elo 3.83]."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Literal

import polars as pl

from arpad.errors import UsageError
from arpad.scale import CLASS_INTERVAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arpad.model import Games, Ratings

__all__ = ["JUNIOR", "UNKNOWN", "By", "bands", "classes", "described", "kind"]

By = Literal["federation", "title", "sex", "age", "rating-band"]
JUNIOR = 18
"""Juniors are younger, in years [3.62]."""

UNKNOWN = "unknown"
MOST_CUTS = 40


def kind(by: By, *, age_cuts: Sequence[float], rating_cuts: Sequence[float]) -> pl.Expr:
    """Return the expression that names the segment of a row.

    Its columns are `federation`, `title`, `sex`, `born`, `year` and `rating`.
    """
    if by == "age":
        return bands(pl.col("year") - pl.col("born"), age_cuts)
    if by == "rating-band":
        return bands(pl.col("rating"), rating_cuts)
    if by == "sex":
        words = {"m": "men", "w": "women", "f": "women"}
        return pl.col("sex").str.to_lowercase().replace_strict(words, default=UNKNOWN)
    if by in ("federation", "title"):
        return pl.col(by).fill_null("none" if by == "title" else UNKNOWN)
    raise UsageError(
        f"expected federation, title, sex, age or rating-band to tell segments by, found {by!r}"
    )


def bands(value: pl.Expr, cuts: Sequence[float]) -> pl.Expr:
    """Return the name of the band of a value: under 1700, 1700–1899, 1900 and over.

    Examples
    --------
    >>> frame = pl.DataFrame({"age": [12, 18, 60, None]})
    >>> frame.select(bands(pl.col("age"), (18, 50)))["band"].to_list()
    ['under 18', '18–49', '50 and over', 'unknown']
    """
    if not cuts or list(cuts) != sorted(set(cuts)):
        raise UsageError(f"expected rising bounds between bands, found {list(cuts)}")
    found: pl.Expr = pl.lit(f"{cuts[-1]:g} and over")
    for low, high in reversed(list(itertools.pairwise(cuts))):
        found = pl.when(value < high).then(pl.lit(f"{low:g}–{high - 1:g}")).otherwise(found)
    found = pl.when(value < cuts[0]).then(pl.lit(f"under {cuts[0]:g}")).otherwise(found)
    unknown = pl.when(value.is_null()).then(pl.lit(UNKNOWN))
    return unknown.otherwise(found).alias("band")


def classes(ratings: pl.Series) -> tuple[float, ...]:
    """Return bounds one class interval apart that cut these ratings."""
    low, high = float(ratings.to_numpy().min()), float(ratings.to_numpy().max())
    first = CLASS_INTERVAL * (low // CLASS_INTERVAL + 1)
    count = max(1, int((high - first) // CLASS_INTERVAL) + 1)
    if count > MOST_CUTS:
        raise UsageError(
            f"ratings from {low:g} to {high:g} need more than {MOST_CUTS} bands: give bounds"
        )
    return tuple(first + CLASS_INTERVAL * i for i in range(count))


def described(games: Games, people: Ratings | None = None) -> pl.DataFrame:
    """Return what is known of each player, a row each, filled up from a rating list.

    Parameters
    ----------
    people
        A rating list that knows more than the games do; matched by id, else by a name that is there once.
    """
    players = games.players
    columns = []
    for name in ("federation", "title", "sex", "birth"):
        column = players[name]
        if people is not None and name in people.rows.columns:
            listed = people.lookup(players, name).cast(pl.String)
            column = column.zip_with(column.is_not_null(), listed)
        columns.append(column.alias(name))
    return pl.DataFrame(columns).select(
        "federation",
        "title",
        "sex",
        pl.col("birth").str.slice(0, 4).cast(pl.Int32, strict=False).alias("born"),
        player=pl.int_range(pl.len(), dtype=pl.Int32),
    )
