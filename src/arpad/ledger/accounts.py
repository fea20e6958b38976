"""Accounts of the web app, their passwords and sessions."""

from __future__ import annotations

import hmac
import secrets
import threading
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Literal, get_args

import sqlalchemy as sa
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from arpad.errors import UsageError
from arpad.ledger.db import tables
from arpad.ledger.db.bulk import insert
from arpad.ledger.db.ledger import identity_of, next_account
from arpad.ledger.db.tables import now, sessions, tokens

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.engine import Connection
    from starlette.requests import Request
    from starlette.responses import Response

    from arpad.web.auth import WebSettings


# Passwords: hashed with argon2, never kept, long enough to be worth it.

SHORTEST, LONGEST = 10, 1024
"""Characters of a password; longer ones would only keep the server busy."""
AT_ONCE = 2
"""Hashes that are made or checked at the same time: each takes 64 MiB."""
_turns = threading.BoundedSemaphore(AT_ONCE)


@cache
def _hasher() -> PasswordHasher:
    return PasswordHasher()


@cache
def _nobodys() -> str:
    """Return a hash that no password has: an unknown name takes as long as a known one."""
    return _hasher().hash("\x00 nobody has this password")


def check_new(password: str) -> None:
    """Raise unless a password may be chosen."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise UsageError(
            f"expected a password of {SHORTEST} to {LONGEST:,} characters, found one of {len(password)}"
        )


def hashed(password: str) -> str:
    """Return argon2's hash of a password."""
    check_new(password)
    with _turns:
        return _hasher().hash(password)


def matches(password: str, kept: str | None) -> bool:
    """Say whether a password is the one that was hashed; None: there is no such account."""
    try:
        with _turns:
            _hasher().verify(kept or _nobodys(), password[:LONGEST])
    except (VerificationError, InvalidHashError):
        return False
    return kept is not None


# Sessions: rows of the ledger. The cookie holds a random number, the row holds its hash.

PREFIX = "arpad-"
"""Prefix of the cookies' names."""
LASTS = timedelta(hours=12)
"""Time after which somebody has to sign in again."""
SHORT = 12
"""Letters of a session's key that tell it from the others of its account."""
BROWSER = 200
"""Characters that are kept of what a browser says about itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A session that is open, and the account that it belongs to."""

    key: str
    account: int
    name: str
    role: str
    form_token: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenSession:
    """A session as its owner sees it in a list."""

    id: str  # the first letters of its key
    created: datetime
    expires: datetime
    address: str
    browser: str


_s, _a = sessions.c, tables.accounts.c
BY_KEY = (
    sa.select(_s.key, _s.expires, _a.id, _a.name, _a.role)
    .join_from(sessions, tables.accounts, _a.id == _s.account_id)
    .where(_s.key == sa.bindparam("key"))
)


def cookie_name(identity: str, settings: WebSettings) -> str:
    """Return the name of the cookie: each ledger has its own, also on the same machine."""
    plain = f"{PREFIX}{identity[:SHORT]}"
    return f"__Host-{plain}" if settings.secure else plain


def has_cookie(request: Request) -> bool:
    """Say whether a request carries a cookie of ours, of whatever ledger."""
    return any(name.removeprefix("__Host-").startswith(PREFIX) for name in request.cookies)


def begin_session(connection: Connection, account: int, *, address: str, browser: str) -> str:
    """Open a session and return what its cookie holds; expired sessions are deleted."""
    token, opened = secrets.token_urlsafe(32), now()
    connection.execute(sa.delete(sessions).where(_s.expires <= opened))
    connection.execute(
        sessions.insert().values(
            key=_key(identity_of(connection), token),
            account_id=account,
            created=opened,
            expires=opened + LASTS,
            address=address,
            browser="".join(c for c in browser if c.isprintable())[:BROWSER],
        )
    )
    return token


