"""Home: counts of players, events and games, the latest lists, open questions."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from arpad.ledger.db import tables
from arpad.ledger.queries.lists import Wanted, entries_at, places
from arpad.web.page import PageModel, Pages, PublicContext, RequestContext
from arpad.web.views.list_parts import facts_of

if TYPE_CHECKING:
    from arpad.ledger.lists import KeptList


pages = Pages("home")
router = pages.router
TOP = 10


class Leader(PageModel):
    """One of the first on a list."""

    rank: int
    id: int
    name: str
    title: str | None
    federation: str | None
    rating: float
    change: float | None


class Latest(PageModel):
    """The latest list of a policy, and who leads it."""

    policy: str
    name: str
    state: str
    closing: date
    published: datetime | None
    players: int
    leaders: list[Leader]


class LastEvent(PageModel):
    """One of the last events."""

    id: int
    name: str
    end: date | None
    games: int


class Home(PageModel):
    """What is here."""

    title: str
    players: int
    events: int
    games: int
    waiting: int | None
    """What waits for somebody to look at it; the public is not told."""
    lists: list[Latest]
    last_events: list[LastEvent]


@pages.page("/", "home.html")
def home(ctx: PublicContext) -> Home:
    """Say what is here."""
    # what is no longer true just goes
    waiting = ctx.connection.execute(WAITING).scalar_one() if ctx.viewer.sees_all else None
    mark = (*ctx.version, waiting)
    return ctx.cached(("home",), lambda: _home(ctx, waiting), version=mark)  # type: ignore[no-any-return]


PLAYERS = sa.select(sa.func.count()).select_from(tables.players).where(tables.players.c.merged_into.is_(None))
EVENTS = sa.select(sa.func.count()).select_from(tables.events)
GAMES = sa.select(sa.func.count()).select_from(tables.games)
WAITING = sa.select(sa.func.count()).select_from(tables.doubts).where(tables.doubts.c.settled_by.is_(None))
"""Constants, because SQLAlchemy takes long to build a statement."""


def _home(ctx: RequestContext, waiting: int | None) -> Home:
    def counted(name: str, query: sa.Select[Any]) -> int:
        def count() -> int:
            return int(ctx.connection.execute(query).scalar_one())

        return int(ctx.cached(("how many", name), count, version=ctx.table_version(name), shared=True))

    return Home(
        title=ctx.settings.title,
        players=counted("players", PLAYERS),
        events=counted("events", EVENTS),
        games=counted("games", GAMES),
        waiting=waiting,
        lists=ctx.cached(("latest",), lambda: _latest(ctx), version=ctx.lists_version),
        last_events=ctx.cached(
            ("last events",), lambda: _last_events(ctx), version=ctx.table_version("events", "games")
        ),
    )


def _latest(ctx: RequestContext) -> list[Latest]:
    newest = {each.policy: each for each in facts_of(ctx).lists if not each.number}
    return [
        Latest(
            policy=each.policy,
            name=each.name,
            state=each.state,
            closing=each.closing,
            published=each.published,
            players=int(each.figures.get("listed", 0)),
            leaders=_leaders(ctx, each),
        )
        for each in newest.values()
    ]


def _leaders(ctx: RequestContext, kept: KeptList) -> list[Leader]:
    best = places(ctx.connection, kept, Wanted(), most=TOP)
    return [
        Leader(
            id=row["player_id"],
            **{name: row[name] for name in ("rank", "name", "title", "federation", "rating", "change")},
        )
        for row in entries_at(ctx.connection, kept, best)
        if row["rank"] is not None
    ]


def _last_events(ctx: RequestContext) -> list[LastEvent]:
    e, g = tables.events.c, tables.games.c
    games = sa.select(sa.func.count()).where(g.event_id == e.id).scalar_subquery()
    query = (
        sa.select(e.id, e.name, e.end, games.label("games"))
        .order_by(e.end.desc().nulls_last(), e.id.desc())
        .limit(TOP)
    )
    return [LastEvent(**row._mapping) for row in ctx.connection.execute(query)]
