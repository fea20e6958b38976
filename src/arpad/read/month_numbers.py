"""Months that are only counted: Kaggle's contests of 2010 and 2011 say month 1 to 100, and not of what year."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from arpad.schema import PRECISION

if TYPE_CHECKING:
    from arpad.read.report import Report

__all__ = ["dates_of_months"]

MONTH = "month"
LAST = 12 * 9999
"""The last month of the year 9999."""


def dates_of_months(raw: pl.DataFrame, file: str, report: Report) -> pl.DataFrame:
    """Turn the column `month` into dates: month 1 is January of the year 1, month 13 of the year 2.

    So months keep their distance, and nobody takes them for dates that somebody wrote down.
    """
    if MONTH not in raw.columns:
        return raw
    if "date" in raw.columns:
        return raw.drop(MONTH)
    number = pl.col(MONTH).cast(pl.Float64)
    whole = number.is_between(1, LAST) & (number == number.floor())
    for line, value in raw.filter(number.is_not_null() & ~whole).select("line", MONTH).iter_rows():
        why = f"expected the number of a month, 1 or more, found {value:g}: left without a date"
        report.add(file, line, "repaired", why)
    month = pl.when(whole).then(number).cast(pl.Int32) - 1
    return raw.with_columns(
        pl.date(month // 12 + 1, month % 12 + 1, 1).alias("date"),
        pl.when(whole).then(pl.lit("month", dtype=PRECISION)).alias("precision"),
    ).drop(MONTH)
