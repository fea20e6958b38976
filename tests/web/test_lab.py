"""The lab in the browser: what the pages say is what the library finds."""

from __future__ import annotations

from datetime import date

import pytest

from arpad.lab.entrants import entrant
from arpad.lab.predict import predict
from arpad.ledger.db.ledger import Ledger
from arpad.ledger.queries.pool import lab_games
from arpad.web.views.lab import DRAWS, USUAL
from tests.web.conftest import counting_games


def test_systems_are_compared_as_arpad_predict_does(client, club):
    with Ledger.open(club) as ledger, ledger.reading() as connection:
        sample = lab_games(connection)
    found = predict(
        sample.games,
        [entrant(name, given=True) for name in USUAL],
        test_from=date(2026, 5, 1),
        least_games=5,
        draws=DRAWS,
    )
    twin = client.get("/api/lab").json()
    scored = [each for each in found.standings if each.own is not None]
    assert [row["system"] for row in twin["rows"]] == [each.system for each in scored]
    assert [row["log_loss"] for row in twin["rows"]] == pytest.approx([e.own.log_loss for e in scored])  # fmt: skip
    assert [row["brier"] for row in twin["rows"]] == pytest.approx([e.own.brier for e in scored])
    assert [row["low"] for row in twin["rows"]] == pytest.approx([e.gap.low for e in scored])
    assert [left["system"] for left in twin["left"]] == [e.system for e in found.standings if e.reason]  # fmt: skip
    assert twin["scored"] == found.counts.scored
    recalibrated = [row["recalibrated"] for row in twin["rows"]]
    assert recalibrated == sorted(recalibrated)  # as the caption of the table says
    page = client.get("/lab").text
    assert "Sorted by the column Recalibrated, the best first" in page
    assert f"{scored[0].own.log_loss:.4f}" in page
    assert "which are few: it is rough" in page  # four events


def test_bins_of_the_curve_are_those_of_the_chosen_system(client):
    twin = client.get("/api/lab", params={"system": "elo"}).json()
    assert twin["system"] == "elo"
    own = [row for row in twin["bins"] if row["curve"] == "own"]
    assert sum(row["games"] for row in own) == twin["scored"]
    assert all(row["low"] <= row["score"] <= row["high"] for row in own)


def test_too_many_earlier_games_leave_nothing_and_say_so(client):
    page = client.get("/lab", params={"least": "30"})
    assert page.status_code == 200
    twin = client.get("/api/lab", params={"least": "30"}).json()
    assert twin["none"] or twin["scored"] < client.get("/api/lab").json()["scored"]
    assert client.get("/lab", params={"least": "7"}).status_code == 422


def test_a_large_ledger_is_sampled_among_its_busiest_players(club):
    with Ledger.open(club) as ledger, ledger.reading() as connection:
        whole = lab_games(connection)
        some = lab_games(connection, most=100)
        fewer = lab_games(connection, most=100, busiest=8)
    assert not whole.sampled
    assert len(whole.games) == whole.there == some.there == counting_games(club)
    assert some.sampled
    assert 0 < len(some.games) <= 100
    assert some.players < whole.players
    assert fewer.players <= 8
    # Whoever is in has more games than those who are not.
    busy = set(some.games.players["name"])
    counts: dict[str, int] = {}
    names = whole.games.players["name"]
    for side in ("white", "black"):
        for row in whole.games.table[side]:
            counts[names[row]] = counts.get(names[row], 0) + 1
    out = [n for name, n in counts.items() if name not in busy]
    assert min(counts[name] for name in busy) >= max(out) - 1


def test_a_simulated_world_is_the_same_every_time(client):
    first, second = (client.get("/api/lab/worlds").json() for _ in range(2))
    assert first == second
    start = {line["system"]: line["after"][0]["out_of_spec"] for line in first["rows"]}
    end = {line["system"]: line["after"][-1]["out_of_spec"] for line in first["rows"]}
    assert len(set(start.values())) == 1  # everybody begins alike
    assert all(end[name] < start[name] for name in start)
    assert client.get("/lab/worlds", params={"world": "flat"}).status_code == 422


@pytest.mark.parametrize("path", ["systems", "calibration?system=elo", "world", "path"])
def test_charts(client, path):
    chart = client.get(f"/charts/lab/{path}").json()
    assert chart["width"] == "container"
    assert "#1f2328" not in str(chart.get("layer"))  # ink that a dark page would swallow
    assert client.get("/charts/lab/calibration", params={"system": "<b>"}).status_code == 404


def test_elsewhere_the_lab_is_for_those_who_signed_in(make_client):
    stranger = make_client(open_reading=False)
    for path in ("/api/lab", "/api/lab/worlds", "/charts/lab/world", "/charts/lab/path"):
        assert stranger.get(path).status_code in (303, 401)


@pytest.mark.chromium
def test_the_lab_in_a_browser(served, page):
    page.goto(f"{served()}/lab")
    page.locator(".chart .picture img").nth(1).wait_for()
    page.get_by_label("System", exact=True).select_option("elo")
    page.get_by_role("button", name="Show").click()
    page.get_by_text("Calibration of elo").wait_for()
    page.locator(".chart .picture img").nth(1).wait_for()
