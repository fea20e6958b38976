"""What ratings made one expect of an event, and the standings with handicaps."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, cast

from arpad.errors import ArpadError
from arpad.event.finish import finish
from arpad.event.handicap_standings import handicap_standings
from arpad.web.asking import Asked
from arpad.web.events.contexts import EventForecast, EventHandicap, Forecasted, Handicapped
from arpad.web.events.field import PER, EventNumber, PolicyName, field_of, head_of
from arpad.web.pages import Pages
from arpad.web.paging import Page, paged

if TYPE_CHECKING:
    from arpad.event.finish import Finish
    from arpad.event.handicap_standings import HandicapStandings

__all__ = ["router"]

pages = Pages("events")
router = pages.router


@pages.page("/events/{number}/forecast", "event_forecast.html")
def event_forecast(
    asked: Asked, number: EventNumber, policy: PolicyName = "", page: Page = 1
) -> EventForecast:
    """Say what the ratings before the event made one expect."""
    field = field_of(asked, number, policy)
    head = head_of(asked, field, policy)
    try:
        found = cast(
            "Finish",
            asked.remembered(
                ("event finish", number, head.policy), lambda: finish(field.recorded.games)
            ),
        )
    except ArpadError as error:
        _, where = paged([], 1, PER)
        return EventForecast(
            head=head, says=str(error), trials=0, notes=[], players=[], pager=where
        )
    some, where = paged(found.players.to_dicts(), page, PER)
    return EventForecast(
        head=head,
        says=found.summary(),
        trials=found.trials,
        notes=list(found.notes),
        players=[
            Forecasted(
                id=field.recorded.players[one["row"]],
                **{name: value for name, value in one.items() if name != "row"},
            )
            for one in some
        ],
        pager=where,
    )


@pages.page("/events/{number}/handicap", "event_handicap.html")
def event_handicap(
    asked: Asked, number: EventNumber, policy: PolicyName = "", page: Page = 1
) -> EventHandicap:
    """Show the standings with handicaps."""
    field = field_of(asked, number, policy)
    head = head_of(asked, field, policy)
    games = field.recorded.games
    try:
        found = cast(
            "HandicapStandings",
            asked.remembered(
                ("event handicap", number, head.policy), lambda: handicap_standings(games)
            ),
        )
    except ArpadError as error:
        _, where = paged([], 1, PER)
        return EventHandicap(head=head, says=str(error), notes=[], players=[], pager=where)
    names = games.players["name"].to_list()
    often = Counter(names)
    known = {
        name: field.recorded.players[row] for row, name in enumerate(names) if often[name] == 1
    }
    some, where = paged(found.players.to_dicts(), page, PER)
    advice = [] if found.advice is None else [found.advice.summary()]
    wanted = ("rank", "name", "rating", "points", "place", "performance", "handicap", "total")
    return EventHandicap(
        head=head,
        says=found.summary(),
        notes=[*found.notes, *advice],
        players=[
            Handicapped(id=known.get(one["name"]), **{name: one[name] for name in wanted})
            for one in some
        ],
        pager=where,
    )
