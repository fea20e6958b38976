from __future__ import annotations

import json

import numpy as np
import pytest

from arpad.rate.draws import PUBLISHED, probabilities


@pytest.fixture
def season(tmp_path):
    """A CSV file of games that the shipped model decided."""

    def _season(number=600, *, draws=True, ratings=True, seed=1):
        rng = np.random.default_rng(seed)
        R, R_c = np.round(rng.normal(2200, 200, (2, number))).astype(int)
        ends = probabilities(R, R_c, advantage=PUBLISHED.white_advantage)
        u = rng.random(number)
        drawn = ends.draw if draws else 0
        score = np.where(u < ends.win, "1-0", np.where(u < ends.win + drawn, "1/2-1/2", "0-1"))
        head = "date,white,black,result" + (",white_rating,black_rating" if ratings else "")
        lines = [head]
        for i in range(number):
            beside = f",{R[i]},{R_c[i]}" if ratings else ""
            lines.append(f"{2001 + i * 9 // number}-01-01,w{i},b{i},{score[i]}{beside}")
        path = tmp_path / "season.csv"
        path.write_text("\n".join(lines) + "\n")
        return path

    return _season


def test_draws_for_people(run, season):
    done = run("draws", season(), "--compare")
    assert done.code == 0, done.err
    for words in ("600 games", "Constants", "white_advantage", "Between equals", "by level", "by rating difference", "davidson", "one share for all", "Known from games"):  # fmt: skip
        assert words in done.out, words


def test_draws_json(run, season):
    done = run("draws", season(), "--validate-from", "2007-01-01", "--format", "json")
    found = json.loads(done.out)
    assert set(found) == {
        "summary", "model", "constants", "test", "left_out", "groups", "forms", "input", "skipped", "repaired", "noted",
    }  # fmt: skip
    assert found["test"]["later"] is True
    assert found["test"]["games"] + found["model"]["games"] == 600
    assert set(found["model"]["errors"]) == {"constant", "level", "lead", "level_lead", "white_advantage"}  # fmt: skip
    assert sum(row["games"] for row in found["groups"]) == found["test"]["games"]


def test_draws_csv_and_chart(run, season, tmp_path):
    chart = tmp_path / "draws.png"
    done = run("draws", season(), "--format", "csv", "--chart", chart)
    assert done.out.startswith("level,level_to,difference,difference_to,games,")
    assert chart.read_bytes()[:4] == b"\x89PNG"


def test_a_fitted_model_is_used_by_the_others(run, season, tmp_path):
    file = tmp_path / "model.json"
    assert run("draws", season(), "--terms", "constant", "--model", file).code == 0
    fitted = json.loads(file.read_text())
    one = json.loads(run("expect", 2300, 2250, "--probabilities", "--white", "first", "--draw-model", file, "--format", "json").out)  # fmt: skip
    two = json.loads(run("expect", 2300, 2250, "--probabilities", "--format", "json").out)
    assert one["advantage"] == fitted["white_advantage"]
    assert one["draw"] != two["draw"]
    words = run("match", 2300, 2250, "--games", 6, "--draw-model", file).out
    assert "model.json (rao-kupper, 600 games" in words


def test_expect_probabilities(run):
    done = run("expect", 2700, 2650, "--probabilities", "--white", "first", "--format", "json")
    found = json.loads(done.out)
    assert found["expected"] == pytest.approx(found["win"] + found["draw"] / 2)
    assert found["win"] + found["draw"] + found["loss"] == pytest.approx(1)
    assert found["advantage"] == PUBLISHED.white_advantage
    plain = json.loads(run("expect", 2700, 2650, "--format", "json").out)
    none = json.loads(run("expect", 2700, 2650, "--probabilities", "--format", "json").out)
    assert none["expected"] == pytest.approx(plain["expected"], abs=1e-12)
    second = json.loads(run("expect", 2650, 2700, "--probabilities", "--white", "second", "--format", "json").out)  # fmt: skip
    assert (second["win"], second["loss"]) == pytest.approx((found["loss"], found["win"]))


def test_expect_says_where_the_data_end(run):
    low = run("expect", 1200, 1100, "--probabilities").out
    assert "for 1150 the draws of 1413 are taken" in low
    assert "levels" not in run("expect", 2200, 2100, "--probabilities").out
    far = run("expect", 3000, 1000, "--probabilities", "--curve", "table").out
    assert "win 100.0%, draw 0.0%, loss 0.0%" in far
    assert "only a guess" in far
    assert "used here on the table curve" in far


