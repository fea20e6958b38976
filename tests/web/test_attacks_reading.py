"""Attacks on what is not for everybody: the table of the docs, row by row; drafts, days of birth, long work."""

from __future__ import annotations

import csv
import io
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from fastapi.routing import APIRoute

from arpad.errors import UsageError
from arpad.ledger.db.ledger import Ledger
from arpad.ledger.db.tables import events, games, moves
from arpad.ledger.decisions.corrections import correct_player
from arpad.ledger.list_making import make_list, publish_list
from arpad.ledger.lists import kept_lists
from arpad.web.app import PARTS, settings_for
from tests.web.conftest import token

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCS = Path(__file__).parents[2] / "docs" / "web.md"
BIRTHDAY = "2014-03-09"


def rows() -> list[tuple[str, ...]]:
    """The rows of the table in the docs: address, and what each of four may."""
    part = DOCS.read_text(encoding="utf-8").split("## Who sees what")[1].split("\n## ")[0]
    lines = [line.strip("|").split("|") for line in part.splitlines() if line.startswith("| ")]
    return [tuple(cell.strip().strip("`") for cell in line[1:]) for line in lines[1:]]


@pytest.fixture(scope="module")
def _half(_demo, tmp_path_factory) -> Path:
    """The club with its lists published, and one draft more; player 1 was born on a day."""
    place = shutil.copy(_demo, tmp_path_factory.mktemp("half") / "club.db")
    with Ledger.open(str(place)) as ledger:
        with ledger.reading() as connection:
            draft = [each for each in kept_lists(connection, "club") if each.state == "draft"]
        for each in draft:
            publish_list(ledger, policy="club", name=each.name, who="ann")
        with ledger.writing("ann", "as the passport has it") as connection:
            correct_player(connection, 1, birth=BIRTHDAY)
        make_list(ledger, policy="club", name="2027-06")
    return place


@pytest.fixture
def half(_half, club) -> str:
    """A copy of such a club, which a test may change."""
    return shutil.copy(_half, club)


@pytest.fixture
def places(half) -> dict[str, str]:
    """Addresses of one thing of each kind."""
    with Ledger.open(half) as ledger, ledger.reading() as connection:
        found = {
            (state, policy): f"/lists/{policy}/{name}"
            for state, policy, name in connection.exec_driver_sql(
                "SELECT l.state, p.name, l.name FROM lists l JOIN policies p ON p.id = l.policy_id"
                " WHERE l.number = 0 ORDER BY l.closing"
            )
        }
        game = connection.execute(sa.select(moves.c.game_id).limit(1)).scalar_one()
        event = connection.execute(sa.select(sa.func.max(events.c.id))).scalar_one()
        white = connection.execute(sa.select(games.c.white_id).limit(1)).scalar_one()
    return {
        "list": found["published", "club"], "draft": found["draft", "club"], "player": f"/players/{white}",
        "event": f"/events/{event}", "game": f"/games/{game}",
    }  # fmt: skip


def allowed(client, address: str) -> bool:
    """Whether a request is answered, and not sent to sign in or refused."""
    if address.startswith("POST "):
        path = address.removeprefix("POST ")
        sent = {"token": token(client, "/sign-in") if client.cookies else "none"}
        files = {"file": ("x.csv", b"event,date,round,white,black,result\nOpen,2026-01-02,1,A,B,1-0\n")}
        answer = client.post(path, data=sent, files=files if path == "/upload" else None)

        return answer.status_code in (200, 303, 409)  # 409: only the draft that was shown is published
    page = client.get(address)
    twin = client.get(f"/api{address if address != '/' else '/home'}")
    assert page.status_code in (200, 303, 401, 403, 404)
    if twin.status_code != 404 and not re.search(r"/files/|/charts/|/pgn|/account", address):
        assert (twin.status_code == 200) == (page.status_code == 200), address
    return page.status_code == 200


def test_everybody_sees_what_the_docs_say(make_client, places, people):
    closed, public = make_client(open_reading=False), make_client(open_reading=False, public=True)
    signed_in = [make_client(who, app=public.app) for who in ("vic", "arbiter", "officer", "ann")]
    table = sorted(rows(), key=lambda row: row[0].startswith("POST"))  # what changes the ledger comes last
    assert len(table) > 30
    wrong = [
        (row[0], column)
        for row in table
        for column, client in enumerate((closed, public, *signed_in), start=1)
        if allowed(client, row[0].format(**places)) != (row[column] == "yes")
    ]
    assert not wrong


def routes_of(router) -> Iterator[APIRoute]:
    """The routes of a router and of those that it includes."""
    for each in router.routes:
        if isinstance(each, APIRoute):
            yield each
        else:
            yield from routes_of(each.original_router)


FREE = {
    "/", "/api/home", "/sign-in", "/metrics", "/health", "/robots.txt", "/favicon.ico", "/assets/{name}",
    "/assets/{folder}/{name}",
}  # fmt: skip
"""What anybody may have besides the rows of the table."""


