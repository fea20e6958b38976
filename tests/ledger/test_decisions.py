"""Decisions change what they say, keep what was there, and can be taken back."""

from __future__ import annotations

from datetime import date

import pytest
import sqlalchemy as sa

from arpad.errors import UsageError
from arpad.ledger.db import tables
from arpad.ledger.decisions.corrections import (
    correct_event,
    correct_game,
    correct_player,
    exclude_event,
    exclude_game,
    game_row,
    include_event,
    include_game,
    merge,
    merge_doubts,
    unmerge,
)
from arpad.ledger.decisions.decisions import decide, decision, decisions, undo
from arpad.ledger.decisions.ratings import manual_ratings, repair_event, set_rating
from arpad.ledger.decisions.subjects import event_called, event_row, person, person_called, today
from arpad.ledger.games import result_of, result_text
from tests.ledger.club import contents, fill, same, snapshot


@pytest.fixture
def club(ledger):
    fill(ledger)
    return ledger


def did(ledger, verb, *arguments, why="a good reason", who="anna", **more):
    with ledger.writing(who, why) as connection:
        return verb(connection, *arguments, **more)


def ask(ledger, verb, *arguments, **more):
    with ledger.reading() as connection:
        return verb(connection, *arguments, **more)


def refused(ledger, words, verb, *arguments, **more):
    before = snapshot(ledger)
    log = len(ask(ledger, decisions))
    with pytest.raises(UsageError, match=words):
        did(ledger, verb, *arguments, **more)
    assert same(before, snapshot(ledger)) == []
    assert len(ask(ledger, decisions)) == log


def test_who_when_and_why_are_kept(club):
    made = did(club, exclude_event, 1, why="  two boards were\nmade up ", who="Jürgen")
    kept = ask(club, decision, made.id)
    assert (kept.who, kept.why, kept.kind, kept.subject) == (
        "Jürgen", "two boards were\nmade up", "exclude", "event 1",
    )  # fmt: skip
    assert kept.when == made.when
    assert kept.changes == made.changes
    assert dict(kept.changes[0].before) == {"excluded": False}
    assert "Spring Open" in kept.summary()


@pytest.mark.parametrize("why", ["", "   ", "w" * 4001])
def test_a_decision_needs_a_reason(club, why):
    refused(club, "reason", exclude_event, 1, why=why)


def test_an_event_is_excluded_and_included(club):
    before = contents(club)
    did(club, exclude_event, 1)
    assert ask(club, event_row, 1).excluded
    refused(club, "already", exclude_event, 1)
    did(club, include_event, 1)
    assert not ask(club, event_row, 1).excluded
    assert contents(club) == before


def test_a_game_is_excluded_and_included(club):
    before = contents(club)
    did(club, exclude_game, 1)
    assert ask(club, game_row, 1)["status"] == "unrated"
    assert contents(club)[1] != before[1]
    assert contents(club)[2] == before[2]
    refused(club, "only a game that was played", exclude_game, 1)
    did(club, include_game, 1)
    assert contents(club) == before
    refused(club, "unrated", include_game, 1)


def test_a_result_is_corrected_and_its_event_changes(club):
    whole, before = snapshot(club), contents(club)
    made = did(club, correct_game, 1, score=0.5)
    game = ask(club, game_row, 1)
    assert (game["score"], game["black_score"]) == (0.5, 0.5)
    assert contents(club)[1] != before[1]
    assert "1-0" in made.words()
    assert "½-½" in made.words()
    assert "event 1" in made.about()
    did(club, undo, made.id)
    assert same(whole, snapshot(club)) == []


def test_colours_are_swapped_with_the_result(club):
    before = ask(club, game_row, 1)
    did(club, correct_game, 1, swap=True)
    game = ask(club, game_row, 1)
    assert (game["white_id"], game["black_id"]) == (before["black_id"], before["white_id"])
    assert (game["score"], game["black_score"]) == (0.0, 1.0)
    assert game["white_rating"] == before["black_rating"]


def test_the_players_of_a_game_are_corrected(club):
    did(club, correct_game, 1, white_id=8)
    assert ask(club, game_row, 1)["white_id"] == 8
    refused(club, "twice", correct_game, 1, black_id=8)
    refused(club, "none with the number 99", correct_game, 1, black_id=99)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"score": 2.0}, "score"),
        ({"score": 0.5, "black_score": 0.0}, "one point"),
        ({"status": "lost"}, "status"),
        ({"status": "bye"}, "bye"),
        ({"score": None}, "one point"),
        ({"score": None, "black_score": None, "status": "unrated"}, "unplayed"),
        ({"white_rating": 1e9}, "rating"),
        ({"colour": 1}, "no 'colour'"),
        ({}, "nothing changes"),
        ({"score": 1.0}, "nothing changes"),
    ],
)
def test_a_game_stays_whole(club, values, words):
    refused(club, words, correct_game, 1, **values)


