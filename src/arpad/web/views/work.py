"""Uploads and background jobs."""

from __future__ import annotations

import asyncio
import hmac
import threading
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast, get_args
from urllib.parse import urlencode

from fastapi import Form, HTTPException, Path, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response
from starlette.datastructures import UploadFile

from arpad.errors import InputError
from arpad.ledger.policy import kept_policies
from arpad.ledger.queries.games import game_sheet, games_with_moves
from arpad.ledger.queries.pool import lab_games
from arpad.web.auth import Administrator, Viewer, viewer_of
from arpad.web.jobs import records
from arpad.web.jobs.kinds import words_of
from arpad.web.jobs.preview import UploadError, preview
from arpad.web.jobs.uploads import new_upload, shown_name, sweep, unpack, upload_path
from arpad.web.page import PageLink, PageModel, Pages, ReaderContext, RequestContext, after, rendered
from arpad.web.views.lab import LeastGames, arguments_of, least_of
from arpad.web.views.queue import log_router
from arpad.web.views.queue import router as queue_router

if TYPE_CHECKING:
    from starlette.datastructures import FormData


__all__ = [
    "JobPage",
    "JobsPage",
    "PreviewPage",
    "UploadPage",
    "begin",
    "router",
    "routes_router",
    "upload_router",
]


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
    stop: bool
    """Somebody has stopped it."""
    is_open: bool
    figures: dict[str, Any]
    links: list[PageLink]


class JobsPage(PageModel):
    """What is done in the background."""

    jobs: list[JobPage]
    policies: list[str]
    """Whose lists can be made."""
    store: bool
    """Whether an engine's evaluations can be kept."""
    works: bool
    """Whether this server does the work."""


class WaitingUpload(PageModel):
    """An upload that was looked at and not confirmed."""

    id: int
    name: str
    created: datetime


class UploadPage(PageModel):
    """The form for a file."""

    most: int
    """Bytes that are taken."""
    unpacked: int
    """Bytes that may come out of a packed one."""
    says: str
    """What was wrong with the last one."""
    field: str
    """The field that helps: `dates`, `sheet` or ""."""
    dates: dict[str, str]
    """Orders of day and month, with their labels."""
    waiting: list[WaitingUpload]


class PreviewPage(PageModel):
    """What importing a file would change."""

    id: int
    name: str
    created: datetime
    who: str
    preview: dict[str, Any]
    changes: bool
    """Whether importing it would change anything."""


