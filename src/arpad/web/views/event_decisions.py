"""What an administrator can do about an event: repair ratings, leave it out, correct it or a game of it."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Annotated, Any, Literal

import sqlalchemy as sa
from fastapi import Form, HTTPException, Path, Request
from fastapi.responses import Response

from arpad.errors import ArpadError, UsageError
from arpad.event.tournament_app.report import in_short, out_of_spec
from arpad.ledger.db import tables
from arpad.ledger.decisions.corrections import (
    correct_event,
    correct_game,
    exclude_event,
    exclude_game,
    include_event,
    include_game,
)
from arpad.ledger.decisions.ratings import repair_event
from arpad.ledger.decisions.subjects import event_row
from arpad.ledger.queries.events import event_games
from arpad.web.auth import Officer
from arpad.web.page import MOST, PageLink, PageModel, Pages, ReaderContext
from arpad.web.views.event import app_of
from arpad.web.views.event_parts import (
    REPORT,
    EventNumber,
    GameLine,
    Head,
    PolicyName,
    event_look,
    field_of,
    head_of,
)
from arpad.web.views.proposal import ANSWERS, Confirmed, Intent, Why, decided

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from arpad.ledger.decisions.decisions import Decision


pages = Pages("events")
router = pages.router
GameNumber = Annotated[int, Path(ge=1, le=MOST)]
Text = Annotated[str, Form(max_length=1000)]
Result = Literal["1-0", "1/2-1/2", "0-1", "+--", "--+", "---", "unchanged"]
RESULTS: dict[str, dict[str, Any]] = {
    "1-0": {"score": 1.0, "black_score": 0.0, "status": "played"},
    "1/2-1/2": {"score": 0.5, "black_score": 0.5, "status": "played"},
    "0-1": {"score": 0.0, "black_score": 1.0, "status": "played"},
    "+--": {"score": 1.0, "black_score": 0.0, "status": "forfeit"},
    "--+": {"score": 0.0, "black_score": 1.0, "status": "forfeit"},
    "---": {"score": 0.0, "black_score": 0.0, "status": "forfeit"},
}
"""What may be chosen of a game, and what the ledger holds of it."""


class EventDecide(PageModel):
    """What can be decided about an event."""

    head: Head
    tested: bool
    passed: bool | None
    says: list[str]
    """What the test of fit found."""
    doubt: int | None
    """The doubt of the queue that a repair settles."""
    last: list[PageLink]
    """The last decisions about it."""


class EventGame(PageModel):
    """One game of an event, to be corrected."""

    head: Head
    game: GameLine
    round: str | None


@pages.page("/events/{number}/decide", "event_decide.html")
def event_decide(ctx: ReaderContext, number: EventNumber, policy: PolicyName = "") -> EventDecide:
    """Show what can be decided about an event."""
    field = field_of(ctx, number, policy)
    head = head_of(ctx, field, policy)
    try:
        found = app_of(ctx, field, None)
        fit, says = found.fit, [in_short(found).partition(": ")[2], *out_of_spec(found)]
    except ArpadError as error:
        fit, says = None, [str(error)]
    return EventDecide(
        head=head,
        tested=fit is not None,
        passed=None if fit is None else fit.passed,
        says=says,
        doubt=_open_fit(ctx.connection, number),
        last=_last(ctx.connection, number),
    )


def _open_fit(connection: Connection, number: int) -> int | None:
    d = tables.doubts.c
    query = sa.select(d.id).where(d.event_id == number, d.kind == "fit", d.settled_by.is_(None))
    return connection.execute(query.order_by(d.id).limit(1)).scalar()


def _last(connection: Connection, number: int) -> list[PageLink]:
    from arpad.ledger.decisions.decisions import found_decisions

    found = found_decisions(connection, about=[f"event {number}"], limit=10)
    return [PageLink(text=f"{d.id}. {d.words()}", href=f"/log/{d.id}") for d in found.decisions]


def _there(request: Request, number: int) -> None:
    e = tables.events.c
    with request.app.state.ledger.reading() as connection:
        if connection.execute(sa.select(e.id).where(e.id == number)).first() is None:
            raise HTTPException(404, f"there is no event {number} in this ledger")


def _intent(
    number: int, title: str, verb: Any, carried: dict[str, str], what: str, policy: str = ""
) -> Intent:
    return Intent(
        title=title,
        back=PageLink(text="Back to the event", href=f"/events/{number}/decide"),
        action=f"/events/{number}/{what}",
        verb=verb,
        done=lambda d: f"/log/{d.id}",
        carried=carried,
        look=event_look(number, policy),
    )


@router.post("/events/{number}/repair", response_class=Response, responses=ANSWERS)
def repair(
    request: Request,
    admin: Officer,
    number: EventNumber,
    how: Annotated[Literal["leave", "adjust", "correct"], Form()],
    why: Why,
    policy: Annotated[str, Form(max_length=100)] = REPORT,
    pressure: Annotated[bool, Form()] = False,
    confirmed: Confirmed = False,
) -> Response:
    """Leave, adjust or correct ratings that do not fit an event."""
    _there(request, number)

    def verb(connection: Connection) -> Decision:
        return repair_event(
            connection,
            number,
            how,
            policy=None if policy in ("", REPORT) else policy,
            pressure=pressure,
            settles=_open_fit(connection, number),
        )

    carried = {"how": how, "policy": policy, "pressure": "true" if pressure else "false"}
    titles = {"leave": "Let the ratings stand", "adjust": "Adjust ratings", "correct": "Correct ratings"}
    intent = _intent(number, titles[how], verb, carried, "repair", policy)
    return decided(request, admin, why, intent, confirmed=confirmed)


@router.post("/events/{number}/count", response_class=Response, responses=ANSWERS)
def count(
    request: Request,
    admin: Officer,
    number: EventNumber,
    counts: Annotated[bool, Form()],
    why: Why,
    confirmed: Confirmed = False,
) -> Response:
    """Leave an event out of every list, or take it in again."""
    _there(request, number)

    def verb(connection: Connection) -> Decision:
        if counts:
            return include_event(connection, number)
        return exclude_event(connection, number, settles=_open_fit(connection, number))

    title = "Let the event count" if counts else "Leave the event out of every list"
    intent = _intent(number, title, verb, {"counts": "true" if counts else "false"}, "count")
    return decided(request, admin, why, intent, confirmed=confirmed)


@router.post("/events/{number}/correct", response_class=Response, responses=ANSWERS)
def correct(
    request: Request,
    admin: Officer,
    number: EventNumber,
    why: Why,
    name: Text = "",
    site: Text = "",
    start: Annotated[str, Form(max_length=10)] = "",
    end: Annotated[str, Form(max_length=10)] = "",
    time_control: Annotated[Literal["standard", "rapid", "blitz"], Form()] = "standard",
    confirmed: Confirmed = False,
) -> Response:
    """Correct name, place, days or time control of an event."""
    _there(request, number)

    def verb(connection: Connection) -> Decision:
        values: dict[str, Any] = {
            "name": name.strip(),
            "site": site.strip() or None,
            "start": _day(start),
            "end": _day(end),
        }
        known = event_row(connection, number).time_control
        if (known or "standard") != time_control:  # what is not said is standard, and stays unsaid
            values["time_control"] = time_control
        return correct_event(connection, number, **values)

    carried = {"name": name, "site": site, "start": start, "end": end, "time_control": time_control}
    intent = _intent(number, "Correct the event", verb, carried, "correct")
    return decided(request, admin, why, intent, confirmed=confirmed)


def _day(text: str) -> date | None:
    if not text.strip():
        return None
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise UsageError(f"expected a day as YYYY-MM-DD, found {text!r}") from None


@pages.page("/events/{number}/games/{game}", "event_game.html")
def event_game(
    ctx: ReaderContext, number: EventNumber, game: GameNumber, policy: PolicyName = ""
) -> EventGame:
    """Show one game of an event, to be corrected."""
    field = field_of(ctx, number, policy)
    rows = event_games(ctx.connection, number)
    found = rows.filter(rows["game"] == game).to_dicts()
    if not found:
        raise HTTPException(404, f"there is no game {game} in event {number}")
    one = found[0]
    return EventGame(
        head=head_of(ctx, field, policy),
        game=GameLine(id=game, **{k: v for k, v in one.items() if k not in ("game", "round")}),
        round=one["round"],
    )


@router.post("/events/{number}/games/{game}", response_class=Response, responses=ANSWERS)
def correct_one(
    request: Request,
    admin: Officer,
    number: EventNumber,
    game: GameNumber,
    why: Why,
    result: Annotated[Result, Form()] = "unchanged",
    swap: Annotated[bool, Form()] = False,
    counts: Annotated[Literal["unchanged", "yes", "no"], Form()] = "unchanged",
    confirmed: Confirmed = False,
) -> Response:
    """Correct result or colours of a game, or say whether it counts."""
    g = tables.games.c
    with request.app.state.ledger.reading() as connection:
        query = sa.select(g.id).where(g.id == game, g.event_id == number)
        if connection.execute(query).first() is None:
            raise HTTPException(404, f"there is no game {game} in event {number}")

    def verb(connection: Connection) -> Decision:
        if counts != "unchanged" and (result != "unchanged" or swap):
            raise UsageError("decide one thing at a time: whether the game counts, or how it ended")
        if counts != "unchanged":
            return (include_game if counts == "yes" else exclude_game)(connection, game)
        if result == "unchanged" and not swap:
            raise UsageError("nothing changes: choose a result, swap the colours, or say whether it counts")
        return correct_game(connection, game, swap=swap, **RESULTS.get(result, {}))

    carried = {"result": result, "swap": "true" if swap else "false", "counts": counts}
    intent = _intent(number, "Correct a game", verb, carried, f"games/{game}")
    return decided(request, admin, why, intent, confirmed=confirmed)
