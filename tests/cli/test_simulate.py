"""arpad simulate: what it prints, and what it says of bad input."""

from __future__ import annotations

import json

import polars as pl
import pytest

SMALL = ("simulate", "--players", 40, "--rounds", 25)


def document(done):
    assert done.code == 0, done.err
    return json.loads(done.out)


def test_the_texts_simulation(run):
    found = document(run(
        "simulate", "--system", "pra", "--players", 15000, "--rounds", 340, "--seed", 1, "--format", "json"
    ))  # fmt: skip
    out = found["out_of_spec"]
    assert len(out) == 341
    assert out[0] == pytest.approx(11_083, abs=4 * 54)
    assert out[-1] == pytest.approx(475, abs=4 * 25)
    assert found["seed"] == 1
    assert found["settings"]["world"] == "pra"
    assert found["players"] == [15_000] * 341
    (pra,) = found["systems"]
    assert pra["out_of_spec"] == out
    assert pra["runs"] == [
        {"seed": 1, "first": out[0], "last": out[-1], "mean_error": pra["mean_error"][-1], "rms_error": pra["rms_error"][-1]}
    ]  # fmt: skip
    assert pra["rms_error"][-1] < 60 < 250 < pra["rms_error"][0]


def test_several_systems_and_runs(run):
    found = document(run(*SMALL, "--system", "elo:k=10,curve=normal", "--system", "pra", "--runs", 3, "--format", "json"))  # fmt: skip
    elo, pra = found["systems"]
    assert (elo["system"], elo["label"]) == ("elo", "elo:k=10,curve=normal")
    assert elo["parameters"]["curve"] == "normal"
    assert found["out_of_spec"] == elo["out_of_spec"] != pra["out_of_spec"]
    assert [r["seed"] for r in pra["runs"]] == [1, 2, 3]
    assert pra["out_of_spec"][-1] == pytest.approx(sum(r["last"] for r in pra["runs"]) / 3)
    assert len(pra["out_of_spec_spread"]) == 26


def test_tables_for_people(run):
    done = run(*SMALL, "--until", "--copies", 2, "--player", 2200, "--runs", 2)
    assert done.code == 0
    assert done.err == ""
    for words in (
        "Out of spec: pra",
        "Games until in spec, by true rating",
        "Rating of a player whose true rating is 2200",
        "40 players (standard), 25 rounds, start mean, world pra, pairing random, seed 1, 2 runs",
        "within 100 points",
    ):
        assert words in done.out
    lines = done.out.splitlines()
    assert any(line.split()[:3] == ["1500", "4", "0"] for line in lines)  # 2 copies in 2 runs


def test_rows_for_programs(run, tmp_path):
    out = tmp_path / "x.csv"
    assert run(*SMALL, "-o", out).code == 0
    rounds = pl.read_csv(out)
    assert rounds["round"].to_list() == list(range(26))
    assert rounds.columns == ["system", "round", "players", "out_of_spec", "spread", "share", "mean_error", "rms_error"]  # fmt: skip
    assert run(*SMALL, "--until", "--columns", "1400,1600", "-o", out).code == 0
    assert pl.read_csv(out)["true"].to_list() == [1400.0, 1600.0]
    assert run(*SMALL, "--player", 2000, "--player", 900, "-o", out).code == 0
    assert pl.read_csv(out).group_by("player").len()["len"].to_list() == [26, 26]


@pytest.mark.parametrize(
    "options", [(), ("--until",), ("--player", 2200), ("--player", 2200, "--player", 800), ("--runs", 2, "--system", "elo", "--system", "pra")]
)  # fmt: skip
def test_charts(run, tmp_path, options):
    path = tmp_path / "chart.svg"
    assert run(*SMALL, *options, "--chart", path).code == 0
    assert "<svg" in path.read_text()


def test_worlds_pairings_and_turnover(run):
    found = document(run(
        *SMALL, "--world", "logistic", "--draws", "--drift", 3, "--enter", 1, "--leave", 0.5, "--pairing", "swiss",
        "--event-rounds", 5, "--field", 20, "--tolerance", 200, "--system", "glicko2", "--period", 5, "--format", "json",
    ))  # fmt: skip
    settings = found["settings"]
    assert "world logistic (with draws, drift 3 a round, enter 1 a round, leave 0.5 a round), pairing swiss" in found["summary"]  # fmt: skip
    assert settings["draws"]["form"] == "rao-kupper"
    assert (settings["event_rounds"], settings["field"], settings["tolerance"]) == (5, 20, 200)
    assert found["players"][-1] == 40 + 24 - 12


def test_a_file_of_true_ratings(run, write):
    path = write("true,start\n" + "".join(f"{1400 + i},{1500 + i}\n" for i in range(30)), "field.csv")
    found = document(run("simulate", "--population", path, "--rounds", 3, "--format", "json"))
    assert found["settings"]["players"] == 30
    assert found["settings"]["start"] == "given"
    assert found["out_of_spec"][0] == 30  # exactly 100 points off is out of spec
    again = document(run("simulate", "--population", path, "--rounds", 3, "--start", "mean", "--format", "json"))  # fmt: skip
    assert again["out_of_spec"][0] == 0
    starts = write("\n".join(["1414.5"] * 30), "starts.txt")
    own = document(run("simulate", "--population", path, "--rounds", 0, "--start", starts, "--format", "json"))  # fmt: skip
    assert own["out_of_spec"] == [0]


