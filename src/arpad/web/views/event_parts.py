"""Parts that the pages of one event share."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Annotated, Any

import sqlalchemy as sa
from fastapi import HTTPException, Path, Query

from arpad.errors import ArpadError
from arpad.event.report import report
from arpad.event.tiebreaks import tie_break_order
from arpad.event.tournament_app.app import tournament_app
from arpad.ledger.db import tables
from arpad.ledger.decisions.decisions import decisions
from arpad.ledger.decisions.queue import queue
from arpad.ledger.policy import policy_called
from arpad.ledger.queries.events import event_field, fitting_policies
from arpad.web.page import MOST, PageModel, Rows, number, points, row_of
from arpad.web.views.list_parts import facts_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.engine import Connection

    from arpad.event.report import EventReport
    from arpad.ledger.queries.events import EventField
    from arpad.rate.system import RatingSystem
    from arpad.web.page import RequestContext


class Head(PageModel):
    """Head of every page about an event."""

    id: int
    name: str
    site: str | None
    start: date | None
    end: date | None
    time_control: str
    counts: bool  # whether lists take it in
    games: int
    players: int
    policy: str  # whose list gives ratings to players whom the report gives none; "-": nobody's
    list_name: str | None  # that list
    rated_by_list: int  # players whose rating is from it
    policies: list[str]
    analysed: bool  # whether there are moves with evaluations
    waiting: Rows


PER = 50  # players on a page of a large event
REPORT = "-"  # what stands in the place of a policy where only the report's own ratings count
EventNumber = Annotated[int, Path(ge=1, le=MOST)]
PolicyName = Annotated[str, Query(max_length=100)]
_e, _d = tables.events, tables.doubts.c
ROW = sa.select(*(c for c in _e.c if c.name != "document"), sa.type_coerce(_e.c.document, sa.Text)).where(
    _e.c.id == sa.bindparam("event")
)
OPEN = (
    sa.select(_d.id)
    .where(_d.event_id == sa.bindparam("event"), _d.settled_by.is_(None))
    .order_by(_d.id)
    .limit(20)
)
ANALYSED = (
    sa.select(tables.games.c.id)
    .join(tables.moves, tables.moves.c.game_id == tables.games.c.id)
    .where(
        tables.games.c.event_id == sa.bindparam("event"),
        tables.moves.c.text.contains("[%eval", autoescape=True),
    )
    .limit(1)
)
"""Constants, because SQLAlchemy takes long to build a statement."""


def check_event(ctx: RequestContext, number: int) -> None:
    """Refuse an event that is not here."""
    _row(ctx, number)


def _row(ctx: RequestContext, number: int) -> Any:
    """Return an event as its row of the table."""
    row = ctx.once(("event row", number), lambda: ctx.connection.execute(ROW, {"event": number}).first())
    if row is None:
        raise HTTPException(404, f"there is no event {number} in this ledger")
    return row


def _mark(ctx: RequestContext, number: int) -> tuple[Any, ...]:
    """Return what an event's games and ratings follow from: other events may change as they like.

    Its own row; games, players (who they are, who was merged into whom) and their ids; lists and policies.
    """
    return (tuple(_row(ctx, number)), ctx.table_version("games", "players", "player_ids"), ctx.lists_version)


def field_of(ctx: RequestContext, number: int, policy: str) -> EventField:
    """Return an event with the ratings of the list of a policy; "": of the one that rates most of its players."""
    check_event(ctx, number)
    chosen = policy or _usual(ctx, number)
    if chosen not in (REPORT, *(p.name for p in facts_of(ctx).policies)):
        raise HTTPException(404, f"there is no policy {chosen!r} in this ledger")
    return ctx.cached(
        ("event", number, chosen),
        lambda: event_field(
            ctx.connection, number, None if chosen == REPORT else chosen, published=not ctx.viewer.sees_all
        ),
        version=_mark(ctx, number),
    )


def _policies(ctx: RequestContext, number: int) -> list[str]:
    def make() -> list[str]:
        published = not ctx.viewer.sees_all
        result = fitting_policies(ctx.connection, number, published=published)
        return [held.policy for held in result]

    key = ("event policies", number)
    return ctx.cached(key, make, version=_mark(ctx, number))


def _usual(ctx: RequestContext, number: int) -> str:
    return next(iter(_policies(ctx, number)), REPORT)


def head_of(ctx: RequestContext, field: EventField, policy: str) -> Head:
    """Return what every page on an event begins with."""
    event, games = field.event, field.recorded.games
    numbers: list[int] = []
    if ctx.viewer.sees_all:
        numbers = list(ctx.connection.execute(OPEN, {"event": event.id}).scalars())
    waiting = [one for n in numbers for one in queue(ctx.connection, number=n).doubts]
    return Head.of(
        event,
        site=_row(ctx, event.id).site,
        time_control=event.time_control or "standard",
        counts=not event.excluded,
        games=len(games),
        players=games.players.height,
        policy=policy or _usual(ctx, event.id),
        list_name=None if field.held is None else field.held.name,
        rated_by_list=field.rated if field.held is not None else 0,
        policies=_policies(ctx, event.id),
        analysed=bool(ctx.connection.execute(ANALYSED, {"event": event.id}).first()),
        waiting=[row_of(each, "number", "kind", "about", "reason") for each in waiting],
    )


def report_of(
    ctx: RequestContext, field: EventField, tie_break: str = "", after: int | None = None
) -> EventReport:
    """Return the report on an event; its expected scores are those of the policy's own rules.

    `tie_break` has FIDE's codes in their order, "" for the event's own; `after` is a round, None for the end.
    """
    if tie_break:  # refuse it before anything is kept
        tie_break_order(tie_break)
    policy = None if field.held is None else field.held.policy
    return ctx.cached(
        ("event report", field.event.id, policy, tie_break, after),
        lambda: _reported(ctx, field, policy, tie_break or None, after),
        version=_mark(ctx, field.event.id),
    )


def _reported(
    ctx: RequestContext, field: EventField, policy: str | None, tie_break: str | None, after: int | None
) -> EventReport:
    games = field.recorded.games
    try:
        system = system_of(ctx, field, policy)
        return report(games, tie_breaks=tie_break, after=after, system=system, judged=False)
    except ArpadError:  # a system that cannot say anything of one event alone
        return report(games, tie_breaks=tie_break, after=after, judged=False)


def system_of(ctx: RequestContext, field: EventField, policy: str | None) -> RatingSystem | None:
    """Return the rating system of a policy on the last day of an event; None: FIDE's of today."""
    day = field.event.end or field.event.start
    if policy is None or day is None:
        return None
    kept = policy_called(ctx.connection, policy)
    return kept.policy.made(day) if kept.computed else None


