"""Players by what somebody types: parts of a name in any order, another spelling, a number, an id."""

from __future__ import annotations

import re
from typing import Any

import sqlalchemy as sa

from arpad.office.records.names import fold
from arpad.store.ledger import tables

__all__ = ["named"]

WORDS = 6
"""Words that are looked at; a name has fewer."""


def named(text: str) -> sa.Select[Any] | sa.CompoundSelect[Any]:
    """Return a query for the numbers of the players whom a text may mean, merged ones too.

    Every word has to be in one and the same spelling of the name, wherever; `#12` is the ledger's number,
    and whatever has no blank in it may be an id.
    """
    p, i, n = tables.players, tables.player_ids, tables.player_names
    wanted = text.strip()
    marked = re.fullmatch(r"#(\d{1,9})", wanted)
    if marked:
        return sa.select(p.c.id).where(p.c.id == int(marked[1]))
    scheme, _, value = wanted.rpartition(":")
    by_id = sa.select(i.c.player_id).where(i.c.value == value.strip())
    if scheme:
        by_id = by_id.where(i.c.scheme == scheme.strip().lower())
    words = fold(wanted).split()[:WORDS]
    if not words:
        return by_id
    holds = [n.c.fold.contains(word, autoescape=True) for word in words]
    return sa.union(by_id, sa.select(n.c.player_id).where(*holds))
