"""JSON and CSV for programs; a table as a spreadsheet or a page."""

from __future__ import annotations

import io
import json
import math
from datetime import date
from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping


__all__ = ["FORMULA", "document", "line", "page_bytes", "rows", "safe_csv"]


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
"""How a cell begins that a spreadsheet takes for a formula."""


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


# A table as a file for people: a spreadsheet, a page for browsers, a page to print.


def page_bytes(kind: str, table: pl.DataFrame, title: str) -> bytes:
    """Return a table as ``xlsx``, ``html`` or ``pdf``."""
    if kind == "xlsx":
        import xlsxwriter

        memory = io.BytesIO()
        options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
        with xlsxwriter.Workbook(memory, options) as book:
            nested = pl.col([c for c, kind in table.schema.items() if kind.is_nested()])
            plain = table.with_columns(nested.map_elements(str, pl.String)) if table.width else table
            plain.write_excel(book, "arpad", autofit=True, freeze_panes=(1, 0))
        return memory.getvalue()
    from arpad.publish.report_page import Section, page

    sections = [Section("", table=table)]
    if kind == "pdf":
        from arpad.publish.pdf import pdf

        return pdf(title, [], sections)
    return page(title, "", sections).encode()
