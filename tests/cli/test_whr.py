from __future__ import annotations

import csv
import inspect
import io
import json

import polars as pl
import pytest

from arpad.cli.history import whr
from arpad.publish.charts.ratings import WHOLE_HISTORY_CHART_SILENCE as SILENCE
from arpad.publish.charts.ratings import _line
from arpad.rate.whr.system import Whr
from tests.rate.histories import world

CLUB = """date,white,black,result
2023-01-10,Ann,Bob,1/2
2023-02-07,Cid,Ann,0-1
2023-03-07,Bob,Cid,1-0
2023-05-02,Bob,Dan,1-0
"""


@pytest.fixture
def games(tmp_path):
    made, _ = world(7, players=20, games=900)
    made.frame().select("white", "black", "score", "date").write_csv(tmp_path / "games.csv")
    return tmp_path / "games.csv"


def test_the_list_of_the_last_day(run, games):
    done = run("whr", games, "--top", 5)
    assert done.code == 0, done.err
    assert "5 of 20 players" in done.out
    assert "no rating changed by more than" in done.out


def test_the_usual_constants_are_those_of_the_system():
    options = inspect.signature(whr).parameters
    usual = Whr()
    for name in ("w2", "prior", "given"):
        assert options[name].default == getattr(usual, name)
    for name in ("start", "white_advantage"):
        assert float(options[name].default) == getattr(usual, name)


def test_csv_and_json_say_the_same(run, games):
    rows = list(csv.DictReader(io.StringIO(run("whr", games, "--format", "csv").out)))
    told = json.loads(run("whr", games, "--format", "json", "--player", rows[0]["player"]).out)
    assert told["ratings"][0]["rating"] == pytest.approx(float(rows[0]["rating"]))
    assert set(told["curves"][rows[0]["player"]][0]) == {"date", "rating", "error", "games"}
    assert told["source"]["fit"]["converged"] is True
    assert told["parameters"]["w2"] == 7
    assert told["joined"] == []
    curve = run("whr", games, "--format", "csv", "--player", rows[0]["player"]).out.splitlines()
    assert curve[0] == "player,date,rating,error,games"
    assert len(curve) == 1 + len(told["curves"][rows[0]["player"]])


def test_a_day_in_the_past(run, games):
    early = run("whr", games, "--on", "2001-01-01", "--format", "csv").out
    late = run("whr", games, "--on", "2003-06-01", "--format", "csv").out
    assert early != late
    done = run("whr", games, "--on", "1999-01-01")
    assert done.code == 2
    assert "nobody has played in the 730 days until 1999-01-01" in done.err
    done = run("whr", games, "--on", "1999-01-01", "--within", 0)
    assert "nobody has played until 1999-01-01: the first game is of 2000-01-0" in done.err


def test_white_s_advantage_and_the_start(run, games):
    told = json.loads(run("whr", games, "--white-advantage", "fit", "--start", "mean", "--format", "json").out)  # fmt: skip
    assert abs(told["parameters"]["white_advantage"]) < 60
    assert told["parameters"]["start"] == 1500
    told = json.loads(run("whr", games, "--w2", 50, "--prior", 1, "--start", 1700, "--format", "json").out)  # fmt: skip
    assert (told["parameters"]["w2"], told["parameters"]["prior"]) == (50, 1)
    assert told["parameters"]["start"] == 1700


def test_a_chart(run, games):
    picture = games.parent / "curves.svg"
    done = run("whr", games, "--player", "P3", "--player", "P5", "--chart", picture)
    assert done.code == 0, done.err
    drawn = picture.read_text()
    assert "P3 and P5" in drawn
    assert drawn.count("P5") >= 2
    assert run("whr", games, "--chart", games.parent / "best.png").code == 0
    assert (games.parent / "best.png").stat().st_size > 10_000
    done = run("whr", games, "--chart", games.parent / "x.doc")
    assert done.code == 2
    assert ".png or .svg" in done.err


def test_a_chart_of_months_that_are_counted(run, games):
    """Months from 1 on are days of the first years: there is nothing before them."""
    rows = pl.read_csv(games, schema_overrides={"date": pl.Date}).with_columns(
        pl.col("date").rank("dense").cast(pl.Int64).mod(95).add(1).alias("month")
    )
    path = games.parent / "months.csv"
    rows.select("month", "white", "black", "score").write_csv(path)
    done = run("whr", path, "--player", "P3", "--chart", games.parent / "months.png")
    assert done.code == 0, done.err
    assert (games.parent / "months.png").stat().st_size > 10_000


