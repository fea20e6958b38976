"""Events: what the pages say is what the library says; who may decide; what a decision shows before it is taken."""

from __future__ import annotations

import json
import re

import pytest
import sqlalchemy as sa

from arpad.event.forecast import finish
from arpad.event.handicap import handicap_standings
from arpad.event.report import report
from arpad.event.tournament_app.app import tournament_app
from arpad.ledger.db import tables
from arpad.ledger.db.ledger import Ledger
from arpad.ledger.decisions.decisions import decisions
from arpad.ledger.games import listed_ratings, recorded_games
from arpad.rate.registry import system
from tests.web.conftest import decided, token, waits
from tests.web.upset import NAME, add_upset

SUMMER, TROPHY = 5, 9


@pytest.fixture
def upset(club, tmp_path):
    """The number of an event that fails the test of fit."""
    return add_upset(club, tmp_path)


def reading(club):
    return Ledger.open(club)


def recorded(club, number, policy="club"):
    """The games of an event, with the ratings that the office takes."""
    with reading(club) as ledger, ledger.reading() as connection:
        day = connection.execute(
            sa.select(tables.events.c.start).where(tables.events.c.id == number)
        ).scalar_one()
        return recorded_games(connection, [number], ratings=listed_ratings(connection, policy, day))


def test_events_are_found_by_name_year_and_control(client):
    found = client.get("/api/events", params={"q": "open"}).json()
    assert [e["name"] for e in found["events"]] == ["Summer Open", "Easter Open", "Winter Open"]
    assert client.get("/api/events", params={"year": 1956}).json()["events"][0]["games"] == 1
    assert client.get("/api/events", params={"control": "blitz"}).json()["events"] == []
    assert "No event fits" in client.get("/events?q=nowhere").text
    assert "Summer Open" in client.get("/events?q=SÚMMER").text
    assert client.get("/events?year=20").status_code == 422
    assert client.get("/events?page=99").status_code == 200


def test_standings_are_those_of_the_library(client, club):
    twin = client.get(f"/api/events/{SUMMER}").json()
    there = recorded(club, SUMMER)
    found = report(there.games, system=system("elo", k=24, period="event"))
    assert twin["head"]["policy"] == "club"
    for shown, one, row in zip(twin["players"], found.players.to_dicts(), found.rows, strict=True):
        assert shown["id"] == there.players[row]
        for name in (
            "rank",
            "name",
            "rating",
            "points",
            "games",
            "performance",
            "performance_exact",
            "expected",
            "change",
        ):
            assert shown[name] == pytest.approx(one[name]), name
        assert shown["error"] == pytest.approx(one["performance_error"])
    page = client.get(f"/events/{SUMMER}").text
    assert f"/players/{twin['players'][0]['id']}" in page
    assert found.summary().removeprefix("Summer Open: ")[1:] in page


def test_tie_breaks_in_the_browser(client, club):
    twin = client.get(f"/api/events/{SUMMER}", params={"tie_break": "SB,BH-C1"}).json()
    found = report(recorded(club, SUMMER).games, tie_breaks="SB,BH-C1")
    assert twin["tie_break_order"] == ["PTS", "SB", "BH-C1"]
    assert [b["tie_breaks"] for b in twin["breaks"]] == [s["tie_breaks"] for s in found.standings()]
    page = client.get(f"/events/{SUMMER}?tie_break=SB,BH-C1").text
    assert ">BH-C1</th>" in page
    assert client.get(f"/events/{SUMMER}?tie_break=coin").status_code == 422


def test_only_the_reports_own_ratings(client):
    twin = client.get(f"/api/events/{SUMMER}", params={"policy": "-"}).json()
    assert {p["rating"] for p in twin["players"]} == {None}
    assert twin["head"]["list_name"] is None
    assert client.get(f"/events/{SUMMER}?policy=nobody").status_code == 404


