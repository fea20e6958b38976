"""Games of an event, by round."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, cast

from fastapi import Query

from arpad.office.showing.event_sheet import event_games as games_of
from arpad.web.asking import Asked
from arpad.web.events.contexts import EventGames, GameLine, RoundOfGames
from arpad.web.events.field import EventNumber, PolicyName, field_of, head_of
from arpad.web.pages import Pages
from arpad.web.paging import Page, paged

if TYPE_CHECKING:
    import polars as pl

__all__ = ["router"]

pages = Pages("events")
router = pages.router

PER = 200
"""Games on a page."""


@pages.page("/events/{number}/games", "event_games.html")
def event_games(
    asked: Asked,
    number: EventNumber,
    policy: PolicyName = "",
    round: Annotated[str, Query(max_length=20)] = "",
    page: Page = 1,
) -> EventGames:
    """List the games by round."""
    field = field_of(asked, number, policy)
    table = cast(
        "pl.DataFrame",
        asked.remembered(("event games", number), lambda: games_of(asked.connection, number)),
    )
    rows = table.to_dicts()
    rounds = sorted({_round(one) for one in rows}, key=_order)
    wanted = sorted(
        (one for one in rows if round in ("", _round(one))), key=lambda one: _order(_round(one))
    )
    some, where = paged(wanted, page, PER)
    shown: dict[str, list[GameLine]] = {}
    for one in some:
        shown.setdefault(_round(one), []).append(_line(one))
    return EventGames(
        head=head_of(asked, field, policy),
        round=round,
        rounds=rounds,
        shown=[RoundOfGames(round=name, games=games) for name, games in shown.items()],
        pager=where,
    )


def _round(game: dict[str, Any]) -> str:
    """Return the round without the board that some sources put behind it."""
    return str(game["round"] or "?").split(".")[0]


def _order(name: str) -> tuple[int, str]:
    return (int(name) if name.isascii() and name.isdigit() else 10**6, name)


def _line(game: dict[str, Any]) -> GameLine:
    wanted = (
        "date", "white_id", "white", "white_rating", "result", "black_id", "black", "black_rating", "status",
    )  # fmt: skip
    return GameLine(id=game["game"], **{name: game[name] for name in wanted})
