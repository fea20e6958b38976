"""What counts in the events of the ledger today, as one hash an event."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import sqlalchemy as sa

from arpad.office.event_hash import GAME_FIELDS, contents
from arpad.store.ledger import tables
from arpad.store.ledger.bulk import frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.engine import Connection

__all__ = ["canonical", "contents_of", "renew_contents"]

CHUNK = 500
"""Numbers in one IN (…): SQLite takes more, but not without end."""


def contents_of(connection: Connection, events: Sequence[int]) -> pl.DataFrame:
    """Return `event` and `hash` of events as the ledger holds them."""
    g, p = tables.games, tables.players
    whole = frame(connection, sa.select(p.c.id, p.c.birth, p.c.merged_into).order_by(p.c.id))
    now = canonical(whole)
    parts = []
    for at in range(0, len(events), CHUNK):
        query = (
            sa.select(
                g.c.event_id.label("event"),
                g.c.white_id.label("white"),
                g.c.black_id.label("black"),
                *(g.c[name] for name in GAME_FIELDS),
            )
            .where(g.c.event_id.in_(events[at : at + CHUNK]))
            .order_by(g.c.event_id, g.c.number)
        )
        parts.append(frame(connection, query))
    if not parts:
        return pl.DataFrame(schema={"event": pl.Int64, "hash": pl.String})
    games = pl.concat(parts)
    games = games.with_columns(
        games.select(pl.col(side).replace_strict(whole["id"], now, default=None)).to_series()
        for side in ("white", "black")
    )
    return contents(games, whole.select(player="id", birth="birth"))


def canonical(players: pl.DataFrame) -> pl.Series:
    """Return who each player is today: the end of its chain of merges."""
    into = dict(
        players.filter(pl.col("merged_into").is_not_null()).select("id", "merged_into").iter_rows()
    )
    ends = []
    for player in players["id"]:
        seen = {player}
        while (further := into.get(player)) is not None and further not in seen:
            seen.add(player := further)
        ends.append(player)
    return pl.Series("player", ends, dtype=pl.Int64)


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
