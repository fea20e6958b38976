"""`arpad list` from the first policy to a published correction."""

from __future__ import annotations

import csv
import io
import json

import pytest

EVENT = "event,date,round,white,black,result\n"
SEPTEMBER = (
    EVENT
    + 'Autumn,2026-09-12,1,"Adams, Ann","Brown, Bob",1-0\nAutumn,2026-09-12,1,"Clark, Cleo","Davis, Dora",1/2-1/2\n'
    'Autumn,2026-09-13,2,"Brown, Bob","Clark, Cleo",0-1\nAutumn,2026-09-13,2,"Davis, Dora","Adams, Ann",0-1\n'
)
LATE = EVENT + 'Late open,2026-09-20,1,"Adams, Ann","Evans, Eric",0-1\n'


@pytest.fixture
def club(run, write, tmp_path, monkeypatch):
    monkeypatch.setenv("ARPAD_DB", str(tmp_path / "club.db"))
    assert run("import", write(SEPTEMBER, "september.csv")).code == 0
    assert run("list", "policy", "club", "--preset", "club", "--set", "listed.min_games=0").code == 0
    return run


def test_the_story_of_a_list(club, write):
    made = club("list", "make")
    assert made.code == 0, made.err
    assert "2026-10 (club, draft): 4 players" in made.out
    assert club("list", "publish", "--who", "anna").out == "published: 2026-10 (club, published)\n"
    assert club("import", write(LATE, "late.csv")).code == 0
    made = club("list", "make", "2026-11")
    assert "list 2026-10, published: 2 figures would differ now" in made.out
    assert "played in Late open (counts now)" in made.out
    proposed = club("list", "show", "2026-10").out
    assert "proposed: correction 1 of 2026-10 (club, not published); arpad list show" in proposed
    assert "figures:" not in proposed
    done = club("list", "publish").out
    assert done == "published: correction 1 of 2026-10 (club); 2026-11 (club, published)\n"
    shown = club("list", "show", "2026-10", "--correction").out
    assert "played in Late open" in shown
    assert "this is correction 1 of 2026-10 (club)" in shown
    found = json.loads(club("list", "show", "2026-10", "--format", "json").out)
    assert found["corrected"]
    assert len(found["entries"]) == 5
    old = json.loads(club("list", "show", "2026-10", "--as-published", "--format", "json").out)
    assert not old["corrected"]
    assert len(old["entries"]) == 4
    rows = list(csv.DictReader(io.StringIO(club("list", "show", "--format", "csv").out)))
    assert [r["rank"] for r in rows] == ["1", "2", "3", "4", "5"]
    names = json.loads(club("list", "names", "--format", "json").out)["lists"]
    assert [(e["name"], e["state"], e["correction"]) for e in names] == [
        ("2026-10", "published", None),
        ("2026-10", "correction", 1),
        ("2026-11", "published", None),
    ]


def test_what_is_shown_is_what_goes_out(club, write, tmp_path):
    club("list", "make")
    club("list", "publish")
    club("import", write(LATE, "late.csv"))
    club("list", "make", "2026-11")
    club("list", "publish")
    figures = {}
    for face in ((), ("--corrected",), ("--as-published",)):
        shown = json.loads(club("list", "show", "2026-10", *face, "--format", "json").out)
        done = club("list", "export", "2026-10", *face, "-o", tmp_path / "x.csv", "-o", tmp_path / "x.html")  # fmt: skip
        assert done.code == 0, done.err
        words = "as first published, without correction 1" if "--as-published" in face else "with correction 1"  # fmt: skip
        assert f"2026-10 (club, published), {words}\n" in done.err
        assert f"figures: {words}\n" in club("list", "show", "2026-10", *face).out
        assert f"Figures {words}." in (tmp_path / "x.html").read_text(encoding="utf-8")
        rows = csv.DictReader(io.StringIO((tmp_path / "x.csv").read_text(encoding="utf-8")))
        figures[face] = [(r["name"], float(r["rating"])) for r in rows]
        assert figures[face] == [(e["name"], e["rating"]) for e in shown["entries"]]
    assert figures[()] == figures["--corrected",] != figures["--as-published",]


def test_differences(club):
    club("list", "make", "2026-09")
    club("list", "make", "2026-10")
    found = json.loads(club("list", "diff", "2026-09", "2026-10", "--format", "json").out)
    assert {p["because"].split()[0] for p in found["players"]} <= {"Autumn", "through"}
    assert "4 new" in club("list", "diff", "2026-09", "2026-10").out


def test_options_of_show(club):
    club("list", "make")
    assert "Adams, Ann" in club("list", "show", "--player", "adams").out
    assert "Brown" not in club("list", "show", "--player", "adams").out
    assert "… and 3 more" in club("list", "show", "--top", "1").out
    assert "Adams" not in club("list", "show", "--changes").out  # everybody is new
    assert club("list", "make", "--top", "0").out.count("\n") <= 3


def test_policies(club, write):
    assert "version 2" in club("list", "policy", "club", "--set", "options.k=32").out
    again = json.loads(club("list", "policy", "club", "--format", "json").out)
    assert (again["version"], again["policy"]["options"]["k"]) == (2, 32)
    file = write(json.dumps({"name": "other", "system": "glicko2"}), "p.json")
    assert club("list", "policy", "quick", "--file", file, "--set", "time_control=rapid").code == 0
    shown = club("list", "policies").out
    assert "glicko2; every month; rapid" in shown
    assert "to begin with: fide, club, uscf1994, book" in shown


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("make", "--policy", "fide"), "expected a policy, found 'fide'"),
        (("make", "--closing", "soon"), "--closing: expected a day"),
        (("make", "2026-10", "--closing", "2026-10-31"), "closes on 2026-09-30, not on 2026-10-31"),
        (("make", "9999-12"), "no list is called 9999-12"),
        (("make", "--closing", "9999-12-31"), "expected a closing date of club"),
        (("publish",), "expected a draft of club: there is none yet (arpad list make makes a draft)"),
        (("show",), "there is none yet"),
        (("show", "--policy", "x"), "expected a policy, found 'x': there are club"),
        (("diff", "2026-10", "2026-11", "--policy", "x"), "expected a policy, found 'x'"),
        (("policy", "club", "--set", "amendments=3"), "amendments: expected a list"),
        (("show", "2026-10"), "found none called '2026-10'"),
        (("diff", "2026-10", "2026-11"), "found none called '2026-10'"),
        (("policy", "new"), "expected a policy, found 'new'"),
        (("policy", "new", "--set", "options.k=3"), "begin with --preset or --file"),
        (("policy", "club", "--set", "options"), "--set: expected KEY=VALUE"),
        (("policy", "club", "--set", "name.x.y=3"), "is not a place in a policy"),
        (("policy", "club", "--preset", "x"), "'x' is not one of 'fide', 'club', 'uscf1994', 'book'"),
        (("policy", "club", "--file", "nowhere.json"), "cannot be read"),
        (("make", "--db", "nowhere.db"), "there is no ledger here"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(club, arguments, said):
    done = club("list", *arguments)
    assert done.code == 2
    assert said in done.err
    assert done.err.count("\n") == 1


def test_a_list_that_has_no_correction_says_so(club):
    club("list", "make")
    assert "has no correction" in club("list", "show", "--correction").err
    assert "nobody called 'zz'" in club("list", "show", "--player", "zz").err
