"""Tables in web pages, Word documents and Excel's XML of 2003, as rows of text."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, TypeAlias
from xml.etree import ElementTree as ET

from arpad.errors import InputError
from arpad.read.formats import members, unpacked
from arpad.read.source import MOST_HELD, Report, decode

if TYPE_CHECKING:
    from collections.abc import Iterator


Rows: TypeAlias = "list[list[str | None]]"
MOST_CELLS = 20_000_000
"""Cells of one sheet, empty ones between others with them: two cells may be far apart."""
WIDEST = 1000
"""Columns of a table, at most: a web page may ask for any number."""
EXCEL_2003 = b"urn:schemas-microsoft-com:office:spreadsheet"
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_SHEET = "{urn:schemas-microsoft-com:office:spreadsheet}"


def tables_of(data: bytes, file: str) -> list[tuple[str, Rows]]:
    """Return the name and the rows of every table of a document; a size that no club needs is refused."""
    try:
        return _tables_of(data, file)
    except OverflowError:
        raise InputError(f"expected a table of at most {MOST_CELLS:,} cells, found more", file=file) from None


def _tables_of(data: bytes, file: str) -> list[tuple[str, Rows]]:
    if data[:2] == b"PK":
        with members(data, file) as folder:
            if "word/document.xml" not in folder.namelist():
                raise InputError("expected a Word document, found no text in it", file=file)
            text = b"".join(unpacked(folder, folder.getinfo("word/document.xml"), file, MOST_HELD))
        found = _from_word(_xml(text, file))
    elif EXCEL_2003 in data[:4096]:
        return list(_from_excel_2003(_xml(data, file)))
    else:
        page = _Page()
        page.feed(decode(data, file, Report()))
        page.close()
        found = iter(page.tables)
    return [(f"table {number}", rows) for number, rows in enumerate(found, start=1)]


def _xml(data: bytes, file: str) -> ET.Element:
    try:
        return ET.fromstring(data)
    except (ET.ParseError, ValueError, LookupError) as error:
        raise InputError(f"expected XML, found a mistake in it: {error}", file=file) from None


class _Grid:
    """A table that grows cell by cell; a cell over several rows counts for each of them."""

    def __init__(self, above: str) -> None:
        self.rows: Rows = [[above]] if above else []
        self._down: dict[int, tuple[int, str]] = {}
        """Column of a cell that goes on below: the rows that it still takes, and its text."""
        self._cells = 0

    def row(self) -> None:
        self._cells += len(self.rows[-1]) if self.rows else 0
        if self._cells > MOST_CELLS:
            raise OverflowError
        self.rows.append([])
        self._go_on()

    def _go_on(self) -> None:
        row = self.rows[-1]
        while (below := self._down.get(len(row))) is not None:
            left, text = below
            if left > 1:
                self._down[len(row)] = left - 1, text
            else:
                del self._down[len(row)]
            row.append(text)

    def cell(self, text: str, across: int = 1, down: int = 1) -> None:
        row = self.rows[-1]
        if down > 1:
            self._down[len(row)] = down - 1, text
        row += [" ".join(text.split()) or None, *[None] * (min(across, WIDEST - len(row)) - 1)]
        self._go_on()


class _Page(HTMLParser):
    """The tables of a web page, each with the heading above it."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[Rows] = []
        self._open: list[tuple[_Grid, list[str] | None, tuple[int, int]]] = []
        """Tables within tables: each with the text of its open cell and how far that spans."""
        self._heading: list[str] | None = None
        self._above = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self._open.append((_Grid(self._above), None, (1, 1)))
            self._above = ""
        elif re.fullmatch(r"h[1-6]|caption|title", tag):
            self._heading = []
        elif self._open and tag in ("tr", "td", "th"):
            self._close_cell()
            grid = self._open[-1][0]
            if tag == "tr" or not grid.rows:
                grid.row()
            if tag != "tr":
                spans = [dict(attrs).get(name) or "" for name in ("colspan", "rowspan")]
                across, down = (int(n) if re.fullmatch(r"[0-9]{1,3}", n) else 1 for n in spans)
                self._open[-1] = (grid, [], (max(across, 1), max(down, 1)))
        elif tag == "br":
            self.handle_data(" ")

    def handle_endtag(self, tag: str) -> None:
        if re.fullmatch(r"h[1-6]|caption|title", tag) and self._heading is not None:
            self._above = " ".join("".join(self._heading).split())
            self._heading = None
        elif tag in ("td", "th", "tr"):
            self._close_cell()
        elif tag == "table" and self._open:
            self._close_cell()
            self.tables.append(self._open.pop()[0].rows)

    def handle_data(self, data: str) -> None:
        if self._heading is not None:
            self._heading.append(data)
        elif self._open and (text := self._open[-1][1]) is not None:
            text.append(data)

    def _close_cell(self) -> None:
        if self._open:
            grid, text, spans = self._open[-1]
            if text is not None:
                grid.cell("".join(text), *spans)
            self._open[-1] = grid, None, (1, 1)

    def close(self) -> None:
        """End the page, and every table that it left open."""
        super().close()
        while self._open:
            self.handle_endtag("table")


def _from_word(document: ET.Element) -> Iterator[Rows]:
    above = ""
    for part in next(iter(document), document):
        if part.tag == f"{_WORD}p":
            above = _text(part) or above
        elif part.tag == f"{_WORD}tbl":
            grid = _Grid(above)
            for row in part.iter(f"{_WORD}tr"):
                grid.row()
                for cell in row.findall(f"{_WORD}tc"):
                    span = cell.find(f"{_WORD}tcPr/{_WORD}gridSpan")
                    across = "1" if span is None else span.get(f"{_WORD}val", "1")
                    merged = cell.find(f"{_WORD}tcPr/{_WORD}vMerge")
                    text = _text(cell)
                    if merged is not None and merged.get(f"{_WORD}val") != "restart" and len(grid.rows) > 1:
                        at = len(grid.rows[-1])
                        text = (grid.rows[-2][at : at + 1] or [None])[0] or text
                    grid.cell(text, int(across) if re.fullmatch(r"[0-9]{1,3}", across) else 1)
            yield grid.rows
            above = ""


def _text(part: ET.Element) -> str:
    return " ".join("".join(each.text or "" for each in p.iter(f"{_WORD}t")) for p in part.iter(f"{_WORD}p"))


def _from_excel_2003(book: ET.Element) -> Iterator[tuple[str, Rows]]:
    for sheet in book.iter(f"{_SHEET}Worksheet"):
        rows: Rows = []
        for row in sheet.iter(f"{_SHEET}Row"):
            rows += [[]] * (_index(row, len(rows)) - len(rows))
            cells: list[str | None] = []
            for cell in row.findall(f"{_SHEET}Cell"):
                cells += [None] * (_index(cell, len(cells)) - len(cells))
                data = cell.find(f"{_SHEET}Data")
                text = "" if data is None else " ".join("".join(data.itertext()).split())
                cells.append(re.sub(r"T00:00:00(\.0+)?$", "", text) or None)
            rows.append(cells)
        yield sheet.get(f"{_SHEET}Name") or "sheet", rows


def _index(part: ET.Element, there: int) -> int:
    """Return how many rows or cells stand before this one; an index may leave some out."""
    given = part.get(f"{_SHEET}Index", "")
    return min(int(given) - 1, there + WIDEST) if re.fullmatch(r"[0-9]{1,7}", given) else there
