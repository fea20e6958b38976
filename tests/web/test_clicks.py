"""By mouse in Chromium: every correction of an officer, accounts, a backup, a file that is dropped, a chart that zooms."""

from __future__ import annotations

import re

import pytest

from tests.web.conftest import PASSWORDS

pytestmark = pytest.mark.chromium
LATE = 'event,date,round,white,black,result\nDropped Cup,2026-11-20,1,"Novak, Jan","Berg, Ida",1-0\n'
DROP = """([name, text]) => { const data = new DataTransfer(); data.items.add(new File([text], name));
  document.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true})); }"""


@pytest.fixture
def office(served, page):
    """A browser in which an administrator is signed in, and the address of the server."""
    base = served()
    page.goto(f"{base}/sign-in")
    page.get_by_label("Name").fill("ann")
    page.get_by_label("Password").fill(PASSWORDS["ann"])
    page.get_by_role("button", name="Sign in").click()
    return page, base


def confirmed(page, form) -> str:
    """Give a reason, look at the effect, confirm it; return the words of the log."""
    form.get_by_label("Why").fill("seen on the score sheet")
    form.get_by_role("button", name="Show the effect").click()
    assert "Nothing is written yet" in page.locator("main").inner_text()
    page.get_by_role("button", name="Confirm").click()
    assert "written into the log" in page.locator(".notice").inner_text()
    return page.locator("main").inner_text()


def card(page, heading: str):
    return page.locator("section.card", has=page.get_by_role("heading", name=heading))


def test_a_player_is_corrected_merged_and_rated_by_clicks(office, client):
    page, base = office
    jan, other = (
        client.get("/api/players", params={"q": name}).json()["rows"][0]["id"]
        for name in ("Novak, Jan", "Byrne, Donald")
    )
    page.goto(f"{base}/players/{jan}")
    page.get_by_role("link", name="Correct, merge, set a rating").click()
    form = card(page, "Correct name")
    form.get_by_label("Name").fill("Novák, Jan")
    form.get_by_label("Born").fill("1980")
    form.get_by_label("Federation").fill("CZE")
    form.get_by_label("Title").fill("FM")
    assert "Novák, Jan" in confirmed(page, form)
    page.goto(f"{base}/players/{jan}/decide")
    form = card(page, "Somebody else is this player")
    form.get_by_label("The other player").fill(f"#{other}")
    confirmed(page, form)
    page.goto(f"{base}/players/{jan}/decide")
    confirmed(page, card(page, "One player is two"))
    page.goto(f"{base}/players/{jan}/decide")
    form = card(page, "Set a rating")
    form.get_by_label("Rating").fill("2222")
    form.get_by_label("From this day on").fill("2026-11-01")
    assert "2222" in confirmed(page, form)
    who = client.get(f"/api/players/{jan}").json()["who"]
    assert (who["name"], who["birth"], who["title"], who["merged"]) == ("Novák, Jan", "1980", "FM", [])


def test_a_game_is_corrected_by_clicks(office, client):
    page, base = office
    (event,) = client.get("/api/events", params={"q": "Autumn Masters"}).json()["events"]
    page.goto(f"{base}/events/{event['id']}/games")
    page.get_by_role("link", name=re.compile(r"Correct game \d+")).first.click()
    address = page.url
    form = page.locator("form.stack.narrow")
    form.get_by_label("Result", exact=True).select_option("1/2-1/2")
    form.get_by_label("Round", exact=True).fill("3")
    form.get_by_label("Day", exact=True).fill("2026-11-09")
    form.get_by_label("Black was").fill("Berg, Ida")
    confirmed(page, form)
    game = client.get(f"/api{address.removeprefix(base)}").json()
    assert (game["game"]["result"], game["round"], game["game"]["date"]) == ("½-½", "3", "2026-11-09")
    assert game["game"]["black"] == "Berg, Ida"


def test_accounts_a_password_and_a_backup_by_clicks(office, make_client):
    page, base = office
    page.get_by_role("link", name="ann").click()
    page.get_by_role("link", name="All accounts").click()
    page.get_by_label("Name", exact=True).fill("otto")
    page.locator("#new-role").select_option("officer")
    page.get_by_label("First password").fill("a long first word")
    page.get_by_role("button", name="Make the account").click()
    assert "otto" in page.locator("table").inner_text()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download a backup").click()
    assert download.value.suggested_filename.endswith(".arpad")
    page.goto(f"{base}/account")
    page.get_by_label("The present password").fill(PASSWORDS["ann"])
    page.get_by_label("The new password").fill("another long word")
    page.get_by_role("button", name="Change it").click()
    assert page.url.startswith(f"{base}/sign-in")


def test_a_file_is_dropped_imported_and_taken_out_by_clicks(office, client):
    page, base = office
    page.goto(f"{base}/upload")
    page.evaluate(DROP, ["dropped.csv", LATE])
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name="Import").click()
    page.get_by_role("link", name="Dropped Cup").wait_for()
    page.goto(f"{base}/imports")
    row = page.get_by_role("row", name=re.compile("dropped.csv"))
    row.get_by_text("Undo").click()
    confirmed(page, row.locator("form"))
    assert not client.get("/api/events", params={"q": "Dropped Cup"}).json()["events"]


def test_a_chart_says_figures_under_the_mouse_and_hides_a_line(office, client):
    page, base = office
    jan = client.get("/api/players", params={"q": "Novak, Jan"}).json()["rows"][0]["id"]
    page.goto(f"{base}/players/{jan}")
    chart = page.locator("figure[data-lines]")
    chart.locator("svg.lines").first.hover(position={"x": 300, "y": 100})
    assert re.search(r"\d{4}", chart.locator(".tip").inner_text())
    before = chart.locator("svg.lines .line:visible").count()
    chart.locator("button.key").first.click()
    assert chart.locator("button.key").first.get_attribute("aria-pressed") == "false"
    assert chart.locator("svg.lines .line:visible").count() < before
