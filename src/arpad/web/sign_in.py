"""Signing in and out."""

from __future__ import annotations

import hmac
from typing import Annotated

from fastapi import APIRouter, Form, HTTPException, Query, Request
from fastapi.responses import RedirectResponse, Response

from arpad.web.contexts import Context
from arpad.web.pages import rendered
from arpad.web.security.accounts import account_called, accounts, password_of
from arpad.web.security.attempts import failed, forget, must_wait
from arpad.web.security.passwords import LONGEST, matches
from arpad.web.security.sessions import begin, end
from arpad.web.security.viewer import viewer_of

__all__ = ["router"]

router = APIRouter(tags=["account"])

Name = Annotated[str, Form(min_length=1, max_length=100)]
To = Annotated[str, Form(max_length=2000)]


class SignIn(Context):
    """The form, and what is to be said about it."""

    to: str
    name: str = ""
    says: str = ""
    nobody: bool = False
    """There is no account yet."""


def _inside(to: str) -> str:
    """Return where to go on: only within the app, never to another site.

    Examples
    --------
    >>> _inside("/lists?x=1"), _inside("//evil.example"), _inside("https://evil.example")
    ('/lists?x=1', '/', '/')
    """
    plain = to.startswith("/") and not to.startswith(("//", "/\\")) and to.isprintable()
    return to if plain and "\\" not in to else "/"


@router.get("/sign-in", include_in_schema=False)
def ask(request: Request, to: Annotated[str, Query(max_length=2000)] = "/") -> Response:
    """Show the form."""
    with request.app.state.ledger.reading() as connection:
        nobody = not accounts(connection)
    return rendered(request, "sign_in.html", SignIn(to=_inside(to), nobody=nobody))


@router.post(
    "/sign-in", status_code=303, responses={303: {"description": "Signed in."}, 401: {}, 429: {}}
)
def sign_in(
    request: Request,
    name: Name,
    password: Annotated[str, Form(min_length=1, max_length=LONGEST)],
    to: To = "/",
) -> Response:
    """Sign somebody in, unless name and password do not belong together or there were too many attempts."""
    app = request.app.state
    address = request.client.host if request.client else "?"
    with app.ledger.reading() as connection:
        wait = must_wait(connection, name, address)
        kept = None if wait else password_of(connection, name)
    if wait:
        says = f"too many attempts: try again in {-(-wait // 60)} minutes"
        page = rendered(request, "sign_in.html", SignIn(to=_inside(to), name=name, says=says), 429)
        page.headers["Retry-After"] = str(wait)
        return page
    if not matches(password, kept):
        with app.ledger.writing(name, "sign in") as connection:
            failed(connection, name, address)
        says = "name and password do not belong together"
        return rendered(request, "sign_in.html", SignIn(to=_inside(to), name=name, says=says), 401)
    with app.ledger.writing(name, "sign in") as connection:
        forget(connection, name)
        account = account_called(connection, name)
    if account is None:
        raise HTTPException(401, "this account was taken away just now")
    response = RedirectResponse(_inside(to), 303)
    begin(response, app.settings, account.id, account.epoch)
    return response


@router.post("/sign-out", status_code=303, responses={303: {"description": "Signed out."}, 403: {}})
def sign_out(request: Request, token: Annotated[str, Form(max_length=200)] = "") -> Response:
    """Sign out in this browser."""
    viewer = viewer_of(request)
    if viewer.signed_in and not hmac.compare_digest(token.encode(), viewer.token.encode()):
        raise HTTPException(403, "this form is old, or was not one of ours")
    response = RedirectResponse("/", 303)
    end(response, request.app.state.settings)
    return response
