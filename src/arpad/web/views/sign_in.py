"""Signing in and out, and the page on which somebody sees and ends his own sessions."""

from __future__ import annotations

import logging
from datetime import datetime
from typing import Annotated, Any

import anyio
from fastapi import APIRouter, Form, HTTPException, Path, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response

from arpad.ledger.accounts import (
    AT_ONCE,
    LONGEST,
    account_called,
    accounts,
    begin_session,
    drop_cookie,
    end_session,
    end_sessions_of,
    matches,
    password_of,
    sessions_of,
    set_cookie,
)
from arpad.ledger.db.identity import identity_of
from arpad.web.auth import SignedIn, count_attempt, forget_attempts, viewer_of
from arpad.web.page import PageModel, after, rendered

__all__ = ["router"]

router = APIRouter(tags=["account"])
log = logging.getLogger("arpad.web.sign_in")
Name = Annotated[str, Form(min_length=1, max_length=100)]
To = Annotated[str, Form(max_length=2000)]
SessionId = Annotated[str, Path(pattern=r"^[0-9a-f]{12}$")]
DONE: dict[int | str, dict[str, Any]] = {303: {"description": "Done."}, 401: {}, 403: {}}


class SignIn(PageModel):
    """The form, and what is to be said about it."""

    to: str
    name: str = ""
    says: str = ""
    nobody: bool = False
    """There is no account yet."""


class SessionLine(PageModel):
    """A session that is open."""

    id: str
    created: datetime
    expires: datetime
    address: str
    browser: str
    this: bool
    """The session of this request."""


class AccountPage(PageModel):
    """Somebody's own account, and where he is signed in."""

    name: str
    role: str
    sessions: list[SessionLine]


def _inside(to: str) -> str:
    """Return where to go on: only within the app, never to another site.

    Examples
    --------
    >>> _inside("/lists?x=1"), _inside("//evil.example"), _inside("https://evil.example")
    ('/lists?x=1', '/', '/')
    """
    plain = to.startswith("/") and not to.startswith(("//", "/\\")) and to.isprintable()
    return to if plain and "\\" not in to else "/"


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
    """Sign somebody in, unless name and password do not belong together or there were too many attempts."""
    wait, kept = await run_in_threadpool(_counted, request, name)
    if wait:
        log.warning("sign-in refused: too many attempts: name %r from %s", name, address_of(request))
        says = f"too many attempts: try again in {wait} seconds"
        page = await run_in_threadpool(
            rendered, request, "sign_in.html", SignIn(to=_inside(to), name=name, says=says), 429
        )
        page.headers["Retry-After"] = str(wait)
        return page
    limiter = request.app.state.password_checks
    if not await anyio.to_thread.run_sync(matches, password, kept, limiter=limiter):
        log.warning("sign-in failed: name %r from %s", name, address_of(request))
        says = "name and password do not belong together"
        return await run_in_threadpool(
            rendered, request, "sign_in.html", SignIn(to=_inside(to), name=name, says=says), 401
        )
    return await run_in_threadpool(_signed_in, request, name, kept, to)


def password_limiter() -> anyio.CapacityLimiter:
    """Return what lets so many passwords be checked at once: each check takes 64 MiB."""
    return anyio.CapacityLimiter(AT_ONCE)


def _counted(request: Request, name: str) -> tuple[int, str | None]:
    """Count the attempt; return how long it has to wait, else the hash of the password."""
    with request.app.state.ledger.writing(name, "sign in") as connection:
        wait = count_attempt(connection, name, address_of(request))
        return wait, None if wait else password_of(connection, name)


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
    with request.app.state.ledger.reading() as connection:
        found = sessions_of(connection, viewer.account)
    page = AccountPage(
        name=str(viewer.name),
        role=str(viewer.role),
        sessions=[
            SessionLine(
                id=each.id,
                created=each.created,
                expires=each.expires,
                address=each.address,
                browser=each.browser,
                this=viewer.session.startswith(each.id),
            )
            for each in found
        ],
    )
    return rendered(request, "account.html", page)


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
