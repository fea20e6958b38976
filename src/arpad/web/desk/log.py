"""The log: every decision with who, when, why and what; and taking one back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Literal, get_args

import sqlalchemy as sa
from fastapi import HTTPException, Path, Query, Request
from fastapi.responses import Response

from arpad.office.deciding.decisions import DecisionKind, undo
from arpad.office.deciding.decisions import decision as decision_of
from arpad.office.deciding.touched import persons
from arpad.office.showing.log_search import deciders, found_decisions
from arpad.store.ledger import tables
from arpad.web.asking import Asked
from arpad.web.contexts import Link
from arpad.web.desk.contexts import DecisionLine, DecisionPage, LogPage
from arpad.web.events.looks import event_look
from arpad.web.pages import Pages
from arpad.web.paging import MOST, Page, pager
from arpad.web.proposing import (
    ANSWERS,
    Confirmed,
    Intent,
    Why,
    cells_of,
    decided,
    links_of,
    moved_of,
)
from arpad.web.security.viewer import Administrator

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from arpad.office.deciding.decisions import Decision

__all__ = ["router"]

pages = Pages("desk")
router = pages.router

PER = 50
Number = Annotated[int, Path(ge=1, le=MOST)]
Kind = Literal[
    "", "correct", "merge", "unmerge", "match", "exclude", "include", "rating", "repair", "report",
    "norm", "settle", "undo",
]  # fmt: skip
Text = Annotated[str, Query(max_length=100, pattern=r"^[^\x00]*$")]
"""A NUL is no part of any text."""
About = Annotated[str, Query(max_length=30, pattern=r"^((player|event|game) \d{1,9})?$")]


@pages.page("/log", "log.html")
def log(
    asked: Asked,
    q: Text = "",
    who: Text = "",
    kind: Kind = "",
    about: About = "",
    page: Page = 1,
) -> LogPage:
    """List decisions, the newest first."""

    def found(offset: int) -> tuple[list[DecisionLine], int]:
        some = found_decisions(
            asked.connection, who=who or None, kind=kind or None, about=_subjects(asked.connection, about),
            text=q, limit=PER, offset=offset,
        )  # fmt: skip
        return [_line(each) for each in some.decisions], some.total

    lines, total = found((page - 1) * PER)
    place = pager(total, page, PER)
    if place.page != page:
        lines, _ = found((place.page - 1) * PER)
    return LogPage(
        q=q, who=who, kind=kind, about=about, everybody=deciders(asked.connection),
        kinds=list(get_args(DecisionKind)), decisions=lines, pager=place,
    )  # fmt: skip


def _subjects(connection: Connection, about: str) -> list[str]:
    """Return what is asked for; of a player also all who were merged into him."""
    match = re.fullmatch(r"player (\d+)", about)
    if match:
        return [f"player {p}" for p in persons(connection, [int(match[1])])]
    return [about] if about else []


def _line(one: Decision) -> DecisionLine:
    return DecisionLine(
        id=one.id, when=one.when, who=one.who, why=one.why, kind=one.kind, words=one.words(),
        about=links_of(one.about()), undoes=one.undoes, undone_by=one.undone_by,
    )  # fmt: skip


def _there(connection: Connection, number: int) -> Decision:
    d = tables.decisions.c
    if connection.execute(sa.select(d.id).where(d.id == number)).first() is None:
        raise HTTPException(404, f"there is no decision {number} in the log of this ledger")
    return decision_of(connection, number)


@pages.page("/log/{number}", "log_one.html")
def log_one(asked: Asked, number: Number) -> DecisionPage:
    """Show one decision, with what it changed."""
    one = _there(asked.connection, number)
    return DecisionPage(
        decision=_line(one),
        cells=cells_of(one),
        moved=moved_of(asked.connection, one),
        settled=sorted(int(c.key["id"]) for c in one.changes if c.table == "doubts"),
        can_undo=one.in_effect,
    )


@router.post("/log/{number}/undo", response_class=Response, responses=ANSWERS)
def undo_one(
    request: Request,
    admin: Administrator,
    number: Number,
    why: Why,
    confirmed: Confirmed = False,
) -> Response:
    """Take a decision back: what follows is shown, and then confirmed."""
    with request.app.state.ledger.reading() as connection:
        one = _there(connection, number)
    match = re.search(r"event (\d+)", " ".join(one.about()))
    intent = Intent(
        title=f"Take back decision {number}",
        back=Link(text="Back to the decision", href=f"/log/{number}"),
        action=f"/log/{number}/undo",
        verb=lambda connection: undo(connection, number),
        done=lambda made: f"/log/{made.id}",
        notice="undone",
        look=event_look(int(match[1])) if match else None,
    )
    return decided(request, admin, why, intent, confirmed=confirmed)
