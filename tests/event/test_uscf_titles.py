from __future__ import annotations

import math
import random
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.event.norms.uscf import (
    LEVELS,
    OLD_LEVELS,
    TITLES,
    EventResult,
    NormSchedule,
    Status,
    converted,
    title_called,
    title_histories,
    title_history,
)
from arpad.model import Event, Games, Player


def result(score, opponents, day=1, event=None):
    return EventResult(
        event=event or f"E{day}", on=date(1994, 1, day), score=score, opponents=tuple(opponents)
    )


def test_the_titles_are_those_of_2_6(golden):
    printed = {(int(r["level"]), r["title"], int(r["norms"])) for r in golden("uscf1994_2_6.csv")}
    assert {(t.level, t.name, t.norms) for t in TITLES} == printed
    assert tuple(range(2600, 200, -200)) == LEVELS


def test_the_first_example_of_2_5_as_a_history():
    levels = tuple(title_called(level) for level in range(1500, 2300, 100))
    history = title_history([result(3.5, [1800, 1900, 2000, 2100])], titles=levels)
    assert history.status.norms == {
        1500: 5, 1600: 4, 1700: 4, 1800: 3, 1900: 2, 2000: 1, 2100: 1,
    }  # fmt: skip
    assert [(a.title, a.on) for a in history.titles] == [("1500-title", date(1994, 1, 1))]
    twice = title_history([result(7, [1800, 1900, 2000, 2100] * 2)], titles=levels)
    assert [a.level for a in twice.titles] == [1800, 1700, 1600, 1500]


def test_norms_add_up_and_the_card_follows():
    # 3½ of 4 against 2000: none at 2200 (3.04 + .612), 2 at 2000 (2 + 1.454), 3 at 1800 (.961 + 2.060)
    events = [result(3.5, [2000] * 4, day) for day in (5, 3, 1)]
    history = title_history(events)
    at_2000 = [(e.on.day, e.norms, e.total) for e in history.earned if e.level == 2000]
    assert at_2000 == [(1, 2, 2), (3, 2, 4), (5, 2, 6)]
    won = {a.title: a.on.day for a in history.titles}
    assert won["Expert"] == 5
    assert won["Category I"] == 3
    assert history.card(date(1993, 12, 31)) is None
    assert history.card(date(1994, 1, 2)) == "Category II"
    assert history.card(date(1994, 1, 3)) == "Category I"
    assert history.card() == "Expert"
    # a title that is held takes no more norms
    assert all(e.level != 1800 for e in history.earned if e.on.day == 5)
    assert history.table().filter(level=2000)["title"].to_list() == ["", "", "Expert"]
    assert history.summary().startswith("3 events: Expert")


def test_life_titles_take_twenty():
    # 4 of 4 against 2200: 2 + 1.454 < 4 < 2 + 2.060, two norms at 2200 each time
    events = [result(4, [2200] * 4, day) for day in range(1, 12)]
    history = title_history(events)
    won = {a.title: (a.on.day, a.norms) for a in history.titles}
    assert won["Master"] == (3, 6)
    assert won["Life Master"] == (10, 20)
    assert won["Senior Master"] == (5, 5)  # 3.04 + .612 < 4: one norm at 2400 each time
    assert history.card() == "Senior Master"
    # life titles are not on the card [2.6 item 5]
    assert Status(titles=("Life Master", "Master")).card() == "Master"
    assert Status(titles=("Life Senior Master",)).card() is None
    assert history.status.norms[2200] == 20  # and the eleventh event adds nothing
    assert not any(e.level == 2200 for e in history.earned if e.on.day == 11)
    later = title_history([result(4, [2200] * 4, 20)], before=history.status)
    assert "Life Master" in later.status.titles
    assert later.status.norms[2200] == 20
    # who comes with the title and no more said of it has five of the twenty
    master = title_history([result(4, [2200] * 4)], before=Status(titles=("Master",)))
    assert master.status.toward(title_called("Life Master")) == 7
    assert "Life Master" not in master.status.titles


