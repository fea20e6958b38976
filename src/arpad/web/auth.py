"""Limits of sign-in attempts; the viewer of a request and the rights of the viewer."""

from __future__ import annotations

import asyncio
import hmac
import math
import time
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, get_args

import sqlalchemy as sa
from cachetools import TTLCache
from fastapi import Depends, Form, HTTPException, Request
from starlette.concurrency import run_in_threadpool

from arpad.ledger.accounts import Role, has_cookie, session_of
from arpad.ledger.db.bulk import insert
from arpad.ledger.db.tables import accounts, attempts, now, sessions

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sqlalchemy.engine import Connection


LOOPBACK = ("127.0.0.1", "::1", "localhost")
"""Addresses that only this machine can reach."""
MEBIBYTE = 1024 * 1024


def is_loopback(host: str) -> bool:
    """Say whether only this machine can reach an address.

    Examples
    --------
    >>> is_loopback("127.0.0.1"), is_loopback("0.0.0.0")
    (True, False)
    """
    return host in LOOPBACK


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSettings:
    """Settings of the web app."""

    place: str
    """The ledger: a file or a URL."""
    title: str = "arpad"
    writable: bool = True
    """False over plain files: there is no ledger to write in."""
    open_reading: bool = False
    """Everybody at this machine may read everything without signing in."""
    demo: str = ""
    """Place of a copy of the demonstration ledger: everybody at this machine may change it, and begin again."""
    public: bool = False
    """Published lists, players, events and games are readable without signing in."""
    first_code: str = ""
    """A person with this code makes the first administrator; "": nobody does."""
    proxies: tuple[str, ...] = ()
    """Addresses or networks of trusted proxies: only their headers about the client are used."""
    hosts: tuple[str, ...] = LOOPBACK
    """Host names of the app: requests to any other name are refused."""
    secure: bool = False
    """Cookies travel by https only: for an app behind a server that speaks it."""
    store: Path | None = None
    """Evaluations of an engine; None: none are shown."""
    upload_bytes: int = 32 * MEBIBYTE
    """An uploaded file may have this many bytes …"""
    unpacked_bytes: int = 256 * MEBIBYTE
    """… and this many when it is unpacked."""
    root: str = ""
    """The path under which the server in front shows the app: "/ratings"; "": at the top."""
    workers: int = 1
    """Processes that answer requests; each checks its share of the passwords that are checked at once."""
    work: bool = True
    """Do the work that waits; else another server does it."""


# Attempts to sign in: each is counted before the password is checked; after a few the next one has to wait.
#
# Nobody is locked out: a wait lasts a minute at most, and it holds for one name from one address.

FREE = 5
"""Attempts that a name has from an address within the window before it has to wait."""
FLOOD_BY_NAME, FLOOD_BY_ADDRESS = 20, 30
"""Attempts on a name from all addresses, or from an address on all names, after which only one is free."""
FIRST_WAIT, LONGEST_WAIT = 15, 60
"""Seconds: the wait doubles with every further attempt up to the longest."""
WINDOW = timedelta(minutes=15)
_t = attempts.c


def count_attempt(connection: Connection, name: str, address: str) -> int:
    """Count an attempt and return 0; or count nothing and return the seconds that it has to wait.

    The caller holds the write lock of the ledger, so attempts at the same moment are counted one by one.
    """
    connection.execute(sa.delete(attempts).where(_t.when <= now() - WINDOW))
    last, tried = connection.execute(
        sa.select(sa.func.max(_t.when), sa.func.count()).where(_t.name == name, _t.address == address)
    ).one()
    flood = (
        _counted(connection, _t.name == name) >= FLOOD_BY_NAME
        or _counted(connection, _t.address == address) >= FLOOD_BY_ADDRESS
    )
    over = tried - (1 if flood else FREE)
    if over >= 0:
        wait = min(FIRST_WAIT * 2 ** min(over, 10), LONGEST_WAIT)
        left = int((last + timedelta(seconds=wait) - now()).total_seconds())
        if left > 0:
            return left
    insert(connection, attempts, name=name, address=address, when=now())
    return 0


def is_crowded(connection: Connection, name: str, address: str) -> bool:
    """Say whether an address has too many attempts on all names; not for a name that has a session from there.

    An office, or a server in front that nobody has named, has one address for everybody.
    """
    s, a = sessions.c, accounts.c
    known = sa.select(s.key).join_from(sessions, accounts, a.id == s.account_id)
    known = known.where(a.name == name, s.address == address).limit(1)
    return (
        _counted(connection, _t.address == address) > FLOOD_BY_ADDRESS
        and connection.execute(known).first() is None
    )


PAUSE, MOST_WAITING = 2.0, 10
"""Seconds between two attempts from a crowded address, and how many may wait for their turn."""


class AddressQueue:
    """The turns of crowded addresses: who guesses one password over many names gets an answer every `PAUSE` seconds."""

    def __init__(self) -> None:
        self._free: TTLCache[str, float] = TTLCache(1000, 2 * PAUSE * MOST_WAITING)

    async def turn(self, address: str) -> int:
        """Wait for the next turn of an address and return 0; or return at once the seconds until there is room."""
        here = time.monotonic()
        turn = max(here, self._free.get(address, 0.0))
        if turn - here >= PAUSE * MOST_WAITING:
            return math.ceil(turn - here)
        self._free[address] = turn + PAUSE
        await asyncio.sleep(turn - here)
        return 0


