"""Tables of games: CSV, Parquet, spreadsheets, and frames of Polars or pandas."""

from __future__ import annotations

import io
import os
import re
import sys
import threading
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import polars as pl

from arpad.errors import InputError, UsageError
from arpad.model import PRECISION, STATUS, Status
from arpad.read.collect import RAW, Collector
from arpad.read.crosstables import SHAPES
from arpad.read.fields import (
    DateOrder,
    DateOrderError,
    dates_of_months,
    orders_of,
    plain_number,
    rating_column,
    read_dates,
)
from arpad.read.headings import HeadingsError, heading, languages_of, own_names, resolve
from arpad.read.plain_text import games_in_lines, games_without_headings, split_pairings
from arpad.read.result_words import bye_points, is_bye, nameless, read_result, read_results, result_doubt
from arpad.read.source import MOST_HELD, Report, Source, TooLargeError, decode, read_failures
from arpad.read.text_table import (
    LINE,
    SEPARATORS,
    TextTable,
    days_not_rounds,
    sections_of,
    with_blocks,
    with_event,
    with_sections,
    without_totals,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from arpad.model import Games


def plain_types(raw: pl.DataFrame, file: str) -> pl.DataFrame:
    """Bring every column to text, numbers or dates; refuse lists and the like by name."""
    changed = []
    for name, kind in raw.schema.items():
        if kind.is_numeric() or kind in (pl.String, pl.Date) or isinstance(kind, pl.Datetime):
            continue
        if kind in (pl.Binary, pl.Null, pl.Boolean) or isinstance(kind, pl.Categorical | pl.Enum):
            changed.append(pl.col(name).cast(pl.String))
        else:
            raise InputError(f"expected text, numbers or dates in the column {name}, found {kind}", file=file)
    try:
        return raw.with_columns(changed)
    except pl.exceptions.PolarsError:
        raise InputError("expected text, found bytes that are not UTF-8", file=file) from None


def number_column(raw: pl.DataFrame, column: str, file: str, report: Report) -> pl.DataFrame:
    """Make a number of a column of text; what is none is left out, with a note."""
    if raw.schema.get(column) != pl.String:
        return raw
    text = pl.col(column).str.strip_chars()
    number = plain_number(text.str.replace("½", "0.5", literal=True))
    bad = raw.select((number.is_null() & (text != "")).fill_null(False)).to_series()
    lines, values = raw.filter(bad).select("line", column)
    whys = (f"expected a number in {column}, found {value!r}: left out" for value in values)
    report.each(file, "repaired", lines, whys)
    return raw.with_columns(number.alias(column))


def status_column(raw: pl.DataFrame, file: str, report: Report) -> pl.DataFrame:
    """Leave out rows whose status is none."""
    if "status" not in raw.columns:
        return raw
    word = pl.col("status").cast(pl.String).str.strip_chars().str.to_lowercase()
    known = word.is_null() | word.is_in(["", *get_args(Status)])
    lines, values, named = raw.filter(~known).select("line", "status", _two_names(raw))
    whys = (f"expected a status, one of {', '.join(get_args(Status))}; found {value!r}" for value in values)
    report.each(file, "skipped", lines, whys, named=named)
    return raw.filter(known).with_columns(pl.when(word != "").then(word).cast(STATUS).alias("status"))


def _whole_names(raw: pl.DataFrame) -> pl.DataFrame:
    """Put surnames and first names that stand in two columns together."""
    for side in ("white", "black"):
        if (first := f"{side}_forename") in raw.columns:
            forename = pl.when(pl.col(first).str.strip_chars() != "").then(pl.col(first).str.strip_chars())
            both = pl.concat_str([pl.col(side).str.strip_chars(), forename], separator=", ")
            raw = raw.with_columns(pl.coalesce(both, side).alias(side)).drop(first)
    return raw


_NUMBERED_NAME = r"^\s*\d{1,4}[.)]?\s+(\p{L}.*)$"
_TITLED_NAME = r"^\s*(W?[GIFC]M)\s+(\p{L}.*)$"
_RATED_NAME = r"^\s*(.*\S)\s*\((\d{3,4})\)\s*$"


def _bare_names(frame: pl.DataFrame, mapping: Mapping[str, str]) -> pl.DataFrame:
    """Take the numbers and the ratings off names where all names of a table have them."""
    sides = {side: mapping[side] for side in ("white", "black")}
    if any(frame.schema[theirs] != pl.String for theirs in sides.values()):
        return frame

    def everybody(pattern: str) -> bool:
        names = pl.concat([frame[theirs] for theirs in sides.values()]).drop_nulls().unique()
        names = pl.Series([n for n in names if n.strip() and not is_bye(n)], dtype=pl.String)
        return len(names) > 1 and bool(names.str.contains(pattern).all())

    def taken(pattern: str) -> Iterator[pl.Expr]:
        return (pl.coalesce(pl.col(c).str.extract(pattern, 1), c).alias(c) for c in sides.values())

    for side, theirs in sides.items():
        if f"{side}_title" not in mapping and frame[theirs].str.contains(_TITLED_NAME).any():
            title, bare = (pl.col(theirs).str.extract(_TITLED_NAME, group) for group in (1, 2))
            frame = frame.with_columns(title.alias(f"{side}_title"), pl.coalesce(bare, theirs).alias(theirs))
    if everybody(_NUMBERED_NAME):
        frame = frame.with_columns(taken(_NUMBERED_NAME))
    if not {"white_rating", "black_rating"} & set(mapping) and everybody(_RATED_NAME):
        ratings = (
            pl.col(theirs).str.extract(_RATED_NAME, 2).alias(f"{side}_rating")
            for side, theirs in sides.items()
        )
        frame = frame.with_columns(ratings).with_columns(taken(_RATED_NAME))
    return frame


def _winners(raw: pl.DataFrame) -> pl.DataFrame:
    """Make results of the names of winners."""
    if not all(raw.schema.get(c) == pl.String for c in ("result", "white", "black")):
        return raw
    winner, white, black = (pl.col(c).str.strip_chars() for c in ("result", "white", "black"))
    named = winner.str.contains(r"\p{L}{2}") & (white != black)
    won = pl.when(named & (winner == white)).then(pl.lit("1-0"))
    return raw.with_columns(
        won.when(named & (winner == black)).then(pl.lit("0-1")).otherwise("result").alias("result")
    )


def _two_names(raw: pl.DataFrame) -> pl.Expr:
    """Say which rows name both players: if such a row is skipped, a game is lost."""
    sides = [
        pl.any_horizontal(
            pl.col(name).cast(pl.String).str.strip_chars().fill_null("") != ""
            for name in (side, f"{side}_id")
            if name in raw.columns
        )
        for side in ("white", "black")
        if {side, f"{side}_id"} & set(raw.columns)
    ]
    return (pl.all_horizontal(sides) if len(sides) == 2 else pl.lit(False)).alias("named")


def outcome_columns(
    raw: pl.DataFrame, languages: Sequence[str], file: str, report: Report, words: pl.Series | None = None
) -> pl.DataFrame:
    """Make `score` out of whatever says who won."""
    if "score" in raw.columns and raw.schema["score"] != pl.String:
        return raw.with_columns(pl.col("score").cast(pl.Float64).fill_nan(None))
    if {"score", "result"}.isdisjoint(raw.columns):
        white, black = (pl.col(c).cast(pl.Float64, strict=False) for c in ("white_goals", "black_goals"))
        return raw.with_columns(((white - black).sign() / 2 + 0.5).alias("score"))
    given = {c: raw[c] for c in ("status", "black_score") if c in raw.columns}
    source = "score" if "score" in raw.columns else "result"
    raw = raw.with_columns(pl.col(source).cast(pl.String).alias("result"))
    raw = raw.with_columns(read_results(raw["result"], languages, words))
    for name, own in given.items():
        said = own.cast(STATUS if name == "status" else pl.Float64, strict=False)
        raw = raw.with_columns(pl.coalesce(said, name).alias(name))
    lost = (pl.col("score") + pl.col("black_score") < 1) & pl.col("status").is_null()
    whole = pl.col("score") + pl.col("black_score") == 1
    raw = raw.with_columns(
        pl.when(lost).then(pl.lit("unrated", dtype=STATUS)).otherwise("status").alias("status"),
        pl.when(~whole).then("black_score").alias("black_score"),
    )
    raw = _bye_results(raw)
    lines, values, named = raw.filter(pl.col("unread")).select("line", "result", _two_names(raw))
    whys = (f"expected a result such as 1-0 or 0.5, found {result_doubt(value)}" for value in values)
    report.each(file, "skipped", lines, whys, named=named)
    return raw.filter(~pl.col("unread"))


def _bye_results(raw: pl.DataFrame) -> pl.DataFrame:
    """Read the results of players without an opponent, where H is half a point and a dash is none."""
    odd = [word for word in raw["result"].unique() if word is not None and bye_points(word) is not None]
    look = raw["unread"] | raw["result"].is_in(odd)
    if not look.any():
        return raw
    rows = raw.with_row_index("row").filter(look)
    white, black = (rows.select(nameless(rows, side)).to_series() for side in ("white", "black"))
    points: list[float | None] = [None] * raw.height
    byes = [False] * raw.height
    named = rows.select("row", "result", "unread", pl.col("white", "black").cast(pl.String))
    for nobody, other, (row, text, unread, one, two) in zip(white, black, named.iter_rows(), strict=True):
        if (nobody or is_bye(one)) is (other or is_bye(two)):
            continue
        own = bye_points(text)
        byes[row] = own is not None or unread
        whites = not (nobody or is_bye(one)) or bool(re.search(r"\d\s*[-:]", text))
        points[row] = own if own is None or whites else 1 - own
    bye = pl.Series(byes, dtype=pl.Boolean)
    return raw.with_columns(
        pl.coalesce(pl.Series(points, dtype=pl.Float64), "score").alias("score"),
        pl.when(bye).then(pl.lit("bye", dtype=STATUS)).otherwise("status").alias("status"),
        (pl.col("unread") & ~bye).alias("unread"),
    )


def date_columns(
    raw: pl.DataFrame,
    order: DateOrder | None,
    called: str,
    file: str,
    report: Report,
    words: pl.Series | None = None,
) -> pl.DataFrame:
    """Make `date` and `precision` out of a column of days, or of what people write for them."""
    kind = raw.schema.get("date")
    if kind is None:
        return raw.drop("precision", strict=False)
    given = raw.get_column("precision", default=None)
    if kind.is_temporal():
        raw = raw.with_columns(pl.col("date").cast(pl.Date))
    else:
        if kind.is_numeric():  # small numbers are periods: the order of the file is all they say
            number = pl.col("date").cast(pl.Int64, strict=False)
            raw = raw.with_columns(pl.when(number >= 1000).then(number).cast(pl.String).alias("date"))
        parts = read_dates(raw["date"].cast(pl.String), order, words)
        if parts["doubtful"].any():
            doubtful = raw.filter(parts["doubtful"])
            examples = doubtful["date"].unique(maintain_order=True).head(3).to_list()
            raise DateOrderError(
                file=file,
                line=doubtful["line"][0],
                column=called,
                examples=examples,
                orders=orders_of(examples),
            )
        odd = raw.select("line", "date", parts["precision"].alias("known")).filter(parts["unread"])
        whys = (
            f"expected a date such as 2024-03-31, found {text!r}: "
            + ("the date stays unknown" if known is None else f"only the {known} is taken")
            for _, text, known in odd.iter_rows()
        )
        report.each(file, "repaired", odd["line"], whys)
        raw = raw.with_columns(parts.drop("unread", "doubtful"))
    if given is not None:
        known = given.cast(pl.String).cast(PRECISION, strict=False)
        own = raw.get_column("precision") if raw.schema["precision"] == PRECISION else known
        raw = raw.with_columns(pl.coalesce(known, own).alias("precision"))
    return raw


_PANICS = threading.RLock()
PIECES_FROM = 1 << 24
"""Bytes from which on a table of text is read piece by piece."""
PIECE = 1 << 22
"""Bytes of a piece, about."""
CHUNK = 1 << 16


def read_csv(
    source: Source, columns: Mapping[str, str] | None = None, dates: DateOrder | None = None
) -> Games:
    """Read a table of games from text with separators; one of its first lines names the columns."""
    if (whole := _as_pieces(source, columns)) is not None:
        return _read_pieces(whole, columns, dates)
    text = decode(source.everything(), source.name, source.report)
    table = TextTable.of(text, lambda names: holds_games(names, columns))
    if not holds_games(table.names, columns):
        for fits, convert in SHAPES:
            other = TextTable.of(text, fits)
            notes = Report(strict=source.report.strict)
            if not fits(other.names):
                continue
            games = convert(other.frame(source.name, notes), source.name, notes, columns)
            if games is not None:
                source.report.notes.extend(notes.notes)
                games = with_event(games, other.event)
                return _collected(games, source.name, source.report, None, dates).games()
        if columns is None and (found := _without_headings(text, table, source)) is not None:
            return _collected(found, source.name, source.report, None, dates).games()
    frame = table.frame(source.name, source.report)
    frame = in_sections(frame, columns, source.name, source.report, table.above)
    collector = Collector(source.name, source.report)
    collect(collector, with_event(frame, table.event, columns), columns, dates)
    return collector.games()


def _without_headings(text: str, table: TextTable, source: Source) -> pl.DataFrame | None:
    """Return the games of a text whose first line is one of them already, or that is no table."""
    found = games_in_lines(text, source.name, source.report)
    if found is not None or any(heading(name) for name in table.names):
        return found
    body = text.split("\n", table.first - 2)[-1]
    for separator in SEPARATORS:
        width = body.split("\n", 1)[0].count(separator) + 1
        whole = TextTable(own_names([""] * width), separator, body, table.first - 1)
        frame = whole.frame(source.name, Report()) if width > 2 else pl.DataFrame()
        found = games_without_headings(frame, source.name, source.report) if frame.height > 1 else None
        if found is not None:
            return found
    return None


def _as_pieces(source: Source, columns: Mapping[str, str] | None) -> Source | None:
    """Return the source of a large table that can be read piece by piece, twice; None for any other."""
    head = source.peek(PIECES_FROM)
    if len(head) < PIECES_FROM or b"\n" not in head[:CHUNK]:
        return None
    start = decode(head[:CHUNK], source.name, Report())
    if not holds_games(TextTable.of(start, lambda names: holds_games(names, columns)).names, columns):
        return None
    return source.kept() if source.is_stream else source


def _read_pieces(source: Source, columns: Mapping[str, str] | None, dates: DateOrder | None) -> Games:
    """Read a large table in two passes: all results and dates first, for what only all of them tell."""
    seen = words_of(_pieces(Source(source.name, Report(), source.data), columns), columns, source.name)
    collector = Collector(source.name, source.report)
    for frame in _pieces(source, columns):
        collect(collector, frame, columns, dates, seen)
    return collector.games()


def words_of(
    frames: Iterable[pl.DataFrame], columns: Mapping[str, str] | None, file: str
) -> dict[str, pl.Series]:
    """Return all that stands in the columns of results and dates of several tables of one file."""
    seen: dict[str, pl.Series] = {}
    for frame in frames:
        mapping = resolve([c for c in frame.columns if c != LINE], columns, file)
        for ours in ("score", "result", "date"):
            if ours in mapping:
                words = frame[mapping[ours]].cast(pl.String).unique(maintain_order=True).alias(ours)
                earlier = seen.get(ours, words.clear())
                seen[ours] = pl.concat([earlier, words]).unique(maintain_order=True)
    return seen


def _pieces(source: Source, columns: Mapping[str, str] | None) -> Iterator[pl.DataFrame]:
    """Yield a large table of text as frames; each piece ends at the end of a record."""
    table: TextTable | None = None
    line = 1
    waiting: list[bytes] = []
    size = total = quotes = 0

    def framed_piece(data: bytes) -> pl.DataFrame:
        nonlocal table, line
        notes = Report()
        text = decode(data, source.name, notes)
        for note in notes.notes:
            source.report.add(note.file, (note.line or 1) + line - 1, note.action, note.reason)
        if table is None:
            table = TextTable.of(text, lambda names: holds_games(names, columns))
        else:
            table = TextTable(table.names, table.separator, text, line)
        line += text.count("\n")
        return table.frame(source.name, source.report)

    for block in source.blocks():
        total += len(block)
        if total > MOST_HELD and not source.is_plain_file:
            raise TooLargeError(source.name, MOST_HELD)
        for at in range(0, len(block), PIECE):
            part = block[at : at + PIECE]
            size += len(part)
            cut = part.rfind(b"\n") + 1
            if size >= PIECE and cut and (quotes + part.count(b'"', 0, cut)) % 2 == 0:
                yield framed_piece(b"".join([*waiting, part[:cut]]))
                waiting, quotes = [part[cut:]], part.count(b'"', cut)
                size = len(part) - cut
            else:
                waiting.append(part)
                quotes += part.count(b'"')
    rest = b"".join(waiting)
    if rest.strip() or table is None:
        yield framed_piece(rest)


def holds_games(names: Sequence[str], columns: Mapping[str, str] | None = None) -> bool:
    """Say whether headings are those of a table of games, be it with a question about them."""
    try:
        resolve(names, columns, "")
    except HeadingsError as error:
        points = [name for name in names if (h := heading(_AGAIN.sub("", name))) and h.field == "points"]
        found = _result_columns(names) or len(points) == 2
        return not error.missing or (error.missing == ("result",) and bool(found))
    except UsageError:  # the named columns stand elsewhere
        return False
    return True


def _result_columns(names: Sequence[str]) -> dict[str, str]:
    """Return the columns beside each other that are headed by results: ``1-0``, ``½``, ``0-1``."""
    found = {}
    for name in names:
        outcome = None if heading(name) else read_result(name)
        if outcome and outcome.black is None and outcome.status is None and outcome.score in (0.0, 0.5, 1.0):
            found[name] = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}[outcome.score]
    places = [names.index(name) for name in found]
    together = bool(places) and places[-1] - places[0] == len(places) - 1
    once = len({*found.values()}) == len(found)
    return found if together and once and {"1-0", "0-1"} <= {*found.values()} else {}


