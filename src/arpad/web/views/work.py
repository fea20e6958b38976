"""Background jobs."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import datetime
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Form, HTTPException, Path, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy.engine import Connection

from arpad.ledger.policy import kept_policies
from arpad.ledger.queries.games import game_sheet, games_with_moves
from arpad.ledger.queries.pool import lab_games
from arpad.web.auth import Officer
from arpad.web.cache import LedgerCache, TableVersions
from arpad.web.jobs import records
from arpad.web.jobs.kinds import words_of
from arpad.web.page import PageLink, PageModel, Pages, ReaderContext, after
from arpad.web.views.lab import LeastGames, arguments_of, least_of


class JobPage(PageModel):
    """A job: how far it is, or what became of it."""

    id: int
    kind: str
    title: str
    state: str
    who: str
    created: datetime
    started: datetime | None
    finished: datetime | None
    seen: datetime | None
    done: int
    total: int | None
    says: str | None
    stop: bool  # somebody has stopped it
    is_open: bool
    figures: dict[str, Any]
    links: list[PageLink]


class JobsPage(PageModel):
    """Jobs in the background."""

    jobs: list[JobPage]
    policies: list[str]  # whose lists can be made
    store: bool  # whether an engine's evaluations can be kept
    works: bool  # whether this server does the work


pages = Pages("desk")
router = pages.router
SHOWN = 50  # jobs on the page
DEEPEST = 30  # the deepest search in half-moves: each further half-move takes longer
Number = Annotated[int, Path(ge=1, le=2**31 - 1)]
FormNumber = Annotated[int | None, Form(ge=1, le=2**31 - 1)]
REDIRECTS: dict[int | str, dict[str, Any]] = {
    303: {"description": "Begun, or stopped."},
    401: {"description": "Nobody has signed in."},
    403: {"description": "Not an administrator, or not one of our forms."},
    404: {"description": "The ledger has nothing of this kind."},
    400: {"description": "This cannot be done."},
    422: {"description": "A field is not what it should be.", "content": {"text/html": {}}},
}


def begin(request: Request, kind: records.JobKind, arguments: dict[str, Any], who: str) -> int:
    """Enter a job and let the server look at once; return its number."""
    state = request.app.state
    with state.ledger.writing(who, kind) as connection:
        number = records.add_job(connection, kind, arguments, who)
    if state.supervisor is not None:
        state.supervisor.wake()
    return number


@pages.page("/jobs", "jobs.html")
def jobs(request: Request, ctx: ReaderContext) -> JobsPage:
    """Show what is done in the background, and what was."""
    result = records.last_jobs(ctx.connection, SHOWN)
    return JobsPage(
        jobs=[_page(request, job) for job in result],
        policies=sorted({kept.name for kept in kept_policies(ctx.connection)}),
        store=ctx.settings.store is not None,
        works=ctx.settings.work,
    )


@pages.page("/jobs/{number}", "job.html")
def job(request: Request, ctx: ReaderContext, number: Number) -> JobPage:
    """Show a job: how far it is, or what became of it."""
    return _page(request, _job(ctx.connection, number))


@router.post("/jobs/list", status_code=303, responses=REDIRECTS)
def start_list(
    request: Request,
    admin: Officer,
    policy: Annotated[str, Form(min_length=1, max_length=100)],
    name: Annotated[str, Form(max_length=100)] = "",
) -> Response:
    """Make a draft of a policy's list."""
    with request.app.state.ledger.reading() as connection:
        known = {kept.name for kept in kept_policies(connection)}
    if policy not in known:
        raise HTTPException(404, f"there is no policy {policy!r} in this ledger")
    number = begin(request, "list", {"policy": policy, "name": name.strip() or None}, _who(admin))
    return RedirectResponse(f"/jobs/{number}", 303)


@router.post("/jobs/inspect", status_code=303, responses=REDIRECTS)
def start_inspection(
    request: Request,
    admin: Officer,
    policy: Annotated[str, Form(max_length=100)] = "",
    event: FormNumber = None,
) -> Response:
    """Test events for fit and norms; what is found waits in the queue."""
    with request.app.state.ledger.reading() as connection:
        known = {kept.name for kept in kept_policies(connection)}
    if policy and policy not in known:
        raise HTTPException(404, f"there is no policy {policy!r} in this ledger")
    number = begin(request, "inspect", {"policy": policy or None, "event": event}, _who(admin))
    return RedirectResponse(f"/jobs/{number}", 303)


