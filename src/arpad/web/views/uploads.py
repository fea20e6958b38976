"""Uploads: by the form of the page, and by programs with a token; preview, confirmation."""

from __future__ import annotations

import asyncio
import hmac
import tempfile
import threading
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast, get_args

from fastapi import APIRouter, Depends, HTTPException, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response
from starlette.datastructures import UploadFile

from arpad.errors import InputError, UsageError
from arpad.ledger.accounts import account_of_token
from arpad.web.auth import Arbiter, Viewer, allowed, viewer_of
from arpad.web.jobs import records
from arpad.web.jobs.preview import UploadError, preview
from arpad.web.jobs.uploads import (
    copy_upload,
    drop_upload,
    has_upload,
    keep_upload,
    shown_name,
    sweep,
    unpack,
)
from arpad.web.page import PageLink, PageModel, Pages, ReaderContext, RequestContext, after, rendered
from arpad.web.views.proposal import Fields
from arpad.web.views.work import REDIRECTS, Number

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping

    from sqlalchemy.engine import Connection
    from starlette.datastructures import FormData


class WaitingUpload(PageModel):
    """An upload that was looked at and not confirmed."""

    id: int
    name: str
    created: datetime
    says: str  # why it was refused; "": it was not


class UploadPage(PageModel):
    """The form for a file."""

    most: int  # bytes that are taken
    unpacked: int  # bytes that may come out of a packed one
    says: str  # what was wrong with the last one
    field: str  # the field that helps: `dates`, `sheet` or ""
    dates: dict[str, str]  # orders of day and month, with their labels
    waiting: list[WaitingUpload]
    again: WaitingUpload | None  # the refused file that the form is about: it need not be sent again
    sent: dict[str, str]  # what was filled in


class PreviewPage(PageModel):
    """Changes that an import would make."""

    id: int
    name: str
    created: datetime
    who: str
    preview: dict[str, Any]
    changes: bool  # whether importing it would change anything


upload_pages = Pages("desk")
upload_router = upload_pages.router
SLOWEST = 120.0  # seconds that a browser has to send a file
AT_ONCE = threading.BoundedSemaphore(2)  # uploads that are looked at side by side
FIELDS, FILES = 10, 50  # fields and files that the form may have
TimeControl = Literal["", "standard", "rapid", "blitz"]
DATES = {
    "": "as the file shows",
    "dmy": "day, month, year",
    "mdy": "month, day, year",
    "ymd": "year, month, day",
}
LIMITS = (("time_control", 10), ("event_name", 200), ("date", 10), ("dates", 3), ("sheet", 100))
"""Fields of the form, and the characters that each may have."""
LONGEST_NUMBER = 10


def multipart(*required: str, **fields: int | list[str]) -> dict[str, Any]:
    """Return the OpenAPI description of a form with a token and files: what each field may have, or how long it is."""
    properties: dict[str, Any] = {"token": {"type": "string", "maxLength": 200}}
    properties["file"] = {"type": "string", "format": "binary"}
    for name, most in fields.items():
        limit = {"maxLength": most} if isinstance(most, int) else {"enum": most}
        properties[name] = {"type": "string", **limit}
    schema = {"type": "object", "required": ["token", "file", *required], "properties": properties}
    return {"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": schema}}}}


FIELDS_OF_FORM: dict[str, int | list[str]] = {**dict(LIMITS), "again": LONGEST_NUMBER, "dates": list(DATES)}
BODY = multipart(**FIELDS_OF_FORM | {"time_control": list(get_args(TimeControl))})


@upload_pages.page("/upload", "upload.html")
def upload_form(ctx: ReaderContext) -> UploadPage:
    """Show the form for a file, and what was uploaded and not confirmed."""
    return _form(ctx)


@upload_router.post(
    "/upload", status_code=303, responses={**REDIRECTS, 408: {}, 413: {}, 503: {}}, openapi_extra=BODY
)
async def upload(request: Request) -> Response:
    """Take files, look at them, and show what importing them would change.

    The account is checked before a file is read.
    """
    admin = await run_in_threadpool(_allowed, request)
    async with sent_form(request, admin, files=FILES) as form:
        return await run_in_threadpool(_in_turn, request, admin, form)


