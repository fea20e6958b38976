"""One game of the ledger as people look at it: who, where, when, result, ratings then, moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from arpad.office.records.merges import merged_ends
from arpad.office.records.movetext import Movetext, moves_of
from arpad.office.records.results import result_text
from arpad.store.ledger import tables

if TYPE_CHECKING:
    from datetime import date

    from sqlalchemy.engine import Connection

__all__ = ["GameSheet", "Opponent", "RatingThen", "game_sheet", "games_with_moves"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingThen:
    """What a list said of a player when the game was played."""

    policy: str
    list: str
    rating: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Opponent:
    """One of the two; `id` and `name` are those of today."""

    id: int
    name: str
    title: str | None
    given: float | None
    """The rating that stands in the report."""
    listed: tuple[RatingThen, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GameSheet:
    """A game; `black` is None for a bye, `moves` where the ledger has none."""

    id: int
    event_id: int
    event: str
    site: str | None
    round: str | None
    date: date | None
    precision: str | None
    white: Opponent
    black: Opponent | None
    score: float | None
    result: str
    status: str
    plies: int | None
    moves: Movetext | None


def game_sheet(connection: Connection, number: int) -> GameSheet | None:
    """Return a game by its number; None: there is no such game."""
    g, e = tables.games.c, tables.events.c
    row = connection.execute(
        sa.select(tables.games, e.name.label("event"), e.site, e.start)
        .join_from(tables.games, tables.events, e.id == g.event_id)
        .where(g.id == number)
    ).one_or_none()
    if row is None:
        return None
    day = row.date or row.start
    lists = _lists_on(connection, day) if day is not None else []
    sides = [
        None if player is None else _opponent(connection, player, given, lists)
        for player, given in (
            (row.white_id, row.white_rating),
            (row.black_id, row.black_rating),
        )
    ]
    white, black = sides
    assert white is not None
    return GameSheet(
        id=row.id, event_id=row.event_id, event=row.event, site=row.site, round=row.round,
        date=row.date, precision=row.precision, white=white, black=black, score=row.score,
        result=result_text(row.score, row.black_score, row.status), status=row.status,
        plies=row.plies, moves=moves_of(connection, row.id),
    )  # fmt: skip


def games_with_moves(connection: Connection, event: int) -> list[int]:
    """Return the numbers of an event's games that have moves."""
    g, m = tables.games.c, tables.moves.c
    query = (
        sa.select(g.id)
        .join_from(tables.games, tables.moves, m.game_id == g.id)
        .where(g.event_id == event)
        .order_by(g.number)
    )
    return list(connection.execute(query).scalars())


def _opponent(
    connection: Connection, player: int, given: float | None, lists: list[tuple[int, str, str]]
) -> Opponent:
    p, n = tables.players.c, tables.entries.c
    today = merged_ends(connection).get(player, player)
    row = connection.execute(sa.select(p.name, p.title).where(p.id == today)).one()
    listed = []
    for number, policy, name in lists:
        own = sa.select(n.rating).where(n.list_id == number, n.rating.is_not(None))
        rating = connection.execute(own.where(n.player_id == today)).scalar()
        if rating is None and player != today:
            rating = connection.execute(own.where(n.player_id == player)).scalar()
        if rating is not None:
            listed.append(RatingThen(policy=policy, list=name, rating=rating))
    return Opponent(id=today, name=row.name, title=row.title, given=given, listed=tuple(listed))


def _lists_on(connection: Connection, day: date) -> list[tuple[int, str, str]]:
    """Return number, policy and name of the published list of each policy that held on a day."""
    t, p = tables.lists.c, tables.policies.c
    held = sa.func.coalesce(t.effective, t.closing)
    query = (
        sa.select(t.id, p.name.label("policy"), t.name)
        .join_from(tables.lists, tables.policies, p.id == t.policy_id)
        .where(t.number == 0, t.published.is_not(None), held <= day)
        .order_by(p.name, held.desc(), t.id.desc())
    )
    found: dict[str, tuple[int, str, str]] = {}
    for row in connection.execute(query):
        found.setdefault(row.policy, (row.id, row.policy, row.name))
    return list(found.values())
