"""Change and games on a list are since the last published list; a ± falls with games or is not there."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from arpad.ledger.list_making import StaleDraftError, make_list, publish_list
from arpad.ledger.policy import preset
from tests.ledger.ledgers import NAMES, put_event, put_policy, round_robin

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
def test_a_plus_minus_falls_with_games_or_is_not_shown(ledger, name, given):
    one, two, three = shown_errors(ledger, named(name), given)
    if given and name in ("club", "pra", "harkness"):  # they take a given rating for exact
        assert one.is_null().all()
        assert two.is_null().all()
    else:
        assert ((one > two) & (two > three)).all()
