"""Which events count otherwise after some rows have changed: their hashes are to be made anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from arpad.errors import UsageError
from arpad.office.records.merges import merged_ends
from arpad.store.ledger import tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy.engine import Connection

    from arpad.office.deciding.changes import Change

__all__ = ["check_boards", "events_of", "persons", "touched_events"]

CHUNK = 500
"""Numbers in one IN (…)."""

INTO = sa.select(tables.players.c.id).where(
    tables.players.c.merged_into.in_(sa.bindparam("players", expanding=True))
)
"""Made once, asked often."""


def touched_events(connection: Connection, changes: Iterable[Change]) -> list[int]:
    """Return the events whose games, or the persons and births of whose players, have changed."""
    games, players = set(), set()
    for change in changes:
        sides = {**(change.before or {}), **(change.after or {})}
        if change.table == "games":
            games.add(change.key["id"])
        elif change.table == "players" and {"birth", "merged_into"} & set(sides):
            players.add(change.key["id"])
    g = tables.games
    found: set[int] = set()
    for chunk in _chunks(sorted(games)):
        query = sa.select(g.c.event_id).where(g.c.id.in_(chunk)).distinct()
        found.update(connection.execute(query).scalars())
    return sorted(found | set(events_of(connection, persons(connection, sorted(players)))))


def persons(connection: Connection, players: Sequence[int]) -> list[int]:
    """Return these players, and all that were merged into them."""
    found, more = set(players), sorted(players)
    while more:
        new: set[int] = set()
        for chunk in _chunks(more):
            new.update(connection.execute(INTO, {"players": list(chunk)}).scalars())
        more = sorted(new - found)
        found |= new
    return sorted(found)


def events_of(connection: Connection, players: Sequence[int]) -> list[int]:
    """Return the events in which one of these players has a pairing."""
    g = tables.games
    found: set[int] = set()
    for chunk in _chunks(players):
        for side in (g.c.white_id, g.c.black_id):
            query = sa.select(g.c.event_id).where(side.in_(chunk)).distinct()
            found.update(connection.execute(query).scalars())
    return sorted(found)


def check_boards(connection: Connection, events: Sequence[int]) -> None:
    """Refuse a ledger in which somebody sits at both sides of a board of these events."""
    g, e = tables.games, tables.events
    ends = merged_ends(connection)
    for chunk in _chunks(events):
        query = sa.select(g.c.id, g.c.white_id, g.c.black_id, g.c.round, e.c.name)
        rows = connection.execute(
            query.join(e, e.c.id == g.c.event_id).where(g.c.event_id.in_(chunk)).order_by(g.c.id)
        )
        for row in rows:
            white = ends.get(row.white_id, row.white_id)
            if row.black_id is not None and white == ends.get(row.black_id, row.black_id):
                raise UsageError(
                    f"player {white} would sit at both sides of game {row.id} ({row.name}, round "
                    f"{row.round or '?'}): two who met are two persons; correct the game, or undo the merge first"
                )


def _chunks(numbers: Sequence[int]) -> list[Sequence[int]]:
    return [numbers[at : at + CHUNK] for at in range(0, len(numbers), CHUNK)]
