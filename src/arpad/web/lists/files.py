"""A list as a file: every format of `arpad list export`, and JSON."""

from __future__ import annotations

import json
import re
import threading
from typing import TYPE_CHECKING

from arpad.office.rules.policies import kept_policies
from arpad.office.showing.list_rows import list_rows
from arpad.publish.list_export import export_bytes
from arpad.publish.list_sheet import ListSheet

if TYPE_CHECKING:
    from arpad.office.making.lists import KeptList
    from arpad.web.asking import Asking

__all__ = ["KINDS", "PDF_PLAYERS", "file_name", "list_file"]

KINDS = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "txt": "text/plain; charset=utf-8",
    "xml": "application/xml",
    "html": "text/html; charset=utf-8",
    "pdf": "application/pdf",
    "json": "application/json",
}
"""What each format is called by servers."""

PDF_PLAYERS = 500
"""Players of a PDF that is made while somebody waits: about ten pages, some seconds."""

_one_at_a_time = threading.Lock()
"""Long lists take seconds of a processor: readers of pages keep the other one."""


def list_file(asked: Asking, kept: KeptList, format: str, *, as_published: bool) -> bytes:
    """Return a list as a file; a PDF has the first players only."""
    key = ("file", kept.id, format, as_published)
    return asked.remembered(key, lambda: _made(asked, kept, format, as_published))  # type: ignore[no-any-return]


def _made(asked: Asking, kept: KeptList, format: str, as_published: bool) -> bytes:
    with _one_at_a_time:
        rows = list_rows(asked.connection, kept, corrected=not as_published)
        rules = next(p for p in kept_policies(asked.connection) if p.id == kept.policy_id)
        sheet = ListSheet(
            name=kept.name,
            policy=kept.policy,
            system=str(rules.document.get("system") or "") or None,
            time_control=rules.document.get("time_control"),
            closing=kept.closing,
            effective=kept.effective,
            state=kept.state,
            rows=rows,
        )
        if format == "json":
            return _json(sheet)
        return export_bytes(sheet.top(PDF_PLAYERS) if format == "pdf" else sheet, format)[0]


def _json(sheet: ListSheet) -> bytes:
    head = {
        "name": sheet.name,
        "policy": sheet.policy,
        "system": sheet.system,
        "state": sheet.state,
        "closing": sheet.closing.isoformat(),
        "effective": sheet.effective.isoformat() if sheet.effective else None,
        "players": sheet.rows.select(sheet.shown()).to_dicts(),
    }
    return json.dumps(head, ensure_ascii=False).encode(errors="replace")


def file_name(kept: KeptList, format: str) -> str:
    """Return what a browser calls the file: letters, digits and dashes only."""
    plain = re.sub(r"[^A-Za-z0-9]+", "-", f"{kept.policy}-{kept.name}").strip("-").lower()
    draft = "-draft" if kept.state == "draft" else ""
    return f"{plain or 'list'}{draft}.{format}"
