"""Tables of games: CSV, Parquet, and frames of Polars or pandas."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.errors import InputError, UsageError
from arpad.read.collect import RAW, Collector
from arpad.read.columns import resolve
from arpad.read.fields import rating_number, split_date, split_result
from arpad.read.report import Report
from arpad.read.source import decode, read_failures
from arpad.schema import PRECISION, STATUS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arpad.model import Games
    from arpad.read.source import Source

__all__ = ["from_frame", "read_csv", "read_parquet"]

SEPARATORS = (",", ";", "\t", "|")


def read_csv(source: Source, columns: Mapping[str, str] | None = None) -> Games:
    """Read a table of games from text with separators; the first line names the columns."""
    text = decode(source.everything(), source.name, source.report)
    heading = text.lstrip().split("\n", 1)[0]
    separator = max(SEPARATORS, key=heading.count)
    try:
        frame = pl.read_csv(io.BytesIO(text.encode()), separator=separator, infer_schema=False)
    except (pl.exceptions.PolarsError, ValueError) as error:
        raise InputError(
            f"expected a table with {separator!r} between its columns: {str(error).splitlines()[0]}",
            file=source.name,
        ) from None
    return _games(frame, columns, source.name, source.report, first_line=2)


def read_parquet(source: Source, columns: Mapping[str, str] | None = None) -> Games:
    """Read a table of games from Parquet; only the columns that are needed."""
    data: Any = Path(source.name) if not source.is_stream else io.BytesIO(source.everything())
    try:
        with read_failures(source.name):
            mapping = resolve(pl.read_parquet_schema(data), columns, source.name)
            frame = pl.read_parquet(data, columns=list(dict.fromkeys(mapping.values())))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise InputError(
            f"expected Parquet, found a file that cannot be read as such: {str(error).splitlines()[0]}",
            file=source.name,
        ) from None
    return _games(frame, columns, source.name, source.report, first_line=1)


def from_frame(
    frame: Any, *, columns: Mapping[str, str] | None = None, report: Report | None = None
) -> Games:
    """Return the games in a Polars or pandas frame.

    Examples
    --------
    >>> import polars as pl
    >>> games = from_frame(pl.DataFrame({"white": ["A"], "black": ["B"], "result": ["1/2-1/2"]}))
    >>> games.table["score"].to_list()
    [0.5]
    """
    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()
    if not isinstance(frame, pl.DataFrame):
        if type(frame).__module__.split(".")[0] != "pandas":
            raise UsageError(f"expected a Polars or pandas frame, found {type(frame).__name__}")
        frame = pl.from_pandas(frame)
    return _games(frame, columns, "frame", report or Report(), first_line=1)


def _games(
    frame: pl.DataFrame,
    columns: Mapping[str, str] | None,
    file: str,
    report: Report,
    *,
    first_line: int,
) -> Games:
    mapping = resolve(frame.columns, columns, file)
    raw = frame.select(pl.col(theirs).alias(ours) for ours, theirs in mapping.items()).with_columns(
        pl.int_range(first_line, pl.len() + first_line, dtype=pl.Int64).alias("line")
    )
    raw = _outcome(raw, file, report)
    raw = _typed_dates(raw)
    for column in ("white_rating", "black_rating"):
        if raw.schema.get(column) == pl.String:
            raw = _typed_ratings(raw, column, file, report)
    raw = raw.with_columns(
        _tidy(raw, c) for c, kind in RAW.items() if kind == pl.String and c in raw.columns
    )
    if "status" in raw.columns and raw.schema["status"] != STATUS:
        raw = raw.with_columns(
            pl.col("status").cast(pl.String).str.to_lowercase().cast(STATUS, strict=False)
        )
    raw = raw.drop("unread", "white_goals", "black_goals", "result", strict=False)
    collector = Collector(file, report)
    collector.add(
        raw.with_columns(pl.col(c).cast(RAW[c]) for c in raw.columns if raw.schema[c] != RAW[c])
    )
    return collector.games()


def _outcome(raw: pl.DataFrame, file: str, report: Report) -> pl.DataFrame:
    """Make `score` out of whatever says who won."""
    if "score" in raw.columns and raw.schema["score"] != pl.String:
        return raw.with_columns(pl.col("score").cast(pl.Float64).fill_nan(None))
    if {"score", "result"}.isdisjoint(raw.columns):
        white, black = (
            pl.col(c).cast(pl.Float64, strict=False) for c in ("white_goals", "black_goals")
        )
        return raw.with_columns(((white - black).sign() / 2 + 0.5).alias("score"))
    source = "score" if "score" in raw.columns else "result"
    given = raw.get_column("status", default=None)
    raw = raw.with_columns(pl.col(source).cast(pl.String).alias("result"))
    raw = raw.with_columns(*split_result("result"))
    if given is not None:
        own = given.cast(pl.String).str.to_lowercase().cast(STATUS, strict=False)
        raw = raw.with_columns(pl.coalesce(own, "status").alias("status"))
    for line, result in raw.filter(pl.col("unread")).select("line", "result").iter_rows():
        report.add(file, line, "skipped", f"expected a result such as 1-0 or 0.5, found {result!r}")
    return raw.filter(~pl.col("unread"))


def _typed_dates(raw: pl.DataFrame) -> pl.DataFrame:
    kind = raw.schema.get("date")
    if kind is None or kind == pl.Date:
        return raw
    if kind.is_temporal():
        return raw.with_columns(pl.col("date").cast(pl.Date))
    if kind.is_numeric():
        raw = raw.with_columns(pl.col("date").cast(pl.Int64).cast(pl.String))
        # 2016 is a year, 20160131 a day; smaller numbers are periods, whose order the file has
        raw = raw.with_columns(
            pl.when(pl.col("date").str.len_chars() == 8)
            .then(pl.col("date").str.replace(r"(\d{4})(\d{2})(\d{2})", "$1.$2.$3"))
            .when(pl.col("date").str.len_chars() == 4)
            .then("date")
            .alias("date")
        )
    return raw.with_columns(*split_date("date")).with_columns(pl.col("precision").cast(PRECISION))


def _typed_ratings(raw: pl.DataFrame, column: str, file: str, report: Report) -> pl.DataFrame:
    text = raw[column]
    raw = raw.with_columns(*rating_number(column))
    bad = raw[f"{column}_unread"]
    for line, value in zip(raw["line"].filter(bad), text.filter(bad), strict=True):
        why = f"expected a rating in {column}, found {value!r}: taken as unrated"
        report.add(file, line, "repaired", why)
    return raw.drop(f"{column}_unread")


def _tidy(raw: pl.DataFrame, column: str) -> pl.Expr:
    """Text without blanks around it; what is empty, or an id of 0, is unknown."""
    kind = raw.schema[column]
    if kind.is_float():
        text = pl.col(column).cast(pl.Int64, strict=False).cast(pl.String)
    elif kind == pl.String:
        text = pl.col(column)
        if not _needs_tidying(raw[column]):
            return text
        text = text.str.strip_chars()
    else:
        text = pl.col(column).cast(pl.String)
    unknown = ["", "0"] if column.endswith("_id") else [""]
    return pl.when(~text.is_in(unknown)).then(text).alias(column)


def _needs_tidying(column: pl.Series) -> bool:
    """Look before copying millions of names: most columns are tidy."""
    if column.name.endswith("_id"):
        return True
    edges = column.str.starts_with(" ") | column.str.ends_with(" ") | (column == "")
    return bool(edges.any())
