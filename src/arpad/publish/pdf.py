"""Sections of a report as PDF: A4 pages with tables that fit, made offline, whole or not at all."""

from __future__ import annotations

import functools
import io
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reportlab.lib.pagesizes import A4
from reportlab.lib.units import mm
from reportlab.lib.utils import ImageReader, simpleSplit
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFError, TTFont
from reportlab.pdfgen.canvas import Canvas

from arpad.errors import UsageError
from arpad.files import write_bytes
from arpad.publish.language import Language, Letterhead
from arpad.publish.tables import DIGITS, HEADINGS, cell

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from arpad.publish.output import PageSection


FONTS = (
    ("DejaVuSansCondensed.ttf", "DejaVuSansCondensed-Bold.ttf"),
    ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"),
    ("LiberationSans-Regular.ttf", "LiberationSans-Bold.ttf"),
    ("arial.ttf", "arialbd.ttf"),
    ("Vera.ttf", "VeraBd.ttf"),
)
"""Tried in this order; the last comes with ReportLab and has no letters beyond Latin-1."""
MARGIN, BOTTOM = 14 * mm, 15 * mm
LARGEST, SMALLEST, TURNED = 9.5, 6.5, 6.5
"""Points of print: the largest, the smallest that a table is made to fit a page with, and below which a
page is turned on its side."""
HEADING, WORDS = 11.0, 7.5
"""Points of print of a section's heading and of the words below its table."""
LEADING = 1.45
"""Height of a line in sizes of its print."""
LOGO = (45 * mm, 18 * mm)
"""Width and height of a logo at most."""
GAP = 1.2
"""Space between two columns, in sizes of print."""
LONG = 26.0
"""Sizes of print beyond which a cell is broken into lines."""
INK, MUTED, RULE, BAND = 0.12, 0.4, 0.75, 0.96
"""Grey levels."""
PICTURE_SCALE = 2.0
"""Pixels of a chart for each of its own."""


