"""`arpad event`: standings by FIDE's tie-breaks, teams, places of the file, forecast."""

from __future__ import annotations

import json

import pytest

from tests.event.held import SWISS, held_trf
from tests.event.test_team_standings import FILE


@pytest.fixture
def told(run):
    def _told(path, *arguments):
        done = run("event", path, "--format", "json", *arguments)
        assert done.code == 0, done.err
        return json.loads(done.out)

    return _told


def test_standings_by_the_order_asked_for(told, write):
    path = write(held_trf(SWISS, start="2024-08-01", rounds=5))
    found = told(path, "--tie-break", "BH,BH-C1,SB,DE")
    assert found["tie_break_order"] == ["PTS", "BH", "BH-C1", "SB", "DE"]
    assert (found["tie_break_rules"], found["tie_break_source"]) == ("2024-08", "asked")
    first = found["standings"][0]
    assert (first["rank"], first["name"], first["points"]) == (1, "Player 2", 4.0)
    assert first["tie_breaks"] == {"PTS": 4.0, "BH": 13.0, "BH-C1": 12.0, "SB": 9.5, "DE": 0.0}
    assert first["performance"] == 2120
    assert first["change"] is not None
    assert [s["name"] for s in found["standings"]] == [p["name"] for p in found["players"]]


def test_the_order_of_the_file_and_other_rules(told, write):
    path = write(held_trf(SWISS, start="2026-03-01", rounds=5, head="202 SB BH-C1"))
    assert told(path)["tie_break_order"] == ["PTS", "SB", "BH-C1"]
    assert told(path)["tie_break_rules"] == "2026-03"
    plain = told(path, "--tie-break-rules", "plain")
    assert plain["tie_break_rules"] == "plain"


def test_as_after_a_round(told, write):
    nine, five = (write(held_trf(SWISS, start="2024-08-01", rounds=n), f"{n}.trf") for n in (9, 5))
    assert told(nine, "--after", "5")["standings"] == told(five)["standings"]


def test_the_order_is_printed(run, write, tmp_path):
    path = write(held_trf(SWISS, start="2024-08-01", rounds=9))
    page = tmp_path / "page.html"
    shown = run("event", path, "--tie-break", "BH-C1,SB", "--after", 5, "--html", page)
    for words in (shown.out, page.read_text()):
        assert "BH-C1 (Buchholz without the one lowest)" in words
    assert "after round 5 of 9" in page.read_text()


def test_teams(told, run, write):
    path = write(FILE.format(record="XXC white1", members=""))
    found = told(path, "--tie-break", "MPTS,GPTS,EDE")
    assert found["team_tie_break_order"] == ["MPTS", "GPTS", "EDE"]
    assert [(t["rank"], t["name"]) for t in found["teams"]] == [
        (1, "Team Four"), (2, "Team One"), (3, "Team Two"), (4, "Team Three"),
    ]  # fmt: skip
    assert found["tie_break_order"][0] == "PTS"
    assert "Team Four" in run("event", path).out


def test_forecast(told, write):
    path = write(held_trf(SWISS, start="2024-08-01", rounds=5))
    found = told(path, "--forecast")["forecast"]
    assert len(found) == 16
    assert sum(one["first"] for one in found) == pytest.approx(1)
    assert "forecast" not in told(path)


def test_performance_is_fides_with_the_exact_one_beside(told, write):
    """Four of four has a value: 800 points above the average opponent."""
    table = "1 2000 4 2w1 3b1 4w1 5b1\n" + "".join(
        f"{n} {1900 - n} 0 "
        + " ".join("1b0" if (r % 2 == 0) and r == n - 2 else "1w0" if r == n - 2 else "Z" for r in range(4))
        + "\n"
        for n in range(2, 6)
    )
    found = told(write(held_trf(table, start="2026-03-01", rounds=4, head="092 Swiss")))
    best = found["standings"][0]
    assert (best["performance"], best["performance_exact"]) == (2697, None)
    assert best["average_opponent"] == pytest.approx(1896.5)


def test_teams_named_in_an_individual_event_do_not_take_the_tie_breaks(told, write):
    path = write(
        held_trf(
            SWISS, start="2024-08-01", rounds=5, head="092 Individual: Swiss-System\n013 Example    1    2"
        )
    )
    found = told(path, "--tie-break", "BH,SB")
    assert found["tie_break_order"] == ["PTS", "BH", "SB"]
    assert found["kind"] == "Swiss"
