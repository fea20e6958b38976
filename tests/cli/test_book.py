"""The figures of Elo's book on the command line, against the printed ones."""

from __future__ import annotations

import json

import pytest

from tests.conftest import GOLDEN


@pytest.fixture
def rows(run):
    """Return the rows of a verb of the book."""
    return lambda *arguments: json.loads(run("book", *arguments, "--format", "json").out)["rows"]


def test_2_55(rows):
    (row,) = rows("reliability", "15")
    printed = {"sigma_score": 1.94, "probable_error_score": 1.31, "confidence": 0.83}
    assert {k: row[k] for k in printed} == pytest.approx(printed, abs=0.006)
    assert round(row["sigma_rating"], 1) == 73.0
    assert len(rows("reliability")) == 16
    assert rows("reliability", "20", "--expected", "0.625")[0]["probable_error_score"] == pytest.approx(
        1.46, abs=0.005
    )


def test_3_35_the_brazilian_championship_from_its_totals(rows, golden):
    ours = {r["player"]: r for r in rows("round-robin", str(GOLDEN / "elo_3_35.csv"))}
    for row in golden("elo_3_35.csv"):
        mine = ours[row["player"]]
        assert mine["performance"] == float(row["R_p"])
        assert (mine["rating"] is None) == (row["rating"] == "U")
        assert mine["games"] == 18


def test_totals_with_other_headings(rows, write, run):
    path = write("name,points,rating\nAnn,3,1800\nBo,2,\nCy,1,1700\nDi,0,\n", "totals.csv")
    assert [r["games"] for r in rows("round-robin", str(path))] == [3, 3, 3, 3]
    path = write("who,what\nAnn,3\n", "bad.csv")
    assert "expected the columns player and score" in run("book", "round-robin", str(path)).err


def test_2_42_2_45_and_2_49(rows, run):
    (row,) = rows(
        "performance", "--average", "2534", "--score", "10.5", "--players", "16", "--rating", "2635"
    )
    assert row["performance"] == 2674
    wijk = ("--average", "2534", "--score", "10.5", "--players", "16", "--small-sample")
    # (71): D_a = 149 · 15/16 = 139.7, F of fifteen games between .95 at 100 and .90 at 150 [8.85].
    assert rows("performance", *wijk)[0]["performance"] == 2534 + 127
    assert row["expected"] == pytest.approx(9.74, abs=0.005)
    assert (
        rows("performance", "--average", "2680", "--score", "12.5", "--games", "24")[0]["performance"] == 2687
    )
    assert "--players" in run("book", "performance", "--average", "1", "--score", "1").err


def test_1_67_unrated_players(rows, write):
    text = "white,black,score,white_rating,black_rating\nAnn,Bo,1,1800,\nAnn,Cy,0.5,1800,\nBo,Cy,0.5,,\nDi,Bo,0.5,1700,\nDi,Cy,0,1700,\n"
    found = {r["player"]: r for r in rows("unrated", str(write(text, "open.csv")))}
    assert set(found) == {"Bo", "Cy"}
    # ½ of 2 against 1800 and 1700: 1750 − 193; 1½ of 2: 1750 + 193
    assert (found["Bo"]["first"], found["Cy"]["first"]) == (1557, 1943)


def test_8_25_and_8_28(rows, golden):
    assert [
        r["new rating"]
        for r in rows("new-rating", "1800", "--performance", "1950", "--games", "9", "--old-games", "36")
    ] == [1837.5, 1850.0]
    for row in golden("elo_8_28_k.csv"):
        if int(row["N"]) < 30:  # with as many new games as old ones there is no limit
            (mine,) = rows("k", row["N"], "--old-games", "30")
            assert mine["K by (36)"] == pytest.approx(float(row["K"]), abs=0.6)
    (mine,) = rows("k", "9", "--old-games", "25")
    assert (mine["K"], mine["σ_p"], mine["R_p − R_o below"], mine["ΔR below"]) == (32, 94, 220, 79)


def test_3_64_and_3_75(rows):
    (row,) = rows("exceptional", "7.5", "4.5", "9")
    assert row["exceptional"]
    assert (row["z"], row["feedback"]) == (2.0, 5.0)
    assert row["needed"] == pytest.approx(2.47, abs=0.005)


def test_8_71_8_73_and_8_74(rows, run, tmp_path):
    two, seven = rows("scales", "2000", "2700")
    assert (round(two["ratio"], -2), round(seven["ratio"], -4)) == (316_200, 17_780_000)
    assert rows("scales", "316228", "--from", "ratio")[0]["interval"] == pytest.approx(2000, abs=0.01)
    (row,) = rows("curves", "400")
    picture = tmp_path / "curves.svg"
    assert run("book", "curves", "--base", "2.512", "--chart", str(picture)).code == 0
    assert all(
        name in picture.read_text("utf-8") for name in ("normal", "linear", "logistic to 2.512", "dP/dD")
    )
    assert (round(row["normal"], 3), round(row["logistic"], 3), row["games"]) == (0.921, 0.909, 1853)
    (row,) = rows("curves", "200", "--sigmas", "100,300", "--base", "2.718281828459045")
    assert row["normal 100/300"] == pytest.approx(0.7365, abs=5e-5)
    assert row["logistic to 2.71828"] == pytest.approx(0.7311, abs=5e-5)
    assert "two spreads" in run("book", "curves", "--sigmas", "1").err