class PdfSheet:
    """A PDF in the making: pages, a pen that moves down, and a footer on every page."""

    def __init__(self, title: str, language: Language | None = None) -> None:
        self.memory = io.BytesIO()
        self.canvas = Canvas(self.memory, pagesize=A4, invariant=1)
        self.title = title
        self.language = language or Language()
        self.plain, self.bold = _fonts()
        self.canvas.setTitle(_known(title, self.plain))
        self.canvas.setCreator("arpad")
        self.page = 0
        self.width, self.height = A4
        self.y = 0.0
        self.new_page()

    @property
    def room(self) -> float:
        """The width within the margins."""
        return float(self.width - 2 * MARGIN)

    @property
    def left(self) -> float:
        """The height above the bottom margin."""
        return float(self.y - BOTTOM)

    @property
    def at_top(self) -> bool:
        """Say whether nothing stands on the page yet."""
        return bool(self.y == self.height - MARGIN)

    def new_page(self, *, sideways: bool = False) -> None:
        """Begin a page."""
        if self.page:
            self.canvas.showPage()
        self.page += 1
        self.width, self.height = A4[::-1] if sideways else A4
        self.canvas.setPageSize((self.width, self.height))
        self.y = self.height - MARGIN
        self.canvas.setFillGray(MUTED)
        self.canvas.setFont(self.plain, 7)
        self.canvas.drawString(MARGIN, 9 * mm, self.known(self.title)[:110])
        self.canvas.drawRightString(self.width - MARGIN, 9 * mm, str(self.page))
        self.canvas.setFillGray(INK)

    def known(self, text: str) -> str:
        """Return a text in letters that the font has."""
        return _known(text, self.plain)

    def write(self, text: str, size: float = 8.5, *, bold: bool = False, grey: float = INK) -> None:
        """Write a paragraph."""
        font = self.bold if bold else self.plain
        for line in simpleSplit(self.known(text), font, size, self.room):
            if self.left < size * LEADING:
                self.new_page(sideways=self.width > self.height)
            self.y -= size * LEADING
            self.canvas.setFillGray(grey)
            self.canvas.setFont(font, size)
            self.canvas.drawString(MARGIN, self.y, line)
        self.canvas.setFillGray(INK)

    def logo(self, image: bytes) -> None:
        """Draw a picture in the corner at the top right."""
        try:
            drawn = ImageReader(io.BytesIO(image))
        except Exception as error:  # whatever the library says of a broken picture
            raise UsageError(f"expected a logo as a picture that can be read: {error}") from None
        wide, high = drawn.getSize()
        shrink = min(LOGO[0] / wide, LOGO[1] / high)
        wide, high = wide * shrink, high * shrink
        self.canvas.drawImage(
            drawn, self.width - MARGIN - wide, self.height - MARGIN - high, wide, high, mask="auto"
        )

    def space(self, points: float) -> None:
        """Leave some space."""
        self.y -= points

    def picture(self, svg: str) -> None:
        """Draw a chart as wide as the page, if it is not smaller."""
        import vl_convert

        image = ImageReader(io.BytesIO(vl_convert.svg_to_png(svg, scale=PICTURE_SCALE)))
        wide, high = (side / PICTURE_SCALE * 0.75 for side in image.getSize())
        shrink = min(1.0, self.room / wide, (self.height - MARGIN - BOTTOM) / high)
        wide, high = wide * shrink, high * shrink
        if self.left < high:
            self.new_page()
        self.y -= high
        self.canvas.drawImage(image, MARGIN, self.y, wide, high, mask="auto")

    def shortened(self, text: str, size: float, width: float) -> str:
        """Return as much of a text in bold print as fits a width."""
        text = self.known(text)
        while text and pdfmetrics.stringWidth(text, self.bold, size) > width:
            text = text[:-2] + "…" if len(text) > 2 else ""
        return text

    def table(self, grid: Grid, high: float | None = None, *, largest: float = LARGEST) -> None:
        """Draw a table; its heading is repeated on every page.

        Parameters
        ----------
        high
            Make the print smaller where the table then fits this height.
        largest
            Points of print at most.
        """
        size = min(largest, self.room / grid.wide)
        if high is not None:
            size = min(size, high / (LEADING * (grid.lines + 1.5)))
        at = [MARGIN]
        for width in grid.widths:
            at.append(at[-1] + (width + GAP) * size)
        step = size * LEADING
        self._row(grid, grid.head, at, size, head=True)
        for number, row in enumerate(grid.rows):
            height = max(map(len, row)) * step
            if self.left < height:
                self.new_page(sideways=self.width > self.height)
                self._row(grid, grid.head, at, size, head=True)
            if number % 2:
                self.canvas.setFillGray(BAND)
                wide = at[-1] - MARGIN - GAP * size
                self.canvas.rect(MARGIN, self.y - height - 0.3 * size, wide, height, stroke=0, fill=1)
                self.canvas.setFillGray(INK)
            self._row(grid, row, at, size)

    def _row(
        self, grid: Grid, row: Sequence[Sequence[str]], at: list[float], size: float, *, head: bool = False
    ) -> None:
        font = self.bold if head else self.plain
        self.canvas.setFont(font, size)
        deepest = 1
        for column, lines in enumerate(row):
            deepest = max(deepest, len(lines))
            for depth, text in enumerate(lines, start=1):
                y = self.y - depth * size * LEADING
                if not text:
                    continue
                if grid.numeric[column]:
                    self.canvas.drawRightString(at[column + 1] - GAP * size, y, text)
                else:
                    self.canvas.drawString(at[column], y, text)
        self.y -= deepest * size * LEADING
        if head:
            self.canvas.setStrokeGray(RULE)
            self.canvas.line(MARGIN, self.y - 0.25 * size, at[-1] - GAP * size, self.y - 0.25 * size)

    def finish(self) -> bytes:
        """Return the file."""
        self.canvas.showPage()
        self.canvas.save()
        return self.memory.getvalue()


@dataclass(frozen=True, slots=True)
class Grid:
    """A table as text: cells of one line or several, and the widths of its columns in sizes of print."""

    head: tuple[tuple[str, ...], ...]
    rows: tuple[tuple[tuple[str, ...], ...], ...]
    numeric: tuple[bool, ...]
    widths: tuple[float, ...]

    @property
    def wide(self) -> float:
        """The width of the table, in sizes of print."""
        return sum(self.widths) + GAP * len(self.widths)

    @property
    def lines(self) -> int:
        """Lines of text in the rows."""
        return sum(max(len(lines) for lines in row) for row in self.rows)


def pdf(
    title: str,
    details: Sequence[str],
    sections: Sequence[PageSection],
    *,
    letterhead: Letterhead | None = None,
) -> bytes:
    """Return a report as PDF: its title, `details` below it a line each, then the sections.

    A table that would fit a page in somewhat smaller print does; what is wide is on pages turned sideways.
    Of the letterhead the logo and the language are used.
    """
    head = letterhead or Letterhead()
    sheet = PdfSheet(title, head.language)
    if head.logo is not None:
        sheet.logo(head.logo)
    sheet.write(title, 15, bold=True)
    for line in details:
        sheet.write(line, grey=MUTED)
    for number, section in enumerate(sections):
        _section(sheet, section, first=number == 0)
    return sheet.finish()