def test_calibration(run, tmp_path):
    chart = tmp_path / "c.svg"
    found = document(run(
        "simulate", "--players", 100, "--rounds", 60, "--calibrate", "k,omega", "--budget", 12, "--objective", "area",
        "--chart", chart, "--format", "json",
    ))  # fmt: skip
    assert [c["constant"] for c in found["constants"]] == ["k", "omega"]
    assert [c["author"] for c in found["constants"]] == [9.0, 0.15]
    assert found["objective"]["name"] == "area"
    assert found["objective"]["gain"] == pytest.approx(found["objective"]["author"] - found["objective"]["found"])  # fmt: skip
    assert 10 <= len(found["candidates"]) <= 12
    assert "author&#39;s" in chart.read_text() or "author's" in chart.read_text()
    done = run("simulate", "--players", 60, "--rounds", 40, "--calibrate", "all", "--budget", 10)
    assert "Constants of PRA for the world pra" in done.out
    assert "author's values, on 10 new seasons" in done.out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--players", 2), "expected 3 players or more, found 2"),
        (("--rounds", -1), "expected 0 rounds or more, found -1"),
        (("--population", "martian"), "expected a population: standard, elite"),
        (("--population", "nowhere.csv"), "nowhere.csv"),
        (("--tolerance", 0), "tolerance above 0"),
        (("--tolerance", "nan"), "tolerance above 0"),
        (("--world", "flat"), "expected a world"),
        (("--pairing", "arena"), "not one of 'random', 'strength', 'swiss'"),
        (("--pairing", "random", "--field", 9), "work only with --pairing swiss"),
        (("--pairing", "random", "--spread", 9), "has nothing called spread"),
        (("--system", "ello"), "expected a rating system"),
        (("--system", "elo:speed=1"), "no option 'speed'"),
        (("--system", "elo", "--system", "elo"), "named twice"),
        (("--start", "sideways"), "expected a start"),
        (("--start", "one"), "--player 2200"),
        (("--start", "given"), "no column start"),
        (("--until", "--columns", "9:x:1"), "FIRST:LAST:STEP"),
        (("--until", "--columns", "1:9:0"), "FIRST:LAST:STEP"),
        (("--calibrate", "speed"), "expected constants to calibrate"),
        (("--calibrate", "k", "--system", "elo"), "leave out other systems"),
        (("--calibrate", "k", "--budget", 1), "budget of 10"),
        (("--calibrate", "k", "--budget", 0), "budget of 10"),
        (("--player", "nan"), "expected true ratings of players to watch"),
        (("--until", "--columns", "nan,3"), "expected true ratings of players to watch"),
        (("--by", 50), "belong to the starts high, low and one"),
        (("--copies", 4), "--copies works only with --until"),
        (("--budget", 50), "work only with --calibrate"),
        (("--objective", "end"), "work only with --calibrate"),
        (("--calibrate", "k", "--until"), "do not go together"),
        (("--system", "pra:corrected=Ann"), "simulated players have no names"),
        (("--leave", 5), "nobody would be left"),
        (("--runs", 0), "1 run or more"),
        (("--period", 0), "period of 1 round"),
        (("--draw-model", "nowhere.json"), "expected a draw model, found nothing there"),
        (("--chart", "x.gif"), "end in .png or .svg"),
        (("--players", 10**12), "GiB of memory"),
    ],
)
def test_bad_input_has_one_sentence(run, options, words):
    done = run("simulate", "--players", 40, "--rounds", 25, *options)
    assert done.code == 2
    assert words in done.err
    assert done.err.count("\n") == 1
    assert done.out == ""


def test_a_file_with_something_else(run, write):
    path = write("1500\n16oo\n1700\n", "field.txt")
    done = run("simulate", "--population", path)
    assert done.code == 2
    assert f"{path}:2: expected a number, found '16oo'" in done.err
    few = run("simulate", "--population", write("1500\n1600\n", "two.txt"))
    assert "expected 3 players or more, found 2" in few.err


def test_slow_systems_are_said_to_be(run, monkeypatch):
    from arpad.cli import lab as simulate

    monkeypatch.setattr(simulate, "SLOW", 100)
    done = run("simulate", "--players", 20, "--rounds", 20, "--system", "ccla", "--system", "pra")
    assert done.err.startswith("ccla: rated by a list after every round")


def test_ctrl_c_ends_cleanly(run, monkeypatch, tmp_path):
    """In the middle of a run: no traceback, no half a file."""
    from arpad.lab import season as rated

    def interrupted(self, round_):
        raise KeyboardInterrupt

    monkeypatch.setattr(rated._RatedElo, "play", interrupted)
    out = tmp_path / "x.json"
    done = run(*SMALL, "--system", "elo", "-o", out)
    assert done.code == 130
    assert done.out == ""
    assert "Traceback" not in done.err
    assert not out.exists()
