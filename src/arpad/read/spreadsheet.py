"""Spreadsheets, .xlsx, .ods and .xls: their sheets as tables of text, then as tables of games."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, TypeAlias
from xml.parsers import expat

import polars as pl

from arpad.errors import InputError, UsageError
from arpad.read.collect import Collector
from arpad.read.crosstables import SHAPES
from arpad.read.documents import EXCEL_2003, MOST_CELLS, tables_of
from arpad.read.formats import guess, members, unpacked
from arpad.read.headings import own_names, resolve
from arpad.read.plain_text import games_without_headings
from arpad.read.source import MOST_HELD
from arpad.read.table import collect, holds_games, in_sections, side_by_side, words_of
from arpad.read.text_table import HEADING_WITHIN, event_above, framed, section_of, with_event

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from python_calamine import CalamineSheet

    from arpad.model import Games
    from arpad.read.fields import DateOrder
    from arpad.read.source import Report, Source


SPREADSHEETS = ("xlsx", "ods", "xls", "html", "docx")
"""Formats with several tables."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet: its name, and its rows as text; the first row is that of line 1."""

    name: str
    rows: list[list[str | None]]

    def table(self, fits: Callable[[list[str]], bool]) -> SheetTable | None:
        """Return the table whose headings `fits`, None where there is none."""
        for line, row in enumerate(self.rows[:HEADING_WITHIN], start=1):
            width = max((at for at, cell in enumerate(row, start=1) if cell), default=0)
            names = own_names(row[:width])
            if width and fits(names):
                return SheetTable(self, line, names)
        return None


@dataclass(frozen=True, slots=True)
class SheetTable:
    """A table in a sheet: the line of its headings, and these."""

    sheet: Sheet
    line: int
    names: list[str]

    @property
    def above(self) -> str:
        """What stands in the line above the headings."""
        return " ".join(cell for cell in self.sheet.rows[self.line - 2] if cell) if self.line > 1 else ""

    @property
    def event(self) -> str:
        """The event that the lines above the headings name, where they do."""
        return event_above(
            [" ".join(cell for cell in row if cell) for row in self.sheet.rows[: self.line - 1]]
        )

    def frame(self, file: str, report: Report) -> pl.DataFrame:
        """Return the rows below the headings that are not blank as text, with the line of each."""
        width = len(self.names)
        rows = enumerate(self.sheet.rows[self.line :], start=self.line + 1)
        filled = ((number, row[:width]) for number, row in rows if any(row[:width]))
        return framed(filled, self.names, file, report)


def read_spreadsheet(
    source: Source,
    columns: Mapping[str, str] | None = None,
    dates: DateOrder | None = None,
    sheet: str | None = None,
) -> Games:
    """Read the games in every sheet that has any, or in one.

    `sheet`: Its name or its number, from 1.
    """
    collector = Collector(source.name, source.report)
    sheets = chosen_sheets(sheets_of(source), sheet, source.name)
    tables = _tables_of_games(sheets, columns, source) or _other_tables(sheets, columns, source)
    if not tables:
        # one that has rows tells what is missing
        rows = next((row for s in sheets for row in s.rows if sum(bool(c) for c in row) > 1), [])
        resolve(own_names(row for row in rows if row), columns, source.name)
    words = words_of([frame for *_, frame in tables], columns, source.name)
    for _, file, frame in tables:
        collector.file = file
        collect(collector, frame, columns, dates, words)
    for one in sheets:
        if tables and one.rows and all(one is not s for s, *_ in tables):
            source.report.add(source.name, None, "noted", f"no games in the sheet {one.name!r}")
    collector.file = source.name
    return collector.games()


_SheetTable: TypeAlias = "tuple[Sheet, str, pl.DataFrame]"
"""A sheet, what a note calls it, and its games as a table with a row for each."""


def _tables_of_games(
    sheets: Sequence[Sheet], columns: Mapping[str, str] | None, source: Source
) -> list[_SheetTable]:
    """Return the sheets that have a row for each game; their names may say a round or a day."""
    found = [(s, at) for s in sheets if (at := s.table(lambda names: holds_games(names, columns)))]
    tables = []
    for one, table in found:
        file = source.name if len(found) == 1 else f"{source.name} [{one.name}]"
        frame = table.frame(file, source.report)
        said = section_of(one.name) if len(found) > 1 and not side_by_side(table.names) else {}
        known = resolve(table.names, columns, source.name) if said else {}
        frame = frame.with_columns(pl.lit(v).alias(k) for k, v in said.items() if k not in known)
        frame = in_sections(frame, columns, file, source.report, table.above)
        tables.append((one, file, with_event(frame, table.event, columns)))
    return tables


def _other_tables(
    sheets: Sequence[Sheet], columns: Mapping[str, str] | None, source: Source
) -> list[_SheetTable]:
    """Return the games of the sheets that are crosstables, or tables of the other shapes."""
    for fits, convert in SHAPES:
        tables = []
        for one in sheets:
            file = source.name if len(sheets) == 1 else f"{source.name} [{one.name}]"
            if table := one.table(fits):
                games = convert(table.frame(file, source.report), file, source.report, columns)
                tables += [] if games is None else [(one, file, with_event(games, table.event))]
        if tables:
            return tables
    tables = []
    for one in sheets if columns is None else ():
        width = max(map(len, one.rows), default=0)
        whole = SheetTable(one, 0, own_names([""] * width)).frame(source.name, source.report)
        games = games_without_headings(whole, source.name, source.report) if whole.height > 1 else None
        tables += [] if games is None else [(one, source.name, games)]
    return tables