@asynccontextmanager
async def sent_form(request: Request, viewer: Viewer, *, files: int) -> AsyncIterator[FormData]:
    """Give a form with files that somebody sent, within the time for it; a strange form is refused."""
    try:
        form = await asyncio.wait_for(request.form(max_files=files, max_fields=FIELDS), SLOWEST)
    except TimeoutError:
        raise HTTPException(408, "the upload took too long: try again") from None
    try:
        token = form.get("token")
        if not isinstance(token, str) or not hmac.compare_digest(token.encode(), viewer.token.encode()):
            raise HTTPException(
                403, "this form has expired or comes from another site: go back and load the page again"
            )
        yield form
    finally:
        await form.close()


@upload_pages.page("/upload/{number}", "preview.html")
def preview_page(ctx: ReaderContext, number: Number) -> PreviewPage:
    """Show what importing an uploaded file would change."""
    allowed(ctx.viewer, "arbiter", writable=ctx.settings.writable)
    result = _preview(records.job_numbered(ctx.connection, number), number)
    if result.state == "failed":
        raise HTTPException(404, f"this file was refused: {result.says}")
    seen = dict(result.result or {})
    changes = seen.get("earlier") is None or bool(seen.get("moves_added"))
    return PreviewPage(
        id=result.id,
        name=str(result.arguments["name"]),
        created=result.created,
        who=result.who,
        preview=seen,
        changes=changes,
    )


@upload_router.post("/upload/{number}/confirm", status_code=303, responses=REDIRECTS)
def confirm(request: Request, admin: Arbiter, number: Number, fields: Fields) -> Response:
    """Import an uploaded file in the background; fields `who:NAME` answer who doubtful players are."""
    answers = {n.removeprefix("who:"): v for n, v in fields.items() if n.startswith("who:") and v}
    with request.app.state.ledger.writing(admin.name, "import") as connection:  # of two clicks, one finds it
        result = _preview(records.job_numbered(connection, number), number)
        said = {**result.arguments, "answers": answers} if answers else result.arguments
        job = _begin_import(connection, said, admin.name or "?")
        records.remove_job(connection, number)
    _wake(request)
    return RedirectResponse(f"/jobs/{job}", 303)


def _begin_import(connection: Connection, arguments: Mapping[str, Any], who: str) -> int:
    if not has_upload(connection, str(arguments["file"])):
        raise HTTPException(404, "the file is not here any more: upload it again")
    return records.add_job(connection, "import", arguments, who)


def _wake(request: Request) -> None:
    if request.app.state.supervisor is not None:
        request.app.state.supervisor.wake()


@upload_router.post("/upload/{number}/discard", status_code=303, responses=REDIRECTS)
def discard(request: Request, admin: Arbiter, number: Number) -> Response:
    """Forget an uploaded file."""
    with request.app.state.ledger.writing(admin.name, "discarded") as connection:
        result = _preview(records.job_numbered(connection, number), number)
        records.remove_job(connection, number)
        drop_upload(connection, str(result.arguments["file"]))
    return RedirectResponse("/upload", 303)


def _allowed(request: Request) -> Viewer:
    """Return who uploads; anybody else is refused, whatever the form says."""
    return allowed(viewer_of(request), "arbiter", writable=request.app.state.settings.writable)


def _in_turn(request: Request, admin: Viewer, form: FormData) -> Response:
    with turn():
        return _taken(request, admin, form)


@contextmanager
def turn() -> Iterator[None]:
    """Wait for room among the files that are looked at."""
    if not AT_ONCE.acquire(timeout=SLOWEST):
        raise HTTPException(503, "other files are being checked: try again in a minute")
    try:
        yield
    finally:
        AT_ONCE.release()


def _taken(request: Request, admin: Viewer, form: FormData) -> Response:
    """Look at each file and keep it with what was seen; a refused file is kept, too, if the form can help."""
    files = [each for each in form.getlist("file") if isinstance(each, UploadFile) and each.filename]
    again = _refused_before(request, str(form.get("again") or "")) if not files else None
    if not files and again is None:
        return _again(request, form, "choose a file first")
    sweep(request.app.state.ledger)
    try:
        settings, reading = _settings({name: form.get(name) for name, _ in LIMITS})
    except InputError as error:
        return _again(request, form, str(error), again=again)
    taken, wrong = [], []
    kept: list[UploadFile | records.QueuedJob] = [*files] if again is None else [again]
    for file in kept:
        try:
            taken.append(look_at(request, str(admin.name), file, settings, reading))
        except _RefusedError as error:
            wrong.append(error)
    if wrong and len(files) < 2:
        return _again(request, form, wrong[0].says, wrong[0].field, wrong[0].kept)
    if wrong:
        return _again(request, None, " ".join(each.says for each in wrong))
    place = f"/upload/{taken[0]}" if len(taken) == 1 else after("/upload", "uploaded")
    return RedirectResponse(place, 303)


