"""Who asks: nobody in particular, a viewer, an administrator."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Form, HTTPException, Request
from starlette.concurrency import run_in_threadpool

from arpad.web.security.accounts import account_numbered
from arpad.web.security.sessions import COOKIE, session_of, token_of

__all__ = ["Administrator", "Viewer", "administrator", "reader", "viewer_of"]


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who asks, and the token of the forms on his pages."""

    name: str | None
    """None: nobody has signed in."""
    role: str | None
    token: str = ""

    @property
    def signed_in(self) -> bool:
        """Whether somebody has signed in."""
        return self.name is not None

    @property
    def decides(self) -> bool:
        """Whether he may change the ledger."""
        return self.role == "administrator"


NOBODY = Viewer(None, None)


def viewer_of(request: Request) -> Viewer:
    """Return who asks; looked up once a request, so that a role that was taken away is gone."""
    known = getattr(request.state, "viewer", None)
    if known is None:
        known = _looked_up(request)
        request.state.viewer = known
    return known


def _looked_up(request: Request) -> Viewer:
    settings = request.app.state.settings
    session = session_of(request, settings)
    if session is None:
        return NOBODY
    with request.app.state.ledger.reading() as connection:
        account = account_numbered(connection, session.account)
    if account is None or account.epoch != session.epoch:
        return NOBODY
    return Viewer(account.name, account.role, token_of(settings, session))


async def reader(request: Request) -> Viewer:
    """Return who reads, or send him to sign in; only who has a cookie is looked up in the ledger."""
    if COOKIE in request.cookies:
        viewer = await run_in_threadpool(viewer_of, request)
    else:
        viewer = viewer_of(request)
    if viewer.signed_in or request.app.state.settings.open_reading:
        return viewer
    raise HTTPException(401, "sign in to see this")


def administrator(request: Request, token: Annotated[str, Form(max_length=200)] = "") -> Viewer:
    """Return the administrator who sent one of our own forms; anybody else is refused."""
    viewer = viewer_of(request)
    if not request.app.state.settings.writable:
        raise HTTPException(
            403, "these are plain files: import them into a ledger to decide something"
        )
    if not viewer.signed_in:
        raise HTTPException(401, "sign in to do this")
    if not viewer.decides:
        raise HTTPException(403, f"{viewer.name} may look, but not decide: ask an administrator")
    if not hmac.compare_digest(token.encode(), viewer.token.encode()):
        raise HTTPException(
            403, "this form is old, or was not one of ours: go back, load the page again"
        )
    return viewer


Administrator = Annotated[Viewer, Depends(administrator)]
"""Give a form's function a parameter of this type: it is called only for an administrator's own forms."""
