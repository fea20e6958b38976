"""`arpad rate` on an archive, and what a run that is killed leaves behind."""

from __future__ import annotations

import datetime as dt
import json
import os
import signal
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from arpad.rate.archive import rate_archive
from arpad.rate.registry import system
from arpad.read.archive import archive
from tests.read.archives import lay_down

MONTHS = 5


def season():
    rng = np.random.default_rng(1)
    for number in range(MONTHS):
        first = dt.date(2015, number + 1, 1)
        white = rng.integers(0, 9, 40)
        black = (white + rng.integers(1, 9, 40)) % 9
        days = [first + dt.timedelta(days=int(d)) for d in rng.integers(0, 28, 40)]
        score = rng.choice([0.0, 0.5, 1.0], 40)
        names = [pl.Series([f"P{i}" for i in side]) for side in (white, black)]
        yield first, pl.DataFrame({"white": names[0], "black": names[1], "score": score, "date": days})  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("ARPAD_STATE", str(tmp_path / "state"))
    return lay_down(tmp_path / "games", season())


@pytest.mark.parametrize("name", ["elo", "glicko"])
def test_a_folder_is_rated_like_its_files(run, folder, name):
    files = sorted(str(f) for f in folder.rglob("*.parquet"))
    once = json.loads(run("rate", *files, "--system", name, "--own-errors", "--format", "json").out)
    ran = run("rate", str(folder), "--system", name, "--format", "json")
    assert (ran.code, ran.err) == (0, "")
    found = json.loads(ran.out)
    assert found["input"]["rated"] == once["input"]["rated"] == 40 * MONTHS
    assert [m["month"] for m in found["input"]["months"]] == [f"2015-0{n}" for n in range(1, 6)]
    for ours, theirs in zip(found["ratings"], once["ratings"], strict=True):
        assert ours == pytest.approx(theirs)
    streamed = json.loads(run("rate", *files, "--stream", "--no-keep", "--system", name, "--format", "json").out)  # fmt: skip
    assert streamed["ratings"] == found["ratings"]


def test_a_second_run_has_nothing_to_do(run, folder, tmp_path):
    first = run("rate", str(folder))
    assert f"elo: {40 * MONTHS} games, 9 players" in first.out
    again = run("rate", str(folder))
    assert again.out == first.out
    assert again.err == "5 of 5 months were rated before: continued from there\n"
    anew = run("rate", str(folder), "--no-keep", "--top", "3")
    assert anew.err == ""
    assert "… and 6 more" in anew.out
    assert len(list((tmp_path / "state").iterdir())) == 1


def test_lists_as_files(run, folder, tmp_path):
    run("rate", str(folder), "-o", str(tmp_path / "list.parquet"))
    run("rate", str(folder), "-o", str(tmp_path / "list.csv"), "--state", str(tmp_path / "other"))
    whole = pl.read_parquet(tmp_path / "list.parquet")
    assert whole["player"].to_list() == pl.read_csv(tmp_path / "list.csv")["player"].to_list()
    assert (tmp_path / "other").is_dir()
    read = run("rate", str(folder), "-o", str(next(folder.rglob("*.parquet"))))
    assert read.code == 2
    assert "this file was read" in read.err


def test_what_was_not_taken_is_told(run, tmp_path, folder):
    odd = pl.DataFrame({"white": ["P1", "P1"], "black": ["P1", "P2"], "result": ["1-0", "1-0"]})
    lay_down(tmp_path / "odd", [(dt.date(2015, 1, 1), odd)])
    ran = run("rate", str(tmp_path / "odd"), "--no-keep")
    assert ran.err == "skipped: White and Black are the same player (1 games)\n"
    run("rate", str(tmp_path / "odd"), "--no-keep", "--report", str(tmp_path / "report.csv"))
    assert pl.read_csv(tmp_path / "report.csv").rows() == [("skipped", "White and Black are the same player", 1)]  # fmt: skip
    strict = run("rate", str(tmp_path / "odd"), "--no-keep", "--strict")
    assert strict.code == 2
    assert "unless strict" in strict.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["FOLDER", "--bootstrap", "10"], "--bootstrap needs all games at once"),
        (["FOLDER", "--before", "list.csv"], "--before needs all games at once"),
        (["FOLDER", "--chart", "x.png"], "--chart needs all games at once"),
        (["FOLDER", "--system", "whr"], "whr needs all games at once"),
        (["FOLDER", "--period", "year"], "take month or day"),
        (["FOLDER", "--system", "fide"], "nobody here has a rating"),
        (["-", "--stream"], "standard input"),
        (["nothing.csv", "--stream"], "no such file or folder"),
        (["FILE", "--no-keep"], "work only with an archive"),
        (["FILE", "--workers", "2"], "--workers works only with --bootstrap"),
        (["FILE", "--workers", "many"], "a number, ray, ray:N or ray://HOST:PORT"),
    ],
)
def test_what_cannot_be_is_told_in_a_line(run, folder, options, words):
    file = str(next(folder.rglob("*.parquet")))
    ran = run("rate", *(o.replace("FOLDER", str(folder)).replace("FILE", file) for o in options))
    assert ran.code == 2
    assert words in ran.err
    assert ran.err.count("\n") == 1


KILLED = """
import os, signal, sys
from pathlib import Path
from arpad.rate.archive import rate_archive
from arpad.rate import system
from arpad.read.archive import archive
from arpad import files as standing

folder, state, name, where = sys.argv[1:]

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

if where == "writing":
    calls = []
    def fsync(file, sync=os.fsync):
        calls.append(file)
        die() if len(calls) == 2 else sync(file)
    standing.os.fsync = fsync
watch = lambda done, total, month: die() if month == where else None
rate_archive(system(name), archive([folder]), state=Path(state), share=1.0, watch=watch)
"""


@pytest.mark.parametrize(("where", "done"), [("2015-01", 0), ("2015-04", 3), ("writing", 1)])
@pytest.mark.parametrize("name", ["elo", "glicko", "pra"])
def test_a_run_that_is_killed_goes_on(folder, tmp_path, name, where, done):
    state = tmp_path / "kept" / "run.standing"
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, str(folder), str(state), name, where],
        env={**os.environ}, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    made, whole = system(name), archive([folder])
    on = rate_archive(made, whole, state=state)
    assert (on.taken_up, on.note) == (done, "")
    assert on.ratings.rows.equals(rate_archive(made, whole).ratings.rows)
    assert [p.name for p in state.parent.iterdir()] == [state.name]  # nothing half-written is left
