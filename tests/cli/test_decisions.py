"""Decisions, titles and exports on the command line, on both databases."""

from __future__ import annotations

import csv
import io
import json

import pytest

SPRING = """event,date,round,white,black,result,white_rating,black_rating
Spring Open,2026-03-01,1,"Ahmed, Anna","O'Neil [b], Bob",1-0,1900,1800
Spring Open,2026-03-01,1,Cy,Di,1/2-1/2,1750,1700
Spring Open,2026-03-02,2,"Ahmed, Anna",Cy,1-0,1900,1750
Spring Open,2026-03-02,2,"O'Neil [b], Bob",Di,0-1,1800,1700
"""
AUTUMN = """event,date,round,white,black,result,white_rating,black_rating
Autumn Open,2026-10-04,1,"[/] Ahmad, Ann",Cy,1-0,1900,1750
Autumn Open,2026-10-04,1,Di,"O'Neil [b], Bob",1-0,1700,1800
"""


@pytest.fixture
def club(run, write, place, monkeypatch):
    monkeypatch.setenv("ARPAD_DB", place)
    for name, text in (("spring.csv", SPRING), ("autumn.csv", AUTUMN)):
        done = run("import", write(text, name))
        assert done.code == 0, done.err
    return run


def test_a_game_is_corrected_logged_and_undone(club):
    done = club("ledger", "correct", "spring", "--game", 1, "--result", "1/2", "--why", "the sheet")
    assert done.code == 0, done.err
    assert "Ahmed, Anna – O'Neil [b], Bob 1-0 → ½-½: the sheet" in done.out
    shown = club("ledger", "show", "Spring Open").out
    assert "½-½" in shown.splitlines()[3]
    assert "decision 1." in shown
    assert "1. Spring Open, game 1" in club("log").out
    undone = club("log", "undo", 1, "--why", "it was right", "--who", "Berta")
    assert "undo of 1" in undone.out
    log = json.loads(club("log", "--format", "json").out)
    assert [d["undone_by"] for d in log["decisions"]] == [2, None]
    assert log["decisions"][1]["who"] == "Berta"
    assert log["decisions"][0]["before"][0]["values"] == {"black_score": 0.0, "score": 1.0}
    again = club("log", "undo", 1, "--why", "x")
    assert again.code == 2
    assert "undone already" in again.err


def test_players_are_merged_and_shown(club):
    done = club("player", "merge", "ahmad", "ahmed", "--why", "one person")
    assert done.code == 0, done.err
    shown = club("player", "show", "fide:1")
    assert shown.code == 2
    assert "nobody called" in shown.err
    shown = club("player", "show", "Ahmad")
    assert "Ahmed, Anna (#1)" in shown.out
    assert "also written [/] Ahmad, Ann" in shown.out
    assert "Autumn Open" in shown.out
    card = json.loads(club("player", "show", "#1", "--format", "json").out)
    assert [e["name"] for e in card["events"]] == ["Spring Open", "Autumn Open"]
    assert card["merged"][0]["name"] == "[/] Ahmad, Ann"
    number = card["merged"][0]["id"]
    assert "expected the #number" in club("player", "unmerge", "Ahmad", "--why", "x").err
    assert club("player", "unmerge", f"#{number}", "--why", "two").code == 0
    log = club("log", "--about", "ahmed").out
    assert "is Ahmed" in log
    assert "is not Ahmed" in log
    refused = club("player", "merge", "Cy", "Di", "--why", "x")
    assert refused.code == 2
    assert "paired with each other" in refused.err


