"""Tables of games: CSV, Parquet, and frames of Polars or pandas."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import polars as pl

from arpad.errors import InputError, UsageError
from arpad.read.careful_csv import LINE, careful_csv
from arpad.read.collect import RAW, Collector
from arpad.read.columns import resolve
from arpad.read.fields import rating_number, split_date, split_result
from arpad.read.month_numbers import dates_of_months
from arpad.read.report import Report
from arpad.read.source import decode, read_failures
from arpad.schema import PRECISION, STATUS, Status

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arpad.model import Games
    from arpad.read.source import Source

__all__ = ["from_frame", "games_and_lines", "read_csv", "read_parquet", "table_of"]

SEPARATORS = (",", ";", "\t", "|")


def read_csv(source: Source, columns: Mapping[str, str] | None = None) -> Games:
    """Read a table of games from text with separators; the first line names the columns."""
    text = decode(source.everything(), source.name, source.report)
    if "\n" not in text:
        text = text.replace("\r", "\n")
    heading = text.lstrip().split("\n", 1)[0]
    separator = max(SEPARATORS, key=heading.count)
    frame = None
    if '"' not in text and "\n\n" not in text and "\n\r\n" not in text:
        frame = _plain_csv(text, separator)
    if frame is None:
        frame = careful_csv(text, separator, source.name, source.report)
    return _games(frame, columns, source.name, source.report)


def _plain_csv(text: str, separator: str) -> pl.DataFrame | None:
    """Read what has a record on every line, fast; None where it has not."""
    try:
        frame = pl.read_csv(io.BytesIO(text.encode()), separator=separator, infer_schema=False)
    except (pl.exceptions.PolarsError, ValueError):
        return None
    return _numbered(frame, 2)


def table_of(source: Source) -> pl.DataFrame:
    """Return a whole table as it stands in CSV (every column as text) or Parquet."""
    data = io.BytesIO(source.everything())
    try:
        if data.getvalue()[:4] == b"PAR1":
            return pl.read_parquet(data)
        text = decode(data.getvalue(), source.name, source.report)
        return pl.read_csv(io.BytesIO(text.encode()), infer_schema=False)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        why = str(error).splitlines()[0]
        raise InputError(
            f"expected a table, found a file that is none: {why}", file=source.name
        ) from None


def read_parquet(source: Source, columns: Mapping[str, str] | None = None) -> Games:
    """Read a table of games from Parquet; only the columns that are needed."""
    packed = source.packed or source.is_stream
    data: Any = io.BytesIO(source.everything()) if packed else Path(source.name)
    try:
        with read_failures(source.name):
            mapping = resolve(
                pl.scan_parquet(data, glob=False).collect_schema().names(), columns, source.name
            )
            frame = pl.read_parquet(data, columns=list(dict.fromkeys(mapping.values())), glob=False)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise InputError(
            f"expected Parquet, found a file that cannot be read as such: {str(error).splitlines()[0]}",
            file=source.name,
        ) from None
    return _games(_numbered(frame, 1), columns, source.name, source.report)


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
    return _games(_numbered(frame, 1), columns, "frame", Report() if report is None else report)


def games_and_lines(frame: pl.DataFrame, file: str, report: Report) -> tuple[Games, pl.Series]:
    """Return the games in a Polars frame, and the row of each, counted from 1."""
    collector = _collected(_numbered(frame, 1), None, file, report)
    games = collector.games()
    return games, collector.lines


def _numbered(frame: pl.DataFrame, first: int) -> pl.DataFrame:
    """Add the line of every row."""
    return frame.with_columns(pl.int_range(first, pl.len() + first, dtype=pl.Int64).alias(LINE))


def _games(
    frame: pl.DataFrame, columns: Mapping[str, str] | None, file: str, report: Report
) -> Games:
    return _collected(frame, columns, file, report).games()


def _collected(
    frame: pl.DataFrame, columns: Mapping[str, str] | None, file: str, report: Report
) -> Collector:
    mapping = resolve([c for c in frame.columns if c != LINE], columns, file)
    raw = frame.select(
        *(pl.col(theirs).alias(ours) for ours, theirs in mapping.items()),
        pl.col(LINE).alias("line"),
    )
    raw = _plain_types(raw, file)
    for column in ("black_score", "plies", "white_goals", "black_goals", "month"):
        raw = _number(raw, column, file, report)
    raw = _outcome(_statuses(raw, file, report), file, report)
    raw = _dates(dates_of_months(raw, file, report), file, report)
    for column in ("white_rating", "black_rating"):
        if raw.schema.get(column) == pl.String:
            raw = _ratings(raw, column, file, report)
    raw = raw.with_columns(
        _tidy(raw, c) for c, kind in RAW.items() if kind == pl.String and c in raw.columns
    )
    raw = raw.drop("unread", "white_goals", "black_goals", "result", strict=False)
    collector = Collector(file, report)
    collector.add(
        raw.with_columns(
            pl.col(c).cast(RAW[c], strict=False) for c in raw.columns if raw.schema[c] != RAW[c]
        )
    )
    return collector


def _plain_types(raw: pl.DataFrame, file: str) -> pl.DataFrame:
    """Bring every column to text, numbers or dates; refuse lists and the like by name."""
    changed = []
    for name, kind in raw.schema.items():
        if kind.is_numeric() or kind in (pl.String, pl.Date) or isinstance(kind, pl.Datetime):
            continue
        if kind in (pl.Binary, pl.Null, pl.Boolean) or isinstance(kind, pl.Categorical | pl.Enum):
            changed.append(pl.col(name).cast(pl.String))
        else:
            raise InputError(
                f"expected text, numbers or dates in the column {name}, found {kind}", file=file
            )
    try:
        return raw.with_columns(changed)
    except pl.exceptions.PolarsError:
        raise InputError("expected text, found bytes that are not UTF-8", file=file) from None


def _number(raw: pl.DataFrame, column: str, file: str, report: Report) -> pl.DataFrame:
    """Make a number of a column of text; what is none is left out, with a note."""
    if raw.schema.get(column) != pl.String:
        return raw
    text = pl.col(column).str.strip_chars()
    number = text.cast(pl.Float64, strict=False)
    bad = raw.select((number.is_null() & (text != "")).fill_null(False)).to_series()
    for line, value in raw.filter(bad).select("line", column).iter_rows():
        why = f"expected a number in {column}, found {value!r}: left out"
        report.add(file, line, "repaired", why)
    return raw.with_columns(number.alias(column))


def _statuses(raw: pl.DataFrame, file: str, report: Report) -> pl.DataFrame:
    if "status" not in raw.columns:
        return raw
    word = pl.col("status").cast(pl.String).str.strip_chars().str.to_lowercase()
    known = word.is_null() | word.is_in(["", *get_args(Status)])
    for line, found in raw.filter(~known).select("line", "status").iter_rows():
        why = f"expected a status, one of {', '.join(get_args(Status))}; found {found!r}"
        report.add(file, line, "skipped", why)
    return raw.filter(known).with_columns(
        pl.when(word != "").then(word).cast(STATUS).alias("status")
    )


def _outcome(raw: pl.DataFrame, file: str, report: Report) -> pl.DataFrame:
    """Make `score` out of whatever says who won."""
    if "score" in raw.columns and raw.schema["score"] != pl.String:
        return raw.with_columns(pl.col("score").cast(pl.Float64).fill_nan(None))
    if {"score", "result"}.isdisjoint(raw.columns):
        white, black = (
            pl.col(c).cast(pl.Float64, strict=False) for c in ("white_goals", "black_goals")
        )
        return raw.with_columns(((white - black).sign() / 2 + 0.5).alias("score"))
    given = {c: raw[c] for c in ("status", "black_score") if c in raw.columns}
    source = "score" if "score" in raw.columns else "result"
    raw = raw.with_columns(pl.col(source).cast(pl.String).alias("result"))
    raw = raw.with_columns(*split_result("result"))
    for name, own in given.items():
        said = own.cast(STATUS if name == "status" else pl.Float64, strict=False)
        raw = raw.with_columns(pl.coalesce(said, name).alias(name))
    for line, result in raw.filter(pl.col("unread")).select("line", "result").iter_rows():
        report.add(file, line, "skipped", f"expected a result such as 1-0 or 0.5, found {result!r}")
    return raw.filter(~pl.col("unread"))


def _dates(raw: pl.DataFrame, file: str, report: Report) -> pl.DataFrame:
    kind = raw.schema.get("date")
    if kind is None:
        return raw.drop("precision", strict=False)
    given = raw.get_column("precision", default=None)
    if kind.is_temporal():
        raw = raw.with_columns(pl.col("date").cast(pl.Date))
    else:
        if kind.is_numeric():  # small numbers are periods: the order of the file is all they say
            number = pl.col("date").cast(pl.Int64, strict=False)
            raw = raw.with_columns(
                pl.when(number >= 1000).then(number).cast(pl.String).alias("date")
            )
        parts = split_date(raw["date"])
        for line, text in raw.filter(parts["unread"]).select("line", "date").iter_rows():
            why = f"expected a date such as 2024-03-31, found {text!r}: left as open as it is"
            report.add(file, line, "repaired", why)
        raw = raw.with_columns(parts.drop("unread"))
    if given is not None:
        known = given.cast(pl.String).cast(PRECISION, strict=False)
        own = raw.get_column("precision") if raw.schema["precision"] == PRECISION else known
        raw = raw.with_columns(pl.coalesce(known, own).alias("precision"))
    return raw


def _ratings(raw: pl.DataFrame, column: str, file: str, report: Report) -> pl.DataFrame:
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
    if kind.is_float():  # 7.0 is 7, as pandas has it where something is missing; 2.5 is 2.5
        number = pl.col(column).fill_nan(None)
        whole = number.cast(pl.Int64, strict=False).cast(pl.String)
        text = pl.when(number == number.floor()).then(whole).otherwise(number.cast(pl.String))
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
    edges = column == ""
    for blank in (" ", "\t"):
        edges |= column.str.starts_with(blank) | column.str.ends_with(blank)
    return bool(edges.any())
