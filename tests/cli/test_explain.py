"""`arpad explain` over files and over a ledger."""

from __future__ import annotations

import csv
import io
import json

import pytest

CLUB = """event,date,round,white,black,result,white_rating,black_rating
Spring Open,2026-03-06,1,"Adams, Ann","Brown, Bob",1-0,1650,1720
Spring Open,2026-03-13,2,"Clark, Cay","Adams, Ann",1/2-1/2,1500,1650
Summer Cup,2026-06-05,1,"Adams, Ann","Clark, Cay",0-1,1650,1500
Summer Cup,2026-06-06,2,"Brown, Bob","[b]Fox[/b], Fay",1-0,1720,
Summer Cup,2026-06-07,3,"[b]Fox[/b], Fay","Adams, Ann",0-1,,1650
"""


@pytest.fixture
def games(write):
    return write(CLUB, "club.csv")


@pytest.fixture
def ledger_file(run, games, tmp_path):
    """A ledger with two policies and a list of each."""
    place = tmp_path / "club.db"
    assert run("import", games, "--db", place).code == 0
    for name in ("club", "fide"):
        assert run("list", "policy", name, "--preset", name, "--db", place).code == 0
        assert run("list", "make", "--policy", name, "--db", place).code == 0
    return place


def test_files_are_explained(run, games):
    done = run("explain", "adams", games, "--system", "fide")
    assert (done.code, done.err) == (0, "")
    assert "Spring Open, 2 games" in done.out
    assert "K 20: never 2400 on a list [8.3.3]; table [8.1.2]; list of 2026-03" in done.out
    assert "○ Brown, Bob" in done.out
    assert "[b]Fox[/b], Fay" in done.out
    assert "the opponent is unrated: not counted [8.2, 8.3.1]" in done.out
    assert "Adams, Ann: 4 games, all changes together 1644 (fide," in done.out


def test_json_and_csv_have_every_step(run, games):
    document = json.loads(run("explain", "Adams", games, "--format", "json").out)
    assert document["adds_up"] is True
    assert document["start"] + sum(s["change"] for s in document["steps"]) == pytest.approx(
        document["rating"]
    )
    assert [e["event"] for e in document["events"]] == ["Spring Open", "Summer Cup"]
    for step in document["steps"][1:]:
        assert step["change"] == pytest.approx(step["k"] * (step["score"] - step["expected"]))
    assert document["system"] == "elo"
    rows = list(csv.DictReader(io.StringIO(run("explain", "Adams", games, "--format", "csv").out)))
    assert [row["opponent"] for row in rows[1:]] == [s["opponent"] for s in document["steps"][1:]]


def test_one_event_or_the_later_ones(run, games):
    some = json.loads(run("explain", "Adams", games, "--event", "summer", "--format", "json").out)
    assert len(some["steps"]) == 2
    assert some["adds_up"] is None
    late = json.loads(run("explain", "Adams", games, "--since", "2026-06-01", "--format", "json").out)
    assert late["left_out"] == 3
    assert late["adds_up"] is True
    assert "3 earlier steps" in run("explain", "Adams", games, "--since", "2026-06-01").out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("Nobody",), "nobody called 'Nobody'"),
        (("a",), "expected one player, found"),
        (("Adams", "--event", "Winter"), "the player's events (Spring Open, Summer Cup)"),
        (("Adams", "--since", "soon"), "expected a day"),
        (("Adams", "--list", "2026-04"), "go with a ledger"),
        (("Adams", "--system", "elol"), "expected a rating system"),
        (("Adams", "--chart", "x.gif"), ".png or .svg"),
        (("--all",), "--all"),
    ],
)  # fmt: skip
def test_bad_input_gets_a_sentence(run, games, arguments, words):
    first, *rest = arguments
    done = run("explain", first, games, *rest)
    assert done.code == 2
    assert words in done.err
    assert done.err.count("\n") == 1


def test_a_ledger_is_explained(run, ledger_file):
    done = run("explain", "adams", "--policy", "fide", "--db", ledger_file)
    assert (done.code, done.err) == (0, "")
    assert "play to 2026-03-31" in done.out
    assert "all changes together 1644 (2026-07 (fide, draft))" in done.out
    document = json.loads(run("explain", "#1", "-p", "club", "--db", ledger_file, "--format", "json").out)
    assert document["adds_up"] is True
    assert document["list"]["name"] == "2026-07"
    assert document["correction"] is None
    assert [p["closing"] for p in document["periods"]] == ["2026-03-31", "2026-06-30"]
    assert document["periods"][-1]["after"] == document["rating"]
    assert sum(s["change"] for s in document["steps"]) == pytest.approx(document["rating"])


def test_since_a_list(run, ledger_file):
    assert run("list", "make", "2026-04", "--policy", "club", "--db", ledger_file).code == 0
    done = run("explain", "adams", "-p", "club", "--since", "2026-04", "--db", ledger_file)
    assert done.code == 0
    assert "Spring Open" not in done.out
    assert "earlier steps" in done.out


def test_everybody_is_checked(run, ledger_file):
    done = run("explain", "--all", "-p", "fide", "--db", ledger_file)
    assert done.code == 0
    assert "every figure is the sum of its steps" in done.out
    document = json.loads(run("explain", "--all", "-p", "club", "--db", ledger_file, "--format", "json").out)
    assert (document["adds_up"], document["wrong"]) == (True, [])
    assert document["figures"] == 4


def test_no_player_and_no_ledger(run, tmp_path, ledger_file):
    assert "expected a player" in run("explain", "--db", ledger_file).err
    done = run("explain", "Adams", "--db", tmp_path / "none.db")
    assert done.code == 2
    assert run("explain", "Adams", "--db", ledger_file).code == 2  # which policy?
    assert "--policy" in run("explain", "Adams", "--db", ledger_file).err


def test_a_chart_is_drawn(run, ledger_file, games, tmp_path):
    for name, arguments in (("a.svg", ("-p", "club", "--db", ledger_file)), ("b.png", (games,))):
        done = run("explain", "Adams", *arguments, "--chart", tmp_path / name)
        assert done.code == 0
        assert (tmp_path / name).stat().st_size > 3000
