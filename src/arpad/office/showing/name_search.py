"""Players by what somebody types: parts of a name in any order, another spelling, a number, an id."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from arpad.office.deciding.subjects import Person
from arpad.office.records.merges import merged_ends
from arpad.office.records.names import fold
from arpad.store.ledger import tables

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

__all__ = ["FoundPeople", "found_people", "named"]

WORDS = 6
"""Words that are looked at; a name has fewer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPeople:
    """Some of the players of today whom a text may mean, by name, and how many there are."""

    total: int
    people: tuple[Person, ...]


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


def found_people(
    connection: Connection, text: str = "", *, first: int = 0, most: int = 50
) -> FoundPeople:
    """Return players of today, listed or not; without a text everybody.

    Whoever is found by the name of one that was merged into him is found, too.
    """
    p = tables.players.c
    fits: list[sa.ColumnElement[bool]] = [p.merged_into.is_(None)]
    if text.strip():
        ends = merged_ends(connection) if _any_merged(connection) else {}
        gone = sa.select(p.id).where(p.merged_into.is_not(None), p.id.in_(named(text)))
        now = {ends[number] for number in connection.execute(gone).scalars()} if ends else set()
        fits.append(sa.or_(p.id.in_(named(text)), p.id.in_(now)))
    count = sa.select(sa.func.count()).select_from(tables.players).where(*fits)
    query = (
        sa.select(p.id, p.name, p.birth, p.federation, p.sex, p.title, p.merged_into)
        .where(*fits)
        .order_by(p.name, p.id)
        .offset(first)
        .limit(most)
    )
    return FoundPeople(
        total=int(connection.execute(count).scalar_one()),
        people=tuple(Person(**row._mapping) for row in connection.execute(query)),
    )


def _any_merged(connection: Connection) -> bool:
    p = tables.players.c
    query = sa.select(p.id).where(p.merged_into.is_not(None)).limit(1)
    return connection.execute(query).first() is not None
