from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import time

import polars as pl
import pytest

from arpad.pool.greatness import run as greatness_run
from arpad.pool.greatness import run as greatness_state
from tests.pool.greatness.events import Database, history
from tests.pool.lives import world


def written(games, path):
    day = pl.col("date").dt.to_string("%Y.%m.%d")
    year = pl.col("date").dt.to_string("%Y.??.??")
    games.frame().select(
        "white", "black", "score", "event", "site", "round",
        pl.when(pl.col("precision") == "year").then(year).otherwise(day).alias("date"),
        pl.col("white_rating").alias("white_elo"), pl.col("black_rating").alias("black_elo"), "plies",
    ).write_csv(path)  # fmt: skip
    return path


@pytest.fixture
def games(tmp_path):
    return written(history(), tmp_path / "games.csv")


@pytest.fixture
def match(tmp_path):
    made = Database()
    made.match(
        "London", "Steinitz", "Blackburne", [1.0] * 7, rating={"Steinitz": 2730.0, "Blackburne": 2648.0}
    )
    return written(made.games(), tmp_path / "match.csv")


def test_the_tables(run, games):
    done = run("greatness", games, "--top", 3)
    assert done.code == 0, done.err
    for word in ("Greatness", "Tournament strength", "To check by hand", "Master A", "60 events"):
        assert word in done.out


def test_the_match_of_1876(run, match):
    told = json.loads(run("greatness", match, "--format", "json").out)
    best = told["performances"][0]
    assert (best["player"], round(best["g_score"], 2)) == ("Steinitz", 397.44)
    assert round(told["strengths"][0]["strength"], 4) == 101.4643


def test_csv_and_json_say_the_same(run, games):
    told = json.loads(run("greatness", games, "--format", "json").out)
    for options, key in (((), "performances"), (("--strengths",), "strengths"), (("--inspect",), "inspect")):
        rows = list(csv.DictReader(io.StringIO(run("greatness", games, "--format", "csv", *options).out)))
        assert len(rows) == len(told[key]) > 0
        assert list(rows[0]) == list(told[key][0])
        assert rows[0]["event"] == told[key][0]["event"]
    assert set(told) == {
        "parameters", "input", "skipped", "repaired", "noted", "source", "verdicts", "hidden", "again",
        "performances", "strengths", "inspect", "events", "left_out", "left_games",
    }  # fmt: skip
    assert len(told["events"]) == 60
    assert told["parameters"]["ratings"] == "file, own"


def test_a_second_run_costs_nothing(run, games, tmp_path, monkeypatch):
    state = tmp_path / "state"
    first = run("greatness", games, "--state", state, "--format", "csv")
    assert first.code == 0, first.err

    def never(*_, **__):
        raise AssertionError("done again")

    monkeypatch.setattr(greatness_run, "assess", never)
    again = run("greatness", games, "--state", state, "--format", "csv")
    assert again.code == 0, again.err
    assert again.out == first.out


def test_a_second_run_does_not_study_again(run, tmp_path, monkeypatch):
    """Without ratings beside the games the historical study gives them, once."""
    from arpad.pool.history import HistorySystem

    played, _, _ = world(7, people=40, games=120, years=(1900, 1910))
    frame = played.frame().with_columns(pl.col("date").dt.year().alias("year"))
    games = tmp_path / "bare.csv"
    frame.select("white", "black", "score", pl.format("{}.??.??", "year").alias("date"),
                 pl.format("Town {}", "year").alias("event")).write_csv(games)  # fmt: skip
    real, count = HistorySystem.study, []

    def study(self, given):
        count.append(1)
        return real(self, given)

    monkeypatch.setattr(HistorySystem, "study", study)
    first, again = (
        run("greatness", games, "--state", tmp_path / "state", "--least", 0, "--failed", "--format", "csv")
        for _ in range(2)
    )
    assert (first.code, first.out) == (0, again.out)
    assert "own" in first.out
    assert len(count) == 1
    run("greatness", games, "--state", tmp_path / "state", "--least", 0, "--no-join", "--format", "csv")
    assert len(count) == 2
    told = run("greatness", games, "--state", tmp_path / "state", "--least", 0, "--failed").out
    assert "own: our own ratings of the year" in told
    assert "±: standard error" in told


def test_marks_of_caution_are_explained(run, match):
    told = run("greatness", match).out
    assert "few: number two is the second of fewer than 10 players" in told
    assert "few:" not in run("greatness", match, "--number-two", 2648).out