def test_fit_is_that_of_the_tournament_app(client, club, upset):
    twin = client.get(f"/api/events/{upset}/fit", params={"number_two": 2800}).json()
    found = tournament_app(recorded(club, upset).games, number_two=2800, shuffles=0)
    assert twin["passed"] is False
    assert twin["chi_square"] == pytest.approx(found.fit.chi_square)
    assert twin["strength"] == pytest.approx(found.strength)
    assert [p["flag"] for p in twin["players"]] == [s.flag for s in found.standings]
    assert [p["g_score"] for p in twin["players"]] == pytest.approx([s.g_score for s in found.standings])
    chart = client.get(twin["chart"]["href"]).json()
    assert chart["$schema"].startswith("https://vega.github.io/schema/vega-lite")
    assert "#1f2328" not in json.dumps(chart)  # black ink is not seen on a dark page
    assert client.get(f"/charts/events/{TROPHY}/fit").status_code == 404
    assert client.get(f"/events/{upset}/fit?number_two=nan").status_code == 422


def test_every_page_with_another_performance_says_why(client, upset):
    """FIDE's, the exact one, that of the line and that of the list are four figures of one player."""
    twin = client.get(f"/api/events/{upset}").json()
    exact = {p["id"]: p["performance_exact"] for p in twin["players"] if p["performance_exact"]}
    line = {p["id"]: p["performance"] for p in client.get(f"/api/events/{upset}/fit").json()["players"]}
    assert any(abs(line[player] - exact[player]) > 1 for player in exact)
    event, fit = client.get(f"/events/{upset}?view=standings").text, client.get(f"/events/{upset}/fit").text
    assert "Performance: FIDE's R<sub>p</sub>, from the average rated opponent. Exact: " in event
    assert "the page of a player has the performance and the change by the list, which may differ" in event
    assert "Performance: the rating that the line of this event gives for the score." in fit
    player = client.get(f"/players/{next(iter(exact))}").text
    assert "The page of an event rates it alone" in player


def test_forecast_and_handicap_are_those_of_the_library(client, club):
    there = recorded(club, SUMMER)
    twin = client.get(f"/api/events/{SUMMER}/forecast").json()
    found = finish(there.games).players.to_dicts()
    assert [p["name"] for p in twin["players"]] == [one["name"] for one in found]
    assert [p["first"] for p in twin["players"]] == pytest.approx([one["first"] for one in found])
    assert sum(p["first"] for p in twin["players"]) == pytest.approx(1)
    twin = client.get(f"/api/events/{SUMMER}/handicap").json()
    table = handicap_standings(there.games).players
    assert [p["total"] for p in twin["players"]] == pytest.approx(table["total"].to_list())


def test_games_by_round(client):
    twin = client.get(f"/api/events/{SUMMER}/games").json()
    assert [len(r["games"]) for r in twin["shown"]] == [8] * 9
    one = client.get(f"/api/events/{SUMMER}/games", params={"round": "9"}).json()
    assert [r["round"] for r in one["shown"]] == ["9"]
    page = client.get(f"/events/{SUMMER}/games").text
    assert f"/games/{twin['shown'][0]['games'][0]['id']}" in page
    assert "correct" not in page


def test_an_event_of_one_game_has_every_page(client):
    for part in ("", "/fit", "/norms", "/games", "/forecast", "/handicap", "/decide"):
        answer = client.get(f"/events/{TROPHY}{part}")
        assert answer.status_code == 200, part
    assert "no test of fit" in client.get(f"/events/{TROPHY}/fit").text
    assert "seven rounds" in client.get(f"/events/{TROPHY}/norms").text


def test_forfeits_and_byes_are_shown(client, club):
    with reading(club) as ledger, ledger.writing("test", "test") as connection:
        g = tables.games
        rows = connection.execute(
            sa.select(g.c.id).where(g.c.event_id == SUMMER).order_by(g.c.id).limit(3)
        ).scalars().all()  # fmt: skip
        connection.execute(g.update().where(g.c.id == rows[0]).values(status="forfeit"))
        connection.execute(
            g.update().where(g.c.id == rows[1]).values(status="bye", black_id=None, black_score=None)
        )
        connection.execute(
            g.update().where(g.c.id == rows[2]).values(status="unplayed", score=None, black_score=None)
        )
    for part in ("", "/fit", "/norms", "/games", "/forecast", "/handicap"):
        assert client.get(f"/events/{SUMMER}{part}").status_code == 200, part
    assert ">bye<" in client.get(f"/events/{SUMMER}/games").text
    assert not client.get(f"/api/events/{SUMMER}").json()["square"]


