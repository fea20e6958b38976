"""CSV text in any encoding and with any separator, rows that are too short or long included."""

from __future__ import annotations

import csv
import io
import math
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import InputError
from arpad.read.headings import WORDS, heading, own_names, plain_words
from arpad.read.source import Report, Source, decode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence


LINE = "\x1fline"
"""The column of line numbers: no file calls one so."""


def looked_up(
    column: pl.Series, words: pl.Series, meanings: Mapping[str, pl.Series] | pl.DataFrame
) -> pl.DataFrame:
    """Return for every cell of a column what its word means; `words` has every different one."""
    table = pl.DataFrame(meanings).with_columns(words.alias("_word"))
    cells = pl.DataFrame({"_word": column})
    return cells.join(table, on="_word", how="left", maintain_order="left", nulls_equal=True).drop("_word")


def framed(
    records: Iterable[tuple[int, Sequence[str | None]]], names: Sequence[str], file: str, report: Report
) -> pl.DataFrame:
    """Return records as a frame of text with their lines; one that does not fit is reported."""
    rows: list[Sequence[str | None]] = []
    lines: list[int] = []
    for line, result in records:
        cells = list(result)
        while len(cells) > len(names) and not (cells[-1] or "").strip():
            cells.pop()
        if len(cells) > len(names):
            why = f"expected {len(names)} fields, found {len(cells)}"
            report.add(file, line, "skipped", why, named=True)
        else:  # what is empty at the end of a row is often left out
            rows.append(cells + [None] * (len(names) - len(cells)))
            lines.append(line)
    columns = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    frame = pl.DataFrame(columns, schema=dict.fromkeys(names, pl.String))
    return frame.with_columns(pl.Series(LINE, lines, dtype=pl.Int64))


def _records(
    lines: list[str], separator: str, first: int, file: str, report: Report
) -> Iterator[tuple[int, list[str]]]:
    """Yield the first line and the cells of every record that is not blank.

    A quote that is never closed swallows the rest of the file: that line is left out, and reading
    goes on with the next one.
    """
    start = 0
    while start < len(lines):
        reader = csv.reader(iter(lines[start:]), delimiter=separator)
        begin = start
        again = None
        try:
            for cells in reader:
                at, begin = begin, start + reader.line_num
                open_quote = begin >= len(lines) and begin - at > 1 and not lines[-1].rstrip().endswith('"')
                if open_quote:
                    report.add(file, first + at, "skipped", "a quote that opens here is never closed")
                    again = at + 1
                    break
                if any(cell.strip() for cell in cells):
                    yield first + at, cells
        except csv.Error as error:
            raise InputError(
                f"expected a table with {separator!r} between its columns: {error}",
                file=file,
                line=first + begin,
            ) from None
        if again is None:
            return
        start = again


SEPARATORS = (",", ";", "\t", "|")
HEADING_WITHIN = 20
"""Lines of a table, at most, down to its headings: titles of clubs and events stand above them."""


@dataclass(frozen=True, slots=True)
class TextTable:
    """Text with separators, taken apart as far as its headings."""

    names: list[str]
    separator: str
    body: str
    """Lines below the headings."""
    first: int
    """The line in the file at which the body begins."""
    above: str = ""
    """The line above the headings, where one is."""
    event: str = ""
    """The event that the lines above name, where they do."""

    @classmethod
    def of(cls, text: str, fits: Callable[[list[str]], bool]) -> TextTable:
        """Find the line of the headings: the first of some that `fits`, else the first that is not blank.

        Parameters
        ----------
        text
            A whole file, as `decode` returns it.
        fits
            Says whether some headings are those of the table that the caller wants.
        """
        at = 0
        seen: list[TextTable] = []
        lines: list[str] = []
        for number in range(1, HEADING_WITHIN + 1):
            end = text.find("\n", at)
            line = text[at:] if end < 0 else text[at:end]
            at = len(text) if end < 0 else end + 1
            if line.strip() and not re.fullmatch(r"sep=.", line.strip(), re.IGNORECASE):
                names, separator = _headings(line)
                above = " ".join(seen[-1].names) if seen else ""
                seen.append(cls(names, separator, text[at:], number + 1, above, event_above(lines)))
                lines.append(line)
                if fits(names):
                    return seen[-1]
            if end < 0:
                break
        tabbed = aligned(text) if "\t" not in text else None
        if tabbed is not None and (result := cls.of(tabbed, fits)) and fits(result.names):
            return replace(result, event=event_above(text.split("\n")[: result.first - 2]))
        return seen[0] if seen else cls([], ",", "", 1)

    def frame(self, file: str, report: Report) -> pl.DataFrame:
        """Return the table as text, with the line of every row."""
        quotes = self.body.count('"')
        blank = "\n\n" in self.body or self.body.startswith("\n")
        if not blank and quotes == _outer_quotes(self.body, self.separator):
            plain = _plain_csv(self.body, self.separator, self.names)
            if plain is not None and quotes:  # a row over two lines, or one that is too short
                lines = self.body.rstrip("\n").count("\n") + 1
                plain = plain if plain.height == lines and not plain[:, -1].null_count() else None
            if plain is not None:
                return plain.with_columns(
                    pl.int_range(self.first, pl.len() + self.first, dtype=pl.Int64).alias(LINE)
                )
        *whole, last = self.body.split("\n")
        records = [f"{line}\n" for line in whole] + ([last] if last else [])
        return framed(_records(records, self.separator, self.first, file, report), self.names, file, report)