def forget_attempts(connection: Connection, name: str, address: str) -> None:
    """Forget the attempts of a name from an address: it has signed in."""
    connection.execute(sa.delete(attempts).where(_t.name == name, _t.address == address))


def _counted(connection: Connection, where: sa.ColumnElement[bool]) -> int:
    query = sa.select(sa.func.count()).select_from(attempts).where(where)
    return int(connection.execute(query).scalar_one())


FORWARDED = ("x-forwarded-for", "forwarded", "x-real-ip", "x-forwarded-host", "via")
"""Headers that a proxy adds: its clients do not sit at this machine."""


ROLES: tuple[str, ...] = get_args(Role)


@dataclass(frozen=True, slots=True)
class Viewer:
    """The person behind a request, and the token of the forms on the pages."""

    name: str | None
    """None: nobody has signed in."""
    role: str | None
    token: str = ""
    account: int | None = None
    session: str = ""
    """The key of his session."""
    sees_all: bool = False
    """He may read everything; else only what is public, if the server has a public part."""

    @property
    def signed_in(self) -> bool:
        """Whether the reader has signed in."""
        return self.name is not None

    def is_at_least(self, role: Role) -> bool:
        """Say whether he may do what a role may."""
        return self.role in ROLES and ROLES.index(self.role) >= ROLES.index(role)

    @property
    def uploads(self) -> bool:
        """Whether the account may upload, and settle questions about players and reports."""
        return self.is_at_least("arbiter")

    @property
    def decides(self) -> bool:
        """Whether the account may make lists and decide."""
        return self.is_at_least("officer")

    @property
    def administers(self) -> bool:
        """Whether the account may manage accounts and see days of birth."""
        return self.is_at_least("administrator")


NOBODY = Viewer(None, None)
ANYBODY = Viewer(None, None, sees_all=True)
"""Any user of this machine, where reading is open."""


def viewer_of(request: Request) -> Viewer:
    """Return the viewer of a request; looked up once a request, so that an ended session has no effect."""
    known = getattr(request.state, "viewer", None)
    if known is None:
        known = _looked_up(request)
        request.state.viewer = known
    return known


def _looked_up(request: Request) -> Viewer:
    settings = request.app.state.settings
    if has_cookie(request):
        with request.app.state.ledger.reading() as connection:
            result = session_of(request, settings, connection)
        if result is not None:
            return Viewer(
                result.name, result.role, result.form_token, result.account, result.key, sees_all=True
            )
    local = settings.open_reading and not any(name in request.headers for name in FORWARDED)
    if local and settings.demo:
        return Viewer("Demo officer", "administrator", request.app.state.demo_token, sees_all=True)
    return ANYBODY if local else NOBODY


async def _viewer(request: Request) -> Viewer:
    if has_cookie(request):  # else the ledger is not needed
        return await run_in_threadpool(viewer_of, request)
    return viewer_of(request)


async def reader(request: Request) -> Viewer:
    """Return the viewer, or request to sign in."""
    viewer = await _viewer(request)
    if viewer.sees_all:
        return viewer
    raise HTTPException(401, "sign in to see this")


async def public_reader(request: Request) -> Viewer:
    """Return the viewer of a public page: anybody, where the server has a public part."""
    viewer = await _viewer(request)
    if viewer.sees_all or request.app.state.settings.public:
        return viewer
    raise HTTPException(401, "sign in to see this")


def signed_in(request: Request, token: Annotated[str, Form(max_length=200)] = "") -> Viewer:
    """Return the person who sent one of our own forms; refuse others."""
    viewer = viewer_of(request)
    if not viewer.signed_in:
        raise HTTPException(401, "sign in to do this")
    if not hmac.compare_digest(token.encode(), viewer.token.encode()):
        raise HTTPException(
            403, "this form has expired or comes from another site: go back and load the page again"
        )
    return viewer


def allowed(viewer: Viewer, role: Role, *, writable: bool) -> Viewer:
    """Return the viewer if he may do what a role may; anybody else is refused."""
    if not writable:
        raise HTTPException(403, "these are plain files: import them into a ledger to decide something")
    if not viewer.signed_in:
        raise HTTPException(401, "sign in to do this")
    if not viewer.is_at_least(role):
        raise HTTPException(403, f"this takes an {role}, and {viewer.name} is {viewer.role}")
    return viewer


def _of_role(role: Role) -> Callable[..., Viewer]:
    def check(request: Request, token: Annotated[str, Form(max_length=200)] = "") -> Viewer:
        allowed(viewer_of(request), role, writable=request.app.state.settings.writable)
        return signed_in(request, token)

    return check


SignedIn = Annotated[Viewer, Depends(signed_in)]
Arbiter = Annotated[Viewer, Depends(_of_role("arbiter"))]
"""Give a form's function a parameter of this type: it is called only for an arbiter's own forms, and an officer's."""
Officer = Annotated[Viewer, Depends(_of_role("officer"))]
Administrator = Annotated[Viewer, Depends(_of_role("administrator"))]