def set_cookie(response: Response, settings: WebSettings, identity: str, token: str) -> None:
    """Give a browser the cookie of a session."""
    response.set_cookie(
        cookie_name(identity, settings),
        token,
        max_age=int(LASTS.total_seconds()),
        httponly=True,
        samesite="strict",
        secure=settings.secure,
        path="/",
    )


def drop_cookie(response: Response, settings: WebSettings, identity: str) -> None:
    """Take the cookie away from a browser."""
    response.delete_cookie(
        cookie_name(identity, settings), path="/", httponly=True, samesite="strict", secure=settings.secure
    )


def session_of(request: Request, settings: WebSettings, connection: Connection) -> Session | None:
    """Return the open session of a request; None: there is none, or it has ended."""
    if not has_cookie(request):
        return None
    identity = identity_of(connection)
    token = request.cookies.get(cookie_name(identity, settings))
    if not token:
        return None
    row = connection.execute(BY_KEY, {"key": _key(identity, token)}).one_or_none()
    if row is None or row.expires <= now():
        return None
    return Session(key=row.key, account=row.id, name=row.name, role=row.role, form_token=token_of(token))


def end_session(connection: Connection, account: int, key: str) -> None:
    """End a session of an account, named by its key or by the first letters of it."""
    mine = sa.delete(sessions).where(_s.account_id == account)
    connection.execute(mine.where(_s.key.startswith(key, autoescape=True)))


def end_sessions_of(connection: Connection, account: int, *, but: str = "") -> None:
    """End every session of an account; `but` is the key of one that stays open."""
    connection.execute(sa.delete(sessions).where(_s.account_id == account, _s.key != but))


def sessions_of(connection: Connection, account: int) -> list[OpenSession]:
    """Return the open sessions of an account, the newest first."""
    query = (
        sa.select(_s.key, _s.created, _s.expires, _s.address, _s.browser)
        .where(_s.account_id == account, _s.expires > now())
        .order_by(_s.created.desc(), _s.key)
    )
    return [
        OpenSession(id=key[:SHORT], created=created, expires=expires, address=address, browser=browser)
        for key, created, expires, address, browser in connection.execute(query)
    ]


def token_of(cookie: str) -> str:
    """Return what every form of a session carries: it follows from the cookie, which no other page can read."""
    return hmac.new(cookie.encode(), b"arpad form", sha256).hexdigest()


def _key(identity: str, token: str) -> str:
    """Return what is kept of a cookie: it opens nothing, and says nothing in another ledger."""
    return hmac.new(identity.encode(), token.encode(), sha256).hexdigest()


# Accounts: who may look, upload, decide, and manage accounts.

Role = Literal["viewer", "arbiter", "officer", "administrator"]
"""Each may do what those before may: look; upload and answer doubts; make lists and decide; manage accounts."""
ACCOUNTS_LONGEST = 100
"""Characters of a name: it stands in the log beside every decision."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """An account of the web app."""

    id: int
    name: str
    role: Role
    created: datetime


ACCOUNTS = sa.select(_a.id, _a.name, _a.role, _a.created)


def accounts(connection: Connection) -> list[Account]:
    """Return everybody who can sign in, by name."""
    return [Account(**row._mapping) for row in connection.execute(ACCOUNTS.order_by(_a.name))]


def account_called(connection: Connection, name: str) -> Account | None:
    """Return somebody's account."""
    return _one(connection, _a.name == name)


def account_numbered(connection: Connection, number: int) -> Account | None:
    """Return the account of a number."""
    return _one(connection, _a.id == number)


def password_of(connection: Connection, name: str) -> str | None:
    """Return the hash of somebody's password."""
    return connection.execute(sa.select(_a.password).where(_a.name == name)).scalar()


def add_account(connection: Connection, name: str, password: str, role: Role) -> Account:
    """Make an account."""
    name = _checked_name(name)
    _check_role(role)
    if account_called(connection, name):
        raise UsageError(
            f"there is an account {name!r}: `arpad account password {name}` gives it another password"
        )
    connection.execute(
        tables.accounts.insert().values(
            id=next_account(connection),
            name=name,
            password=hashed(password),
            role=role,
            epoch=0,
            created=now(),
        )
    )
    return _known(connection, name)


