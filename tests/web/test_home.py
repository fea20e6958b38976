"""Home, and what every page has."""

from __future__ import annotations

from importlib.resources import files

import pytest

from arpad.read import read
from tests.web.conftest import counting_games

SAMPLES = files("arpad") / "samples"
WINNER = "Keller, Jonas"


def test_home_says_what_is_here(client, club):
    page = client.get("/").text
    twin = client.get("/api/home").json()
    assert twin["players"] == 24 + 1 + 2 + 8  # one twice, two of 1956, and the guests among the masters
    assert twin["events"] == 8 + 2  # and the masters, and the game of 1956
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
    number = next(
        e["id"] for e in client.get("/api/events").json()["events"] if e["name"] == "Autumn Masters"
    )
    twin = client.get(f"/api/events/{number}/norms").json()
    assert [(n["player"], n["title"]) for n in twin["made"]] == [("Berg, Ida", "IM")]
    nearest = twin["nearest"][0]
    assert (nearest["player"], nearest["title"]) == (WINNER, "GM")
    (lacks,) = (r for r in nearest["requirements"] if not r["passed"])
    assert (lacks["article"], lacks["found"]) == ("1.4.5b", "2")
    (waiting,) = client.get("/api/queue", params={"kind": "norm"}).json()["doubts"]
    assert (waiting["about"], waiting["event"]) == (WINNER, number)
    berg = twin["made"][0]["id"]
    assert [n["title"] for n in client.get(f"/api/players/{berg}").json()["norms"]] == ["IM"]
    assert "Norms and titles" in client.get(f"/players/{berg}").text


def test_the_masters_met_each_other_once_with_colours_in_turn():
    games = read(str(SAMPLES / "9-autumn-masters.csv")).games
    table, names = games.table, games.players["name"].to_list()
    assert len({frozenset(pair) for pair in table.select("white", "black").iter_rows()}) == 45
    assert sorted(table["round"].unique().cast(int)) == list(range(1, 10))
    scores = dict.fromkeys(names, 0.0)
    for row, name in enumerate(names):
        whites, blacks = table.filter(table["white"] == row), table.filter(table["black"] == row)
        assert {whites.height, blacks.height} == {4, 5}
        scores[name] = whites["score"].sum() + (1 - blacks["score"]).sum()
    assert max(scores, key=scores.get) == WINNER
    assert scores[WINNER] == 7.0


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
