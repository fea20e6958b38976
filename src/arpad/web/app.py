"""The web app: its parts put together around one ledger."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI

from arpad.store.ledger.ledger import Ledger
from arpad.web import assets, home, sign_in
from arpad.web.desk import routes as desk
from arpad.web.events import routes as events
from arpad.web.games import routes as games
from arpad.web.jobs.supervisor import Supervisor
from arpad.web.lab import routes as lab
from arpad.web.lists import routes as lists
from arpad.web.marks import Touched
from arpad.web.memory import Memory
from arpad.web.mishaps import add_mishaps
from arpad.web.players import routes as players
from arpad.web.pool import routes as pool
from arpad.web.security.bodies import Bodies
from arpad.web.security.headers import Headers
from arpad.web.security.origins import Origins
from arpad.web.templates_of import environment
from arpad.web.warming import Warming

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from arpad.web.settings import Settings

__all__ = ["PARTS", "make_app"]

PARTS: tuple[Any, ...] = (assets, home, sign_in, lists, players, events, games, pool, lab, desk)
"""Modules with a `router`, in the order in which their paths are tried."""


def make_app(settings: Settings) -> FastAPI:
    """Return the web app over a ledger, ready to be served."""
    ledger = Ledger.open(settings.place)

    @asynccontextmanager
    async def living(_: FastAPI) -> AsyncIterator[None]:
        works = settings.work and settings.writable
        supervisor = Supervisor(settings) if works else None
        app.state.supervisor = supervisor
        if supervisor is not None:
            supervisor.start()
        warming = app.state.warming = Warming(app) if settings.warm else None
        if warming is not None:
            warming.start()
        try:
            yield
        finally:
            if warming is not None:
                warming.close()
            if supervisor is not None:
                supervisor.close()
            ledger.close()

    app = FastAPI(
        title="arpad",
        summary="Rating lists, players, events and games, and how every number came about.",
        version=_version(),
        docs_url=None,  # its page would load scripts from elsewhere
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=living,
    )
    app.state.settings = settings
    app.state.ledger = ledger
    app.state.supervisor = None
    app.state.warming = None
    app.state.memory = Memory()
    app.state.touched = Touched()
    app.state.templates = environment()
    for part in PARTS:
        app.include_router(part.router)
    add_mishaps(app)
    app.add_middleware(Bodies, most=settings.upload_bytes)
    app.add_middleware(Origins, hosts=settings.hosts)
    app.add_middleware(Headers)
    return app


def _version() -> str:
    from importlib.metadata import version

    return version("arpad")