def change_password(connection: Connection, name: str, password: str) -> None:
    """Give an account another password; its sessions end."""
    _update(connection, _known(connection, name), password=hashed(password))


def change_role(connection: Connection, name: str, role: Role) -> None:
    """Give somebody another role; the account is signed out everywhere."""
    _check_role(role)
    _update(connection, _known(connection, name), role=role)


def remove_account(connection: Connection, name: str) -> None:
    """Take somebody's account away, and end its sessions; decisions keep the name."""
    account = _known(connection, name)
    end_sessions_of(connection, account.id)
    connection.execute(sa.delete(tables.accounts).where(tables.accounts.c.id == account.id))


# Tokens: programs upload with them. The ledger holds their hashes.

TOKEN_LASTS = timedelta(days=366)
"""Time after which a program needs a new token."""
MOST_TOKENS = 20
"""Tokens of one account."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadToken:
    """A token as its owner sees it in a list."""

    id: int
    name: str
    created: datetime
    expires: datetime


_t = tokens.c


def add_token(connection: Connection, account: int, name: str) -> str:
    """Make a token with which a program uploads as this account; it is shown once and only its hash is kept."""
    if len(tokens_of(connection, account)) >= MOST_TOKENS:
        raise UsageError(f"expected at most {MOST_TOKENS} tokens of one account: remove one first")
    token, made = f"arpad_{secrets.token_urlsafe(32)}", now()
    key = _key(identity_of(connection), token)
    insert(
        connection,
        tokens,
        key=key,
        account_id=account,
        name=_checked_name(name),
        created=made,
        expires=made + TOKEN_LASTS,
    )
    return token


def tokens_of(connection: Connection, account: int) -> list[UploadToken]:
    """Return the tokens of an account, the newest first."""
    query = sa.select(_t.id, _t.name, _t.created, _t.expires).where(_t.account_id == account)
    return [UploadToken(**row._mapping) for row in connection.execute(query.order_by(_t.id.desc()))]


def end_token(connection: Connection, account: int, number: int) -> None:
    """Remove a token of an account."""
    connection.execute(sa.delete(tokens).where(_t.account_id == account, _t.id == number))


def account_of_token(connection: Connection, token: str) -> Account | None:
    """Return the account that a token uploads for; None: it is unknown, removed or expired."""
    key = _key(identity_of(connection), token)
    query = sa.select(_t.account_id).where(_t.key == key, _t.expires > now())
    number = connection.execute(query).scalar()
    return None if number is None else account_numbered(connection, number)


def _checked_name(name: str) -> str:
    name = " ".join(name.split())
    if not 1 <= len(name) <= ACCOUNTS_LONGEST or not name.isprintable():
        raise UsageError(
            f"expected a name of 1 to {ACCOUNTS_LONGEST} characters, found {name[:ACCOUNTS_LONGEST]!r}"
        )
    return name


def _check_role(role: str) -> None:
    if role not in get_args(Role):
        raise UsageError(f"expected a role, one of {', '.join(get_args(Role))}; found {role!r}")


def _known(connection: Connection, name: str) -> Account:
    result = account_called(connection, name)
    if result is None:
        there = ", ".join(a.name for a in accounts(connection)) or "none yet"
        raise UsageError(f"expected an account, found {name!r}: there are {there}")
    return result


def _update(connection: Connection, account: Account, **values: object) -> None:
    """Change an account, and end its sessions and tokens."""
    t = tables.accounts
    values["epoch"] = t.c.epoch + 1
    connection.execute(sa.update(t).where(t.c.id == account.id).values(**values))
    end_sessions_of(connection, account.id)
    connection.execute(sa.delete(tokens).where(_t.account_id == account.id))


def _one(connection: Connection, where: sa.ColumnElement[bool]) -> Account | None:
    row = connection.execute(ACCOUNTS.where(where)).one_or_none()
    return None if row is None else Account(**row._mapping)
