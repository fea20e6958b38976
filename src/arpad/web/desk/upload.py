"""Upload of an event file: kept aside, looked at, and imported when somebody confirms."""

from __future__ import annotations

import asyncio
import hmac
import threading
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast, get_args

from fastapi import HTTPException, Path, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response
from starlette.datastructures import UploadFile

from arpad.errors import InputError
from arpad.web.asking import Asked, Asking
from arpad.web.desk.work import REDIRECTS
from arpad.web.desk.work_contexts import PreviewPage, UploadPage, Waiting
from arpad.web.jobs import records
from arpad.web.jobs.preview import preview
from arpad.web.jobs.unpacking import unpack
from arpad.web.jobs.uploads import new_upload, shown_name, sweep, upload_path
from arpad.web.pages import Pages, rendered
from arpad.web.security.viewer import Administrator, Viewer, viewer_of

if TYPE_CHECKING:
    from starlette.datastructures import FormData

__all__ = ["router"]

pages = Pages("desk")
router = pages.router

SLOWEST = 120.0
"""Seconds that a browser has to send a file."""

AT_ONCE = threading.BoundedSemaphore(2)
"""Uploads that are looked at side by side."""

FIELDS = 8
"""Fields that the form may have."""

WORDS = {
    "say with --date when it was played": "say below when it was played",
    "--event-name": "name of the event",
    "--date": "date",
}
"""What a message says to whoever types commands, and what to whoever fills in the form."""

TimeControl = Literal["", "standard", "rapid", "blitz"]
Number = Annotated[int, Path(ge=1, le=2**31 - 1)]

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
                    },
                }
            }
        },
    }
}


@pages.page("/upload", "upload.html")
def upload_form(asked: Asked) -> UploadPage:
    """Show the form for a file, and what was uploaded and not confirmed."""
    return _form(asked)


@router.post(
    "/upload",
    status_code=303,
    responses={**REDIRECTS, 408: {}, 413: {}, 503: {}},
    openapi_extra=BODY,
)
async def upload(request: Request) -> Response:
    """Take a file, look at it, and show what importing it would change.

    Who asks is looked at before anything is read of the file.
    """
    admin = await run_in_threadpool(_allowed, request)
    try:
        form = await asyncio.wait_for(request.form(max_files=1, max_fields=FIELDS), SLOWEST)
    except TimeoutError:
        raise HTTPException(408, "the file did not come in time: try again") from None
    try:
        token = form.get("token")
        if not isinstance(token, str) or not hmac.compare_digest(token.encode(), admin.token.encode()):  # fmt: skip
            raise HTTPException(403, "this form is old, or was not one of ours: go back, load the page again")  # fmt: skip
        return await run_in_threadpool(_in_turn, request, admin, form)
    finally:
        await form.close()


@pages.page("/upload/{number}", "preview.html")
def preview_page(asked: Asked, number: Number) -> PreviewPage:
    """Show what importing an uploaded file would change."""
    if not asked.viewer.signed_in:
        raise HTTPException(401, "sign in to see this")
    if not asked.viewer.decides:
        raise HTTPException(403, f"{asked.viewer.name} may look, but not decide: ask an administrator")  # fmt: skip
    found = _preview(records.job_numbered(asked.connection, number), number)
    seen = dict(found.result or {})
    changes = seen.get("earlier") is None or bool(seen.get("moves_added"))
    return PreviewPage(
        id=found.id, name=str(found.arguments["name"]), created=found.created, who=found.who,
        preview=seen, changes=changes,
    )  # fmt: skip


@router.post("/upload/{number}/confirm", status_code=303, responses=REDIRECTS)
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


@router.post("/upload/{number}/discard", status_code=303, responses=REDIRECTS)
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
        settings = _settings(form)
        digest = unpack(file.file, path, most=state.settings.unpacked_bytes, name=name)
        seen = preview(state.settings.place, path, name, settings)
    except InputError as error:
        path.unlink(missing_ok=True)
        return _again(request, str(error), 422)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    said = {"file": path.name, "name": name, "sha256": digest, "settings": settings}
    with state.ledger.writing(admin.name, "upload") as connection:
        number = records.add_job(
            connection, records.PREVIEW, said, admin.name or "?", state="done", result=seen
        )
    return RedirectResponse(f"/upload/{number}", 303)


def _settings(form: FormData) -> dict[str, Any]:
    """Return what the officer says of the file, each bounded."""
    said = {}
    for field, most in (("time_control", 10), ("event_name", 200), ("date", 10)):
        value = form.get(field) or ""
        if not isinstance(value, str) or len(value) > most or not value.isprintable():
            raise InputError(f"{field.replace('_', ' ')}: expected at most {most} characters")
        if value.strip():
            said[field] = value.strip()
    if said.get("time_control", "") not in get_args(TimeControl):
        raise InputError("time control: expected standard, rapid or blitz")
    return cast("dict[str, Any]", said)


def _again(request: Request, says: str, status: int) -> Response:
    """Show the form once more, and what was wrong."""
    for typed, shown in WORDS.items():
        says = says.replace(typed, shown)
    with request.app.state.ledger.reading() as connection:
        form = _form(Asking(request, connection, viewer_of(request)), says)
    return rendered(request, "upload.html", form, status)


def _form(asked: Asking, says: str = "") -> UploadPage:
    waiting = []
    if asked.viewer.decides:
        found = records.last_jobs(asked.connection, 10, records.PREVIEW)
        waiting = [
            Waiting(id=j.id, name=str(j.arguments["name"]), created=j.created) for j in found
        ]
    return UploadPage(
        most=asked.settings.upload_bytes, unpacked=asked.settings.unpacked_bytes, says=says,
        waiting=waiting,
    )  # fmt: skip


def _preview(found: records.Job | None, number: int) -> records.Job:
    if found is None or found.kind != records.PREVIEW:
        raise HTTPException(404, f"there is no upload {number}: it was imported, discarded, or is too old")  # fmt: skip
    return found
