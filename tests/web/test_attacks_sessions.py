"""Attacks on sessions: a cookie of another ledger, of somebody who was removed, of somebody who signed out."""

from __future__ import annotations

import re
import shutil
from contextlib import ExitStack

import pytest
import sqlalchemy as sa

from arpad.ledger.accounts import PREFIX, account_called, add_account, remove_account
from arpad.ledger.db.backup import back_up, restore
from arpad.ledger.db.ledger import Ledger, identity_of
from arpad.ledger.db.tables import sessions
from arpad.web.app import make_app
from arpad.web.auth import WebSettings
from tests.web.conftest import PASSWORDS, sign_in, token

WRITES = "/jobs/inspect"
"""A form that only an administrator may send."""


def new_ledger(path, name: str, role: str) -> str:
    with Ledger.open(path, create=True) as ledger, ledger.writing("test", "accounts") as connection:
        add_account(connection, name, PASSWORDS["ann"], role)
    return str(path)


@pytest.fixture
def client_of():
    """Somebody who has not signed in, at a server of his own over a ledger."""
    from starlette.testclient import TestClient

    with ExitStack() as opened:

        def make(place: str) -> TestClient:
            app = make_app(WebSettings(place=place, work=False))
            client = TestClient(app, base_url="http://127.0.0.1", follow_redirects=False)
            return opened.enter_context(client)

        yield make


@pytest.fixture
def signed_in(client_of):
    """Somebody who has signed in at such a server."""

    def make(place: str, name: str):
        client = client_of(place)
        client.post("/sign-in", data={"name": name, "password": PASSWORDS["ann"]})
        assert client.get("/account").status_code == 200
        return client

    return make


def taken(client) -> list[tuple[str, str]]:
    """The cookies that somebody has copied."""
    return list(client.cookies.items())


def give(client, cookies, names=()) -> None:
    for name, value in cookies:
        client.cookies.set(name, value)
        for other in names:
            client.cookies.set(other, value)


def test_a_viewer_of_one_ledger_is_nobody_in_another(tmp_path, client_of, signed_in):
    mine = new_ledger(tmp_path / "a.db", "vic", "viewer")
    theirs = new_ledger(tmp_path / "b.db", "ann", "administrator")
    cookies = taken(signed_in(mine, "vic"))
    with Ledger.open(theirs) as ledger, ledger.reading() as connection:
        name = PREFIX + identity_of(connection)[:12]
    stranger = client_of(theirs)
    give(stranger, cookies, [name])  # also under the name that the other ledger asks for
    assert stranger.get("/account").status_code == 303
    assert stranger.get("/api/home").status_code == 401
    assert stranger.post(WRITES, data={"token": "x"}).status_code == 401


def test_two_ledgers_of_one_machine_keep_their_own_cookies(tmp_path, signed_in):
    first = signed_in(new_ledger(tmp_path / "a.db", "vic", "viewer"), "vic")
    second = signed_in(new_ledger(tmp_path / "b.db", "ann", "administrator"), "ann")
    assert {name for name, _ in taken(first)}.isdisjoint(name for name, _ in taken(second))


def test_a_copy_that_was_restored_knows_no_session(new_place, tmp_path, client_of, signed_in):
    place = new_place()
    with Ledger.open(place) as ledger:
        with ledger.writing("test", "accounts") as connection:
            add_account(connection, "vic", PASSWORDS["ann"], "viewer")
            was = identity_of(connection)
        client = signed_in(place, "vic")
        cookies = taken(client)
        back_up(ledger, tmp_path / "club.backup")
    restore(tmp_path / "club.backup", place, replace=True)
    with Ledger.open(place) as ledger, ledger.reading() as connection:
        assert identity_of(connection) != was
        assert connection.execute(sa.select(sa.func.count()).select_from(sessions)).scalar() == 0
    again = client_of(place)
    give(again, cookies, [f"{PREFIX}{was[:12]}"])
    assert again.get("/account").status_code == 303


def test_a_removed_account_is_not_the_next_one(new_place, signed_in):
    place = new_place()
    with Ledger.open(place) as ledger, ledger.writing("test", "accounts") as connection:
        add_account(connection, "vic", PASSWORDS["ann"], "viewer")
    old = signed_in(place, "vic")
    with Ledger.open(place) as ledger, ledger.writing("test", "accounts") as connection:
        number = account_called(connection, "vic").id
        remove_account(connection, "vic")
        new = add_account(connection, "ann", PASSWORDS["ann"], "administrator")
        assert new.id > number
        remove_account(connection, "ann")
        assert add_account(connection, "ann", PASSWORDS["ann"], "administrator").id > new.id
    assert old.get("/account").status_code == 303
    assert old.post(WRITES, data={"token": "x"}).status_code == 401


def test_after_signing_out_the_old_cookie_is_worth_nothing(make_client):
    client = make_client("ann", open_reading=False)
    cookies = taken(client)
    assert client.post("/sign-out", data={"token": token(client)}).status_code == 303
    thief = make_client(app=client.app)
    give(thief, cookies)
    assert thief.get("/account").status_code == 303
    assert thief.get("/api/home").status_code == 401


def test_somebody_ends_his_other_sessions_and_nobody_elses(make_client):
    here = make_client("ann")
    there, vic = make_client(app=here.app), make_client("vic", app=here.app)
    sign_in(there, "ann")
    page = here.get("/account").text
    assert page.count('/end"') == 1
    other = re.search(r"/account/sessions/([0-9a-f]{12})/end", page)[1]
    form = {"token": token(vic)}
    assert vic.post(f"/account/sessions/{other}/end", data=form).status_code == 303
    assert there.get("/account").status_code == 200  # it is not vic's
    assert here.post(f"/account/sessions/{other}/end", data={"token": "x"}).status_code == 403
    assert here.post(f"/account/sessions/{other}/end", data={"token": token(here)}).status_code == 303
    assert there.get("/account").status_code == 303
    assert here.get("/account").status_code == 200
    sign_in(there, "ann")
    assert here.post("/account/sessions/end-others", data={"token": token(here)}).status_code == 303
    assert there.get("/account").status_code == 303
    assert vic.get("/account").status_code == 200


def test_the_ledger_keeps_no_cookie(make_client, club):
    client = make_client("ann")
    with Ledger.open(club) as ledger, ledger.reading() as connection:
        keys = connection.execute(sa.select(sessions.c.key)).scalars().all()
    assert keys
    assert not {value for _, value in taken(client)} & set(keys)


def test_a_session_ends_by_itself(make_client, club):
    client = make_client("ann")
    with Ledger.open(club) as ledger, ledger.writing("test", "clock") as connection:
        connection.execute(sa.update(sessions).values(expires=sessions.c.created))
    assert client.get("/account").status_code == 303


@pytest.mark.parametrize("copy", ["file", "backup"])
def test_a_backup_has_no_sessions_in_it(make_client, club, tmp_path, copy):
    client = make_client("ann")
    kept = tmp_path / "club.backup"
    with Ledger.open(club) as ledger:
        back_up(ledger, kept)
    if copy == "file":
        kept = shutil.copy(kept, tmp_path / "copy.db")
    with Ledger.open(str(kept)) as ledger, ledger.reading() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(sessions)).scalar() == 0
    assert client.get("/account").status_code == 200