def test_a_corrected_day_moves_the_event_with_it(club):
    did(club, correct_game, 1, date=date(2026, 3, 8))
    assert ask(club, event_row, 1).end == date(2026, 3, 8)
    did(club, correct_game, 1, date=date(2026, 3, 1))
    assert ask(club, event_row, 1).end == date(2026, 3, 1)


def test_a_player_is_corrected(club):
    whole = snapshot(club)
    made = did(
        club, correct_player, 8, name="Fox-Müller, Fay", birth="2011-02-28", sex="F", title="WFM",
        federation="aut", ids={"fide": "108"},
    )  # fmt: skip
    found = ask(club, person_called, "fay fox muller")
    assert (found.id, found.birth, found.sex, found.federation) == (8, "2011-02-28", "w", "AUT")
    assert ask(club, person_called, "fide:108").id == 8
    assert contents(club)[2] != whole["events"]["content"][1]
    did(club, undo, made.id)
    assert same(whole, snapshot(club)) == []


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"birth": "12.5.1990"}, "YYYY"),
        ({"birth": "1990-13"}, "YYYY"),
        ({"birth": "2099"}, "in the past"),
        ({"name": " "}, "name"),
        ({"sex": "x"}, "m or w"),
        ({"rating": "9"}, "no 'rating'"),
        ({"birth": None}, "nothing changes"),
        ({}, "nothing changes"),
        ({"ids": {"fide": "102"}}, "is O'Neil"),
        ({"ids": {"fi de": "102"}}, "scheme"),
        ({"name": "a\0b"}, "NUL"),
    ],
)
def test_a_player_stays_whole(club, values, words):
    refused(club, words, correct_player, 7, **values)


def test_an_id_moves_only_when_it_is_free(club):
    did(club, correct_player, 2, ids={"fide": None})
    did(club, correct_player, 7, ids={"fide": "102"})
    assert ask(club, person_called, "102").id == 7
    refused(club, "decision 2 .* rests on", undo, 1)


def test_an_event_is_corrected(club):
    did(club, correct_event, 1, time_control="rapid", end=date(2026, 3, 2), name="Spring Rapid")
    found = ask(club, event_called, "spring rapid")
    assert (found.time_control, found.end) == ("rapid", date(2026, 3, 2))
    refused(club, "begins before", correct_event, 1, start=date(2027, 1, 1))
    refused(club, "time control", correct_event, 1, time_control="slow")
    refused(club, "no 'prize'", correct_event, 1, prize="5")
    refused(club, "nothing changes", correct_event, 1, time_control="rapid")
    refused(club, "name", correct_event, 1, name=" ")


def test_two_players_become_one_and_two_again(club):
    whole, before = snapshot(club), contents(club)
    made = did(club, merge, 7, 1)
    assert ask(club, today, 7) == 1
    assert ask(club, person_called, "Ahmed, A.").id == 1
    assert contents(club)[2] != before[2]
    assert contents(club)[1] == before[1]
    back = did(club, unmerge, 7)
    assert back.kind == "unmerge"
    assert contents(club) == before
    assert same(whole, snapshot(club)) == []
    refused(club, "rests on", undo, made.id)


def test_a_merge_fills_what_was_not_known(club):
    whole = snapshot(club)
    did(club, correct_player, 7, title="FM", birth="1999")
    did(club, merge, 7, 1)
    assert (ask(club, person, 1).title, ask(club, person, 1).birth) == ("FM", "1999")
    did(club, unmerge, 7)
    assert ask(club, person, 1).title is None
    did(club, undo, 3)
    assert ask(club, person, 1).title == "FM"
    for number in (2, 1):
        did(club, undo, number)
    assert same(whole, snapshot(club)) == []


def test_merges_that_cannot_be(club):
    refused(club, "a merge wants two", merge, 3, 3)
    refused(club, "paired with each other .*Spring Open", merge, 1, 2)
    did(club, merge, 7, 1)
    refused(club, "circle", merge, 1, 7)
    refused(club, "is player 1 now", merge, 7, 8)
    refused(club, "is player 1 now", correct_player, 7, birth="1990")
    refused(club, "not merged", unmerge, 8)
    refused(club, "none with the number 99", merge, 99, 1)