_KIND_OF_TABLE = re.compile(
    r"cross ?table|standings?|ranking|pairings?|fortschrittstabelle|kreuztabelle|rangliste|paarung",
    re.IGNORECASE,
)


def event_above(lines: Sequence[str]) -> str:
    """Return the event that the lines above a table name, as pairing programs and chess-results.com do.

    They write the event, and below it what the table is: a crosstable, a ranking, the pairings of a round.

    >>> event_above(["Autumn Open", "", "Crosstable after round 3"]), event_above(["Autumn Open"])
    ('Autumn Open', '')
    """
    told = [text for line in lines if (text := line.strip(" ;,\t|\ufeff"))]
    if told and "chess-results" in told[0].casefold():
        told = told[1:]
    said = any(_KIND_OF_TABLE.search(line) or _NUMBER_OF_ROUND.search(line) for line in told[1:])
    return told[0] if said else ""


def with_event(frame: pl.DataFrame, event: str, columns: Mapping[str, str] | None = None) -> pl.DataFrame:
    """Give games the event above them, where no column has one."""
    fields = [result.field for name in frame.columns if (result := heading(name))]
    if not event or "event" in fields or "event" in (columns or {}):
        return frame
    return frame.with_columns(pl.lit(event).alias("event"))


_ROUND = "round|runde|ronde|ronda|turno|rodada|runda|kolo|forduló|krog|omgång|omgang|kierros|γύρος"
_NUMBER_OF_ROUND = re.compile(
    rf"(?:{_ROUND}|\b(?:rd|rde|rnde|тур|r))\W*(\d{{1,3}})\b"
    rf"|\b(\d{{1,3}})\W*(?:\.|st|nd|rd|th|ª|º|e|ème|er|-й)?\W*(?:{_ROUND}|тур)",
    re.IGNORECASE,
)
_DAY = re.compile(r"\b(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{2,4})\b")


_AFTER = re.compile(r"\b(?:nach|after|après|despu[eé]s|dopo|na|após|po|после)\b", re.IGNORECASE)


def section_of(text: str) -> dict[str, str]:
    """Return the round and the date of which a line above games, or the name of a sheet, speaks.

    Examples
    --------
    >>> section_of("2. Runde (03.10.2026)"), section_of("Notes")
    ({'round': '2', 'date': '03.10.2026'}, {})
    """
    day = _DAY.search(text)
    number = _NUMBER_OF_ROUND.search(text.replace(day[0], " ") if day else text)
    result = {"round": (number[1] or number[2]) if number else None, "date": day[0] if day else None}
    return {name: value for name, value in result.items() if value}


def sections_of(text: str, number: int) -> list[dict[str, str]]:
    """Return the round and the date of each of some tables side by side that the line above them has for all."""
    rounds = _NUMBER_OF_ROUND.findall(_DAY.sub(" ", re.sub(r"column \d+", " ", text)))
    said = {"round": [one or other for one, other in rounds], "date": _DAY.findall(text)}
    known = {name: values for name, values in said.items() if len(values) == number}
    return [{name: values[at] for name, values in known.items()} for at in range(number)]


