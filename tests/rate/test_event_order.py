"""The order of play of one event: the same for the Tournament App and for the system `pra`."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.event.tournament_app.fit import field_of
from arpad.model import Games
from arpad.rate.periods import has_rounds, one_event_in_order
from arpad.rate.pra.steps import in_order

ROUNDS = st.one_of(
    st.integers(1, 12).map(str),
    st.tuples(st.integers(1, 4), st.integers(1, 12)).map(lambda r: f"{r[0]}.{r[1]}"),
    st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3)).map(lambda r: ".".join(map(str, r))),
)


def games_of(rounds, days=None, events=None, precision=None):
    n = len(rounds)
    columns = {
        "white": [0] * n,
        "black": [1] * n,
        # The score of a game is its place in the file.
        "score": [i / 100 for i in range(n)],
        "round": rounds,
        "event": events or [0] * n,
    }
    if days is not None:
        columns["date"] = [dt.date(2000, 1, d) for d in days]
        columns["precision"] = precision or ["day"] * n
    return Games.assemble(columns, {"name": ["Ann", "Bob"]})


def places(played):
    return [round(100 * score) for score in played["score"]]


@given(st.lists(ROUNDS, min_size=1, max_size=30))
def test_the_app_and_the_system_take_the_games_in_one_order(rounds):
    games = games_of(rounds)
    numbers = [tuple(map(int, text.split("."))) for text in rounds]
    wanted = sorted(range(len(rounds)), key=lambda g: (numbers[g], g))
    assert places(in_order(games)[0]) == wanted
    assert [round(100 * s) for s in field_of(games).score] == wanted


def test_what_is_known_of_the_order():
    ordered = one_event_in_order(games_of(["2", "1", "2"], days=[3, 9, 2]).table)
    assert places(ordered) == [1, 2, 0]
    assert ordered["when"].to_list() == [0, 1, 2]
    assert ordered["certain"].all()
    doubtful = one_event_in_order(games_of(["2", "1", "2"]).table)
    assert doubtful["when"].to_list() == [0, 1, 1]
    assert not doubtful["certain"].any()


@pytest.mark.parametrize("text", ["?", "", "first", "1a", "-", "1.", "12345678"])
def test_one_round_that_is_none_leaves_the_days(text):
    games = games_of(["3", text, "1"], days=[2, 3, 1])
    assert not has_rounds(games.table)
    assert places(one_event_in_order(games.table)) == [2, 0, 1]
    assert places(in_order(games)[0]) == [2, 0, 1]


def test_days_that_are_years_leave_the_order_of_the_file():
    games = games_of([None] * 3, days=[2, 3, 1], precision=["day", "year", "day"])
    ordered = one_event_in_order(games.table)
    assert places(ordered) == [0, 1, 2]
    assert ordered["when"].n_unique() == 1


def test_rounds_of_two_events_say_nothing_of_one_another():
    games = games_of(["2", "1", "1"], events=[0, 1, 1])
    assert not has_rounds(games.table)
    assert places(one_event_in_order(games.table)) == [0, 1, 2]


def test_no_games():
    games = games_of([])
    assert one_event_in_order(games.table).height == 0
    assert not has_rounds(games.table)
