"""Every format in which a rating list goes out, by the name it has on the command line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

import polars as pl

from arpad.errors import UsageError
from arpad.publish.atomic import write_bytes
from arpad.publish.list_csv import list_csv
from arpad.publish.list_fide import fide_losses, list_fide_txt, list_fide_xml
from arpad.publish.list_page import list_html, list_pdf
from arpad.publish.list_xlsx import list_xlsx

if TYPE_CHECKING:
    from collections.abc import Callable

    from arpad.publish.list_sheet import ListSheet

__all__ = ["EXPORTS", "Ids", "export_bytes", "export_format", "export_list"]

Ids = Literal["fide", "ledger"]
"""Whose ids FIDE's layouts carry: FIDE's where they are known, or the ledger's numbers for everybody."""

EXPORTS: dict[str, Callable[[ListSheet], bytes]] = {
    "csv": list_csv,
    "xlsx": list_xlsx,
    "txt": list_fide_txt,
    "xml": list_fide_xml,
    "html": list_html,
    "pdf": list_pdf,
}
"""What makes a file of a list; the same list gives the same bytes."""
ENDINGS = {"htm": "html"}


def export_format(path: str | Path) -> str:
    """Return the format that a file's name asks for.

    Examples
    --------
    >>> export_format("lists/2026-11.XLSX")
    'xlsx'
    """
    ending = Path(path).suffix.lower().removeprefix(".")
    found = ENDINGS.get(ending, ending)
    if found not in EXPORTS:
        raise UsageError(
            f"expected a file that ends in .{', .'.join(EXPORTS)}, found {str(path)!r}: "
            "name the format with --as where the file is called otherwise"
        )
    return found


def export_bytes(sheet: ListSheet, format: str, *, ids: Ids = "fide") -> tuple[bytes, list[str]]:
    """Return a list in some format, and what that format could not carry."""
    if format not in EXPORTS:
        raise UsageError(f"expected a format, one of {', '.join(EXPORTS)}; found {format!r}")
    if ids not in get_args(Ids):
        raise UsageError(f"expected --ids fide or ledger, found {ids!r}")
    fide = format in ("txt", "xml")
    lost = fide_losses(sheet, text=format == "txt") if fide else []
    if fide and ids == "ledger":
        lost = [words for words in lost if "for want of an id" not in words]
        sheet = replace(sheet, rows=sheet.rows.with_columns(pl.lit(None, pl.String).alias("id")))
    return EXPORTS[format](sheet), lost


def export_list(
    sheet: ListSheet, path: str | Path, *, format: str | None = None, ids: Ids = "fide"
) -> list[str]:
    """Write a list, whole or not at all; return what the format could not carry."""
    data, lost = export_bytes(sheet, format or export_format(path), ids=ids)
    write_bytes(path, data)
    return lost
