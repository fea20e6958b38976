"""Roles, and tokens with which programs upload: what each may do, asked over HTTP."""

from __future__ import annotations

from datetime import timedelta

import pytest
import sqlalchemy as sa

from arpad.ledger.accounts import add_token, change_role, remove_account
from arpad.ledger.db import tables
from arpad.ledger.db.ledger import Ledger
from arpad.web.app import make_app
from arpad.web.auth import WebSettings
from tests.web.conftest import PASSWORDS, ROLES, sign_in, token
from tests.web.test_upload import EVENT, counted, send


@pytest.fixture
def program(people, make_client):
    """A program of an account: program("arbiter") → a client, and its headers."""

    def make(role: str):
        with Ledger.open(people) as ledger, ledger.writing("test", "token") as connection:
            number = connection.execute(
                sa.select(tables.accounts.c.id).where(tables.accounts.c.name == role)
            ).scalar()
            made = add_token(connection, number, "pairing program")
        return make_client(open_reading=False), {"Authorization": f"Bearer {made}"}

    return make


MAY = (  # form, fields, the first role that may
    ("/upload/99999/confirm", {}, "arbiter"),
    ("/queue/1", {"choose": "new", "why": "x"}, "arbiter"),
    ("/jobs/inspect", {}, "officer"),
    ("/jobs/list", {"policy": "club"}, "officer"),
    ("/log/1/undo", {"why": "x"}, "officer"),
    ("/events/1/count", {"count": "false", "why": "x"}, "officer"),
    ("/accounts/change", {"name": "nobody"}, "administrator"),
    ("/players/1/erase", {"why": "x"}, "administrator"),
)


@pytest.mark.parametrize("role", ROLES)
def test_a_role_may_do_what_it_may_and_nothing_else(people, make_client, role):
    client = make_client(role)
    form = token(client)
    for path, fields, least in MAY:
        status = client.post(path, data={"token": form, **fields}).status_code
        assert (status == 403) is (ROLES.index(role) < ROLES.index(least)), (path, status)
    status = send(client, EVENT).status_code
    assert status == (403 if role == "viewer" else 303)


@pytest.mark.parametrize("role", ROLES)
def test_days_of_birth_are_for_administrators(people, make_client, role):
    client = make_client(role)
    assert client.get("/players/1/export.json").status_code == (200 if role == "administrator" else 403)


def test_an_arbiter_answers_doubts_about_players_and_not_about_norms(people, make_client):
    client = make_client("arbiter")
    doubts = client.get("/api/queue").json()["doubts"]
    kinds = {d["kind"]: d["number"] for d in doubts}
    assert {"player", "fit"} <= set(kinds)
    data = {"token": token(client), "choose": "leave", "why": "x"}
    assert client.post(f"/queue/{kinds['fit']}", data=data).status_code == 403
    assert client.post(f"/queue/{kinds['player']}", data={**data, "choose": "new"}).status_code == 200
    assert '<form method="post" action="/queue' not in client.get(f"/queue/{kinds['fit']}").text


def test_a_program_sends_an_event_and_sees_it_imported(people, program):
    client, headers = program("arbiter")
    looked = client.post("/api/uploads?name=open.csv&preview=true", content=EVENT, headers=headers)
    assert looked.status_code == 202, looked.text
    assert looked.json()["preview"]["games"] == 2
    sent = client.post("/api/uploads?name=open.csv&event_name=Cup", content=EVENT, headers=headers)
    assert (sent.status_code, sent.json()["state"]) == (202, "waiting"), sent.text
    seen = client.get(sent.json()["href"], headers=headers)
    assert seen.json()["number"] == sent.json()["number"]
    before = counted(people)
    from tests.web.test_work import over, until, working

    with working(people):
        done = until(lambda: over(people, sent.json()["number"]))
    assert done.state == "done", done.says
    assert counted(people)["games"] == before["games"] + 2
    seen = client.get(sent.json()["href"], headers=headers).json()
    assert (seen["state"], [e["text"] for e in seen["events"]][:1]) == ("done", ["Cup"])


def test_a_program_is_told_what_is_wrong_with_its_file(program):
    client, headers = program("arbiter")
    answer = client.post("/api/uploads?name=x.csv", content="nothing", headers=headers)
    assert answer.status_code == 422
    assert "x.csv" in answer.json()["says"]
    assert client.post("/api/uploads", content=EVENT, headers=headers).status_code == 422
    bad = client.post("/api/uploads?name=x.csv&time_control=slow", content=EVENT, headers=headers)
    assert bad.status_code == 422


def test_a_token_uploads_and_opens_nothing_else(program):
    client, headers = program("administrator")
    for path in ("/", "/queue", "/api/players", "/log", "/players/1/export.json", "/account", "/upload"):
        assert client.get(path, headers=headers).status_code in (303, 401), path
    for path in ("/jobs/inspect", "/upload", "/sign-out", "/account/tokens"):
        assert client.post(path, data={"token": "x"}, headers=headers).status_code == 401, path
    other, theirs = program("arbiter")
    sent = client.post("/api/uploads?name=open.csv", content=EVENT, headers=headers).json()
    assert other.get(sent["href"], headers=theirs).status_code == 404


