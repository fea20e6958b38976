"""What pages need of the lists, kept until one is made or published: other writers do not change it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from arpad.office.showing.courses import ListFacts, list_facts
from arpad.store.ledger import tables

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from arpad.web.asking import Asking

__all__ = ["facts_of", "lists_stamp"]

_t, _p, _r = tables.lists.c, tables.policies.c, tables.runs.c
STAMP = sa.select(
    sa.func.max(_t.id).label("last"),
    sa.func.count(_t.id).label("count"),
    sa.func.max(_t.made).label("made"),
    sa.func.count(_t.published).label("published"),
    sa.select(sa.func.max(_p.id)).scalar_subquery().label("policy"),
    sa.select(sa.func.max(_r.id)).scalar_subquery().label("run"),
)


def lists_stamp(connection: Connection) -> tuple[Any, ...]:
    """Return what changes whenever a list or a policy does."""
    return ("lists", *connection.execute(STAMP).one())


def facts_of(asked: Asking) -> ListFacts:
    """Return lists, policies and runs as they stand."""
    stamp = lists_stamp(asked.connection)
    return asked.remembered(("facts",), lambda: list_facts(asked.connection), of=stamp)  # type: ignore[no-any-return]
