"""Who is fitted: the players common to two lists, or those of a list whose age is known [USCF 1994, A and B]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import InputError, UsageError
from arpad.rate.uscf_tables import AGES, YOUNGEST

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from arpad.model import Ratings

__all__ = ["ScaleData", "aged", "common"]

GAMES = ("total_games", "games", "period_games")
"""Columns that may say how many games a rating stands on; the first that is filled is taken."""

YEAR = 365.25
"""Days."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaleData:
    """Players to fit on, and how they were chosen."""

    points: pl.DataFrame
    """`rating`, or `age` and perhaps `games`; and `value`, the rating to be explained."""
    counts: Mapping[str, int]
    """How many were matched, and how many left out, by reason."""
    parameters: Mapping[str, object]


def common(
    first: Ratings,
    second: Ratings,
    *,
    least: float | None = None,
    least_games: tuple[int, int] = (0, 0),
) -> ScaleData:
    """Return the players who are on both lists: `rating` of the first, `value` of the second.

    Matched by id; who is left, by name, if the name stands once on each list and one of them gives no id. Who
    stands on a list twice under one id is on neither.

    Parameters
    ----------
    least
        Lowest rating on the first list; 2200 in the report.
    least_games
        Games on the first list and on the second; 10 and an established rating in the report.
    """
    sides: list[pl.DataFrame] = []
    parameters: dict[str, object] = {}
    for place, (ratings, fewest) in enumerate(zip((first, second), least_games, strict=True)):
        word = ("first", "second")[place]
        rows, column = _rows(ratings, f"the {word} list", asked=fewest > 0)
        sides.append(rows.filter(pl.col("games") >= fewest) if fewest else rows)
        parameters[f"least_games_{word}"] = fewest
        if fewest:
            parameters[f"games_of_{word}"] = column
    if least is not None:
        sides[0] = sides[0].filter(pl.col("rating") >= least)
    by_id, by_name = _pairs(*sides)
    points = pl.concat([by_id, by_name])
    if not points.height:
        raise InputError(
            f"expected players who are on both lists, found none among {sides[0].height:,} and {sides[1].height:,}: "
            "they are matched by id, then by name"
        )
    return ScaleData(
        points=points,
        counts={
            "first": sides[0].height,
            "second": sides[1].height,
            "by_id": by_id.height,
            "by_name": by_name.height,
        },
        parameters={"least": least, **parameters},
    )


def aged(
    ratings: Ratings,
    day: date,
    *,
    with_games: bool = False,
    least: float | None = None,
    least_games: int = 0,
) -> ScaleData:
    """Return the players of a list with their `age` in years on a day; `value` is their rating.

    Who is younger than five [B] or older than 110 is left out: such births are mistakes. A birth that is only a
    year or a month is taken in its middle.
    """
    rows, column = _rows(ratings, "the list", asked=with_games or least_games > 0)
    if "birth" not in ratings.rows.columns or not rows["birth"].str.len_chars().sum():
        raise InputError("expected a list with a column birth, found none: ages are not known")
    kept = rows.filter(pl.col("games") >= least_games) if least_games else rows
    if least is not None:
        kept = kept.filter(pl.col("rating") >= least)
    with_age = kept.with_columns(((pl.lit(day) - _born()).dt.total_days() / YEAR).alias("age"))
    told = with_age.filter(pl.col("age").is_not_null())
    if with_games:
        told = told.filter(pl.col("games").is_not_null())
    possible = told.filter(pl.col("age").is_between(YOUNGEST, AGES[1]))
    names = ["age", "games"] if with_games else ["age"]
    return ScaleData(
        points=possible.select(*names, value="rating"),
        counts={
            "listed": kept.height,
            "unknown": kept.height - told.height,
            "impossible": told.height - possible.height,
        },
        parameters={
            "date": day.isoformat(),
            "least": least,
            "least_games": least_games,
            "games_of": column,
            "ages": [YOUNGEST, AGES[1]],
        },
    )


def _rows(ratings: Ratings, called: str, *, asked: bool) -> tuple[pl.DataFrame, str | None]:
    """Return the rated rows with `player`, `id`, `birth`, `rating`, `games`, and whose column games are."""
    rows = ratings.rows
    filled = [c for c in GAMES if c in rows.columns and rows[c].null_count() < rows.height]
    if asked and not filled:
        raise UsageError(
            f"expected {called} to say how many games a rating stands on (a column total_games), found nothing of it"
        )
    text = [
        (pl.col(c) if c in rows.columns else pl.lit(None)).cast(pl.String).alias(c)
        for c in ("player", "id", "birth")
    ]
    games = (pl.col(filled[0]) if filled else pl.lit(None)).cast(pl.Float64).alias("games")
    rating = pl.col("rating").cast(pl.Float64).fill_nan(None)
    known = rows.select(*text, games, rating).filter(pl.col("rating").is_finite())
    if not known.height:
        raise InputError(f"expected ratings on {called}, found none in {rows.height:,} rows")
    return known, filled[0] if asked else None


def _pairs(first: pl.DataFrame, second: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    number = [side.with_row_index("row") for side in (first, second)]
    once = [
        side.filter(pl.col("id").is_not_null() & ~pl.col("id").is_duplicated()) for side in number
    ]
    same_id = once[0].join(once[1], on="id", suffix="_2")
    left = [
        side.filter(
            ~pl.col("row").is_in(same_id[row].implode())
            & pl.col("player").is_not_null()
            & ~pl.col("player").is_duplicated()
        )
        for side, row in zip(number, ("row", "row_2"), strict=True)
    ]
    same_name = left[0].join(left[1], on="player", suffix="_2")
    strangers = pl.col("id").is_not_null() & pl.col("id_2").is_not_null()
    chosen = (same_id, same_name.filter(~strangers))
    a, b = (found.select("rating", value="rating_2") for found in chosen)
    return a, b


def _born() -> pl.Expr:
    """Return the day of birth: of a month the 15th, of a year 1 July."""
    text = pl.col("birth").str.slice(0, 10)
    length = text.str.len_chars()
    day = (
        pl.when(length == 4).then(text + "-07-01").when(length == 7).then(text + "-15")
    ).otherwise(text)  # fmt: skip
    return day.str.to_date("%Y-%m-%d", strict=False)
