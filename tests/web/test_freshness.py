"""Whatever is written, the next page shows it: a server that remembers says what one says that has just started."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import date

import pytest
import sqlalchemy as sa

from arpad.ledger.db import tables
from arpad.ledger.db.bulk import insert
from arpad.ledger.db.ledger import Ledger
from arpad.ledger.db.tables import now
from arpad.ledger.decisions.corrections import (
    correct_event,
    correct_game,
    correct_player,
    exclude_event,
    exclude_game,
    include_event,
    merge,
    unmerge,
)
from arpad.ledger.decisions.decisions import undo
from arpad.ledger.decisions.queue import open_doubt
from arpad.ledger.decisions.ratings import set_rating
from arpad.ledger.imports.importing import import_files
from arpad.ledger.list_making import make_list, publish_list
from arpad.ledger.policy import add_policy, preset
from arpad.ledger.queries.lists import Wanted
from arpad.web.app import make_app
from arpad.web.auth import WebSettings
from arpad.web.cache import LedgerCache, TableVersions, ledger_version
from arpad.web.middleware import KeptAnswer
from tests.web.conftest import sign_in
from tests.web.test_both_databases import event

HALL = {"site": "The new hall"}
NEW = 'event,date,round,white,black,result\n"Spring",2026-11-10,1,"Novak, Jan","Zz, New",0-1\n'


@pytest.fixture
def ledger(club):
    with Ledger.open(club) as ledger:
        yield ledger


def some(connection, column, *where):
    return connection.execute(sa.select(column).where(*where).order_by(column).limit(1)).scalar_one()  # fmt: skip


class Things:
    """Numbers of a player, of the last event and of a game of it."""

    def __init__(self, ledger) -> None:
        p, e, g = tables.players.c, tables.events.c, tables.games.c
        with ledger.reading() as connection:
            self.player = some(connection, p.id, p.name == "Novak, Jan")
            self.other = some(connection, p.id, p.name == "Byrne, Donald")
            last = sa.select(e.id).order_by(e.end.desc(), e.id.desc()).limit(1)
            self.event = connection.execute(last).scalar_one()
            self.game = some(connection, g.id, g.event_id == self.event, g.status == "played")
            self.score = some(connection, g.score, g.id == self.game)

    def pages(self) -> list[str]:
        """Return the pages that remember something."""
        return [
            "/", "/lists", "/lists/club/2026-11", "/lists/club/2026-11?sort=birth", "/lists/club/2026-11?q=nov",
            "/lists/club/2026-11?q=zz", "/lists/club/2026-11?sex=w&page=2", "/lists/club/2026-11?age_to=30",
            "/players", "/players?q=novak", "/players?q=zz", "/players?q=4711", f"/players/{self.player}",
            f"/players/{self.other}", f"/players/{self.player}/explain", f"/events/{self.event}",
            f"/events/{self.event}?policy=-", f"/events/{self.event}/games", f"/events/{self.event}/fit",
            "/events", f"/games/{self.game}", f"/charts/players/{self.player}/ratings",
        ]  # fmt: skip


def _doubt(connection, things) -> None:
    open_doubt(connection, "event", f"event {things.event}", {"reason": "odd"}, event_id=things.event)  # fmt: skip
    d = tables.doubts.c
    first = some(connection, d.id, d.settled_by.is_(None))
    connection.execute(tables.doubts.delete().where(d.id == first))


WRITES = {
    "an event's place": lambda c, t: correct_event(c, t.event, **HALL),
    "an event's name": lambda c, t: correct_event(c, t.event, name="Another name"),
    "an event's day": lambda c, t: correct_event(c, t.event, start=None),
    "an event's time control": lambda c, t: correct_event(c, t.event, time_control="blitz"),
    "a name": lambda c, t: correct_player(c, t.player, name="Zz, Jan"),
    "a birth": lambda c, t: correct_player(c, t.player, birth="2019"),
    "a sex": lambda c, t: correct_player(c, t.player, sex="w"),
    "an id": lambda c, t: correct_player(c, t.player, ids={"fide": "4711"}),
    "a title": lambda c, t: correct_player(c, t.player, title="GM", federation="NOR"),
    "a result": lambda c, t: correct_game(c, t.game, score=1 - t.score if t.score != 0.5 else 1.0, black_score=t.score if t.score != 0.5 else 0.0),
    "a game that does not count": lambda c, t: exclude_game(c, t.game),
    "an event that does not count": lambda c, t: exclude_event(c, t.event),
    "an event that counts again": lambda c, t: include_event(c, t.event),
    "a rating by hand": lambda c, t: set_rating(c, t.player, 2222.0, on=date(2026, 11, 1), policy="club"),
    "two who are one": lambda c, t: merge(c, t.other, t.player),
    "two who are not": lambda c, t: unmerge(c, t.other),
    "the last decision": lambda c, _: undo(c, c.execute(sa.select(sa.func.max(tables.decisions.c.id))).scalar_one()),
    "a doubt": _doubt,
    "a policy": lambda c, _: add_policy(c, preset("fide").changed(name="other")),
}  # fmt: skip


def same(old, new, things, what) -> None:
    new.app.state.cache, new.app.state.table_versions = (
        LedgerCache(),
        TableVersions(),
    )  # as if it had just started
    for path in things.pages():
        for address in (path,) if path.startswith("/charts") else (path, f"/api{path if path != '/' else '/home'}"):  # fmt: skip
            # A new server has no answers yet; with credentials of a program none are kept.
            wanted, found = new.get(address, headers={"Authorization": "none"}), old.get(address)
            assert found.status_code == wanted.status_code, (what, address)
            assert found.text == wanted.text, (what, address)


@pytest.mark.parametrize("public", [False, True])
def test_after_every_writing_every_page_is_what_a_new_server_says(make_client, ledger, tmp_path, public):
    client, fresh = (make_client(open_reading=not public, public=public) for _ in range(2))
    things = Things(ledger)
    same(client, fresh, things, "nothing")
    for what, write in WRITES.items():
        with ledger.writing("test", "because") as connection:
            write(connection, things)
        same(client, fresh, things, what)
    path = tmp_path / "new.csv"
    path.write_text(NEW)
    list(import_files(ledger, [str(path)], who="test"))
    same(client, fresh, things, "an import")
    assert "Zz, New" in client.get("/players?q=zz").text
    for name in ("2026-11", "2026-12"):
        make_list(ledger, policy="club", name=name)
        same(client, fresh, things, f"list {name}")
    publish_list(ledger, policy="club", name="2026-12")
    same(client, fresh, things, "publishing")


def test_a_draft_that_is_made_twice_in_a_second_is_the_newer_one(new_ledger, tmp_path, monkeypatch):
    """Made, corrected, made, put back, made: the third has the number and the second of the second draft, and
    the run of the first."""
    from starlette.testclient import TestClient

    moment = now()
    monkeypatch.setattr("arpad.ledger.db.tables.now", lambda: moment)
    path = tmp_path / "cup.csv"
    path.write_text(event())
    with new_ledger() as ledger:
        with ledger.writing("test", "begin") as connection:
            add_policy(connection, preset("club"))
        list(import_files(ledger, [str(path)], who="test"))
        app = make_app(WebSettings(place=ledger.place, open_reading=True, title="Club", work=False))
        with TestClient(app, base_url="http://127.0.0.1") as client:

            def made():
                name = make_list(ledger, policy="club").draft.name
                return client.get(f"/api/lists/club/{name}").json()["rows"]

            first = made()
            with ledger.writing("test", "because") as connection:
                correct_game(connection, 1, score=0.0, black_score=1.0)
            second = made()
            with ledger.writing("test", "because") as connection:
                undo(connection, 1)
            assert second != first
            assert made() == first


def test_a_decision_changes_the_marks_of_what_it_touches_and_no_other(ledger):
    things, table_versions = Things(ledger), TableVersions()

    def mark(*names):
        with ledger.reading() as connection:
            return table_versions.of(connection, ledger_version(connection), names)

    before = {name: mark(name) for name in ("events", "players", "player_names", "games")}
    with ledger.writing("test", "because") as connection:
        correct_event(connection, things.event, **HALL)
    after = {name: mark(name) for name in before}
    assert [name for name in before if before[name] != after[name]] == ["events"]
    assert mark("events", "games") == after["events"]
    with ledger.writing("test", "because") as connection:
        correct_player(connection, things.player, name="Zz, Jan")
    last = {name: mark(name) for name in before}
    assert [name for name in before if last[name] != after[name]] == ["players", "player_names"]


def test_who_looks_at_an_older_moment_spoils_nothing(ledger):
    things, table_versions = Things(ledger), TableVersions()
    with ledger.reading() as old:
        first = table_versions.of(old, ledger_version(old), ["events"])
        names = table_versions.of(old, ledger_version(old), ["player_names"])
        with ledger.writing("test", "because") as connection:
            correct_event(connection, things.event, **HALL)
        with ledger.reading() as new:
            now = table_versions.of(new, ledger_version(new), ["events"])
            assert table_versions.of(new, ledger_version(new), ["player_names"]) == names
        then = table_versions.of(old, ledger_version(old), ["events"])
        assert (
            table_versions.of(old, ledger_version(old), ["player_names"]) == names
        )  # nobody has touched them
    assert len({first, now, then}) == 3  # what is made from the old moment is not taken for the new one


def test_a_decision_that_does_not_say_what_it_changed_has_changed_everything(ledger):
    table_versions = TableVersions()

    def mark():
        with ledger.reading() as connection:
            return table_versions.of(connection, ledger_version(connection), ["games"])

    before = mark()
    with ledger.writing("test", "because") as connection:
        insert(
            connection, tables.decisions, when=now(), who="test", why="because", kind="settle", subject="event 1",
        )  # fmt: skip
    assert mark() != before


def test_a_value_gives_way_to_one_of_a_newer_version():
    cache, made = LedgerCache(size=2), []

    def get(version, key):
        return cache.get((version,), (key,), lambda: made.append((version, key)) or [version, key])

    first = get(1, "a")
    assert get(1, "a") is first
    second = get(2, "a")
    assert second == [2, "a"]
    get(1, "b"), get(1, "c")
    assert get(2, "a") is not second  # no room
    assert made == [(1, "a"), (2, "a"), (1, "b"), (1, "c"), (2, "a")]


def test_a_public_answer_is_made_once_for_each_address_until_somebody_writes(make_client, ledger):
    stranger = make_client(open_reading=False, public=True)
    templates, made = stranger.app.state.templates, []
    real = templates.get_template

    def counted(name, *more):
        made.extend([name] if name == "players.html" else [])
        return real(name, *more)

    templates.get_template = counted
    first = stranger.get("/players")
    assert stranger.get("/players").text == first.text
    assert stranger.head("/players").headers["etag"] == first.headers["etag"]
    known = stranger.get("/players", headers={"If-None-Match": first.headers["etag"]})
    assert (known.status_code, known.content) == (304, b"")
    assert len(made) == 1
    for others in ({"url": "/players?q=a"}, {"url": "/players", "headers": {"Host": "localhost"}}):
        stranger.get(**others)
    assert len(made) == 3
    plain = stranger.get("/players", headers={"Accept-Encoding": "identity"})
    assert plain.text == first.text
    assert "content-encoding" not in plain.headers
    with ledger.writing("test", "because") as connection:
        correct_player(connection, Things(ledger).player, name="Zz, Jan")
    assert "Zz, Jan" in stranger.get("/players").text
    ann = make_client("ann", app=stranger.app)
    assert ">ann<" in ann.get("/players").text
    assert ">ann<" not in stranger.get("/players").text


def test_an_answer_that_does_not_follow_from_the_ledger_is_not_kept(make_client, monkeypatch):
    kept = []

    def keep(*about):
        kept.append(about[3].path)
        return KeptAnswer(*about)

    monkeypatch.setattr("arpad.web.middleware.KeptAnswer", keep)
    stranger = make_client(open_reading=False, public=True)
    for path in ("/health", "/sign-in", "/robots.txt", "/pool", "/nothing", "/assets/style.css", "/players"):
        stranger.get(path)
    assert kept == ["/players"]


def test_one_caller_computes_while_the_others_wait():
    cache, made, begun, go = LedgerCache(), [], threading.Event(), threading.Event()

    def make():
        made.append(1)
        begun.set()
        go.wait()
        return "value"

    with ThreadPoolExecutor(4) as pool:
        results = [pool.submit(cache.get, (1,), ("a",), make) for _ in range(4)]
        begun.wait()
        go.set()
        assert {each.result() for each in results} == {"value"}
    assert made == [1]


def test_what_could_not_be_made_is_tried_again():
    cache = LedgerCache()
    with pytest.raises(ValueError, match="not now"):
        cache.get((1,), ("a",), lambda: (_ for _ in ()).throw(ValueError("not now")))
    assert cache.get((1,), ("a",), lambda: "made") == "made"


@pytest.mark.parametrize("path", ["/", "/lists/club/2026-11", "/players?q=novak"])
def test_nobody_sees_the_page_of_somebody_else(client, make_client, path):
    officer = make_client(app=client.app)
    sign_in(officer, "ann")
    for _ in range(2):
        theirs, mine = client.get(path).text, officer.get(path).text
        assert 'name="token"' not in theirs
        assert "ann" not in theirs.partition("<main")[0]
        assert 'name="token"' in mine
        assert ">ann<" in mine


def test_a_notice_is_said_once(client):
    plain = client.get("/lists").text
    assert 'class="notice"' in client.get("/lists?notice=published").text
    assert client.get("/lists").text == plain


def test_pages_of_a_search_follow_one_another(client):
    whole = client.get("/api/lists/club/2026-11", params={"q": "a"}).json()
    assert whole["pager"]["found"] == len(whole["rows"]) > 1
    beyond = client.get("/api/lists/club/2026-11", params={"q": "a", "page": 9}).json()
    assert beyond == whole
    assert Wanted(text="a") != Wanted()


def test_the_cache_keeps_a_bounded_number_of_bytes_of_files(monkeypatch):
    monkeypatch.setattr("arpad.web.cache.FILES", 100)
    cache, made = LedgerCache(), []

    def make(size: int) -> bytes:
        made.append(size)
        return bytes(size)

    for size in (40, 41, 42, 500):
        assert len(cache.get((1,), (size,), lambda size=size: make(size))) == size
    assert len(cache.get((1,), (42,), lambda: make(42))) == 42
    assert made == [40, 41, 42, 500]
    cache.get((1,), (40,), lambda: make(40))
    cache.get((1,), (500,), lambda: make(500))
    assert made == [40, 41, 42, 500, 40, 500]
