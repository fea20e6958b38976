from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.read.samples import PGN, PRA, TRF


def test_expect_json_as_documented(run):
    done = run("expect", "82", "--curve", "pra", "--format", "json")
    assert done.out == '{"curve": "pra", "difference": 82.0, "expected": 0.5326699670775861}\n'
    assert done.code == 0


def test_the_package_is_a_command_too():
    done = subprocess.run(
        [sys.executable, "-m", "arpad", "expect", "0", "--format", "csv"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines()[-1].endswith("0.5")


def test_expect_the_other_way(run):
    done = run("expect", "--score", "0.70", "--curve", "table", "--format", "json")
    assert json.loads(done.out) == {"curve": "table", "score": 0.7, "difference": 149}


@pytest.mark.parametrize(("arguments", "words"), [
    (["200"], "expected score 0.7597"),
    (["-200"], "-200 points: expected score 0.2403"),
    (["2600", "2400", "--curve", "normal"], "+200 points: expected score 0.7602"),
    (["2", "--curve", "ratio"], "ratio of 2: expected score 0.6667"),
    (["--score", "1"], "no finite difference"),
    (["--", "-0"], "0 points: expected score 0.5000"),
    (["100", "--class-interval", "100"], "0.7597"),
])  # fmt: skip
def test_expect_for_people(run, arguments, words):
    assert words in run("expect", *arguments).out


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["1", "2", "3"],
        ["82", "--score", "0.5"],
        ["82", "--curve", "bell"],
        ["abc"],
        ["--score", "2"],
        ["82", "--format", "xml"],
    ],
)
def test_expect_misused(run, arguments):
    done = run("expect", *arguments)
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("arpad: ")
    assert done.err.count("\n") == 1


def test_expect_csv_and_file(run, tmp_path):
    target = tmp_path / "e.csv"
    assert run("expect", "0", "--format", "csv", "-o", target).code == 0
    assert target.read_text() == "curve,difference,expected\nlogistic,0.0,0.5\n"


def test_rate_json_is_complete(run, write):
    path = write(PRA, "event.pra")
    done = run("rate", path, "--system", "elo", "--k", "10", "--format", "json")
    found = json.loads(done.out)
    assert list(found) == ["system", "parameters", "input", "skipped", "repaired", "noted", "ratings"]
    assert found["system"] == "elo"
    assert found["parameters"]["k"] == "10"
    assert found["input"]["games"] == 12
    assert found["input"]["rated"] == 12
    assert found["input"]["files"] == [{"file": str(path), "format": "pra"}]
    assert [list(r)[:2] for r in found["ratings"]] == [["rank", "player"]] * 4
    assert {"rank", "player", "rating", "games"} <= set(found["ratings"][0])
    # With one K for all, what one wins another loses.
    assert sum(r["rating"] for r in found["ratings"]) == pytest.approx(2687 + 2607 + 2499 + 2707)


def test_rate_for_people(run, write):
    done = run("rate", write(TRF, "event.trf"), "--system", "fide")
    assert "Alpha, Anton" in done.out
    assert "fide: 3 games, 5 players; not rated: 1 forfeit, 2 bye" in done.out
    assert done.err == ""


def test_rate_csv_and_top(run, write):
    done = run("rate", write(PRA, "e.pra"), "--format", "csv", "--top", "2")
    assert done.out.splitlines()[0].startswith("rank,player,rating")
    assert len(done.out.splitlines()) == 3


def test_rate_from_a_list(run, write):
    before = write("player,rating,games\nPolgar,2500,100\n", "before.csv")
    done = run("rate", write(PRA, "e.pra"), "--before", before, "--k", "0", "--format", "json")
    ratings = {r["player"]: r["rating"] for r in json.loads(done.out)["ratings"]}
    assert ratings["Polgar"] == 2500


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_rate_draws_a_chart(run, write, tmp_path, ending):
    target = tmp_path / f"c.{ending}"
    assert run("rate", write(PRA, "e.pra"), "--chart", target).code == 0
    start = target.read_bytes()[:8]
    assert start.startswith(b"\x89PNG" if ending == "png" else b"<svg")


def test_strict_and_report(run, write, tmp_path):
    path = write(PRA.replace("4 3 1.0", "4 4 1.0"), "e.pra")
    done = run("rate", path)
    assert done.code == 0
    assert f"{path}:11: skipped: player 4 against himself" in done.err
    strict = run("rate", path, "--strict")
    assert strict.code == 2
    assert strict.err.startswith(f"arpad: {path}:11: player 4 against himself")
    report = tmp_path / "report.csv"
    quiet = run("rate", path, "--report", report)
    assert quiet.err.endswith(": 1 skipped\n")
    assert report.read_text().splitlines()[1].startswith(f"{path},11,skipped,player 4")


