"""Attacks on signing in: many guesses at once, names and addresses locked out, forged addresses."""

from __future__ import annotations

import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from arpad.ledger import accounts as passwords
from arpad.web.auth import FLOOD_BY_ADDRESS, FREE, LONGEST_WAIT
from tests.web.conftest import PASSWORDS, sign_in

GUESSES = 25


def guess(client, name: str = "ann", password: str = "wrong", **headers: str) -> int:
    form = {"name": name, "password": password}
    return client.post("/sign-in", data=form, headers=headers).status_code


@pytest.fixture
def checks(monkeypatch):
    """Count the checks of passwords, and how many are at work at the same time."""
    lock, seen = threading.Lock(), {"all": 0, "now": 0, "most": 0}

    class Slow:
        def verify(self, kept: str, password: str) -> bool:
            with lock:
                seen["all"] += 1
                seen["now"] += 1
                seen["most"] = max(seen["most"], seen["now"])
            time.sleep(0.02)
            with lock:
                seen["now"] -= 1
            return hasher.verify(kept, password)

        def hash(self, password: str) -> str:
            return hasher.hash(password)

    hasher = passwords._hasher()
    monkeypatch.setattr(passwords, "_hasher", Slow)
    return seen


def test_guesses_at_the_same_moment_are_counted_before_they_are_checked(client, checks):
    with ThreadPoolExecutor(GUESSES) as pool:
        answers = list(pool.map(lambda _: guess(client), range(GUESSES)))
    assert answers.count(401) == FREE
    assert answers.count(429) == GUESSES - FREE
    assert checks["all"] == FREE


def test_two_passwords_at_most_are_checked_at_the_same_time(client, checks):
    with ThreadPoolExecutor(GUESSES) as pool:
        answers = list(pool.map(lambda n: guess(client, f"name {n}"), range(GUESSES)))
    assert set(answers) == {401}
    assert checks["most"] <= 2


def test_thirty_failures_from_an_address_lock_nobody_out(make_client):
    client = make_client(proxies=("192.0.2.1",))
    for number in range(FLOOD_BY_ADDRESS + 1):
        guess(client, f"name {number}")
    sign_in(client, "vic")


def test_one_password_over_many_names_from_an_address_is_slow(make_client, monkeypatch):
    monkeypatch.setattr("arpad.web.auth.PAUSE", 0.2)
    colleague = make_client("vic")
    client = make_client(app=colleague.app)
    for number in range(FLOOD_BY_ADDRESS):
        guess(client, f"name {number}")
    began = time.monotonic()
    with ThreadPoolExecutor(5) as pool:
        answers = list(pool.map(lambda n: guess(client, f"other {n}"), range(5)))
    assert set(answers) == {401}
    assert time.monotonic() - began >= 4 * 0.2
    began = time.monotonic()
    assert guess(client, "vic", PASSWORDS["vic"]) == 303  # who is signed in there does not wait
    assert time.monotonic() - began < 10 * 0.2


def test_of_a_crowded_address_a_few_may_wait_and_the_others_hear_for_how_long(make_client, monkeypatch):
    monkeypatch.setattr("arpad.web.auth.MOST_WAITING", 2)
    monkeypatch.setattr("arpad.web.auth.PAUSE", 0.4)
    client = make_client()
    for number in range(FLOOD_BY_ADDRESS):
        guess(client, f"name {number}")
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: guess(client, f"other {n}"), range(8)))
    assert set(answers) == {401, 429}


def test_a_name_that_is_attacked_from_elsewhere_is_not_locked_out(make_client):
    client = make_client(proxies=("testclient", "10.0.0.0/8"))
    for number in range(30):
        guess(client, "ann", **{"X-Forwarded-For": f"198.51.100.{number}"})
    assert guess(client, "ann", PASSWORDS["ann"], **{"X-Forwarded-For": "203.0.113.9"}) == 303


def test_a_wait_is_never_long(client):
    for _ in range(FREE):
        guess(client)
    answer = client.post("/sign-in", data={"name": "ann", "password": "wrong"})
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) <= LONGEST_WAIT <= 60


def test_an_address_that_a_stranger_claims_is_not_believed(client):
    for number in range(FREE):
        assert guess(client, **{"X-Forwarded-For": f"198.51.100.{number}"}) == 401
    assert guess(client, **{"X-Forwarded-For": "198.51.100.99"}) == 429


def test_the_address_that_a_configured_server_names_is_believed(make_client):
    client = make_client(proxies=("testclient",))
    for number in range(FREE + 2):
        assert guess(client, **{"X-Forwarded-For": f"198.51.100.{number}"}) == 401


def test_failed_and_successful_sign_ins_are_logged(client, caplog):
    caplog.set_level(logging.INFO, "arpad.web.sign_in")
    guess(client, "ann\nforged line")
    guess(client)
    sign_in(client, "vic")
    lines = [record.getMessage() for record in caplog.records]
    assert [record.levelname for record in caplog.records] == ["WARNING", "WARNING", "INFO"]
    assert "ann" in lines[1]
    assert "vic" in lines[2]
    assert all("\n" not in line for line in lines)
    assert not any(PASSWORDS["vic"] in line or "wrong" in line for line in lines)