def with_sections(frame: pl.DataFrame, mapping: Mapping[str, str], above: str = "") -> pl.DataFrame:
    """Give games the round and the date that stand in a line of its own above them; drop repeated headings."""
    names = [name for name in frame.columns if name != LINE]
    if any(kind != pl.String for name, kind in frame.schema.items() if name != LINE):
        return frame
    filled = pl.sum_horizontal(pl.col(names).fill_null("").str.strip_chars("-=_: ") != "")
    first, second = (mapping.get(side, names[0]) for side in ("white", "black"))
    again = pl.all_horizontal(
        pl.col(n).str.strip_chars() == re.sub(r" \(\d+\)$", "", n) for n in (first, second)
    )
    lone, repeated = frame.select(lone=filled == 1, again=again.fill_null(False))
    empty = frame.select(filled == 0).to_series()
    said = {} if _AFTER.search(above) else section_of(above)
    said = said if "round" in said else {}
    if not (lone.any() or repeated.any() or empty.any() or said):
        return frame
    texts = frame.filter(lone).select(
        pl.coalesce(pl.when(pl.col(n).str.strip_chars() != "").then(n) for n in names)
    )
    result = [section_of(text) for text in texts.to_series()]
    rows = pl.DataFrame(
        {LINE: frame.filter(lone)[LINE], "found": [bool(f) for f in result]},
        schema_overrides={"found": pl.Boolean},
    )
    added = [
        n
        for n in ("round", "date")
        if n not in mapping and n not in names and any(n in f for f in (said, *result))
    ]
    rows = rows.with_columns(pl.Series(n, [f.get(n) for f in result], dtype=pl.String) for n in added)
    frame = frame.join(rows, on=LINE, how="left", maintain_order="left")
    frame = frame.with_columns(
        pl.coalesce(pl.col(n).forward_fill(), pl.lit(said.get(n), dtype=pl.String)) for n in added
    )
    return frame.filter(~pl.col("found").fill_null(False) & ~repeated & ~empty).drop("found")


TOTALS = frozenset(WORDS["lists"]["totals"].split())
"""Words for totals in the place of a name below a table."""


def days_not_rounds(frame: pl.DataFrame, mapping: Mapping[str, str]) -> pl.DataFrame:
    """Call a column of match days the dates where it has days and not the numbers of rounds."""
    column = mapping.get("round", "")
    if "date" in mapping or "date" in frame.columns or frame.schema.get(column) != pl.String:
        return frame
    texts = frame[column].str.strip_chars().drop_nulls()
    texts = texts.filter(texts != "")
    days = bool(len(texts)) and texts.str.contains(rf"^(?:{_DAY.pattern})$").all()
    return frame.rename({column: "date"}) if days else frame


def without_totals(
    frame: pl.DataFrame, mapping: Mapping[str, str], file: str, report: Report
) -> pl.DataFrame:
    """Pass over the lines of totals below a table of games: a word for it first, and no second name."""
    names = [name for name in frame.columns if frame.schema[name] == pl.String]
    sides = [mapping[side] for side in ("white", "black") if mapping.get(side) in names]
    if len(sides) < 2:
        return frame
    cells = [pl.when(pl.col(name).str.strip_chars() != "").then(pl.col(name)) for name in names]
    first = frame.select(pl.coalesce(cells)).to_series()
    said = pl.Series([bool(t) and bool(TOTALS & {*plain_words(t)[:1]}) for t in first], dtype=pl.Boolean)
    alone = pl.any_horizontal(~pl.col(side).fill_null("").str.contains(r"\p{L}") for side in sides)
    totals = frame.select(alone).to_series() & said
    whys = (f"{text!r}: a line of totals, passed over" for text in first.filter(totals))
    report.each(file, "noted", frame[LINE].filter(totals), whys)
    return frame.filter(~totals)


def with_blocks(frame: pl.DataFrame, mapping: Mapping[str, str], file: str, report: Report) -> pl.DataFrame:
    """Fill in the rounds and the days that stand only in the first row of their games, each once."""
    for what in ("round", "date"):
        column = mapping.get(what, "")
        if frame.schema.get(column) != pl.String or not frame.height:
            continue
        text = frame[column].str.strip_chars()
        text = text.set((text == "").fill_null(False), None)
        given = text.drop_nulls()
        # A day that is not known is no group: there must be more empty cells than days.
        alone = what == "date" and not 1 < len(given) <= text.null_count()
        if text[0] is None or not text.null_count() or alone or given.is_duplicated().any():
            continue
        line = int(frame[LINE].filter(text.is_null())[0])
        why = (
            f"an empty cell in {column!r}: the games are of the {'round' if what == 'round' else 'day'} above"
        )
        report.add(file, line, "noted", why)
        frame = frame.with_columns(text.fill_null(strategy="forward").alias(column))
    return frame


