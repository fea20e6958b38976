"""Rating lists from CSV, spreadsheets and JSON, and true strengths for a simulation."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import FormatError, InputError, UsageError
from arpad.model import Ratings
from arpad.read.collect import MAX_RATING
from arpad.read.crosstables import is_crosstable, is_own_side
from arpad.read.fields import plain_number, rating_number, read_dates
from arpad.read.headings import HeadingsError, heading
from arpad.read.result_words import is_bye
from arpad.read.source import Report, Source, decode
from arpad.read.spreadsheet import chosen_sheets, sheets_of
from arpad.read.table import holds_games
from arpad.read.text_table import LINE, TextTable, finite_number
from arpad.read.trf import SEXES, TITLES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


_RATINGS = ("rating", "fide", "imputed")
_WORDS = ("birth", "title", "federation", "sex", "carried", "imputed_by", "last", "on", "boosting")
"""Columns of a list that are words; `last` and `on` are days, read by who needs them."""
_NUMBERS = {
    "rating": (0.0, MAX_RATING),
    **dict.fromkeys(("error", "rd", "own_error"), (0.0, MAX_RATING)),
    "volatility": (0.0, 1e6),
    "fide": (0.0, MAX_RATING),
    "imputed": (-MAX_RATING, MAX_RATING),
    "so_far": (-MAX_RATING, MAX_RATING),
    "k": (0.0, MAX_RATING),
    "total_games": (0.0, 1e6),
}
_LIST = {**dict.fromkeys(("player", "id", *_WORDS), pl.String), **dict.fromkeys(_NUMBERS, pl.Float64)}
"""The columns of a list that a system may start from."""


def ratings_json(source: Source) -> Ratings:
    """Read what ``arpad rate --format json`` wrote."""
    try:
        rows = json.loads(source.everything())["ratings"]
        table = [{name: row.get(name) for name in _LIST} for row in rows]
        frame = pl.DataFrame(table, schema=_LIST)
    except (ValueError, KeyError, TypeError, AttributeError, pl.exceptions.PolarsError):
        raise FormatError("expected JSON as arpad rate writes it", file=source.name) from None
    return Ratings(system="given", rows=frame, parameters={}, source={})


def holds_ratings(names: Sequence[str]) -> bool:
    """Say whether headings are those of a list of players with ratings, not of games."""
    result = list_columns(names)
    rated = "rating" in result and ("player" in result or "id" in result)
    return rated and not (holds_games(names) or is_crosstable(names) or is_own_side(names))


def _fits(names: Sequence[str], columns: Mapping[str, str] | None) -> bool:
    return holds_ratings(names) or (bool(columns) and set((columns or {}).values()) <= set(names))


def list_columns(  # noqa: C901, PLR0912
    names: Sequence[str], *, members: bool = False, columns: Mapping[str, str] | None = None, file: str = ""
) -> dict[str, str]:
    """Return which of the headings of a list is what: ``{ours: theirs}``; `forename` may stand beside `player`.

    Parameters
    ----------
    members
        It is a club's list of members: its games are those of a career, unless another column says so, and
        two columns of ratings are asked about.
    columns
        What the caller says: it comes before any guess.
    """
    mapping: dict[str, str] = {}
    for ours, theirs in (columns or {}).items():
        ours = "player" if ours == "name" else ours
        if ours not in _LIST and ours != "forename":
            raise UsageError(f"columns: expected one of {', '.join(_LIST)}; found {ours!r}")
        if theirs not in names:
            raise UsageError(f"columns: {file} has no column {theirs!r}; it has {', '.join(names)}")
        mapping[ours] = theirs
    said = frozenset(mapping)
    surname: str | None = None
    ratings: list[str] = []
    career: str | None = None
    for theirs in names:
        name = theirs.strip().lower()
        ours = "player" if name == "name" else name
        if ours in _LIST:
            mapping.setdefault(ours, theirs)
    plain = "rating" in mapping
    for theirs in names:
        if theirs in mapping.values() and theirs != mapping.get("player"):
            continue
        spoken = heading(theirs)
        if spoken == ("forename", None):
            mapping.setdefault("forename", theirs)
        elif spoken == ("surname", None):
            surname = surname or theirs
        elif spoken is not None and spoken.side is None:
            ours = {"name": "player"}.get(spoken.field, spoken.field)
            if ours == "rating" and not plain:
                ratings.append(theirs)
            if ours in _LIST:
                mapping.setdefault(ours, theirs)
            elif ours == "games" and members:
                career = theirs
    if surname is not None and "player" not in said:
        if "player" in mapping:
            mapping.setdefault("forename", mapping["player"])
        mapping["player"] = surname
    if "forename" in mapping and "player" not in mapping:
        mapping["player"] = mapping.pop("forename")
    if len(ratings) > 1 and members and file:
        raise HeadingsError(file=file, line=1, found=names, choices={"rating": ratings}, proposal=mapping)
    if career is not None:
        mapping.setdefault("total_games", career)
    return mapping


def ratings_csv(
    source: Source, *, members: bool = False, columns: Mapping[str, str] | None = None
) -> Ratings:
    """Read a table with names and ratings in any of the ways of tables of games."""
    text = decode(source.everything(), source.name, source.report)
    table = TextTable.of(text, lambda names: _fits(names, columns))
    frame = table.frame(source.name, source.report)
    return ratings_frame(frame, source.name, source.report, members=members, columns=columns)


def ratings_sheet(
    source: Source,
    sheet: str | None = None,
    *,
    members: bool = False,
    columns: Mapping[str, str] | None = None,
) -> Ratings:
    """Read the first sheet of a spreadsheet that is a list of players with ratings, or one that is named."""
    sheets = chosen_sheets(sheets_of(source), sheet, source.name)
    for one in sheets:
        if table := one.table(lambda names: _fits(names, columns)):
            frame = table.frame(source.name, source.report)
            return ratings_frame(frame, source.name, source.report, members=members, columns=columns)
    raise FormatError("expected a sheet with names and ratings, found none", file=source.name)


def ratings_frame(
    frame: pl.DataFrame,
    file: str,
    report: Report,
    *,
    members: bool = False,
    columns: Mapping[str, str] | None = None,
) -> Ratings:
    """Return the ratings in a table of text: `player`, `rating`, and whatever else a system goes on from."""
    names = [name for name in frame.columns if name != LINE]
    mapping = list_columns(names, members=members, columns=columns, file=file)
    missing = [name for name in ("player", "rating") if name not in mapping]
    if missing and not {"id", "rating"} <= set(mapping):
        raise HeadingsError(file=file, line=1, found=frame.columns[:-1], missing=missing)
    lines = frame[LINE]
    mapping = mapping if "id" in (columns or {}) else _with_own_ids(frame, mapping, file, report)
    given = frame.select(pl.col(theirs).str.strip_chars().alias(ours) for ours, theirs in mapping.items())
    given = given.with_columns(pl.when(pl.col(c) != "").then(pl.col(c)).alias(c) for c in given.columns)
    if "forename" in mapping:
        both = pl.concat_str(["player", "forename"], separator=", ")
        given = given.with_columns(pl.coalesce(both, "player").alias("player")).drop("forename")
    for name in _NUMBERS:
        if name in given.columns:
            given = given.with_columns(_numbers(given, name, lines, file))
    if "sex" in given.columns:
        sexes = [s and SEXES.get(s.strip(".").casefold(), s) for s in given["sex"]]
        given = given.with_columns(pl.Series("sex", sexes, dtype=pl.String))
    if "birth" in given.columns:
        given = given.with_columns(_births(given["birth"]))
    if "title" in given.columns:
        short = TITLES | _LATIN_TITLES
        titles = [t and short.get(t.lower(), t.upper()) for t in given["title"]]
        given = given.with_columns(pl.Series("title", titles, dtype=pl.String))
    rows = given.with_columns(
        pl.lit(None, dtype=kind).alias(name) for name, kind in _LIST.items() if name not in given.columns
    ).select(pl.col(name).cast(kind) for name, kind in _LIST.items())
    nobody = rows.select(pl.col("player").is_null() & pl.col("id").is_null()).to_series()
    blank = rows.select(pl.all_horizontal(pl.all().is_null())).to_series()
    byes = pl.Series([is_bye(name) for name in rows["player"]], dtype=pl.Boolean) & rows["id"].is_null()
    report.each(file, "skipped", lines.filter(nobody & ~blank), "a rating without a name")
    whys = (f"{name!r} is no player" for name in rows["player"].filter(byes))
    report.each(file, "skipped", lines.filter(byes), whys)
    return Ratings(system="given", rows=rows.filter(~nobody & ~byes), parameters={}, source={})


_LATIN_TITLES = {"gmi": "GM", "mi": "IM", "mf": "FM", "cmf": "CM", "gmf": "WGM", "mif": "WIM", "mff": "WFM"}
"""French, Spanish and Italian; MF is a master of FIDE there, and WIM in old lists of FIDE alone."""


def _with_own_ids(frame: pl.DataFrame, mapping: dict[str, str], file: str, report: Report) -> dict[str, str]:
    """Return the columns with ids that tell people apart: a club's number beside each of its members is none."""
    if "id" not in mapping or not frame.height:
        return mapping
    named = [n for n in frame.columns if n == mapping["id"] or heading(n) == ("id", None)]
    for name in sorted(named, key=lambda n: (n != mapping["id"], "fide" not in n.casefold())):
        ids = frame[name].str.strip_chars()
        if not ids.filter(~ids.is_in(["", "0", "-"])).is_duplicated().any():
            return {**mapping, "id": name}
    report.add(
        file,
        int(frame[LINE][0]) - 1,
        "noted",
        f"the ids in {mapping['id']!r} belong to several names: left out",
    )
    return {ours: theirs for ours, theirs in mapping.items() if ours != "id"}


