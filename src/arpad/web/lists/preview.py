"""What publishing a list would freeze, before anybody confirms it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from arpad.office.making.lists import kept_lists
from arpad.office.showing.list_search import Wanted, entries_at, places
from arpad.store.ledger import tables
from arpad.web.lists.about import about, line
from arpad.web.lists.changes import correction_of
from arpad.web.lists.contexts import Entry, Preview

if TYPE_CHECKING:
    from arpad.office.making.lists import KeptList
    from arpad.web.asking import Asking

__all__ = ["preview_page"]

TOP = 10


def preview_page(asked: Asking, kept: KeptList) -> Preview:
    """Return the draft as it would be frozen, and the proposed corrections that would go with it."""
    connection = asked.connection
    proposed = [
        each
        for each in kept_lists(connection, kept.policy)
        if each.number and each.published is None and each.closing <= kept.closing
    ]
    draft = kept.published is None
    n = tables.entries.c
    here = n.list_id == kept.id

    def count(*fits: sa.ColumnElement[bool]) -> int:
        query = sa.select(sa.func.count()).where(here, n.rank.is_not(None), *fits)
        return int(connection.execute(query).scalar_one())

    top = (
        entries_at(connection, kept, places(connection, kept, Wanted(), most=TOP)) if draft else []
    )
    return Preview(
        about=about(asked, kept),
        freezes=line(kept) if draft else None,
        corrections=[correction_of(asked, each) for each in proposed],
        nothing=not draft and not proposed,
        leaders=[Entry(id=row.pop("player_id"), **row) for row in top],
        changed=count(n.change != 0) if draft else 0,
        new=count(n.change.is_(None)) if draft else 0,
    )