def sheets_of(source: Source) -> list[Sheet]:
    """Return all sheets of a spreadsheet, each row as text; a size that no club needs is refused."""
    import python_calamine

    data = source.everything()
    if guess(data[: 1 << 16], source.name) in ("html", "docx") or EXCEL_2003 in data[:4096]:
        return [Sheet(name, rows) for name, rows in tables_of(data, source.name)]
    if data[:2] == b"PK":
        _check_size(data, source.name)
    try:
        book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
        return [_sheet(name, book.get_sheet_by_name(name)) for name in book.sheet_names]
    except (python_calamine.CalamineError, OSError, ValueError, TypeError, OverflowError, KeyError) as error:
        why = str(error).split("\n", 1)[0]
        raise InputError(f"the spreadsheet cannot be read: {why}", file=source.name) from None


def _sheet(name: str, sheet: CalamineSheet) -> Sheet:
    """Return a sheet as text; what stands in cells merged across rows belongs to each of them."""
    rows = [[_text(cell) for cell in row] for row in sheet.to_python(skip_empty_area=False)]
    for (top, left), (bottom, right) in sheet.merged_cell_ranges or ():
        if left == right and top < len(rows):
            for row in rows[top + 1 : bottom + 1]:
                row[left] = rows[top][left]
    return Sheet(name, rows)


def chosen_sheets(found: Sequence[Sheet], sheet: str | None, file: str) -> list[Sheet]:
    """Return all sheets, or the one that is named or numbered."""
    if sheet is None:
        return list(found)
    named = [s for s in found if s.name == sheet]
    named = named or [s for s in found if s.name.strip().casefold() == sheet.strip().casefold()]
    if not named and sheet.isdecimal() and 1 <= int(sheet) <= len(found):
        named = [found[int(sheet) - 1]]
    if not named:
        names = ", ".join(repr(s.name) for s in found)
        raise UsageError(f"expected one of the sheets {names} of {file}; found {sheet!r}")
    return named


def _text(cell: object) -> str | None:  # noqa: PLR0911 - one a type
    """Return a cell as it would stand in a file of text; ``1:0`` that became a time is ``1:0`` again."""
    if isinstance(cell, str):
        return cell.strip() or None
    if isinstance(cell, bool):
        return "1" if cell else "0"
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, datetime):
        return cell.date().isoformat() if cell.time() == time(0) else cell.isoformat(" ")
    if isinstance(cell, date):
        return cell.isoformat()
    if isinstance(cell, time):
        return f"{cell.hour}:{cell.minute}"
    if isinstance(cell, timedelta):
        minutes = int(cell.total_seconds()) // 60
        return f"{minutes // 60}:{minutes % 60}"
    return None if cell is None else str(cell)


def _check_size(data: bytes, file: str) -> None:
    """Refuse what unpacks to too much, or spans too many cells, before a library makes room for them."""
    left = MOST_HELD
    with members(data, file) as folder:
        for member in folder.infolist():
            sheet = re.fullmatch(r"xl/worksheets/.*\.xml|content\.xml", member.filename)
            span = _Span(file) if sheet else None
            for block in unpacked(folder, member, file, left):
                left -= len(block)
                if span is not None:
                    span.take(block)


class _Span:
    """Number of rows and columns of a sheet, read from its XML, that of Excel or of OpenDocument.

    OpenDocument repeats cells and rows: they count where something stands in them or behind them.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.whole = True
        """Whether the XML is sound so far; otherwise the library that reads it reports the error."""
        self.rows = self.columns = self.pending = self.repeat = self.width = 0
        self.filled = False

    def take(self, block: bytes) -> None:
        if not self.whole:
            return
        try:
            self.parser.Parse(block)
        except expat.ExpatError:
            self.whole = False

    def check(self) -> None:
        if self.rows * self.columns > MOST_CELLS:
            raise InputError(
                f"expected a sheet of at most {MOST_CELLS:,} cells, found one of {self.rows:,} rows and {self.columns:,} columns",
                file=self.file,
            )

    def start(self, name: str, attributes: dict[str, str]) -> None:
        kind = name.rsplit(":", 1)[-1]
        if kind in ("c", "row", "dimension"):  # Excel
            for result in re.findall(
                r"([A-Z]{0,3})(\d{1,8})", attributes.get("r", attributes.get("ref", ""))
            ):
                column = 0
                for letter in result[0]:
                    column = 26 * column + ord(letter) - 64
                self.rows, self.columns = max(self.rows, int(result[1])), max(self.columns, column)
            self.check()
        elif kind == "table":
            self.rows = self.columns = self.pending = 0
        elif kind == "table-row":
            self.repeat = _whole(attributes.get("table:number-rows-repeated"))
            self.width, self.filled = 0, False
        elif kind in ("table-cell", "covered-table-cell"):
            self.width += _whole(attributes.get("table:number-columns-repeated"))
        typed = {"office:value-type", "calcext:value-type"} & set(attributes)
        if self.repeat and (typed or kind == "p"):
            self.filled = True
            self.columns = max(self.columns, self.width)

    def end(self, name: str) -> None:
        if name.rsplit(":", 1)[-1] != "table-row":
            return
        if self.filled:
            self.rows += self.pending + self.repeat
            self.pending = 0
            self.check()
        else:
            self.pending += self.repeat
        self.repeat = 0


def _whole(text: str | None) -> int:
    return int(text) if text and re.fullmatch(r"[0-9]{1,9}", text) else 1