def _births(column: pl.Series) -> pl.Series:
    """Return births as YYYY, YYYY-MM or YYYY-MM-DD, as far as known."""
    read = read_dates(column)
    form = {"day": "%Y-%m-%d", "month": "%Y-%m", "year": "%Y"}
    result = [
        day.strftime(form[much]) if day is not None else (text if unread else None)
        for text, day, much, unread in zip(
            column, read["date"], read["precision"], read["unread"], strict=True
        )
    ]
    return pl.Series("birth", result, dtype=pl.String)


def _numbers(given: pl.DataFrame, name: str, lines: pl.Series, file: str) -> pl.Series:
    """Return a column of numbers; one that is none, or impossible, is an error with its line."""
    least, most = _NUMBERS[name]
    if name in _RATINGS:
        result = given.select(*rating_number(name), pl.col(name).alias("text"))
        values, bad = result[name], result[f"{name}_unread"]
    else:
        values = given.select(plain_number(pl.col(name))).to_series()
        bad = values.is_null() & given[name].is_not_null()
    low = pl.Series([least]).new_from_index(0, given.height)
    if name == "rating" and "total_games" in given.columns:
        # arpad's own list: who only loses may fall below 0
        low = given["total_games"].is_not_null().replace_strict([True, False], [-most, least])
    bad |= ((values < low) | (values > most) | values.is_nan()).fill_null(False)
    for line, text in zip(lines.filter(bad), given[name].filter(bad), strict=True):
        raise InputError(
            f"expected a number from {least:g} to {most:g} in {name}, found {text!r}", file=file, line=line
        )
    if name == "rating":  # 0 means "unrated" in every list
        values = values.set((values == 0).fill_null(False) & (low >= 0), None)
    return values.alias(name)


