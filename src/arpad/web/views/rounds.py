"""An event that is run here: players, pairings, results round by round, standings, and its import at the end."""

from __future__ import annotations

import hashlib
import io
import tempfile
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import sqlalchemy as sa
from fastapi import HTTPException, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response
from starlette.datastructures import UploadFile

from arpad.errors import ArpadError, UsageError
from arpad.event.report import report
from arpad.event.tiebreaks import board_order, event_field
from arpad.ledger.db import tables
from arpad.publish.export.trf import (
    RESULTS,
    new_event,
    pair_next_round,
    starting_numbers,
    trf_text,
    with_results,
    without_round,
)
from arpad.read import read
from arpad.web.auth import Arbiter, Viewer, allowed, viewer_of
from arpad.web.jobs import records
from arpad.web.jobs.uploads import shown_name, unpack
from arpad.web.page import PageModel, Pages, ReaderContext, RequestContext, Rows, after, rendered, row_of
from arpad.web.views.proposal import Fields
from arpad.web.views.uploads import look_at, multipart, sent_form, turn
from arpad.web.views.work import REDIRECTS, Number

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.datastructures import FormData

    from arpad.model import Games


pages = Pages("desk")
router = pages.router
MOST_BYTES, MOST_PLAYERS, MOST_ROUNDS = 500_000, 400, 30
LIMITS = {"name": 200, "start": 10, "rounds": 2, "time_control": 40, "tie_breaks": 100, "players": 40_000}
"""Fields of the form for a new event, and the characters that each may have."""
SHOWN = {"": "–", "1": "1 : 0", "=": "½ : ½", "0": "0 : 1", "+": "+ : −", "-": "− : +", "x": "− : −"}
"""Results to choose from, as `RESULTS` marks them."""
CHANGES: dict[int | str, dict[str, Any]] = {
    **REDIRECTS,
    409: {"description": "Somebody else has changed it."},
}
_MARKS = {result: mark for mark, result in RESULTS.items()}


class RunningEvents(PageModel):
    """Events that are run here, and the form for another one."""

    events: Rows
    says: str  # what was wrong with the form
    sent: dict[str, str]


class RoundsPage(PageModel):
    """One round of an event that is run here, and the standings."""

    id: int
    name: str
    version: str  # of the file: a form of an older page changes nothing
    round: int  # the one that is shown; 0: none is paired yet
    last: int  # the last one that is paired
    planned: int
    boards: (
        Rows  # games of the round, and byes: without `black`, with `points`; `mark` is the result, "": open
    )
    open: int  # games without a result, in all rounds
    untouched: bool  # the last round has no result yet, and its pairings can be removed
    results: dict[str, str]
    codes: list[str]  # tie-breaks of the standings
    standings: Rows
    words: str  # how ties are broken


@pages.page("/rounds", "rounds.html")
def running_events(ctx: ReaderContext) -> RunningEvents:
    """Show the events that are run here, and the form for another one."""
    return _form(ctx, "", {})


def _form(ctx: RequestContext, says: str, sent: dict[str, str]) -> RunningEvents:
    kept = records.last_jobs(ctx.connection, 50, records.ROUNDS) if ctx.viewer.uploads else []
    events = [row_of(j, "id", "who", "created", name=j.arguments["name"]) for j in kept]
    return RunningEvents(events=events, says=says, sent={name: sent.get(name, "") for name in LIMITS})


@router.post(
    "/rounds",
    status_code=303,
    responses={**REDIRECTS, 408: {}, 413: {}},
    openapi_extra=multipart(**dict[str, int | list[str]](LIMITS)),
)
async def begin_event(request: Request) -> Response:
    """Keep a new event: a list of players, or a tournament report file."""
    admin = await run_in_threadpool(_allowed, request)
    async with sent_form(request, admin, files=1) as form:
        return await run_in_threadpool(_begin, request, admin, form)


def _begin(request: Request, admin: Viewer, form: FormData) -> Response:
    file = form.get("file")
    sent = {name: str(form.get(name) or "")[:most] for name, most in LIMITS.items()}
    try:
        games = _of_file(file) if isinstance(file, UploadFile) and file.filename else _of_fields(sent)
        _bounded(games)
    except (ArpadError, ValueError) as error:
        with request.app.state.ledger.reading() as connection:
            page = _form(RequestContext(request.app.state, connection, viewer_of(request)), str(error), sent)
        return rendered(request, "rounds.html", page, 422)
    said = {"name": games.events[0].name, "trf": _text(games)}
    with request.app.state.ledger.writing(admin.name, "event") as connection:
        number = records.add_job(connection, records.ROUNDS, said, str(admin.name), state="done")
    return RedirectResponse(f"/rounds/{number}", 303)