_UNMARKED = ("", "-", "--", "0", "false", "falsch", "faux", "falso", "no", "nein", "non")


def _with_result(frame: pl.DataFrame, headed: Mapping[str, str]) -> pl.DataFrame:
    """Make one column of those that are headed by results; two marks in a row are no result."""
    text = {name: pl.col(name).cast(pl.String).str.strip_chars().str.to_lowercase() for name in headed}
    marked = [pl.when(~text[name].is_in(_UNMARKED)).then(pl.lit(result)) for name, result in headed.items()]
    return frame.with_columns(pl.concat_str(marked, separator=" + ", ignore_nulls=True).alias("result"))


def _pair_of_points(frame: pl.DataFrame, mapping: Mapping[str, str]) -> list[str]:
    """Return the two columns that add up to a point in every row: what White and Black scored."""
    left = [n for n in frame.columns if n not in mapping.values() and frame.schema[n] == pl.String]
    points = {}
    for name in left:
        cells = frame[name].str.strip_chars().str.replace("½", "0.5").str.replace("^1/2$", "0.5")
        number = cells.to_frame().select(plain_number(pl.col(name))).to_series()
        if number.is_in([0.0, 0.5, 1.0]).all() and not number.null_count():
            points[name] = number
    pairs = [[one, two] for one, two in combinations(points, 2) if (points[one] + points[two] == 1).all()]
    return pairs[0] if len(pairs) == 1 and frame.height > 1 else []


