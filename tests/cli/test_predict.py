"""`arpad predict`: one command from files to a fair table."""

from __future__ import annotations

import csv
import io
import json

import pytest

from tests.lab.walks import season


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "season.csv"
    season(players=40, months=30, games=150, rated=True, seed=3).frame().select(
        "white", "black", "score", "date", "white_rating", "black_rating"
    ).write_csv(path)
    return path


def test_the_document_has_a_row_a_system(run, file):
    ran = run("predict", file, "--systems", "elo,glicko2,published", "--test-from", "2022-01-01", "--format", "json")  # fmt: skip
    assert ran.code == 0
    found = json.loads(ran.out)
    rows = {row["system"]: row for row in found["systems"]}
    assert set(rows) == {"elo", "glicko2", "published"}
    for row in rows.values():
        assert {"n", "log_loss", "log_loss_recalibrated", "brier", "accuracy", "low", "high"} <= set(row)  # fmt: skip
        assert row["n"] == found["counts"]["scored"] == 6 * 150
        assert row["low"] <= row["difference"] <= row["high"]
    # The truth stands beside the games: nothing beats it, and only White's 40 points are missing.
    assert found["reference"] == found["systems"][0]["system"] == "published"
    assert rows["published"]["white_advantage"] == pytest.approx(40, abs=20)
    assert rows["published"]["difference"] == rows["published"]["low"] == 0
    assert found["settings"]["validation_from"] == "2021-01-01"
    assert {row["by"] for row in found["parts"]} == {"period", "level", "games"}
    assert found["tuning"] == []


def test_people_see_the_same(run, file):
    ran = run("predict", file, "--systems", "elo,elo:k=40", "--against", "elo")
    assert ran.code == 0
    assert "elo:k=40" in ran.out
    assert "difference: from elo;" in ran.out
    parts = run("predict", file, "--systems", "elo", "--by", "games")
    assert "earlier games of the less experienced" in parts.out
    rows = list(csv.DictReader(io.StringIO(run("predict", file, "--systems", "elo", "--by", "level", "--format", "csv").out)))  # fmt: skip
    assert {row["by"] for row in rows} == {"level"}


def test_months_that_are_counted_are_called_so(run, tmp_path):
    rows = season(players=10, months=24, games=40).frame()
    month = (rows["date"].dt.year() - 2020) * 12 + rows["date"].dt.month()
    path = tmp_path / "months.csv"
    rows.select(month.alias("month"), "white", "black", "score").write_csv(path)
    ran = run("predict", path, "--systems", "elo", "--test-from", "20", "--by", "period")
    assert ran.code == 0, ran.err
    assert [word for word in ("month 20", "month 24") if word not in ran.out] == []
    assert "0002-" not in ran.out


def test_constants_with_commas(run, file):
    ran = run("predict", file, "--systems", "elo:k=32@2100,24@2400,16, glicko", "--format", "csv")
    assert ran.code == 0, ran.err
    rows = csv.DictReader(io.StringIO(ran.out))
    assert {row["system"] for row in rows} == {"elo:k=32@2100,24@2400,16", "glicko"}


def test_where_nobody_can_be_scored_nothing_is(run, tmp_path):
    path = tmp_path / "plain.csv"
    season().frame().select("white", "black", "score", "date").write_csv(path)
    for more in ((), ("--by", "level")):
        ran = run("predict", path, "--systems", "published", "--test-from", "2021-06", *more)
        assert ran.code == 0, ran.err
        assert "No system could be scored" in ran.out
        assert "scored: 0 of" in ran.out
    told = json.loads(run("predict", path, "--systems", "published", "--format", "json").out)
    assert (told["counts"]["scored"], told["counts"]["validation"], told["parts"]) == (0, 0, [])


def test_without_a_validation_window_nothing_is_called_the_best_of_it(run, file):
    ran = run("predict", file, "--systems", "elo,glicko", "--test-from", "2019", "--least-games", "0")
    assert ran.code == 0
    assert "difference: from elo, the first that was named" in ran.out
    assert "fitted to" not in ran.out


def test_all_means_all_and_nobody_stops_the_others(run, file):
    from arpad.rate import SYSTEMS

    found = json.loads(run("predict", file, "--test-from", "2022", "--format", "json", "--draws", "10").out)  # fmt: skip
    rows = {row["system"]: row for row in found["systems"]}
    assert set(rows) == {*SYSTEMS, "published"}
    for row in rows.values():
        assert (row["reason"] is None) == (row["log_loss"] is not None)


def test_files_without_ratings_have_no_published_ones(run, tmp_path):
    path = tmp_path / "plain.csv"
    season(players=8, months=20, games=40).frame().select("white", "black", "score", "date").write_csv(path)  # fmt: skip
    ran = run("predict", path, "--systems", "published,elo", "--format", "json")
    rows = {row["system"]: row for row in json.loads(ran.out)["systems"]}
    assert "no game has the ratings of both players" in rows["published"]["reason"]
    assert rows["published"]["log_loss"] is None
    assert rows["elo"]["log_loss"] < 0.69


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--systems", "elo,elo"], "twice"),
        (["--systems", "eloo"], "expected a rating system"),
        (["--systems", " , "], "--systems: expected all"),
        (["--systems", "elo:q=3"], "has no option 'q'"),
        (["--systems", "published:k=3"], "have no option 'k'"),
        (["--against", "nobody"], "expected the reference to be one of"),
        (["--test-from", "soon"], "expected a day"),
        (["--test-from", "2031"], "expected games in the test window"),
        (["--test-from", "2022", "--validation-from", "2023"], "before the test window"),
        (["--least-games", "100000"], "ask for fewer with --least-games"),
    ],
)
def test_what_cannot_be_is_told_in_a_line(run, file, options, words):
    ran = run("predict", file, *options)
    assert ran.code == 2
    assert words in ran.err
    assert "Traceback" not in ran.err


def test_games_without_dates_are_refused(run, tmp_path):
    path = tmp_path / "undated.csv"
    path.write_text("white,black,result\nAnn,Bob,1-0\n")
    ran = run("predict", path)
    assert ran.code == 2
    assert "needs games with dates" in ran.err
