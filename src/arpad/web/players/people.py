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


_i, _n, _o, _e, _t = (
    t.c
    for t in (tables.player_ids, tables.player_names, tables.norms, tables.events, tables.titles)
)
_numbers: sa.BindParameter[int] = sa.bindparam("numbers", expanding=True)

IDS = sa.select(_i.scheme, _i.value).where(_i.player_id.in_(_numbers)).order_by(_i.scheme, _i.value)
NAMES = sa.select(_n.name).where(_n.player_id.in_(_numbers)).order_by(_n.player_id, _n.name)
NORMS = (
    sa.select(_o.title, _o.event_id, _e.name, _e.end, _o.rules, _o.verdict)
    .join(tables.events, _e.id == _o.event_id)
    .where(_o.player_id.in_(_numbers))
    .order_by(_e.end, _o.id)
)
TITLES = (
    sa.select(_t.title, _t.date, _t.rules, _t.because)
    .where(_t.player_id.in_(_numbers))
    .order_by(_t.date, _t.id)
)
"""Made once, asked for every player."""


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
    asked = {"numbers": list(numbers)}
    spelled = dict.fromkeys(connection.execute(NAMES, asked).scalars())
    return Identity(
        id=who.id, name=who.name, title=who.title, federation=who.federation, birth=who.birth, sex=who.sex,
        ids=[OtherId(scheme=s, value=v) for s, v in connection.execute(IDS, asked)],
        names=[name for name in spelled if name != who.name],
        merged=[Namesake(id=m, name=person(connection, m).name) for m in numbers[1:]],
    )  # fmt: skip


def norms_of(connection: Connection, numbers: Sequence[int]) -> list[NormLine]:
    """Return the norms that the ledger has recorded."""
    return [
        NormLine(
            title=row.title, event_id=row.event_id, event=row.name, end=row.end, rules=row.rules,
            score=(row.verdict or {}).get("score"), games=(row.verdict or {}).get("games"),
            granted="granted_by" in (row.verdict or {}),
        )
        for row in connection.execute(NORMS, {"numbers": list(numbers)})
    ]  # fmt: skip


def titles_of(connection: Connection, numbers: Sequence[int]) -> list[TitleLine]:
    """Return the titles that the ledger has recorded."""
    return [
        TitleLine(
            title=row.title,
            day=row.date,
            rules=row.rules,
            because=str((row.because or {}).get("words", "")),
        )
        for row in connection.execute(TITLES, {"numbers": list(numbers)})
    ]


def decided(connection: Connection, numbers: Sequence[int]) -> list[DecisionLine]:
    """Return the decisions about somebody, the newest first."""
    return [
        DecisionLine(
            id=d.id, when=d.when, who=d.who, what=d.words(), why=d.why, undone=not d.in_effect
        )
        for d in decisions_about(connection, [f"player {n}" for n in numbers])
    ]