# True strengths for a simulation: one number a line, or a table with a column for them.

TRUE = ("true", "true_rating", "strength", "rating")
START = ("start", "seed", "seed_rating")


def read_strengths(file: str) -> tuple[list[float], list[float] | None]:
    """Return true strengths, and the ratings to start from where the file has them.

    A table has a column `true` (or `strength`, `rating`), and perhaps one called `start`. Empty lines and
    lines that begin with # are passed over.
    """
    source = Source(file, Report())
    text = re.sub(r"(?m)^\s*#.*$", "", decode(source.everything(), file, source.report))
    if not text.strip():
        raise InputError("expected true strengths, one number a line, found nothing", file=file)
    table = TextTable.of(text, lambda names: bool({*TRUE} & {name.casefold() for name in names}))
    head = table.first - 1
    names = {name.casefold(): name for name in table.names}
    frame = table.frame(file, source.report)
    if not set(TRUE) & set(names):
        if len(names) > 1:
            raise InputError(
                f"expected a column called {' or '.join(TRUE)}, found {', '.join(names)[:200]}",
                file=file,
                line=head,
            )
        rows = enumerate(text.split("\n"), start=1)
        return [finite_number(line, file, number, "a number") for number, line in rows if line.strip()], None
    if frame.is_empty():
        raise InputError("expected rows below the heading, found none", file=file, line=head)

    def column(name: str) -> list[float]:
        cells = frame.select(names[name], LINE).iter_rows()
        return [finite_number(text or "", file, line, "a number") for text, line in cells]

    start = next((name for name in START if name in names), None)
    return column(next(name for name in TRUE if name in names)), None if start is None else column(start)