def test_what_is_not_there(client):
    for part in ("", "/fit", "/norms", "/games", "/forecast", "/handicap", "/decide", "/games/1"):
        for start in ("", "/api"):
            assert client.get(f"{start}/events/999{part}").status_code == 404
    assert client.get("/events/0").status_code == 422
    assert client.get("/events/99999999999999999999").status_code == 422
    assert client.get(f"/events/{SUMMER}/games/1").status_code == 404  # of another event


def test_hostile_names_stay_names(client, officer, upset):
    for path in (
        "/events",
        f"/events/{upset}",
        f"/events/{upset}/fit",
        f"/events/{upset}/decide",
        "/queue",
        f"/queue/{waits(client, 'fit', NAME)}",
    ):
        for who in (client, officer):
            page = who.get(path).text
            assert "<script>alert" not in page
            assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


FORMS = [
    ("repair", {"how": "leave"}),
    ("count", {"counts": "false"}),
    ("correct", {"name": "Other", "time_control": "rapid"}),
    ("games/{game}", {"result": "1-0"}),
]


@pytest.mark.parametrize(("form", "fields"), FORMS)
def test_only_an_administrator_with_our_form_decides(make_client, club, form, fields):
    path = f"/events/{SUMMER}/" + form.format(game=193)
    before = decided(club)
    fields = {**fields, "why": "test", "confirmed": "true"}
    nobody, viewer, officer = make_client(), make_client("vic"), make_client("ann")
    assert nobody.post(path, data=fields).status_code == 401
    assert viewer.post(path, data={**fields, "token": token(viewer)}).status_code == 403
    assert officer.post(path, data=fields).status_code == 403
    assert officer.post(path, data={**fields, "token": "0" * 64}).status_code == 403
    good = {**fields, "token": token(officer)}
    assert officer.post(path.replace(f"/{SUMMER}/", "/999/"), data=good).status_code == 404
    assert officer.post(path, data={**good, "why": ""}).status_code == 422
    assert officer.post(path, data={**good, "why": "   "}).status_code == 400
    assert officer.post(path, data={**good, "why": "x" * 5000}).status_code == 422
    assert decided(club) == before


def test_a_repair_shows_its_effect_and_writes_nothing_before(officer, club, upset):
    form = {"how": "adjust", "policy": "club", "why": "he was ill for a year", "token": token(officer)}
    before, waiting = decided(club), officer.get("/api/queue").json()["waiting"]
    shown = officer.post(f"/events/{upset}/repair", data=form)
    assert shown.status_code == 200
    assert "Nothing is written yet" in shown.text
    assert "the ratings do not fit" in shown.text
    assert "list 2026-12 of club" in shown.text.lower()
    moved = re.findall(r'rating">(\d+)<', shown.text)
    assert decided(club) == before
    done = officer.post(f"/events/{upset}/repair", data={**form, "confirmed": "true"})
    assert done.status_code == 303
    assert done.headers["location"] == f"/log/{before + 1}?notice=decided"
    with reading(club) as ledger, ledger.reading() as connection:
        made = max(decisions(connection), key=lambda d: d.id)
    assert (made.who, made.why, made.kind) == ("ann", "he was ill for a year", "repair")
    assert [f"{one['rating']:.0f}" for one in made.facts["ratings"]] == moved[: len(made.facts["ratings"])]
    after = officer.get("/api/queue").json()["waiting"]
    assert after == {**waiting, "fit": waiting["fit"] - 1}  # the fit is settled with it


