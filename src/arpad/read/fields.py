"""Fields as they stand in files (text) to typed columns: results, dates, ratings."""

from __future__ import annotations

import re
from datetime import date

import polars as pl

from arpad.schema import PRECISION, STATUS

__all__ = ["parse_day", "rating_number", "split_date", "split_result"]

RESULTS: dict[str, tuple[float | None, float | None, str | None]] = {
    # text: White's score, Black's score (null: the rest of the point), status (null: to be judged)
    "1-0": (1.0, None, None),
    "0-1": (0.0, None, None),
    "1/2-1/2": (0.5, None, None),
    "1/2": (0.5, None, None),
    "½-½": (0.5, None, None),
    "0.5-0.5": (0.5, None, None),
    "+/-": (1.0, None, "forfeit"),
    "-/+": (0.0, None, "forfeit"),
    "+--": (1.0, None, "forfeit"),
    "--+": (0.0, None, "forfeit"),
    "+:-": (1.0, None, "forfeit"),
    "-:+": (0.0, None, "forfeit"),
    "-/-": (0.0, 0.0, "forfeit"),
    "---": (0.0, 0.0, "forfeit"),
    "-:-": (0.0, 0.0, "forfeit"),
    "0-0": (0.0, 0.0, "unrated"),
    "*": (None, None, "unplayed"),
    "?": (None, None, "unplayed"),
    "": (None, None, "unplayed"),
}

NO_RATING = ("", "-", "?", "0", "unr", "unrated", "none", "null")


def split_result(result: str) -> list[pl.Expr]:
    """Return `score`, `black_score`, `status` and `unread` (not understood) from a text column."""
    text = pl.col(result).str.strip_chars().str.replace_all(" ", "").fill_null("")
    number = text.str.extract(r"^(\d*\.?\d+)$").cast(pl.Float64, strict=False)
    keys = list(RESULTS)

    def look_up(place: int, kind: pl.DataType | type[pl.DataType]) -> pl.Expr:
        values = [RESULTS[k][place] for k in keys]
        return text.replace_strict(keys, values, default=None, return_dtype=kind)

    known = text.is_in(keys)
    return [
        pl.coalesce(look_up(0, pl.Float64), number).alias("score"),
        look_up(1, pl.Float64).alias("black_score"),
        look_up(2, pl.String).cast(STATUS).alias("status"),
        (~known & number.is_null()).alias("unread"),
    ]


def split_date(column: str) -> list[pl.Expr]:
    """Return `date` and `precision` from ``YYYY.MM.DD`` (or with - or /), ``??`` where unknown."""
    text = pl.col(column).str.strip_chars()
    year = text.str.slice(0, 4).cast(pl.Int32, strict=False)
    month = text.str.slice(5, 2).cast(pl.Int32, strict=False)
    day = text.str.slice(8, 2).cast(pl.Int32, strict=False)
    year = pl.when(year.is_between(1, 9999)).then(year)
    month = pl.when(month.is_between(1, 12)).then(month)
    # The 31st of June is June: a day that the month has not is an unknown day.
    last = pl.date(year, month, 1).dt.month_end().dt.day().cast(pl.Int32)
    day = pl.when(month.is_not_null() & (day >= 1) & (day <= last)).then(day)
    precision = (
        pl.when(day.is_not_null())
        .then(pl.lit("day", dtype=PRECISION))
        .when(month.is_not_null())
        .then(pl.lit("month", dtype=PRECISION))
        .when(year.is_not_null())
        .then(pl.lit("year", dtype=PRECISION))
    )
    whole = pl.date(year, month.fill_null(1), day.fill_null(1))
    return [whole.alias("date"), precision.alias("precision")]


def rating_number(column: str) -> list[pl.Expr]:
    """Return the rating as a number, and ``<column>_unread`` where the text is none."""
    text = pl.col(column).str.strip_chars().str.to_lowercase().fill_null("")
    number = text.cast(pl.Float64, strict=False)
    bad = number.is_null() & ~text.is_in(NO_RATING)
    return [number.alias(column), bad.alias(f"{column}_unread")]


_MONTHS = {
    name: number
    for number, name in enumerate(
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
        start=1,
    )
}


def parse_day(text: str) -> date | None:
    """Return the day in any of the ways in which event files write it, or None.

    Examples
    --------
    >>> parse_day("28. 07. 2005"), parse_day("May 29, 2020"), parse_day("2010/09/24")
    (datetime.date(2005, 7, 28), datetime.date(2020, 5, 29), datetime.date(2010, 9, 24))
    """
    named = re.match(r"\s*([A-Za-z]{3})[a-z]*\.?\s+(\d{1,2}),?\s+(\d{4})\s*$", text)
    if named and named[1].lower() in _MONTHS:
        return _day(int(named[3]), _MONTHS[named[1].lower()], int(named[2]))
    numbers = re.match(r"\s*(\d{1,4})\s*[./-]\s*(\d{1,2})\s*[./-]\s*(\d{1,4})\s*$", text)
    if not numbers:
        return None
    first, second, third = (int(n) for n in numbers.groups())
    if len(numbers[1]) >= 3:
        return _day(first, second, third)
    if len(numbers[3]) >= 3:
        return _day(third, second, first)
    # two-digit years: YY/MM/DD, as TRF's line 132 has them
    return _day(first + (2000 if first < 70 else 1900), second, third)


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
