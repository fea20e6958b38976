"""The officer corrects players and games, settles several doubts, takes imports out, makes backups."""

from __future__ import annotations

import sqlite3

import sqlalchemy as sa

from arpad.ledger.db import tables
from arpad.ledger.db.backup import read_backup
from arpad.ledger.db.ledger import Ledger
from tests.web.conftest import decided, token
from tests.web.test_upload import EVENT, send


def number_of(client, name: str) -> int:
    return client.get("/api/players", params={"q": name}).json()["rows"][0]["id"]


def post(client, path: str, *, confirmed: bool = True, **fields):
    data = {"token": token(client), "why": "he wrote", "confirmed": str(confirmed).lower(), **fields}
    return client.post(path, data=data)


def test_a_player_is_corrected_after_the_effect_was_shown(officer, club):
    number, before = number_of(officer, "Novak, Jan"), decided(club)
    form = {"name": "Novák, Jan", "federation": "svk", "title": "FM", "fide": "14901234"}
    shown = post(officer, f"/players/{number}/correct", confirmed=False, **form)
    assert "Nothing is written yet" in shown.text
    assert "SVK" in shown.text
    assert decided(club) == before
    assert post(officer, f"/players/{number}/correct", **form).status_code == 303
    who = officer.get(f"/api/players/{number}").json()["who"]
    assert (who["name"], who["federation"], who["title"]) == ("Novák, Jan", "SVK", "FM")
    assert {"scheme": "fide", "value": "14901234"} in who["ids"]
    assert who["birth"] == "1989"  # an empty field leaves it


def test_two_players_become_one_and_two_again(officer):
    stays, goes = number_of(officer, "O'Neil, Mia"), number_of(officer, "O'Neil, M.")
    assert post(officer, f"/players/{stays}/merge", other="O'Neil, M.").status_code == 303
    assert officer.get(f"/players/{goes}").headers["location"] == f"/players/{stays}"
    assert f'value="{goes}"' in officer.get(f"/players/{stays}/decide").text
    assert post(officer, f"/players/{stays}/unmerge", other=str(goes)).status_code == 303
    assert officer.get(f"/players/{goes}").status_code == 200
    assert post(officer, f"/players/{stays}/merge", other="Nobody, Nil").status_code == 400


def test_a_rating_is_set(officer):
    number = number_of(officer, "Novak, Jan")
    shown = post(
        officer, f"/players/{number}/rating", confirmed=False, rating="2400", on="2026-12-01", policy="club"
    )
    assert "is 2400 in club" in shown.text
    assert post(officer, f"/players/{number}/rating", rating="2400", on="2026-12-01").status_code == 303
    assert post(officer, f"/players/{number}/rating", rating="2400", on="soon").status_code == 400
    assert post(officer, f"/players/{number}/rating", rating="1e9", on="2026-12-01").status_code == 422
    assert "2400" in officer.get(f"/players/{number}/decide").text


def test_players_round_and_day_of_a_game_are_corrected(officer):
    shown = officer.get("/api/events/6/games").json()["shown"]
    game = next(g for r in shown for g in r["games"] if g["black_id"])
    path = f"/events/6/games/{game['id']}"
    assert post(officer, path, white="Keller, Jonas", round="4", day="2026-07-15").status_code == 303
    later = officer.get(f"/api/games/{game['id']}").json()
    assert (later["white"]["name"], later["round"], later["date"]) == ("Keller, Jonas", "4", "2026-07-15")
    assert post(officer, path).status_code == 400  # nothing changes
    assert post(officer, path, counts="no", round="5").status_code == 400


def test_only_an_officer_decides_about_players(make_client):
    for who, status in (("vic", 403), (None, 401)):
        client = make_client(who)
        data = {"token": token(client) if who else "", "why": "no", "confirmed": "true", "other": "Berg, Ida"}
        assert client.post("/players/1/merge", data=data).status_code == status
        assert client.post("/imports/1/undo", data=data).status_code == status
        assert client.post("/backup", data=data).status_code == status


def test_several_doubts_are_settled_at_once(officer, club):
    (one,) = officer.get("/api/queue", params={"kind": "player"}).json()["doubts"]
    page = officer.get("/queue").text
    assert f'name="answer-{one["number"]}"' in page
    assert f'<option value="{one["likeliest"]}" selected>' in page
    shown = post(officer, "/queue", confirmed=False, **{f"answer-{one['number']}": one["likeliest"]})
    assert "Nothing is written yet" in shown.text
    assert post(officer, "/queue", **{f"answer-{one['number']}": one["likeliest"]}).status_code == 303
    assert officer.get("/api/queue", params={"kind": "player"}).json()["doubts"] == []
    assert post(officer, "/queue").status_code == 400  # nothing chosen
    assert post(officer, "/queue", **{"answer-99": "new"}).status_code == 404


def test_doubts_are_answered_at_the_preview(make_client, club):
    client = make_client("ann", open_reading=True)
    where = send(client, EVENT).headers["location"]
    assert 'name="who:Ortiz, L."' in client.get(where).text
    data = {"token": token(client), "who:Ortiz, L.": "3"}
    job = client.post(f"{where}/confirm", data=data).headers["location"]
    with Ledger.open(club) as ledger, ledger.reading() as connection:
        said = connection.execute(
            sa.select(tables.jobs.c.arguments).order_by(tables.jobs.c.id.desc())
        ).scalar()
    assert said["answers"] == {"Ortiz, L.": "3"}
    assert client.get(job).status_code == 200


def test_an_import_is_taken_out_while_nothing_rests_on_it(officer):
    files = {i["file"]: i["id"] for i in officer.get("/api/imports").json()["imports"]}
    masters, winter = files["9-autumn-masters.csv"], files["1-winter-open.csv"]
    assert "Nothing is written yet" in post(officer, f"/imports/{masters}/undo", confirmed=False).text
    assert officer.get("/events/10").status_code == 200
    refused = post(officer, f"/imports/{winter}/undo")
    assert refused.status_code == 400
    assert "published" in refused.text


def test_an_administrator_downloads_a_backup(officer, tmp_path):
    answer = officer.post("/backup", data={"token": token(officer)})
    assert answer.status_code == 200
    path = tmp_path / "backup.arpad"
    path.write_bytes(answer.content)
    assert read_backup(path).tables["players"][0] == 35
    assert sqlite3.connect(path).execute("select count(*) from sessions").fetchone() == (0,)