Look = list[tuple[str, dict[str, str]]]


def event_look(event: int, policy: str = "") -> Callable[[Connection], Look]:
    """Return a look at an event: points and performances of its players, and the test of fit.

    The list of `policy` gives missing ratings; "-": nobody's; "": of the one that rates most of the players.
    """

    def look(connection: Connection) -> Look:
        chosen: str | None = policy
        if not policy:
            chosen = next((held.policy for held in fitting_policies(connection, event)), None)
        field = event_field(connection, event, None if chosen in ("", "-") else chosen)
        games, moved = field.recorded.games, _moved(connection, event)
        rows = {row: moved[number] for row, number in enumerate(field.recorded.players) if number in moved}
        return [
            ("Fit of ratings and results", _fit(games, rows)),
            ("Players of the event: points, performance, expected score", _players(games, field)),
        ]

    return look


def _moved(connection: Connection, event: int) -> dict[int, float]:
    """Return the ratings that repairs of the event have moved, by player."""
    result: dict[int, float] = {}
    for decision in decisions(connection, about=[f"event {event}"], kind="repair", in_effect=True):
        if decision.subject == f"event {event}":
            result |= {one["player"]: one["rating"] for one in decision.facts.get("ratings", ())}
    return result


def _fit(games: object, ratings: dict[int, float]) -> dict[str, str]:
    try:
        result = tournament_app(games, ratings=ratings, shuffles=0)  # type: ignore[arg-type]
    except ArpadError as error:
        return {"verdict": str(error)}
    fit = result.fit
    if fit is None:
        return {"verdict": "not tested"}
    flagged = [s.name for s in result.standings if s.flag]
    return {
        "verdict": "the ratings fit" if fit.passed else "the ratings do not fit",
        "χ²": f"{fit.chi_square:.1f} (at most {fit.critical:.1f})",
        "correlation": f"{fit.r:.2f}",
        "players flagged": str(len(flagged)),
    }


def _players(games: object, field: object) -> dict[str, str]:
    try:
        result = report(games, judged=False)  # type: ignore[arg-type]
    except ArpadError:
        return {}
    numbers = field.recorded.players  # type: ignore[attr-defined]
    return {
        f"{one['name']} (#{numbers[row]})": ", ".join(
            part
            for part in (
                f"{points(one['points'])} of {one['games']}",
                "" if one["performance"] is None else f"performed {number(one['performance'])}",
                "" if one["expected"] is None else f"expected {number(one['expected'], 2)}",
            )
            if part
        )
        for row, one in zip(result.rows, result.players.to_dicts(), strict=True)
    }
