"""What changed from list to list, and what corrections say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
from fastapi import HTTPException

from arpad.office.making.lists import corrections_of, entries_kept, kept_lists
from arpad.office.records.names import fold
from arpad.office.showing.list_diff import list_diff
from arpad.web.lists.about import about, earlier_of, line
from arpad.web.lists.addresses import PAGE, list_href, paged
from arpad.web.lists.contexts import Change, Changes, Corrected, Correction, Corrections

if TYPE_CHECKING:
    from arpad.office.making.lists import KeptList
    from arpad.office.showing.list_diff import ListDiff
    from arpad.web.asking import Asking

__all__ = ["changes_page", "correction_of", "corrections_page"]


def changes_page(asked: Asking, kept: KeptList, since: str, q: str, page: int) -> Changes:
    """Return what is other than on an earlier list; without its name, than on the one before."""
    connection = asked.connection
    earlier = earlier_of(kept_lists(connection, kept.policy), kept)
    chosen = [each for each in earlier if since in ("", each.name)]
    if since and not chosen:
        raise HTTPException(404, f"no list of {kept.policy} before {kept.name} is called {since}")
    head = about(asked, kept)
    names = [each.name for each in earlier]
    path = list_href(kept.policy, kept.name, "changes")
    if not chosen:
        return Changes(
            about=head, since=None, earlier=names, q=q, changed=0, new=0, gone=0, rows=[],
            pager=paged(path, {}, 1, 0),
        )  # fmt: skip
    first = chosen[0]
    diff: ListDiff = asked.remembered(
        ("diff", first.id, kept.id), lambda: list_diff(connection, first, kept)
    )
    rows = _named(diff.rows, q)
    pager = paged(path, {"since": since, "q": q}, page, rows.height)
    shown = rows.slice((pager.page - 1) * PAGE, PAGE).rename({"player_id": "id"})
    both = diff.rows["difference"].drop_nulls()
    return Changes(
        about=head,
        since=first.name,
        earlier=names,
        q=q,
        changed=int((both != 0).sum()),
        new=diff.rows["before"].null_count(),
        gone=diff.rows["rating"].null_count(),
        rows=[Change(**row) for row in shown.iter_rows(named=True)],
        pager=pager,
    )


def _named(rows: pl.DataFrame, q: str) -> pl.DataFrame:
    """Return the rows of players in whose name every word is found."""
    words = fold(q).split()
    if not words:
        return rows
    return rows.filter([all(w in fold(name) for w in words) for name in rows["name"]])


def corrections_page(asked: Asking, kept: KeptList) -> Corrections:
    """Return the corrections of a list, the newest first."""
    found = corrections_of(asked.connection, kept)
    return Corrections(
        about=about(asked, kept),
        corrections=[correction_of(asked, each) for each in reversed(found)],
    )


def correction_of(asked: Asking, kept: KeptList) -> Correction:
    """Return one correction, its largest differences first."""
    rows = entries_kept(asked.connection, kept).head(PAGE)
    return Correction(
        line=line(kept),
        rows=[
            Corrected(
                id=row["player_id"], name=row["name"], published=row["published"], rating=row["rating"],
                difference=row["change"], cause=row["cause"],
            )
            for row in rows.iter_rows(named=True)
        ],
    )  # fmt: skip