class _RefusedError(UsageError):
    """A file cannot be imported as it is; it is kept if a field of the form can help."""

    def __init__(self, says: str, field: str = "", kept: records.QueuedJob | None = None) -> None:
        self.says, self.field, self.kept = says, field, kept
        super().__init__(says)


def look_at(
    request: Request,
    who: str,
    file: UploadFile | records.QueuedJob,
    settings: Mapping[str, Any] = MappingProxyType({}),
    reading: Mapping[str, Any] = MappingProxyType({}),
) -> int:
    """Keep a file with what its import would change, and return the number of the preview."""
    state = request.app.state
    with tempfile.TemporaryDirectory(prefix="arpad-") as folder:
        path = Path(folder) / "upload"
        if isinstance(file, UploadFile):
            name = shown_name(file.filename)
            try:
                digest = unpack(file.file, path, most=state.settings.unpacked_bytes, name=name)
            except InputError as error:
                raise _RefusedError(str(error)) from None
        else:
            name, digest = str(file.arguments["name"]), str(file.arguments["sha256"])
            if not copy_upload(state.ledger, str(file.arguments["file"]), path):
                raise _RefusedError(f"{name} is not kept any more: choose it again")
        said: dict[str, Any] = {"name": name, "sha256": digest}
        said |= {"settings": dict(settings), "reading": dict(reading)}
        seen, wrong = None, None
        try:
            seen = preview(state.settings.place, path, name, said["settings"], said["reading"])
        except InputError as error:
            wrong = error
        field = wrong.field if isinstance(wrong, UploadError) else ""
        words = None if wrong is None else str(wrong)
        with state.ledger.writing(who, "upload") as connection:
            if isinstance(file, records.QueuedJob):
                records.remove_job(connection, file.id)
                drop_upload(connection, str(file.arguments["file"]))
            if wrong is None or field:
                said["file"] = keep_upload(connection, path)
                outcome: records.JobState = "done" if wrong is None else "failed"
                number = records.add_job(
                    connection, records.PREVIEW, said, who, state=outcome, says=words, result=seen
                )
                kept = records.job_numbered(connection, number)
    if wrong is not None:
        raise _RefusedError(str(words), field, kept if field else None)
    return number


def _refused_before(request: Request, number: str) -> records.QueuedJob | None:
    """Return the refused file that a form is about."""
    if not number.isdecimal() or len(number) > LONGEST_NUMBER:
        return None
    with request.app.state.ledger.reading() as connection:
        result = records.job_numbered(connection, int(number))
    return result if result is not None and result.kind == records.PREVIEW else None


