"""`arpad list start` and the policy in words, as a secretary gives them."""

from __future__ import annotations

import json

import pytest

MEMBERS = 'Name,Rating,Games\n"Berger, Anna",1854,120\n"Zaal, Zoe",1711,31\n'


@pytest.fixture
def club(run, write, place):
    def _run(*words):
        return run(*words, "--db", place)

    assert _run("list", "policy", "club", "--preset", "club").code == 0
    return _run


def test_members_are_on_the_first_list_before_anybody_has_played(club, write):
    done = club("list", "start", write(MEMBERS, "members.csv"), "--date", "2026-09-01", "--format", "json")
    assert (done.code, json.loads(done.out)["players"]) == (0, 2)
    made = club("list", "make", "--closing", "2026-09-30", "--format", "json")
    entries = json.loads(made.out)["entries"]
    assert [(e["name"], e["rating"], e["rank"]) for e in entries] == [("Berger, Anna", 1854.0, 1), ("Zaal, Zoe", 1711.0, 2)]  # fmt: skip
    assert "set by hand: starting list" in club("explain", "Berger", "--policy", "club").out
    assert club("log", "undo", 1, "--why", "the wrong file").code == 0


def test_members_of_a_list_without_games_are_on_the_first_list(club, write):
    members = write('Name,Rating\n"Berger, Anna",1854\n"Zaal, Zoe",1711\n', "members.csv")
    assert "no column of games: 4 each" in club("list", "start", members, "--date", "2026-09-01").out
    made = club("list", "make", "--closing", "2026-09-30", "--format", "json")
    entries = json.loads(made.out)["entries"]
    assert [(e["name"], e["rating"], e["rank"], e["total_games"]) for e in entries] == [("Berger, Anna", 1854.0, 1, 4), ("Zaal, Zoe", 1711.0, 2, 4)]  # fmt: skip


def test_a_policy_is_shown_in_a_few_lines(club):
    shown = club("list", "policy", "club")
    assert shown.code == 0
    assert len(shown.out.splitlines()) < 20
    assert "{" not in shown.out.splitlines()[0]
    assert json.loads(club("list", "policy", "club", "--format", "json").out)["policy"]["name"] == "club"