def test_an_interrupted_run_goes_on_where_it_was(run, games, tmp_path, monkeypatch):
    whole = run("greatness", games, "--format", "csv").out
    state, assess, count = tmp_path / "state", greatness_run.assess, []

    def stopped(*args, **kwargs):
        count.append(1)
        if len(count) == 25:
            raise KeyboardInterrupt
        return assess(*args, **kwargs)

    monkeypatch.setattr(greatness_run, "assess", stopped)
    done = run("greatness", games, "--state", state)
    assert done.code == 130
    assert len(state.read_text().splitlines()) == 1 + 24
    monkeypatch.setattr(greatness_run, "assess", assess)
    told = run("greatness", games, "--state", state, "--format", "csv")
    assert told.out == whole
    assert len(state.read_text().splitlines()) == 1 + 60


def test_a_killed_run_leaves_a_whole_state(games, tmp_path):
    """kill -9 at any time: the state is there whole, or as it was."""
    state = tmp_path / "state"
    slow = (
        "import sys, time; from arpad.pool.greatness import run as g; g.EVERY = 0.0; real = g.assess\n"
        "def assess(*a, **k):\n    time.sleep(0.02)\n    return real(*a, **k)\n"
        "g.assess = assess\n"
        f"sys.argv = ['arpad', 'greatness', {str(games)!r}, '--state', {str(state)!r}]\n"
        "from arpad.cli.main import main; main()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", slow], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as child:
        for _ in range(600):
            if state.exists() or child.poll() is not None:
                break
            time.sleep(0.05)
        time.sleep(0.2)
        child.kill()
    settings = json.loads(state.read_text().splitlines()[0])["settings"]
    assert 1 <= len(greatness_state.RunState(state, settings).done) <= 60


def test_the_state_is_refused_in_one_sentence(run, games, tmp_path):
    state = tmp_path / "state"
    run("greatness", games, "--state", state, "--to", 1972)
    other = run("greatness", games, "--state", state, "--least", 150)
    assert (other.code, other.out) == (2, "")
    assert "other settings (least 100.0 there, 150.0 here)" in other.err
    state.write_text(state.read_text()[:-30])
    broken = run("greatness", games, "--state", state)
    assert broken.code == 2
    assert "the state is damaged" in broken.err
    assert run("greatness", games, "--state", games).code == 2
    assert games.read_text().startswith("white,")


@pytest.mark.parametrize("option", ["--output", "--chart", "--report"])
def test_nothing_is_written_over_the_state(run, match, tmp_path, option):
    state = tmp_path / ("state.csv" if option == "--output" else "state.svg")
    done = run("greatness", match, "--state", state, option, state)
    assert done.code == 2
    assert "give another name" in done.err
    assert state.read_text().startswith('{"format"')


@pytest.mark.parametrize("option", ["--list", "--number-two", "--names"])
def test_what_was_read_is_not_written_over(run, match, tmp_path, option):
    path = tmp_path / "given.csv"
    path.write_text("player,rating,year,name,person\nSteinitz,2730,1876,A,B\n")
    dates = ("--dates", "1875-01-01") if option == "--list" else ()
    done = run("greatness", match, option, path, *dates, "-o", path)
    assert (done.code, "this file was read: give another name" in done.err) == (2, True)


def test_no_event_of_these_years(run, match):
    done = run("greatness", match, "--from", 2050)
    assert done.code == 0
    assert "no event could be run: there is none of these years" in done.err


def test_years_and_number_two(run, games, tmp_path):
    twos = tmp_path / "two.csv"
    twos.write_text("year,rating\n1980,2790\n")
    options = ("--from", 1980, "--to", 1981, "--format", "json")
    told = json.loads(run("greatness", games, *options, "--number-two", twos).out)
    found = {(e["year"], e["number_two_source"]): e["number_two"] for e in told["events"]}
    assert found[1980, "given"] == 2790.0
    assert found[1981, "file"] == 2736.0
    told = json.loads(run("greatness", games, *options, "--number-two", 2800).out)
    assert {e["number_two"] for e in told["events"]} == {2800.0}


