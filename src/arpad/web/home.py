"""Home: what is here, the latest lists, what waits for a decision."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import sqlalchemy as sa

from arpad.store.ledger import tables
from arpad.web.asking import Asked
from arpad.web.contexts import Context
from arpad.web.lists.facts import facts_of
from arpad.web.pages import Pages

__all__ = ["router"]

pages = Pages("home")
router = pages.router

TOP = 10


class Leader(Context):
    """One of the first on a list."""

    rank: int
    id: int
    name: str
    title: str | None
    federation: str | None
    rating: float
    change: float | None


class Latest(Context):
    """The latest list of a policy, and who leads it."""

    policy: str
    name: str
    state: str
    closing: date
    published: datetime | None
    players: int
    leaders: list[Leader]


class LastEvent(Context):
    """One of the last events."""

    id: int
    name: str
    end: date | None
    games: int


class Home(Context):
    """What is here."""

    title: str
    players: int
    events: int
    games: int
    waiting: int
    """What waits for somebody to look at it."""
    lists: list[Latest]
    last_events: list[LastEvent]


@pages.page("/", "home.html")
def home(asked: Asked) -> Home:
    """Say what is here."""
    waiting = asked.connection.execute(WAITING).scalar_one()  # what is no longer true just goes
    mark = (*asked.marks, waiting)
    return asked.remembered(("home",), lambda: _home(asked, waiting), of=mark)  # type: ignore[no-any-return]


PLAYERS = (
    sa.select(sa.func.count())
    .select_from(tables.players)
    .where(tables.players.c.merged_into.is_(None))
)
EVENTS = sa.select(sa.func.count()).select_from(tables.events)
GAMES = sa.select(sa.func.count()).select_from(tables.games)
WAITING = (
    sa.select(sa.func.count())
    .select_from(tables.doubts)
    .where(tables.doubts.c.settled_by.is_(None))
)
"""Made once, asked often."""


def _home(asked: Asked, waiting: int) -> Home:
    def counted(name: str, query: sa.Select[Any]) -> int:
        def count() -> int:
            return int(asked.connection.execute(query).scalar_one())

        return int(asked.remembered(("how many", name), count, of=asked.rows(name)))

    return Home(
        title=asked.settings.title,
        players=counted("players", PLAYERS),
        events=counted("events", EVENTS),
        games=counted("games", GAMES),
        waiting=waiting,
        lists=asked.remembered(("latest",), lambda: _latest(asked), of=asked.marks.of_lists),
        last_events=asked.remembered(
            ("last events",), lambda: _last_events(asked), of=asked.rows("events", "games")
        ),
    )


def _latest(asked: Asked) -> list[Latest]:
    newest = {each.policy: each for each in facts_of(asked).lists if not each.number}
    return [
        Latest(
            policy=each.policy, name=each.name, state=each.state, closing=each.closing,
            published=each.published, players=int(each.figures.get("listed", 0)),
            leaders=_leaders(asked, each.id),
        )
        for each in newest.values()
    ]  # fmt: skip


def _leaders(asked: Asked, number: int) -> list[Leader]:
    t = tables.entries.c
    query = (
        sa.select(
            t.rank, t.player_id.label("id"), t.name, t.title, t.federation, t.rating, t.change
        )
        .where(t.list_id == number, t.rank.is_not(None))
        .order_by(t.rank, t.player_id)
        .limit(TOP)
    )
    return [Leader(**row._mapping) for row in asked.connection.execute(query)]


def _last_events(asked: Asked) -> list[LastEvent]:
    e, g = tables.events.c, tables.games.c
    games = sa.select(sa.func.count()).where(g.event_id == e.id).scalar_subquery()
    query = (
        sa.select(e.id, e.name, e.end, games.label("games"))
        .order_by(e.end.desc().nulls_last(), e.id.desc())
        .limit(TOP)
    )
    return [LastEvent(**row._mapping) for row in asked.connection.execute(query)]
