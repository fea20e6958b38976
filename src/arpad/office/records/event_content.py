"""What counts in the events of the ledger today, as one hash an event."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import sqlalchemy as sa

from arpad.office.records.event_hash import GAME_FIELDS, contents
from arpad.office.records.register import Register, among
from arpad.store.ledger import tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.engine import Connection

__all__ = ["contents_of", "renew_contents"]

CHUNK = 500
"""Numbers in one IN (…): SQLite takes more, but not without end."""


def contents_of(connection: Connection, events: Sequence[int]) -> pl.DataFrame:
    """Return `event` and `hash` of events as the ledger holds them."""
    g = tables.games
    query = sa.select(
        g.c.event_id.label("event"),
        g.c.white_id.label("white"),
        g.c.black_id.label("black"),
        *(g.c[name] for name in GAME_FIELDS),
    )
    known = Register(connection)
    games = among(connection, query, g.c.event_id, list(events), g.c.id)
    today = dict(known.merged())
    games = games.with_columns(pl.col("white", "black").replace(today))
    players = pl.concat([games["white"], games["black"]]).drop_nulls().unique()
    return contents(games, known.profiles(players).select("player", "birth"))


def renew_contents(connection: Connection, events: Sequence[int]) -> int:
    """Write the content of these events anew, where it has changed; return of how many it has."""
    e = tables.events
    now = dict(contents_of(connection, events).iter_rows())
    changed = 0
    for at in range(0, len(events), CHUNK):
        kept = connection.execute(
            sa.select(e.c.id, e.c.content)
            .where(e.c.id.in_(events[at : at + CHUNK]))
            .order_by(e.c.id)
        ).all()
        for event, content in kept:
            if now.get(event, content) != content:
                connection.execute(e.update().where(e.c.id == event).values(content=now[event]))
                changed += 1
    return changed
