"""The report of an event under any rating system."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from arpad.event.report import rating_changes, report
from arpad.model import Games, Player, Ratings
from arpad.rate import SYSTEMS, Elo, Fide
from arpad.rate.registry import system
from arpad.rate.uscf.systems import Uscf1994
from arpad.read import read
from tests.rate.uscf_events import against, field, pool

FRANKFURT = files("arpad") / "samples" / "frankfurt-1997.pra"

CROSSTABLE = """pair,points,pre,pre_prov_games,post,post_prov_games,r1,r2,r3,r4,colours
1,3.0,1500,,1510,,W2,W3,D4,D5,WBWB
2,1.0,1400,12,1390,16,L1,W4,L5,L3,BWBW
3,2.0,,,,,D5,L1,D4,W2,WWBB
4,1.5,1300,,1305,,B,L2,D3,D1,-BWB
5,2.5,1450,3,1460,7,D3,B,W2,D1,B-WW
"""

TEXT = """
   1 | ANNA EXAMPLE                    |2.0  |W   2|W   3|
   NY | 12345678 / R: 1794   ->1817     |     |W    |B    |
   2 | BOB EXAMPLE                     |0.5  |L   1|D   3|
   NY | 12345679 / R: 1234P7 ->1210P9   |     |B    |W    |
   3 | CARL EXAMPLE                    |0.5  |D   2|L   1|
   NY | 12345670 / R: Unrated->1100P3   |     |B    |W    |
