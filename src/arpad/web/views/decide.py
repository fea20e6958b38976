"""Decisions of an officer about events, games, players and imports: the effect is shown, then confirmed."""

from __future__ import annotations

from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

import sqlalchemy as sa
from fastapi import Form, HTTPException, Path, Request
from fastapi.encoders import jsonable_encoder
from fastapi.responses import JSONResponse, Response

from arpad.errors import ArpadError, UsageError
from arpad.event.tournament_app.report import in_short, out_of_spec
from arpad.ledger.db import tables
from arpad.ledger.decisions.corrections import (
    correct_event,
    correct_game,
    correct_player,
    exclude_event,
    exclude_game,
    include_event,
    include_game,
    merge,
    unmerge,
)
from arpad.ledger.decisions.decisions import found_decisions
from arpad.ledger.decisions.privacy import erase_person, export_person
from arpad.ledger.decisions.ratings import repair_event, set_rating
from arpad.ledger.decisions.subjects import event_row, person_called
from arpad.ledger.imports.importing import undo_import
from arpad.ledger.policy import kept_policies
from arpad.ledger.queries.events import event_games
from arpad.web.page import (
    MOST,
    NOT_HERE,
    Page,
    PageLink,
    PageModel,
    Pager,
    Pages,
    ReaderContext,
    Rows,
    pager,
    row_of,
)
from arpad.web.views.event import app_of
from arpad.web.views.event_parts import REPORT, EventNumber, Head, PolicyName, event_look, field_of, head_of
from arpad.web.views.player import Identity, identity, numbers_of, player_or_404
from arpad.web.views.proposal import (
    ANSWERS,
    AskedByAdministrator,
    AskedByOfficer,
    ProposedDecision,
    without_days,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.engine import Connection

    from arpad.ledger.decisions.decisions import Decision
    from arpad.web.page import RequestContext


pages = Pages("desk")
router = pages.router
RowNumber = Annotated[int, Path(ge=1, le=MOST)]
Text = Annotated[str, Form(max_length=1000)]
Short = Annotated[str, Form(max_length=20)]
Day = Annotated[str, Form(max_length=10)]
Result = Literal["1-0", "1/2-1/2", "0-1", "+--", "--+", "---", "unchanged"]
RESULTS: dict[str, dict[str, Any]] = {
    "1-0": {"score": 1.0, "black_score": 0.0, "status": "played"},
    "1/2-1/2": {"score": 0.5, "black_score": 0.5, "status": "played"},
    "0-1": {"score": 0.0, "black_score": 1.0, "status": "played"},
    "+--": {"score": 1.0, "black_score": 0.0, "status": "forfeit"},
    "--+": {"score": 0.0, "black_score": 1.0, "status": "forfeit"},
    "---": {"score": 0.0, "black_score": 0.0, "status": "forfeit"},
}
"""Results to choose from, and their values in the ledger."""


class EventDecide(PageModel):
    """Possible decisions about an event."""

    head: Head
    tested: bool
    passed: bool | None
    says: list[str]  # what the test of fit found
    doubt: int | None  # the doubt of the queue that a repair settles
    last: list[PageLink]  # the last decisions about it


class EventGame(PageModel):
    """One game of an event, to be corrected."""

    head: Head
    game: dict[str, Any]
    round: str | None


class PlayerDecide(PageModel):
    """Possible decisions about a player."""

    who: Identity
    birth: str  # the day for administrators, "" for others
    policies: list[str]
    today: date
    last: list[PageLink]


class PrivacyPage(PageModel):
    """Number of rows that the ledger stores about a player."""

    id: int
    name: str
    stored: dict[str, int]  # kind of row, number of rows


class ImportsPage(PageModel):
    """The imported files, the last one first."""

    imports: Rows
    pager: Pager


def _there(request: Request, table: sa.Table, number: int, **more: int) -> None:
    """Answer 404 unless a row of a table is there."""
    query = sa.select(table.c.id).where(table.c.id == number, *(table.c[n] == v for n, v in more.items()))
    with request.app.state.ledger.reading() as connection:
        if connection.execute(query).first() is None:
            raise HTTPException(404, f"there is no {table.name.removesuffix('s')} {number} in this ledger")


def _last(ctx: RequestContext, *about: str) -> list[PageLink]:
    result = found_decisions(ctx.connection, about=list(about), limit=10)
    said = (lambda words: words) if ctx.viewer.administers else without_days
    return [PageLink(text=f"{d.id}. {said(d.words())}", href=f"/log/{d.id}") for d in result.decisions]


def _day(text: str) -> date | None:
    if not text.strip():
        return None
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise UsageError(f"expected a day as YYYY-MM-DD, found {text!r}") from None


# Events and their games.


@pages.page("/events/{number}/decide", "event_decide.html")
def event_decide(ctx: ReaderContext, number: EventNumber, policy: PolicyName = "") -> EventDecide:
    """Show what can be decided about an event."""
    field = field_of(ctx, number, policy)
    head = head_of(ctx, field, policy)
    try:
        result = app_of(ctx, field, None)
        fit, says = result.fit, [in_short(result).partition(": ")[2], *out_of_spec(result)]
    except ArpadError as error:
        fit, says = None, [str(error)]
    return EventDecide(
        head=head,
        tested=fit is not None,
        passed=None if fit is None else fit.passed,
        says=says,
        doubt=_open_fit(ctx.connection, number),
        last=_last(ctx, f"event {number}"),
    )


def _open_fit(connection: Connection, number: int) -> int | None:
    d = tables.doubts.c
    query = sa.select(d.id).where(d.event_id == number, d.kind == "fit", d.settled_by.is_(None))
    return connection.execute(query.order_by(d.id).limit(1)).scalar()


@router.post("/events/{number}/repair", response_class=Response, responses=ANSWERS)
def repair(
    asked: AskedByOfficer,
    number: EventNumber,
    how: Annotated[Literal["leave", "adjust", "correct"], Form()],
    policy: Annotated[str, Form(max_length=100)] = REPORT,
    pressure: Annotated[bool, Form()] = False,
) -> Response:
    """Leave, adjust or correct ratings that do not fit an event."""

    def verb(connection: Connection) -> Decision:
        return repair_event(
            connection,
            number,
            how,
            policy=None if policy in ("", REPORT) else policy,
            pressure=pressure,
            settles=_open_fit(connection, number),
        )

    titles = {"leave": "Let the ratings stand", "adjust": "Adjust ratings", "correct": "Correct ratings"}
    return _about_event(asked, verb, number, titles[how], policy)


@router.post("/events/{number}/count", response_class=Response, responses=ANSWERS)
def count(asked: AskedByOfficer, number: EventNumber, counts: Annotated[bool, Form()]) -> Response:
    """Leave an event out of every list, or take it in again."""

    def verb(connection: Connection) -> Decision:
        if counts:
            return include_event(connection, number)
        return exclude_event(connection, number, settles=_open_fit(connection, number))

    title = "Let the event count" if counts else "Leave the event out of every list"
    return _about_event(asked, verb, number, title)


@router.post("/events/{number}/correct", response_class=Response, responses=ANSWERS)
def correct(
    asked: AskedByOfficer,
    number: EventNumber,
    name: Text = "",
    site: Text = "",
    start: Day = "",
    end: Day = "",
    time_control: Annotated[Literal["standard", "rapid", "blitz"], Form()] = "standard",
) -> Response:
    """Correct name, place, days or time control of an event."""

    def verb(connection: Connection) -> Decision:
        values: dict[str, Any] = {"name": name.strip(), "site": site.strip() or None}
        values |= {"start": _day(start), "end": _day(end)}
        known = event_row(connection, number).time_control
        if (known or "standard") != time_control:  # what is not said is standard, and stays unsaid
            values["time_control"] = time_control
        return correct_event(connection, number, **values)

    return _about_event(asked, verb, number, "Correct the event")


def _about_event(
    asked: ProposedDecision, verb: Callable[[Connection], Decision], number: int, title: str, policy: str = ""
) -> Response:
    _there(asked.request, tables.events, number)
    look = event_look(number, policy)
    return asked.decide(verb, title=title, back=f"/events/{number}/decide", look=look)


@pages.page("/events/{number}/games/{game}", "event_game.html")
def event_game(
    ctx: ReaderContext, number: EventNumber, game: RowNumber, policy: PolicyName = ""
) -> EventGame:
    """Show one game of an event, to be corrected."""
    field = field_of(ctx, number, policy)
    rows = event_games(ctx.connection, number)
    result = rows.filter(rows["game"] == game).to_dicts()
    if not result:
        raise HTTPException(404, f"there is no game {game} in event {number}")
    one = result[0]
    return EventGame(head=head_of(ctx, field, policy), game=row_of(one, id=game), round=one["round"])


@router.post("/events/{number}/games/{game}", response_class=Response, responses=ANSWERS)
def correct_one(
    asked: AskedByOfficer,
    number: EventNumber,
    game: RowNumber,
    result: Annotated[Result, Form()] = "unchanged",
    swap: Annotated[bool, Form()] = False,
    counts: Annotated[Literal["unchanged", "yes", "no"], Form()] = "unchanged",
    white: Text = "",
    black: Text = "",
    round: Annotated[str, Form(max_length=20)] = "",
    day: Day = "",
) -> Response:
    """Correct players, round, day, result or colours of a game, or say whether it counts.

    Players are names, ids or #numbers; a field left empty stays as it is.
    """
    _there(asked.request, tables.games, game, event_id=number)

    def verb(connection: Connection) -> Decision:
        values = dict(RESULTS.get(result, {}))
        for side, text in (("white_id", white), ("black_id", black)):
            if text.strip():
                values[side] = person_called(connection, text).id
        values |= {"round": round.strip()} if round.strip() else {}
        values |= {"date": _day(day)} if day.strip() else {}
        if counts != "unchanged" and (values or swap):
            raise UsageError("decide one thing at a time: whether the game counts, or its result")
        if counts != "unchanged":
            return (include_game if counts == "yes" else exclude_game)(connection, game)
        if not values and not swap:
            raise UsageError("nothing changes: change a field, or choose whether the game counts")
        return correct_game(connection, game, swap=swap, **values)

    return _about_event(asked, verb, number, "Correct a game")


# Players.


@pages.page("/players/{number}/decide", "player_decide.html")
def player_decide(request: Request, ctx: ReaderContext, number: RowNumber) -> PlayerDecide:
    """Show what can be decided about a player."""
    who = player_or_404(request, ctx.connection, number)
    numbers = numbers_of(ctx.connection, who)
    return PlayerDecide(
        who=identity(ctx.connection, who, numbers),
        birth=(who.birth or "") if ctx.viewer.administers else "",
        policies=sorted({kept.name for kept in kept_policies(ctx.connection) if kept.computed}),
        today=tables.now().date(),
        last=_last(ctx, *(f"player {each}" for each in numbers)),
    )


def _about_player(
    asked: ProposedDecision, verb: Callable[[Connection], Decision], number: int, title: str
) -> Response:
    _there(asked.request, tables.players, number)
    return asked.decide(verb, title=title, back=f"/players/{number}/decide")


@router.post("/players/{number}/correct", response_class=Response, responses=ANSWERS)
def correct_person(
    asked: AskedByOfficer,
    number: RowNumber,
    name: Text,
    birth: Day = "",
    federation: Short = "",
    sex: Annotated[Literal["", "m", "w"], Form()] = "",
    title: Short = "",
    fide: Short = "",
) -> Response:
    """Correct name, birth, federation, sex, title or FIDE id of a player.

    An empty birth or id stays as it is: only administrators see the day.
    """
    values: dict[str, str | None] = {"name": name, "federation": federation, "sex": sex, "title": title}
    values |= {"birth": birth} if birth.strip() else {}
    ids = {"fide": fide.strip()} if fide.strip() else None

    def verb(connection: Connection) -> Decision:
        return correct_player(connection, number, ids=ids, **{n: v or None for n, v in values.items()})

    return _about_player(asked, verb, number, "Correct the player")


@router.post("/players/{number}/merge", response_class=Response, responses=ANSWERS)
def merge_player(asked: AskedByOfficer, number: RowNumber, other: Text) -> Response:
    """Decide that another player, by name, id or #number, is this one."""

    def verb(connection: Connection) -> Decision:
        return merge(connection, person_called(connection, other).id, number)

    return _about_player(asked, verb, number, "Two players are one")


@router.post("/players/{number}/unmerge", response_class=Response, responses=ANSWERS)
def unmerge_player(
    asked: AskedByOfficer, number: RowNumber, other: Annotated[int, Form(ge=1, le=MOST)]
) -> Response:
    """Decide that a player who was merged into this one is a person of his own."""
    return _about_player(asked, partial(unmerge, other=other), number, "One player is two")


@router.post("/players/{number}/rating", response_class=Response, responses=ANSWERS)
def set_player_rating(
    asked: AskedByOfficer,
    number: RowNumber,
    rating: Annotated[float, Form(ge=-10_000, le=10_000, allow_inf_nan=False)],
    on: Day,
    policy: Annotated[str, Form(max_length=100)] = "",
) -> Response:
    """Set the rating of a player from a day on."""

    def verb(connection: Connection) -> Decision:
        if (when := _day(on)) is None:
            raise UsageError("say from which day on the rating holds")
        return set_rating(connection, number, rating, on=when, policy=policy or None)

    return _about_player(asked, verb, number, "Set a rating")


# Personal data of one player, for administrators.


@pages.page("/players/{number}/privacy", "player_privacy.html")
def privacy(request: Request, ctx: ReaderContext, number: RowNumber) -> PrivacyPage:
    """Show what the ledger stores about a player, with forms to export and erase it."""
    data = _data(request, ctx, number)
    who = player_or_404(request, ctx.connection, number)
    return PrivacyPage(id=who.id, name=who.name, stored={name: len(rows) for name, rows in data.items()})


@router.get(
    "/players/{number}/export.json",
    responses=NOT_HERE | {403: {"description": "Only an administrator may see this."}},
)
def export(request: Request, ctx: ReaderContext, number: RowNumber) -> Response:
    """Return all that the ledger stores about a player."""
    data = _data(request, ctx, number)
    headers = {"Content-Disposition": f'attachment; filename="player-{number}.json"'}
    return JSONResponse(jsonable_encoder(data), headers=headers)


@router.post("/players/{number}/erase", response_class=Response, responses=ANSWERS)
def erase(asked: AskedByAdministrator, number: RowNumber) -> Response:
    """Erase the personal data of a player, after the effect was confirmed."""
    with asked.request.app.state.ledger.reading() as connection:
        who = player_or_404(asked.request, connection, number)
    here, title = f"/players/{who.id}", f"Erase the personal data of player {who.id}"
    verb = partial(erase_person, number=who.id)
    return asked.decide(verb, title=title, back=here, done=lambda _: here, notice="erased")


def _data(request: Request, ctx: RequestContext, number: int) -> dict[str, Any]:
    if not ctx.viewer.administers:
        raise HTTPException(403 if ctx.viewer.signed_in else 401, "only an administrator may see this")
    return export_person(ctx.connection, player_or_404(request, ctx.connection, number).id)


# Imports.

PER = 50
IMPORTED = (*("id", "file", "format", "when", "who", "events", "games"), *("players_new", "doubtful"))


@pages.page("/imports", "imports.html")
def imports(ctx: ReaderContext, page: Page = 1) -> ImportsPage:
    """List the imported files, the last one first."""
    i = tables.imports
    total = ctx.connection.execute(sa.select(sa.func.count()).select_from(i)).scalar_one()
    where = pager(int(total), page, PER)
    query = sa.select(i).order_by(i.c.id.desc()).limit(PER).offset((where.page - 1) * PER)
    rows = ctx.connection.execute(query)
    return ImportsPage(imports=[row_of(row._mapping, *IMPORTED) for row in rows], pager=where)


@router.post("/imports/{number}/undo", response_class=Response, responses=ANSWERS)
def take_out(asked: AskedByOfficer, number: RowNumber) -> Response:
    """Take an import out again, as a whole, while nothing published rests on it."""
    _there(asked.request, tables.imports, number)
    return asked.decide(partial(undo_import, number=number), title="Take the import out", back="/imports")