@router.post("/jobs/analyse", status_code=303, responses=REDIRECTS)
def start_analysis(
    request: Request,
    admin: Officer,
    game: FormNumber = None,
    event: FormNumber = None,
    depth: Annotated[int, Form(ge=1, le=DEEPEST)] = 13,
) -> Response:
    """Let an engine look at the positions of a game, or of all games of an event."""
    if request.app.state.settings.store is None:
        raise HTTPException(
            400, "the server has no store for evaluations: start arpad serve with --store FOLDER"
        )
    if (game is None) == (event is None):
        raise HTTPException(400, "expected the number of a game or of an event, one of the two")
    with request.app.state.ledger.reading() as connection:
        if game is not None:
            sheet = game_sheet(connection, game)
            there = sheet is not None and sheet.moves is not None
        else:
            there = bool(games_with_moves(connection, int(event or 0)))
    if not there:
        what = f"game {game}" if game is not None else f"event {event}"
        raise HTTPException(404, f"the ledger has no moves of {what}")
    said = {"depth": depth, **({"game": game} if game is not None else {"event": event})}
    number = begin(request, "analyse", said, _who(admin))
    return RedirectResponse(f"/jobs/{number}", 303)


@router.post("/jobs/compare", status_code=303, responses=REDIRECTS)
def start_comparison(
    request: Request,
    admin: Officer,
    least: Annotated[LeastGames, Form()] = "",
    given: Annotated[bool, Form()] = True,
) -> Response:
    """Compare all systems on the ledger's games in the background; the lab shows the result."""
    with request.app.state.ledger.reading() as connection:
        sample = lab_games(connection)
    said = arguments_of(least_of(sample, least), given=given)
    begin(request, "compare", said, _who(admin))
    query = urlencode({"field": "all", "least": said["least"], "given": str(given).lower()})
    return RedirectResponse(f"/lab?{query}", 303)


@router.post("/jobs/{number}/stop", status_code=303, responses=REDIRECTS)
def stop(request: Request, admin: Officer, number: Number) -> Response:
    """Stop a job; what it had not finished is not in the ledger."""
    state = request.app.state
    with state.ledger.reading() as connection:
        result = _job(connection, number)
    if result.is_open:
        if state.supervisor is not None:  # first: a job that writes would keep us waiting
            state.supervisor.stop(number)
        with state.ledger.writing(admin.name, "stop") as connection:
            records.ask_to_stop(connection, number)
        if state.supervisor is not None:
            state.supervisor.wake()
    return RedirectResponse(after(f"/jobs/{number}", "stopped"), 303)


def _who(admin: Officer) -> str:
    return admin.name or "?"


def _job(connection: Connection, number: int) -> records.QueuedJob:
    result = records.job_numbered(connection, number)
    if result is None or result.kind in records.KEPT:
        raise HTTPException(404, f"there is no job {number}")
    return result


def _page(request: Request, job: records.QueuedJob) -> JobPage:
    told: dict[str, Any] = {}
    supervisor = request.app.state.supervisor
    if job.is_open and supervisor is not None:
        told |= supervisor.heard(job.id)
    result = (job.result or {}) if not job.is_open else {}
    links = [PageLink(text=text, href=href) for text, href in result.get("links", [])]
    told |= {"figures": result.get("figures", {}), "links": links}
    return JobPage.of(job, title=words_of(job.kind, job.arguments), **told)


@router.post("/demo/reset", status_code=303, responses=REDIRECTS)
def reset_demo(request: Request, _: Officer) -> Response:
    """Let the demonstration begin again with the ledger as it was; no other ledger has such a copy."""
    state = request.app.state
    if not state.settings.demo:
        raise HTTPException(404, "this is no demonstration")
    with (
        closing(sqlite3.connect(state.settings.demo)) as fresh,
        closing(sqlite3.connect(state.settings.place)) as own,
    ):
        fresh.backup(own)
    state.cache, state.table_versions = LedgerCache(), TableVersions()
    return RedirectResponse(after("/", "reset"), 303)
