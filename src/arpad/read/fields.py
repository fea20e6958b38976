"""Fields as they stand in files (text) to typed columns: results, dates, ratings."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING

import polars as pl

from arpad.schema import PRECISION, STATUS

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["by_word", "parse_day", "rating_number", "split_date", "split_result"]

RESULTS: dict[str, tuple[float | None, float | None, str | None]] = {
    # text: White's score, Black's score (null: the rest of the point), status (null: to be judged)
    "1-0": (1.0, None, None),
    "0-1": (0.0, None, None),
    "1/2-1/2": (0.5, None, None),
    "1/2": (0.5, None, None),
    "½-½": (0.5, None, None),
    "0.5-0.5": (0.5, None, None),
    "1:0": (1.0, None, None),
    "0:1": (0.0, None, None),
    "½:½": (0.5, None, None),
    "½": (0.5, None, None),
    "draw": (0.5, None, None),
    "remis": (0.5, None, None),
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


def by_word(column: pl.Series, function: Callable[[pl.Series], pl.DataFrame]) -> pl.DataFrame:
    """Apply `function` to every different word once: millions of games share a few thousand dates."""
    words = column.unique(maintain_order=True)
    if 2 * len(words) > len(column):
        return function(column)
    found = function(words).with_columns(words.alias("_word"))
    joined = pl.DataFrame({"_word": column}).join(
        found, on="_word", how="left", maintain_order="left", nulls_equal=True
    )
    return joined.drop("_word")


def split_result(result: str) -> list[pl.Expr]:
    """Return `score`, `black_score`, `status` and `unread` (not understood) from a text column."""
    text = (
        pl.col(result).str.strip_chars().str.replace_all(" ", "").str.to_lowercase().fill_null("")
    )
    text = text.str.replace(r"^(\d*),(\d+)$", "$1.$2")  # 0,5
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


_ISO = r"^(\d{4})(?:[-./](\d{1,2}|\?+)(?:[-./](\d{1,2}|\?+))?)?(?:[T ].*)?$"
_COMPACT = r"^(\d{4})(\d{2})(\d{2})$"
_DAY_FIRST = r"^(\d{1,2})[./-](\d{1,2})[./-](\d{4})$"
_UNKNOWN_DATE = r"^[?.\-/ ]*$"


def split_date(dates: pl.Series) -> pl.DataFrame:
    """Return `date`, `precision` and `unread` (not understood) from text.

    ``YYYY.MM.DD`` (or with - or /), ``YYYYMMDD``, ``YYYY-MM``, ``YYYY``, ``DD.MM.YYYY``; ``??`` is
    unknown. A day and a month that could change places (03/04/2020) are not guessed at.
    """
    frame = pl.DataFrame({"text": dates.str.strip_chars().fill_null("")})
    text = pl.col("text")
    plain = frame.select(
        (text.str.len_bytes() == 10)
        & text.str.slice(4, 1).is_in(["-", ".", "/"])
        & (text.str.slice(4, 1) == text.str.slice(7, 1))
    ).to_series()
    if plain.all():  # PGN's own way, and by far the most common: no regular expressions needed
        parts = [text.str.slice(0, 4), text.str.slice(5, 2), text.str.slice(8, 2)]
        sensible = text.str.contains(r"^[\d?]{4}[-./]")
    else:
        first, second = (text.str.extract(_DAY_FIRST, i).cast(pl.Int32) for i in (1, 2))
        dotted = text.str.contains(".", literal=True)
        day_first = text.str.contains(_DAY_FIRST) & (dotted | (first > 12) | (first == second))
        month_first = text.str.contains(_DAY_FIRST) & ~day_first & (second > 12)
        year = pl.coalesce(
            text.str.extract(_ISO, 1),
            text.str.extract(_COMPACT, 1),
            text.str.extract(_DAY_FIRST, 3),
        )
        iso_month, iso_day = (
            pl.coalesce(text.str.extract(_ISO, i), text.str.extract(_COMPACT, i)) for i in (2, 3)
        )
        one, two = text.str.extract(_DAY_FIRST, 1), text.str.extract(_DAY_FIRST, 2)
        month = pl.when(day_first).then(two).when(month_first).then(one).otherwise(iso_month)
        day = pl.when(day_first).then(one).when(month_first).then(two).otherwise(iso_day)
        parts = [year, month, day]
        ambiguous = text.str.contains(_DAY_FIRST) & ~day_first & ~month_first
        sensible = year.is_not_null() & ~ambiguous
    unread = ~sensible & ~text.str.contains(_UNKNOWN_DATE)
    return frame.select(*_calendar(*parts), unread.alias("unread"))


def _calendar(*parts: pl.Expr) -> list[pl.Expr]:
    year, month, day = (part.cast(pl.Int32, strict=False) for part in parts)
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
