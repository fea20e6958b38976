"""A rating list as a workbook: numbers are numbers, names are text and never a formula."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from arpad.errors import UsageError
from arpad.publish.list_sheet import COLUMNS, plain_text
from arpad.publish.tables import HEADINGS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arpad.publish.list_sheet import ListSheet

__all__ = ["list_xlsx"]

MOST = 1_048_575
"""Rows that a sheet has below its heading."""
NARROW, WIDE = 6, 48
"""Characters that a column is wide, at least and at most."""
SAMPLE = 2000
"""Rows that its width is taken from."""
FORMATS = {"change": "+0;-0;0", "rating": "0", "deviation": "0", "k": "0"}
FINE = {"change": "+0.0;-0.0;0", "rating": "0.0", "deviation": "0.0", "k": "0.#"}
"""How numbers show; as they are where one of them is not whole."""


def list_xlsx(sheet: ListSheet) -> bytes:
    """Return the list as XLSX: a sheet with the players, and one on what list it is."""
    import xlsxwriter

    if sheet.rows.height > MOST:
        raise UsageError(
            f"expected at most {MOST:,} players for XLSX, found {sheet.rows.height:,}: export CSV, or the top (--top)"
        )
    memory = io.BytesIO()
    book = xlsxwriter.Workbook(memory, {"in_memory": True, "strings_to_formulas": False})
    # The list's own day: a file of the same list is the same to the byte.
    day = datetime(sheet.closing.year, sheet.closing.month, sheet.closing.day, tzinfo=UTC)
    book.set_properties(
        {
            "title": plain_text(sheet.heading()),
            "subject": plain_text(sheet.subtitle()),
            "created": day.replace(tzinfo=None),
        }
    )
    _players(book, sheet)
    _about(book, sheet)
    book.close()
    return memory.getvalue()


def _players(book: Any, sheet: ListSheet) -> None:
    page = book.add_worksheet("List")
    head = book.add_format({"bold": True, "bottom": 1, "valign": "top"})
    right = book.add_format({"bold": True, "bottom": 1, "valign": "top", "align": "right"})
    shown = sheet.shown()
    for at, name in enumerate(shown):
        numeric = COLUMNS[name].is_numeric()
        title = HEADINGS.get(name, name.replace("_", " "))
        page.write_string(0, at, title, right if numeric else head)
        whole = not numeric or bool((sheet.rows[name] == sheet.rows[name].round(0)).all())
        pattern = (FORMATS if whole else FINE).get(name)
        page.set_column(
            at,
            at,
            _width(sheet, name, title),
            book.add_format({"num_format": pattern or "General"}),
        )
        for row, value in _cells(sheet, name):
            if numeric:
                page.write_number(row, at, value)
            else:
                page.write_string(row, at, value)
    page.freeze_panes(1, shown.index("name") + 1)
    page.autofilter(0, 0, max(sheet.rows.height, 1), len(shown) - 1)
    page.repeat_rows(0)
    page.set_paper(9)  # A4
    page.fit_to_pages(1, 0)
    page.set_footer("&C&P / &N")


def _about(book: Any, sheet: ListSheet) -> None:
    page = book.add_worksheet("About")
    lines = [
        ("list", sheet.name),
        ("state", sheet.state),
        ("figures", sheet.face or None),
        ("policy", sheet.policy),
        ("system", sheet.system),
        ("time control", sheet.time_control),
        ("closing", sheet.closing.isoformat()),
        ("in force from", sheet.effective.isoformat() if sheet.effective else None),
        ("players", f"{sheet.rows.height:,}"),
    ]
    page.set_column(0, 0, 16)
    page.set_column(1, 1, WIDE)
    for row, (what, value) in enumerate((w, v) for w, v in lines if v is not None):
        page.write_string(row, 0, what)
        page.write_string(row, 1, plain_text(value))


def _cells(sheet: ListSheet, name: str) -> Iterator[tuple[int, Any]]:
    text = not COLUMNS[name].is_numeric()
    for row, value in enumerate(sheet.rows[name], start=1):
        if value is not None:
            yield row, plain_text(_year(name, value)) if text else value


def _year(name: str, value: str) -> str:
    return value[:4] if name == "birth" else value


def _width(sheet: ListSheet, name: str, title: str) -> int:
    longest = max(
        (len(str(v)) for _, v in zip(range(SAMPLE), sheet.rows[name], strict=False)), default=0
    )
    if name == "birth":
        longest = 4
    return min(max(len(title) + 3, longest + 1, NARROW), WIDE)  # 3: the filter's button
