from __future__ import annotations

import csv
import io
import json

import pytest

CROSSTABLE = """pair,points,pre,pre_prov_games,post,post_prov_games,r1,r2,r3,r4,colours,name
1,3.5,1750,,,,W2,W3,W4,D5,WWWW,Ann
2,0,1800,,,,L1,U,U,U,B---,Bob
3,0,1900,,,,U,L1,U,U,-B--,Cal
4,0,2000,,,,U,U,L1,U,--B-,Dan
5,0.5,2100,,,,U,U,U,D1,---B,Eve
"""


def test_norms_of_a_crosstable(run, write):
    file = write(CROSSTABLE, "quad.csv")
    done = run("norms", file, "--rules", "uscf1994")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[1].split() == ["player", "points", "games", *map(str, range(2000, 200, -200))]
    assert lines[3].split() == ["Ann", "3.5", "4", "1", "3", "4", *["T"] * 6]
    assert "five norms of a level make its title" in done.out
    one = run("norms", file, "--rules", "uscf1994", "--player", "Ann", "--title", "Senior Master")
    assert one.code == 1
    assert "Senior Master   more than 4.29: 3.674 + Δ .612" in one.out
    made = run("norms", file, "--rules", "uscf1994", "--player", "ann", "--title", "2100")
    assert made.code == 0
    assert "2100-title   more than 3.36: 2.749 + Δ .612      3.5   1" in made.out
    short = run("norms", file, "--rules", "uscf1994", "--player", "Bob")
    assert "games against rated players: 1, needed at least 4 [2.3 rule 1]" in short.out
    everything = run("norms", file, "--rules", "uscf1994", "--player", "Ann", "--all")
    assert "Life Senior Master" in everything.out


def test_norms_for_programs(run, write):
    file = write(CROSSTABLE, "quad.csv")
    found = json.loads(run("norms", file, "--rules", "uscf1994", "--format", "json").out)
    assert found["parameters"]["coefficients"] == [0.306, 0.727, 1.03, 1.277, 1.491]
    ann = {v["title"]: v for v in found["verdicts"] if v["player"] == "Ann"}
    assert ann["Category II"]["norms_at_once"] == 4
    assert ann["Category II"]["passed"] is True
    assert ann["Master"]["points_needed"] == 4.0
    rows = list(csv.DictReader(io.StringIO(run("norms", file, "--rules", "uscf1994", "--format", "csv").out)))  # fmt: skip
    norms = {r["title"]: r["norms"] for r in rows if r["player"] == "Ann"}
    assert (norms["Expert"], norms["Master"]) == ("1", "0")


def test_namesakes_have_a_row_each(run, write):
    lines = CROSSTABLE.splitlines()
    two = [*lines, "6,3.5,1750,,,,W7,W8,W9,D10,WWWW,Ann"]
    for at, (rating, cells, colours) in enumerate([(1800, "L6,U,U,U", "B---"), (1900, "U,L6,U,U", "-B--"), (2000, "U,U,L6,U", "--B-"), (2100, "U,U,U,D6", "---B")], start=7):  # fmt: skip
        two.append(f"{at},{0.5 if at == 10 else 0},{rating},,,,{cells},{colours},Name {at}")
    done = run("norms", write("\n".join(two), "two.csv"), "--rules", "uscf1994")
    assert done.out.count("\nAnn ") == 2


def test_nobody_made_a_norm_and_bad_questions(run, write):
    lost = CROSSTABLE.replace("W2,W3,W4,D5", "L2,L3,L4,L5").replace("L1", "W1").replace("D1,", "W1,")  # fmt: skip
    file = write(lost, "lost.csv")
    done = run("norms", file, "--rules", "uscf1994")
    assert done.out.startswith("Nobody made a norm (uscf1994).")
    for arguments, words in (
        (["--title", "GM"], "expected a title, one of Advanced Senior Master"),
        (["--event-kind", "team"], "leave --event-kind out"),
        (["--player", "Ann", "--next-opponents", "2000"], "give no outlook"),
    ):
        bad = run("norms", file, "--rules", "uscf1994", *arguments)
        assert bad.code == 2
        assert words in bad.err
        assert bad.err.count("\n") == 1


DATED = """white,black,score,date,event,white_rating,black_rating
Ann,Bob,1,1994-05-01,Spring,1900,2000
Ann,Cal,1,1994-05-01,Spring,1900,2000
Ann,Dan,1,1994-05-01,Spring,1900,2000
Ann,Eve,0.5,1994-05-01,Spring,1900,2000
Bob,Ann,0,1994-03-01,Winter,2000,1900
Cal,Ann,0,1994-03-01,Winter,2000,1900
Dan,Ann,0,1994-03-01,Winter,2000,1900
Eve,Ann,0.5,1994-03-01,Winter,2000,1900
"""


