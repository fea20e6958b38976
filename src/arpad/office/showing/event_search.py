"""Events looked for: by words of the name, time control and year; a page of them at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from arpad.office.records.names import fold
from arpad.store.ledger import tables

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from sqlalchemy.engine import Connection

__all__ = ["EventIndex", "EventLine", "event_index", "event_lines"]

CHUNK = 500


@dataclass(frozen=True, slots=True)
class Entry:
    """What an event is found by."""

    id: int
    words: str
    time_control: str
    year: int | None


@dataclass(frozen=True, slots=True)
class EventIndex:
    """Every event, the last first: small enough to be kept, and searched without the database."""

    entries: tuple[Entry, ...]

    def years(self) -> list[int]:
        """Return the years in which events ended, the last first."""
        return sorted({e.year for e in self.entries if e.year is not None}, reverse=True)

    def found(
        self, text: str = "", *, time_control: str | None = None, year: int | None = None
    ) -> list[int]:
        """Return the numbers of the events that have all words of a text in their name, site or year.

        Case and accents do not matter; `#12` is the number of an event.
        """
        mark = text.strip().removeprefix("#")
        if text.strip().startswith("#") and mark.isascii() and mark.isdigit():
            return [e.id for e in self.entries if e.id == int(mark)]
        wanted = fold(text).split()
        return [
            e.id
            for e in self.entries
            if (time_control is None or e.time_control == time_control)
            and (year is None or e.year == year)
            and all(word in e.words for word in wanted)
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class EventLine:
    """One event in a list of many."""

    id: int
    name: str
    site: str | None
    start: date | None
    end: date | None
    time_control: str | None
    games: int
    excluded: bool
    waiting: int
    """Things in the queue that are about it."""


def event_index(connection: Connection) -> EventIndex:
    """Return what all events are found by."""
    e = tables.events.c
    rows = connection.execute(
        sa.select(e.id, e.name, e.site, e.time_control, e.start, e.end).order_by(
            sa.func.coalesce(e.end, e.start).desc().nulls_last(), e.id.desc()
        )
    )
    found = []
    for number, name, site, control, start, end in rows:
        day = end or start
        words = f"{name} {site or ''} {day.year if day else ''}"
        found.append(Entry(number, fold(words), control or "standard", day.year if day else None))
    return EventIndex(tuple(found))


def event_lines(connection: Connection, numbers: Sequence[int]) -> list[EventLine]:
    """Return events by their numbers, in the order of these."""
    e, g, d = tables.events.c, tables.games.c, tables.doubts.c
    games = sa.select(sa.func.count()).where(g.event_id == e.id).scalar_subquery()
    columns = (
        e.id, e.name, e.site, e.start, e.end, e.time_control, e.excluded, games.label("games")
    )  # fmt: skip
    found: dict[int, EventLine] = {}
    for at in range(0, len(numbers), CHUNK):
        some = list(numbers[at : at + CHUNK])
        open_ = sa.select(d.event_id, sa.func.count()).where(
            d.event_id.in_(some), d.settled_by.is_(None)
        )
        waiting: dict[int, int] = {
            int(event): int(count)
            for event, count in connection.execute(open_.group_by(d.event_id))
        }
        for row in connection.execute(sa.select(*columns).where(e.id.in_(some))):
            found[row.id] = EventLine(**row._mapping, waiting=waiting.get(row.id, 0))
    return [found[number] for number in numbers if number in found]