def _completed(
    frame: pl.DataFrame, columns: Mapping[str, str] | None, file: str, report: Report
) -> pl.DataFrame:
    """Add the result, or the players, where they stand in columns of another shape."""
    names = [name for name in frame.columns if name != LINE]
    try:
        resolve(names, columns, file)
        return frame
    except HeadingsError as error:
        line = int(frame[LINE][0]) - 1 if frame.height else 1
        if error.missing == ("white", "black") and not columns:
            for name in names:
                halves = split_pairings(frame[name]) if frame.schema[name] == pl.String else None
                if halves is not None:
                    report.add(file, line, "noted", f"{name!r} names both players, White first")
                    return frame.drop(name).with_columns(halves)
        if error.missing != ("result",):
            raise
        if _result_columns(names):
            return _with_result(frame, _result_columns(names))
        known = {ours: theirs for ours, theirs in error.proposal.items() if ours != "result"}
        pair = _pair_of_points(frame, known)
        if not pair:
            raise
        report.add(
            file, line, "noted", f"{pair[0]!r} and {pair[1]!r} add up to 1: what White and Black scored"
        )
        return frame.with_columns(pl.concat_str(pair, separator=" - ").alias("result")).drop(pair)


_AGAIN = re.compile(r" \(\d+\)$")
"""What `own_names` puts behind a heading that is there already."""


