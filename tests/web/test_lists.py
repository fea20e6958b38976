"""Rating lists in the browser: found, sorted, compared, downloaded, made and published."""

from __future__ import annotations

import json
import re

import polars as pl
import pytest

from arpad.ledger.db.ledger import Ledger
from arpad.ledger.decisions.corrections import correct_player
from arpad.ledger.list_making import make_list
from arpad.ledger.lists import entries_as_of, entries_kept, kept_lists, list_called
from arpad.ledger.policy import add_policy, preset
from arpad.ledger.queries.lists import list_diff
from arpad.web.views.list_parts import list_href
from tests.web.conftest import token

HOSTILE = "<script>alert(1)</script>"
LIST = "/lists/club/2026-11"
DRAFT = "/lists/club/2026-12"


@pytest.fixture
def reading(club):
    with Ledger.open(club) as ledger, ledger.reading() as connection:
        yield connection


def names(page: dict) -> list[str]:
    return [row["name"] for row in page["rows"]]


def test_every_policy_with_its_lists_drafts_and_corrections(client, reading):
    page = client.get("/lists").text
    twin = client.get("/api/lists").json()
    told = [(one["name"], one["number"]) for policy in twin["policies"] for one in policy["lists"]]
    assert sorted(told) == sorted((each.name, each.number) for each in kept_lists(reading))
    assert 'href="/lists/club/2026-12"' in page
    assert "correction 1" in page
    assert "Make the draft" not in page  # nobody has signed in


def test_a_ledger_without_a_policy_says_what_to_do(tmp_path, make_client):
    from starlette.testclient import TestClient

    from arpad.web.app import make_app
    from arpad.web.auth import WebSettings

    place = str(tmp_path / "new.db")
    Ledger.open(place, create=True).close()
    app = make_app(WebSettings(place=place, open_reading=True, work=False))
    with TestClient(app, base_url="http://127.0.0.1") as empty:
        assert "There are no rules yet" in empty.get("/lists").text
        assert "There are no players yet" in empty.get("/players").text


def test_a_list_shows_what_the_ledger_has(client, reading):
    kept = list_called(reading, "club", "2026-11")
    entries = entries_kept(reading, kept)
    twin = client.get(f"/api{LIST}").json()
    told = pl.DataFrame(twin["rows"]).select("id", "rank", "name", "rating", "change", "games")
    wanted = entries.filter(pl.col("rank").is_not_null())
    assert told.rows() == wanted.select("player_id", *told.columns[1:]).rows()
    page = client.get(LIST).text
    first = wanted.row(0, named=True)
    assert f'<td class="n rating">{first["rating"]:.0f}' in page
    assert page.count("<tr>") == wanted.height + 1


def test_search_filters_and_sorting(client):
    def shown(**asked) -> list[str]:
        return names(client.get(f"/api{LIST}", params=asked).json())

    assert shown(q="kovacs") == shown(q="zoë KOV") == ["Kovács, Zoë"]
    assert shown(q="nobody") == []
    whole = shown()
    assert shown(federation="NOR") == [n for n in whole if n in shown(federation="NOR")] != []
    assert shown(sort="name") == sorted(whole)
    assert shown(sort="name", backwards=True) == sorted(whole, reverse=True)
    assert shown(sort="rating", backwards=True)[-1] == whole[0]
    assert "provisional" in client.get(LIST, params={"standing": "provisional"}).text
    page = client.get(LIST, params={"q": "nobody"}).text
    assert "Nobody on this list fits" in page
    sorted_by_name = client.get(LIST, params={"sort": "name"}).text
    assert re.search(r'aria-sort="ascending"><a href="/lists/club/2026-11\?sort=name&amp;backwards=true">Name', sorted_by_name)  # fmt: skip
    assert client.get(f"{LIST}?age_from=&age_to=&sex=&federation=").status_code == 200


