from __future__ import annotations

import json

import pytest

FIRST = "player,id,birth,rating\n" + "".join(f"P{i},{i},{1960 + i},{1500 + 40 * i}\n" for i in range(1, 12))
LAST = "player,id,birth,rating\n" + "".join(f"P{i},{i},{1960 + i},{1490 + 41 * i}\n" for i in range(3, 15))
GAMES = "white,black,score,white_rating,black_rating,white_title\n" + "".join(
    f"A{i},B{i % 3},{s},1900,1800,IM\n" for i, s in enumerate((1, 0.5, 0, 1, 1, 0.5, 0, 1, 1, 1, 0, 1))
)
DATES = ["--dates", "2001-07-01,2003-07-01"]


@pytest.fixture
def lists(write):
    return write(FIRST, "one.csv"), write(LAST, "two.csv")


@pytest.mark.parametrize("verb", ["cohort", "shape", "account"])
def test_lists_in_every_format(run, lists, tmp_path, verb):
    chart = tmp_path / "chart.png"
    told = run("monitor", verb, *lists, *DATES, "--chart", chart)
    assert told.code == 0
    assert "one" in told.out
    assert "Last against first" in told.out
    assert chart.read_bytes()[:4] == b"\x89PNG"
    answer = json.loads(run("monitor", verb, *lists, *DATES, "--format", "json").out)
    assert {"parameters", "lists", "rows", "tests", "notes"} <= set(answer)
    assert [each["date"] for each in answer["lists"]] == ["2001-07-01", "2003-07-01"]
    table = run("monitor", verb, *lists, *DATES, "--format", "csv").out.splitlines()
    assert len(table) == len(answer["rows"]) + 1


def test_cohort_by_birth_needs_no_dates(run, lists, tmp_path):
    done = run("monitor", "cohort", *lists, "--born", "1963-1971", "--chart", tmp_path / "c.svg")
    assert done.code == 0
    assert "born 1963–1971: 9 on both" in done.out


def test_account_balances(run, lists):
    (row,) = json.loads(run("monitor", "account", *lists, "--format", "json").out)["rows"]
    assert row["opening"] + row["brought_in"] - row["taken_out"] + row["change"] == pytest.approx(
        row["closing"]
    )


def test_exchange(run, write, tmp_path):
    chart = tmp_path / "chart.png"
    done = run(
        "monitor",
        "exchange",
        write(GAMES),
        "--by",
        "title,rating-band",
        "--rating-cuts",
        "1850",
        "--least",
        1,
        "--chart",
        chart,
    )
    assert done.code == 0
    assert "under 1850" in done.out
    assert chart.exists()
    answer = json.loads(run("monitor", "exchange", write(GAMES), "--by", "title", "--format", "json").out)
    assert answer["games"] == 12
    assert {row["title"] for row in answer["segments"]} == {"IM", "none", "all"}
    assert sum(row["points"] for row in answer["between"]) == pytest.approx(0, abs=1e-9)


def test_deflation(run, write, tmp_path):
    chart = tmp_path / "chart.png"
    told = run("monitor", "deflation", write(GAMES), "--by", "title", "--chart", chart)
    assert told.code == 0
    assert "too low by" in told.out
    assert chart.read_bytes()[:4] == b"\x89PNG"
    options = ("--by", "title", "--floor", 1850, "--ageing", 1)
    answer = json.loads(run("monitor", "deflation", write(GAMES), *options, "--format", "json").out)
    assert answer["games"] == 12
    assert {row["segment"] for row in answer["segments"]} == {"IM", "none"}
    (masters,) = (row for row in answer["segments"] if row["segment"] == "IM")
    assert masters["score"] == pytest.approx(8 / 12)
    assert masters["expected"] == pytest.approx(1 / (1 + 10 ** (-50 / 400)))
    assert masters["as_published"] == pytest.approx(8 / 12 - 1 / (1 + 10 ** (-100 / 400)))
    assert any("are not aged" in note for note in answer["notes"])
    table = run("monitor", "deflation", write(GAMES), "--by", "title", "--format", "csv").out
    assert table.startswith("segment,players,games,score,expected,difference,low,high,points,")
    few = run("monitor", "deflation", write(GAMES), "--by", "title", "--least", 99, "--chart", chart)
    assert few.code == 0
    assert "2 segments of fewer than 99 games" in few.out


def test_a_list_may_know_more(run, write, lists):
    games = (
        "white,black,score,white_id,black_id,white_rating,black_rating,date\n"
        + "P3,P9,1,3,9,1600,1700,2001-08-01\n" * 1
    )
    done = run(
        "monitor",
        "exchange",
        write(games),
        "--by",
        "age",
        "--age-cuts",
        "35",
        "--list",
        lists[0],
        "--least",
        1,
    )
    assert done.code == 0
    assert "under 35" in done.out
    assert "35 and over" in done.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["cohort", "one.csv"], "two rating lists"),
        (["cohort", "one.csv", "two.csv"], "date of every list"),
        (["cohort", "one.csv", "two.csv", "--born", "young"], "1970-1980"),
        (["cohort", "one.csv", "two.csv", "--born", "1990-1999"], "found none"),
        (["shape", "one.csv", "two.csv", "--dates", "2001-07-01"], "2 dates"),
        (["shape", "one.csv", "two.csv", "--dates", "2001,2003"], "YYYY-MM-DD"),
        (["shape", "one.csv", "two.csv", "--floor", "9000"], "found none"),
        (["shape", "one.csv", "two.csv", "--least-games", "30"], "no numbers of games"),
        (["shape", "one.csv", "two.csv", "--step", "0"], "step"),
        (["account", "one.csv", "nowhere.csv"], "nowhere.csv"),
        (["exchange", "games.csv", "--by", "shoe"], "--by"),
        (["exchange", "games.csv", "--age-cuts", "old"], "--age-cuts"),
        (["exchange", "games.csv", "--curve", "ratio"], "ratio"),
        (["exchange", "games.csv", "--k", "fast"], "expected K"),
        (["exchange", "games.csv", "--chart", "x.gif"], ".png or .svg"),
        (["exchange", "bare.csv"], "ratings of both"),
        (["deflation", "bare.csv"], "ratings of both"),
        (["deflation", "games.csv"], "age of some players"),
        (["deflation", "games.csv", "--by", "shoe"], "--by"),
        (["deflation", "games.csv", "--by", "title", "--floor", "nan"], "floor"),
        (["deflation", "games.csv", "--by", "title", "--chart", "x.gif"], ".png or .svg"),
    ],
)
def test_bad_input_is_one_line(run, write, lists, monkeypatch, tmp_path, arguments, words):
    write(GAMES, "games.csv")
    write("white,black,score\nA,B,1\n", "bare.csv")
    monkeypatch.chdir(tmp_path)
    done = run("monitor", *arguments)
    assert done.code == 2
    assert words in done.err
    assert done.err.count("\n") == 1


def test_help_names_the_five(run):
    said = run("monitor", "--help").out
    for verb in ("cohort", "shape", "account", "exchange", "deflation"):
        assert verb in said
