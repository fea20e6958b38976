"""From an empty folder to a list, in the browser: the first administrator, the rules, the club's own list."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from arpad.ledger.db.ledger import Ledger
from arpad.ledger.list_making import make_list
from arpad.web.app import make_app, settings_for
from tests.web.conftest import sign_in, token

PASSWORD = "correct horse battery"
MEMBERS = "name,rating,games\nBerg Ida,1810,40\nNovak Jan,1650,12\n"
EVENT = "event,date,round,white,black,result\nOpen,2026-11-14,1,Berg Ida,Novak Jan,0-1\n"


@pytest.fixture
def empty(tmp_path):
    """A server of an empty ledger, and the code that it printed."""
    place = str(tmp_path / "new.db")
    Ledger.open(place, create=True).close()
    settings = settings_for(place, host="127.0.0.1", work=False)
    with TestClient(make_app(settings), base_url="http://127.0.0.1", follow_redirects=False) as client:
        yield client, settings.first_code, place


def begun(client, code: str) -> None:
    answer = client.post("/first-start", data={"code": code, "name": "ann", "password": PASSWORD})
    assert (answer.status_code, answer.headers["location"]) == (303, "/rules")


def test_only_who_has_the_code_becomes_the_first_administrator(empty):
    client, code, _ = empty
    assert len(code) > 20
    for wrong in ("", "x", code[:-1]):
        assert client.get("/first-start", params={"code": wrong}).status_code == 403
        refused = client.post("/first-start", data={"code": wrong, "name": "eve", "password": PASSWORD})
        assert refused.status_code == 403
    assert client.get("/first-start", params={"code": code}).status_code == 200
    begun(client, code)
    assert client.get("/accounts").status_code == 200


def test_the_code_is_worth_nothing_once_there_is_an_account(empty):
    client, code, _ = empty
    begun(client, code)
    client.cookies.clear()
    again = client.post("/first-start", data={"code": code, "name": "eve", "password": PASSWORD})
    assert again.status_code == 403
    assert client.get("/first-start", params={"code": code}).headers["location"].startswith("/sign-in")


def test_a_ledger_with_accounts_has_no_code(club):
    assert settings_for(str(club), host="127.0.0.1").first_code == ""


def test_without_a_code_nobody_begins_anything(make_client):
    assert make_client().get("/first-start").status_code == 303  # there are accounts: sign in


def test_rules_the_own_list_and_an_event_make_a_list(empty):
    client, code, place = empty
    begun(client, code)
    page = client.get("/rules").text
    assert all(f"/rules?begin={name}#form" in page for name in ("club", "fide", "uscf1994", "book"))
    form = client.get("/rules", params={"begin": "club"}).text
    assert 'name="k"' in form
    made = client.post(
        "/rules",
        data={
            "token": token(client, "/rules"), "base": "club", "new": "true", "name": "our club", "k": "32",
            "period": "quarter", "time_control": "standard", "min_games": "1", "provisional_games": "10",
        },
    )  # fmt: skip
    assert made.status_code == 303
    (policy,) = client.get("/api/rules").json()["policies"]
    assert (policy["name"], policy["version"]) == ("our club", 1)
    assert "K 32" in policy["says"]
    started = client.post(
        "/rules/starting-list",
        data={"token": token(client, "/rules"), "on": "2026-10-01"},
        files={"file": ("members.csv", MEMBERS)},
    )
    assert started.status_code == 303
    assert "2 players of members.csv start with their ratings" in client.get(started.headers["location"]).text
    upload = client.post(
        "/upload", data={"token": token(client, "/upload")}, files={"file": ("o.csv", EVENT)}
    )
    assert upload.status_code == 303
    preview = upload.headers["location"]
    assert client.post(f"{preview}/confirm", data={"token": token(client, preview)}).status_code == 303
    (file := _folder(place) / "o.csv").write_text(EVENT)
    with Ledger.open(place) as ledger:  # what the job does
        from arpad.ledger.imports.importing import import_files

        list(import_files(ledger, [str(file)]))
        make_list(ledger, policy="our club", who="ann")
    (listed,) = client.get("/api/lists").json()["policies"]
    rows = client.get(f"/api{listed['lists'][0]['href']}").json()["rows"]
    assert {row["name"]: row["rating"] for row in rows} == {"Berg Ida": 1787.0, "Novak Jan": 1673.0}


def _folder(place: str):
    from pathlib import Path

    return Path(place).parent


def test_changed_rules_are_a_new_version_and_another_name_is_not_taken(officer):
    secret = token(officer, "/rules")
    values = {
        "token": secret,
        "base": "club",
        "name": "club",
        "k": "20",
        "period": "month",
        "time_control": "",
    }
    assert officer.post("/rules", data={**values, "new": "true"}).status_code == 400
    assert officer.post("/rules", data=values).status_code == 303
    policies = {p["name"]: p for p in officer.get("/api/rules").json()["policies"]}
    assert policies["club"]["version"] == 2
    assert "K 20" in policies["club"]["says"]
    for wrong in ({"k": "many"}, {"k": "-3"}, {"base": "fide"}, {"base": "none", "name": "none"}):
        assert officer.post("/rules", data={**values, **wrong}).status_code in (400, 404)
    assert officer.get("/rules", params={"begin": "nothing"}).status_code == 404


def test_only_an_officer_changes_rules(make_client):
    viewer = make_client("vic")
    assert 'method="post" action="/rules' not in viewer.get("/rules").text
    secret = token(viewer)
    assert viewer.post("/rules", data={"token": secret, "base": "club", "name": "club"}).status_code == 403
    file = {"file": ("members.csv", MEMBERS)}
    sent = viewer.post("/rules/starting-list", data={"token": secret, "on": "2026-10-01"}, files=file)
    assert sent.status_code == 403
    nobody = make_client()
    assert nobody.post("/rules/starting-list", data={"on": "2026-10-01"}, files=file).status_code == 401


def test_a_starting_list_of_a_strange_form_is_refused(make_client):
    client = make_client()
    sign_in(client, "ann")
    file = {"file": ("members.csv", MEMBERS)}
    for secret in ("", "x"):
        sent = client.post("/rules/starting-list", data={"token": secret, "on": "2026-10-01"}, files=file)
        assert sent.status_code == 403
