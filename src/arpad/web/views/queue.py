"""The queue of doubts, and the log of decisions."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import polars as pl
import sqlalchemy as sa
from fastapi import Form, HTTPException, Path, Query
from fastapi.responses import Response

from arpad.errors import ArpadError, UsageError
from arpad.event.norms.fide import Judge
from arpad.event.norms.rules import norm_rules
from arpad.ledger.db import tables
from arpad.ledger.decisions.decisions import DecisionKind, deciders, decision, found_decisions, persons, undo
from arpad.ledger.decisions.queue import CHOICES, settle, settle_all
from arpad.ledger.decisions.queue import queue as open_queue
from arpad.ledger.games import recorded_games
from arpad.ledger.queries.players import player_card
from arpad.web.auth import allowed
from arpad.web.page import (
    MOST,
    Page,
    PageModel,
    Pager,
    Pages,
    ReaderContext,
    Rows,
    birth_year,
    pager,
    row_of,
    rows_of,
)
from arpad.web.views.event import shown_norm
from arpad.web.views.event_parts import event_look
from arpad.web.views.proposal import (
    ANSWERS,
    AskedByArbiter,
    AskedByOfficer,
    cells_of,
    links_of,
    moved_of,
    without_days,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.engine import Connection

    from arpad.ledger.decisions.decisions import Decision
    from arpad.ledger.decisions.queue import Doubt
    from arpad.web.page import RequestContext


class QueuePage(PageModel):
    """Questions that wait for a decision."""

    kind: str
    settled: bool
    imported: int | None  # only what this import asked
    choose: str  # what the form has chosen for everything: `likeliest`, `new`, `leave` or `later`
    files: Rows  # imports, with how many of their things wait
    summary: str
    waiting: dict[str, int]
    doubts: Rows
    pager: Pager


class DoubtPage(PageModel):
    """One thing with everything that is needed to decide it."""

    doubt: dict[str, Any]
    cards: Rows  # facts about the players
    events: Rows  # facts about the reports
    flagged: Rows  # players whose rating does not fit
    norm: dict[str, Any] | None
    choices: Rows
    policies: list[str]


class LogPage(PageModel):
    """Decisions, the newest first."""

    q: str
    who: str
    kind: str
    about: str
    everybody: list[str]
    kinds: list[str]
    decisions: Rows
    pager: Pager


class DecisionPage(PageModel):
    """One decision, with what it changed."""

    decision: dict[str, Any]
    cells: Rows
    moved: Rows
    settled: list[int]  # what of the queue it settled
    can_undo: bool


LAST = 8  # events that a card names: the last ones


def card_of(connection: Connection, number: int, *, days: bool) -> dict[str, Any]:
    """Return what is known of a player; with `days` the day of birth, else its year only."""
    card = player_card(connection, number)
    who = card.person
    newest = card.ratings.unique("policy", keep="last", maintain_order=True)
    events = card.events.sort("end", "event", descending=True, nulls_last=True).head(LAST)
    return row_of(
        who,
        *("id", "name", "title", "federation", "sex"),
        birth=who.birth if days else birth_year(who.birth),
        ids=[f"{scheme} {value}" for scheme, value in card.ids],
        names=list(card.names)[:LAST],
        events=rows_of(events.rename({"event": "id"})),
        all_events=card.events.height,
        ratings=rows_of(newest.sort("policy").rename({"list": "list_name"})),
    )


def event_card(connection: Connection, number: int) -> dict[str, Any]:
    """Return what is known of an event."""
    e, g, i = tables.events.c, tables.games.c, tables.imports.c
    row = connection.execute(
        sa.select(e.id, e.name, e.site, e.start, e.end, e.time_control, e.excluded, i.file)
        .join_from(tables.events, tables.imports, i.id == e.import_id, isouter=True)
        .where(e.id == number)
    ).one()
    sides = [sa.select(side).where(g.event_id == number) for side in (g.white_id, g.black_id)]
    who = sa.union(*sides).subquery()
    games = sa.select(sa.func.count()).where(g.event_id == number)
    return row_of(
        row._mapping,
        counts=not row.excluded,
        games=int(connection.execute(games).scalar_one()),
        players=int(connection.execute(sa.select(sa.func.count(who.c[0]))).scalar_one()),
    )


def norm_of(ctx: RequestContext, one: Doubt, told: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the verdict on a doubtful norm, every requirement of it."""
    if one.event is None or one.player is None:
        return None
    recorded = recorded_games(ctx.connection, [one.event])
    row = pl.Series(recorded.players).index_of(one.player)
    if row is None:
        return None
    try:
        judge = Judge(recorded.games, norm_rules(str(told.get("rules") or "today")))
        return shown_norm(one.player, judge.verdict(int(row), str(told.get("title"))))
    except ArpadError:
        return None