@pytest.mark.parametrize("target", ["x.csv", "x.parquet", "x.pgn", "x.pra", "x.trf"])
def test_convert(run, write, tmp_path, target):
    path = write(TRF, "event.trf")
    done = run("convert", path, tmp_path / target)
    assert done.code == 0, done.err
    again = run("rate", tmp_path / target, "--system", "elo", "--format", "json")
    ratings = {r["player"]: r["rating"] for r in json.loads(again.out)["ratings"]}
    direct = {
        r["player"]: r["rating"] for r in json.loads(run("rate", path, "--format", "json").out)["ratings"]
    }
    assert ratings == pytest.approx(direct)


def test_convert_says_what_is_lost(run, write, tmp_path):
    done = run("convert", write(TRF, "event.trf"), tmp_path / "x.pgn")
    assert "2 byes: PGN has games only" in done.err


def test_formats(run):
    assert "FIDE tournament report" in run("formats").out
    assert {f["format"] for f in json.loads(run("formats", "--format", "json").out)["formats"]} >= {
        "pgn",
        "trf",
    }


def test_demo(run, tmp_path):
    done = run("demo", tmp_path / "d")
    assert done.code == 0
    assert "Frankfurt Chess Classics 1997" in done.out
    assert (tmp_path / "d" / "ratings.png").read_bytes().startswith(b"\x89PNG")
    page = (tmp_path / "d" / "report.html").read_text(encoding="utf-8")
    assert "Anand" in page
    assert "<script" not in page
    for line in done.out.splitlines():
        if line.startswith("  arpad "):
            assert run(*line.split()[1:]).code == 0, line


@pytest.mark.stockfish
def test_version_names_the_engine(run, stockfish):
    done = run("--version")
    assert done.out.splitlines()[0].startswith("arpad ")
    assert "engine: Stockfish" in done.out


def test_version_without_an_engine(run, monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("arpad.moves.engine.FOLDERS", ())
    assert "no engine found" in run("--version").out


def test_version_with_an_engine_that_says_nothing(run, monkeypatch, tmp_path):
    fake = tmp_path / "stockfish"
    fake.write_text("#!/bin/sh\ncat > /dev/null\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr("arpad.cli.main.START", 0.3)
    assert "does not work" in run("--version").out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shell_completion(shell):
    script = os.path.join(os.path.dirname(sys.executable), "arpad")  # noqa: PTH118, PTH120
    env = {
        **os.environ,
        "_ARPAD_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": "arpad ra",
        "COMP_CWORD": "1",
        "_TYPER_COMPLETE_ARGS": "arpad ra",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    done = subprocess.run([script], env=env, capture_output=True, text=True, check=False)
    assert "rate" in done.stdout


def test_unknown_commands(run):
    done = run("rat")
    assert done.code == 2
    assert "No such command 'rat'" in done.err


def test_debug_shows_the_traceback():
    done = subprocess.run(
        [sys.executable, "-m", "arpad.cli.main", "--debug", "rate", "nowhere.pgn"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" in done.stderr


@pytest.mark.data
def test_real_trf_and_ten_event_pgns(run, data):
    opens = [
        data / "trf" / f"{n}.trf"
        for n in ("sklangen__example1", "py4swiss__javafo_example", "sklangen__2020_06", "sklangen__2021_03")
    ]
    events = sorted((data / "paper_events" / "pgn").glob("*.pgn"))[::15][:10]
    assert len(events) == 10
    for path in opens + events:
        done = run("rate", path, "--format", "json")
        assert done.code == 0, done.err
        found = json.loads(done.out)
        assert found["ratings"]
        assert found["input"]["rated"] > 0


@pytest.mark.data
def test_the_large_file(run, data, tmp_path):
    path = data / "twic_results" / "results_2010_2016_fideid.parquet"
    done = run("rate", path, "--system", "elo", "--format", "json", "-o", tmp_path / "r.json")
    assert done.code == 0
    found = json.loads((tmp_path / "r.json").read_text())
    counts = found["input"]
    assert counts["games"] == 748_444
    assert counts["games"] == counts["skipped"] + counts["rated"] + sum(counts["not_rated"].values())
    assert len(found["skipped"]) == counts["skipped"]
    assert found["ratings"][0]["player"] == "Carlsen,M"
    assert PGN