pages = Pages("desk")
router = pages.router
SHOWN = 50
"""Jobs on the page."""
DEEPEST = 30
"""The deepest search in half-moves: each further half-move takes longer."""
Number = Annotated[int, Path(ge=1, le=2**31 - 1)]
FormNumber = Annotated[int | None, Form(ge=1, le=2**31 - 1)]
REDIRECTS: dict[int | str, dict[str, Any]] = {
    303: {"description": "Begun, or stopped."},
    401: {"description": "Nobody has signed in."},
    403: {"description": "Not an administrator, or not one of our forms."},
    404: {"description": "There is no such thing in this ledger."},
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
    found = records.last_jobs(ctx.connection, SHOWN)
    return JobsPage(
        jobs=[_page(request, job) for job in found],
        policies=sorted({kept.name for kept in kept_policies(ctx.connection)}),
        store=ctx.settings.store is not None,
        works=ctx.settings.work,
    )


@pages.page("/jobs/{number}", "job.html")
def job(request: Request, ctx: ReaderContext, number: Number) -> JobPage:
    """Show a job: how far it is, or what became of it."""
    return _page(request, _job(ctx, number))


@router.post("/jobs/list", status_code=303, responses=REDIRECTS)
def start_list(
    request: Request,
    admin: Administrator,
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
    admin: Administrator,
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
    admin: Administrator,
    game: FormNumber = None,
    event: FormNumber = None,
    depth: Annotated[int, Form(ge=1, le=DEEPEST)] = 13,
) -> Response:
    """Let an engine look at the positions of a game, or of all games of an event."""
    if request.app.state.settings.store is None:
        raise HTTPException(400, "there is no place for evaluations: start arpad serve with --store FOLDER")
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
    admin: Administrator,
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
def stop(request: Request, admin: Administrator, number: Number) -> Response:
    """Stop a job; what it had not finished is not in the ledger."""
    state = request.app.state
    with state.ledger.reading() as connection:
        found = records.job_numbered(connection, number)
    if found is None or found.kind == records.PREVIEW:
        raise HTTPException(404, f"there is no job {number}")
    if found.is_open:
        if state.supervisor is not None:  # first: a job that writes would keep us waiting
            state.supervisor.stop(number)
        with state.ledger.writing(admin.name, "stop") as connection:
            records.ask_to_stop(connection, number)
        if state.supervisor is not None:
            state.supervisor.wake()
    return RedirectResponse(after(f"/jobs/{number}", "stopped"), 303)


def _who(admin: Administrator) -> str:
    return admin.name or "?"


def _job(ctx: ReaderContext, number: int) -> records.QueuedJob:
    found = records.job_numbered(ctx.connection, number)
    if found is None or found.kind == records.PREVIEW:
        raise HTTPException(404, f"there is no job {number}")
    return found


def _page(request: Request, job: records.QueuedJob) -> JobPage:
    told: dict[str, Any] = {"done": job.done, "total": job.total, "says": job.says}
    supervisor = request.app.state.supervisor
    if job.is_open and supervisor is not None:
        told |= supervisor.heard(job.id)
    result = (job.result or {}) if not job.is_open else {}
    return JobPage(
        id=job.id,
        kind=job.kind,
        title=words_of(job.kind, job.arguments),
        state=job.state,
        who=job.who,
        created=job.created,
        started=job.started,
        finished=job.finished,
        seen=job.seen,
        stop=job.stop,
        is_open=job.is_open,
        figures=result.get("figures", {}),
        links=[PageLink(text=text, href=href) for text, href in result.get("links", [])],
        **told,
    )


upload_pages = Pages("desk")
upload_router = upload_pages.router
SLOWEST = 120.0
"""Seconds that a browser has to send a file."""
AT_ONCE = threading.BoundedSemaphore(2)
"""Uploads that are looked at side by side."""
FIELDS = 10
"""Fields that the form may have."""
WORDS = {
    "say with --date when it was played": "say below when it was played",
    "--event-name": "name of the event",
    "--date": "date",
}
"""Words of a message for the command line, and those for the form."""
TimeControl = Literal["", "standard", "rapid", "blitz"]
DATES = {
    "": "as the file shows",
    "dmy": "day, month, year",
    "mdy": "month, day, year",
    "ymd": "year, month, day",
}
BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["token", "file"],
                    "properties": {
                        "token": {"type": "string", "maxLength": 200},
                        "file": {"type": "string", "format": "binary"},
                        "time_control": {"type": "string", "enum": list(get_args(TimeControl))},
                        "event_name": {"type": "string", "maxLength": 200},
                        "date": {"type": "string", "maxLength": 10},
                        "dates": {"type": "string", "enum": list(DATES)},
                        "sheet": {"type": "string", "maxLength": 100},
                    },
                }
            }
        },
    }
}


@upload_pages.page("/upload", "upload.html")
def upload_form(ctx: ReaderContext) -> UploadPage:
    """Show the form for a file, and what was uploaded and not confirmed."""
    return _form(ctx)


@upload_router.post(
    "/upload", status_code=303, responses={**REDIRECTS, 408: {}, 413: {}, 503: {}}, openapi_extra=BODY
)
async def upload(request: Request) -> Response:
    """Take a file, look at it, and show what importing it would change.

    The account is checked before the file is read.
    """
    admin = await run_in_threadpool(_allowed, request)
    try:
        form = await asyncio.wait_for(request.form(max_files=1, max_fields=FIELDS), SLOWEST)
    except TimeoutError:
        raise HTTPException(408, "the file did not come in time: try again") from None
    try:
        token = form.get("token")
        if not isinstance(token, str) or not hmac.compare_digest(token.encode(), admin.token.encode()):
            raise HTTPException(403, "this form is old, or was not one of ours: go back, load the page again")
        return await run_in_threadpool(_in_turn, request, admin, form)
    finally:
        await form.close()


@upload_pages.page("/upload/{number}", "preview.html")
def preview_page(ctx: ReaderContext, number: Number) -> PreviewPage:
    """Show what importing an uploaded file would change."""
    if not ctx.viewer.signed_in:
        raise HTTPException(401, "sign in to see this")
    if not ctx.viewer.decides:
        raise HTTPException(403, f"{ctx.viewer.name} may look, but not decide: ask an administrator")
    found = _preview(records.job_numbered(ctx.connection, number), number)
    seen = dict(found.result or {})
    changes = seen.get("earlier") is None or bool(seen.get("moves_added"))
    return PreviewPage(
        id=found.id,
        name=str(found.arguments["name"]),
        created=found.created,
        who=found.who,
        preview=seen,
        changes=changes,
    )


@upload_router.post("/upload/{number}/confirm", status_code=303, responses=REDIRECTS)
def confirm(request: Request, admin: Administrator, number: Number) -> Response:
    """Import an uploaded file in the background."""
    state = request.app.state
    with state.ledger.writing(admin.name, "import") as connection:  # of two clicks, one finds it
        found = _preview(records.job_numbered(connection, number), number)
        if not upload_path(str(found.arguments["file"])).is_file():
            raise HTTPException(404, "the file is not here any more: upload it again")
        job = records.add_job(connection, "import", found.arguments, admin.name or "?")
        records.remove_job(connection, number)
    if state.supervisor is not None:
        state.supervisor.wake()
    return RedirectResponse(f"/jobs/{job}", 303)