def side_by_side(names: Sequence[str]) -> list[dict[str, str]]:
    """Return the columns of tables of games that stand side by side, each with its heading; none where there is one table."""
    bare = ["" if name.startswith("column ") else _AGAIN.sub("", name) for name in names]
    first = next((name for name in bare if name and bare.count(name) > 1), None)
    if first is None:
        return []
    starts = [at for at, name in enumerate(bare) if name == first]
    tables = []
    for start, stop in zip(starts, [*starts[1:], len(names)], strict=True):
        width = max(at for at in range(start, stop) if bare[at]) + 1 - start
        heads = own_names(bare[start : start + width])
        tables.append(dict(zip(names[start : start + width], heads, strict=True)))
    alike = len({tuple(table.values()) for table in tables}) == 1
    if not alike or not holds_games([*tables[0].values()]):
        return []
    shared = {name: name for name in names[: starts[0]] if not name.startswith("column ")}
    return [shared | table for table in tables]


def table_of(source: Source) -> pl.DataFrame:
    """Return a whole table, unchanged, from CSV (every column as text) or Parquet."""
    data = io.BytesIO(source.everything())
    try:
        if data.getvalue()[:4] == b"PAR1":
            return pl.read_parquet(data)
        text = decode(data.getvalue(), source.name, source.report)
        return pl.read_csv(io.BytesIO(text.encode()), infer_schema=False)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        why = str(error).splitlines()[0]
        raise InputError(f"expected a table, found a file that is none: {why}", file=source.name) from None