@given(
    scores=st.lists(st.integers(0, 10), min_size=1, max_size=12),
    field=st.integers(600, 2600),
    seed=st.integers(0, 99),
)
def test_order_of_report_does_not_matter_and_splitting_does_not_either(scores, field, seed):
    events = [result(s / 2, [field] * 5, day) for day, s in enumerate(scores, start=1)]
    whole = title_history(events)
    mixed = events[:]
    random.Random(seed).shuffle(mixed)
    assert title_history(mixed).status == whole.status
    assert title_history(mixed).titles == whole.titles
    cut = len(events) // 2
    first = title_history(events[:cut])
    second = title_history(events[cut:], before=first.status)
    assert second.status == whole.status
    # whoever holds a title of one level has as many norms at every lower one
    held = {title_called(t).level for t in whole.status.titles}
    assert all(lower in held for high in held for lower in LEVELS if lower < high)


def test_events_without_dates_and_short_ones():
    bare = EventResult(event="Club", on=None, score=3, opponents=(1500.0,) * 3, left_out=2)
    history = title_history([bare, result(3, [1500] * 4)])
    assert history.notes == (
        "1 of 2 events have no date: all are taken in the order given",
        "Club: 2 games against unrated players left out",
        "Club: 3 games; norms take 4",
    )
    assert {e.event for e in history.earned} == {"E1"}
    nothing = title_history([])
    assert nothing.card() is None
    assert nothing.table().is_empty()
    assert nothing.status.summary() == "no title; norms: none"


def test_bad_results_are_refused():
    with pytest.raises(UsageError, match="found it twice"):
        title_history([result(3, [1500] * 4), result(3, [1500] * 4)])
    assert title_history([result(3, [1500] * 4), result(3, [1500] * 4, event="other")]).events == 2
    for score, opponents in ((5, [1500] * 4), (-1, [1500] * 4), (2, [1500, math.nan]), (math.nan, [1500] * 4)):  # fmt: skip
        with pytest.raises(UsageError, match="expected a score"):
            title_history([result(score, opponents)])
    for name in ("GM", "", "Category IX", "9", "99999", "Certified Class E"):
        with pytest.raises(UsageError, match="expected a title"):
            title_called(name)
    assert title_called("category 3").name == "Category III"
    assert title_called(" LIFE  senior master ").norms == 20
    with pytest.raises(UsageError, match="0 or more"):
        Status(norms={2000: -1})


def test_histories_from_games():
    people = [Player(name="A", rating=1500), Player(name="B", rating=1500), Player(name="C")]
    games = Games.assemble(
        {
            "white": [0] * 6 + [0] * 4,
            "black": [1] * 4 + [2, 1] + [1] * 4,
            "score": [1.0] * 6 + [0.5] * 4,
            "status": ["played"] * 5 + ["forfeit"] + ["played"] * 4,
            "event": [0] * 6 + [1] * 4,
            "date": [date(1994, 2, 1)] * 6 + [date(1993, 2, 1)] * 4,
        },
        people,
        [Event(name="Second"), Event(name="First", end=date(1993, 2, 3))],
    )
    found = title_histories(games, schedule=NormSchedule(20))
    assert found[0].parameters["P"] == 20
    # 4/4 and not 5/5 in the second event: one game was against an unrated player, one forfeited
    expected = title_history([result(2, [1500] * 4, 1), result(4, [1500] * 4, 2)], schedule=NormSchedule(20))
    assert found[0].status == expected.status
    assert [e.event for e in found[0].earned][:1] == ["First"]
    assert found[0].earned[0].on == date(1993, 2, 3)
    assert found[0].notes == ("Second: 1 game against unrated players left out",)
    assert found[2].notes == ("Second: 1 game; norms take 4",)


