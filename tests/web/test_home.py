"""Home, and what every page has."""

from __future__ import annotations

import pytest

from arpad.web.demo import EVENTS, LAST, MASTERS, NAME, RESULTS, masters_games
from tests.web.conftest import counting_games


def test_home_says_what_is_here(client, club):
    page = client.get("/").text
    twin = client.get("/api/home").json()
    guests = sum(one.rating is not None for one in MASTERS)
    assert twin["players"] == len(LAST) + 1 + 2 + guests  # one twice, and two of 1956
    assert twin["events"] == len(EVENTS) + 2  # and the masters, and the game of 1956
    assert twin["games"] == counting_games(club) + 1
    assert f"{twin['players']} players, {twin['events']} events, {twin['games']} games" in page
    assert "/lists/club/2026-12" in page
    assert [(each["policy"], each["name"], each["state"]) for each in twin["lists"]] == [
        ("club", "2026-12", "draft"), ("fide", "2026-12", "draft"),
    ]  # fmt: skip
    assert all(len(each["leaders"]) == 10 for each in twin["lists"])
    assert twin["waiting"] > 0


def test_the_demo_has_a_norm_and_one_that_lacks_a_requirement(client):
    """What the pages say of the masters is what the rules make of them."""
    number = next(e["id"] for e in client.get("/api/events").json()["events"] if e["name"] == NAME)
    twin = client.get(f"/api/events/{number}/norms").json()
    assert [(n["player"], n["title"]) for n in twin["made"]] == [("Berg, Ida", "IM")]
    nearest = twin["nearest"][0]
    assert (nearest["player"], nearest["title"]) == (MASTERS[0].name, "GM")
    (lacks,) = (r for r in nearest["requirements"] if not r["passed"])
    grandmasters = sum(one.title == "GM" for one in MASTERS)
    assert (lacks["article"], lacks["found"]) == ("1.4.5b", str(grandmasters))
    (waiting,) = client.get("/api/queue", params={"kind": "norm"}).json()["doubts"]
    assert (waiting["about"], waiting["event"]) == (MASTERS[0].name, number)
    berg = twin["made"][0]["id"]
    assert [n["title"] for n in client.get(f"/api/players/{berg}").json()["norms"]] == ["IM"]
    assert "Norms and titles" in client.get(f"/players/{berg}").text


def test_the_results_of_the_masters_add_up():
    worth = {"1": 1.0, "=": 0.5, "0": 0.0}
    for a, row in enumerate(RESULTS):
        for b, score in enumerate(row):
            assert (score == "-") == (a == b)
            if a != b:
                assert worth[score] + worth[RESULTS[b][a]] == 1
    scores = [sum(worth.get(score, 0) for score in row) for row in RESULTS]
    assert scores == sorted(scores, reverse=True)
    played = list(masters_games())
    assert {turn for _, turn, *_ in played} == set(range(1, 10))
    for one in MASTERS:
        whites = sum(white is one for _, _, white, _, _ in played)
        blacks = sum(black is one for _, _, _, black, _ in played)
        assert whites + blacks == 9
        assert abs(whites - blacks) == 1


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