def test_lists(run, games, tmp_path):
    for year, up in ((1980, 0), (1981, 50)):
        rows = "".join(f"Master {chr(65 + i)},{2700 - 20 * i + up}\n" for i in range(10))
        (tmp_path / f"{year}.csv").write_text("player,rating\n" + rows)
    files = ("--list", tmp_path / "1980.csv", "--list", tmp_path / "1981.csv")
    told = json.loads(
        run(
            "greatness",
            games,
            *files,
            "--dates",
            "1980-01-01,1981-01-01",
            "--ratings",
            "list",
            "--format",
            "json",
        ).out
    )
    by_year = {e["year"]: (e["ratings"], e["number_two"]) for e in told["events"]}
    assert by_year[1980] == ("list", 2680.0)
    assert by_year[1982] == ("list", 2730.0)
    assert by_year[1970][0] is None
    undated = run("greatness", games, *files)
    assert (undated.code, "does not say its date" in undated.err) == (2, True)


def test_a_system_that_walks(run, games):
    told = json.loads(
        run("greatness", games, "--ratings", "system", "--system", "elo", "--format", "json").out
    )
    assert {e["ratings"] for e in told["events"] if e["year"] > 1975} == {"elo"}
    assert told["verdicts"]["unrated"] >= 2  # the first year knows nobody


def test_no_ratings_at_all(run, tmp_path):
    made = Database()
    made.match("London", "Ann", "Ben", [1.0] * 8)
    done = run("greatness", written(made.games(), tmp_path / "x.csv"))
    assert done.code == 0
    assert "no event has ratings and a number two" in done.err
    assert "no ratings are known" in done.out
    chart = run("greatness", tmp_path / "x.csv", "--chart", tmp_path / "x.png")
    assert chart.code == 2
    assert "nothing to draw" in chart.err


def test_one_game_of_two_players(run, write):
    done = run("greatness", write("white,black,score,event\nAnn,Ben,1,Match\n"))
    assert done.code == 0
    assert "no event could be run: no player has more than 1 game; 6 are needed (1 of 1)" in done.err


def test_no_event_at_all(run, write):
    done = run("greatness", write("white,black,score\n" + "Ann,Ben,1\n" * 8))
    assert done.code == 2
    assert "8 games of no event" in done.err


def test_names_twice_are_told_apart_or_joined(run, tmp_path):
    made = Database()
    made.match(
        "M",
        "Kasparov, Gary",
        "Karpov, Anatoly",
        [1.0] * 6,
        rating={"Kasparov, Gary": 2800.0, "Karpov, Anatoly": 2700.0},
    )
    made.match("N", "Kasparov,G", "Karpov,A", [0.5] * 6, rating={"Kasparov,G": 2800.0, "Karpov,A": 2700.0})
    path = written(made.games(), tmp_path / "x.csv")
    joined = json.loads(run("greatness", path, "--format", "json").out)
    assert joined["source"]["joined"] == 2
    apart = json.loads(run("greatness", path, "--no-join", "--format", "json").out)
    assert apart["source"]["joined"] == 0


def test_the_chart(run, games, tmp_path):
    done = run("greatness", games, "--chart", tmp_path / "c.svg")
    assert done.code == 0, done.err
    assert (tmp_path / "c.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--from", 2000, "--to", 1990), "--from 2000 --to 1990"),
        (("--ratings", "chessmetrics"), "some of file, list, own, system"),
        (("--ratings", "list"), "name them with --list"),
        (("--ratings", "system"), "name it with --system"),
        (("--system", "abc", "--ratings", "system"), "expected a rating system"),
        (("--number-two", "nobody.csv"), "a rating, or a CSV file"),
        (("--number-two", -5), "number two, found -5"),
        (("--number-two", "nan"), "number two, found nan"),
        (("--repair", "all"), "not one of 'none', 'adjusted', 'corrected'"),
        (("--knockouts", "pairs"), "not one of 'event', 'matches'"),
        (("--leave-out", "("), "regular expression"),
        (("--strengths", "--inspect"), "found both"),
        (("--dates", "2001"), "YYYY-MM-DD"),
        (("--dates", "2001-01-01"), "expected 0 dates"),
    ],
)  # fmt: skip
def test_bad_options(run, match, options, words):
    done = run("greatness", match, *options)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("text", ["year,rating\n", "name,rating\nx,1\n", "year,rating\n1900,abc\n"])
def test_a_bad_table_of_number_twos(run, match, tmp_path, text):
    (tmp_path / "two.csv").write_text(text)
    done = run("greatness", match, "--number-two", tmp_path / "two.csv")
    assert done.code == 2
    assert "year and rating" in done.err
