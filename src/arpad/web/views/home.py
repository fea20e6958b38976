"""Home and search: the latest lists with gains and trends, the last events, whatever a text may mean."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated, Any

import sqlalchemy as sa
from fastapi import Query

from arpad.ledger.db import tables
from arpad.ledger.queries.events import event_index, event_lines
from arpad.ledger.queries.lists import Wanted, entries_at, places, ratings_on, trends
from arpad.ledger.queries.players import found_people
from arpad.publish.charts.style import sparkline
from arpad.web.page import PageModel, Pages, PublicContext, RequestContext
from arpad.web.views.list_parts import PersonRow, digits_of, facts_of, last_lists, list_href, ranked_players

if TYPE_CHECKING:
    from arpad.ledger.lists import KeptList


pages = Pages("home")
router = pages.router
TOP, GAINS, EVENTS, HITS = 10, 5, 8, 8


class Leader(PersonRow):
    """One of the first on a list."""

    rank: int | None
    rating: float
    change: float | None
    trend: str  # the ratings on the last lists, as a small picture


class Latest(PageModel):
    """The latest list of a policy, who leads it, and who gained most since the one before."""

    policy: str
    name: str
    href: str
    state: str
    closing: date
    published: datetime | None
    players: int
    digits: int
    leaders: list[Leader]
    gains: list[Leader]


class LastEvent(PageModel):
    """One of the last events, or one that is still to come."""

    id: int
    name: str
    start: date | None
    end: date | None
    games: int


class Home(PageModel):
    """Content of the start page."""

    title: str
    players: int
    events: int
    games: int
    waiting: int | None  # what waits for somebody to look at it; the public is not told
    lists: list[Latest]
    last_events: list[LastEvent]
    next_events: list[LastEvent]


class Hit(PageModel):
    """A player or an event that a text may mean."""

    id: int
    text: str
    href: str
    detail: str  # what tells it from others of the name


class SearchPage(PageModel):
    """Players and events that a text may mean, the best fit first."""

    q: str
    players: list[Hit]
    players_total: int
    events: list[Hit]
    events_total: int


@pages.page("/", "home.html")
def home(ctx: PublicContext) -> Home:
    """Say what is here."""
    # what is no longer true just goes
    waiting = ctx.connection.execute(WAITING).scalar_one() if ctx.viewer.sees_all else None
    version = (*ctx.version, waiting, tables.now().date())
    return ctx.cached(("home",), lambda: _home(ctx, waiting), version=version)  # type: ignore[no-any-return]


PLAYERS = sa.select(sa.func.count()).select_from(tables.players).where(tables.players.c.merged_into.is_(None))
EVENTS_HERE = sa.select(sa.func.count()).select_from(tables.events)
GAMES = sa.select(sa.func.count()).select_from(tables.games)
WAITING = sa.select(sa.func.count()).select_from(tables.doubts).where(tables.doubts.c.settled_by.is_(None))
"""Constants, because SQLAlchemy takes long to build a statement."""


def _home(ctx: RequestContext, waiting: int | None) -> Home:
    def counted(name: str, query: sa.Select[Any]) -> int:
        def count() -> int:
            return int(ctx.connection.execute(query).scalar_one())

        return int(ctx.cached(("how many", name), count, version=ctx.table_version(name), shared=True))

    def events() -> tuple[list[LastEvent], list[LastEvent]]:
        e = tables.events.c
        day = sa.func.coalesce(e.start, e.end)
        past = _events(ctx, (day.is_(None)) | (day <= today), e.end.desc().nulls_last(), e.id.desc())
        return past, _events(ctx, day > today, day, e.id)

    today = tables.now().date()
    last, coming = ctx.cached(("events", today), events, version=ctx.table_version("events", "games"))
    return Home(
        title=ctx.settings.title,
        players=counted("players", PLAYERS),
        events=counted("events", EVENTS_HERE),
        games=counted("games", GAMES),
        waiting=waiting,
        lists=ctx.cached(("latest",), lambda: _latest(ctx), version=ctx.lists_version),
        last_events=last,
        next_events=coming,
    )


def _latest(ctx: RequestContext) -> list[Latest]:
    facts = facts_of(ctx)
    newest = {each.policy: each for each in facts.lists if not each.number}
    result = []
    for kept in newest.values():
        gaining = Wanted(sort="change", standing="played")
        leaders, gains = _leaders(ctx, kept, Wanted(), TOP), _leaders(ctx, kept, gaining, GAINS)
        result.append(
            Latest.of(
                kept,
                href=list_href(kept.policy, kept.name),
                players=int(kept.figures.get("listed", 0)),
                digits=digits_of(facts.document(kept)),
                leaders=[each for each in leaders if each.rank is not None],
                gains=[each for each in gains if each.change and each.change > 0],
            )
        )
    return result


def _leaders(ctx: RequestContext, kept: KeptList, wanted: Wanted, most: int) -> list[Leader]:
    rows = entries_at(ctx.connection, kept, places(ctx.connection, kept, wanted, most=most))
    curves = trends(ctx.connection, facts_of(ctx), kept, [row["player_id"] for row in rows])
    return [
        Leader.of(row, id=row["player_id"], trend=sparkline(curves.get(row["player_id"], []))) for row in rows
    ]


def _events(ctx: RequestContext, where: Any, *order: Any) -> list[LastEvent]:
    e, g = tables.events.c, tables.games.c
    games = sa.select(sa.func.count()).where(g.event_id == e.id).scalar_subquery()
    query = sa.select(e.id, e.name, e.start, e.end, games.label("games")).where(where)
    return [
        LastEvent.of(row._mapping) for row in ctx.connection.execute(query.order_by(*order).limit(EVENTS))
    ]


@pages.page("/search", "search.html")
def search(ctx: PublicContext, q: Annotated[str, Query(max_length=100)] = "") -> SearchPage:
    """Find players and events by parts of their names, numbers or ids; one letter may be wrong."""
    numbers = ranked_players(ctx, q) if q.strip() else []
    people = found_people(ctx.connection, q, most=HITS, among=numbers).people
    lists = last_lists(ctx)
    figures = ratings_on(ctx.connection, list(lists.values()), [who.id for who in people])
    index = ctx.cached(("event index",), lambda: event_index(ctx.connection), shared=True)
    events = index.found(q) if q.strip() else []

    def rated(player: int) -> list[str]:
        known = {name: figures.get((number, player)) for name, number in lists.items()}
        return [f"{name} {rating:.0f}" for name, rating in sorted(known.items()) if rating is not None]

    return SearchPage(
        q=q,
        players=[
            Hit(
                id=who.id,
                text=who.name,
                href=f"/players/{who.id}",
                detail=", ".join(
                    each
                    for each in (who.title, who.federation, who.birth and who.birth[:4], *rated(who.id)[:2])
                    if each
                ),
            )
            for who in people
        ],
        players_total=len(numbers),
        events=[
            Hit(
                id=line.id,
                text=line.name,
                href=f"/events/{line.id}",
                detail=f"{line.end or line.start or 'no date'}, {line.games} game{'' if line.games == 1 else 's'}",
            )
            for line in event_lines(ctx.connection, events[:HITS])
        ],
        events_total=len(events),
    )
