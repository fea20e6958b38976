"""Signing in and out; the page of the own account; the accounts of everybody, for administrators."""

from __future__ import annotations

import logging
import shutil
import tempfile
from pathlib import Path as FilePath
from typing import Annotated, Any, Literal

import anyio
from fastapi import APIRouter, Form, HTTPException, Path, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse, RedirectResponse, Response
from starlette.background import BackgroundTask

from arpad.errors import ArpadError
from arpad.ledger.accounts import (
    AT_ONCE,
    LONGEST,
    Role,
    account_called,
    accounts,
    add_account,
    add_token,
    begin_session,
    change_password,
    change_role,
    drop_cookie,
    end_session,
    end_sessions_of,
    end_token,
    matches,
    password_of,
    remove_account,
    sessions_of,
    set_cookie,
    tokens_of,
)
from arpad.ledger.db.backup import back_up
from arpad.ledger.db.ledger import Ledger, identity_of
from arpad.ledger.db.tables import now
from arpad.web.auth import (
    Administrator,
    Arbiter,
    SignedIn,
    Viewer,
    allowed,
    count_attempt,
    forget_attempts,
    is_crowded,
    viewer_of,
)
from arpad.web.page import MOST, PageModel, Rows, after, long_work, rendered, row_of

router = APIRouter(tags=["account"])
log = logging.getLogger("arpad.web.sign_in")
Name = Annotated[str, Form(min_length=1, max_length=100)]
To = Annotated[str, Form(max_length=2000)]
SessionId = Annotated[str, Path(pattern=r"^[0-9a-f]{12}$")]
Password = Annotated[str, Form(min_length=1, max_length=LONGEST)]
RoleField = Annotated[Role, Form()]
RowNumber = Annotated[int, Path(ge=1, le=MOST)]
ROLES = {
    "viewer": "sees everything but days of birth",
    "arbiter": "also uploads events and answers doubts about players and reports",
    "officer": "also makes and publishes lists, and decides",
    "administrator": "also manages accounts and sees days of birth",
}
SESSION = ("id", "created", "expires", "address", "browser")
DONE: dict[int | str, dict[str, Any]] = {303: {"description": "Done."}, 401: {}, 403: {}}


class SignIn(PageModel):
    """The form, and what is to be said about it."""

    to: str
    name: str = ""
    says: str = ""
    nobody: bool = False  # there is no account yet


class AccountPage(PageModel):
    """Somebody's own account, and where he is signed in."""

    name: str
    role: str
    may: str  # what the role may do
    sessions: Rows
    tokens: Rows  # with which programs upload
    made: str  # a token that was made just now: it is shown once


class AccountsPage(PageModel):
    """All accounts, and the rights of each role."""

    accounts: Rows
    roles: dict[str, str]


def _inside(to: str) -> str:
    """Return where to go on: only within the app, never to another site.

    Examples
    --------
    >>> _inside("/lists?x=1"), _inside("//evil.example"), _inside("https://evil.example"), _inside("/..//evil")
    ('/lists?x=1', '/', '/', '/')
    """
    plain = to.startswith("/") and to.isprintable() and "\\" not in to and "//" not in to.partition("?")[0]
    return to if plain else "/"


def address_of(request: Request) -> str:
    """Return the address of the client; behind a proxy, the one that the proxy names."""
    return request.client.host if request.client else "?"


@router.get("/sign-in", include_in_schema=False)
def ask(request: Request, to: Annotated[str, Query(max_length=2000)] = "/") -> Response:
    """Show the form."""
    with request.app.state.ledger.reading() as connection:
        nobody = not accounts(connection)
    return rendered(request, "sign_in.html", SignIn(to=_inside(to), nobody=nobody))


@router.post("/sign-in", status_code=303, responses={303: {"description": "Signed in."}, 401: {}, 429: {}})
async def sign_in(
    request: Request,
    name: Name,
    password: Annotated[str, Form(min_length=1, max_length=LONGEST)],
    to: To = "/",
) -> Response:
    """Sign somebody in, unless wrong name or password or there were too many attempts."""
    wait, kept, crowded = await run_in_threadpool(_counted, request, name)
    if crowded and not wait:
        wait = await request.app.state.address_queue.turn(address_of(request))
    if wait:
        log.warning("sign-in refused: too many attempts: name %r from %s", name, address_of(request))
        page = await _refused(request, name, to, f"too many attempts: try again in {wait} seconds", 429)
        page.headers["Retry-After"] = str(wait)
        return page
    limiter = request.app.state.password_checks
    if not await anyio.to_thread.run_sync(matches, password, kept, limiter=limiter):
        log.warning("sign-in failed: name %r from %s", name, address_of(request))
        return await _refused(request, name, to, "wrong name or password", 401)
    return await run_in_threadpool(_signed_in, request, name, kept, to)


