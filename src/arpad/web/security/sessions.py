"""Sessions: a signed cookie that says who signed in, and when; and the token that our own forms carry."""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from itsdangerous import BadSignature, URLSafeTimedSerializer

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from arpad.web.settings import Settings

__all__ = ["COOKIE", "LASTS", "Session", "begin", "end", "session_of", "token_of"]

COOKIE = "arpad"
LASTS = 12 * 3600
"""Seconds after which somebody has to sign in again."""


@dataclass(frozen=True, slots=True)
class Session:
    """What the cookie says: an account's number and epoch, and a number that nobody can guess."""

    account: int
    epoch: int
    nonce: str


def _serializer(secret: str) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(
        secret,
        salt="arpad session",
        signer_kwargs={"key_derivation": "hmac", "digest_method": sha256},
    )


def begin(response: Response, settings: Settings, account: int, epoch: int) -> Session:
    """Sign somebody in: a new session, whatever the browser had before."""
    session = Session(account, epoch, secrets.token_urlsafe(16))
    response.set_cookie(
        COOKIE,
        str(_serializer(settings.secret).dumps([session.account, session.epoch, session.nonce])),
        max_age=LASTS,
        httponly=True,
        samesite="strict",
        secure=settings.secure,
        path="/",
    )
    return session


def end(response: Response, settings: Settings) -> None:
    """Sign somebody out in this browser."""
    response.delete_cookie(
        COOKIE, path="/", httponly=True, samesite="strict", secure=settings.secure
    )


def session_of(request: Request, settings: Settings) -> Session | None:
    """Return the session of a request; None: none, an old one, or one that we did not sign."""
    cookie = request.cookies.get(COOKIE)
    if not cookie:
        return None
    try:
        said: Any = _serializer(settings.secret).loads(cookie, max_age=LASTS)
        account, epoch, nonce = said
        return Session(int(account), int(epoch), str(nonce))
    except (BadSignature, TypeError, ValueError):
        return None


def token_of(settings: Settings, session: Session) -> str:
    """Return what every form of this session carries, and no page elsewhere can know."""
    key = hmac.new(settings.secret.encode(), b"arpad form", sha256).digest()
    said = f"{session.account}.{session.epoch}.{session.nonce}".encode()
    return hmac.new(key, said, sha256).hexdigest()
