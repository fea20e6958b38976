"""Who somebody is, what he holds, and what was decided about him."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa
from fastapi import HTTPException

from arpad.errors import UsageError
from arpad.office.deciding.log_search import decisions_about
from arpad.office.deciding.subjects import Person, person, today
from arpad.office.deciding.touched import persons
from arpad.store.ledger import tables
from arpad.web.players.contexts import (
    DecisionLine,
    Identity,
    Namesake,
    NormLine,
    OtherId,
    TitleLine,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapi import Request
    from sqlalchemy.engine import Connection

__all__ = [
    "decided",
    "identity",
    "norms_of",
    "numbers_of",
    "player_asked",
    "player_now",
    "titles_of",
]


def player_asked(request: Request, connection: Connection, number: int) -> Person:
    """Return the player of an address; who was merged is found under the number that he has now."""
    try:
        who = person(connection, number)
    except UsageError:
        raise HTTPException(404, f"there is no player {number} in this ledger") from None
    if who.merged_into is None:
        return who
    now = today(connection, number)
    path = request.url.path.replace(f"/players/{number}", f"/players/{now}", 1)
    query = f"?{request.url.query}" if request.url.query else ""
    to = {"Location": f"{path}{query}"}
    raise HTTPException(307, f"player {number} is player {now} now", headers=to)


def player_now(connection: Connection, number: int) -> Person:
    """Return a player as he is today; 404: there is none."""
    try:
        return person(connection, today(connection, number))
    except UsageError:
        raise HTTPException(404, f"there is no player {number} in this ledger") from None


def numbers_of(connection: Connection, who: Person) -> list[int]:
    """Return a player's number, then those of all who were merged into him."""
    return [who.id, *(n for n in persons(connection, [who.id]) if n != who.id)]


def identity(connection: Connection, who: Person, numbers: Sequence[int]) -> Identity:
    """Return who somebody is."""
    i, n = tables.player_ids.c, tables.player_names.c
    ids = sa.select(i.scheme, i.value).where(i.player_id.in_(numbers)).order_by(i.scheme, i.value)
    names = sa.select(n.name).where(n.player_id.in_(numbers)).order_by(n.player_id, n.name)
    spelled = dict.fromkeys(connection.execute(names).scalars())
    return Identity(
        id=who.id, name=who.name, title=who.title, federation=who.federation, birth=who.birth, sex=who.sex,
        ids=[OtherId(scheme=s, value=v) for s, v in connection.execute(ids)],
        names=[name for name in spelled if name != who.name],
        merged=[Namesake(id=m, name=person(connection, m).name) for m in numbers[1:]],
    )  # fmt: skip


def norms_of(connection: Connection, numbers: Sequence[int]) -> list[NormLine]:
    """Return the norms that the ledger has recorded."""
    n, e = tables.norms.c, tables.events.c
    query = (
        sa.select(n.title, n.event_id, e.name, e.end, n.rules, n.verdict)
        .join(tables.events, e.id == n.event_id)
        .where(n.player_id.in_(numbers))
        .order_by(e.end, n.id)
    )
    return [
        NormLine(
            title=row.title, event_id=row.event_id, event=row.name, end=row.end, rules=row.rules,
            score=(row.verdict or {}).get("score"), games=(row.verdict or {}).get("games"),
            granted="granted_by" in (row.verdict or {}),
        )
        for row in connection.execute(query)
    ]  # fmt: skip


def titles_of(connection: Connection, numbers: Sequence[int]) -> list[TitleLine]:
    """Return the titles that the ledger has recorded."""
    t = tables.titles.c
    query = sa.select(t.title, t.date, t.rules, t.because).where(t.player_id.in_(numbers))
    return [
        TitleLine(
            title=row.title,
            day=row.date,
            rules=row.rules,
            because=str((row.because or {}).get("words", "")),
        )
        for row in connection.execute(query.order_by(t.date, t.id))
    ]


def decided(connection: Connection, numbers: Sequence[int]) -> list[DecisionLine]:
    """Return the decisions about somebody, the newest first."""
    return [
        DecisionLine(
            id=d.id, when=d.when, who=d.who, what=d.words(), why=d.why, undone=not d.in_effect
        )
        for d in decisions_about(connection, [f"player {n}" for n in numbers])
    ]