"""


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_registered_system_reports(name):
    found = report(read(str(FRANKFURT)).games, system=system(name))
    assert found.system == name
    assert found.players["expected"].null_count() == 0
    assert found.players["after"].null_count() == 0
    assert (found.players["after"] - found.players["rating"]).to_list() == pytest.approx(
        found.players["change"].to_list()
    )
    assert found.players["expected"].sum() == pytest.approx(12, abs=0.1)


def test_fide_is_the_default():
    games = read(str(FRANKFURT)).games
    assert report(games).players.equals(report(games, system=Fide()).players)
    assert report(games).system == "fide"


def test_expected_scores_of_elo_are_those_of_its_curve():
    games = pool([Player(name="A", rating=1600.0), Player(name="B", rating=1400.0)], [("A", "B", 1)])
    found = rating_changes(games, Elo())
    assert found.of(0).expected == pytest.approx(1 / (1 + 10**-0.5))
    assert found.of(1).expected == pytest.approx(1 - 1 / (1 + 10**-0.5))
    assert found.of(99).expected is None


def test_two_people_of_one_name():
    people = [Player(name="Li", rating=1500.0), Player(name="Li", rating=1700.0), *field([1600])]
    table = {"white": [0, 1], "black": [2, 2], "score": [1.0, 0.0]}
    found = rating_changes(Games.assemble(table, people), Uscf1994())
    assert found.of(0).change > 0 > found.of(1).change


def test_an_earlier_list_counts():
    others = field([1500, 1500])
    games = pool([Player(name="Me", id="7"), *others], against("Me", 1, [p.name for p in others]))
    import polars as pl

    rows = pl.DataFrame({"player": ["Me"], "id": ["7"], "rating": [1200.0], "total_games": [10.0]})
    before = Ratings(system="given", rows=rows, parameters={})
    found = report(games, system=Uscf1994(), before=before).players.filter(name="Me").row(0, named=True)
    assert found["rating"] == 1200
    assert found["k"] == pytest.approx(600 / 11)
    assert found["status"] == "provisional"
    assert found["total_games"] == 12
    without = report(games, system=Uscf1994()).players.filter(name="Me").row(0, named=True)
    assert (without["after"], without["status"]) == (None, "unrated")


def test_crosstables_say_how_many_games_a_rating_rests_on(write):
    as_csv = read(write(CROSSTABLE, "a.csv")).games.players
    assert as_csv["total_games"].to_list() == [None, 12, None, None, 3]
    as_text = read(write(TEXT, "a.txt")).games.players
    assert as_text["total_games"].to_list() == [None, 7, None]
    assert as_text["rating"].to_list() == [1794.0, 1234.0, None]
    joined = read([write(CROSSTABLE, "a.csv"), write(TEXT, "b.txt")]).games.players
    assert joined["total_games"].drop_nulls().to_list() == [12, 3, 7]


def test_command_line(run, write):
    path = write(CROSSTABLE, "a.csv")
    done = run("event", path, "--system", "uscf1994", "--format", "json")
    assert done.code == 0
    answer = json.loads(done.out)
    assert answer["system"] == "uscf1994"
    who = {each["name"]: each for each in answer["players"]}
    assert who["Player 2"]["k"] == 600 / 15
    assert who["Player 3"]["status"] == "provisional"  # four games, and a first rating
    assert who["Player 5"]["total_games"] == 6
    assert answer["notes"] == [
        "1 player without rating, FIDE rating or age, counted as 1000 until rated: Player 3",
        (
            "no rating of the world's number two is given: no G-scores, no strength; "
            "give --number-two RATING, or --list FILE with the rating list in force"
        ),
    ]
    shown = run("event", path, "--system", "uscf1993")
    assert "W_e and change by the system uscf1993." in shown.out
    assert "FIDE's rules of" in run("event", path).out
    greater = run(
        "event", path, "--system", "uscf1994", "--option", "provisional=greater", "--format", "json"
    )
    assert json.loads(greater.out)["parameters"]["provisional"] == "greater"


def test_html_of_another_system(run, write, tmp_path):
    page = tmp_path / "a.html"
    assert run("event", write(CROSSTABLE, "a.csv"), "--system", "uscf1994", "--html", page).code == 0
    text = page.read_text(encoding="utf-8")
    assert "the system uscf1994" in text
    assert "provisional" in text


@pytest.mark.parametrize(("more", "words"), [
    (("--system", "uscf"), "expected a rating system, one of elo, fide"),
    (("--system", "uscf1994", "--rules", "2014-07"), "has no option 'rules'"),
    (("--system", "uscf1994", "--option", "provisional=x"), "expected one of k, greater, performance"),
    (("--rules", "1900"), "expected"),
    (("--before", "nowhere.csv"), "nowhere.csv"),
])  # fmt: skip
def test_bad_requests_have_one_sentence(run, write, more, words):
    done = run("event", write(CROSSTABLE, "a.csv"), *more)
    assert done.code == 2
    assert words in done.err
    assert len(done.err.strip().splitlines()) == 1


@pytest.mark.data
def test_the_real_crosstable(run, data):
    done = run("event", data / "uscf" / "crosstable_anon.csv", "--system", "uscf1994", "--format", "json")
    answer = json.loads(done.out)
    assert (done.code, len(answer["players"]), answer["games"]) == (0, 64, 204)
    assert sorted(p["name"] for p in answer["players"] if p["status"] == "provisional") == [
        "Player 15", "Player 29", "Player 37", "Player 41", "Player 46", "Player 49", "Player 61",
    ]  # fmt: skip


def test_expected_scores_know_the_errors_of_a_list():
    """1800 ± 40 against 1500 ± 40, not ± 200 as of ratings that come without an error."""
    import polars as pl

    from arpad.model import Games, Ratings
    from arpad.rate.registry import system

    rows = pl.DataFrame({"player": ["Ann", "Bob"], "id": [None, None], "rating": [1800.0, 1500.0], "error": [40.0, 40.0]}, schema_overrides={"id": pl.String})  # fmt: skip
    glicko = system("glicko")
    before = Ratings(system="glicko", rows=rows, parameters={})
    found = rating_changes(Games.build([("Ann", "Bob", 1.0)]), glicko, before)
    assert found.of(0).expected == pytest.approx(glicko.expected_score(1800, 40, 1500, 40))