@upload_router.post("/upload/{number}/discard", status_code=303, responses=REDIRECTS)
def discard(request: Request, admin: Administrator, number: Number) -> Response:
    """Forget an uploaded file."""
    ledger = request.app.state.ledger
    with ledger.writing(admin.name, "discarded") as connection:
        found = _preview(records.job_numbered(connection, number), number)
        records.remove_job(connection, number)
    upload_path(str(found.arguments["file"])).unlink(missing_ok=True)
    return RedirectResponse("/upload", 303)


def _allowed(request: Request) -> Viewer:
    """Return the administrator who uploads; anybody else is refused, whatever the form says."""
    viewer = viewer_of(request)
    if not request.app.state.settings.writable:
        raise HTTPException(403, "these are plain files: import them into a ledger")
    if not viewer.signed_in:
        raise HTTPException(401, "sign in to do this")
    if not viewer.decides:
        raise HTTPException(403, f"{viewer.name} may look, but not decide: ask an administrator")
    return viewer


def _in_turn(request: Request, admin: Viewer, form: FormData) -> Response:
    if not AT_ONCE.acquire(timeout=SLOWEST):
        raise HTTPException(503, "other files are looked at: try again in a minute")
    try:
        return _taken(request, admin, form)
    finally:
        AT_ONCE.release()


def _taken(request: Request, admin: Viewer, form: FormData) -> Response:
    """Keep the file under a name of ours, look at it, and remember what was seen."""
    state = request.app.state
    file = form.get("file")
    if not isinstance(file, UploadFile) or not file.filename:
        return _again(request, "choose a file first", 422)
    sweep(state.ledger)
    name, path = shown_name(file.filename), new_upload()
    try:
        settings, reading = _settings(form)
        digest = unpack(file.file, path, most=state.settings.unpacked_bytes, name=name)
        seen = preview(state.settings.place, path, name, settings, reading)
    except InputError as error:
        path.unlink(missing_ok=True)
        return _again(request, str(error), 422, error.field if isinstance(error, UploadError) else "")
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    said = {"file": path.name, "name": name, "sha256": digest, "settings": settings, "reading": reading}
    with state.ledger.writing(admin.name, "upload") as connection:
        number = records.add_job(
            connection, records.PREVIEW, said, admin.name or "?", state="done", result=seen
        )
    return RedirectResponse(f"/upload/{number}", 303)


def _settings(form: FormData) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the fields of the form, each bounded: about the event, and about the reading of the file."""
    said = {}
    for field, most in (
        ("time_control", 10),
        ("event_name", 200),
        ("date", 10),
        ("dates", 3),
        ("sheet", 100),
    ):
        value = form.get(field) or ""
        if not isinstance(value, str) or len(value) > most or not value.isprintable():
            raise InputError(f"{field.replace('_', ' ')}: expected at most {most} characters")
        if value.strip():
            said[field] = value.strip()
    if said.get("time_control", "") not in get_args(TimeControl):
        raise InputError("time control: expected standard, rapid or blitz")
    if said.get("dates", "") not in DATES:
        raise InputError("order of day and month: expected dmy, mdy or ymd")
    reading: dict[str, Any] = {field: said.pop(field) for field in ("dates", "sheet") if field in said}
    return cast("dict[str, Any]", said), reading


def _again(request: Request, says: str, status: int, field: str = "") -> Response:
    """Show the form again with the error, and with the field that helps."""
    for typed, shown in WORDS.items():
        says = says.replace(typed, shown)
    with request.app.state.ledger.reading() as connection:
        form = _form(RequestContext(request, connection, viewer_of(request)), says, field)
    return rendered(request, "upload.html", form, status)


def _form(ctx: RequestContext, says: str = "", field: str = "") -> UploadPage:
    waiting = []
    if ctx.viewer.decides:
        found = records.last_jobs(ctx.connection, 10, records.PREVIEW)
        waiting = [WaitingUpload(id=j.id, name=str(j.arguments["name"]), created=j.created) for j in found]
    return UploadPage(
        field=field,
        dates=DATES,
        most=ctx.settings.upload_bytes,
        unpacked=ctx.settings.unpacked_bytes,
        says=says,
        waiting=waiting,
    )


def _preview(found: records.QueuedJob | None, number: int) -> records.QueuedJob:
    if found is None or found.kind != records.PREVIEW:
        raise HTTPException(404, f"there is no upload {number}: it was imported, discarded, or is too old")
    return found


routes_pages = Pages("desk")
routes_router = routes_pages.router
routes_router.include_router(queue_router)
routes_router.include_router(log_router)
routes_router.include_router(upload_router)
routes_router.include_router(router)