async def _refused(request: Request, name: str, to: str, says: str, status: int) -> Response:
    form = SignIn(to=_inside(to), name=name, says=says)
    return await run_in_threadpool(rendered, request, "sign_in.html", form, status)


def password_limiter(workers: int) -> anyio.CapacityLimiter:
    """Return a worker's share of the passwords that are checked at once: each check takes 64 MiB."""
    return anyio.CapacityLimiter(max(1, AT_ONCE // workers))


def _counted(request: Request, name: str) -> tuple[int, str | None, bool]:
    """Count the attempt; return how long it has to wait, else the hash of the password; and if its address is crowded."""
    address = address_of(request)
    with request.app.state.ledger.writing(name, "sign in") as connection:
        wait = count_attempt(connection, name, address)
        kept = None if wait else password_of(connection, name)
        return wait, kept, is_crowded(connection, name, address)


def _signed_in(request: Request, name: str, kept: str | None, to: str) -> Response:
    app, address = request.app.state, address_of(request)
    with app.ledger.writing(name, "sign in") as connection:
        forget_attempts(connection, name, address)
        account = account_called(connection, name)
        if account is None or password_of(connection, name) != kept:
            raise HTTPException(401, "this account was changed just now: sign in again")
        browser = request.headers.get("user-agent", "")
        token = begin_session(connection, account.id, address=address, browser=browser)
        identity = identity_of(connection)
        viewer = viewer_of(request)
        if viewer.account is not None:  # what this browser had before ends
            end_session(connection, viewer.account, viewer.session)
    log.info("sign-in: name %r as %s from %s", name, account.role, address)
    response = RedirectResponse(_inside(to), 303)
    set_cookie(response, app.settings, identity, token)
    return response


@router.post("/sign-out", status_code=303, responses=DONE)
def sign_out(request: Request, viewer: SignedIn) -> Response:
    """End this session."""
    with request.app.state.ledger.writing(viewer.name, "sign out") as connection:
        end_session(connection, viewer.account or 0, viewer.session)
        identity = identity_of(connection)
    log.info("sign-out: name %r from %s", viewer.name, address_of(request))
    response = RedirectResponse("/", 303)
    drop_cookie(response, request.app.state.settings, identity)
    return response


@router.get("/account", include_in_schema=False)
def account(request: Request) -> Response:
    """Show somebody's own account and his open sessions."""
    viewer = viewer_of(request)
    if viewer.account is None:
        raise HTTPException(401, "sign in to see this")
    return rendered(request, "account.html", _account_page(request, viewer))


def _account_page(request: Request, viewer: Viewer, made: str = "") -> AccountPage:
    number = viewer.account or 0
    with request.app.state.ledger.reading() as connection:
        result, programs = sessions_of(connection, number), tokens_of(connection, number)
    return AccountPage(
        name=str(viewer.name),
        role=str(viewer.role),
        may=ROLES[str(viewer.role)],
        made=made,
        tokens=[row_of(each, "id", "name", "created", "expires") for each in programs],
        sessions=[row_of(each, *SESSION, this=viewer.session.startswith(each.id)) for each in result],
    )


@router.post("/account/sessions/end-others", status_code=303, responses=DONE)
def end_others(request: Request, viewer: SignedIn) -> Response:
    """End every other session of the account."""
    with request.app.state.ledger.writing(viewer.name, "end sessions") as connection:
        end_sessions_of(connection, viewer.account or 0, but=viewer.session)
    return RedirectResponse(after("/account", "ended"), 303)


@router.post("/account/sessions/{session}/end", status_code=303, responses=DONE)
def end_one(request: Request, viewer: SignedIn, session: SessionId) -> Response:
    """End one session of the account."""
    with request.app.state.ledger.writing(viewer.name, "end a session") as connection:
        end_session(connection, viewer.account or 0, session)
    return RedirectResponse(after("/account", "ended"), 303)


# The account's own password and tokens, and all accounts for administrators.


@router.post("/account/password", status_code=303, responses=DONE)
async def own_password(request: Request, viewer: SignedIn, old: Password, new: Password) -> Response:
    """Give oneself another password; every session ends."""
    wait, kept, _ = await run_in_threadpool(_counted, request, str(viewer.name))
    limiter = request.app.state.password_checks
    if wait or not await anyio.to_thread.run_sync(matches, old, kept, limiter=limiter):
        raise HTTPException(403, "wrong password: it was not changed")

    def change() -> None:
        with request.app.state.ledger.writing(viewer.name, "own password") as connection:
            change_password(connection, str(viewer.name), new)

    await run_in_threadpool(change)
    return RedirectResponse("/sign-in?to=/account", 303)


@router.post("/account/tokens", response_class=Response, responses=DONE)
def make_token(request: Request, viewer: Arbiter, name: Name) -> Response:
    """Make a token for a program and show it, this once."""
    with request.app.state.ledger.writing(viewer.name, "token") as connection:
        made = add_token(connection, viewer.account or 0, name)
    return rendered(request, "account.html", _account_page(request, viewer, made))


@router.post("/account/tokens/{number}/end", status_code=303, responses=DONE)
def remove_token(request: Request, viewer: SignedIn, number: RowNumber) -> Response:
    """Remove a token of the account."""
    with request.app.state.ledger.writing(viewer.name, "token") as connection:
        end_token(connection, viewer.account or 0, number)
    return RedirectResponse(after("/account", "removed"), 303)


@router.get("/accounts", include_in_schema=False)
def all_accounts(request: Request) -> Response:
    """Show administrators who can sign in, with forms to change it."""
    viewer = allowed(viewer_of(request), "administrator", writable=request.app.state.settings.writable)
    with request.app.state.ledger.reading() as connection:
        result = accounts(connection)
    lines = [row_of(a, "name", "role", "created", own=a.id == viewer.account) for a in result]
    return rendered(request, "accounts.html", AccountsPage(accounts=lines, roles=dict(ROLES)))


@router.post(
    "/backup", response_class=Response, responses={200: {"description": "The backup."}, 401: {}, 403: {}}
)
def backup(request: Request, admin: Administrator) -> Response:
    """Give a backup of the ledger in one file."""
    folder = tempfile.mkdtemp(prefix="arpad-")
    name = f"{request.app.state.settings.title}-{now():%Y-%m-%d-%H%M}.arpad".replace("/", "-")
    try:
        path = FilePath(folder) / "backup"
        long_work(_back_up, request.app.state.settings.place, path)
    except ArpadError:
        shutil.rmtree(folder)
        raise
    log.info("backup: by %r", admin.name)
    done = BackgroundTask(shutil.rmtree, folder)
    return FileResponse(path, filename=name, media_type="application/octet-stream", background=done)


def _back_up(place: str, path: FilePath) -> None:
    with Ledger.open(place) as ledger:
        back_up(ledger, path)


@router.post("/accounts", status_code=303, responses=DONE)
def new_account(
    request: Request, admin: Administrator, name: Name, role: RoleField, password: Password
) -> Response:
    """Make an account."""
    with request.app.state.ledger.writing(admin.name, "account") as connection:
        add_account(connection, name, password, role)
    return RedirectResponse(after("/accounts", "saved"), 303)


@router.post("/accounts/change", status_code=303, responses=DONE)
def change_account(
    request: Request,
    admin: Administrator,
    name: Name,
    role: Annotated[Role | Literal["", "remove"], Form()] = "",
    password: Annotated[str, Form(max_length=LONGEST)] = "",
) -> Response:
    """Give an account another role or password, or remove it; it is signed out everywhere."""
    if name == admin.name:
        raise HTTPException(
            400, "another administrator changes this account; your password is on the page Account"
        )
    with request.app.state.ledger.writing(admin.name, "account") as connection:
        if role == "remove":
            remove_account(connection, name)
        elif role:
            change_role(connection, name, role)
        if password and role != "remove":
            change_password(connection, name, password)
    return RedirectResponse(after("/accounts", "saved"), 303)