pages = Pages("desk")
router = pages.router
PER = 50
Number = Annotated[int, Path(ge=1, le=MOST)]
Kind = Literal["", "player", "event", "fit", "norm"]
WORDS = {
    "leave": "Leave it unchanged",
    "adjust": "Adjust: flagged ratings go to the line",
    "correct": "Correct: flagged ratings are deleted and come back from the line of the others",
    "exclude": "Leave the event out of every list",
    "merge": "Merge: games that are here already count once",
    "replace": "Replace: the new report counts, the old one does not",
    "add": "Add: both count",
    "grant": "Grant the norm",
}


@pages.page("/queue", "queue.html")
def queue(
    ctx: ReaderContext,
    kind: Kind = "",
    settled: Annotated[bool, Query()] = False,
    imported: Annotated[int | None, Query(ge=1, le=MOST)] = None,
    choose: Annotated[Literal["likeliest", "new", "leave", "later"], Query()] = "likeliest",
    page: Page = 1,
) -> QueuePage:
    """List what waits for a decision, the oldest first; players and reports can be answered together."""
    d, i = tables.doubts.c, tables.imports.c
    where: list[sa.ColumnElement[bool]] = [] if settled else [d.settled_by.is_(None)]
    where += [d.kind == kind] if kind else []
    where += [d.import_id == imported] if imported else []
    count = sa.select(sa.func.count()).select_from(tables.doubts).where(*where)
    place = pager(int(ctx.connection.execute(count).scalar_one()), page, PER)
    numbers = ctx.connection.execute(
        sa.select(d.id).where(*where).order_by(d.id).limit(PER).offset((place.page - 1) * PER)
    ).scalars()
    files = sa.select(i.id, i.file, sa.func.count().label("waiting")).join_from(
        tables.imports, tables.doubts, d.import_id == i.id
    )
    files = files.where(d.settled_by.is_(None)).group_by(i.id, i.file).order_by(i.id.desc()).limit(PER)
    waiting = open_queue(ctx.connection, limit=0)
    return QueuePage(
        kind=kind,
        settled=settled,
        imported=imported,
        choose=choose,
        files=[row_of(row._mapping) for row in ctx.connection.execute(files)],
        summary=waiting.summary(),
        waiting=dict(waiting.waiting),
        doubts=[_line(one) for n in numbers for one in open_queue(ctx.connection, number=n).doubts],
        pager=place,
    )


LINE = (*("number", "kind", "about", "reason", "opened"), *("file", "player", "event", "settled_by"))


def _line(one: Doubt) -> dict[str, Any]:
    candidates = [
        {
            "id": c.get("player") or c.get("event"),
            "name": str(c.get("name") or ""),
            "score": c.get("score"),
            "reason": str(c.get("reason") or ""),
        }
        for c in one.candidates
    ]
    likeliest = one.likeliest() if one.kind in ARBITERS else ""
    more = {"candidates": candidates, "likeliest": likeliest, "choices": _choices(one, candidates)}
    return row_of(one, *LINE, **more)


@router.post("/queue", response_class=Response, responses=ANSWERS)
def settle_many(asked: AskedByArbiter) -> Response:
    """Settle several doubts about players and reports at once: fields `answer-12`, empty for later."""
    answers = {
        int(name.removeprefix("answer-")): choice
        for name, choice in asked.fields.items()
        if re.fullmatch(r"answer-\d{1,9}", name) and choice
    }
    made: list[Decision] = []

    def verb(connection: Connection) -> Decision:
        if not answers:
            raise UsageError("nothing is chosen: choose an answer for at least one")
        for number in answers:
            if _found(connection, number).kind not in ARBITERS:
                allowed(asked.viewer, "officer", writable=True)
        made[:] = settle_all(connection, answers)
        return made[-1]

    back = "/queue"
    return asked.decide(
        verb, title="Settle several", back=back, done=lambda _: back, notice="settled", decisions=made
    )


def _found(connection: Connection, number: int) -> Doubt:
    result = open_queue(connection, number=number).doubts
    if not result:
        raise HTTPException(404, f"there is no {number} in the queue of this ledger")
    return result[0]


FLAGGED = {"rating": None, "residual": None}
"""What a player may lack whose rating does not fit."""


@pages.page("/queue/{number}", "queue_one.html")
def queue_one(ctx: ReaderContext, number: Number) -> DoubtPage:
    """Show one thing with everything that is needed to decide it."""
    connection = ctx.connection
    one = _found(connection, number)
    line = _line(one)
    people = _people(one)
    told = one.document
    return DoubtPage(
        doubt=line,
        cards=[card_of(connection, who, days=ctx.viewer.administers) for who in people],
        events=[event_card(connection, which) for which in _events(one)],
        flagged=[
            FLAGGED | row_of(f, id=f["player"], flag=f.get("flag") or "") for f in told.get("flagged", ())
        ],
        norm=norm_of(ctx, one, told) if one.kind == "norm" else None,
        choices=line["choices"],
        policies=_policies(ctx, one),
    )


ARBITERS = ("player", "event")
"""Kinds of doubts that an arbiter may answer; the others change ratings and titles."""


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