@contextmanager
def _quiet_panics() -> Iterator[None]:
    """Keep what Polars prints of a damaged file from stderr; its exception says the same in one line."""
    with _PANICS:
        sys.stderr.flush()
        kept = os.dup(2)
        nothing = os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(nothing, 2)
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            os.close(nothing)


def read_parquet(
    source: Source, columns: Mapping[str, str] | None = None, dates: DateOrder | None = None
) -> Games:
    """Read a table of games from Parquet; only the columns that are needed."""
    source.peek(4)
    plain = source.is_plain_file
    data: Any = Path(source.name) if plain else io.BytesIO(source.everything())
    try:
        with read_failures(source.name), _quiet_panics():
            mapping = resolve(
                pl.scan_parquet(data, glob=False).collect_schema().names(), columns, source.name
            )
            frame = pl.read_parquet(data, columns=list(dict.fromkeys(mapping.values())), glob=False)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise InputError(
            f"expected Parquet, found a file that cannot be read as such: {str(error).splitlines()[0]}",
            file=source.name,
        ) from None
    return _collected(_numbered(frame, 1), source.name, source.report, columns, dates).games()


def from_frame(
    frame: Any,
    *,
    columns: Mapping[str, str] | None = None,
    dates: DateOrder | None = None,
    report: Report | None = None,
) -> Games:
    """Return the games in a Polars or pandas frame.

    Rows that cannot be used go to the report; without one, a `DroppedRowsWarning` names them.

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
    notes = Report() if report is None else report
    games = _collected(_numbered(frame, 1), "frame", notes, columns, dates).games()
    if report is None:
        notes.warn()
    return games


def games_and_lines(frame: pl.DataFrame, file: str, report: Report) -> tuple[Games, pl.Series]:
    """Return the games in a Polars frame, and the row of each, counted from 1."""
    collector = _collected(_numbered(frame, 1), file, report)
    return collector.games(), collector.lines


def _collected(
    frame: pl.DataFrame,
    file: str,
    report: Report,
    columns: Mapping[str, str] | None = None,
    dates: DateOrder | None = None,
) -> Collector:
    collector = Collector(file, report)
    collect(collector, in_sections(frame, columns, file, report), columns, dates)
    return collector


def in_sections(
    frame: pl.DataFrame, columns: Mapping[str, str] | None, file: str, report: Report, above: str = ""
) -> pl.DataFrame:
    """Give games the round and the date that stand above them; pass over lines of totals.

    `above`: What stands above the headings.
    """
    tables = side_by_side([c for c in frame.columns if c != LINE]) if not columns else []
    if tables:
        said = f"{len(tables)} tables side by side, read one after the other"
        report.add(file, int(frame[LINE].min() or 2) - 1, "noted", said)  # type: ignore[arg-type]
        known = resolve([*tables[0].values()], None, file)
        parts = []
        for table, section in zip(tables, sections_of(above, len(tables)), strict=True):
            part = frame.select(*(pl.col(theirs).alias(head) for theirs, head in table.items()), LINE)
            part = part.with_columns(pl.lit(v).alias(k) for k, v in section.items() if k not in known)
            parts.append(in_sections(part, None, file, report, "" if section else above))
        return pl.concat(parts, how="diagonal")
    frame = _completed(frame, columns, file, report)
    mapping = resolve([c for c in frame.columns if c != LINE], columns, file)
    if not columns:
        frame = days_not_rounds(frame, mapping)
        mapping = resolve([c for c in frame.columns if c != LINE], columns, file)
    frame = with_sections(frame, mapping, above)
    mapping = resolve([c for c in frame.columns if c != LINE], columns, file)
    frame = _bare_names(without_totals(frame, mapping, file, report), mapping)
    return with_blocks(frame, mapping, file, report)


def _numbered(frame: pl.DataFrame, first: int) -> pl.DataFrame:
    """Add the line of every row."""
    return frame.with_columns(pl.int_range(first, pl.len() + first, dtype=pl.Int64).alias(LINE))


def collect(
    collector: Collector,
    frame: pl.DataFrame,
    columns: Mapping[str, str] | None = None,
    dates: DateOrder | None = None,
    words: Mapping[str, pl.Series] | None = None,
) -> None:
    """Take the games of a frame whose column `LINE` says where each row stands.

    `words`: All that stands in the columns of results and dates, where the frame is a piece of a file.
    """
    words = words or {}
    file, report = collector.file, collector.report
    mapping = resolve([c for c in frame.columns if c != LINE], columns, file)
    raw = frame.select(
        *(pl.col(theirs).alias(ours) for ours, theirs in mapping.items()), pl.col(LINE).alias("line")
    )
    raw = plain_types(raw, file)
    for column in ("black_score", "plies", "white_goals", "black_goals", "month"):
        raw = number_column(raw, column, file, report)
    languages = languages_of(*(mapping.get(ours, "") for ours in ("white", "score", "result")))
    said = words.get("score", words.get("result"))
    days = words.get("date")
    if days is None and raw.schema.get("date") == pl.String:
        days = raw["date"]  # of the rows, too, that are left out below
    raw = _whole_names(_winners(raw))
    raw = outcome_columns(status_column(raw, file, report), languages, file, report, said)
    raw = dates_of_months(raw, file, report)
    raw = date_columns(raw, dates, mapping.get("date", "date"), file, report, days)
    for column in ("white_rating", "black_rating"):
        if raw.schema.get(column) == pl.String:
            raw = rating_column(raw, column, file, report)
    raw = raw.with_columns(_tidy(raw, c) for c, kind in RAW.items() if kind == pl.String and c in raw.columns)
    raw = raw.drop("unread", "white_goals", "black_goals", "result", strict=False)
    collector.add(
        raw.with_columns(
            pl.col(c).cast(RAW.get(c, pl.String), strict=False)
            for c in raw.columns
            if raw.schema[c] != RAW.get(c, pl.String)
        )
    )


_INVISIBLE = r"[\u200b-\u200f\u2060\ufeff\x00-\x08]"
_UNTIDY = rf"^\s|\s$|  |[\s&&[^ ]]|{_INVISIBLE}|\p{{M}}|^$"
_NO_ID = ["", "0", "-", "--", "?", "n/a", "none", "null", "nan", "bye", "nn", "x"]


def _tidy(raw: pl.DataFrame, column: str) -> pl.Expr:
    """Text without blanks around it; what is empty, or an id of 0, is unknown."""
    kind = raw.schema[column]
    if kind.is_float():  # 7.0 is 7, as pandas has it where something is missing; 2.5 is 2.5
        number = pl.col(column).fill_nan(None)
        whole = number.cast(pl.Int64, strict=False).cast(pl.String)
        text = pl.when(number == number.floor()).then(whole).otherwise(number.cast(pl.String))
    elif kind == pl.String:
        text = pl.col(column)
        if not raw[column].str.contains(_UNTIDY).any() and not column.endswith("_id"):
            return text
        text = (
            text.str.replace_all(_INVISIBLE, "")
            .str.replace_all(r"\s+", " ")
            .str.strip_chars()
            .str.normalize("NFC")
        )
    else:
        text = pl.col(column).cast(pl.String)
    known = ~text.str.to_lowercase().is_in(_NO_ID) if column.endswith("_id") else text != ""
    return pl.when(known).then(text).alias(column)
