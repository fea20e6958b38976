"""A rating list as a page: HTML in one file, fit to print, and the same as PDF."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Any

from arpad.errors import UsageError
from arpad.publish.list_sheet import COLUMNS, plain_text
from arpad.publish.tables import HEADINGS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arpad.publish.list_sheet import ListSheet

__all__ = ["list_html", "list_pdf"]

LEFT_OUT = ("number", "sex", "k")
"""Columns that a notice board does not need."""
SHORT = {"total_games": "in all", "federation": "fed.", "deviation": "±", "birth": "born"}
SIGNED = ("change",)
MOST = 2000
"""Players of a PDF: about forty pages, and half a minute."""


def list_html(sheet: ListSheet) -> bytes:
    """Return the list as HTML: no script, no network, light and dark."""
    return _page(sheet).encode(errors="replace")


def list_pdf(sheet: ListSheet) -> bytes:
    """Return the list as PDF, A4."""
    from arpad.publish.pdf import pdf

    if sheet.rows.height > MOST:
        raise UsageError(
            f"expected at most {MOST:,} players for a PDF, found {sheet.rows.height:,}: --top {MOST} gives the "
            "first of them, HTML and XLSX give all"
        )
    return pdf(_page(sheet))


def _page(sheet: ListSheet) -> str:
    import jinja2

    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True
    )
    template = environment.from_string(
        (files("arpad.publish") / "templates" / "rating_list.html").read_text("utf-8")
    )
    names = [c for c in sheet.shown() if c not in LEFT_OUT]
    whole = {
        c: COLUMNS[c].is_integer() or bool((sheet.rows[c] == sheet.rows[c].round(0)).all())
        for c in names
        if COLUMNS[c].is_numeric()
    }
    columns = [
        {
            "name": c,
            "text": SHORT.get(c, HEADINGS.get(c, c.replace("_", " "))),
            "numeric": c in whole,
        }
        for c in names
    ]
    cells = [_texts(sheet.rows[c].to_list(), c, whole.get(c)) for c in names]
    return template.render(
        title=plain_text(sheet.heading()),
        subtitle=plain_text(sheet.subtitle()),
        mark=sheet.mark(),
        columns=columns,
        rows=list(zip(*cells, strict=True)),
        created=sheet.closing.isoformat(),
    )


def _texts(values: Sequence[Any], name: str, whole: bool | None) -> list[str]:
    if whole is None:
        return [plain_text(v[:4] if name == "birth" and v else v) for v in values]
    sign = "+" if name in SIGNED else ""
    form = f"{sign}.{0 if whole else 1}f"
    return ["" if v is None else _number(float(v), form) for v in values]


def _number(value: float, form: str) -> str:
    text = format(value, form)
    plain = text.strip("+-0.") == ""  # no +0, no −0.0
    return text.lstrip("+-") if plain else text.replace("-", "−")
