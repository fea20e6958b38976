from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.event.performance import performance
from arpad.rate.elo_book.rules import fide_entry, first_performances, performance_rating
from arpad.scale import Logistic, Table


def enter(new, sides, rated, **options):
    return first_performances(
        new, sides, rated, **{"level": lambda: 1500.0, "curve": Logistic(), "small_samples": False} | options
    )


def test_it_is_the_small_sample_performance_of_the_event_room():
    R = performance(6, [1700.0] * 9, method="small-sample").rating
    assert performance_rating(6, [1700.0] * 9) == pytest.approx(R)


def test_widely_spread_opponents_are_rated_exactly():
    opponents = [1200.0, 1500.0, 1900.0, 2300.0]
    exact = performance(2.5, opponents, curve=Logistic()).rating
    found = performance_rating(2.5, opponents, curve=Logistic(), small_samples=False)
    assert found == pytest.approx(exact, abs=1e-6)
    near = [1700.0, 1750.0, 1800.0]
    by_1 = 1750 + Table().difference(2 / 3)
    assert performance_rating(2, near, small_samples=False) == pytest.approx(by_1)


@given(N=st.integers(1, 60), small=st.booleans(), won=st.booleans())
def test_perfect_scores_have_a_bound(N, small, won):
    found = performance_rating(N if won else 0, [1800.0] * N, small_samples=small)
    size = abs(found - 1800)
    assert (found > 1800) == won
    if small and N < 30:
        assert 204 <= size < 400  # 400 times a factor from .51 up [8.85]
    else:
        assert size == 800


@given(N=st.integers(1, 40), halves=st.data())
def test_more_points_are_never_a_lower_rating(N, halves):
    W = halves.draw(st.integers(0, 2 * N - 1)) / 2
    opponents = [1800.0] * N
    # F of table 8.85 is printed in hundredths: between 350 and 400 points F·D_p dips by a fraction
    assert performance_rating(W + 0.5, opponents) >= performance_rating(W, opponents) - 1


def test_rated_opponents_come_first_then_each_other():
    # 0 beat a rated 1600 and drew with 1; 1 met only 0.
    sides = {0: [(9, 1.0), (9, 0.0), (1, 0.5)], 1: [(0, 0.5)], 9: [(0, 0.0), (0, 1.0)]}
    once = enter([0, 1], sides, {9: 1600.0}, second_cycle=False)
    assert once == pytest.approx({0: 1600, 1: 1600})
    sides = {0: [(9, 0.5), (1, 1.0)], 1: [(9, 0.5), (0, 0.0)], 9: [(0, 0.5), (1, 0.5)]}
    once = enter([0, 1], sides, {9: 1600.0}, second_cycle=False)
    twice = enter([0, 1], sides, {9: 1600.0})
    assert once == pytest.approx({0: 1600, 1: 1600})  # the game with each other did not count
    D = Logistic().difference(0.75)
    assert twice == pytest.approx({0: 1600 + D, 1: 1600 - D})  # now it did [1.67]


def test_a_group_that_nobody_rated_has_met_stays_around_its_level():
    sides = {0: [(1, 1.0), (2, 0.5), (1, 0.5)], 1: [(0, 0.0), (2, 0.5), (0, 0.5)], 2: [(0, 0.5), (1, 0.5)]}
    for second in (False, True):
        found = enter([0, 1, 2], sides, {}, level=lambda: 1700.0, second_cycle=second)
        assert math.fsum(found.values()) / 3 == pytest.approx(1700)
        assert found[0] > found[2] > found[1]


def test_fide_variant():
    assert fide_entry(4.5, 9, average=2250, performance=2250) == 2250
    assert fide_entry(9, 9, average=2250, performance=2700) == 2250
    assert fide_entry(4, 9, average=2250, performance=2210) == 2210


@pytest.mark.parametrize(("score", "opponents"), [(1, []), (3, [1800.0, 1800.0]), (-1, [1800.0])])
def test_bad_arguments(score, opponents):
    with pytest.raises(UsageError):
        performance_rating(score, opponents)
