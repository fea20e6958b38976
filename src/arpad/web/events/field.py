"""One event as its pages need it: worked out once, and remembered while the ledger stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, cast

import sqlalchemy as sa
from fastapi import HTTPException, Path, Query

from arpad.errors import ArpadError
from arpad.event.report import report
from arpad.office.deciding.queue import queue
from arpad.office.rules.policies import policy_called
from arpad.office.showing.event_field import event_field, fitting_policies
from arpad.store.ledger import tables
from arpad.web.events.contexts import Head, Waiting
from arpad.web.lists.facts import facts_of
from arpad.web.paging import MOST

if TYPE_CHECKING:
    from arpad.event.report import EventReport
    from arpad.office.showing.event_field import EventField
    from arpad.rate import RatingSystem
    from arpad.web.asking import Asking

__all__ = ["PER", "REPORT", "EventNumber", "PolicyName", "check_event", "field_of", "head_of", "report_of", "system_of"]  # fmt: skip

PER = 50
"""Players on a page of a large event."""

REPORT = "-"
"""What stands in the place of a policy where only the report's own ratings count."""

EventNumber = Annotated[int, Path(ge=1, le=MOST)]
PolicyName = Annotated[str, Query(max_length=100)]


_e, _d = tables.events, tables.doubts.c
ROW = sa.select(
    *(c for c in _e.c if c.name != "document"), sa.type_coerce(_e.c.document, sa.Text)
).where(_e.c.id == sa.bindparam("event"))
OPEN = (
    sa.select(_d.id)
    .where(_d.event_id == sa.bindparam("event"), _d.settled_by.is_(None))
    .order_by(_d.id)
    .limit(20)
)
"""Made once, asked often."""


def check_event(asked: Asking, number: int) -> None:
    """Refuse an event that is not here."""
    _row(asked, number)


def _row(asked: Asking, number: int) -> Any:
    """Return an event as it stands in its table."""
    row = asked.once(
        ("event row", number), lambda: asked.connection.execute(ROW, {"event": number}).first()
    )
    if row is None:
        raise HTTPException(404, f"there is no event {number} in this ledger")
    return row


def _mark(asked: Asking, number: int) -> tuple[Any, ...]:
    """Return what an event's games and ratings follow from: other events may change as they like.

    Its own row; games, players (who they are, who was merged into whom) and their ids; lists and policies.
    """
    return (
        tuple(_row(asked, number)),
        asked.rows("games", "players", "player_ids"),
        asked.marks.of_lists,
    )


def field_of(asked: Asking, number: int, policy: str) -> EventField:
    """Return an event with the ratings of the list of a policy; "": of the one that rates most of its players."""
    check_event(asked, number)
    chosen = policy or _usual(asked, number)
    if chosen not in (REPORT, *(p.name for p in facts_of(asked).policies)):
        raise HTTPException(404, f"there is no policy {chosen!r} in this ledger")
    return cast(
        "EventField",
        asked.remembered(
            ("event", number, chosen),
            lambda: event_field(asked.connection, number, None if chosen == REPORT else chosen),
            of=_mark(asked, number),
        ),
    )


def _policies(asked: Asking, number: int) -> list[str]:
    def make() -> list[str]:
        return [held.policy for held in fitting_policies(asked.connection, number)]

    key = ("event policies", number)
    return cast("list[str]", asked.remembered(key, make, of=_mark(asked, number)))


def _usual(asked: Asking, number: int) -> str:
    return next(iter(_policies(asked, number)), REPORT)


def head_of(asked: Asking, field: EventField, policy: str) -> Head:
    """Return what every page on an event begins with."""
    event, games = field.event, field.recorded.games
    numbers = asked.connection.execute(OPEN, {"event": event.id}).scalars().all()
    waiting = [one for n in numbers for one in queue(asked.connection, number=n).doubts]
    return Head(
        id=event.id,
        name=event.name,
        site=_row(asked, event.id).site,
        start=event.start,
        end=event.end,
        time_control=event.time_control or "standard",
        counts=not event.excluded,
        games=len(games),
        players=games.players.height,
        policy=policy or _usual(asked, event.id),
        list_name=None if field.held is None else field.held.name,
        rated_by_list=field.rated if field.held is not None else 0,
        policies=_policies(asked, event.id),
        waiting=[
            Waiting(number=w.number, kind=w.kind, about=w.about, reason=w.reason) for w in waiting
        ],
    )


def report_of(asked: Asking, field: EventField) -> EventReport:
    """Return the report on an event; its expected scores are those of the policy's own rules."""
    policy = None if field.held is None else field.held.policy
    return cast(
        "EventReport",
        asked.remembered(
            ("event report", field.event.id, policy),
            lambda: _reported(asked, field, policy),
            of=_mark(asked, field.event.id),
        ),
    )


def _reported(asked: Asking, field: EventField, policy: str | None) -> EventReport:
    games = field.recorded.games
    try:
        return report(games, system=system_of(asked, field, policy), judged=False)
    except ArpadError:  # a system that cannot say anything of one event alone
        return report(games, judged=False)


def system_of(asked: Asking, field: EventField, policy: str | None) -> RatingSystem | None:
    """Return the rating system of a policy on the last day of an event; None: FIDE's of today."""
    day = field.event.end or field.event.start
    if policy is None or day is None:
        return None
    kept = policy_called(asked.connection, policy)
    return kept.policy.made(day) if kept.computed else None
