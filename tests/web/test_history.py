"""History in the browser: what the pages say is what the library finds."""

from __future__ import annotations

from importlib.resources import files

import pytest

from arpad.ledger.db.ledger import Ledger
from arpad.ledger.queries.pool import lab_games
from arpad.moves.strength.estimate import strength
from arpad.pool.greatness.groups import GroupRules
from arpad.pool.greatness.run import GreatnessRules, find_greatness, rating_sources
from arpad.rate.registry import system
from arpad.rate.whr.system import whole_history


@pytest.fixture
def games(club):
    with Ledger.open(club) as ledger, ledger.reading() as connection:
        return lab_games(connection).games


def test_curves_are_those_of_a_whole_history(client, games):
    found = whole_history(games)
    twin = client.get("/api/history").json()
    best = found.on().head(10).to_dicts()
    assert [row["id"] for row in twin["rows"][:10]] == [int(row["player"]) for row in best]
    for row, own in zip(twin["rows"], best, strict=False):
        assert row["rating"] == pytest.approx(own["rating"])
        assert row["error"] == pytest.approx(own["error"])
        assert row["games"] == own["games"]
        assert row["peak"] >= row["rating"] - 0.5
    assert len(twin["names"]) == sum(row["drawn"] for row in twin["rows"]) == 5


def test_chosen_curves_are_drawn(client):
    rows = client.get("/api/history").json()["rows"]
    wanted = [rows[0], rows[3]]
    twin = client.get("/api/history", params={"player": [row["id"] for row in wanted] + [2**31 - 1]}).json()
    assert twin["names"] == [row["name"] for row in wanted]
    assert all(row["name"] in twin["lines"] for row in wanted)
    assert client.get("/history?player=0").status_code == 422
    many = client.get("/api/history", params={"player": [row["id"] for row in rows[:12]]}).json()
    assert len(many["names"]) == many["most"] == 8


def test_greatness_is_that_of_the_library(client, games):
    sources = rating_sources(games, ["file", "system"], system=system("elo"), join=False)
    found = find_greatness(games, sources, GreatnessRules(groups=GroupRules(join=False)))
    twin = client.get("/api/history/greatness").json()
    great = found.table().to_dicts()
    assert [row["id"] for row in twin["performances"]] == [int(row["player"]) for row in great]
    assert [row["g_score"] for row in twin["performances"]] == pytest.approx(
        [row["g_score"] for row in great]
    )
    assert {row["event"] for row in twin["events"]} == {"Autumn Masters"}
    assert [row["strength"] for row in twin["events"]] == pytest.approx(
        found.strengths()["strength"].to_list()
    )
    spec = client.get("/charts/history/performances").json()
    assert "Keller, Autumn Masters 2026" in str(spec["datasets"])
    assert client.get("/charts/history/anything").status_code == 422


def test_strength_from_moves_is_that_of_the_file(client):
    """The one game with evaluations of the club's ledger, by the command's own call."""
    report = strength(files("arpad") / "samples" / "game-of-the-century.pgn", values="file")
    twin = client.get("/api/history/moves").json()
    assert twin["games"] == 1
    own = {player.name: player for player in report.players}
    assert {row["name"] for row in twin["players"]} == set(own)
    for row in twin["players"]:
        assert row["strength"] == pytest.approx(own[row["name"]].strength, abs=0.1)
        assert row["low"] == pytest.approx(own[row["name"]].interval[0], abs=0.1)
    # Average errors are those of the game's own page.
    (game,) = client.get("/api/games").json()["games"]
    page = client.get(f"/api/games/{game['id']}").json()
    errors = {row["name"]: row["error"] for row in twin["players"]}
    assert errors == {page[side]["name"]: pytest.approx(page[side]["error"]) for side in ("white", "black")}


def test_a_ledger_without_games_says_what_to_do(make_client, tmp_path):
    from arpad.web.app import make_app
    from arpad.web.auth import WebSettings

    place = str(tmp_path / "new.db")
    Ledger.open(place, create=True).close()
    client = make_client(app=make_app(WebSettings(place=place, open_reading=True, work=False)))
    for path in ("/history", "/history/greatness", "/history/moves"):
        assert 'class="empty"' in client.get(path).text, path
    assert client.get("/charts/history/strengths").status_code == 404