def test_4_32_to_4_42(rows, run):
    two = ["--norm", "IM 1984-05-01 13", "--norm", "IM 1985-08-01 11", "--rating", "1986-01-01 2390 60"]
    assert rows("award", *two) == [
        {
            "title": "IM",
            "on": "1986-01-01",
            "reason": "2 results with 24 games within 5 years, and a rating of 2390",
        }
    ]
    assert rows("award", "--direct", "men's zonal=1985-03-01")[0]["title"] == "IM"
    assert "No title" in run("book", "award", *two[:2]).out
    assert "IM 1984-05-01 13" in run("book", "award", "--norm", "IM").err
    assert rows("title-odds", "GM", "2500", "--events", "4")[0]["4 a year"] == pytest.approx(0.44, abs=0.005)
    (row,) = rows("list-for", "1986-05-31", "--received", "1986-06-10")
    assert (row["rated from"], row["enters"]) == ("January 1986", "July 1986")
    chart = rows("points-chart", "--players", "16")
    assert (chart[0]["foreign"], chart[0]["rated"], chart[0]["titled"]) == (6, 13, 8)


def test_4_55_an_event_of_1986(rows, run, write):
    people = {"Ann": 2400, "Bo": 2350, "Cy": 2300, "Di": ""}
    names = list(people)
    lines = ["white,black,score,white_rating,black_rating"]
    for i, one in enumerate(names):
        lines += [
            f"{one},{two},{0.5 if two == 'Di' else 1},{people[one]},{people[two]}" for two in names[i + 1 :]
        ]
    path = str(write("\n".join(lines), "event.csv"))
    found = {r["player"]: r for r in rows("fide-event", path)}
    # 2½ of 3 (.83): D_p 273, of which ¾ round to 205, above the mean of 2400, 2350, 2300 and 2200 or R_a by (7)
    assert found["Ann"]["score"] == 2.5
    average = json.loads(run("book", "fide-event", path, "--format", "json").out)["average"]
    assert found["Ann"]["performance"] == average + 205
    assert "rateable" in run("book", "fide-event", path).out


def test_7_39_and_5_67(rows, run):
    masters, titled = rows(
        "above", "2300", "2450", "--table", str(GOLDEN / "elo_7_38.csv"), "--counts", "established"
    )
    assert masters["counted"] == 366
    assert masters["percent"] == pytest.approx(1.26, abs=0.005)
    # 92 were counted on the list; the printed intervals, spread evenly, make 102.5
    assert titled["counted"] == pytest.approx(102.5)
    assert run("book", "above", "2300", "--mean", "1600").code == 2
    assert rows("above", "2200", "--players", "1000", "--mean", "1600", "--sd", "300")[0][
        "normal"
    ] == pytest.approx(22.8, abs=0.05)
    ages = {r["age"]: r["rating"] for r in rows("age", "2445", "21")}
    assert (ages[21], ages[36]) == (2445, 2565)
    assert "expected an age" in run("book", "age", "2000", "5").err


def test_4_71_7_13_and_the_table_of_exhibitions(rows, run, write, golden):
    assert rows("titleholders")[0]["awarded"] == 55
    assert len(rows("titleholders", "--list")) == 1250
    assert len(rows("demography", "--groups")) == 5
    ours = {r["rating"]: r for r in rows("exhibition")}
    for row in golden("pra_simultaneous.csv"):
        assert round(ours[float(row["rating"])][f"{row['games']} games"], 2) == float(row["g_score"])
    people = write("player,rating,federation,title\nAnn,2400,NOR,IM\nBo,2000,SWE,\n", "list.csv")
    table = write("federation,population\nNOR,5\n", "population.csv")
    done = run("book", "demography", people, "--population", table)
    assert "SWE" in done.out
    assert run("book", "demography", people).code == 2
    assert run("book", "demography", people, "--population", write("a,b\n1,2\n", "odd.csv")).code == 2


def test_6_22_and_6_34_pictures(run, tmp_path):
    ideal, own = tmp_path / "ideal.svg", tmp_path / "own.svg"
    assert run("book", "age", "--chart", str(ideal)).code == 0
    assert "international master" in ideal.read_text("utf-8")
    assert run("book", "age", "2120", "15.5", "--chart", str(own)).code == 0
    assert "late achievers" in own.read_text("utf-8")


def test_6_34_ideal_curves(rows):
    curves = {r["age"]: r for r in rows("age")}
    assert curves[36]["grandmaster"] == 2500
    assert curves[36]["grandmaster"] - curves[21]["grandmaster"] == 120
    assert curves[18]["national master"] == 2200 - 120 - 95


def test_2_43_2_48_and_8_96(rows, run):
    (row,) = rows("new-rating", "2635", "--score", "10.5", "--opponents", "2527x15")
    assert (row["expected"], row["new rating"]) == (9.75, 2642.5)
    assert "--score" in run("book", "new-rating", "2635").err
    done = run("book", "round-robin", str(GOLDEN / "elo_2_48.csv"), "--players", "20", "--format", "json")
    found = json.loads(done.out)
    assert found["average"] == 2144
    assert [r["D_p"] for r in found["rows"]] == [230, 95, -21]
    (row,) = rows("goodness", "18,24,30,28", "25,25,25,25", "--fitted", "1")
    assert (row["degrees"], row["degrees fitted"]) == (3, 2)
    assert row["χ²"] == pytest.approx(3.36)
    (row,) = rows("goodness", ".0765,.1605", ".0530,.1375", "--cumulative", "1857")
    assert (row["difference"], row["interval"]) == (pytest.approx(0.0235), 1)
