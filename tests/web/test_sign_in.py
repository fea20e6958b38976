"""Attacks on signing in."""

from __future__ import annotations

import pytest

from arpad.errors import UsageError
from arpad.ledger.accounts import add_account, change_password, change_role, hashed, matches, remove_account
from arpad.ledger.db.ledger import Ledger
from arpad.web.auth import FREE, LONGEST_WAIT
from tests.web.conftest import PASSWORDS, sign_in, token


def write(place):
    return Ledger.open(place)


def test_a_password_is_hashed_with_argon2(real_hasher):
    assert real_hasher().hash("correct horse battery").startswith("$argon2id$v=19$m=65536,")
    kept = hashed("correct horse battery")
    assert matches("correct horse battery", kept)
    assert not matches("correct horse batter", kept)
    assert not matches("anything", None)
    with pytest.raises(UsageError, match="10 to"):
        hashed("short")


def test_the_cookie_is_kept_from_scripts_and_other_sites(client):
    answer = client.post("/sign-in", data={"name": "ann", "password": PASSWORDS["ann"]})
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert PASSWORDS["ann"] not in cookie


def test_over_https_the_cookie_travels_by_https_only(make_client):
    answer = make_client(secure=True).post("/sign-in", data={"name": "ann", "password": PASSWORDS["ann"]})
    assert "Secure" in answer.headers["set-cookie"]


def test_a_cookie_that_was_changed_signs_nobody_in(officer):
    assert "Sign out" in officer.get("/").text
    ((name, good),) = officer.cookies.items()
    for bad in (good[:-1], good + "A", good.swapcase(), "nonsense", ""):
        officer.cookies.clear()
        officer.cookies.set(name, bad)
        assert "Sign out" not in officer.get("/").text


@pytest.mark.parametrize("change", ["password", "role", "removed"])
def test_a_session_is_over_when_the_account_changes(officer, club, change):
    with write(club) as ledger, ledger.writing("test", "test") as connection:
        if change == "password":
            change_password(connection, "ann", "another password")
        elif change == "role":
            change_role(connection, "ann", "viewer")
        else:
            remove_account(connection, "ann")
    assert "Sign out" not in officer.get("/").text


def test_attempts_are_limited_for_a_name_even_with_the_right_password(client):
    for _ in range(FREE):
        assert client.post("/sign-in", data={"name": "ann", "password": "wrong"}).status_code == 401
    for password in ("wrong", PASSWORDS["ann"]):
        answer = client.post("/sign-in", data={"name": "ann", "password": password})
        assert answer.status_code == 429
        assert 0 < int(answer.headers["retry-after"]) <= LONGEST_WAIT
    sign_in(client, "vic")  # others are not held up


def test_an_unknown_name_is_told_the_same(client):
    known = client.post("/sign-in", data={"name": "ann", "password": "wrong password"})
    unknown = client.post("/sign-in", data={"name": "bob", "password": "wrong password"})
    assert known.status_code == unknown.status_code == 401
    assert known.text.replace("ann", "bob") == unknown.text


@pytest.mark.parametrize(
    "to", ["//evil.example", "https://evil.example/", "/\\evil.example", "javascript:alert(1)"]
)
def test_nobody_is_sent_to_another_site(client, to):
    answer = client.post("/sign-in", data={"name": "ann", "password": PASSWORDS["ann"], "to": to})
    assert answer.headers["location"] == "/"


def test_signing_out_needs_our_own_form(officer):
    assert officer.post("/sign-out").status_code == 403
    assert "Sign out" in officer.get("/").text
    assert officer.post("/sign-out", data={"token": token(officer)}).status_code == 303
    assert "Sign out" not in officer.get("/").text


def test_a_form_of_another_site_is_refused(officer):
    answer = officer.post(
        "/sign-out", data={"token": token(officer)}, headers={"Origin": "http://evil.example"}
    )
    assert answer.status_code == 400


def test_elsewhere_everybody_signs_in_first(make_client):
    stranger = make_client(open_reading=False)
    answer = stranger.get("/")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/sign-in?to=%2F"
    assert stranger.get("/api/home").status_code == 401
    sign_in(stranger, "vic")
    assert stranger.get("/").status_code == 200


def test_by_another_name_nothing_is_answered(client):
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 400


def test_every_answer_forbids_inline_scripts(client):
    for path in ("/", "/nothing", "/sign-in", "/api/home", "/assets/app.js"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "path", ["/assets/../app.py", "/assets/..%2fapp.py", "/assets/%2e%2e/app.py", "/assets/secret"]
)
def test_only_named_assets_are_given_out(client, path):
    assert client.get(path).status_code in (404, 422)


def test_a_long_body_is_not_read(make_client):
    client = make_client(upload_bytes=1000)
    answer = client.post("/sign-in", data={"name": "ann", "password": "x" * 200_000})
    assert answer.status_code == 413

    def parts():
        for _ in range(100):
            yield b"x" * 10_000

    form = {"Content-Type": "application/x-www-form-urlencoded"}
    assert client.post("/sign-in", content=parts(), headers=form).status_code == 413


@pytest.mark.parametrize(
    ("name", "password", "role", "says"),
    [
        ("", "long enough it is", "viewer", "a name of 1 to 100"),
        ("x\x00", "long enough it is", "viewer", "a name of"),
        ("new", "short", "viewer", "10 to"),
        ("new", "long enough it is", "king", "one of viewer, arbiter, officer, administrator"),
        ("ann", "long enough it is", "viewer", "there is an account"),
    ],
)
def test_an_account_that_cannot_be(club, name, password, role, says):
    with (
        write(club) as ledger,
        ledger.writing("test", "test") as connection,
        pytest.raises(UsageError, match=says),
    ):
        add_account(connection, name, password, role)
