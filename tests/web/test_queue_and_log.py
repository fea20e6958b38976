"""The queue and the log: what waits, settling it, what was decided, taking it back."""

from __future__ import annotations

import re
from datetime import date

import pytest
from starlette.testclient import TestClient

from arpad.ledger.accounts import add_account
from arpad.ledger.db import tables
from arpad.ledger.db.ledger import Ledger
from arpad.ledger.decisions.queue import open_doubt, queue
from arpad.ledger.inspection import check_events
from arpad.web.app import make_app
from arpad.web.auth import WebSettings
from tests.ledger.test_titles import write_event, write_people
from tests.web.conftest import PASSWORDS, sign_in, token, waits
from tests.web.conftest import decided as in_log
from tests.web.upset import NAME, add_upset


@pytest.fixture
def decided(club):
    """Three decisions of two people, beside what the log of the club has; their numbers."""
    from arpad.ledger.decisions.corrections import correct_player, exclude_event
    from arpad.ledger.decisions.decisions import undo

    first = in_log(club) + 1
    with Ledger.open(club) as ledger:
        with ledger.writing("ann", "Ödipus wrote it <b>so</b>") as connection:
            correct_player(connection, 3, title="FM")
        with ledger.writing("bob", "exhibition") as connection:
            exclude_event(connection, 8)
        with ledger.writing("bob", "it was serious") as connection:
            undo(connection, first + 1)
    return first, first + 1, first + 2


def test_the_queue_is_that_of_the_office(client, club):
    twin = client.get("/api/queue").json()
    with Ledger.open(club) as ledger, ledger.reading() as connection:
        found = queue(connection)
    assert [d["number"] for d in twin["doubts"]] == [d.number for d in found.doubts]
    assert twin["doubts"][0]["candidates"][0]["score"] == found.doubts[0].candidates[0]["score"]
    page = client.get("/queue").text
    assert "O&#39;Neil, Mia" in page
    assert "88 %" in page
    assert "Nothing waits here" in client.get("/queue?kind=event").text
    assert client.get("/queue?kind=other").status_code == 422
    assert client.get("/queue/99").status_code == 404


def test_both_cards_stand_side_by_side(client, officer):
    twin = client.get("/api/queue/1").json()
    assert [c["name"] for c in twin["cards"]] == ["O'Neil, M.", "O'Neil, Mia"]
    assert [e["name"] for e in twin["cards"][0]["events"]] == ["Autumn Cup"]
    assert [c["value"] for c in twin["choices"]] == [str(twin["cards"][1]["id"]), "new"]
    assert "Only people with an account decide" in client.get("/queue/1").text
    assert 'name="choose"' in officer.get("/queue/1").text


@pytest.mark.parametrize("choose", ["24", "new"])
def test_a_doubtful_player_is_settled(officer, club, choose):
    form = {"choose": choose, "why": "asked her", "token": token(officer)}
    before = in_log(club)
    shown = officer.post("/queue/1", data=form)
    assert shown.status_code == 200
    assert in_log(club) == before
    done = officer.post("/queue/1", data={**form, "confirmed": "true"})
    assert done.headers["location"] == "/queue?notice=settled"
    assert "Settled, and written into the log." in officer.get(done.headers["location"]).text
    assert "This is settled" in officer.get("/queue/1").text
    again = officer.post("/queue/1", data={**form, "confirmed": "true"})
    assert again.status_code == 400
    assert "settled already" in again.text
    merged = officer.get(f"/api/log/{before + 1}").json()
    assert merged["settled"] == [1]
    assert any(c["column"] == "is the same as player" for c in merged["cells"]) == (choose == "24")


@pytest.mark.parametrize("choose", ["3", "same", "leave", "x", "#24"])
def test_only_what_the_form_offers_can_be_chosen(officer, choose):
    form = {"choose": choose, "why": "test", "token": token(officer), "confirmed": "true"}
    assert officer.post("/queue/1", data=form).status_code == 400


