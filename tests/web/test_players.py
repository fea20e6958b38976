"""Players in the browser: found, told, explained, compared."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from arpad.ledger.db import tables
from arpad.ledger.db.ledger import Ledger
from arpad.ledger.decisions.corrections import correct_player, merge
from arpad.ledger.imports.importing import import_files
from arpad.ledger.list_making import make_list
from arpad.ledger.lists import entries_kept, list_called
from arpad.ledger.queries.explain import explained
from arpad.ledger.queries.players import player_card
from arpad.rate.draws import PUBLISHED, probabilities

HOSTILE = '"><script>alert(1)</script>'
NOVAK, BERG = "Novak, Jan", "Berg, Ida"


@pytest.fixture
def reading(club):
    with Ledger.open(club) as ledger, ledger.reading() as connection:
        yield connection


@pytest.fixture
def number(reading):
    p = tables.players.c
    found = dict(reading.execute(sa.select(p.name, p.id)).all())
    return found.__getitem__


def test_everybody_is_found(client, number):
    def found(**asked):
        return [row["name"] for row in client.get("/api/players", params=asked).json()["rows"]]

    assert len(found()) == client.get("/api/home").json()["players"]
    assert found(q="kovacs") == ["Kovács, Zoë"]
    assert found(q="nguyen dara") == ["Nguyễn, Dara"]
    assert found(q="byrne") == ["Byrne, Donald"]  # on no published list
    assert found(q=f"#{number(NOVAK)}") == [NOVAK]
    assert "Nobody is called so" in client.get("/players", params={"q": "%%"}).text
    assert client.get("/players", params={"page": 99}).status_code == 200
    assert client.get("/players", params={"q": "x" * 101}).status_code == 422


def test_a_player_is_told_as_the_ledger_has_him(client, reading, number):
    card = player_card(reading, number(NOVAK))
    kept = list_called(reading, "club", "2026-11")
    twin = client.get(f"/api/players/{number(NOVAK)}").json()
    assert twin["who"]["name"] == NOVAK
    told = {e["id"]: (e["games"], e["score"]) for e in twin["events"]}
    assert told == {e: (g, s) for e, g, s in card.events.select("event", "games", "score").rows()}
    now = {(r["policy"], r["list_name"]): r for r in twin["ratings"]}["club", "2026-11"]
    entry = entries_kept(reading, kept).filter(name=NOVAK).row(0, named=True)
    assert (now["rating"], now["rank"], now["change"]) == (entry["rating"], entry["rank"], entry["change"])  # fmt: skip
    assert now["deviation"] == pytest.approx(entry["deviation"])
    white, black, both = twin["colours"]
    assert both["score"]["games"] == white["score"]["games"] + black["score"]["games"]
    assert both["score"]["games"] == card.events["games"].sum()
    assert both["low"] < both["performance"] < both["high"]
    steps = explained(reading, f"#{number(NOVAK)}", policy="club").explanation
    assert {e["id"]: e["change"] for e in twin["events"]} == pytest.approx(
        {e["event_id"]: e["change"] for e in steps.events().to_dicts()}
    )
    page = client.get(f"/players/{number(NOVAK)}").text
    assert f"{entry['rating']:.0f}" in page
    assert f"Compare with {BERG}" in page
    assert "Best win" in page


def test_a_player_without_games_at_the_board_or_lists_is_a_page(client, club):
    with Ledger.open(club) as ledger, ledger.writing("test", "new") as connection:
        connection.execute(tables.players.insert().values(id=900, name="New, Ned"))
    page = client.get("/players/900").text
    assert "No games that were played at the board" in page
    assert "On no list" in page
    assert "nothing to explain yet" in client.get("/players/900/explain").text
    assert "no policy by which both" in client.get("/players/900/compare?with=1").text


def test_numbers_that_nobody_has(client):
    for path in ("/players/77777", "/players/77777/explain", "/players/1/compare?with=77777", "/charts/players/77777/ratings"):  # fmt: skip
        assert client.get(path).status_code == 404, path
    for path in ("/players/0", "/players/one", "/players/99999999999999999999"):
        assert client.get(path).status_code == 422, path
    assert client.get("/players/1/compare?with=1").status_code == 400


def test_a_merged_player_is_found_where_he_is_now(client, club, number):
    one, two = number("O'Neil, M."), number("O'Neil, Mia")
    with Ledger.open(club) as ledger, ledger.writing("ann", "the same pen") as connection:
        merge(connection, one, two)
    for path in ("", "/explain", "/compare"):
        for api in ("", "/api"):
            moved = client.get(f"{api}/players/{one}{path}?policy=club")
            assert moved.status_code == 307
            assert moved.headers["location"] == f"{api}/players/{two}{path}?policy=club"
    page = client.get(f"/players/{two}").text
    assert "O&#39;Neil, M.</bdi> (#" in page
    assert "the same pen" in page  # the decision
    met = client.get(f"/api/players/{number(NOVAK)}").json()["opponents"]
    assert one not in {m["id"] for m in met}


def test_an_explanation_adds_up_game_by_game(client, reading, number):
    told = explained(reading, f"#{number(NOVAK)}", policy="club", name="2026-11").explanation
    where = f"/players/{number(NOVAK)}/explain?policy=club&list=2026-11"
    twin = client.get(f"/api{where}&period=all").json()["explained"]
    assert twin["adds_up"] is True
    assert twin["rating"] == told.rating
    steps = [step for block in twin["blocks"] for step in block["steps"]]
    assert [s["change"] for s in steps] == told.steps["change"].to_list()
    assert sum(s["change"] for s in steps) == pytest.approx(twin["rating"])
    rules = {rule["number"]: rule["text"] for rule in twin["rules"]}
    assert [rules[s["rule"]] for s in steps] == told.steps["rule"].to_list()
    assert [s["k"] for s in steps] == told.steps["k"].to_list()
    games = [s for s in steps if s["opponent_id"]]
    assert all(s["game_id"] for s in games)
    period = twin["periods"][0]
    page = client.get(period["href"]).text
    assert "It adds up" in page
    assert page.count('href="/games/') == period["games"]
    one = client.get(f"/api{period['href']}").json()["explained"]
    total = sum(s["change"] for block in one["blocks"] for s in block["steps"])
    assert total == pytest.approx(period["change"])


def test_explanations_that_there_are_not(client, number):
    where = f"/players/{number(NOVAK)}/explain"
    assert client.get(f"{where}?policy=none").status_code == 404
    assert client.get(f"{where}?policy=club&list=1999-01").status_code == 404
    assert client.get(f"{where}?policy=club&period=1999-01-31").status_code == 404
    assert client.get(f"{where}?policy=club&period=soon").status_code == 422
    assert client.get(f"{where}?period=").status_code == 422


def test_two_players_side_by_side(client, reading, number):
    one, two = number(NOVAK), number(BERG)
    twin = client.get(f"/api/players/{one}/compare?with={two}").json()
    back = client.get(f"/api/players/{two}/compare?with={one}").json()
    assert twin["score"]["games"] == back["score"]["games"] == len(twin["games"])
    assert twin["score"]["score"] + back["score"]["score"] == twin["score"]["games"]
    g = tables.games.c
    pairs = sa.or_(sa.and_(g.white_id == one, g.black_id == two), sa.and_(g.white_id == two, g.black_id == one))  # fmt: skip
    known = set(reading.execute(sa.select(g.id).where(pairs)).scalars())
    assert {game["id"] for game in twin["games"]} == known
    white, black = twin["forecast"]["chances"]
    first, second = twin["first"], twin["second"]
    ends = probabilities(
        first["rating"], second["rating"], advantage=PUBLISHED.white_advantage,
        error=first["deviation"] or 0.0, opponent_error=second["deviation"] or 0.0,
    )  # fmt: skip
    assert (white["win"], white["draw"], white["loss"]) == pytest.approx(tuple(ends))
    for chance in (white, black):
        assert chance["win"] + chance["draw"] + chance["loss"] == pytest.approx(1)
    mirrored = back["forecast"]["chances"][1]
    assert (white["win"], white["loss"]) == pytest.approx((mirrored["loss"], mirrored["win"]))
    page = client.get(f"/players/{one}/compare?with={two}").text
    assert all(f'href="/games/{n}"' in page for n in known)
    assert "rao-kupper model" in page


def test_the_highest_rating_of_a_comparison_is_none_of_a_draft(client, club, number, tmp_path):
    where = f"/api/players/{number(NOVAK)}/compare?with={number(BERG)}&policy=club"
    before = client.get(where).json()["first"]
    wins = "".join(f'"{NOVAK}","{BERG}",1,2026-11-{n:02}\n' for n in range(1, 20))
    (tmp_path / "wins.csv").write_text("white,black,score,date\n" + wins)
    with Ledger.open(club) as ledger:
        list(import_files(ledger, [str(tmp_path / "wins.csv")], who="test"))
        make_list(ledger, policy="club", name="2026-12")
    course = client.get(f"/api/players/{number(NOVAK)}").json()["courses"]
    assert max(p["rating"] for c in course for p in c["points"]) > before["highest"]
    after = client.get(where).json()["first"]
    assert (after["highest"], after["highest_day"]) == (before["highest"], before["highest_day"])


def test_the_second_is_chosen_by_name(client, number):
    where = f"/players/{number(NOVAK)}/compare"
    assert "Most met" in client.get(where).text
    assert client.get(f"/api{where}?with=kovacs").json()["second"]["name"] == "Kovács, Zoë"
    several = client.get(f"/api{where}?with=ha").json()
    assert several["second"] is None
    assert len(several["candidates"]) == several["candidates_total"] > 1
    assert "Nobody else is called so" in client.get(f"{where}?with=zzz").text


def test_charts_are_vega_lite_of_the_same_ratings(client, number):
    one, two = number(NOVAK), number(BERG)
    twin = client.get(f"/api/players/{one}").json()
    chart = client.get(twin["charts"][0]["href"]).json()
    (rows,) = chart["datasets"].values()
    points = [p for course in twin["courses"] for p in course["points"]]
    drawn = [row["rating"] for row in rows]
    assert drawn == [p["rating"] for p in points]
    assert chart["width"] == "container"
    both = client.get(f"/charts/players/{one}/compare/{two}?policy=club").json()
    (rows,) = both["datasets"].values()
    assert {row["line"] for row in rows} == {NOVAK, BERG}
    assert client.get(f"/charts/players/{one}/compare/{two}?policy=none").status_code == 404
    assert f"{points[0]['rating']:.0f} on" in twin["charts"][0]["says"]


def test_names_are_never_trusted(client, club, number):
    one, two = number(NOVAK), number(BERG)
    with Ledger.open(club) as ledger:
        with ledger.writing("test", HOSTILE) as connection:
            correct_player(connection, one, name=f"Hostile {HOSTILE}")
        make_list(ledger, policy="club", name="2026-12")
    for path in (
        f"/players/{one}", f"/players/{two}", f"/players/{one}/explain", f"/players/{two}/explain?period=all",
        f"/players/{one}/compare?with={two}", f"/players/{two}/compare", "/players", "/lists/club/2026-12",
        f"/players?q={HOSTILE}", f"/players/{two}/compare?with={HOSTILE}",
    ):  # fmt: skip
        page = client.get(path)
        assert page.status_code == 200, path
        assert "<script>alert" not in page.text, path
    assert "&lt;script&gt;" in client.get(f"/players/{one}").text


def test_nobody_reads_where_reading_is_not_open(make_client):
    closed = make_client(open_reading=False)
    for path in ("/players", "/players/1", "/players/1/explain", "/players/1/compare", "/lists", "/lists/club/2026-11"):  # fmt: skip
        assert closed.get(path).headers["location"].startswith("/sign-in?to="), path
        assert closed.get(f"/api{path}").status_code == 401, path
    assert closed.get("/charts/players/1/ratings").status_code in (303, 401)
    assert closed.get("/lists/club/2026-11/files/csv").status_code in (303, 401)


@pytest.mark.chromium
def test_from_a_list_to_the_game_behind_a_rating(served, page, number):
    page.goto(f"{served()}/lists/club/2026-11")
    page.get_by_role("link", name=NOVAK).click()
    assert page.get_by_role("heading", level=1).inner_text() == NOVAK
    page.locator(".chart svg.lines").wait_for(timeout=20_000)
    page.get_by_role("link", name="Explain club, 2026-11").click()
    page.get_by_text("It adds up").wait_for()
    page.locator(".periods a").last.click()
    page.get_by_role("heading", name="The period to 2026-01-31").wait_for()
    page.get_by_role("link", name=NOVAK).first.click()
    page.get_by_role("searchbox", name="Compare with").fill("berg")
    page.get_by_role("searchbox", name="Compare with").press("Enter")
    assert page.get_by_role("heading", level=1).inner_text() == f"{NOVAK} and {BERG}"
    page.locator(".chart svg.lines").wait_for(timeout=20_000)
    page.get_by_role("heading", name="Head to head").wait_for()


@pytest.mark.chromium
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(served, page, number, scheme):
    from axe_playwright_python.sync_playwright import Axe

    one, two = number(NOVAK), number(BERG)
    base = served()
    # Axe is put into the page as a script, which our own policy would refuse.
    context = page.context.browser.new_context(bypass_csp=True, color_scheme=scheme)
    page = context.new_page()
    for path in (
        "/lists", "/lists/club/2026-11", "/lists/club/2026-11/corrections", "/players", f"/players/{one}",
        f"/players/{one}/explain", f"/players/{one}/compare?with={two}",
    ):  # fmt: skip
        page.goto(base + path)
        found = Axe().run(page).response["violations"]
        serious = [(v["id"], v["nodes"][0]["html"]) for v in found if v["impact"] in ("serious", "critical")]  # fmt: skip
        assert not serious, path
    context.close()
