"""Home, and what every page has."""

from __future__ import annotations

import pytest


def test_home_says_what_is_here(client):
    page = client.get("/").text
    assert "27 players, 9 events" in page  # 24 of the club, one of them twice, and two masters
    assert "/lists/club/2026-12" in page
    twin = client.get("/api/home").json()
    assert [(each["policy"], each["name"], each["state"]) for each in twin["lists"]] == [
        ("club", "2026-12", "draft"), ("fide", "2026-11", "published"),
    ]  # fmt: skip
    assert twin["waiting"] > 0


def test_what_is_not_there_is_a_sentence(client):
    for path in ("/nothing", "/api/nothing"):
        answer = client.get(path)
        assert answer.status_code == 404
        assert "Traceback" not in answer.text


@pytest.mark.chromium
def test_home_in_a_browser(served, page):
    page.goto(served())
    assert page.get_by_role("heading", level=1).inner_text() == "Club"
    page.get_by_role("link", name="Sign in").click()
    page.get_by_label("Name").fill("ann")
    page.get_by_label("Password").fill("correct horse battery")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_text("Sign out").wait_for()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("link", name="Sign in").wait_for()
