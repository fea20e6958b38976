from __future__ import annotations

import pytest

from arpad.errors import UsageError
from arpad.lab.pra_calibration import AUTHOR, calibrate, pra_with
from arpad.lab.worlds import World, world_curve
from arpad.rate.pra.system import Pra
from tests.lab.seasons import season


def test_the_author_is_where_the_search_begins():
    assert pra_with({}) == Pra()
    assert AUTHOR == {"k": 9.0, "steady": 2.625, "fresh": 0.875, "turning": 0.5, "omega": 0.15}


def test_a_search_finds_what_another_world_needs():
    """In a logistic world PRA's K moves ratings too far: a smaller one leaves fewer out of spec."""
    logistic = season(players=400, rounds=200, world=World(curve=world_curve("logistic")))
    told = []
    found = calibrate(logistic, ["k"], budget=15, seasons=2, checks=5, progress=lambda *n: told.append(n))
    assert found.found["k"] < 8
    assert found.gain > 3 * found.gain_error > 0
    assert found.found_value < found.author_value
    assert told[-1][0] == found.tried.height <= 15
    table = found.table().row(0, named=True)
    assert table["author"] == 9.0
    assert table["from"] <= table["found"] <= table["to"]
    assert "k " in found.summary()
    # Candidates differ by what they do, not by luck: the first of them is the author's.
    assert found.tried["k"][0] == 9.0
    assert found.tried["value"].min() == found.tried.filter("as_good")["value"].min()
    # The comparison is on seasons that the search has not seen.
    assert found.check.seeds == [3, 4, 5, 6, 7]


def test_the_same_search_twice():
    once, again = (calibrate(season(players=60, rounds=60), budget=12, seasons=1, checks=2) for _ in range(2))
    assert once.found == again.found
    assert set(once.found) == set(AUTHOR)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"names": ["x"]}, "expected constants to calibrate, of k, steady"),
        ({"names": []}, "expected constants"),
        ({"names": ["k", "k"]}, "each once"),
        ({"objective": "speed"}, "expected an objective"),
        ({"budget": 3}, "budget of 10"),
        ({"checks": 1}, "2 or more to check"),
    ],
)
def test_searches_that_cannot_be(options, words):
    with pytest.raises(UsageError, match=words):
        calibrate(season(), **options)
