"""The exact performance is where halving the interval ends."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from arpad.event.performance import MANY, WIDEST, performance
from arpad.scale import Logistic

CURVE = Logistic()
fields = st.lists(st.floats(1000, 2900), min_size=1, max_size=MANY + 8)


def halved(score, opponents, curve):
    low, high = min(opponents) - WIDEST, max(opponents) + WIDEST
    for _ in range(200):
        middle = (low + high) / 2
        if math.fsum(curve.expected(middle - R) for R in opponents) < score:
            low = middle
        else:
            high = middle
    return (low + high) / 2


@given(fields, st.data())
def test_it_is_the_rating_whose_expected_score_is_the_score(opponents, data):
    score = data.draw(st.integers(1, 2 * len(opponents) - 1)) / 2
    curve = Logistic(class_interval=data.draw(st.sampled_from([100.0, 200.0, 350.0])))
    found = performance(score, opponents, curve=curve)
    assume(
        found.error is not None and found.error < 1e5
    )  # opponents so far apart that any rating between explains it
    assert found.rating == pytest.approx(halved(score, opponents, curve), abs=1e-6)


@given(st.floats(0, 3000), st.integers(1, 60), st.data())
def test_against_equals_it_is_the_closed_form(rating, games, data):
    score = data.draw(st.integers(1, 2 * games - 1)) / 2
    wanted = rating + CURVE.difference(score / games)
    assert performance(score, [rating] * games).rating == pytest.approx(wanted, abs=1e-6)


@given(fields)
def test_the_error_is_the_same_one_at_a_time_as_all_at_once(opponents):
    times = 1 + MANY // len(opponents)
    whole = performance(times * len(opponents) / 2, opponents * times)
    assume(whole.rating is not None and whole.error is not None and whole.error < 1e5)
    few = performance(len(opponents) / 2, opponents)
    assert few.rating == pytest.approx(whole.rating, abs=1e-6)
    assert few.error == pytest.approx(whole.error * math.sqrt(times), rel=1e-6)


@pytest.mark.parametrize("score", [0.0, 3.0, 1e-18, 3 - 1e-18])
def test_no_rating_that_is_near_explains_all_or_nothing(score):
    assert performance(score, [2000.0] * 3).rating is None


def test_opponents_thousands_of_points_apart_have_an_answer():
    assert 0 < performance(1.0, [0.0, 9000.0]).rating < 9000