def _of_file(file: UploadFile) -> Games:
    with tempfile.TemporaryDirectory(prefix="arpad-") as folder:
        path = Path(folder) / "event.trf"
        unpack(file.file, path, most=MOST_BYTES, name=shown_name(file.filename))
        games = read(path, format="trf").games
    if games.events[0].teams:
        raise UsageError("expected an event of single players, found teams: pairings are made for players")
    return games


def _of_fields(sent: dict[str, str]) -> Games:
    if not sent["name"].strip():
        raise UsageError("expected the name of the event, or a report file")
    if not sent["rounds"].isdecimal() or not 0 < int(sent["rounds"]) <= MOST_ROUNDS:
        raise UsageError(f"expected a number of rounds from 1 to {MOST_ROUNDS}, found {sent['rounds']!r}")
    if not all(c.isprintable() or c in "\r\n\t" for value in sent.values() for c in value):
        raise UsageError("expected plain text, found control characters")
    return new_event(
        sent["name"].strip(),
        sent["players"],
        rounds=int(sent["rounds"]),
        start=date.fromisoformat(sent["start"]) if sent["start"] else date.today(),
        time_control=sent["time_control"].strip() or None,
        tie_breaks=sent["tie_breaks"],
    )


def _bounded(games: Games) -> None:
    if not 1 < games.players.height <= MOST_PLAYERS:
        raise UsageError(f"expected 2 to {MOST_PLAYERS} players, found {games.players.height}")


@pages.page("/rounds/{number}", "rounds_one.html")
def running_event(
    ctx: ReaderContext, number: Number, round: Annotated[int | None, Query(ge=1, le=99)] = None
) -> RoundsPage:
    """Show a round with its pairings and results, and the standings."""
    allowed(ctx.viewer, "arbiter", writable=ctx.settings.writable)
    kept = _kept(records.job_numbered(ctx.connection, number), number)
    games = _games(kept.arguments["trf"])
    last = _paired(games)
    shown = min(round or last, last)
    names = games.players["name"].to_list()
    table = games.table.select("white", "black", "score", "black_score", "status").rows()
    boards = []
    for row in board_order(games, shown) if shown else []:
        white, black, score, black_score, status = table[row]
        mark = _MARKS.get((score, black_score, status), "")
        black_name = None if black is None else names[black]
        board = {"row": row, "white": names[white], "black": black_name, "mark": mark}
        boards.append(board | {"points": score or 0.0})
    standing, words, codes = _standings(games)
    return RoundsPage(
        id=number,
        name=kept.arguments["name"],
        version=_version(kept.arguments["trf"]),
        round=shown,
        last=last,
        planned=games.events[0].rounds or last,
        boards=boards,
        open=int((games.table["status"] == "unplayed").sum()),
        untouched=_untouched(games, last),
        results=SHOWN,
        codes=codes,
        standings=standing,
        words=words,
    )


def _standings(games: Games) -> tuple[Rows, str, list[str]]:
    numbers = starting_numbers(games)
    if not event_field(games).rounds:
        people = zip(numbers, games.players["name"], games.players["rating"], strict=True)
        starting = [
            {"number": n, "rank": n, "name": name, "rating": rating, "points": 0.0, "tie_breaks": []}
            for n, name, rating in sorted(people, key=lambda one: one[0])
        ]
        return starting, "", []
    made = report(games, judged=False)
    codes = [code for code in made.tie_break_order if code != "PTS"]
    rows = [
        row_of(
            one,
            *("rank", "name", "rating", "points"),
            number=numbers[row],
            tie_breaks=[one["tie_breaks"].get(code) for code in codes],  # type: ignore[attr-defined]
        )
        for row, one in zip(made.rows, made.standings(), strict=True)
    ]
    return rows, made.tie_break_words(), codes


@router.post("/rounds/{number}/results", status_code=303, responses=CHANGES)
def save_results(request: Request, admin: Arbiter, number: Number, fields: Fields) -> Response:
    """Keep the results of a round; fields `game:ROW` have a mark, or nothing for a game that goes on."""
    marks = {n.removeprefix("game:"): v for n, v in fields.items() if n.startswith("game:")}

    def enter(games: Games) -> Games:
        known = {str(row) for row, black in enumerate(games.table["black"]) if black is not None}
        if not marks.keys() <= known or not set(marks.values()) <= SHOWN.keys():
            raise UsageError("expected a result for games of this event: load the page again")
        return with_results(games, {int(row): mark for row, mark in marks.items()})

    _change(request, admin, number, fields, "results", enter)
    shown = fields.get("round", "")
    return RedirectResponse(
        after(f"/rounds/{number}" + (f"?round={shown}" if shown.isdecimal() else ""), "saved"), 303
    )