def test_strange_questions_are_answered_with_a_sentence(client):
    for query in ("sort=salary", "page=0", "age_from=-1", "standing=lying", f"q={'x' * 101}", "sex=x"):  # fmt: skip
        answer = client.get(f"{LIST}?{query}")
        assert answer.status_code == 422, query
        assert "Traceback" not in answer.text
    for path in ("/lists/club/1900-01", "/lists/none/2026-11", f"{LIST}/nothing", "/lists/club"):
        assert client.get(path).status_code == 404, path
    assert client.get(f"{LIST}?page=999999").status_code == 200


def test_changes_since_an_earlier_list(client, reading):
    one, two = (list_called(reading, "club", name) for name in ("2026-10", "2026-11"))
    diff = list_diff(reading, one, two)
    twin = client.get(f"/api{LIST}/changes").json()
    assert twin["since"] == "2026-10"
    told = [(row["id"], row["difference"], row["because"]) for row in twin["rows"]]
    assert told == diff.rows.select("player_id", "difference", "because").rows()
    one_name = client.get(f"/api{LIST}/changes", params={"q": "novak"}).json()
    assert names(one_name) == ["Novak, Jan"]
    assert "Autumn Cup" in client.get(f"{LIST}/changes").text
    older = client.get(f"/api{LIST}/changes", params={"since": "2026-03"}).json()
    assert older["since"] == "2026-03"
    assert client.get(f"{LIST}/changes", params={"since": "2027-01"}).status_code == 404
    assert "first list" in client.get("/lists/club/2026-02/changes").text


def test_corrections_are_shown_with_their_cause(client, reading):
    page = client.get(f"{LIST}/corrections").text
    assert "proposed" in page
    assert "played in May League (counts now)" in page
    assert "no corrections" in client.get("/lists/fide/2026-02/corrections").text
    (correction,) = client.get(f"/api{LIST}/corrections").json()["corrections"]
    kept = next(e for e in kept_lists(reading, "club") if e.number and e.name == "2026-11")
    rows = entries_kept(reading, kept)
    assert [r["cause"] for r in correction["rows"]] == rows["cause"].to_list()


@pytest.mark.parametrize("kind", ["csv", "xlsx", "txt", "xml", "html", "pdf", "json"])
def test_every_file_is_a_file(client, kind):
    answer = client.get(f"{LIST}/files/{kind}")
    assert answer.status_code == 200
    assert answer.headers["content-disposition"] == f'attachment; filename="club-2026-11.{kind}"'
    starts = {"xlsx": b"PK", "pdf": b"%PDF", "html": b"<!doctype html>", "xml": b"<?xml", "json": b"{"}  # fmt: skip
    assert answer.content.lower().startswith(starts.get(kind, b"").lower())
    if kind == "json":
        players = json.loads(answer.content)["players"]
        assert names({"rows": players}) == names(client.get(f"/api{LIST}").json())
    if kind == "csv":
        assert "Kovács" in answer.text


def test_a_file_of_no_kind_is_refused(client):
    assert client.get(f"{LIST}/files/exe").status_code == 404
    assert client.get(f"{LIST}/files/..%2F..%2Fetc%2Fpasswd").status_code == 404
    assert client.get("/lists/club/1900-01/files/csv").status_code == 404


def test_publishing_shows_first_what_it_freezes(officer, club):
    with Ledger.open(club) as ledger, ledger.reading() as connection:
        proposed = sum(each.number > 0 for each in kept_lists(connection, "club"))
    assert proposed > 1
    page = officer.get(f"{DRAFT}/publish").text
    assert f"Publish the list and {proposed} corrections" in page
    twin = officer.get(f"/api{DRAFT}/publish").json()
    assert twin["freezes"]["name"] == "2026-12"
    assert len(twin["corrections"]) == proposed
    form = {"token": token(officer), "seen": twin["seen"]}
    done = officer.post(f"{DRAFT}/publish", data=form)
    assert (done.status_code, done.headers["location"]) == (303, f"{DRAFT}?notice=published")
    with Ledger.open(club) as ledger, ledger.reading() as connection:
        lists = kept_lists(connection, "club")
        kept = list_called(connection, "club", "2026-12")
        corrected = entries_as_of(connection, list_called(connection, "club", "2026-11"))
    assert all(each.published for each in lists)
    assert kept.published_by == "ann"
    page = officer.get(LIST).text
    assert "corrected, was" in page
    told = officer.get(f"/api{LIST}").json()["rows"]
    assert [r["rating"] for r in told] == corrected.filter(pl.col("rank").is_not_null())["rating"].to_list()  # fmt: skip
    before = officer.get(f"/api{LIST}", params={"as_published": True}).json()["rows"]
    assert before != told
    assert "published already" in officer.get(f"{DRAFT}/publish").text
    again = officer.post(f"{DRAFT}/publish", data={"token": token(officer)})
    assert again.status_code == 400
    assert "needs no correction" in again.text


