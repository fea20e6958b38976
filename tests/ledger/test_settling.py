"""What waits in the queue is settled by a decision, and opened again by its undo."""

from __future__ import annotations

import pytest

from arpad.errors import UsageError
from arpad.ledger.decisions.corrections import exclude_event, merge
from arpad.ledger.decisions.decisions import undo
from arpad.ledger.decisions.queue import doubt as doubt_called
from arpad.ledger.decisions.queue import queue, settle, settle_all
from arpad.ledger.decisions.ratings import manual_ratings
from arpad.ledger.decisions.subjects import event_row, today
from arpad.ledger.inspection import check_events, inspect_event
from tests.ledger.club import contents, doubt, fill, same, snapshot
from tests.ledger.test_decisions import ask, did, lewis, refused  # noqa: F401


@pytest.fixture
def club(ledger):
    fill(ledger)
    doubt(ledger, "player", "Ahmed, A.", {"reason": "r", "candidates": [{"player": 1}]}, player_id=7)
    doubt(ledger, "event", "Autumn Open", {"reason": "r", "candidates": [{"event": 1}]}, event_id=2)
    doubt(ledger, "player", "Fox", {"candidates": [{"player": 1}, {"player": 4}]}, player_id=8)
    return ledger


def test_a_doubtful_player_is_somebody(club):
    whole = snapshot(club)
    made = did(club, settle, 1, "same")
    assert made.kind == "match"
    assert ask(club, today, 7) == 1
    assert ask(club, doubt_called, 1).settled_by == made.id
    assert [d.number for d in ask(club, queue).doubts] == [2, 3]
    refused(club, "settled already, by decision 1", settle, 1, "new")
    did(club, undo, made.id)
    assert same(whole, snapshot(club)) == []
    assert [d.number for d in ask(club, queue).doubts] == [1, 2, 3]


def test_a_doubtful_player_is_new(club):
    before = contents(club)
    did(club, settle, 1, "new")
    assert ask(club, today, 7) == 7
    assert contents(club) == before
    assert [d.number for d in ask(club, queue, settled=True).doubts if d.settled_by] == [1]


def test_of_two_candidates_one_is_named(club):
    refused(club, "one of Ahmed, Anna .*山田", settle, 3, "same")
    did(club, settle, 3, "#4")
    assert ask(club, today, 8) == 4


def test_many_are_settled_at_once_or_none(club):
    likeliest = {one.number: one.likeliest() for one in ask(club, queue).doubts}
    assert likeliest == {1: "1", 2: "leave", 3: "1"}
    before = snapshot(club)
    refused(club, "expected one of", settle_all, {1: "same", 2: "nonsense"})
    assert same(before, snapshot(club)) == []
    made = did(club, settle_all, {1: "likeliest", 3: "new"})
    assert [(one.kind, one.subject) for one in made] == [("match", "player 7"), ("match", "player 8")]
    assert ask(club, today, 7) == 1
    assert [one.number for one in ask(club, queue).doubts] == [2]


def test_somebody_may_have_merged_them_already(club):
    did(club, merge, 7, 1)
    did(club, settle, 1, "same")
    assert ask(club, doubt_called, 1).settled_by == 2


@pytest.mark.parametrize(
    ("choice", "first", "second"), [("replace", True, False), ("add", False, False), ("leave", False, True)]
)
def test_a_changed_report(club, choice, first, second):
    with club.writing("import", "test") as connection:
        from arpad.ledger.db import tables

        connection.execute(tables.events.update().where(tables.events.c.id == 2).values(excluded=True))
    whole = snapshot(club)
    made = did(club, settle, 2, choice)
    assert ask(club, event_row, 1).excluded == first
    assert ask(club, event_row, 2).excluded == second
    did(club, undo, made.id)
    assert same(whole, snapshot(club)) == []


def test_answers_that_are_none(club):
    refused(club, "the number of a player, or new", settle, 1, "leave")
    refused(club, "expected one of merge, replace, add, leave", settle, 2, "new")
    refused(club, "found 99: there are 1 to 3", settle, 99, "new")
    refused(club, "none with the number 99", settle, 1, "99")
    refused(club, "reason", settle, 1, "new", why="")
    refused(club, "a merge wants two", settle, 1, "7")
    with pytest.raises(UsageError, match="expected one of player"):
        ask(club, queue, kind="whim")


def test_an_event_that_fails_the_fit_waits(lewis):  # noqa: F811
    opened = did(lewis, inspect_event, 1)
    assert opened == [1]
    found = ask(lewis, doubt_called, 1)
    assert (found.kind, found.event) == ("fit", 1)
    assert [f["name"] for f in found.document["flagged"]] == ["Short", "Motwani"]
    assert "χ²" in found.summary()
    assert did(lewis, inspect_event, 1) == []
    made = did(lewis, settle, 1, "adjust")
    assert made.kind == "repair"
    assert ask(lewis, manual_ratings)["rating"].to_list() == [2595.0]
    assert ask(lewis, queue).doubts == ()
    assert check_events(lewis) == []
    did(lewis, undo, made.id)
    assert [d.number for d in ask(lewis, queue).doubts] == [1]
    did(lewis, settle, 1, "exclude")
    assert ask(lewis, event_row, 1).excluded


def test_a_fit_may_be_left(lewis):  # noqa: F811
    did(lewis, inspect_event, 1)
    did(lewis, settle, 1, "leave")
    assert ask(lewis, manual_ratings).height == 0
    assert did(lewis, inspect_event, 1) == []


def test_what_no_longer_counts_is_not_looked_at(lewis):  # noqa: F811
    did(lewis, inspect_event, 1)
    did(lewis, exclude_event, 1)
    did(lewis, inspect_event, 1)
    assert ask(lewis, queue).doubts == ()


def test_events_without_ratings_raise_no_doubt(ledger):
    fill(ledger, ratings=[None] * 8)
    assert check_events(ledger) == []
