"""`arpad analyse --export`: the evaluations in a file of one's own."""

from __future__ import annotations

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from arpad.moves.evaluated_games import read_evaluated

GAMES = """[Event "A"]
[White "Byrne, D"]
[Black "Fischer, R"]
[Result "0-1"]
[ECO "D92"]

{A brilliancy} 1. Nf3 {[%clk 1:30:00]} Nf6 2. c4 g6 0-1

[Event "B"]
[White "Fool"]
[Black "Mate"]
[Result "0-1"]

1. f3 {[%eval 0.1]} e5 2. g4 {[%eval #-1]} Qh4# 0-1
"""


@pytest.fixture
def analyse(run, write, tmp_path, fake):
    path = write(GAMES, "games.pgn")
    engine = fake("good").path

    def _analyse(*arguments):
        return run("analyse", path, "--engine", engine, "--store", tmp_path / "kept", *arguments)

    return _analyse


def test_the_same_evaluations_in_every_format(analyse, tmp_path):
    tables = []
    for ending in ("pgn", "csv", "parquet"):
        out = tmp_path / f"out.{ending}"
        ran = analyse("--export", out)
        assert ran.code == 0
        assert f"{out}: 2 games, 10 of 10 positions evaluated." in ran.err
        tables.append(read_evaluated(out).table)
    assert_frame_equal(tables[0], tables[1])
    assert_frame_equal(tables[0], tables[2])
    last = tables[0].row(-1, named=True)
    assert (last["san"], last["mate"], last["over"], last["best"]) == ("Qh4#", 0, "mate", None)
    assert tables[0]["clock"].to_list()[1] == 5400.0
    text = (tmp_path / "out.pgn").read_text()
    assert "A brilliancy}" in text
    assert '[ECO "D92"]' in text
    assert "depth 13" in text.split('[Annotator "')[1]


def test_evaluations_of_the_file(analyse, tmp_path):
    out = tmp_path / "out.csv"
    assert analyse("--use-evals", "--export", out).code == 0
    table = pl.read_csv(out)
    assert table.filter(pl.col("san") == "f3")["cp"].to_list() == [10]
    assert table.filter(pl.col("san") == "g4")["mate"].to_list() == [-1]
    assert "evaluations of the file first" in table["source"][0]


@pytest.mark.parametrize(("name", "words"), [
    ("out.xlsx", "ends in .pgn, .csv, .parquet"),
    ("none/out.pgn", "is not there: make it first"),
    ("games.pgn", "this file was read: give another name"),
])  # fmt: skip
def test_a_bad_name_is_said_before_the_work(analyse, tmp_path, name, words):
    ran = analyse("--export", tmp_path / name)
    assert ran.code == 2
    assert words in ran.err
    assert not (tmp_path / "kept").exists()
