"""Changes from list to list, a list as a file, and the preview before publishing."""

from __future__ import annotations

import json
import re
import threading
from typing import TYPE_CHECKING

import polars as pl
import sqlalchemy as sa
from fastapi import HTTPException

from arpad.ledger.db import tables
from arpad.ledger.list_making import publication_hash, to_be_published
from arpad.ledger.lists import entries_kept, kept_lists
from arpad.ledger.policy import kept_policies
from arpad.ledger.queries.lists import Wanted, entries_at, list_diff, list_rows, places
from arpad.ledger.register import fold
from arpad.publish.export.rating_list import ListSheet, export_bytes
from arpad.web.views.list_parts import (
    PAGE,
    ChangeRow,
    ChangesPage,
    CorrectedRow,
    CorrectionRow,
    CorrectionsPage,
    FilterChoice,
    ListEntryRow,
    PublishPage,
    about,
    earlier_of,
    facts_of,
    line,
    list_href,
    paged,
)

if TYPE_CHECKING:
    from arpad.ledger.lists import KeptList
    from arpad.ledger.queries.lists import ListDiff
    from arpad.web.page import RequestContext


MOST_OTHERS = 60  # lists of other policies that may be chosen


def changes_page(ctx: RequestContext, kept: KeptList, since: str, q: str, page: int) -> ChangesPage:
    """Return what is other than on an earlier list; without its name, than on the one before."""
    connection = ctx.connection
    earlier = earlier_of(kept_lists(connection, kept.policy), kept)
    chosen = [each for each in earlier if since in ("", each.name)]
    others = [
        each
        for each in facts_of(ctx).lists
        if not each.number and each.policy != kept.policy and each.closing <= kept.closing
    ][-MOST_OTHERS:]
    choices = [
        FilterChoice(value=f"{e.policy}/{e.name}", text=f"{e.policy}, {e.name}") for e in reversed(others)
    ]
    chosen = chosen or [each for each in others if since == f"{each.policy}/{each.name}"]
    if since and not chosen:
        raise HTTPException(404, f"no list of {kept.policy} before {kept.name} is called {since}")
    head = about(ctx, kept)
    names = [each.name for each in earlier]
    path = list_href(kept.policy, kept.name, "changes")
    if not chosen:
        return ChangesPage(
            about=head,
            since=None,
            earlier=names,
            others=choices,
            q=q,
            changed=0,
            new=0,
            gone=0,
            rows=[],
            pager=paged(path, {}, 1, 0),
        )
    first = chosen[0]
    diff: ListDiff = ctx.cached(("diff", first.id, kept.id), lambda: list_diff(connection, first, kept))
    rows = _named(diff.rows, q)
    pager = paged(path, {"since": since, "q": q}, page, rows.height)
    shown = rows.slice((pager.page - 1) * PAGE, PAGE).rename({"player_id": "id"})
    both = diff.rows["difference"].drop_nulls()
    return ChangesPage(
        about=head,
        since=first.name if first.policy == kept.policy else f"{first.policy}/{first.name}",
        earlier=names,
        others=choices,
        q=q,
        changed=int((both != 0).sum()),
        new=diff.rows["before"].null_count(),
        gone=diff.rows["rating"].null_count(),
        rows=[ChangeRow(**row) for row in shown.iter_rows(named=True)],
        pager=pager,
    )


def _named(rows: pl.DataFrame, q: str) -> pl.DataFrame:
    """Return the rows of players in whose name every word is found."""
    words = fold(q).split()
    if not words:
        return rows
    return rows.filter([all(w in fold(name) for w in words) for name in rows["name"]])


def corrections_page(ctx: RequestContext, kept: KeptList) -> CorrectionsPage:
    """Return the corrections of a list, the newest first."""
    result = [each for each in facts_of(ctx).lists if each.corrects == kept.id]
    return CorrectionsPage(
        about=about(ctx, kept), corrections=[correction_of(ctx, each) for each in reversed(result)]
    )


def correction_of(ctx: RequestContext, kept: KeptList) -> CorrectionRow:
    """Return one correction, its largest differences first."""
    rows = entries_kept(ctx.connection, kept).head(PAGE)
    return CorrectionRow(
        line=line(kept),
        rows=[
            CorrectedRow.of(row, id=row["player_id"], difference=row["change"])
            for row in rows.iter_rows(named=True)
        ],
    )


KINDS = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "txt": "text/plain; charset=utf-8",
    "xml": "application/xml",
    "html": "text/html; charset=utf-8",
    "pdf": "application/pdf",
    "json": "application/json",
}
"""Media type of each format."""
QUICK_KINDS = ("csv", "json")
MANY_PLAYERS = 10_000
"""Players of a list whose other formats take seconds: only for those who have signed in."""
PDF_PLAYERS = 500  # players of a PDF that is made while somebody waits: about ten pages, some seconds
_one_at_a_time = threading.Lock()
"""Long lists take seconds of a processor: readers of pages keep the other one."""


def takes_seconds(kept: KeptList, format: str) -> bool:
    """Say whether a file takes seconds to make."""
    return format == "pdf" or (
        format not in QUICK_KINDS and int(kept.figures.get("listed", 0)) > MANY_PLAYERS
    )


def list_file(ctx: RequestContext, kept: KeptList, format: str, *, as_published: bool) -> bytes:
    """Return a list as a file; a PDF has the first players only."""
    key = ("file", kept.id, format, as_published)
    return ctx.cached(key, lambda: _made(ctx, kept, format, as_published))  # type: ignore[no-any-return]


def _made(ctx: RequestContext, kept: KeptList, format: str, as_published: bool) -> bytes:
    with _one_at_a_time:
        rows = list_rows(ctx.connection, kept, corrected=not as_published)
        rules = next(p for p in kept_policies(ctx.connection) if p.id == kept.policy_id)
        told = {name: getattr(kept, name) for name in ("name", "policy", "closing", "effective", "state")}
        system, control = str(rules.document.get("system") or "") or None, rules.document.get("time_control")
        sheet = ListSheet(**told, system=system, time_control=control, rows=rows)
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


TOP = 10


def preview_page(ctx: RequestContext, kept: KeptList) -> PublishPage:
    """Return the draft as it would be frozen, and the proposed corrections that would go with it."""
    connection = ctx.connection
    wanted = to_be_published(connection, kept)
    proposed = [each for each in wanted if each.number]
    draft = kept.published is None
    n = tables.entries.c
    here = n.list_id == kept.id

    def count(*fits: sa.ColumnElement[bool]) -> int:
        query = sa.select(sa.func.count()).where(here, n.rank.is_not(None), *fits)
        return int(connection.execute(query).scalar_one())

    top = entries_at(connection, kept, places(connection, kept, Wanted(), most=TOP)) if draft else []
    return PublishPage(
        about=about(ctx, kept),
        freezes=line(kept) if draft else None,
        corrections=[correction_of(ctx, each) for each in proposed],
        nothing=not draft and not proposed,
        seen=publication_hash(connection, wanted),
        leaders=[ListEntryRow.of(row, id=row["player_id"]) for row in top],
        changed=count(n.change != 0) if draft else 0,
        new=count(n.change.is_(None)) if draft else 0,
    )
