"""The moves of a game, as the ledger keeps them: text, and the position they start from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from arpad.store.ledger import tables

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

__all__ = ["Movetext", "lacks_moves", "moves_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Movetext:
    """Moves, comments, clocks, evaluations and variations of one game, as they came."""

    text: str
    start: str | None
    """The position before the first move, as FEN; None: the usual one."""


def moves_of(connection: Connection, game_id: int) -> Movetext | None:
    """Return the moves of a game; None: the ledger has none."""
    m = tables.moves.c
    row = connection.execute(sa.select(m.text, m.start).where(m.game_id == game_id)).one_or_none()
    return None if row is None else Movetext(text=row.text, start=row.start)


def lacks_moves(connection: Connection, number: int) -> bool:
    """Say whether games of a PGN import were entered without the moves that their file has."""
    f, e, g, m = tables.imports.c, tables.events.c, tables.games.c, tables.moves.c
    query = (
        sa.select(g.id)
        .join_from(tables.imports, tables.events, e.import_id == f.id)
        .join(tables.games, g.event_id == e.id)
        .where(f.id == number, f.format == "pgn", g.plies > 0)
        .where(~sa.exists().where(m.game_id == g.id))
        .limit(1)
    )
    return connection.execute(query).first() is not None
