"""A rating list as CSV: every column, every digit, for programs and spreadsheets."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arpad.publish.list_sheet import ListSheet

__all__ = ["list_csv"]


def list_csv(sheet: ListSheet) -> bytes:
    """Return the list as CSV in UTF-8; columns are the same whatever is known."""
    return sheet.rows.write_csv().encode(errors="replace")