def _choices(one: Doubt, candidates: Rows) -> Rows:
    if one.settled_by is not None:
        return []
    if one.kind != "player":
        return [{"value": c, "text": WORDS[c]} for c in CHOICES.get(one.kind, ())]
    same = [{"value": str(c["id"]), "text": f"It is {c['name']} (#{c['id']})"} for c in candidates if c["id"]]
    return [*same, {"value": "new", "text": "A new player: nobody of these"}]


def _policies(ctx: Any, one: Doubt) -> list[str]:
    from arpad.ledger.queries.events import fitting_policies

    if one.kind != "fit" or one.event is None:
        return []
    return [held.policy for held in fitting_policies(ctx.connection, one.event)]


@router.post("/queue/{number}", response_class=Response, responses=ANSWERS)
def settle_one(
    asked: AskedByArbiter,
    number: Number,
    choose: Annotated[str, Form(min_length=1, max_length=20)],
    policy: Annotated[str, Form(max_length=100)] = "",
) -> Response:
    """Settle one thing of the queue: what follows is shown, and then confirmed."""
    with asked.request.app.state.ledger.reading() as connection:
        one = _found(connection, number)
    if one.kind not in ARBITERS:
        allowed(asked.viewer, "officer", writable=True)
    chosen = None if policy in ("", "-") else policy

    def verb(connection: Connection) -> Decision:
        offered = [c["value"] for c in _line(one)["choices"]]
        if offered and choose not in offered:
            raise UsageError(f"expected one of the choices of the form, found {choose!r}")
        return settle(connection, number, choose, policy=chosen)

    look = event_look(one.event, policy) if one.kind == "fit" and one.event else None
    title, back = f"Settle: {one.about}", f"/queue/{number}"
    return asked.decide(verb, title=title, back=back, done=lambda _: "/queue", notice="settled", look=look)


log_pages = Pages("desk")
log_router = log_pages.router
LogKind = Literal[""] | DecisionKind
Text = Annotated[str, Query(max_length=100, pattern=r"^[^\x00]*$")]  # a NUL is no part of any text
About = Annotated[str, Query(max_length=30, pattern=r"^((player|event|game) \d{1,9})?$")]


@log_pages.page("/log", "log.html")
def log(
    ctx: ReaderContext, q: Text = "", who: Text = "", kind: LogKind = "", about: About = "", page: Page = 1
) -> LogPage:
    """List decisions, the newest first."""

    def found(offset: int) -> tuple[Rows, int]:
        some = found_decisions(
            ctx.connection,
            who=who or None,
            kind=kind or None,
            about=_subjects(ctx.connection, about),
            text=q,
            limit=PER,
            offset=offset,
        )
        days = ctx.viewer.administers
        return [_log_line(each, days=days) for each in some.decisions], some.total

    lines, total = found((page - 1) * PER)
    place = pager(total, page, PER)
    if place.page != page:
        lines, _ = found((place.page - 1) * PER)
    return LogPage(
        q=q,
        who=who,
        kind=kind,
        about=about,
        everybody=deciders(ctx.connection),
        kinds=list(get_args(DecisionKind)),
        decisions=lines,
        pager=place,
    )


def _subjects(connection: Connection, about: str) -> list[str]:
    """Return the subjects of a filter; a player stands for everybody merged into that player too."""
    match = re.fullmatch(r"player (\d+)", about)
    if match:
        return [f"player {p}" for p in persons(connection, [int(match[1])])]
    return [about] if about else []


def _log_line(one: Decision, *, days: bool) -> dict[str, Any]:
    words = one.words() if days else without_days(one.words())
    names = ("id", "when", "who", "why", "kind", "undoes", "undone_by")
    return row_of(one, *names, words=words, about=links_of(one.about()))


def _there(connection: Connection, number: int) -> Decision:
    d = tables.decisions.c
    if connection.execute(sa.select(d.id).where(d.id == number)).first() is None:
        raise HTTPException(404, f"there is no decision {number} in the log of this ledger")
    return decision(connection, number)


@log_pages.page("/log/{number}", "log_one.html")
def log_one(ctx: ReaderContext, number: Number) -> DecisionPage:
    """Show one decision, with what it changed."""
    one = _there(ctx.connection, number)
    return DecisionPage(
        decision=_log_line(one, days=ctx.viewer.administers),
        cells=cells_of(one, days=ctx.viewer.administers),
        moved=moved_of(ctx.connection, one),
        settled=sorted(int(c.key["id"]) for c in one.changes if c.table == "doubts"),
        can_undo=one.in_effect,
    )


@log_router.post("/log/{number}/undo", response_class=Response, responses=ANSWERS)
def undo_one(asked: AskedByOfficer, number: Number) -> Response:
    """Take a decision back: what follows is shown, and then confirmed."""
    with asked.request.app.state.ledger.reading() as connection:
        one = _there(connection, number)
    match = re.search(r"event (\d+)", " ".join(one.about()))
    look = event_look(int(match[1])) if match else None
    title, back = f"Take back decision {number}", f"/log/{number}"
    return asked.decide(partial(undo, number=number), title=title, back=back, notice="undone", look=look)