def test_lines_are_thin_in_long_silences():
    days = [0, 100, 100 + SILENCE + 1, 100 + SILENCE + 50]
    dates = pl.Series([*days[:2], 500, *days[2:]], dtype=pl.Int32).cast(pl.Date)
    curve = pl.DataFrame({"date": dates, "rating": [1.0] * 5, "error": [1.0] * 5, "games": [1, 1, 0, 1, 1]})  # fmt: skip
    assert _line("Ann", curve)["piece"].to_list() == [0, 0, -1, 1, 1]


def test_few_games_are_listed_all_the_same(run, write):
    club = write(CLUB, "club.csv")
    done = run("whr", club)
    assert done.code == 0
    assert "nobody has an error of 100 points or less (--most-error): all are listed" in done.err
    assert "Bob" in done.out
    one = run("whr", club, "--player", "Ann")
    assert one.err == ""
    assert "2023-02-07" in one.out


def test_names_that_are_one_person(run, write):
    rows = "1990-01-01,Kasparov Gary,Karpov,1-0\n" * 3
    text = "date,white,black,result\n" + rows + '1995-01-01,"Kasparov,G",Karpov,1-0\n'
    file = write(text.replace("Kasparov Gary", '"Kasparov, Gary"'), "g.csv")
    apart = json.loads(run("whr", file, "--format", "json").out)
    joined = json.loads(run("whr", file, "--format", "json", "--join").out)
    assert (apart["source"]["players"], joined["source"]["players"]) == (3, 2)
    assert joined["joined"][0]["name"] in ("Kasparov, Gary", "Kasparov,G")
    told = write('name,person\nKarpov,"Kasparov,G"\n', "names.csv")
    # Those two met: a game against oneself does not count.
    mine = json.loads(run("whr", file, "--format", "json", "--names", told).out)
    assert mine["source"]["games"] == 3


def test_a_surname_means_its_most_active_bearer(run, write):
    rows = "".join(f'2001-01-{d:02},"Fischer, Robert","Spassky, Boris",1-0\n' for d in range(1, 22))  # fmt: skip
    text = "date,white,black,result\n" + rows + '2001-02-01,Fischer,"Spassky, Boris",0-1\n'
    file = write(text, "g.csv")
    done = run("whr", file, "--player", "Fischer", "--format", "csv")
    assert "Fischer is taken for Fischer, Robert, with 21 games to 1" in done.err
    assert done.out.splitlines()[1].startswith('"Fischer, Robert"')
    done = run("whr", file, "--player", "spassky", "--format", "csv")
    assert "spassky is taken for Spassky, Boris, with 22 games" in done.err


def test_an_earlier_list(run, write, games):
    listed = write("player,rating,error\nP3,2400,20\n", "list.csv")
    told = json.loads(run("whr", games, "--before", listed, "--format", "json", "--player", "P3").out)  # fmt: skip
    assert told["curves"]["P3"][0]["rating"] > 2200


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--player", "Nobody"), "--player: expected somebody who has played a game here"),
        (("--w2", 0), "expected w2 from"),
        (("--prior", 0), "expected prior above 0"),
        (("--start", "high"), "--start: expected points or mean, found 'high'"),
        (("--start", "nan"), "expected start within"),
        (("--white-advantage", "some"), "--white-advantage: expected points or fit"),
        (("--on", "soon"), "expected a day such as"),
        (("--names", "missing.csv"), "missing.csv"),
        (("--before", "missing.csv"), "missing.csv"),
    ],
)
def test_bad_input_has_one_clear_line(run, games, arguments, said):
    done = run("whr", games, *arguments)
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err
    assert len(done.err.strip().splitlines()) == 1


def test_games_without_a_date(run, write):
    done = run("whr", write("white,black,result\nA,B,1-0\nB,A,1-0\n"))
    assert done.code == 2
    assert "a rating curve needs games with dates, and found none" in done.err


def test_a_list_by_arpad_rate(run, games):
    done = run("rate", games, "--system", "whr", "--option", "w2=10", "--format", "json")
    told = json.loads(done.out)
    assert told["parameters"]["w2"] == 10
    assert told["ratings"][0]["error"] > 0
