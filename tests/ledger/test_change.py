"""Change and games on a list are since the last published list; ± is the error of the rating."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import polars as pl
import pytest

import arpad
from arpad.ledger.games import recorded_games
from arpad.ledger.list_making import StaleDraftError, make_list, publish_list
from arpad.ledger.lists import entries_as_of, kept_lists
from arpad.ledger.policy import Policy, preset
from arpad.ledger.queries.lists import Wanted, entries_at, places
from tests.ledger.ledgers import NAMES, put_event, put_policy, round_robin

TEN = [f"Player, {letter}" for letter in "ABCDEFGHIJ"]

CLOSINGS = [date(2026, month, last) for month, last in ((1, 31), (2, 28), (3, 31))]


@pytest.fixture
def season(ledger):
    put_policy(ledger, preset("club"))
    for number, closing in enumerate(CLOSINGS):
        put_event(
            ledger, f"Open {number}", closing.isoformat(), round_robin([1, 0.5, 0]), time_control="standard"
        )
    return ledger


def made(ledger, closing, *, publish=False):
    found = make_list(ledger, policy="club", closing=closing)
    if publish:
        publish_list(ledger, policy="club", name=found.draft.name)
    return found


def test_change_and_games_are_since_the_last_published_list(season):
    first = {r["player_id"]: r for r in made(season, CLOSINGS[0], publish=True).entries.to_dicts()}
    made(season, CLOSINGS[1])  # a draft that nobody published
    third = made(season, CLOSINGS[2])
    assert third.entries.height == 4
    for row in third.entries.iter_rows(named=True):
        before = first[row["player_id"]]
        assert row["change"] == row["rating"] - before["rating"]
        assert row["games"] == row["total_games"] - before["total_games"] == 6
    assert any(row["change"] for row in third.entries.to_dicts())


def test_change_on_a_corrected_list_is_against_the_list_before_as_corrected(ledger):
    """Also of figures that the correction leaves as they were: rounding hides what opponents had."""
    put_policy(ledger, Policy(name="club", system="elo", options={"k": 24}, carries="exact"))
    results = [1, 0.5, 0, 1, 0.5, 1, 0, 0, 0.5, 1, 1, 0]
    for number, closing in enumerate(CLOSINGS):
        shifted = results[number * 3 :] + results[: number * 3]
        put_event(ledger, f"Open {number}", closing.isoformat(), round_robin(shifted, TEN))
        made(ledger, closing, publish=True)
    put_event(ledger, "Late", "2026-01-15", [(TEN[0], TEN[9], 0.0), (TEN[1], TEN[8], 0.0)])
    corrected = made(ledger, CLOSINGS[2], publish=True)
    assert sum(each.restated.height for each in corrected.corrections) > 0
    with ledger.reading() as connection:
        lists = [each for each in kept_lists(connection, "club") if not each.number]
        entries = [entries_as_of(connection, each) for each in lists]
        for kept, rows, before in zip(lists[1:], entries[1:], entries, strict=False):
            was = dict(before.select("player_id", "rating").iter_rows())
            for row in rows.iter_rows(named=True):
                assert row["change"] == row["rating"] - was[row["player_id"]]
            shown = entries_at(connection, kept, places(connection, kept, Wanted()))
            assert {row["player_id"]: row["change"] for row in shown} == dict(
                rows.select("player_id", "change").iter_rows()
            )
            named = [row for row in shown if row["corrected"]]
            assert all(row["published"] != row["rating"] or "played" in row["cause"] for row in named)


def test_a_month_with_play_and_without_a_list_is_named(season):
    made(season, CLOSINGS[0], publish=True)
    second = made(season, CLOSINGS[1])
    third = made(season, CLOSINGS[2])
    assert (second.without_list, third.without_list) == ((), (second.draft.name,))
    assert second.draft.name in third.summary()


def test_a_draft_whose_changes_are_against_another_list_is_made_again(season):
    made(season, CLOSINGS[0], publish=True)
    made(season, CLOSINGS[1])
    third = made(season, CLOSINGS[2])
    publish_list(season, policy="club", name=make_list(season, policy="club", closing=CLOSINGS[1]).draft.name)
    with pytest.raises(StaleDraftError, match="make it again"):
        publish_list(season, policy="club", name=third.draft.name)
    made(season, CLOSINGS[2], publish=True)


def shown_errors(ledger, policy, given):
    """What three events of everybody against everybody show as the ± of every player."""
    put_policy(ledger, policy)
    given = dict.fromkeys(NAMES, given) if given else None
    for number in range(3):
        put_event(ledger, f"Open {number}", f"2026-0{1 + number}-10", round_robin([1, 0.5, 0]), given=given)
        entries = make_list(ledger, policy=policy.name).entries.sort("player_id")
        yield entries["deviation"]


def named(name):
    return preset("club") if name == "club" else replace(preset("club"), name=name, system=name, options={})


@pytest.mark.parametrize("given", [None, 1800.0])
@pytest.mark.parametrize("name", ["club", "pra", "harkness", "glicko2", "whr", "arpad"])
def test_a_plus_minus_falls_with_games(ledger, name, given):
    one, two, three = shown_errors(ledger, named(name), given)
    if given and name in ("club", "pra", "harkness"):  # a K that lags behind is an error of the rating, too
        assert not pl.concat([one, two, three]).has_nulls()
    elif given and name != "arpad":  # so is a figure that lies off what arpad's model makes of the games
        assert one.mean() > two.mean() > three.mean()
    else:
        assert ((one > two) & (two > three)).all()


@pytest.mark.parametrize("given", [None, 1800.0])
@pytest.mark.parametrize("name", ["club", "pra", "harkness"])
def test_plus_minus_on_a_list_is_the_error_that_arpad_rate_prints(ledger, name, given):
    *_, listed = shown_errors(ledger, named(name), given)
    with ledger.reading() as connection:
        recorded = recorded_games(connection, [1, 2, 3])
    rated = arpad.rate(recorded.games, named(name).made(CLOSINGS[-1])).rows
    number = dict(zip(recorded.games.players["name"], recorded.players, strict=True))
    errors = {number[name]: error for name, error in rated.select("player", "error").iter_rows()}
    assert listed.to_list() == pytest.approx(
        [errors[player] for player in sorted(errors)],
        abs=1.0,  # a list goes on from whole points
    )


def test_plus_minus_is_empty_where_there_are_too_many_games(ledger, monkeypatch):
    monkeypatch.setattr("arpad.ledger.lists.MOST_GAMES", 2)
    *_, listed = shown_errors(ledger, named("club"), None)
    assert listed.is_null().all()
