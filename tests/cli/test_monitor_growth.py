"""`arpad monitor growth`, from the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest

YEARS = np.arange(1971, 2012)


@pytest.fixture
def counts(write):
    rows = "\n".join(f"{y},{20_000 / (1 + 40 * np.exp(-0.13 * (y - 1971))):.0f}" for y in YEARS)
    return write(f"Year,Players\n{rows}\n\n", "counts.csv")


def test_a_table_of_counts_gives_the_curve(run, counts, tmp_path):
    chart = tmp_path / "growth.svg"
    ran = run("monitor", "growth", counts, "--until", 2050, "--format", "json", "--chart", chart)
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)
    assert found["n_max"] == pytest.approx(20_000, rel=1e-3)
    assert found["b"] == pytest.approx(0.13, rel=1e-3)
    assert found["until"]["players"] == pytest.approx(20_000, rel=0.01)
    assert len(found["counts"]) == len(YEARS)
    assert "Growth of the number of players" in chart.read_text()
    said = run("monitor", "growth", counts, "--until", 2050).out
    assert "logistic growth towards 20,00" in said
    assert "In 2050 the curve gives" in said


def test_rating_lists_are_counted_above_the_floor(run, write):
    def listed(year):
        strong = round(3000 / (1 + 20 * np.exp(-0.2 * (year - 1980))))
        rows = [f"S{i},2300" for i in range(strong)] + [f"W{i},2100" for i in range(50)]
        return write("player,rating\n" + "\n".join(rows) + "\n", f"l{year}.csv")

    years = range(1980, 2011, 5)
    dates = ",".join(f"{y}-01-01" for y in years)
    files = [listed(y) for y in years]
    ran = run("monitor", "growth", *files, "--dates", dates, "--floor", 2203, "--format", "json")
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)
    assert found["n_max"] == pytest.approx(3000, rel=0.02)
    assert found["counts"][0] == {
        "year": 1980.0, "players": 143.0, "curve": pytest.approx(143, abs=2),
    }  # fmt: skip


def test_bad_input_is_one_sentence(run, write, counts):
    few = write("year,players\n1980,10\n1990,20\n", "few.csv")
    falling = write("year,players\n1980,40\n1981,30\n1982,20\n1983,10\n", "down.csv")
    words = write("year,players\n1980,ten\n", "words.csv")
    for arguments, said in (
        ((few,), "expected counts at 4 times or more, found 2"),
        ((falling,), "the counts do not grow"),
        ((words,), "expected a year and a number of players, found '1980,ten'"),
        ((counts, "--floor", 2203), "found a table of counts"),
        (("nothing.csv",), "nothing.csv"),
    ):
        ran = run("monitor", "growth", *arguments)
        assert (ran.code, ran.out) == (2, "")
        assert said in ran.err
        assert len(ran.err.splitlines()) == 1
    listed = write("player,rating\nAnn,2000\n", "list.csv")
    assert "a date for every list" in run("monitor", "growth", listed).err