def test_what_cannot_be_done_is_said_beforehand(officer, upset):
    good = {"token": token(officer), "why": "test"}
    fits = next(n for n in range(10, 0, -1) if officer.get(f"/api/events/{n}/fit").json()["passed"])
    nothing = officer.post(f"/events/{fits}/repair", data={**good, "how": "correct", "policy": "club"})
    assert nothing.status_code == 400
    assert "nothing to repair" in nothing.text
    later = {**good, "name": "X", "start": "2026-12-01", "end": "2026-11-01"}
    assert "begins before it ends" in officer.post(f"/events/{upset}/correct", data=later).text
    assert "YYYY-MM-DD" in officer.post(f"/events/{upset}/correct", data={**later, "start": "soon"}).text
    for form in ({"counts": "yes"}, {}, {"counts": "no", "swap": "true"}):
        assert officer.post("/events/1/games/1", data={**good, **form}).status_code == 400


def test_the_effect_on_a_list_is_what_the_list_then_says(officer, club, upset):
    """An event is left out: the figures that the preview shows are those of the next draft."""
    from arpad.ledger.list_making import make_list
    from arpad.ledger.queries.effect import effect_of, trial

    with reading(club) as ledger:
        before = make_list(ledger, policy="club", name="2026-12", who="test").entries
        from arpad.ledger.decisions.corrections import exclude_event

        with trial(ledger, "test", "test") as connection:
            effect = effect_of(connection, lambda c: exclude_event(c, upset))
        rows = next(e for e in effect.lists if e.policy == "club").rows
    form = {"token": token(officer), "why": "a joke", "counts": "false", "confirmed": "true"}
    assert officer.post(f"/events/{upset}/count", data=form).status_code == 303
    with reading(club) as ledger:
        after = make_list(ledger, policy="club", name="2026-12", who="test").entries
    was = dict(before.select("player_id", "rating").iter_rows())
    now = dict(after.select("player_id", "rating").iter_rows())
    changed = {p: (was.get(p), now.get(p)) for p in {*was, *now} if was.get(p) != now.get(p)}
    assert len(changed) >= 5
    assert {r["player_id"]: (r["before"], r["after"]) for r in rows.to_dicts()} == changed
    assert "does not count" in officer.get(f"/events/{upset}").text


def test_a_game_is_corrected(officer, club):
    twin = officer.get(f"/api/events/{SUMMER}/games").json()
    game = next(g for r in twin["shown"] for g in r["games"] if g["result"] == "1-0")
    path = f"/events/{SUMMER}/games/{game['id']}"
    assert game["white"].replace("'", "&#39;") in officer.get(path).text
    form = {"token": token(officer), "why": "the sheet says so", "result": "0-1"}
    shown = officer.post(path, data=form).text
    assert "Players of the event" in shown
    assert officer.post(path, data={**form, "confirmed": "true"}).status_code == 303
    again = officer.get(f"/api/events/{SUMMER}/games").json()
    now = next(g for r in again["shown"] for g in r["games"] if g["id"] == game["id"])
    assert now["result"] == "0-1"


def test_an_event_is_corrected(officer, upset):
    form = {
        "token": token(officer),
        "why": "typing error",
        "name": NAME,
        "start": "2026-11-13",
        "end": "2026-11-14",
        "time_control": "rapid",
    }
    shown = officer.post(f"/events/{upset}/correct", data=form).text
    assert "2026-11-13" in shown
    assert officer.post(f"/events/{upset}/correct", data={**form, "confirmed": "true"}).status_code == 303
    head = officer.get(f"/api/events/{upset}").json()["head"]
    assert (head["start"], head["time_control"], head["policies"]) == ("2026-11-13", "rapid", [])


