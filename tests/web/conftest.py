"""The web app over a generated club: asked directly, or served and driven by a real browser."""

from __future__ import annotations

import pickle
import shutil
import socket
import threading
import time
from functools import cache
from pathlib import Path

import pytest
from argon2 import PasswordHasher

from arpad.ledger import accounts
from arpad.ledger.accounts import add_account
from arpad.ledger.db.ledger import Ledger
from arpad.web.app import make_app
from arpad.web.auth import WebSettings
from arpad.web.first_start import fill_demo
from arpad.web.views import history, lab

PASSWORDS = {"ann": "correct horse battery", "vic": "only looking around"}
ROLES = ("viewer", "arbiter", "officer", "administrator")
CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


@pytest.fixture(autouse=True)
def _own_state(tmp_path, monkeypatch) -> None:
    """Uploads of a test lie in a folder of its own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture(scope="session", autouse=True)
def real_hasher():
    """Argon2 with the least effort, because hundreds of tests sign in; gives the hasher of real servers."""
    real, accounts._hasher = accounts._hasher, cache(lambda: PasswordHasher(1, 8, 1))
    yield real
    accounts._hasher = real


@pytest.fixture(scope="session", autouse=True)
def _calculated_once():
    """What pages calculate in a process of its own is calculated once for the same games: dozens of servers show it."""
    done: dict[tuple[str, bytes], object] = {}
    real = {module: module.long_work for module in (lab, history)}

    def once(function, *arguments):
        key = str(function), pickle.dumps(arguments)
        if key not in done:
            done[key] = real[lab](function, *arguments)
        return done[key]

    for module in real:
        module.long_work = once
    yield
    for module, helper in real.items():
        module.long_work = helper


@pytest.fixture(scope="session")
def _demo(tmp_path_factory) -> Path:
    """A club with two accounts, made once: ann decides, vic looks."""
    folder = tmp_path_factory.mktemp("demo")
    place = folder / "club.db"
    fill_demo(str(place))
    with Ledger.open(str(place)) as ledger, ledger.writing("test", "accounts") as connection:
        add_account(connection, "ann", PASSWORDS["ann"], "administrator")
        add_account(connection, "vic", PASSWORDS["vic"], "viewer")
    return place


@pytest.fixture
def club(_demo, tmp_path) -> str:
    """A copy of the club that a test may change."""
    return shutil.copy(_demo, tmp_path / "club.db")


@pytest.fixture
def people(club, monkeypatch) -> str:
    """The club with an account of each role, and the same password."""
    with Ledger.open(club) as ledger, ledger.writing("test", "accounts") as connection:
        for role in ROLES:
            add_account(connection, role, PASSWORDS["ann"], role)
            monkeypatch.setitem(PASSWORDS, role, PASSWORDS["ann"])
    return club


@pytest.fixture
def make_client(club):
    """Make clients of an app over the club: make_client("ann"), make_client(None, open_reading=False)."""
    from starlette.testclient import TestClient

    opened = []

    def make(who: str | None = None, app=None, **settings) -> TestClient:
        settings.setdefault("open_reading", True)
        app = app or make_app(WebSettings(place=club, title="Club", work=False, **settings))
        client = TestClient(app, base_url="http://127.0.0.1", follow_redirects=False)
        opened.append(client.__enter__())
        if who:
            sign_in(client, who)
        return client

    yield make
    for client in opened:
        client.__exit__(None, None, None)


def counting_games(place: str) -> int:
    """How many games of a ledger are of an event that counts."""
    import sqlalchemy as sa

    from arpad.ledger.db import tables

    g, e = tables.games.c, tables.events.c
    query = sa.select(sa.func.count(g.id)).join_from(tables.games, tables.events, e.id == g.event_id)  # fmt: skip
    with Ledger.open(place) as ledger, ledger.reading() as connection:
        return connection.execute(query.where(e.excluded.is_(False))).scalar_one()


def decided(place: str) -> int:
    """How many decisions the log of a ledger has."""
    from arpad.ledger.decisions.decisions import decisions

    with Ledger.open(place) as ledger, ledger.reading() as connection:
        return len(decisions(connection))


def waits(client, kind: str, about: str) -> int:
    """The number of what waits in the queue, of a kind and about something."""
    there = client.get("/api/queue", params={"kind": kind}).json()["doubts"]
    (number,) = (d["number"] for d in there if about in d["about"])
    return number


def sign_in(client, who: str) -> None:
    answer = client.post("/sign-in", data={"name": who, "password": PASSWORDS[who]})
    assert answer.status_code == 303, answer.text


def token(client, path: str = "/") -> str:
    """The token of the forms on a page."""
    import re

    return re.search(r'name="token" value="([^"]+)"', client.get(path).text)[1]


@pytest.fixture
def client(make_client):
    """Somebody who has not signed in."""
    return make_client()


@pytest.fixture
def officer(make_client):
    """Ann, who has signed in and decides."""
    return make_client("ann")


@pytest.fixture
def served(club):
    """Serve an app over the club on a free port: served(), served(open_reading=False) → its address."""
    import uvicorn

    servers = []

    def serve(**settings) -> str:
        settings.setdefault("open_reading", True)
        app = make_app(WebSettings(place=club, title="Club", **settings))
        listening = socket.socket()
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=2))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        servers.append((server, thread, listening))
        while not server.started:
            time.sleep(0.01)
        return f"http://127.0.0.1:{listening.getsockname()[1]}"

    yield serve
    for server, thread, listening in servers:
        server.should_exit = True
        thread.join()
        listening.close()


@pytest.fixture(scope="session")
def _browser():
    if not CHROMIUM.exists():
        pytest.skip("no browser: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(_browser):
    """A page of a real browser; whatever it complains of is an error of the test."""
    context = _browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    yield page
    context.close()
    assert not complaints