def test_a_draft_is_asked_for_where_lists_are(officer):
    page = officer.get("/lists").text
    form = page[page.index('action="/jobs/list"') :]
    assert '<option value="fide">' in form
    asked = officer.post("/jobs/list", data={"token": token(officer), "policy": "fide", "name": "2026-12"})  # fmt: skip
    assert asked.status_code == 303
    assert asked.headers["location"].startswith("/jobs/")


def test_only_an_administrator_makes_and_publishes(make_client, client):
    viewer = make_client("vic")
    officer = make_client("ann")
    for path, data in (("/jobs/list", {"policy": "club"}), (f"{DRAFT}/publish", {})):
        assert client.post(path, data=data).status_code == 401, path
        theirs = {**data, "token": token(viewer)}
        assert viewer.post(path, data=theirs).status_code == 403, path
        assert officer.post(path, data=data).status_code == 403, path
        assert officer.post(path, data={**data, "token": "0" * 64}).status_code == 403, path
    for text in (client.get(f"{DRAFT}/publish").text, viewer.get(f"{DRAFT}/publish").text):
        assert "An administrator" in text
        assert "<button>Publish" not in text
    assert client.get(f"/api{DRAFT}").json()["about"]["state"] == "draft"


def test_names_of_players_and_policies_are_never_trusted(club, make_client):
    with Ledger.open(club) as ledger:
        with ledger.writing("test", "policy") as connection:
            add_policy(connection, preset("club", name=f"a/b & {HOSTILE}"))
        with ledger.writing("test", "a strange name") as connection:
            correct_player(connection, 1, name=f'"{HOSTILE}')
        made = make_list(ledger, policy=f"a/b & {HOSTILE}", name="2026-11").draft
    officer = make_client("ann")
    where = list_href(made.policy, made.name)
    for path in ("/lists", "/", where, f"{where}/changes", f"{where}/publish", f"{where}/corrections"):
        page = officer.get(path)
        assert page.status_code == 200, path
        assert HOSTILE not in page.text, path
    page = officer.get(where).text
    assert "&lt;script&gt;" in page
    assert officer.get(f"/api{where}").json()["about"]["policy"] == f"a/b & {HOSTILE}"
    file = officer.get(f"{where}/files/html")
    assert HOSTILE not in file.text
    assert file.headers["content-disposition"] == 'attachment; filename="a-b-script-alert-1-script-2026-11-draft.html"'  # fmt: skip


@pytest.mark.chromium
def test_search_as_you_type_and_publish_in_a_browser(served, page):
    base = served()
    page.goto(f"{base}/sign-in?to={DRAFT}")
    page.get_by_label("Name").fill("ann")
    page.get_by_label("Password").fill("correct horse battery")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_label("Name, number or id").press_sequentially("kovacs")
    page.wait_for_url("**q=kovacs&standing=listed")  # "ko" is answered before the rest is typed
    page.get_by_text("1–1 of 1 player found").wait_for()
    assert page.locator("tbody tr").count() == 1
    page.get_by_role("link", name="Look at what publishing would freeze").click()
    page.get_by_role("button", name=re.compile("Publish the list and . corrections")).click()
    assert page.get_by_role("status").inner_text() == "The list is published and frozen."
    page.get_by_role("link", name="Changes").click()
    page.get_by_text("Since 2026-11:").wait_for()
