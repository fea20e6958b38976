from __future__ import annotations

import csv
import io
import json

import polars as pl
import pytest

from arpad.publish.charts.ratings import places
from tests.pool.lives import world

OPTIONS = ("--fewest-players", 8, "--fewest-games", 5)


@pytest.fixture
def games(tmp_path):
    made, births, _ = world(7, people=30, games=60)
    frame = made.frame().select("white", "black", "score", "date")
    frame.write_csv(tmp_path / "games.csv")
    with (tmp_path / "births.csv").open("w") as out:
        out.write("name,birth\n" + "".join(f"{n},{int(b)}-05-01\n" for n, b in births.items()))
    return tmp_path / "games.csv"


def test_the_table(run, games):
    done = run("history", games, *OPTIONS, "--top", 5, "--births", games.parent / "births.csv", "--ages")
    assert done.code == 0, done.err
    assert "1900–19" in done.out
    assert "Points above age 21" in done.out
    assert "births known: 30" in done.out


def test_csv_and_json_say_the_same(run, games):
    rows = list(csv.DictReader(io.StringIO(run("history", games, *OPTIONS, "--format", "csv").out)))
    told = json.loads(
        run(
            "history", games, *OPTIONS, "--format", "json", "--players", rows[0]["player"], "--year", 1920
        ).out
    )
    assert told["best"][0]["rating"] == pytest.approx(float(rows[0]["rating"]))
    assert {"year", "rating", "error", "games"} == set(told["lives"][rows[0]["player"]][0])
    assert told["years"][0]["year"] == 1920
    assert told["parameters"]["ageing"] == "peak"
    assert all(p["level_error"] >= 0 for p in told["periods"])


def test_a_year(run, games):
    done = run("history", games, *OPTIONS, "--year", 1920, "--top", 3, "--format", "csv")
    assert len(done.out.splitlines()) == 4


def test_a_chart(run, games):
    picture = games.parent / "lives.svg"
    done = run(
        "history",
        games,
        *OPTIONS,
        "--players",
        "Player 10;Player 12;Player 14",
        "--chart",
        picture,
        "--step",
        1,
    )
    assert done.code == 0, done.err
    drawn = picture.read_text()
    assert drawn.count("Player 1") >= 3
    assert run("history", games, *OPTIONS, "--chart", games.parent / "x.doc").code == 2


def test_names_at_line_ends_do_not_cover_each_other():
    years = list(range(1900, 1921))
    frame = pl.concat(
        pl.DataFrame(
            {"player": f"Somebody {i}", "year": years, "rating": [2500.0 + i] * len(years), "piece": 0}
        )
        for i in range(9)
    )
    found = places(frame, (1897.0, 1923.0), (2400.0, 2600.0))
    boxes = found.select("at", "place").rows()
    for i, (x, y) in enumerate(boxes):
        for u, v in boxes[:i]:
            assert abs(y - v) * 440 / 200 >= 14.9 or abs(x - u) * 860 / 26 >= 10 * 6.6


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--players", "Nobody"), "Nobody"),
        (("--year", 1700), "expected a year from 1900"),
        (("--anchor", "Player 10"), "NAME=RATING"),
        (("--anchor", "Nobody=2500"), "anchor"),
        (("--anchor", "missing.csv"), "missing.csv"),
        (("--anchor-years", "1985-1971"), "FIRST-LAST"),
        (("--ageing", "never"), "not one of 'peak', 'plateau', 'curve', 'none'"),
        (("--step", 9), "step"),
        (("--births", "missing.csv"), "missing.csv"),
        (("--leave-out", "("), "regular expression"),
        (("--fewest-players", 500), "ask for fewer"),
    ],
)
def test_bad_input_has_one_clear_line(run, games, arguments, said):
    done = run("history", games, *OPTIONS, *arguments)
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err
    assert len(done.err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("player,birth\nA,1900\n", "columns name and birth"),
        ("name,birth\nA,unknown\n", "a number for 'A'"),
        ("name,birth\nA,1900\nA,1901\n", "each name once"),
        ("name,birth\n", "found none"),
        ("", "found nothing"),
        (b"\xff\xfe\x00", "columns name and birth"),
    ],
)
def test_bad_births(run, games, write, text, said):
    done = run("history", games, *OPTIONS, "--births", write(text, "b.csv"))
    assert done.code == 2
    assert said in done.err


def test_games_without_a_date(run, write):
    done = run("history", write("white,black,result\nA,B,1-0\nB,A,1-0\n"))
    assert done.code == 2
    assert "expected games with a year, found none in 2 games" in done.err


def test_the_book_s_births_and_names_are_there(run, games):
    assert run("history", games, *OPTIONS, "--masters").code == 0


def test_a_crosstable_of_a_half_decade(run, games):
    told = json.loads(
        run("history", games, *OPTIONS, "--crosstable", 1920, "--top", 4, "--format", "json").out
    )
    rows = told["rows"]
    assert len(rows) == 4
    for i, one in enumerate(rows, 1):
        assert one[str(i)] == "—"
        for j, other in enumerate(rows, 1):
            if i != j and one[str(j)] is not None:
                (won, n), (lost, m) = one[str(j)].split("/"), other[str(i)].split("/")
                assert float(won) + float(lost) == float(n) == float(m)


def test_matches_are_predicted(run, games, write):
    best = json.loads(run("history", games, *OPTIONS, "--format", "json", "--top", 2).out)["best"]
    a, b = (row["player"] for row in best)
    path = write(
        f"year,player,opponent,N,W,D\n1920-22,{a},{b},20,11,0\n1700,{a},{b},9,5,\n1920,Nobody,{b},9,5,\n",
        "m.csv",
    )
    told = json.loads(run("history", games, *OPTIONS, "--matches", path, "--format", "json").out)
    (row,) = told["matches"]
    assert (row["N"], row["W"], row["given"]) == (20, 11, 10)
    assert told["rms"] == pytest.approx(abs(11 - row["W_e"]))
    assert told["rms_given"] == 1
    assert len(told["missing"]) == 2
    assert run("history", games, *OPTIONS, "--matches", path, "--crosstable", 1920).code == 2
    assert run("history", games, *OPTIONS, "--matches", write("year,players\nx,a-b\n", "bad.csv")).code == 2


def test_one_life_has_its_dots_and_circles(run, games):
    picture = games.parent / "one.svg"
    name = json.loads(run("history", games, *OPTIONS, "--format", "json", "--top", 1).out)["best"][0][
        "player"
    ]
    assert run("history", games, *OPTIONS, "--players", f"{name};{name}", "--chart", picture).code == 0
    assert "Dots" in picture.read_text("utf-8")
