from __future__ import annotations

import json

import numpy as np
import pytest


@pytest.fixture
def pair(write):
    rng = np.random.default_rng(3)
    R = np.round(rng.normal(2300, 120, 200))
    other = np.round(R + 40 + rng.normal(0, 40, 200))
    head = "player,id,birth,total_games,rating\n"
    lines = [f"P{i},{i},{1930 + i % 60},{6 + i % 15}," for i in range(200)]
    return (
        write(head + "".join(f"{a}{r:.0f}\n" for a, r in zip(lines, R, strict=True)), "a.csv"),
        write(head + "".join(f"{a}{r:.0f}\n" for a, r in zip(lines, other, strict=True)), "b.csv"),
    )


def test_two_lists(run, pair, tmp_path):
    chart = tmp_path / "scales.png"
    done = run("scales", *pair, "--chart", chart)
    assert done.code == 0, done.err
    assert "200 by id" in done.out
    assert "200 players, span 0.75" in done.out
    assert chart.read_bytes()[:4] == b"\x89PNG"
    found = json.loads(run("scales", *pair, "--at", "2300,2400", "--format", "json").out)
    assert set(found) == {
        "summary", "on", "parameters", "lists", "counts", "players", "available", "spread", "reach", "table",
    }  # fmt: skip
    for row in found["table"]:
        assert row["low"] < row["rating"] + 40 < row["high"]
        assert row["difference"] == pytest.approx(row["value"] - row["rating"])
    table = run("scales", *pair, "--step", 100, "--format", "csv").out.splitlines()
    assert table[0] == "rating,value,difference,error,low,high,near"
    assert all(float(line.split(",")[0]) % 100 == 0 for line in table[1:])


def test_least_and_least_games(run, pair):
    found = json.loads(run("scales", *pair, "--least", 2200, "--least-games", "10,12", "--format", "json").out)  # fmt: skip
    assert found["reach"]["rating"][0] >= 2200
    assert found["parameters"]["least_games_second"] == 12
    assert found["players"] < 200


def test_age(run, pair, tmp_path):
    day = ("--date", "1999-12-31")
    done = run("scales", pair[0], "--on", "age", *day, "--chart", tmp_path / "age.svg")
    assert done.code == 0, done.err
    found = json.loads(run("scales", pair[0], "--on", "age,games", *day, "--format", "json").out)
    assert {row["games"] for row in found["table"]} == {6}
    ages = [row["age"] for row in found["table"]]
    assert ages == list(range(10, 70))  # read half a year later, where there are data
    one = json.loads(run("scales", pair[0], "--on", "age,games", *day, "--at", 20.5, "--format", "json").out)  # fmt: skip
    assert one["table"][0]["value"] == pytest.approx(found["table"][10]["value"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["a.csv"], "two rating lists"),
        (["a.csv", "b.csv", "a.csv"], "two rating lists"),
        (["a.csv", "b.csv", "--on", "age"], "one rating list"),
        (["a.csv", "b.csv", "--date", "2000-01-01"], "--date"),
        (["a.csv", "--on", "shoe"], "--on"),
        (["a.csv", "--on", "age"], "--date YYYY-MM-DD"),
        (["a.csv", "--on", "age", "--date", "soon"], "--date"),
        (["a.csv", "--on", "age,games", "--date", "1999-12-31", "--at-games", "99"], "nothing is"),
        (["a.csv", "b.csv", "--at", "3000"], "nothing is extrapolated"),
        (["a.csv", "b.csv", "--at", "nan"], "--at"),
        (["a.csv", "b.csv", "--at", "high"], "--at"),
        (["a.csv", "b.csv", "--step", "0"], "--step"),
        (["a.csv", "b.csv", "--step", "5000"], "round ratings"),
        (["a.csv", "b.csv", "--span", "0"], "span"),
        (["a.csv", "b.csv", "--least", "9000"], "on both lists"),
        (["a.csv", "b.csv", "--least", "2550"], "players or more"),
        (["a.csv", "b.csv", "--least-games", "x"], "--least-games"),
        (["a.csv", "b.csv", "--chart", "x.gif"], ".png or .svg"),
        (["a.csv", "empty.csv"], "empty.csv"),
        (["a.csv", "bare.csv"], "found none"),
        (["a.csv", "nowhere.csv"], "nowhere.csv"),
    ],
)
def test_bad_input_is_one_line(run, pair, write, monkeypatch, tmp_path, arguments, words):
    write("", "empty.csv")
    write("player,rating\nA,\n", "bare.csv")
    monkeypatch.chdir(tmp_path)
    done = run("scales", *arguments)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert done.err.count("\n") == 1
