"""The web app: its parts put together around one ledger, and the server."""

from __future__ import annotations

import ipaddress
import logging
import re
import secrets
import shutil
import tempfile
from contextlib import asynccontextmanager, contextmanager
from http import HTTPStatus
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from arpad.errors import ArpadError, BusyError, LedgerError, UsageError
from arpad.ledger.accounts import accounts
from arpad.ledger.db.ledger import Ledger
from arpad.web.auth import LOOPBACK, AddressQueue, WebSettings, is_loopback
from arpad.web.cache import LedgerCache, LedgerClock, TableVersions
from arpad.web.first_start import router as start_router
from arpad.web.jobs.supervisor import Supervisor
from arpad.web.metrics import Metrics, artist
from arpad.web.metrics import router as metrics_router
from arpad.web.middleware import (
    AccessLog,
    Bodies,
    Compression,
    ETags,
    Headers,
    HeadRequests,
    Origins,
    PublicCache,
    SubPath,
)
from arpad.web.page import API, PageModel, environment, long_work, rendered
from arpad.web.views.decide import router as decide_router
from arpad.web.views.event import router as event_router
from arpad.web.views.games import router as games_router
from arpad.web.views.history import router as history_router
from arpad.web.views.home import router as home_router
from arpad.web.views.lab import router as lab_router
from arpad.web.views.lists import router as lists_router
from arpad.web.views.players import router as players_router
from arpad.web.views.pool import router as pool_router
from arpad.web.views.queue import log_router
from arpad.web.views.queue import router as queue_router
from arpad.web.views.rounds import router as rounds_router
from arpad.web.views.sign_in import password_limiter
from arpad.web.views.sign_in import router as sign_in_router
from arpad.web.views.uploads import upload_router
from arpad.web.views.work import router as jobs_router

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Sequence


PARTS: tuple[Any, ...] = (
    metrics_router,
    home_router,
    sign_in_router,
    start_router,
    lists_router,
    decide_router,
    players_router,
    event_router,
    games_router,
    pool_router,
    lab_router,
    history_router,
    queue_router,
    log_router,
    upload_router,
    rounds_router,
    jobs_router,
)
"""Routers, in the order in which their paths are tried."""


def make_app(settings: WebSettings) -> FastAPI:
    """Return the web app over a ledger, ready to be served."""
    ledger = Ledger.open(settings.place)
    clock = LedgerClock(ledger, settings.store, exact=settings.open_reading)

    @asynccontextmanager
    async def living(_: FastAPI) -> AsyncIterator[None]:
        works = settings.work and settings.writable
        supervisor = Supervisor(settings) if works else None
        app.state.supervisor = supervisor
        if supervisor is not None:
            supervisor.start()
        try:
            yield
        finally:
            if supervisor is not None:
                supervisor.close()
            clock.close()
            ledger.close()
            if settings.workers > 1:  # uvicorn kills such a process with a signal
                for helper in (artist, long_work):
                    helper.close()

    app = FastAPI(
        title="arpad",
        summary="Rating lists, players, events and games, and how every number came about.",
        version=version("arpad"),
        docs_url=None,  # its page would load scripts from elsewhere
        redoc_url=None,
        openapi_url="/api/openapi.json",
        servers=[{"url": settings.root or "/"}],
        lifespan=living,
    )
    app.state.settings = settings
    app.state.ledger = ledger
    app.state.supervisor = None
    app.state.cache = LedgerCache()
    app.state.table_versions = TableVersions()
    app.state.templates = environment()
    app.state.metrics = Metrics()
    app.state.address_queue = AddressQueue()
    app.state.password_checks = password_limiter(settings.workers)
    app.state.demo_token = secrets.token_urlsafe(16)
    for part in PARTS:
        app.include_router(part)
    _add_error_handlers(app)
    _add_layers(app, settings, clock)
    return app


def _add_layers(app: FastAPI, settings: WebSettings, clock: LedgerClock) -> None:
    """Put the layers around the app, the innermost first."""
    app.add_middleware(Bodies, most=settings.upload_bytes)
    app.add_middleware(Origins, hosts=settings.hosts)
    if settings.public:
        app.add_middleware(ETags)
    if settings.root:
        app.add_middleware(SubPath, root=settings.root)
    app.add_middleware(Compression)
    if (settings.public or settings.open_reading) and not settings.demo:  # in a demo everybody has a token
        app.add_middleware(PublicCache, clock=clock)
    app.add_middleware(HeadRequests)
    app.add_middleware(Headers, https=settings.secure)
    app.add_middleware(AccessLog, metrics=app.state.metrics)
    if settings.proxies:  # the outermost, so that every other layer knows the client
        app.add_middleware(ProxyHeadersMiddleware, trusted_hosts=list(settings.proxies))


ANYWHERE = ("0.0.0.0", "::", "")
"""Addresses that mean every address of the machine; they are no host names."""


@contextmanager
def ledger_of_files(
    files: Sequence[str], system: str, say: Callable[[str], object] = lambda _: None
) -> Iterator[str]:
    """Give a ledger with the content of files and a list made of it; it is gone afterwards."""
    from arpad.ledger.imports.importing import import_files
    from arpad.ledger.list_making import make_list
    from arpad.ledger.policy import PRESETS, add_policy, preset

    if system not in PRESETS:
        raise UsageError(f"expected rules, one of {', '.join(PRESETS)}; found {system!r}")
    with tempfile.TemporaryDirectory(prefix="arpad-") as folder:
        place = str(Path(folder) / "files.db")
        with Ledger.open(place, create=True) as ledger:
            for result in import_files(ledger, list(files)):
                say(result.summary())
            with ledger.writing(None, "policy") as connection:
                add_policy(connection, preset(system))
            try:
                say(make_list(ledger, policy=system).summary())
            except UsageError as error:  # undated files have events, and no list
                say(str(error))
        yield place