def test_chains_of_merges(club):
    did(club, merge, 8, 7)
    did(club, merge, 7, 1)
    assert ask(club, today, 8) == 1
    did(club, unmerge, 7)
    assert ask(club, today, 8) == 7
    contents(club)


def test_nobody_meets_himself_by_an_undo(club):
    did(club, correct_game, 9, white_id=1)  # 5 – 6 of the second event becomes 1 – 6
    did(club, correct_game, 3, white_id=1)  # and that of the first
    did(club, merge, 5, 6)
    refused(club, "both sides of game 3", undo, 2)


def test_what_speaks_against_a_merge_is_said(club):
    did(club, correct_player, 7, birth="1999", ids={"fide": "107"})
    did(club, correct_player, 1, birth="2001-01-01", federation="GER" if False else "FRA")
    one, other = ask(club, person, 7), ask(club, person, 1)
    notes = ask(club, merge_doubts, one, other)
    assert notes == ["birth: 1999 and 2001-01-01", "fide ids: 107 and 101"]
    assert did(club, merge, 7, 1).facts["notes"] == notes


def test_undo_of_an_undo(club):
    start = snapshot(club)
    made = did(club, correct_game, 1, score=0.0)
    changed = snapshot(club)
    first = did(club, undo, made.id)
    assert same(start, snapshot(club)) == []
    refused(club, "undone already, by decision 2", undo, made.id)
    second = did(club, undo, first.id)
    assert same(changed, snapshot(club)) == []
    log = {d.id: d for d in ask(club, decisions)}
    assert [log[n].undone_by for n in (made.id, first.id, second.id)] == [None, second.id, None]
    third = did(club, undo, second.id)
    log = {d.id: d for d in ask(club, decisions)}
    assert log[made.id].undone_by == first.id
    assert log[first.id].in_effect
    assert log[second.id].undone_by == third.id
    assert same(start, snapshot(club)) == []


def test_an_undo_waits_for_what_rests_on_it(club):
    did(club, correct_game, 1, score=0.5)
    did(club, correct_game, 1, score=0.0)
    refused(club, "decision 2 .* rests on decision 1: undo 2 first", undo, 1)
    did(club, undo, 2)
    did(club, undo, 1)
    assert ask(club, game_row, 1)["score"] == 1.0


def test_an_undo_sees_what_an_import_changed(club):
    did(club, correct_player, 2, birth=None)
    with club.writing("import", "x") as connection:
        connection.execute(tables.players.update().where(tables.players.c.id == 2).values(birth="1981"))
    refused(club, "changed since, by an import", undo, 1)


def test_no_such_decision(club):
    refused(club, "there are none yet", undo, 1)
    did(club, exclude_event, 1)
    refused(club, "there are 1 to 1", undo, 7)


def test_kinds_are_known(club):
    refused(club, "expected one of", decide, "whim", "event 1", "x")


def test_a_log_is_never_changed(club):
    did(club, exclude_event, 1)
    for statement in (sa.delete(tables.decisions), tables.decisions.update().values(why="another")):
        with pytest.raises(UsageError, match="undo it instead"), club.writing("x", "y") as c:
            c.execute(statement)


def test_the_log_tells_what_is_about_whom(club):
    did(club, exclude_event, 1)
    did(club, merge, 7, 1)
    did(club, correct_game, 7, score=0.5)
    kinds = lambda **more: [d.kind for d in ask(club, decisions, **more)]  # noqa: E731
    assert kinds(about=["player 1"]) == ["merge"]
    assert kinds(about=["player 7"]) == ["merge", "correct"]
    assert kinds(about=["event 2"]) == ["correct"]
    assert kinds(kind="exclude") == ["exclude"]
    did(club, undo, 1)
    assert kinds(in_effect=True) == ["merge", "correct"]


