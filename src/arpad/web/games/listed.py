"""The last games that came with their moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from arpad.office.records.results import result_text
from arpad.store.ledger import tables
from arpad.web.games.contexts import GameRow, GamesPage

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

__all__ = ["PAGE", "listed_games"]

PAGE = 50
"""Games on a page."""


def listed_games(connection: Connection, before: int | None, most: int) -> GamesPage:
    """Return games with moves, the last first, from the one before a number on."""
    g, e, m = tables.games.c, tables.events.c, tables.moves.c
    white, black = tables.players.alias("white"), tables.players.alias("black")
    query = (
        sa.select(
            g.id, white.c.name.label("white"), black.c.name.label("black"), g.score, g.black_score,
            g.status, e.name.label("event"), e.id.label("event_id"), g.date, g.plies,
        )
        .join_from(tables.moves, tables.games, g.id == m.game_id)
        .join(tables.events, e.id == g.event_id)
        .join(white, white.c.id == g.white_id)
        .join(black, black.c.id == g.black_id)
        .order_by(m.game_id.desc())
        .limit(most)
    )  # fmt: skip
    if before is not None:
        query = query.where(m.game_id < before)
    rows = connection.execute(query).all()
    count = connection.execute(sa.select(sa.func.count()).select_from(tables.moves)).scalar_one()
    return GamesPage(
        with_moves=count,
        games=[
            GameRow(
                id=r.id, white=r.white, black=r.black, event=r.event, event_id=r.event_id,
                date=r.date, plies=r.plies, result=result_text(r.score, r.black_score, r.status),
            )
            for r in rows
        ],
        before=rows[-1].id if len(rows) == most else None,
    )  # fmt: skip