def copy_of_demo(place: str) -> str:
    """Return where the demonstration ledger is kept as it was at the beginning."""
    return f"{place}.fresh"


@contextmanager
def demo_ledger() -> Iterator[str]:
    """Give a ledger with a generated club in it; it is gone afterwards."""
    from arpad.web.first_start import fill_demo

    with tempfile.TemporaryDirectory(prefix="arpad-") as folder:
        place = str(Path(folder) / "club.db")
        fill_demo(place, more=True)
        shutil.copyfile(place, copy_of_demo(place))
        yield place


def settings_for(
    place: str,
    *,
    host: str,
    names: Sequence[str] = (),
    title: str | None = None,
    public: bool = False,
    open_reading: bool = False,
    proxies: Sequence[str] = (),
    root: str = "",
    **more: object,
) -> WebSettings:
    """Return the settings of the app, checked; `WebSettings` explains them."""
    own = Path(place).stem if "://" not in place else place.rpartition("/")[2]
    local = is_loopback(host)
    if not more.get("writable", True) and not local:
        raise UsageError(
            f"plain files are shown on this machine only, not at {host}: import them into a ledger, "
            "which has accounts"
        )
    if open_reading and (not local or names or proxies):
        raise UsageError(
            "everything is shown without signing in at 127.0.0.1 only, by no other name and with no server in "
            "front: --public shows published lists, players, events and games"
        )
    first_code = ""
    if more.get("writable", True) and not more.get("demo"):
        with Ledger.open(place) as ledger, ledger.reading() as connection:
            if not accounts(connection):  # else the first person to come would be the administrator
                first_code = secrets.token_urlsafe(16)
    if host in ANYWHERE and not names:
        raise UsageError(f"{host or 'everywhere'} is no host name: give the name of this server with --name")
    asked_at = () if host in ANYWHERE or local else (host.lower(),)
    return WebSettings(
        place=place,
        title=title or own or "arpad",
        open_reading=open_reading,
        public=public,
        first_code=first_code,
        proxies=tuple(_checked_proxy(each) for each in proxies),
        root=_checked_root(root),
        hosts=(*LOOPBACK, *asked_at, *(name.lower() for name in names)),
        **more,  # type: ignore[arg-type]
    )


def _checked_root(root: str) -> str:
    """Return the path under which the app lies, without a slash at its end."""
    root = root.rstrip("/")
    if root and not re.fullmatch(r"(/[A-Za-z0-9._~-]+)+", root):
        raise UsageError(f"expected a path such as /ratings, found {root!r}")
    return root


def _checked_proxy(address: str) -> str:
    """Return the address or network of a server in front; "everybody" is none."""
    try:
        result = ipaddress.ip_network(address, strict=False)
    except ValueError:
        raise UsageError(f"expected an address or a network such as 10.0.0.0/8, found {address!r}") from None
    if not result.prefixlen:
        raise UsageError(f"{address} are all addresses there are: name the server in front")
    return address


# Every error becomes a page with a sentence of ours.

log = logging.getLogger("arpad.web")


class ErrorPage(PageModel):
    """The page of an error."""

    status: int
    title: str
    says: str


def _add_error_handlers(app: FastAPI) -> None:
    """Register handlers that turn every error into a page, or into JSON for a request of JSON, without a traceback."""

    @app.exception_handler(HTTPException)
    def refused(request: Request, error: HTTPException) -> Response:
        if error.status_code == 401 and not _json(request) and request.method == "GET":
            return RedirectResponse(f"/sign-in?to={quote(_here(request), safe='')}", 303)
        return _answer(request, error.status_code, str(error.detail), error.headers)

    @app.exception_handler(RequestValidationError)
    def misread(request: Request, error: RequestValidationError) -> Response:
        said = "; ".join(_words(each) for each in error.errors()[:3])
        return _answer(request, 422, said)

    @app.exception_handler(ArpadError)
    def cannot(request: Request, error: ArpadError) -> Response:
        status = 503 if isinstance(error, BusyError) else 500 if isinstance(error, LedgerError) else 400
        return _answer(request, status, str(error))

    @app.exception_handler(Exception)
    def broken(request: Request, error: Exception) -> Response:
        log.error("%s %s", request.method, request.url.path, exc_info=error)
        return _answer(
            request,
            500,
            "This page failed because of an error in arpad. The log of the server has the details.",
        )


def _words(error: Any) -> str:
    where = ".".join(str(part) for part in error["loc"][1:])
    return f"{where}: {error['msg']}" if where else str(error["msg"])


def _json(request: Request) -> bool:
    return request.url.path.startswith((f"{API}/", "/charts/"))  # charts.js reads what they say


def _here(request: Request) -> str:
    query = f"?{request.url.query}" if request.url.query else ""
    return f"{request.url.path}{query}"


def _answer(request: Request, status: int, says: str, headers: Any = None) -> Response:
    page = ErrorPage(status=status, title=HTTPStatus(status).phrase, says=says)
    if _json(request):
        return JSONResponse(page.model_dump(), status_code=status, headers=headers)
    answer = rendered(request, "error.html", page, status)
    answer.headers.update(headers or {})
    return answer