@pytest.mark.parametrize("choose", ["leave", "adjust", "correct", "exclude"])
def test_an_event_that_fails_a_fit_is_settled(officer, club, tmp_path, choose):
    before = officer.get("/api/queue").json()["waiting"]
    add_upset(club, tmp_path)
    there = f"/queue/{waits(officer, 'fit', NAME)}"
    assert "Flagged ratings" in officer.get(there).text
    form = {"choose": choose, "policy": "club", "why": "test", "token": token(officer)}
    shown = officer.post(there, data=form)
    assert shown.status_code == 200, shown.text
    assert officer.post(there, data={**form, "confirmed": "true"}).status_code == 303
    assert officer.get("/api/queue").json()["waiting"] == before


@pytest.fixture
def masters(tmp_path):
    """An app over a ledger with an event of ten in which a norm lacks one requirement, and its officer."""
    place = str(tmp_path / "masters.db")
    with Ledger.open(place, create=True) as ledger:
        with ledger.writing("t", "t") as connection:
            write_people(connection, federations=["GER"] * 4 + ["FRA"] * 6)
            write_event(connection, 1, date(2026, 2, 1))
            write_event(connection, 2, date(2026, 3, 1))
            t = tables.events
            connection.execute(t.update().where(t.c.id == 2).values(excluded=True))
            add_account(connection, "ann", PASSWORDS["ann"], "administrator")
            told = {"reason": "a changed report", "candidates": [{"event": 1, "name": "Masters 1"}]}
            open_doubt(connection, "event", "Masters 2", told, event_id=2)
        check_events(ledger, [1])
    app = make_app(WebSettings(place=place, open_reading=True, title="Masters", work=False))
    with TestClient(app, base_url="http://127.0.0.1", follow_redirects=False) as client:
        sign_in(client, "ann")
        yield client


def test_a_norm_has_every_requirement(masters):
    waiting = masters.get("/api/queue", params={"kind": "norm"}).json()["doubts"]
    hero = next(d["number"] for d in waiting if d["player"] == 1)
    twin = masters.get(f"/api/queue/{hero}").json()
    failed = [r for r in twin["norm"]["requirements"] if not r["passed"]]
    assert [r["what"] for r in failed] == ["federations beside the player's"]
    assert "The norm, requirement by requirement" in masters.get(f"/queue/{hero}").text
    form = {"choose": "grant", "why": "a zonal", "token": token(masters), "confirmed": "true"}
    assert masters.post(f"/queue/{hero}", data=form).status_code == 303
    page = masters.get("/api/events/1/norms").json()
    assert page["judged"] == 10
    assert page["nearest"][0]["player"] in {"Hero, Hanna", "Player 5", "Player 6", "Player 7"}
    assert "federations beside" in masters.get("/events/1/norms").text


@pytest.mark.parametrize(("choose", "counting"), [("replace", [2]), ("add", [1, 2]), ("leave", [1])])
def test_a_changed_report_is_settled(masters, choose, counting):
    twin = masters.get("/api/queue/1").json()
    assert [e["id"] for e in twin["events"]] == [2, 1]
    form = {"choose": choose, "why": "the arbiter wrote", "token": token(masters)}
    shown = masters.post("/queue/1", data=form)
    assert "There is no list yet" in shown.text
    assert masters.post("/queue/1", data={**form, "confirmed": "true"}).status_code == 303
    events = masters.get("/api/events").json()["events"]
    assert sorted(e["id"] for e in events if e["counts"]) == counting


FORMS = [("/queue/1", {"choose": "new"}), ("/log/{}/undo", {})]