def test_every_other_page_is_closed_to_the_public(make_client, places):
    """A page, or JSON, that somebody adds is not public unless the docs say so."""
    client = make_client(open_reading=False, public=True)
    shapes = {
        "list": "/lists/{policy:path}/{name}",
        **{k: f"/{k}s/{{number}}" for k in ("player", "event", "game")},
    }
    public = {
        row[0].replace("/csv", "/{format}").replace("/0.svg", "/{ply}.svg")
        for row in rows()
        if row[2] == "yes"
    }
    public = {re.sub(r"\{(\w+)\}", lambda m: shapes.get(m[1], m[0]), path) for path in public}
    routes = [route for part in PARTS for route in routes_of(part) if "GET" in route.methods]
    assert len(routes) > 80
    wrong = []
    for route in routes:
        path = route.path.replace("{policy:path}/{name}", places["draft"].removeprefix("/lists/"))
        path = path.replace("{format}", "csv").replace("{what}", "evaluation").replace("{ply}", "1")
        path = re.sub(r"\{\w+\}", "1", path)
        known = route.path in FREE or route.path.removeprefix("/api") in public
        if client.get(path).status_code == 200 and not known:
            wrong.append(route.path)
    assert not wrong


def test_the_public_is_told_no_rating_that_no_list_has(make_client):
    """The live rating counts events that no published list has counted yet."""
    ann = make_client("ann", open_reading=False, public=True)
    hers, public = (
        {each["live"] for each in client.get("/api/players/1").json()["ratings"]}
        for client in (ann, make_client(app=ann.app))
    )
    assert hers != {None}
    assert public == {None}


def test_the_public_sees_no_draft_anywhere(make_client, places):
    client = make_client(open_reading=False, public=True)
    name = places["draft"].rpartition("/")[2]
    for address in (
        "/",
        "/lists",
        places["list"],
        places["player"],
        "/api/home",
        "/api/lists",
        f"/api{places['player']}",
    ):
        answer = client.get(address)
        assert answer.status_code == 200
        assert name not in answer.text
        assert "draft" not in answer.text
    assert client.get("/api/home").json()["waiting"] is None
    assert client.get(f"/api{places['event']}").json()["head"]["waiting"] == []


def test_what_an_administrator_saw_is_not_shown_to_the_public_out_of_the_cache(make_client, places):
    ann = make_client("ann", open_reading=False, public=True)
    name = places["draft"].rpartition("/")[2]
    for address in ("/", "/lists", places["player"], "/events"):
        ann.get(address)
    stranger = make_client(app=ann.app)
    for address in ("/", "/lists", places["player"], "/events"):
        assert name not in stranger.get(address).text


@pytest.mark.parametrize("who", [None, "vic", "arbiter", "officer"])
def test_nobody_but_an_administrator_is_told_a_day_of_birth(make_client, half, people, places, who):
    client = make_client(who)
    pages = [
        "/players/1", "/players", places["list"], places["draft"], "/log", "/log/1", "/queue", "/players/1/compare?with=2",
        "/players/1/decide", "/log?about=player+1", "/players/1/explain",
    ]  # fmt: skip
    kinds = ("csv", "json", "html", "txt", "xml")
    asked = [*pages, *(f"/api{p}" for p in pages), *(f"{places['draft']}/files/{k}" for k in kinds)]
    told = [path for path in asked if BIRTHDAY in client.get(path).text]
    assert not told
    assert client.get("/api/players/1").json()["who"]["birth"] == BIRTHDAY[:4]


def test_the_public_starts_no_long_work_for_a_file(make_client, places, monkeypatch):
    client = make_client(open_reading=False, public=True)
    monkeypatch.setattr("arpad.web.views.lists.MANY_PLAYERS", 10)
    for kind, status in {"csv": 200, "json": 200, "xlsx": 303, "html": 303, "xml": 303, "pdf": 303}.items():
        answer = client.get(f"{places['list']}/files/{kind}")
        assert answer.status_code == status, kind  # 303: to the page where people sign in
        assert (f'{places["list"]}/files/{kind}"' in client.get(places["list"]).text) == (status == 200)


def test_a_file_begins_no_formula(make_client, club):
    from arpad.publish.output import FORMULA

    with Ledger.open(club) as ledger:
        for number, sign in enumerate("=+-@", start=1):
            with ledger.writing("ann", "attack") as connection:
                correct_player(connection, number, name=f"{sign}cmd|' /C calc'!A{number}")
        made = make_list(ledger, policy="club", name="2027-06")
    assert made
    text = make_client("ann").get("/lists/club/2027-06/files/csv").text
    names = [row["name"] for row in csv.DictReader(io.StringIO(text))]
    assert sum(name.startswith("'") for name in names) == 4
    assert not [name for name in names if re.match(FORMULA, name)]


def test_reading_is_open_only_if_told(club):
    assert not settings_for(str(club), host="127.0.0.1").open_reading
    assert not settings_for(str(club), host="127.0.0.1", names=["club.example"]).open_reading
    assert not settings_for(str(club), host="127.0.0.1", public=True).open_reading
    assert settings_for(str(club), host="127.0.0.1", open_reading=True).open_reading
    for more in ({"names": ["club.example"]}, {"proxies": ["10.0.0.1"]}):
        with pytest.raises(UsageError, match="--public"):
            settings_for(str(club), host="127.0.0.1", open_reading=True, **more)
    with pytest.raises(UsageError, match="--public"):
        settings_for(str(club), host="192.0.2.7", open_reading=True)


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"])
def test_an_open_server_is_closed_to_whoever_comes_through_another_one(client, header):
    assert client.get("/api/log").status_code == 200
    assert client.get("/api/log", headers={header: "198.51.100.1"}).status_code == 401
