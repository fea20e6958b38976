"""Cards that stand side by side: players who may be one person, reports of what may be one event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import sqlalchemy as sa

from arpad.errors import ArpadError
from arpad.event.norm_rules import norm_rules
from arpad.event.norms import Judge
from arpad.office.records.ledger_games import recorded_games
from arpad.office.showing.player_card import player_card
from arpad.store.ledger import tables
from arpad.web.desk.contexts import EventCard, PersonCard, PersonEvent, PersonRating
from arpad.web.events.norms import shown_norm

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.engine import Connection

    from arpad.office.deciding.queue import Doubt
    from arpad.web.asking import Asking
    from arpad.web.events.contexts import Norm

__all__ = ["card_of", "event_card", "norm_of"]

LAST = 8
"""Events that a card names: the last ones."""


def card_of(connection: Connection, number: int) -> PersonCard:
    """Return what is known of a player."""
    card = player_card(connection, number)
    who = card.person
    newest = card.ratings.unique("policy", keep="last", maintain_order=True)
    return PersonCard(
        id=who.id, name=who.name, title=who.title, federation=who.federation, birth=who.birth, sex=who.sex,
        ids=[f"{scheme} {value}" for scheme, value in card.ids],
        names=list(card.names)[:LAST],
        events=[
            PersonEvent(id=e["event"], name=e["name"], end=e["end"], games=e["games"], score=e["score"])
            for e in card.events.sort("end", "event", descending=True, nulls_last=True).head(LAST).to_dicts()
        ],
        all_events=card.events.height,
        ratings=[
            PersonRating(policy=r["policy"], list_name=r["list"], rating=r["rating"])
            for r in newest.sort("policy").to_dicts()
        ],
    )  # fmt: skip


def event_card(connection: Connection, number: int) -> EventCard:
    """Return what is known of an event."""
    e, g, i = tables.events.c, tables.games.c, tables.imports.c
    row = connection.execute(
        sa.select(
            e.id, e.name, e.site, e.start, e.end, e.time_control, e.excluded, i.file
        )
        .join_from(tables.events, tables.imports, i.id == e.import_id, isouter=True)
        .where(e.id == number)
    ).one()  # fmt: skip
    sides = [sa.select(side).where(g.event_id == number) for side in (g.white_id, g.black_id)]
    who = sa.union(*sides).subquery()
    games = sa.select(sa.func.count()).where(g.event_id == number)
    return EventCard(
        id=row.id, name=row.name, site=row.site, start=row.start, end=row.end, time_control=row.time_control,
        counts=not row.excluded, file=row.file, games=int(connection.execute(games).scalar_one()),
        players=int(connection.execute(sa.select(sa.func.count(who.c[0]))).scalar_one()),
    )  # fmt: skip


def norm_of(asked: Asking, one: Doubt, told: Mapping[str, Any]) -> Norm | None:
    """Return the verdict on a doubtful norm, every requirement of it."""
    if one.event is None or one.player is None:
        return None
    recorded = recorded_games(asked.connection, [one.event])
    row = pl.Series(recorded.players).index_of(one.player)
    if row is None:
        return None
    try:
        judge = Judge(recorded.games, norm_rules(str(told.get("rules") or "today")))
        return shown_norm(one.player, judge.verdict(int(row), str(told.get("title"))))
    except ArpadError:
        return None
