"""An event that is run in the browser, from the list of players to the ledger."""

from __future__ import annotations

import re

import pytest

from arpad.event.tiebreaks import ranking
from arpad.read import read
from tests.web.conftest import token

pytest.importorskip("py4swiss", reason="pairings need the extra: pip install 'arpad[pairing]'")

PLAYERS = "Berg, Ida; 1850\nNovak, Jan; 1900\nOrtiz, Luz; 1700\nNew, Nina\nLee, Kim; 1650; 1500012\n"


def begin(client, **fields):
    data = {"token": token(client), "name": "Thursday", "rounds": "3", "start": "2026-11-05"} | fields
    return client.post("/rounds", data=data)


@pytest.fixture
def arbiter(people, make_client):
    return make_client("arbiter")


def page(client, where):
    return client.get(f"/api{where}").json()


def send(client, where, what, **fields):
    said = {"token": token(client, where), "version": page(client, where)["version"]} | fields
    return client.post(f"{where}/{what}", data=said)


def enter(client, where, *marks):
    there = page(client, where)
    games = [b["row"] for b in there["boards"] if b["black"] is not None]
    fields = {f"game:{row}": mark for row, mark in zip(games, marks, strict=True)}
    return send(client, where, "results", round=str(there["round"]), **fields)


def test_an_evening_from_the_players_to_the_ledger(arbiter, write):
    where = begin(arbiter, players=PLAYERS, tie_breaks="BH-C1,BH,SB").headers["location"]
    there = page(arbiter, where)
    assert [p["name"] for p in there["standings"]] == [
        "Novak, Jan", "Berg, Ida", "Ortiz, Luz", "Lee, Kim", "New, Nina",
    ]  # fmt: skip
    assert (there["last"], there["planned"], there["open"]) == (0, 3, 0)
    # Number 5 comes for the second round and has half a point; four players are paired.
    assert send(arbiter, where, "pair", half="5").status_code == 303
    first = page(arbiter, where)
    assert {frozenset((b["white"], b["black"])) for b in first["boards"] if b["black"]} == {
        frozenset(("Novak, Jan", "Ortiz, Luz")), frozenset(("Berg, Ida", "Lee, Kim")),
    }  # fmt: skip
    assert [(b["white"], b["points"]) for b in first["boards"] if not b["black"]] == [("New, Nina", 0.5)]
    # A game goes on: no next round yet. Then a result is corrected.
    assert enter(arbiter, where, "1", "").status_code == 303
    refused = send(arbiter, where, "pair")
    assert refused.status_code == 400
    assert "open games" in refused.text
    assert page(arbiter, where)["open"] == 1
    enter(arbiter, where, "0", "=")
    assert page(arbiter, where)["open"] == 0
    assert sorted(p["points"] for p in page(arbiter, where)["standings"]) == [0, 0.5, 0.5, 0.5, 1]
    for marks in (("1", "="), ("+", "x")):
        assert send(arbiter, where, "pair").status_code == 303
        assert [b["points"] for b in page(arbiter, where)["boards"] if not b["black"]] == [1.0]
        enter(arbiter, where, *marks)
    assert send(arbiter, where, "pair").status_code == 400
    # What the page says is what the file says.
    text = arbiter.get(f"{where}/files/trf").text
    games = read(write(text, "event.trf")).games
    found = ranking(games)
    assert found.codes == ("PTS", "BH-C1", "BH", "SB")
    shown = {p["name"]: (p["rank"], p["points"], *p["tie_breaks"]) for p in page(arbiter, where)["standings"]}
    names = games.players["name"].to_list()
    assert shown == {names[p]: (found.ranks[p], *own.values()) for p, own in found.values.items()}
    # Its import is previewed as any upload's.
    answer = send(arbiter, where, "import")
    preview = answer.headers["location"]
    assert re.fullmatch(r"/upload/\d+", preview)
    assert page(arbiter, preview)["preview"]["new"] >= 1
    job = arbiter.post(f"{preview}/confirm", data={"token": token(arbiter)}).headers["location"]
    assert page(arbiter, job)["title"] == "Import of Thursday.trf"
    assert [j["kind"] for j in page(arbiter, "/jobs")["jobs"]] == ["import"]
    assert send(arbiter, where, "discard").status_code == 400
    assert send(arbiter, where, "discard", sure="yes").status_code == 303
    assert arbiter.get(where).status_code == 404


