"""Personal data in the web app: administrators export and erase, nobody else."""

from __future__ import annotations

import pytest

from tests.web.conftest import token


def number_of(client, name: str) -> int:
    return client.get("/api/players", params={"q": name}).json()["rows"][0]["id"]


def test_an_administrator_exports_a_player(officer):
    number = number_of(officer, "Novak, Jan")
    answer = officer.get(f"/players/{number}/export.json")
    assert answer.json()["players"][0]["name"] == "Novak, Jan"
    stored = officer.get(f"/api/players/{number}/privacy").json()["stored"]
    assert stored["games"] == len(answer.json()["games"]) > 0


@pytest.mark.parametrize("path", ["export.json", "privacy"])
@pytest.mark.parametrize(("who", "status"), [("vic", 403), (None, 401)])
def test_nobody_else_does(make_client, who, status, path):
    client = make_client(who)
    number = number_of(client, "Novak, Jan")
    address = f"/players/{number}/{path}" if path == "export.json" else f"/api/players/{number}/{path}"
    assert client.get(address).status_code in (status, 303)
    data = {"token": token(client) if who else "", "why": "no", "confirmed": "true"}
    assert client.post(f"/players/{number}/erase", data=data).status_code == status


def test_erasure_is_shown_first_and_every_page_forgets_the_name(officer):
    number = number_of(officer, "Novak, Jan")
    pages = ("/", "/lists/club/2026-11", "/players?q=novak", f"/players/{number}", "/log", "/queue")
    assert any("Novak" in officer.get(page).text for page in pages)
    data = {"token": token(officer), "why": "request by letter"}
    assert officer.post(f"/players/{number}/erase", data=data).status_code == 200
    assert number_of(officer, "Novak, Jan") == number  # nothing is written yet
    assert officer.post(f"/players/{number}/erase", data={**data, "confirmed": "true"}).status_code == 303
    for page in pages:
        assert "Novak" not in officer.get(page).text.replace('value="novak"', ""), page
    assert officer.get(f"/api/players/{number}").json()["who"]["name"] == f"Erased player {number}"
