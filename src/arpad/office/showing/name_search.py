"""Players by what somebody types: parts of a name in any order, another spelling, a number, an id."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from arpad.office.deciding.subjects import Person, today
from arpad.office.records.names import fold
from arpad.store.ledger import tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.engine import Connection

__all__ = ["FoundPeople", "found_people", "named"]

WORDS = 6
"""Words that are looked at; a name has fewer."""


_p = tables.players.c
PEOPLE = sa.select(_p.id, _p.name, _p.birth, _p.federation, _p.sex, _p.title, _p.merged_into).where(
    _p.id.in_(sa.bindparam("shown", expanding=True))
)


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
    connection: Connection,
    text: str = "",
    *,
    first: int = 0,
    most: int = 50,
    among: Sequence[int] | None = None,
) -> FoundPeople:
    """Return players of today, listed or not; without a text everybody.

    Whoever is found by the name of one that was merged into him is found, too.

    Parameters
    ----------
    among
        Who fits the text, by name, where somebody knows that already (`NameIndex.people`).
    """
    p = tables.players.c
    if among is not None:
        total, shown = len(among), list(among[first : first + most])
    elif not text.strip():
        whole = sa.select(sa.func.count()).where(p.merged_into.is_(None))
        some = sa.select(p.id).where(p.merged_into.is_(None)).order_by(p.name, p.id)
        total = int(connection.execute(whole).scalar_one())
        shown = list(connection.execute(some.offset(first).limit(most)).scalars())
    else:
        fit = sa.select(p.id, p.merged_into).where(p.id.in_(named(text))).order_by(p.name, p.id)
        now = {
            row.id if row.merged_into is None else today(connection, row.id): None
            for row in connection.execute(fit)
        }
        total, shown = len(now), list(now)[first : first + most]
    rows = connection.execute(PEOPLE, {"shown": shown})
    people = {row.id: Person(**row._mapping) for row in rows}
    return FoundPeople(total=total, people=tuple(people[number] for number in shown))
