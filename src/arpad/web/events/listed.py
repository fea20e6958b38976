"""All events: search as you type, by time control, by year."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Literal, cast

from fastapi import Query

from arpad.office.showing.event_search import event_index, event_lines
from arpad.web.asking import Asked
from arpad.web.events.contexts import EventLine, Events
from arpad.web.pages import Pages
from arpad.web.paging import Page, paged

if TYPE_CHECKING:
    from arpad.office.showing.event_search import EventIndex

__all__ = ["router"]

pages = Pages("events")
router = pages.router

PER = 50
Control = Literal["", "standard", "rapid", "blitz"]
Year = Annotated[str, Query(max_length=4, pattern=r"^(\d{4})?$")]


@pages.page("/events", "events.html")
def events(
    asked: Asked,
    q: Annotated[str, Query(max_length=100)] = "",
    control: Control = "",
    year: Year = "",
    page: Page = 1,
) -> Events:
    """List events, the last first."""
    index = cast(
        "EventIndex", asked.remembered(("event index",), lambda: event_index(asked.connection))
    )
    wanted = int(year) if year else None
    found = index.found(q, time_control=control or None, year=wanted)
    some, where = paged(found, page, PER)
    lines = [
        EventLine(
            **{k: v for k, v in asdict(line).items() if k != "excluded"}, counts=not line.excluded
        )
        for line in event_lines(asked.connection, some)
    ]
    return Events(
        q=q, control=control, year=wanted, years=index.years(), events=lines, pager=where,
        all_events=len(index.entries),
    )  # fmt: skip