@pytest.mark.chromium
def test_decide_on_a_failed_event_and_take_it_back(served, page, upset):
    base = served()
    page.goto(f"{base}/sign-in?to=/events/{upset}")
    page.get_by_label("Name").fill("ann")
    page.get_by_label("Password").fill("correct horse battery")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="Fit and greatness").click()
    page.locator("[data-chart] img").wait_for()
    page.get_by_role("link", name="Leave, adjust or correct").click()
    page.get_by_label("Adjust: they go to the line").check()
    page.locator("#why-repair").fill("the ratings are years old")
    page.locator("form[action$='/repair'] button").click()
    page.get_by_text("Nothing is written yet").wait_for()
    page.get_by_role("heading", name="Ratings that are moved").wait_for()
    page.get_by_role("button", name="Confirm").click()
    page.get_by_text("Done, and written into the log.").wait_for()
    page.get_by_role("link", name="Log", exact=True).first.click()
    page.get_by_label("Search").fill("years old")
    page.get_by_role("link", name=re.compile("adjusted")).click()
    page.get_by_label("Why?").fill("they were right")
    page.get_by_role("button", name="Show the effect").click()
    page.get_by_text("Nothing is written yet").wait_for()
    page.get_by_role("button", name="Confirm").click()
    page.get_by_text("Taken back, and written into the log.").wait_for()
    page.goto(f"{base}/queue")
    page.get_by_role("link", name=re.compile("Upset")).wait_for()


@pytest.mark.chromium
def test_events_are_found_as_you_type(client, served, page):
    page.goto(f"{served()}/events")
    assert page.locator("tbody tr").count() == client.get("/api/home").json()["events"]
    page.get_by_label("Name or place").press_sequentially("spring")
    page.get_by_text("1 event", exact=True).wait_for()
    page.get_by_role("link", name="Spring Cup").wait_for()
    assert "q=spring" in page.url


@pytest.mark.data
def test_a_large_open_is_shown_a_page_at_a_time(client, club, data):
    from arpad.ledger.imports.importing import import_files

    with reading(club) as ledger:
        list(import_files(ledger, [str(data / "trf" / "sklangen__example1.trf")], who="test"))
    found = client.get("/api/events", params={"q": "mala 2005"}).json()["events"]
    number = found[0]["id"]
    twin = client.get(f"/api/events/{number}", params={"page": 6}).json()
    assert twin["pager"] == {"page": 6, "pages": 6, "first": 251, "last": 283, "total": 283}
    assert len(twin["players"]) == len(twin["breaks"]) == 33
    assert twin["columns"] == [f"r{n}" for n in range(1, 8)]
    assert "251 to 283 of 283 players" in client.get(f"/events/{number}?page=6").text
    for part in ("fit", "norms", "games", "forecast", "handicap"):
        page = client.get(f"/events/{number}/{part}")
        assert page.status_code == 200
        assert len(page.text) < 150_000
        assert 'rel="next"' in page.text


def test_a_crosstable_of_ten_has_all_columns_on_a_phone(client, served, page):
    (masters,) = client.get("/api/events", params={"q": "Autumn Masters"}).json()["events"]
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{served()}/events/{masters['id']}")
    table = page.locator("table.cross")
    assert table.locator("th.cell").count() == 10
    assert table.evaluate("it => it.scrollWidth <= it.parentElement.clientWidth")
    assert table.bounding_box()["y"] < 844
    page.goto(f"{page.url}/handicap")  # near the end of a row of links that is longer than the phone is wide
    here = page.locator(".tabs [aria-current]").bounding_box()
    assert here["x"] >= 0
    assert here["x"] + here["width"] <= 390


@pytest.mark.chromium
@pytest.mark.parametrize("width", [390, 800, 1280])
def test_a_report_file_shows_the_points_without_scrolling(run, write, tmp_path, page, width):
    names = ["Konstantinopoulos,Maximilianos", "Constantinescu,Maximilian", "Berg,Bo", "Cruz,Cy"]
    rows = [
        f"{a};{b};1/2-1/2;{2400 - i};{2300 - i};IM;FM;GER;ESP"
        for i, a in enumerate(names)
        for b in names[i + 1 :]
    ]
    heads = (
        "white;black;result;white_elo;black_elo;white_title;black_title;white_federation;black_federation\n"
    )
    html = tmp_path / "report.html"
    assert run("event", write(heads + "\n".join(rows), "e.csv"), "--html", html).code == 0
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(html.as_uri())
    heading = page.locator("table").first.locator("th", has_text="points").bounding_box()
    assert heading["x"] + heading["width"] <= width