def test_pairings_can_be_removed_while_no_result_is_there(arbiter):
    where = begin(arbiter, players=PLAYERS).headers["location"]
    send(arbiter, where, "pair")
    assert page(arbiter, where)["untouched"]
    enter(arbiter, where, "1", "")
    assert not page(arbiter, where)["untouched"]
    assert send(arbiter, where, "unpair").status_code == 400
    enter(arbiter, where, "", "")
    assert send(arbiter, where, "unpair").status_code == 303
    there = page(arbiter, where)
    assert (there["last"], there["boards"]) == (0, [])
    send(arbiter, where, "pair", absent="1 2")
    assert page(arbiter, where)["last"] == 1
    assert len([b for b in page(arbiter, where)["boards"] if b["black"]]) == 1


def test_an_event_comes_from_a_report_file(arbiter, write):
    from tests.event.held import SWISS, held_trf

    text = held_trf(SWISS, start="2026-11-05", rounds=5, head="092 Swiss").replace("XXR 5", "XXR 6")
    answer = arbiter.post("/rounds", data={"token": token(arbiter)}, files={"file": ("swiss.trf", text)})
    where = answer.headers["location"]
    there = page(arbiter, where)
    assert (there["last"], there["planned"], len(there["standings"])) == (5, 6, 16)
    second = page(arbiter, f"{where}?round=2")
    assert [b["mark"] for b in second["boards"] if b["black"] is None] == [""] * 2
    assert {b["white"]: b["points"] for b in second["boards"] if b["black"] is None} == {
        "Player 4": 0.5,
        "Player 12": 1.0,
    }
    assert arbiter.get(f"{where}/files/trf").text.replace("\r", "") == text
    assert send(arbiter, where, "pair").status_code == 303
    assert len(page(arbiter, where)["boards"]) == 8


def test_what_is_wrong_is_said_and_kept_in_the_form(arbiter):
    for fields, says in (
        ({"players": "A; 1500"}, "at least two players"),
        ({"players": "A; 1500\nA; 1600"}, "every player once"),
        ({"players": "A; high\nB"}, "line 1 of the players"),
        ({"players": "A\nB", "name": " "}, "name of the event"),
        ({"players": "A\nB", "rounds": "0"}, "number of rounds"),
        ({"players": "A\nB", "tie_breaks": "XX"}, "expected tie-breaks"),
        ({"players": "A\nB\x00"}, "control characters"),
    ):
        answer = begin(arbiter, **fields)
        assert answer.status_code == 422
        assert says in answer.text
        assert fields["players"].splitlines()[0] in answer.text
    assert page(arbiter, "/rounds")["events"] == []


def test_two_arbiters_do_not_overwrite_each_other(arbiter, make_client):
    where = begin(arbiter, players=PLAYERS).headers["location"]
    old = page(arbiter, where)["version"]
    assert send(make_client("officer"), where, "pair").status_code == 303
    assert send(arbiter, where, "pair", version=old).status_code == 409
    assert page(arbiter, where)["last"] == 1


def test_strange_results_are_refused(arbiter):
    where = begin(arbiter, players=PLAYERS).headers["location"]
    send(arbiter, where, "pair")
    for fields in ({"game:99": "1"}, {"game:0": "9"}, {"game:x": "1"}, {"game:-1": "1"}):
        assert send(arbiter, where, "results", **fields).status_code == 400
    assert send(arbiter, where, "unpair").status_code == 303
    for absent in ("9", "one", "9" * 5000):
        assert send(arbiter, where, "pair", absent=absent).status_code == 400


def test_only_arbiters_run_events(people, make_client):
    where = begin(make_client("arbiter"), players=PLAYERS).headers["location"]
    verbs = ("results", "pair", "unpair", "import", "discard")
    for who, status in ((None, 401), ("viewer", 403)):
        client = make_client(who)
        assert client.post("/rounds", data={"token": "x"}).status_code == status
        for verb in verbs:
            assert client.post(f"{where}/{verb}", data={"token": "x"}).status_code == status
        assert client.get(f"/api{where}").status_code in (401, 403)
        assert client.get(f"{where}/files/trf").status_code in (303, 401, 403)
        assert page(client, "/rounds")["events"] == []
    arbiter = make_client("arbiter")
    for verb in verbs:  # a form of another site
        assert arbiter.post(f"{where}/{verb}", data={"token": "x"}).status_code == 403
    assert arbiter.get("/rounds/999").status_code == 404
    assert arbiter.get(where.replace("rounds", "jobs")).status_code == 404