@pytest.mark.parametrize(("path", "fields"), FORMS)
def test_only_an_administrator_with_our_form(make_client, decided, club, path, fields):
    fields = {**fields, "why": "test", "confirmed": "true"}
    path, before = path.format(decided[0]), in_log(club)
    nobody, viewer, officer = make_client(), make_client("vic"), make_client("ann")
    assert nobody.post(path, data=fields).status_code == 401
    assert viewer.post(path, data={**fields, "token": token(viewer)}).status_code == 403
    assert officer.post(path, data=fields).status_code == 403
    assert officer.post(path, data={**fields, "token": token(officer), "why": ""}).status_code == 422
    good = {**fields, "token": token(officer)}
    elsewhere = re.sub(r"/\d+", "/77", path)
    assert officer.post(elsewhere, data=good).status_code == 404
    assert in_log(club) == before


def test_the_log_is_found_by_who_kind_subject_and_words(client, decided):
    def numbers(**params):
        return [d["id"] for d in client.get("/api/log", params=params).json()["decisions"]]

    one, two, three = decided
    assert numbers() == list(range(three, 0, -1))
    assert numbers(who="bob") == [three, two]
    assert numbers(kind="exclude", who="bob") == [two]
    assert numbers(about="event 8") == [three, two]
    assert numbers(about="event 80") == []
    assert numbers(about="player 3") == [one]
    assert numbers(q="ödipus") == [one]
    assert numbers(q="EXHIBITION bob") == [two]
    assert numbers(q="100%") == []
    assert client.get("/log?q=%00").status_code == 422
    assert client.get("/log?about=events").status_code == 422
    assert client.get("/log?page=50").status_code == 200
    page = client.get("/log").text
    assert "<b>so" not in page
    assert "&lt;b&gt;so" in page
    assert "undone" in page
    assert "No decision fits" in client.get("/log?q=nothing").text


def test_a_decision_has_before_and_after(client, decided):
    one, two, three = decided
    twin = client.get(f"/api/log/{one}").json()
    assert twin["cells"] == [{"what": "player 3", "column": "title", "before": "", "after": "FM"}]
    assert twin["can_undo"]
    assert not client.get(f"/api/log/{two}").json()["can_undo"]
    assert client.get(f"/api/log/{three}").json()["decision"]["undoes"] == two
    assert client.get("/log/77").status_code == 404


def test_an_undo_is_shown_first_and_then_written(officer, decided):
    form = {"why": 'he is none "><script>alert(1)</script>', "token": token(officer)}
    one, next_one = f"/log/{decided[0]}", decided[-1] + 1
    shown = officer.post(f"{one}/undo", data=form)
    assert "<script>alert" not in shown.text
    assert "Nothing is written yet" in shown.text
    assert officer.get(f"/api{one}").json()["can_undo"]
    done = officer.post(f"{one}/undo", data={**form, "confirmed": "true"})
    assert done.headers["location"] == f"/log/{next_one}?notice=undone"
    assert officer.get(f"/api{one}").json()["decision"]["undone_by"] == next_one
    refused = officer.post(f"{one}/undo", data=form)
    assert refused.status_code == 400
    assert "undone already" in refused.text


def test_an_empty_log_says_so(masters):
    assert "There are no decisions yet" in masters.get("/log").text


@pytest.mark.chromium
def test_settle_a_doubtful_player(served, page):
    base = served()
    page.goto(f"{base}/sign-in?to=/queue")
    page.get_by_label("Name").fill("ann")
    page.get_by_label("Password").fill("correct horse battery")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="O'Neil, M.").click()
    page.get_by_label("It is O'Neil, Mia").check()
    page.get_by_label("Why?").fill("I asked her")
    page.get_by_role("button", name="Show the effect").click()
    page.get_by_text("Nothing is written yet").wait_for()
    page.get_by_role("button", name="Confirm").click()
    page.get_by_text("Settled, and written into the log.").wait_for()
    assert not page.get_by_role("link", name="O'Neil, M.").count()
    page.get_by_role("link", name="Log", exact=True).first.click()
    page.get_by_text("I asked her").wait_for()
