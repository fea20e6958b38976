"""Printed errors in worlds with known strengths."""

from __future__ import annotations

import numpy as np
import pytest

from arpad.errors import UsageError
from arpad.lab.coverage import WORLDS, World, coverage, world_games
from arpad.rate import SYSTEMS, system

SMALL = {"lot": World(players=40, rounds=12)}


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_has_a_row(name):
    found = coverage([system(name)], SMALL, seeds=1).rows.row(0, named=True)
    assert found["system"] == name
    assert found["covered"] is None or 0 <= found["covered"] <= 1
    assert (found["covered"] is None) == (found["rmse"] is None)


@pytest.mark.parametrize("name", ["arpad", "whr", "glicko", "glicko2"])
def test_where_players_meet_by_lot_errors_hold_the_truth(name):
    found = coverage([system(name)], SMALL, seeds=2).rows.row(0, named=True)
    assert found["covered"] >= 0.9


@pytest.mark.parametrize("title", WORLDS)
def test_worlds_are_whole_and_the_same_again(title):
    games, strength = world_games(WORLDS[title], 1)
    again, same = world_games(WORLDS[title], 1)
    assert games.fingerprint() == again.fingerprint()
    assert np.array_equal(strength, same)
    assert (games.table["white"] != games.table["black"]).all()


def test_unknown_pairings_are_named():
    with pytest.raises(UsageError, match="neighbours"):
        World(pairing="fate")
