"""Whom and what a decision is about: players, events and games of the ledger by what people call them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from arpad.errors import UsageError
from arpad.ledger.db import tables
from arpad.ledger.db.tables import row_number
from arpad.ledger.register import fold

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

    from sqlalchemy.engine import Connection


SHOWN = 5
"""Candidates that a sentence names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A player of the ledger."""

    id: int
    name: str
    birth: str | None
    federation: str | None
    sex: str | None
    title: str | None
    merged_into: int | None

    @property
    def subject(self) -> str:
        """Return what the log calls it."""
        return f"player {self.id}"

    def called(self) -> str:
        """Return name and number, for people."""
        return f"{self.name} (#{self.id})"


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRow:
    """An event of the ledger."""

    id: int
    name: str
    start: date | None
    end: date | None
    time_control: str | None
    excluded: bool

    @property
    def subject(self) -> str:
        """Return what the log calls it."""
        return f"event {self.id}"

    def called(self) -> str:
        """Return name, year and number, for people."""
        day = self.end or self.start
        return f"{self.name}{f' {day.isoformat()}' if day else ''} (#{self.id})"


_p, _e = tables.players.c, tables.events.c
PERSONS = sa.select(_p.id, _p.name, _p.birth, _p.federation, _p.sex, _p.title, _p.merged_into)
PERSON = PERSONS.where(_p.id == sa.bindparam("player"))
EVENTS = sa.select(_e.id, _e.name, _e.start, _e.end, _e.time_control, _e.excluded)
"""Made once, asked often: to make a statement takes longer than to run it."""


def person(connection: Connection, number: int, *, standing: bool = False) -> Person:
    """Return a player by number.

    `standing`: Refuse one who was merged into another: a decision about him would be lost.
    """
    row = connection.execute(PERSON, {"player": row_number(number)}).one_or_none()
    if row is None:
        raise UsageError(f"expected a player of the ledger, found none with the number {number}")
    result = Person(**row._mapping)
    if standing and result.merged_into is not None:
        into = today(connection, number)
        raise UsageError(
            f"{result.called()} is player {into} now: decide about #{into}, or undo the merge first"
        )
    return result


def today(connection: Connection, number: int) -> int:
    """Return who a player is today: the end of the chain of merges."""
    p = tables.players
    seen = {number}
    while True:
        into = connection.execute(sa.select(p.c.merged_into).where(p.c.id == number)).scalar()
        if into is None or into in seen:
            return number
        seen.add(number := into)


def person_called(connection: Connection, text: str) -> Person:
    """Return the player of today whom a number, an id, a name or a part of one means.

    `#12` is the ledger's number, `fide:1503014` an id; digits alone are looked for in both.
    """
    wanted = text.strip()
    for step in (_by_number, _by_fold, _by_part):
        result = sorted({today(connection, number) for number in step(connection, wanted)})
        if len(result) == 1:
            return person(connection, result[0])
        if result:
            some = ", ".join(person(connection, n).called() for n in result[:SHOWN])
            raise UsageError(
                f"expected one player, found {len(result)} called {text!r}: {some}{', …' if len(result) > SHOWN else ''}; "
                "give #number, or more of the name"
            )
    raise UsageError(f"expected a player of the ledger, found nobody called {text!r}")


def _by_number(connection: Connection, text: str) -> list[int]:
    p, i = tables.players, tables.player_ids
    marked = re.fullmatch(r"#(\d{1,9})", text)
    if marked:
        return _numbers(connection, sa.select(p.c.id).where(p.c.id == int(marked[1])))
    scheme, colon, value = text.partition(":")
    if colon and re.fullmatch(r"[A-Za-z][\w-]*", scheme):
        query = sa.select(i.c.player_id).where(i.c.scheme == scheme.lower(), i.c.value == value.strip())
        return _numbers(connection, query)
    result = _numbers(connection, sa.select(i.c.player_id).where(i.c.value == text))
    if re.fullmatch(r"\d{1,9}", text):
        result += _numbers(connection, sa.select(p.c.id).where(p.c.id == int(text)))
    return result


def _by_fold(connection: Connection, text: str) -> list[int]:
    n, folded = tables.player_names, fold(text)
    if not folded:
        return []
    result = _numbers(connection, sa.select(n.c.player_id).where(n.c.fold == folded))
    if len({today(connection, number) for number in result}) > 1:  # Šimon or Simon: as it is written
        exact = _numbers(connection, sa.select(tables.players.c.id).where(tables.players.c.name == text))
        return exact or result
    return result


def _by_part(connection: Connection, text: str) -> list[int]:
    n, folded = tables.player_names, fold(text)
    if not folded:
        return []
    return _numbers(
        connection, sa.select(n.c.player_id).where(n.c.fold.contains(folded, autoescape=True)).limit(200)
    )


def _numbers(connection: Connection, query: sa.Select[Any]) -> list[int]:
    return [int(number) for number in connection.execute(query).scalars()]


def event_row(connection: Connection, number: int) -> EventRow:
    """Return an event by number."""
    result = _events(connection, tables.events.c.id == row_number(number))
    if not result:
        raise UsageError(f"expected an event of the ledger, found none with the number {number}")
    return result[0]


def event_called(connection: Connection, text: str) -> EventRow:
    """Return the event that a number (`12`, `#12`), a name or a part of one means."""
    wanted, e = text.strip(), tables.events
    number = re.fullmatch(r"#?(\d{1,9})", wanted)
    if number:
        return event_row(connection, int(number[1]))
    low = sa.func.lower(e.c.name)
    for where in (e.c.name == wanted, low.contains(wanted.lower(), autoescape=True)):
        result = _events(connection, where) if wanted else []
        if len(result) == 1:
            return result[0]
        if result:
            raise UsageError(
                f"expected one event, found {len(result)} called {text!r}: {_some(e.called() for e in result)}; give its number"
            )
    raise UsageError(f"expected an event of the ledger, found none called {text!r} (arpad ledger events)")


def _events(connection: Connection, where: sa.ColumnElement[bool]) -> list[EventRow]:
    rows = connection.execute(EVENTS.where(where).order_by(_e.id).limit(200))
    return [EventRow(**row._mapping) for row in rows]


def _some(words: Iterable[str]) -> str:
    named = list(words)
    return ", ".join(named[:SHOWN]) + (", …" if len(named) > SHOWN else "")