def write_pdf(path: str | Path, content: bytes) -> None:
    """Write a PDF, whole or not at all."""
    write_bytes(path, content)


def _section(sheet: PdfSheet, section: PageSection, *, first: bool) -> None:
    words = [line for line in (section.words, *section.points) if line]
    below = WORDS * LEADING * sum(len(simpleSplit(w, sheet.plain, WORDS, sheet.room)) for w in words)
    grid = None if section.table is None else table_grid(section, sheet)
    if grid is not None:
        sideways = (A4[0] - 2 * MARGIN) / grid.wide < TURNED and not first
        if sideways != (sheet.width > sheet.height):
            sheet.new_page(sideways=sideways)
        smallest = min(SMALLEST, sheet.room / grid.wide)
        high = HEADING * LEADING + below + smallest * LEADING * (grid.lines + 2) + 15
        whole = sheet.height - MARGIN - BOTTOM
        if not sheet.at_top and not first and sheet.left < min(high, whole):
            sheet.new_page(sideways=sideways)
    sheet.space(0 if sheet.at_top else 9)
    if section.heading:
        sheet.write(sheet.language(section.heading), HEADING, bold=True)
    if grid is not None:
        sheet.space(2)
        room = sheet.left - below - 6
        least = smallest * LEADING * (grid.lines + 1.5)
        sheet.table(grid, room if least <= room else None)
        sheet.space(4)
    for line in words:
        sheet.write(line, WORDS, grey=MUTED)
    if section.picture is not None:
        sheet.space(4)
        sheet.picture(section.picture)


def table_grid(section: PageSection, sheet: PdfSheet) -> Grid:
    """Return a section's table as text, in letters that the sheet's font has."""
    table = section.table
    assert table is not None
    digits = {**DIGITS, **section.digits}
    numeric = tuple(kind.is_numeric() for kind in table.dtypes)
    head = tuple(
        (sheet.known(sheet.language(HEADINGS.get(name, name).replace("_", " "))),) for name in table.columns
    )
    columns, widths = [], []
    for name, title in zip(table.columns, head, strict=True):
        cells = [cell(name, value, digits) for value in table[name].to_list()]
        if table[name].dtype.is_numeric():
            cells = list(map(sheet.language.number, cells))
        texts = [_broken(sheet.known(text), sheet.plain) for text in cells]
        widest = max((_wide(line, sheet.plain) for lines in texts for line in lines), default=0.0)
        widths.append(max(widest, _wide(title[0], sheet.bold)))
        columns.append(texts)
    return Grid(head, tuple(zip(*columns, strict=True)), numeric, tuple(widths))


def _wide(text: str, font: str) -> float:
    return float(pdfmetrics.stringWidth(text, font, 1))


def _broken(text: str, font: str) -> tuple[str, ...]:
    """Return a cell in lines; most have one."""
    if len(text) <= LONG or _wide(text, font) <= LONG:
        return (text,)
    lines: list[str] = []
    for line in simpleSplit(text, font, 1, LONG):
        while _wide(line, font) > LONG:  # one long word
            cut = int(LONG)
            lines.append(line[:cut])
            line = line[cut:]
        lines.append(line)
    return tuple(lines)


@functools.cache
def _fonts() -> tuple[str, str]:
    """Register a font of this machine, plain and bold, and return their names."""
    for plain, bold in FONTS:
        try:
            for name, file in (("arpad", plain), ("arpad-bold", bold)):
                pdfmetrics.registerFont(TTFont(name, file))
        except TTFError:
            continue
        return "arpad", "arpad-bold"
    return "Helvetica", "Helvetica-Bold"


def missing_letters(texts: Iterable[str]) -> str:
    """Return the letters that the font for PDFs does not have, in order."""
    glyphs = getattr(pdfmetrics.getFont(_fonts()[0]).face, "charToGlyph", None)
    letters = {c for text in texts for c in text if c.isprintable()}
    return "".join(sorted(c for c in letters if (ord(c) > 0xFF if glyphs is None else ord(c) not in glyphs)))


def _known(text: str, font: str) -> str:
    """Return a text in letters that a font has: others without their accents, or a question mark."""
    if text.isascii():
        return text
    face: Any = pdfmetrics.getFont(font).face
    glyphs = getattr(face, "charToGlyph", None)
    if glyphs is None or all(ord(c) in glyphs for c in text):
        return text
    return "".join(
        c
        if ord(c) in glyphs
        else "".join(d for d in unicodedata.normalize("NFKD", c) if ord(d) in glyphs) or "?"
        for c in text
    )
