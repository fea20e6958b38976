"""arpad rate with Glicko, Glicko-2 and Stephenson's system: days, lists, and what is said beside them."""

from __future__ import annotations

import csv
import io
import json

import pytest

SPREAD = ["glicko", "glicko2", "stephenson"]
EARLY = """date,white,black,score
2016-05-03,Ann,Bob,1
2016-05-10,Bob,Cid,1/2
2016-06-20,Dan,Ann,1
"""
LATE = """date,white,black,score
2016-08-03,Ann,Bob,1
2016-08-10,Eva,Ann,1
"""


def rows(out: str) -> dict[str, dict[str, str]]:
    return {row["player"]: row for row in csv.DictReader(io.StringIO(out))}


@pytest.mark.parametrize("kind", ["csv", "json"])
@pytest.mark.parametrize("name", SPREAD)
def test_a_written_list_is_continued_exactly(run, write, tmp_path, name, kind):
    early, late = write(EARLY, "early.csv"), write(LATE, "late.csv")
    kept = tmp_path / f"list.{kind}"
    assert run("rate", early, "--system", name, "--format", kind, "-o", kept).code == 0
    done = run(
        "rate", late, "--system", name, "--before", kept, "--whole-list", "--format", "csv"
    )  # fmt: skip
    whole = run("rate", early, late, "--system", name, "--format", "csv")
    assert (done.code, whole.code) == (0, 0)
    ours, theirs = rows(done.out), rows(whole.out)
    assert set(ours) == set(theirs) == {"Ann", "Bob", "Cid", "Dan", "Eva"}
    for player, row in ours.items():
        for column in ("rating", "rd", *(["volatility"] if name == "glicko2" else [])):
            assert float(row[column]) == pytest.approx(float(theirs[player][column]), abs=1e-6)
        assert (row["last"], row["on"]) == (theirs[player]["last"], "2016-09-01")


def test_ratings_on_a_day(run, write):
    played = write(EARLY)
    done = run("rate", played, "--system", "glicko2", "--on", "2016-06-20", "--format", "json")
    document = json.loads(done.out)
    assert {row["player"] for row in document["ratings"]} == {"Ann", "Bob", "Cid"}
    assert document["parameters"]["on"] == "2016-06-20"
    assert document["notes"] == ["games of 2016-06-20 and later, left out: 1"]
    assert "left out: 1" in done.err
    same = run("rate", played, "--system", "glicko2", "--option", "on=2016-06-20", "--format", "csv")
    assert {p: float(r["rating"]) for p, r in rows(same.out).items()} == {
        row["player"]: row["rating"] for row in document["ratings"]
    }


def test_people_see_the_spread_and_the_last_day(run, write):
    done = run("rate", write(EARLY), "--system", "glicko2", "--verbose")
    assert "volatility" in done.out
    assert "±" in done.out
    assert "2016-06-20" in done.out
    assert "period month, on 2016-07-01" in done.out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--system", "elo", "--on", "2016-07-01"), "the system elo has no option 'on'"),
        (("--system", "glicko", "--on", "soon"), "expected a day such as 2016-07-01, found 'soon'"),
        (("--system", "glicko", "--on", "2000-01-01"), "nobody has played before 2000-01-01"),
        (("--system", "glicko2", "--period", "event"), "needs the event of the games"),
        (("--system", "glicko2", "--period", "fortnight"), "or a number of days"),
        (("--system", "glicko2", "--option", "tau=0"), "expected tau from 0.001 to 3"),
        (("--system", "stephenson", "--option", "h=x"), "expected a number, found 'h=x'"),
        (("--system", "glicko", "--k", "20"), "the system glicko has no option 'k'"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(run, write, options, words):
    done = run("rate", write(EARLY), *options)
    assert done.code == 2
    assert words in done.err
    assert len(done.err.strip().splitlines()) == 1


def test_no_dates_are_one_period(run, write):
    done = run("rate", write("white,black,score\nAnn,Bob,1\n"), "--system", "glicko")
    assert done.code == 0
    assert "all of them are rated as one period" in done.err


def test_an_odd_list_is_answered(run, write):
    odd = write("player,rating,error,last\nAnn,1800,900,yesterday\nBob,1500,,\n", "odd.csv")
    done = run("rate", write(EARLY), "--system", "glicko2", "--before", odd)
    assert done.code == 0
    for words in (
        "errors on the list above 500 points, taken as 500: 1",
        "without an error, taken as 200 points: 1",
        "taken as 0.06: 2",
        "not look like 2016-07-01, left out: 1",
    ):
        assert words in done.err


def test_a_list_whose_error_is_no_number_is_refused(run, write):
    odd = write("player,rating,error\nAnn,1800,-5\n", "odd.csv")
    done = run("rate", write(EARLY), "--system", "glicko2", "--before", odd)
    assert done.code == 2
    assert "expected a number from 0 to 4000 in error, found '-5'" in done.err


def test_periods_of_so_many_days(run, write):
    done = run("rate", write(EARLY), "--system", "glicko", "--period", "14", "--format", "json")
    assert json.loads(done.out)["parameters"]["period"] == "14 days"


def test_the_chart_says_what_it_shows(run, write, tmp_path):
    chart = tmp_path / "chart.svg"
    assert run("rate", write(EARLY), "--system", "glicko2", "--chart", chart).code == 0
    text = chart.read_text(encoding="utf-8")
    assert "on 2016-07-01" in text
    assert "None" not in text


def test_notes_are_said_once_and_a_bootstrap_stops_at_the_day(run, write):
    done = run("rate", write(EARLY), "--system", "glicko", "--on", "2016-05-05", "--bootstrap", "30")
    assert done.code == 0
    assert done.err.count("left out: 2") == 1


def test_a_spread_grows_to_the_last_day_there_is(run, write):
    done = run(
        "rate", write(EARLY), "--system", "glicko", "--on", "9999-12-31", "--own-errors", "--format", "json"
    )
    assert {r["error"] for r in json.loads(done.out)["ratings"]} == {350.0}
