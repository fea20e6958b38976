"""Home and search: the latest lists with gains and trends, the last events, whatever a text may mean."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated, Any

import sqlalchemy as sa
from fastapi import Query

from arpad.errors import counted
from arpad.ledger.db import tables
from arpad.ledger.games import ratings_on
from arpad.ledger.queries.events import event_index, event_lines
from arpad.ledger.queries.lists import Wanted, entries_at, places, trends
from arpad.ledger.queries.players import found_people
from arpad.publish.charts.style import sparkline
from arpad.web.page import PageModel, Pages, PublicContext, RequestContext, Rows, birth_year, row_of
from arpad.web.views.list_parts import digits_of, facts_of, last_lists, list_href, ranked_players

if TYPE_CHECKING:
    from arpad.ledger.lists import KeptList


pages = Pages("home")
router = pages.router
TOP, GAINS, EVENTS, HITS = 10, 5, 8, 8


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
    leaders: Rows
    gains: Rows


class Home(PageModel):
    """Content of the start page."""

    title: str
    players: int
    events: int
    games: int
    waiting: int | None  # what waits for somebody to look at it; the public is not told
    lists: list[Latest]
    last_events: Rows
    next_events: Rows


class SearchPage(PageModel):
    """Players and events that a text may mean, the best fit first."""

    q: str
    players: Rows
    players_total: int
    events: Rows
    events_total: int


@pages.page("/", "home.html")
def home(ctx: PublicContext) -> Home:
    """Say what is here."""
    # what is no longer true just goes
    waiting = ctx.connection.execute(WAITING).scalar_one() if ctx.viewer.sees_all else None
    version = (*ctx.version, waiting, tables.now().date())
    return ctx.cached(("home",), lambda: _home(ctx, waiting), version=version)


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

    def events() -> tuple[Rows, Rows]:
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
                leaders=[each for each in leaders if each["rank"] is not None],
                gains=[each for each in gains if (each["change"] or 0) > 0],
            )
        )
    return result


LEADER = ("name", "title", "federation", "rank", "rating", "change")


def _leaders(ctx: RequestContext, kept: KeptList, wanted: Wanted, most: int) -> Rows:
    rows = entries_at(ctx.connection, kept, places(ctx.connection, kept, wanted, most=most))
    curves = trends(ctx.connection, facts_of(ctx), kept, [row["player_id"] for row in rows])
    return [
        row_of(row, *LEADER, id=row["player_id"], trend=sparkline(curves.get(row["player_id"], [])))
        for row in rows
    ]


def _events(ctx: RequestContext, where: Any, *order: Any) -> Rows:
    e, g = tables.events.c, tables.games.c
    games = sa.select(sa.func.count()).where(g.event_id == e.id).scalar_subquery()
    query = sa.select(e.id, e.name, e.start, e.end, games.label("games")).where(where)
    return [row_of(row._mapping) for row in ctx.connection.execute(query.order_by(*order).limit(EVENTS))]


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
        return [f"{name} {rating:.0f}" for name, rating in sorted(known.items()) if rating is not None][:2]

    return SearchPage(
        q=q,
        players=[
            _hit(
                "players", who.id, who.name, who.title, who.federation, birth_year(who.birth), *rated(who.id)
            )
            for who in people
        ],
        players_total=len(numbers),
        events=[
            _hit(
                "events", line.id, line.name, line.end or line.start or "no date", counted(line.games, "game")
            )
            for line in event_lines(ctx.connection, events[:HITS])
        ],
        events_total=len(events),
    )


def _hit(kind: str, number: int, text: str, *facts: object) -> dict[str, Any]:
    """Return a player or an event that a text may mean; the facts tell it from others of the name."""
    detail = ", ".join(str(fact) for fact in facts if fact)
    return {"id": number, "text": text, "href": f"/{kind}/{number}", "detail": detail}