def test_titles_over_time(run, write):
    file = write(DATED, "year.csv")
    done = run("uscf", "titles", file)
    assert done.code == 0
    assert "Ann           2   Category I" in done.out
    assert "Ann: 4 of 5 Expert" in done.out.splitlines()  # whole, however many titles there are
    one = run("uscf", "titles", file, "--player", "ann")
    assert "Ann: 2 events: Category I; norms: 4 of 5 Expert." in one.out
    # .961 + 2.060 < 3.5 < .961 + 2.554: three norms at 1800, twice
    spring = next(x for x in one.out.splitlines() if "Spring" in x and "1800" in x)
    assert spring.split() == ["1994-05-01", "Spring", "1800", "3", "6", "Category", "I"]
    found = json.loads(run("uscf", "titles", file, "--format", "json").out)
    ann = next(p for p in found["players"] if p["player"] == "Ann")
    assert ann["card"] == "Category I"
    assert ann["titles"][-1] == {"title": "Category I", "level": 1800, "on": "1994-05-01", "event": "Spring", "norms": 6}  # fmt: skip
    assert ann["norms"] == [{"title": "Expert", "level": 2000, "norms": 4, "needed": 5}]
    hard = json.loads(run("uscf", "titles", file, "--norm-chance", "10", "--exact", "--format", "json").out)  # fmt: skip
    assert hard["parameters"]["P"] == 10
    assert hard["players"][0]["card"] != "Category I"
    bob = run("uscf", "titles", file, "--player", "Bob")
    assert "No norm was made." in bob.out


def test_an_event_reported_twice(run, write):
    file = write(CROSSTABLE, "quad.csv")
    done = run("uscf", "titles", file, file)
    assert done.code == 2
    assert "found it twice" in done.err
    assert done.err.count("\n") == 1


def test_odds(run):
    done = run("uscf", "odds", "2000", "1900", "--opponents", "2000x4", "--model", "normal", "--single")  # fmt: skip
    assert "1900 in 4 games: 11.1% for a norm (Expert)" in done.out
    assert "0.3% for Expert within 10 events of 4 games" in done.out
    found = json.loads(run("uscf", "odds", "life master", "2200", "--opponents", "2200x4", "--events", "74", "--model", "normal", "--single", "--format", "json").out)  # fmt: skip
    assert found["title"] == "Life Master"
    assert found["expected_events"] == pytest.approx(74, abs=0.01)
    assert len(found["by_event"]) == 74
    assert found["norm"] == pytest.approx(0.2703, abs=1e-4)
    rows = run("uscf", "odds", "Master", "2150", "--opponents", "2200x4", "--events", "3", "--format", "csv")  # fmt: skip
    assert rows.out.splitlines()[0] == "events,probability"
    assert len(rows.out.splitlines()) == 4


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["GM", "2000", "--opponents", "2000x4"], "expected a title"),
        (["Master", "2000", "--opponents", "many"], "--opponents: expected ratings"),
        (["Master", "2000", "--opponents", "2000x4", "--draws", "2"], "share of draws"),
        (["Master", "2000", "--opponents", "2000x4", "--events", "0"], "events"),
        (["Master", "2000", "--opponents", "2000x4", "--norms", "7"], "norms so far"),
        (["Master", "2000", "--opponents", "2000x4", "--norm-chance", "0"], "expected P"),
        (["Master", "2000", "--opponents", "2000x4", "--model", "other"], "is not one of 'exact', 'normal'"),
        (["Master", "nan", "--opponents", "2000x4"], "expected ratings"),
    ],
)
def test_bad_odds(run, arguments, words):
    done = run("uscf", "odds", *arguments)
    assert done.code == 2
    assert words in done.err
    assert done.err.count("\n") == 1


@pytest.mark.data
def test_the_real_crosstable(run, data):
    """Player 3 scored 6 of 7; by hand from the opponents' ratings in the file."""
    file = data / "uscf" / "crosstable_anon.csv"
    found = json.loads(run("norms", file, "--rules", "uscf1994", "--format", "json").out)
    third = {v["title"]: v for v in found["verdicts"] if v["player"] == "Player 3"}
    opponents = [1641, 955, 1745, 1563, 1712, 1666, 1663]  # 8, 61, 25, 21, 11, 13, 12
    for title, level, worth in (("Category I", 1800, 1), ("Category II", 1600, 2), ("Category III", 1400, 5)):  # fmt: skip
        E = sum(1 / (1 + 10 ** ((r - level) / 400)) for r in opponents)
        assert f"{E:.3f} + Δ .810" in third[title]["requirements"][1]["needed"]
        limits = [E + c * 7**0.5 for c in (0.306, 0.727, 1.030, 1.277, 1.491)]
        assert sum(limit < 6 for limit in limits) == worth == third[title]["norms_at_once"]
    assert not third["Expert"]["passed"]
    # a forfeit is no game, and neither is a bye
    assert {v["games"] for v in found["verdicts"] if v["player"] == "Player 41"} == {4}
    assert {v["games"] for v in found["verdicts"] if v["player"] == "Player 62"} == {1}
    titles = run("uscf", "titles", file)
    assert titles.code == 0
    assert "Player 3: 1 of 5 Category I, 2 of 5 Category II" in titles.out  # fmt: skip
