"""Results as JSON, and as a report in one HTML file: no script, no network, light and dark, fit to print."""

from __future__ import annotations

import io
import json
import math
import re
import zipfile
from dataclasses import dataclass, field
from datetime import date
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

import polars as pl

from arpad.publish.language import MINUS, Language
from arpad.publish.tables import DIGITS, HEADINGS, cell

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


# JSON: complete, stable, one row a line so that two files can be compared.


def rows(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """Return a frame as a list of rows."""
    return frame.to_dicts()


def line(value: object) -> str:
    """Return any value on one line; what JSON has no number for is null."""
    return json.dumps(_plain(value), ensure_ascii=False, default=_other, allow_nan=False)


def document(parts: Mapping[str, Any]) -> str:
    """Return an object with a line for every part, and for every row of a part that is a list."""
    lines = []
    for key, value in parts.items():
        if isinstance(value, list) and value:
            inside = ",\n".join(f"  {line(row)}" for row in value)
            lines.append(f" {line(key)}: [\n{inside}\n ]")
        else:
            lines.append(f" {line(key)}: {line(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _plain(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    return value


def _other(value: object) -> object:
    return value.isoformat() if isinstance(value, date) else str(value)


# CSV that a spreadsheet does not run: a text that would be a formula there begins with an apostrophe.

FORMULA = r"^[=+\-@\t\r]"
"""Characters with which a spreadsheet's formula begins."""


def safe_csv(rows: pl.DataFrame) -> str:
    r"""Return rows as CSV; numbers stay numbers, and a text that would be a formula stays a text.

    Examples
    --------
    >>> safe_csv(pl.DataFrame({"name": ["=1+1", "Ann"], "change": [-3, 2]}))
    "name,change\n'=1+1,-3\nAnn,2\n"
    """
    text = pl.col(pl.String)
    risky = text.str.contains(FORMULA)
    return rows.with_columns(pl.when(risky).then("'" + text).otherwise(text).name.keep()).write_csv()


# A spreadsheet of OpenDocument. No library that is kept up writes it; a flat table needs one XML file in a ZIP.

CONTROL = re.compile(r"[\x00-\x1f\x7f-\xa0\u2028\u2029\ud800-\udfff\ufffe\uffff]")
"""Ends of lines, what no printer prints, and what XML forbids."""
_NAMES = "urn:oasis:names:tc:opendocument:xmlns"
_ODS = "application/vnd.oasis.opendocument.spreadsheet"
_CONTENT = f"""<?xml version="1.0" encoding="UTF-8"?>
<office:document-content xmlns:office="{_NAMES}:office:1.0" xmlns:table="{_NAMES}:table:1.0" \
xmlns:text="{_NAMES}:text:1.0" office:version="1.3"><office:body><office:spreadsheet>
{{tables}}</office:spreadsheet></office:body></office:document-content>
"""
_MANIFEST = f"""<?xml version="1.0" encoding="UTF-8"?>
<manifest:manifest xmlns:manifest="{_NAMES}:manifest:1.0" manifest:version="1.3">
<manifest:file-entry manifest:full-path="/" manifest:media-type="{_ODS}"/>
<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>
</manifest:manifest>
"""


def plain_text(text: str | None) -> str:
    r"""Return a text on one line, without what no printer prints.

    Examples
    --------
    >>> plain_text(" O'Neil,\tBob\x00\n")
    "O'Neil, Bob"
    """
    return CONTROL.sub(" ", text or "").strip()


def ods_bytes(sheets: Mapping[str, Sequence[Sequence[object]]]) -> bytes:
    """Return sheets of cells as an OpenDocument spreadsheet; the same cells give the same bytes."""
    tables = "".join(
        f"<table:table table:name={quoteattr(plain_text(name))}>"
        + "".join(f"<table:table-row>{''.join(map(_ods_cell, row))}</table:table-row>\n" for row in cells)
        + "</table:table>"
        for name, cells in sheets.items()
    )
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as book:
        for name, text in (
            ("mimetype", _ODS),
            ("content.xml", _CONTENT.format(tables=tables)),
            ("META-INF/manifest.xml", _MANIFEST),
        ):
            entry = zipfile.ZipInfo(name)  # of 1980: no clock in the file
            entry.compress_type = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            book.writestr(entry, text)
    return memory.getvalue()


def _ods_cell(value: object) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return (
            f'<table:table-cell office:value-type="float" office:value="{value!r}">'
            f"<text:p>{value:g}</text:p></table:table-cell>"
        )
    text = "" if value is None else escape(plain_text(str(value)))
    if not text:
        return "<table:table-cell/>"
    return f'<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>'


# A table as a file for people: a spreadsheet, a page for browsers, a page to print.


def page_bytes(kind: str, table: pl.DataFrame, title: str) -> bytes:
    """Return a table as ``xlsx``, ``ods``, ``html`` or ``pdf``."""
    if kind == "ods":
        return ods_bytes({"arpad": [table.columns, *table.iter_rows()]})
    if kind == "xlsx":
        import xlsxwriter

        memory = io.BytesIO()
        options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
        with xlsxwriter.Workbook(memory, options) as book:
            nested = pl.col([c for c, kind in table.schema.items() if kind.is_nested()])
            plain = table.with_columns(nested.map_elements(str, pl.String)) if table.width else table
            plain.write_excel(book, "arpad", autofit=True, freeze_panes=(1, 0))
        return memory.getvalue()

    sections = [PageSection("", table=table)]
    if kind == "pdf":
        from arpad.publish.pdf import pdf

        return pdf(title, [], sections)
    return page(title, "", sections).encode()


UPRIGHT, SIDEWAYS = 182.0, 269.0
"""Millimetres of an A4 page, within its margins, that a table has to itself."""
LARGEST, SMALLEST = 10.0, 6.0
"""Points of print; below the smallest a page is turned on its side."""
LONG = 42
"""Digits beyond which a cell is broken into lines: a name has fewer."""
WIDE = "½—WMwm@%"
"""Characters that are wider than a digit, by about a half."""
CHARACTER, GAP = 0.235, 2.0
"""Millimetres that a character is wide in one point of print; characters between columns."""


@dataclass(frozen=True, slots=True)
class PageSection:
    """A heading with a table, a picture (SVG text), or words below it."""

    heading: str
    table: pl.DataFrame | None = None
    picture: str | None = None
    words: str = ""
    digits: Mapping[str, int] = field(default_factory=dict)
    """Decimals of the table's columns, where they are not the usual ones."""
    points: tuple[str, ...] = ()
    """Sentences below the words, one a line."""


def page(title: str, subtitle: str, sections: Sequence[PageSection], language: Language | None = None) -> str:
    """Return the report as HTML; headings are in the language."""
    import jinja2

    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    template = environment.from_string(
        (files("arpad.publish") / "templates" / "report.html").read_text("utf-8")
    )
    say = language or Language()
    prepared = [_prepared(s, say) for s in sections]
    sideways = any(_print(s["wide"], UPRIGHT) < SMALLEST for s in prepared)
    for section in prepared:
        section["print"] = round(_print(section["wide"], SIDEWAYS if sideways else UPRIGHT), 1)
    return template.render(title=title, subtitle=subtitle, sections=prepared, sideways=sideways, say=say)


def _print(wide: float, room: float) -> float:
    """Return the size of print, in points, in which a table of this many characters fits the room."""
    return min(LARGEST, room / (CHARACTER * wide)) if wide else LARGEST


def _width(columns: Sequence[Mapping[str, Any]], rows: Sequence[Sequence[Mapping[str, Any]]]) -> float:
    """Return how many characters a table is wide."""
    cells = zip(columns, *rows, strict=True)
    return sum(max(_letters(c["text"]) for c in column) + GAP for column in cells)


def _letters(text: str) -> float:
    """Return how wide a cell is, in digits; what is longer than a name is broken on paper."""
    return min(len(text) + 0.6 * sum(text.count(c) for c in WIDE), LONG)


def _prepared(section: PageSection, say: Language) -> dict[str, Any]:
    columns, rows = [], []
    if section.table is not None:
        for name, kind in section.table.schema.items():
            text = HEADINGS.get(name, name).replace("_", " ")
            columns.append({"text": say(text), "numeric": kind.is_numeric()})
        rows = [
            [
                _cell(cell(name, value, {**DIGITS, **section.digits}), say if column["numeric"] else None)
                for name, value, column in zip(section.table.columns, row, columns, strict=True)
            ]
            for row in section.table.iter_rows()
        ]
    return {
        "wide": _width(columns, rows),
        "heading": say(section.heading),
        "words": section.words,
        "points": section.points,
        "columns": columns,
        "rows": rows,
        "picture": section.picture,
    }


def _cell(text: str, number: Language | None) -> dict[str, Any]:
    """Return a cell as the template has it, a number as the language writes it."""
    shown = number.number(text).replace("-", MINUS) if number else text
    return {"text": shown, "numeric": number is not None, "long": _is_long(shown)}


def _is_long(text: str) -> bool:
    return len(text) + 0.6 * sum(text.count(c) for c in WIDE) > LONG