def test_a_rating_is_set_by_hand(club):
    did(club, set_rating, 8, 1500.0, on=date(2026, 5, 1), settings={"k": 40}, why="youth champion")
    did(club, set_rating, 7, 1600.0, on=date(2026, 4, 1))
    did(club, merge, 7, 1)
    found = ask(club, manual_ratings)
    assert found["player_id"].to_list() == [1, 8]
    assert found["rating"].to_list() == [1600.0, 1500.0]
    assert found["settings"].to_list() == [None, '{"k":40}']
    assert found["rule"][1] == "set by hand: youth champion (decision 1)"
    did(club, undo, 1)
    assert ask(club, manual_ratings)["player_id"].to_list() == [1]
    refused(club, "expected a rating", set_rating, 8, float("nan"), on=date(2026, 5, 1))
    refused(club, "policy", set_rating, 8, 1500.0, on=date(2026, 5, 1), policy="club")


def test_no_ratings_by_hand(club):
    assert ask(club, manual_ratings).height == 0


LEWIS = [
    (3, 2, 0.5), (1, 4, 1.0), (2, 4, 1.0), (3, 1, 0.0), (1, 2, 0.5), (4, 3, 1.0),
    (2, 3, 0.0), (4, 1, 0.0), (2, 1, 0.5), (3, 4, 0.0), (1, 3, 1.0), (4, 2, 0.0),
]  # fmt: skip


@pytest.fixture
def lewis(ledger):
    """Isle of Lewis 1995 [PRA]: the ratings fail, Short's is out of spec by 112."""
    fill(
        ledger,
        pairs=[LEWIS],
        events=[("Isle of Lewis 1995", date(1995, 6, 1))],
        names=["Polgar", "Agdestein", "Motwani", "Short"],
        ratings=[2687.0, 2607.0, 2499.0, 2707.0],
    )
    return ledger


def test_a_repair_moves_ratings_to_the_line(lewis):
    made = did(lewis, repair_event, 1, "adjust", why="his opponents do not bear it out")
    assert made.facts["ratings"] == [
        {"player": 4, "before": 2707.0, "rating": 2595.0, "mark": "PRA-Adjusted"}
    ]
    found = ask(lewis, manual_ratings).row(0, named=True)
    assert (found["player_id"], found["rating"], found["on"]) == (4, 2595.0, date(1995, 6, 1))
    assert found["rule"].startswith("PRA-Adjusted: his opponents")
    refused(lewis, "repaired already", repair_event, 1, "correct")
    did(lewis, undo, made.id)
    assert ask(lewis, manual_ratings).height == 0


def test_a_repair_may_leave_the_ratings(lewis):
    made = did(lewis, repair_event, 1, "leave")
    assert made.facts["ratings"] == []
    assert ask(lewis, manual_ratings).height == 0
    refused(lewis, "leave, adjust or correct", repair_event, 1, "mend")
    refused(lewis, "reason", repair_event, 1, "adjust", why=" ")


def test_a_repair_needs_a_day(lewis):
    did(lewis, correct_event, 1, start=None, end=None)
    refused(lewis, "has no date", repair_event, 1, "adjust")


def test_a_rating_may_be_set_in_a_repair(lewis):
    did(lewis, repair_event, 1, "adjust", players=[], ratings={"Motwani": 2550.0})
    assert ask(lewis, manual_ratings)["rating"].to_list() == [2550.0]


def test_players_and_events_are_found(club):
    assert ask(club, person_called, "#3").id == 3
    assert ask(club, person_called, "101").id == 1
    assert ask(club, person_called, "fox").id == 8
    assert ask(club, person_called, "山田 太郎").id == 4
    assert ask(club, person_called, "Robert'); DROP TABLE players;--").id == 5
    assert ask(club, person_called, "x" * 300).id == 6
    assert ask(club, event_called, "autumn").id == 2
    assert ask(club, event_called, "#2").id == 2
    for verb, text, words in (
        (person_called, "ahmed", "found 2 called"),
        (person_called, "Nobody", "nobody called"),
        (person_called, "%", "nobody called"),
        (person_called, "", "nobody called"),
        (event_called, "open", "found 2 called"),
        (event_called, "_", "none called"),
        (event_called, "77", "none with the number"),
    ):
        with pytest.raises(UsageError, match=words):
            ask(club, verb, text)


@pytest.mark.parametrize("text", ["1-0", "0-1", "½-½", "+:-", "-:+", "-:-", "*"])
def test_results_are_written_as_they_are_read(text):
    found = result_of(text)
    assert result_text(found["score"], found["black_score"], found["status"]) == text


def test_a_result_that_is_none():
    assert result_of(" 1/2 – 1/2 ")["score"] == 0.5
    with pytest.raises(UsageError, match="expected a result"):
        result_of("2-0")
    assert result_text(0.5, 0.0, "unrated") == "0.5-0"
