"""The whole story on both databases, PostgreSQL for real: upload, import, list, the effect of a decision, the decision."""

from __future__ import annotations

import re

import pytest

from arpad.ledger.accounts import add_account
from arpad.ledger.db.ledger import Ledger
from arpad.ledger.decisions.decisions import decisions
from arpad.ledger.lists import entries_kept, list_called
from arpad.ledger.policy import add_policy, preset
from arpad.web.app import make_app
from arpad.web.auth import WebSettings
from tests.web.conftest import PASSWORDS, sign_in, token
from tests.web.crawling import crawl
from tests.web.test_work import until

PEOPLE = ["Berg, Ida", "Novák, Jan", "O'Neil, Mia", "Nguyễn, Dara", "Sato, Yuki", "Haas, Tom"]


def event() -> str:
    """A round robin, two rounds of it a week: the first of the alphabet beat the others."""
    rows = ["event,date,round,white,black,result"]
    people = sorted(PEOPLE)
    pairs = [(a, b) for a in people for b in people if a < b]
    for number, (white, black) in enumerate(pairs):
        rows.append(f'Club "A" Cup,2026-05-{number + 1:02},{number // 3 + 1},"{white}","{black}",1-0')  # fmt: skip
    return "\n".join(rows).replace('Club "A" Cup', '"Club ""A"" Cup"') + "\n"


@pytest.fixture
def office(place):
    """An officer in front of a new ledger, with the work of the background done as it is on a server."""
    from starlette.testclient import TestClient

    with Ledger.open(place) as ledger, ledger.writing("test", "begin") as connection:
        add_account(connection, "ann", PASSWORDS["ann"], "administrator")
        add_policy(connection, preset("club"))
    app = make_app(WebSettings(place=place, open_reading=True, title="Club"))
    with TestClient(app, base_url="http://127.0.0.1", follow_redirects=False) as client:
        sign_in(client, "ann")
        yield client


def posted(client, path: str, **fields) -> str:
    """Send a form and return where it leads."""
    answer = client.post(path, data={"token": token(client), **fields})
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


def done(client, path: str) -> dict:
    """Wait for a job."""
    over = until(lambda: (j := client.get(f"/api{path}").json())["is_open"] is False and j)
    assert over["state"] == "done", over["says"]
    return over


def test_an_event_from_its_upload_to_a_decision_on_it(office, place):
    sent = office.post("/upload", data={"token": token(office)}, files={"file": ("cup.csv", event().encode())})  # fmt: skip
    assert sent.status_code == 303, sent.text
    seen = sent.headers["location"]
    assert "1 event and 15 games" in office.get(seen).text
    imported = done(office, posted(office, f"{seen}/confirm"))
    (cup,) = imported["links"]
    made = done(office, posted(office, "/jobs/list", policy="club", name=""))
    address = made["links"][0]["href"]
    name = made["figures"]["name"]
    first = {r["id"]: r["rating"] for r in office.get(f"/api{address}").json()["rows"]}
    assert len(first) == len(PEOPLE)

    game = office.get(f"/api{cup['href']}/games").json()["shown"][0]["games"][0]
    path = f"{cup['href']}/games/{game['id']}"
    form = {"token": token(office), "why": "the sheet says so", "result": "0-1"}
    shown = office.post(path, data=form)
    assert shown.status_code == 200, shown.text
    assert "Nothing is written yet" in shown.text
    said = re.search(rf"list {name} of club: (\d+) figures change", shown.text, re.IGNORECASE)
    assert said, shown.text
    with Ledger.open(place) as ledger, ledger.reading() as connection:
        assert decisions(connection) == []  # the trial left nothing
        kept = entries_kept(connection, list_called(connection, "club", name))
    assert dict(kept.select("player_id", "rating").iter_rows()) == first
    assert office.get(f"/api{address}").json()["rows"][0]["id"] in first

    where = posted(office, path, why="the sheet says so", result="0-1", confirmed="true")
    assert where.startswith("/log/1")
    assert "the sheet says so" in office.get(where).text
    done(office, posted(office, "/jobs/list", policy="club", name=name))
    after = {r["id"]: r["rating"] for r in office.get(f"/api{address}").json()["rows"]}
    assert sum(after[p] != first[p] for p in after) == int(said[1])

    undone = posted(office, "/log/1/undo", why="it was right after all", confirmed="true")
    assert undone.startswith("/log/2")
    done(office, posted(office, "/jobs/list", policy="club", name=name))
    assert {r["id"]: r["rating"] for r in office.get(f"/api{address}").json()["rows"]} == first
    seen = office.get(f"/api{address}/publish").json()["seen"]
    assert posted(office, f"{address}/publish", seen=seen).endswith("notice=published")
    assert office.get(f"/api{address}").json()["about"]["state"] == "published"
    every_kind_of_page_is_there(office)


def every_kind_of_page_is_there(office):
    """Queries that only one of the two databases understands are found here."""
    answers = crawl(office, each=1)
    assert len(answers) > 30
    wrong = [f"{a}: {r.status_code}" for a, (_, r) in answers.items() if r.status_code != 200]
    assert not wrong
    for query in ("/players?q=novak", "/events?q=cup", "/log?q=x&about=player+1", "/queue?settled=true"):  # fmt: skip
        assert office.get(query).status_code == 200, query