def test_a_viewers_token_uploads_nothing(program):
    client, headers = program("viewer")
    assert client.post("/api/uploads?name=a.csv", content=EVENT, headers=headers).status_code == 403


@pytest.mark.parametrize("given", ["", "Bearer", "Bearer x", "Basic YTpi", "Bearer arpad_" + "x" * 500])
def test_without_a_token_nothing_is_taken(make_client, given):
    client = make_client()
    headers = {"Authorization": given} if given else {}
    answer = client.post("/api/uploads?name=a.csv", content=EVENT, headers=headers)
    assert answer.status_code == 401
    assert "Bearer" in answer.headers["www-authenticate"]


@pytest.mark.parametrize("how", ["role", "removed", "expired", "another ledger"])
def test_a_token_ends_with_its_account_and_its_year(people, program, tmp_path, how):
    client, headers = program("arbiter")
    with Ledger.open(people) as ledger, ledger.writing("test", "x") as connection:
        if how == "role":
            change_role(connection, "arbiter", "viewer")
            change_role(connection, "arbiter", "arbiter")
        elif how == "removed":
            remove_account(connection, "arbiter")
        elif how == "expired":
            late = tables.now() - timedelta(days=1)
            connection.execute(sa.update(tables.tokens).values(expires=late))
    if how == "another ledger":
        from starlette.testclient import TestClient

        Ledger.open(tmp_path / "b.db", create=True).close()
        app = make_app(WebSettings(place=str(tmp_path / "b.db"), work=False))
        client = TestClient(app, base_url="http://127.0.0.1")
    assert client.post("/api/uploads?name=a.csv", content=EVENT, headers=headers).status_code == 401


def test_the_ledger_keeps_no_token(people, program):
    _, headers = program("arbiter")
    made = headers["Authorization"].removeprefix("Bearer ")
    with Ledger.open(people) as ledger, ledger.reading() as connection:
        row = connection.execute(sa.select(tables.tokens)).one()
    assert made not in str(row)


def test_a_token_is_made_on_the_page_of_the_account_and_removed_there(people, make_client):
    import re

    client = make_client("arbiter")
    page = client.post("/account/tokens", data={"token": token(client), "name": "Pairings"}).text
    made = re.search(r"<code>(arpad_[^<]+)</code>", page)[1]
    assert made not in client.get("/account").text
    headers = {"Authorization": f"Bearer {made}"}
    other = make_client(open_reading=False)
    sent = "/api/uploads?name=a.csv&preview=true"
    assert other.post(sent, content=EVENT, headers=headers).status_code == 202
    number = re.search(r"/account/tokens/(\d+)/end", client.get("/account").text)[1]
    theirs = make_client("officer")
    theirs.post(f"/account/tokens/{number}/end", data={"token": token(theirs)})
    assert other.post(sent, content=EVENT, headers=headers).status_code == 202
    client.post(f"/account/tokens/{number}/end", data={"token": token(client)})
    assert other.post(sent, content=EVENT, headers=headers).status_code == 401


def test_an_administrator_manages_accounts_in_the_browser(people, make_client, monkeypatch):
    admin, arbiter = make_client("administrator"), make_client("arbiter")
    assert make_client("officer").get("/accounts").status_code == 403
    form = {"token": token(admin)}
    new = {"name": "Nora", "role": "officer", "password": "long enough it is"}
    assert admin.post("/accounts", data={**form, **new}).status_code == 303
    monkeypatch.setitem(PASSWORDS, "Nora", "long enough it is")
    assert make_client("Nora").get("/account").status_code == 200
    assert arbiter.get("/account").status_code == 200
    admin.post("/accounts/change", data={**form, "name": "arbiter", "role": "viewer"})
    assert arbiter.get("/account").status_code in (303, 401)
    assert 'href="/upload"' not in make_client("arbiter").get("/").text
    admin.post("/accounts/change", data={**form, "name": "Nora", "role": "remove"})
    assert "Nora" not in admin.get("/accounts").text
    assert (
        admin.post("/accounts/change", data={**form, "name": "administrator", "role": "viewer"}).status_code
        == 400
    )


def test_somebody_changes_his_own_password_if_he_knows_it(people, make_client, monkeypatch):
    client = make_client("officer")
    form = {"token": token(client), "new": "another long one"}
    assert client.post("/account/password", data={**form, "old": "guess"}).status_code == 403
    assert client.post("/account/password", data={**form, "old": PASSWORDS["officer"]}).status_code == 303
    assert client.get("/account").status_code in (303, 401)
    monkeypatch.setitem(PASSWORDS, "officer", "another long one")
    sign_in(client, "officer")
