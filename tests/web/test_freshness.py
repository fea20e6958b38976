"""Whatever is written, the next page shows it: a server that remembers says what one says that has just started."""

from __future__ import annotations

import time
from datetime import date

import pytest
import sqlalchemy as sa

from arpad.office.deciding.correcting import correct_event, correct_player
from arpad.office.deciding.correcting_games import correct_game
from arpad.office.deciding.decisions import undo
from arpad.office.deciding.excluding import exclude_event, exclude_game, include_event
from arpad.office.deciding.manual_ratings import set_rating
from arpad.office.deciding.merging import merge, unmerge
from arpad.office.intake.importing import import_files
from arpad.office.making.list_making import make_list, publish_list
from arpad.office.records.doubts import drop_doubt, open_doubt
from arpad.office.rules.policies import add_policy
from arpad.office.rules.presets import preset
from arpad.office.showing.list_search import Wanted
from arpad.store.ledger import tables
from arpad.store.ledger.bulk import insert
from arpad.store.ledger.column_types import now
from arpad.store.ledger.ledger import Ledger
from arpad.web.app import make_app
from arpad.web.marks import Touched, marks_of
from arpad.web.memory import Memory
from arpad.web.settings import Settings
from arpad.web.warming import Warming
from tests.web.conftest import SECRET, sign_in
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
    drop_doubt(connection, first)


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
    new.app.state.memory, new.app.state.touched = Memory(), Touched()  # as if it had just started
    for path in things.pages():
        for address in (path,) if path.startswith("/charts") else (path, f"/api{path if path != '/' else '/home'}"):  # fmt: skip
            wanted, found = new.get(address), old.get(address)
            assert found.status_code == wanted.status_code, (what, address)
            assert found.text == wanted.text, (what, address)


def test_after_every_writing_every_page_is_what_a_new_server_says(client, make_client, ledger, tmp_path):  # fmt: skip
    things, fresh = Things(ledger), make_client()
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
    monkeypatch.setattr("arpad.office.making.list_making.now", lambda: moment)
    path = tmp_path / "cup.csv"
    path.write_text(event())
    with new_ledger() as ledger:
        with ledger.writing("test", "begin") as connection:
            add_policy(connection, preset("club"))
        list(import_files(ledger, [str(path)], who="test"))
        app = make_app(Settings(place=ledger.place, title="Club", secret=SECRET, work=False))
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
    things, touched = Things(ledger), Touched()

    def mark(*names):
        with ledger.reading() as connection:
            return touched.mark(connection, marks_of(connection), names)

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
    things, touched = Things(ledger), Touched()
    with ledger.reading() as old:
        first = touched.mark(old, marks_of(old), ["events"])
        names = touched.mark(old, marks_of(old), ["player_names"])
        with ledger.writing("test", "because") as connection:
            correct_event(connection, things.event, **HALL)
        with ledger.reading() as new:
            now = touched.mark(new, marks_of(new), ["events"])
            assert touched.mark(new, marks_of(new), ["player_names"]) == names
        then = touched.mark(old, marks_of(old), ["events"])
        assert (
            touched.mark(old, marks_of(old), ["player_names"]) == names
        )  # nobody has touched them
    assert (
        len({first, now, then}) == 3
    )  # what is made from the old moment is not taken for the new one


def test_a_decision_that_does_not_say_what_it_changed_has_changed_everything(ledger):
    touched = Touched()

    def mark():
        with ledger.reading() as connection:
            return touched.mark(connection, marks_of(connection), ["games"])

    before = mark()
    with ledger.writing("test", "because") as connection:
        insert(
            connection, tables.decisions, when=now(), who="test", why="because", kind="settle", subject="event 1",
        )  # fmt: skip
    assert mark() != before


def test_a_thing_gives_way_to_a_newer_one_and_takes_its_looks_with_it():
    memory, made = Memory(room=2), []

    def get(mark, key):
        return memory.get((mark,), (key,), lambda: made.append((mark, key)) or [mark, key])

    first = get(1, "a")
    assert get(1, "a") is first
    assert memory.shown(first, ("/a",), lambda: "one") == "one"
    assert memory.shown(first, ("/a",), lambda: "two") == "one"
    assert (
        memory.shown(first, ("/b",), lambda: "two") == "two"
    )  # by another address it may look otherwise
    second = get(2, "a")
    assert second == [2, "a"]
    assert memory.shown(first, ("/b",), lambda: "three") == "three"
    assert memory.shown(["strange"], ("/b",), lambda: "four") == "four"
    get(1, "b"), get(1, "c")
    assert get(2, "a") is not second  # no room
    assert made == [(1, "a"), (2, "a"), (1, "b"), (1, "c"), (2, "a")]


def test_what_could_not_be_made_is_tried_again():
    memory = Memory()
    with pytest.raises(ValueError, match="not now"):
        memory.get((1,), ("a",), lambda: (_ for _ in ()).throw(ValueError("not now")))
    assert memory.get((1,), ("a",), lambda: "made") == "made"


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


@pytest.mark.parametrize("open_reading", [True, False])
def test_a_server_asks_itself_for_the_first_pages(make_client, open_reading):
    client = make_client(open_reading=open_reading, warm=True)
    warming = client.app.state.warming
    warming.wait()
    assert {status for _, status in warming.asked} == {200}
    paths = [path for path, _ in warming.asked]
    assert {"/", "/players", "/lists/club/2026-11"} <= set(paths)
    assert any(path.startswith("/charts/players/") for path in paths)
    assert client.get("/").status_code == (200 if open_reading else 303)


def test_after_a_change_it_asks_again_once_nobody_writes(make_client):
    client = make_client(warm=False)
    warming = Warming(client.app, quiet=0.05)
    warming.start()
    warming.wait()
    before, ledger = warming.asked, client.app.state.ledger
    time.sleep(0.3)
    assert warming.asked is before  # nothing has changed
    with ledger.writing("ann", "typing error") as connection:
        correct_player(connection, 1, name="Newname, Nora")
    deadline = time.monotonic() + 30
    while warming.asked is before or len(warming.asked) < len(before):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert {status for _, status in warming.asked} == {200}
    warming.close()


def test_a_server_that_ends_does_not_wait_for_pages(make_client):
    client = make_client(warm=True)
    warming = client.app.state.warming
    warming.close()
    assert len(warming.asked) <= 2