def test_expect_with_errors(run):
    sure = json.loads(run("expect", 2000, 1800, "--probabilities", "--format", "json").out)
    done = run("expect", 2000, 1800, "--probabilities", "--errors", "80,120", "--format", "json")
    unsure = json.loads(done.out)
    assert 0.5 < unsure["expected"] < sure["expected"]
    assert (unsure["error"], unsure["opponent_error"]) == (80, 120)


def test_match_with_the_model(run):
    arguments = ("match", 2780, 2750, "--games", 12, "--draws", "model", "--curve", "logistic")
    found = json.loads(run(*arguments, "--format", "json").out)
    assert found["parameters"]["white_advantage"] == PUBLISHED.white_advantage
    assert found["parameters"]["draws"]["kind"] == "draw model"
    assert found["draw_rates"][0] < found["draw_rates"][1]  # the favourite has White first
    share = json.loads(run("match", 2780, 2750, "--games", 12, "--draws", "0.6", "--format", "json").out)  # fmt: skip
    assert share["parameters"]["draws"] == 0.6
    assert share["parameters"]["white_advantage"] == 0
    words = run(*arguments, "--white-advantage", 0).out
    assert "the model that comes with arpad" in words


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["expect", "50", "--probabilities"], "expected two ratings"),
        (["expect", "--score", "0.5", "--probabilities"], "expected two ratings"),
        (["expect", "nan", "2000", "--probabilities"], "rating that is a number"),
        (["expect", "1", "2", "--white", "first"], "expected --probabilities"),
        (["expect", "1", "2", "--probabilities", "--white", "me"], "'me' is not one of 'first'"),
        (["expect", "1", "2", "--probabilities", "--white-advantage", "9"], "--white first"),
        (["expect", "1", "2", "--probabilities", "--errors", "3"], "--errors: expected two"),
        (["expect", "1", "2", "--probabilities", "--errors", "3,-3"], "--errors: expected two"),
        (["expect", "1", "2", "--probabilities", "--curve", "ratio"], "ratio curve"),
        (["expect", "1", "2", "--probabilities", "--draw-model", "none.json"], "found nothing"),
        (["expect", "1", "2", "--probabilities", "--draw-model", "."], "cannot be read"),
        (["match", "1", "2", "--games", "3", "--draws", "many"], "--draws: expected a prob"),
        (["match", "1", "2", "--games", "3", "--draws", ".3", "--draw-model", "x"], "choose one"),
        (["match", "nan", "2", "--games", "3", "--draws", "model"], "numbers"),
    ],
)
def test_misuse(run, arguments, words):
    done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert words in done.err


@pytest.mark.parametrize("text", ["", "[1]", '{"kind": "draw model"}', "\x00", '{"constant": 1}'])
def test_files_that_are_no_model(run, write, text):
    done = run("expect", 1, 2, "--probabilities", "--draw-model", write(text, "bad.json"))
    assert done.code == 2
    assert "bad.json: expected a draw model" in done.err


@pytest.mark.parametrize(
    ("kind", "options", "words"),
    [
        ({"draws": False}, [], "some games to be drawn and some not"),
        ({"ratings": False}, [], "none in which both have a rating"),
        ({"number": 60}, [], "expected at least 100 games"),
        ({}, ["--form", "tossing"], "not one of 'rao-kupper'"),
        ({}, ["--terms", "many"], "not one of 'constant'"),
        ({}, ["--fit", "wins"], "not one of 'results'"),
        ({}, ["--curve", "ratio"], "ratio"),
        ({}, ["--white-advantage", "much"], "--white-advantage: expected"),
        ({}, ["--white-advantage", "nan"], "--white-advantage: expected"),
        ({}, ["--validate-from", "soon"], "--validate-from: expected a day"),
        ({}, ["--validate-from", "1990-01-01"], "found none with such a date"),
        ({}, ["--chart", "draws.doc"], ".png or .svg"),
    ],
)
def test_draws_bad_input(run, season, kind, options, words):
    done = run("draws", season(**kind), *options)
    assert (done.code, done.out) == (2, ""), done.out
    assert words in done.err
    assert "Traceback" not in done.err