def _settings(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the fields of the form, each bounded: about the event, and about the reading of the file."""
    said = {}
    for field, most in LIMITS:
        value = given.get(field) or ""
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


def _again(
    request: Request,
    form: FormData | None,
    says: str,
    field: str = "",
    again: records.QueuedJob | None = None,
) -> Response:
    """Show the form again as it was filled in, with the error, and with the field that helps."""
    sent = {name: str((form and form.get(name)) or "")[:most] for name, most in LIMITS}
    with request.app.state.ledger.reading() as connection:
        page = _form(
            RequestContext(request.app.state, connection, viewer_of(request)), says, field, again, sent
        )
    return rendered(request, "upload.html", page, 422)


def _form(
    ctx: RequestContext,
    says: str = "",
    field: str = "",
    again: records.QueuedJob | None = None,
    sent: dict[str, str] | None = None,
) -> UploadPage:
    result = records.last_jobs(ctx.connection, FILES, records.PREVIEW) if ctx.viewer.uploads else []
    return UploadPage(
        field=field,
        dates=DATES,
        most=ctx.settings.upload_bytes,
        unpacked=ctx.settings.unpacked_bytes,
        says=says,
        waiting=[_waiting(each) for each in result],
        again=None if again is None else _waiting(again),
        sent=sent or {name: "" for name, _ in LIMITS},
    )


def _waiting(job: records.QueuedJob) -> WaitingUpload:
    name = str(job.arguments["name"])
    return WaitingUpload(id=job.id, name=name, created=job.created, says=job.says or "")


def _preview(found: records.QueuedJob | None, number: int) -> records.QueuedJob:
    if found is None or found.kind != records.PREVIEW:
        raise HTTPException(404, f"there is no upload {number}: it was imported, discarded, or is too old")
    return found


# The writing API: a program sends a file with a token, and looks how far its import is.

api_router = APIRouter(tags=["programs"])
Choice = Annotated[str, Query(max_length=200)]
FILE: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
OUTCOMES: dict[int | str, dict[str, Any]] = {
    401: {"description": "There is no token, or it is not known."},
    403: {"description": "The account of the token may not upload."},
    413: {"description": "The file is too long."},
    422: {"description": "The file cannot be imported as it is."},
    503: {"description": "Other files are being checked: try again in a minute."},
}


class SentUpload(PageModel):
    """Result of a file that a program has sent."""

    number: int  # the number of the import; look at `href` for how far it is
    href: str
    state: str
    says: str | None
    preview: dict[str, Any] | None
    events: list[PageLink]


def _program(request: Request) -> Viewer:
    """Return the account that a program uploads for; a token opens nothing else."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    result = None
    if scheme.lower() == "bearer" and token.strip():
        with request.app.state.ledger.reading() as connection:
            result = account_of_token(connection, token.strip()[:LONGEST_TOKEN])
    if result is None:
        raise HTTPException(
            401, "expected a token: Authorization: Bearer TOKEN", {"WWW-Authenticate": "Bearer"}
        )
    viewer = Viewer(result.name, result.role, account=result.id)
    return allowed(viewer, "arbiter", writable=request.app.state.settings.writable)


LONGEST_TOKEN = 200
Program = Annotated[Viewer, Depends(_program)]


@api_router.post("/api/uploads", status_code=202, responses=OUTCOMES, openapi_extra=FILE)
async def send(
    request: Request,
    program: Program,
    name: Choice,
    time_control: Choice = "",
    event_name: Choice = "",
    date: Choice = "",
    dates: Choice = "",
    sheet: Choice = "",
    preview: bool = False,
) -> SentUpload:
    """Import the file in the body of the request in the background; with `preview`, only say what would change."""
    given = {
        "time_control": time_control,
        "event_name": event_name,
        "date": date,
        "dates": dates,
        "sheet": sheet,
    }
    with tempfile.SpooledTemporaryFile(max_size=1 << 20) as body:
        async for block in request.stream():
            body.write(block)
        body.seek(0)
        file = UploadFile(cast("Any", body), filename=name)
        return await run_in_threadpool(_sent, request, str(program.name), file, given, only=preview)


def _sent(request: Request, who: str, file: UploadFile, given: dict[str, str], *, only: bool) -> SentUpload:
    sweep(request.app.state.ledger)
    try:
        settings, reading = _settings(given)
        with turn():
            number = look_at(request, who, file, settings, reading)
    except (InputError, _RefusedError) as error:
        raise HTTPException(422, str(error)) from None
    with request.app.state.ledger.writing(who, "import") as connection:
        result = _preview(records.job_numbered(connection, number), number)
        records.remove_job(connection, number)
        if only:
            drop_upload(connection, str(result.arguments["file"]))
            return SentUpload(
                number=0, href="", state="preview", says=None, preview=dict(result.result or {}), events=[]
            )
        job = _begin_import(connection, result.arguments, who)
        made = records.job_numbered(connection, job)
    _wake(request)
    return _upload_state(made, result.result)


@api_router.get(
    "/api/uploads/{number}", responses=OUTCOMES | {404: {"description": "No such import of yours."}}
)
def sent_state(request: Request, program: Program, number: Number) -> SentUpload:
    """Say how far the import of a file is that the account of the token has sent."""
    with request.app.state.ledger.reading() as connection:
        result = records.job_numbered(connection, number)
    if result is None or result.kind != "import" or result.who != program.name:
        raise HTTPException(404, f"there is no import {number} of {program.name}")
    return _upload_state(result, None)


def _upload_state(job: records.QueuedJob | None, seen: Mapping[str, Any] | None) -> SentUpload:
    assert job is not None
    links = (job.result or {}).get("links", []) if not job.is_open else []
    return SentUpload(
        number=job.id,
        href=f"/api/uploads/{job.id}",
        state=job.state,
        says=job.says,
        preview=None if seen is None else dict(seen),
        events=[PageLink(text=text, href=href) for text, href in links],
    )


upload_router.include_router(api_router)
