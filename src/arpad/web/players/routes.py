"""Players: search, one player's page, how a rating came about, two players side by side."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

import sqlalchemy as sa
from fastapi import Path, Query, Request

from arpad.office.showing.courses import courses
from arpad.office.showing.name_search import found_people
from arpad.store.ledger import tables
from arpad.web.asking import Asked, Asking
from arpad.web.lists.addresses import PAGE, paged
from arpad.web.lists.facts import facts_of
from arpad.web.pages import NOT_HERE, Pages
from arpad.web.players.build import player_page
from arpad.web.players.compare import compare_lines, compare_page
from arpad.web.players.compare_contexts import ComparePage
from arpad.web.players.contexts import FoundPlayer, PlayerPage, PlayersPage
from arpad.web.players.drawn import vega
from arpad.web.players.explain import explain_page
from arpad.web.players.explain_contexts import ExplainPage
from arpad.web.players.names import names_of
from arpad.web.players.people import numbers_of, player_asked, player_now

__all__ = ["router"]

pages = Pages("players")
router = pages.router

Number = Annotated[int, Path(ge=1, le=2**31 - 1)]
Text = Annotated[str, Query(max_length=100)]
Period = Annotated[date | Literal["all"] | None, Query()]

_n = tables.entries.c
FIGURES = sa.select(_n.list_id, _n.player_id, _n.rating).where(
    _n.list_id.in_(sa.bindparam("lists", expanding=True)),
    _n.player_id.in_(sa.bindparam("people", expanding=True)),
)

POLICIES = 3
"""Policies whose ratings have room beside a name."""


@pages.page("/players", "players.html")
def players(
    asked: Asked, q: Text = "", page: Annotated[int, Query(ge=1, le=1_000_000)] = 1
) -> PlayersPage:
    """Find players by name, number or id: everybody, also who is on no list."""
    among = names_of(asked).people(asked.connection, q)
    page = min(page, max(1, -(-len(among) // PAGE)))  # beyond the end: the last page
    found = found_people(asked.connection, q, first=(page - 1) * PAGE, among=among)
    lists = {each.policy: each.id for each in reversed(facts_of(asked).last())}
    shown = dict(sorted(lists.items())[:POLICIES])
    figures = _figures(asked, list(shown.values()), [p.id for p in found.people])
    return PlayersPage(
        q=q,
        policies=list(shown),
        rows=[
            FoundPlayer(
                id=p.id, name=p.name, title=p.title, federation=p.federation, birth=p.birth,
                figures=[figures.get((number, p.id)) for number in shown.values()],
            )
            for p in found.people
        ],
        pager=paged("/players", {"q": q}, page, found.total),
    )  # fmt: skip


def _figures(asked: Asking, lists: list[int], people: list[int]) -> dict[tuple[int, int], float]:
    rows = asked.connection.execute(FIGURES, {"lists": lists, "people": people})
    return {(number, player): rating for number, player, rating in rows}


@pages.page("/players/{number}/explain", "player_explain.html")
def explain(
    request: Request,
    asked: Asked,
    number: Number,
    policy: Text = "",
    list_: Annotated[str, Query(alias="list", max_length=40)] = "",
    period: Period = None,
    as_published: bool = False,
) -> ExplainPage:
    """Show how a rating came about: by period, by event, game by game."""
    who = player_asked(request, asked.connection, number)
    return explain_page(asked, who, policy, list_, period, as_published=as_published)


@pages.page("/players/{number}/compare", "player_compare.html")
def compare(
    request: Request,
    asked: Asked,
    number: Number,
    with_: Annotated[str, Query(alias="with", max_length=100)] = "",
    policy: Text = "",
) -> ComparePage:
    """Show two players side by side: their games, their ratings, what to expect of the next game."""
    who = player_asked(request, asked.connection, number)
    return compare_page(asked, who, with_, policy)


@pages.page("/players/{number}", "player.html")
def player(
    request: Request, asked: Asked, number: Number, policy: Text = "", everything: bool = False
) -> PlayerPage:
    """Show a player."""
    who = player_asked(request, asked.connection, number)
    return asked.remembered(  # type: ignore[no-any-return]
        ("player", number, policy, everything),
        lambda: player_page(asked, who, policy, everything=everything),
    )


@router.get("/charts/players/{number}/ratings", responses=NOT_HERE)
def ratings_chart(request: Request, asked: Asked, number: Number) -> dict[str, Any]:
    """Give a player's ratings over time as Vega-Lite."""
    who = player_asked(request, asked.connection, number)
    found = courses(asked.connection, numbers_of(asked.connection, who), facts_of(asked))
    lines = {c.policy: [(p.day, p.rating, p.deviation) for p in c.points] for c in found}
    return vega(lines, who.name)


@router.get("/charts/players/{number}/compare/{other}", responses=NOT_HERE)
def compare_chart(
    request: Request, asked: Asked, number: Number, other: Number, policy: Text = ""
) -> dict[str, Any]:
    """Give the ratings of two players over time as Vega-Lite."""
    first = player_asked(request, asked.connection, number)
    second = player_now(asked.connection, other)
    return vega(compare_lines(asked, first, second, policy), f"{first.name} and {second.name}")
