"""Events: all events, and the pages of one."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Literal, cast

from fastapi import APIRouter, Query

from arpad.ledger.queries.events import event_index, event_lines
from arpad.web.page import Page, Pages, PublicContext, paged
from arpad.web.views.event import fit_router, games_router, norms_router, outlook_router
from arpad.web.views.event import router as standings_router
from arpad.web.views.event_decisions import router as deciding_router
from arpad.web.views.event_parts import EventIndexRow, EventsPage

if TYPE_CHECKING:
    from arpad.ledger.queries.events import EventIndex


__all__ = ["router", "routes_router"]


pages = Pages("events")
router = pages.router
PER = 50
Control = Literal["", "standard", "rapid", "blitz"]
Year = Annotated[str, Query(max_length=4, pattern=r"^(\d{4})?$")]


@pages.page("/events", "events.html")
def events(
    ctx: PublicContext,
    q: Annotated[str, Query(max_length=100)] = "",
    control: Control = "",
    year: Year = "",
    page: Page = 1,
) -> EventsPage:
    """List events, the last first."""
    index = cast("EventIndex", ctx.cached(("event index",), lambda: event_index(ctx.connection), shared=True))
    wanted = int(year) if year else None
    found = index.found(q, time_control=control or None, year=wanted)
    some, where = paged(found, page, PER)
    lines = [
        EventIndexRow(
            **{k: v for k, v in asdict(line).items() if k not in ("excluded", "waiting")},
            waiting=line.waiting if ctx.viewer.sees_all else 0,
            counts=not line.excluded,
        )
        for line in event_lines(ctx.connection, some)
    ]
    return EventsPage(
        q=q,
        control=control,
        year=wanted,
        years=index.years(),
        events=lines,
        pager=where,
        all_events=len(index.entries),
    )


routes_router = APIRouter()
for part in (
    router,
    fit_router,
    norms_router,
    outlook_router,
    games_router,
    deciding_router,
    standings_router,
):
    routes_router.include_router(part)
