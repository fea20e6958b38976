"""What a server does as soon as it runs: it asks itself for a page of each kind, so that nobody waits for the first.

Templates are compiled on the way, names and lists are read, and the library of charts is loaded, which takes longer
than everything else. Readers come first: whoever asks meanwhile waits for no more than what he asks for. Once the ledger
has changed and is quiet again, the same pages are asked for anew: what takes seconds to work out is there before somebody looks.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from arpad.errors import ArpadError
from arpad.office.showing.courses import list_facts
from arpad.store.ledger import tables
from arpad.web.lists.addresses import list_href
from arpad.web.marks import marks_of
from arpad.web.security.viewer import NOBODY, Viewer

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from fastapi import FastAPI
    from sqlalchemy.engine import Connection

    from arpad.web.marks import Marks

__all__ = ["Warming", "first_pages"]

log = logging.getLogger("arpad.web")

BREATH = 0.02
"""Seconds between two pages: readers come first."""

QUIET = 5.0
"""Seconds in which nothing was written before pages are asked for again."""

SLOW = ("/pool", "/pool/drift", "/pool/exchange", "/pool/deflation", "/lab", "/lab/worlds")
"""Pages that a big ledger needs seconds for; whatever else was asked of them, they have it then."""

PATIENCE = 5.0
"""Seconds that a server which is told to end waits for the page that is being made."""

SELF = Viewer("arpad", None)
"""Who looks where only those who have signed in may look; he sees no page of anybody, and decides nothing."""


class Warming:
    """A thread that asks for one page after the other; `start` it with the server, `close` it at the end."""

    def __init__(self, app: FastAPI, *, quiet: float = QUIET) -> None:
        self._app = app
        self._quiet = quiet
        self._closing, self._warm = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="warming", daemon=True)
        self.asked: list[tuple[str, int]] = []
        """Addresses that were asked for the last time, and how they were answered."""

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def close(self) -> None:
        """Leave the rest."""
        self._closing.set()
        self._thread.join(PATIENCE)

    def wait(self) -> None:
        """Wait until the first pages are there."""
        self._warm.wait()

    def _run(self) -> None:
        last = warmed = self._marks()
        self._ask_all()
        self._warm.set()
        while not self._closing.wait(self._quiet):
            now = self._marks()
            if now is not None and now == last != warmed:  # it has changed, and is quiet again
                self._ask_all()
                warmed = now
            last = now

    def _marks(self) -> Marks | None:
        try:
            with self._app.state.ledger.reading() as connection:
                return marks_of(connection)
        except ArpadError:  # the ledger is busy, or not there any more: later
            return None

    def _ask_all(self) -> None:
        self.asked = []
        try:
            with self._app.state.ledger.reading() as connection:
                addresses = first_pages(connection)
            for address in addresses:
                if self._closing.wait(BREATH):
                    return
                self.asked.append((address, asyncio.run(self._ask(address))))
        except ArpadError as error:
            log.warning("first pages: %s", error)
        except Exception:
            log.exception("first pages")

    async def _ask(self, address: str) -> int:
        state, (path, _, query) = self._app.state, address.partition("?")
        host, status = state.settings.hosts[0], 500
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "scheme": "http",
            "path": path, "raw_path": path.encode(), "query_string": query.encode(), "root_path": "",
            "headers": [(b"host", host.encode())], "client": ("127.0.0.1", 0), "server": (host, 80),
            "state": {"viewer": NOBODY if state.settings.open_reading else SELF},
        }  # fmt: skip

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: MutableMapping[str, Any]) -> None:
            nonlocal status
            status = message.get("status", status)

        await self._app(scope, receive, send)
        return status


def first_pages(connection: Connection) -> list[str]:
    """Return an address of each kind of page that is often asked for."""
    n, e = tables.entries.c, tables.events.c
    found = ["/"]
    player = None
    for kept in list_facts(connection).last()[:3]:
        href = list_href(kept.policy, kept.name)
        found += [href, f"{href}?page=2", f"{href}?q=a"]
        leader = sa.select(n.player_id).where(n.list_id == kept.id).order_by(n.rank).limit(1)
        player = connection.execute(leader).scalar() or player
    if player is not None:
        found += [f"/players/{player}", f"/charts/players/{player}/ratings"]
    last = sa.select(e.id).order_by(e.end.desc().nulls_last(), e.id.desc()).limit(1)
    event = connection.execute(last).scalar()
    if event is not None:
        found += [f"/events/{event}", f"/events/{event}/fit"]
        game = sa.select(tables.games.c.id).where(tables.games.c.event_id == event).limit(1)
        found += [f"/games/{number}" for number in connection.execute(game).scalars()]
    if player is not None:
        found += [f"/players/{player}/explain"]
    return [*found, "/players", "/events", "/lists", "/queue", "/log", "/sign-in", *SLOW]