@router.post("/rounds/{number}/pair", status_code=303, responses=CHANGES)
def pair(request: Request, admin: Arbiter, number: Number, fields: Fields) -> Response:
    """Pair the next round; players who do not play it are named by their starting numbers."""

    def paired(games: Games) -> Games:
        row = {n: p for p, n in enumerate(starting_numbers(games))}
        byes = {}
        for field, points in (("absent", 0.0), ("half", 0.5)):
            for word in fields.get(field, "").replace(",", " ").split():
                if not word.isdecimal() or len(word) > 4 or int(word) not in row:
                    raise UsageError(f"expected starting numbers such as 3 7, found {word[:20]!r}")
                byes[row[int(word)]] = points
        with turn():
            return pair_next_round(games, byes=byes)[0]

    _change(request, admin, number, fields, "pairings", paired)
    return RedirectResponse(f"/rounds/{number}", 303)


@router.post("/rounds/{number}/unpair", status_code=303, responses=CHANGES)
def unpair(request: Request, admin: Arbiter, number: Number, fields: Fields) -> Response:
    """Remove the pairings of the last round, as long as it has no result."""

    def removed(games: Games) -> Games:
        last = _paired(games)
        if not _untouched(games, last):
            raise UsageError("expected a last round without results: take its results back first")
        return without_round(games, last)

    _change(request, admin, number, fields, "pairings removed", removed)
    return RedirectResponse(f"/rounds/{number}", 303)


@router.post("/rounds/{number}/import", status_code=303, responses=REDIRECTS)
def import_event(request: Request, admin: Arbiter, number: Number) -> Response:
    """Look at the event as at an uploaded file: the preview says what its import would change."""
    with request.app.state.ledger.reading() as connection:
        kept = _kept(records.job_numbered(connection, number), number)
    name = shown_name(f"{kept.arguments['name']}.trf".replace("/", "-"))
    file = UploadFile(io.BytesIO(kept.arguments["trf"].encode()), filename=name)
    with turn():
        return RedirectResponse(f"/upload/{look_at(request, str(admin.name), file)}", 303)


@router.post("/rounds/{number}/discard", status_code=303, responses=REDIRECTS)
def discard_event(request: Request, admin: Arbiter, number: Number, fields: Fields) -> Response:
    """Forget an event that is run here; what was imported of it stays in the ledger."""
    if fields.get("sure") != "yes":
        raise UsageError("tick that the event is to be removed first")
    with request.app.state.ledger.writing(admin.name, "event discarded") as connection:
        records.remove_job(connection, _kept(records.job_numbered(connection, number), number).id)
    return RedirectResponse("/rounds", 303)


@router.get("/rounds/{number}/files/trf", responses=REDIRECTS, response_class=Response)
def event_file(ctx: ReaderContext, number: Number) -> Response:
    """Return the event as FIDE's report file."""
    allowed(ctx.viewer, "arbiter", writable=ctx.settings.writable)
    text = _kept(records.job_numbered(ctx.connection, number), number).arguments["trf"]
    saved = {"Content-Disposition": f'attachment; filename="event-{number}.trf"'}
    return Response(text, media_type="text/plain; charset=utf-8", headers=saved)


def _allowed(request: Request) -> Viewer:
    return allowed(viewer_of(request), "arbiter", writable=request.app.state.settings.writable)


def _kept(job: records.QueuedJob | None, number: int) -> records.QueuedJob:
    if job is None or job.kind != records.ROUNDS:
        raise HTTPException(404, f"there is no event {number} that is run here")
    return job


def _change(
    request: Request,
    admin: Viewer,
    number: int,
    fields: dict[str, str],
    why: str,
    change: Callable[[Games], Games],
) -> None:
    """Change an event unless somebody has changed it since the page was loaded."""
    ledger = request.app.state.ledger
    with ledger.reading() as connection:
        before = dict(_kept(records.job_numbered(connection, number), number).arguments)
    version = _version(before["trf"])
    if fields.get("version") == version:
        now = before | {"trf": _text(change(_games(before["trf"])))}
        with ledger.writing(admin.name, why) as connection:
            kept = _kept(records.job_numbered(connection, number), number)
            if kept.arguments["trf"] == before["trf"]:
                here = sa.update(tables.jobs).where(tables.jobs.c.id == number)
                connection.execute(here.values(arguments=now))
                return
    raise HTTPException(409, "somebody has changed this event since the page was loaded: load it again")


def _version(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _games(text: str) -> Games:
    with tempfile.TemporaryDirectory(prefix="arpad-") as folder:
        path = Path(folder) / "event.trf"
        path.write_bytes(text.encode())
        return read(path, format="trf").games


def _text(games: Games) -> str:
    """Return the event as a report file; one that was made here is written as TRF26, which has all that it says."""
    return trf_text(games, "trf" if games.events[0].text else "trf26")[0]


def _paired(games: Games) -> int:
    """Return the last round with pairings."""
    at = games.table.filter(games.table["black"].is_not_null())["round"]
    return max((int(r.split(".")[0]) for r in at), default=0)


def _untouched(games: Games, number: int) -> bool:
    statuses = games.table["status"].to_list()
    return bool(number) and {statuses[row] for row in board_order(games, number)} <= {"unplayed", "bye"}