@pytest.mark.parametrize(
    ("norms", "titles", "expected", "card"),
    [
        # the example of 2.6
        ({1600: 3}, [1200], {1600: 3, 1400: 3}, "Category IV"),
        # a title that is gone: three norms for the next higher
        ({}, [1500], {1600: 3}, "Category III"),
        # x/2, rounded upward
        ({1500: 1}, [1400], {1600: 1}, "Category III"),
        ({1500: 4}, [1400], {1600: 2}, "Category III"),
        ({1500: 2.5}, [1400], {1600: 2}, "Category III"),
        # levels that stay
        ({2000: 2}, [1800], {2000: 2}, "Category I"),
        # added up: three for the title at 1500 and the two at 1600 make five
        ({1600: 2}, [1500], {}, "Category II"),
        ({1600: 1, 1700: 3}, [1500], {1600: 4, 1800: 2}, "Category III"),
        # the same norms at every lower level without the title; more of them are kept
        ({1200: 4, 1600: 2}, [], {1600: 2, 1400: 2, 1200: 4, 1000: 2, 800: 2, 600: 2, 400: 2}, None),
        # a title and nothing above it
        ({}, [2200], {}, "Master"),
        ({2700: 3, 2800: 1}, [2600], {}, "Advanced Senior Master"),
        ({}, [2900], {}, "Advanced Senior Master"),
        ({}, [], {}, None),
    ],
)  # fmt: skip
def test_an_old_status_is_carried_over(norms, titles, expected, card):
    status = converted(norms, titles).status
    assert status.card() == card
    held = {title_called(t).level for t in status.titles}
    assert {lv: n for lv, n in status.norms.items() if lv not in held} == expected
    top = title_called(card).level if card else 0
    assert held == {lv for lv in LEVELS if lv <= top}
    assert all(status.norms[lv] == 5 for lv in held)


def test_what_was_done_is_said_and_what_cannot_be_is_refused():
    assert converted({1600: 3, 2700: 2}, [1500]).steps == (
        "title at 1500: 3 norms at 1600",
        "2 norms at 2700: there is no higher title any more",
    )
    assert converted({1600: 3}, [1200]).steps == ("1400: 3 norms, as at 1600",)
    for norms, titles in (({1650: 1}, []), ({}, [900]), ({}, [3000])):
        with pytest.raises(UsageError, match="expected levels"):
            converted(norms, titles)
    for x in (5, -1, 1.3, math.nan):
        with pytest.raises(UsageError, match="expected norms"):
            converted({1600: x})


@given(
    norms=st.dictionaries(st.sampled_from(list(OLD_LEVELS)), st.integers(0, 4), max_size=4),
    title=st.sampled_from([None, *OLD_LEVELS]),
)
def test_nobody_loses_by_the_conversion(norms, title):
    status = converted(norms, [] if title is None else [title]).status
    top = max((title_called(t).level for t in status.titles), default=0)
    if title is not None:
        assert top >= min(title - title % 200, 2600)
    for level, x in norms.items():
        if level in LEVELS:
            assert status.norms.get(level, 0) >= x
    # norms never rise with the level above the highest title, nor do they exceed four there
    open_levels = [lv for lv in sorted(LEVELS) if lv > top]
    highest = max((lv for lv in open_levels if status.norms.get(lv)), default=0)
    for lv in open_levels:
        if lv < highest:
            assert 4 >= status.norms[lv] >= status.norms[highest]


def test_an_event_reported_again_under_another_name_is_refused():
    people = [Player(name=n, rating=2000.0) for n in "ABCDE"]
    once = {"white": [0] * 4, "black": [1, 2, 3, 4], "score": [1.0] * 4}
    columns = {name: values * 2 for name, values in once.items()}
    columns |= {"event": [0] * 4 + [1] * 4, "date": [date(1994, 9, 3)] * 8}
    events = [Event(name="Open"), Event(name="Open, again")]
    with pytest.raises(UsageError, match="the same 4 games, dates and results as in Open"):
        title_histories(Games.assemble(columns, people, events))
    columns["date"] = [date(1994, 9, 3)] * 4 + [date(1994, 10, 3)] * 4
    assert title_histories(Games.assemble(columns, people, events))[0].events == 2