def small_table(file: str, wanted: set[str], report: Report | None = None) -> pl.DataFrame:
    """Read a table that stands beside games; its headings come in small letters.

    `wanted`: The line of the headings is the first with one of these.
    """
    source = Source(file, Report() if report is None else report)
    text = decode(source.everything(), file, source.report)
    table = TextTable.of(text, lambda names: not wanted.isdisjoint(map(str.casefold, names)))
    frame = table.frame(file, source.report)
    frame.columns = [*own_names(name.casefold() for name in table.names), LINE]
    return frame


def finite_number(text: str, file: str, line: int | None, what: str) -> float:
    """Return the number in a cell; anything else is an error that says `what` was expected."""
    try:
        value = float(text.strip().replace("−", "-").replace(",", "."))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"expected {what}, found {text.strip()!r}", file=file, line=line)
    return value


MOST_ALIGNED = 1 << 20
"""Letters of a table whose columns stand below each other: a sheet for the wall has some thousands."""


def is_headings(cells: Sequence[str]) -> bool:
    """Say whether some cells are the headings of a table: two of them, at least, are known."""
    return sum(heading(cell) is not None for cell in cells) > 1


def aligned(text: str) -> str | None:
    r"""Return a table whose columns stand below each other as one with tabs, line by line; None if it is none.

    Where every line from the headings down to the next empty line has a blank, a column ends; what has no
    heading belongs to the column on its left.

    Examples
    --------
    >>> aligned("Name       Elo   K\nAlt, Anna  1800  20\nBau, Bo")
    'Name\tElo\tK\nAlt, Anna\t1800\t20\nBau, Bo\t\t'
    """
    lines = [line.rstrip().expandtabs() for line in text.split("\n")]
    tops = (at for at, line in enumerate(lines[:HEADING_WITHIN]) if len(re.findall(r"\S {2,}", line)) > 1)
    top = next(
        (at for at in tops if is_headings(re.split(" {2,}", lines[at])) or is_headings(lines[at].split())),
        None,
    )
    if top is None or len(text) > MOST_ALIGNED:
        return None
    rows = [at for at, line in enumerate(lines[top:], start=top) if not re.fullmatch(r"[-=+|_ ]+", line)]
    end = next((at for at in rows if not lines[at]), len(lines))
    rows = [at for at in rows if at < end]
    width = max(len(lines[at]) for at in rows)
    blank = [all(lines[at][column : column + 1] in ("", " ") for at in rows) for column in range(width)]
    starts = [c for c in range(width) if not blank[c] and (c == 0 or blank[c - 1])]
    ends = [*starts[1:], width]
    kept = [n for n in range(len(starts)) if n == 0 or lines[top][starts[n] : ends[n]].strip()]
    if len(kept) < 2:
        return None
    cuts = [(starts[n], ends[[*kept, len(starts)][k + 1] - 1]) for k, n in enumerate(kept)]
    out = [""] * len(lines)
    for at in rows:
        out[at] = "\t".join(lines[at][first:last].strip() for first, last in cuts)
    return "\n".join(out)


def _outer_quotes(text: str, separator: str) -> int:
    """Count the quotes at the beginning or the end of a cell; -1 where two stand together."""
    if '""' in text:
        return -1
    inside = sum(text.count(pair) for pair in (f'{separator}"', f'"{separator}', '\n"', '"\n'))
    return inside + text.startswith('"') + text.endswith('"')


def _headings(line: str) -> tuple[list[str], str]:
    """Return the cells of a line of headings, by the separator that makes the most sense of it."""

    def cells(separator: str) -> list[str]:
        try:
            result = next(csv.reader([line], delimiter=separator), [])
        except csv.Error:
            result = line.split(separator)
        while result and not result[-1].strip():
            result.pop()
        return [cell.strip() for cell in result]

    def sense(separator: str) -> tuple[int, int]:
        return sum(heading(cell) is not None for cell in cells(separator)), line.count(separator)

    separator = max(SEPARATORS, key=sense)
    return own_names(cells(separator)), separator


def _plain_csv(text: str, separator: str, names: list[str]) -> pl.DataFrame | None:
    """Read what has a record on every line, fast; None where it has not."""
    try:
        frame = pl.read_csv(
            io.BytesIO(text.encode()),
            separator=separator,
            infer_schema=False,
            has_header=False,
            schema=dict.fromkeys(names, pl.String),
        )
    except (pl.exceptions.PolarsError, ValueError):
        return None
    return frame
