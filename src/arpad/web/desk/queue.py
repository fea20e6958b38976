"""The queue: what waits for a decision, each with everything that is needed to decide it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import sqlalchemy as sa
from fastapi import Form, HTTPException, Path, Query, Request
from fastapi.responses import Response

from arpad.errors import UsageError
from arpad.office.deciding.queue import queue as open_queue
from arpad.office.deciding.settling import settle
from arpad.office.records.doubts import CHOICES
from arpad.office.records.doubts import doubt as doubt_of
from arpad.store.ledger import tables
from arpad.web.asking import Asked
from arpad.web.contexts import Link
from arpad.web.desk.cards import card_of, event_card, norm_of
from arpad.web.desk.contexts import Candidate, Choice, DoubtLine, DoubtPage, Flagged, QueuePage
from arpad.web.events.looks import event_look
from arpad.web.pages import Pages
from arpad.web.paging import MOST, Page, pager
from arpad.web.proposing import ANSWERS, Confirmed, Intent, Why, decided
from arpad.web.security.viewer import Administrator

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from arpad.office.deciding.decisions import Decision
    from arpad.office.deciding.queue import Doubt

__all__ = ["router"]

pages = Pages("desk")
router = pages.router

PER = 50
Number = Annotated[int, Path(ge=1, le=MOST)]
Kind = Literal["", "player", "event", "fit", "norm"]
WORDS = {
    "leave": "Leave it as it is",
    "adjust": "Adjust: flagged ratings go to the line",
    "correct": "Correct: flagged ratings are deleted and come back from the line of the others",
    "exclude": "Leave the event out of every list",
    "replace": "Replace: the new report counts, the old one does not",
    "add": "Add: both count",
    "grant": "Grant the norm",
}


@pages.page("/queue", "queue.html")
def queue(
    asked: Asked,
    kind: Kind = "",
    settled: Annotated[bool, Query()] = False,
    page: Page = 1,
) -> QueuePage:
    """List what waits for a decision, the oldest first."""
    d = tables.doubts.c
    where: list[sa.ColumnElement[bool]] = [] if settled else [d.settled_by.is_(None)]
    if kind:
        where.append(d.kind == kind)
    count = sa.select(sa.func.count()).select_from(tables.doubts).where(*where)
    place = pager(int(asked.connection.execute(count).scalar_one()), page, PER)
    numbers = asked.connection.execute(
        sa.select(d.id).where(*where).order_by(d.id).limit(PER).offset((place.page - 1) * PER)
    ).scalars()
    found = [one for n in numbers for one in open_queue(asked.connection, number=n).doubts]
    waiting = open_queue(asked.connection, limit=0)
    return QueuePage(
        kind=kind,
        settled=settled,
        summary=waiting.summary(),
        waiting=dict(waiting.waiting),
        doubts=[_line(one) for one in found],
        pager=place,
    )


def _line(one: Doubt) -> DoubtLine:
    return DoubtLine(
        number=one.number, kind=one.kind, about=one.about, reason=one.reason, opened=one.opened,
        file=one.file, player=one.player, event=one.event, settled_by=one.settled_by,
        candidates=[
            Candidate(
                id=c.get("player") or c.get("event"), name=str(c.get("name") or ""),
                score=c.get("score"), reason=str(c.get("reason") or ""),
            )
            for c in one.candidates
        ],
    )  # fmt: skip


def _found(connection: Connection, number: int) -> Doubt:
    found = open_queue(connection, number=number).doubts
    if not found:
        raise HTTPException(404, f"there is no {number} in the queue of this ledger")
    return found[0]


@pages.page("/queue/{number}", "queue_one.html")
def queue_one(asked: Asked, number: Number) -> DoubtPage:
    """Show one thing with everything that is needed to decide it."""
    connection = asked.connection
    one = _found(connection, number)
    line = _line(one)
    people = _people(one)
    told = doubt_of(connection, number).document
    return DoubtPage(
        doubt=line,
        cards=[card_of(connection, who) for who in people],
        events=[event_card(connection, which) for which in _events(one)],
        flagged=[
            Flagged(
                id=f["player"], name=f["name"], rating=f.get("rating"), residual=f.get("residual"),
                flag=str(f.get("flag") or ""),
            )
            for f in told.get("flagged", ())
        ],
        norm=norm_of(asked, one, told) if one.kind == "norm" else None,
        choices=_choices(one, [c for c in line.candidates if c.id is not None]),
        policies=_policies(asked, one),
    )  # fmt: skip


def _people(one: Doubt) -> list[int]:
    """Return whose cards stand side by side: the doubtful player, then the candidates."""
    if one.kind not in ("player", "norm") or one.player is None:
        return []
    others = [int(c["player"]) for c in one.candidates if c.get("player")]
    return list(dict.fromkeys([one.player, *others]))[:6]


def _events(one: Doubt) -> list[int]:
    if one.event is None:
        return []
    others = [int(c["event"]) for c in one.candidates if c.get("event")]
    return list(dict.fromkeys([one.event, *others]))[:6]


def _choices(one: Doubt, candidates: list[Candidate]) -> list[Choice]:
    if one.settled_by is not None:
        return []
    if one.kind != "player":
        return [Choice(value=c, text=WORDS[c]) for c in CHOICES.get(one.kind, ())]
    same = [Choice(value=str(c.id), text=f"It is {c.name} (#{c.id})") for c in candidates]
    return [*same, Choice(value="new", text="A new player: nobody of these")]


def _policies(asked: Any, one: Doubt) -> list[str]:
    from arpad.office.showing.event_field import fitting_policies

    if one.kind != "fit" or one.event is None:
        return []
    return [held.policy for held in fitting_policies(asked.connection, one.event)]


@router.post("/queue/{number}", response_class=Response, responses=ANSWERS)
def settle_one(
    request: Request,
    admin: Administrator,
    number: Number,
    choose: Annotated[str, Form(min_length=1, max_length=20)],
    why: Why,
    policy: Annotated[str, Form(max_length=100)] = "",
    confirmed: Confirmed = False,
) -> Response:
    """Settle one thing of the queue: what follows is shown, and then confirmed."""
    with request.app.state.ledger.reading() as connection:
        one = _found(connection, number)
    chosen = None if policy in ("", "-") else policy

    def verb(connection: Connection) -> Decision:
        offered = [c.value for c in _choices(one, _line(one).candidates)]
        if offered and choose not in offered:
            raise UsageError(f"expected one of the choices of the form, found {choose!r}")
        return settle(connection, number, choose, policy=chosen)

    intent = Intent(
        title=f"Settle: {one.about}",
        back=Link(text="Back", href=f"/queue/{number}"),
        action=f"/queue/{number}",
        verb=verb,
        done=lambda _: "/queue",
        notice="settled",
        carried={"choose": choose, "policy": policy},
        look=event_look(one.event, policy) if one.kind == "fit" and one.event else None,
    )
    return decided(request, admin, why, intent, confirmed=confirmed)