def test_players_are_corrected(club):
    done = club(
        "player", "correct", "Di", "--name", "Diaz, Dido", "--birth", "1990-05-01",
        "--id", "fide:99", "--why", "passport",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "Diaz, Dido" in club("player", "show", "fide:99").out
    assert "scheme:value" in club("player", "correct", "Di", "--id", "99", "--why", "x").err
    assert "nothing changes" in club("player", "correct", "Diaz", "--why", "x").err
    assert "YYYY" in club("player", "correct", "Diaz", "--birth", "5.1.90", "--why", "x").err


def test_events_are_excluded_and_included(club):
    assert club("ledger", "exclude", "autumn", "--why", "not rated").code == 0
    rows = list(csv.DictReader(io.StringIO(club("ledger", "events", "--format", "csv").out)))
    assert [(r["name"], r["counts"]) for r in rows] == [
        ("Spring Open", "true"), ("Autumn Open", "false"),
    ]  # fmt: skip
    assert "does not count" in club("ledger", "show", "2").out
    assert club("ledger", "include", "2", "--why", "rated after all").code == 0
    assert club("ledger", "exclude", "1", "--game", 1, "--why", "x").code == 0
    wrong = club("ledger", "exclude", "2", "--game", 1, "--why", "x")
    assert wrong.code == 2
    assert "none of Autumn Open" in wrong.err
    assert club("ledger", "include", "1", "--game", 1, "--why", "x").code == 0
    assert "no event is called" in club("ledger", "events", "zzz").out


def test_options_that_do_not_go_together(club):
    assert "--game" in club("ledger", "correct", "1", "--result", "1-0", "--why", "x").err
    mixed = club("ledger", "correct", "1", "--game", 1, "--time-control", "rapid", "--why", "x")
    assert "--time-control is the event's" in mixed.err
    assert "YYYY-MM-DD" in club("ledger", "correct", "1", "--end", "May", "--why", "x").err
    assert "reason" in club("ledger", "exclude", "1", "--why", " ").err
    assert "--why" in club("ledger", "exclude", "1").err
    assert "expected a result" in club("ledger", "correct", "1", "--game", 1, "--result", "2", "--why", "x").err  # fmt: skip
    assert club("ledger", "correct", "1", "--time-control", "rapid", "--why", "x").code == 0


def test_numbers_that_no_row_has(club):
    for number in (0, 99, 10**10, 10**30):
        assert f"none with the number {number}" in club("ledger", "exclude", "1", "--game", number, "--why", "x").err  # fmt: skip
        assert "number of a decision" in club("log", "undo", number, "--why", "x").err
        assert "a number of the queue" in club("queue", "settle", number, "--choose", "new", "--why", "x").err  # fmt: skip
        assert club("log", "--about", f"player {number}").out == "no such decision\n"


def test_a_rating_by_hand_enters_the_list(club, tmp_path):
    assert club("list", "policy", "club", "--preset", "club").code == 0
    done = club(
        "player", "rating", "ahmed", 2000, "--on", "2026-10-01", "--why", "champion",
        "--policy", "club",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert club("list", "make", "--policy", "club").code == 0
    out = tmp_path / "list.csv"
    done = club("list", "export", "--all", "-o", out, "-o", tmp_path / "list.txt")
    assert done.code == 0, done.err
    text = io.StringIO(out.read_text(encoding="utf-8"))
    rows = {r["name"]: r for r in csv.DictReader(text)}
    assert float(rows["Ahmed, Anna"]["rating"]) == 2000
    assert "Ahmed, Anna" in (tmp_path / "list.txt").read_text(encoding="utf-8")
    assert "ledger's number" in done.err
    assert "expected a policy" in club("player", "rating", "Cy", 1, "--on", "2026-01-01", "--policy", "x", "--why", "y").err  # fmt: skip
    assert "KEY=VALUE" in club("player", "rating", "Cy", 1, "--on", "2026-01-01", "--set", "k", "--why", "y").err  # fmt: skip


@pytest.mark.parametrize("ending", ["csv", "xlsx", "txt", "xml", "html"])
def test_a_list_goes_out_the_same_every_time(club, tmp_path, ending):
    club("list", "policy", "club", "--preset", "club")
    club("list", "make")
    for name in ("a", "b"):
        done = club("list", "export", "--all", "-o", tmp_path / f"{name}.{ending}")
        assert done.code == 0, done.err
    assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()


def test_exports_that_cannot_be(club, tmp_path):
    assert "there is no policy yet" in club("list", "export", "-o", "x.csv").err
    club("list", "policy", "club", "--preset", "club")
    assert "there is none yet" in club("list", "export", "-o", "x.csv").err
    club("list", "make")
    assert "ends in .csv" in club("list", "export", "-o", "x.doc").err
    assert "not there" in club("list", "export", "-o", tmp_path / "no" / "x.csv").err
    done = club("list", "export", "--as", "html", "-o", tmp_path / "x.doc")
    assert "rated but not listed (--all)" in done.err


def test_titles_on_the_command_line(club):
    assert "nobody has a norm" in club("titles").out
    done = club("titles", "--player", "ahmed", "--format", "json")
    document = json.loads(done.out)
    assert [t["title"] for t in document["titles"]] == ["GM", "IM", "FM", "CM"]
    assert document["titles"][0]["missing"][0] == "a rating of 2500 (best 1900)"
    assert club("titles", "--record", "--rules", "uscf").code == 0
    assert club("titles", "--policy", "x").code == 2


LEWIS = """Isle_of_Lewis_1995
4
Chessmetrics
2687 Polgar
2607 Agdestein
2499 Motwani
2707 Short
2807
3 2 0.5 1 4 1.0  2 4 1.0 3 1 0.0  1 2 0.5 4 3 1.0  2 3 0.0 4 1 0.0  2 1 0.5 3 4 0.0  1 3 1.0 4 2 0.0
-1 -1 -1.0
"""


def test_the_queue_is_checked_and_settled(club, write):
    assert json.loads(club("queue", "check", "--format", "json").out) == {"opened": []}
    assert club("import", write(LEWIS, "lewis.pra"), "--date", "1995-06-01").code == 0
    opened = json.loads(club("queue", "check", "--format", "json").out)["opened"]
    assert [(d["kind"], d["event"]) for d in opened] == [("fit", 3)]
    assert "do not fit" in club("queue").out
    done = club("queue", "settle", 1, "--choose", "adjust", "--why", "too high")
    assert "Short 2707 → 2595" in done.out, done.err
    assert "nothing waits" in club("queue").out
    assert "repaired already" in club("ledger", "repair", "3", "--how", "adjust", "--why", "x").err
    assert club("log", "undo", 1, "--why", "x").code == 0
    assert "do not fit" in club("queue").out
    assert club("ledger", "repair", "3", "--how", "adjust", "--set", "Short=2600", "--why", "x").code == 0
    assert "NAME=RATING" in club("ledger", "repair", "3", "--how", "adjust", "--set", "x", "--why", "x").err  # fmt: skip
    assert "'fit', 'norm'" in club("queue", "check", "--kind", "x").err


@pytest.mark.postgresql
def test_lists_are_the_same_on_both_databases(run, write, tmp_path, cluster, monkeypatch):
    """Byte-identical files from SQLite and from PostgreSQL."""
    url = cluster.lend()
    made = {}
    for place in (str(tmp_path / "club.db"), url):
        monkeypatch.setenv("ARPAD_DB", place)
        for name, text in (("spring.csv", SPRING), ("autumn.csv", AUTUMN)):
            run("import", write(text, name))
        run("player", "merge", "ahmad", "ahmed", "--why", "one person")
        run("list", "policy", "club", "--preset", "club")
        run("list", "make")
        files = [tmp_path / f"list.{e}" for e in ("csv", "xlsx", "txt", "xml", "html")]
        done = run("list", "export", "--all", *(x for f in files for x in ("-o", f)))
        assert done.code == 0, done.err
        made[place] = [f.read_bytes() for f in files]
    cluster.take_back(url)
    one, other = made.values()
    assert one == other
