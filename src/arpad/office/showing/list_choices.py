"""What may be chosen on a list: the federations, titles and marks that stand on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from arpad.store.ledger import tables

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from arpad.office.making.lists import KeptList

__all__ = ["Choices", "choices", "known_of_players"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What may be chosen on a list: federations, titles and marks that stand on it, with how many have them."""

    federations: dict[str, int]
    titles: dict[str, int]
    statuses: dict[str, int]


def choices(connection: Connection, kept: KeptList) -> Choices:
    """Return what there is to choose from."""
    n = tables.entries
    query = (
        sa.select(n.c.federation, n.c.title, n.c.status, sa.func.count().label("players"))
        .where(n.c.list_id == kept.id)
        .group_by(n.c.federation, n.c.title, n.c.status)
        .order_by(n.c.federation, n.c.title, n.c.status)
    )
    counts: tuple[dict[str, int], ...] = ({}, {}, {})
    for *values, players in connection.execute(query):
        for value, into in zip(values, counts, strict=True):
            if value:
                into[value] = into.get(value, 0) + players
    federations, titles, statuses = (dict(sorted(c.items())) for c in counts)
    return Choices(federations=federations, titles=titles, statuses=statuses)


def known_of_players(connection: Connection) -> frozenset[str]:
    """Return what is known of anybody: `sex`, `birth`."""
    p = tables.players
    return frozenset(
        name
        for name in ("sex", "birth")
        if connection.execute(sa.select(p.c.id).where(p.c[name].is_not(None)).limit(1)).first()
    )
