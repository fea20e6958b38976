"""The closed form of section 4 of the U.S. report of 1994."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.event.performance import performance
from arpad.event.uscf import uscf_performances
from arpad.rate.uscf.performance import closed_form, exact_rating, guarded_rating

OPPONENTS = {"1": [700, 850, 950, 1200, 1500], "2": [1040] * 5}

fields = st.lists(st.integers(1200, 1800), min_size=2, max_size=9)


def test_the_example_of_section_4():
    opponents = [1600, 1700, 1750, 1800, 1850]
    found = performance(3.5, opponents, method="uscf1994")
    assert round(found.rating) == 1896
    assert found.exact == pytest.approx(1895.88, abs=0.005)
    # by hand: the average 1740 and 400 (2 · 3.5 − 5) / 5
    assert closed_form(3.5, opponents).r_g == pytest.approx(1900)
    assert found.difference == pytest.approx(0, abs=0.01)


def test_every_row_of_examples_1_and_2(golden):
    rows = [row for row in golden("uscf1994_1_7.csv") if row["example"] in OPPONENTS]
    assert len(rows) == 22
    for row in rows:
        opponents = OPPONENTS[row["example"]]
        found = performance(float(row["score"]), opponents, method="uscf1994")
        assert found.rating is not None
        assert round(found.rating) == int(row["NewSys"]), row


def test_the_table_has_every_score():
    table = uscf_performances(OPPONENTS["1"])
    assert table["score"].to_list() == [halves / 2 for halves in range(11)]
    assert table["exact"].is_null().to_list() == [True, *[False] * 9, True]
    assert table["difference"].drop_nulls().abs().max() == pytest.approx(8.2, abs=0.05)


def test_equal_opponents_reach_the_limit():
    """At an even score against equals c is 0, and the quotient has its limit."""
    steps = closed_form(2.5, [1040] * 5)
    assert steps.c == 0
    assert steps.rating == 1040


def test_the_root_of_a_negative_number_is_0():
    steps = closed_form(0, OPPONENTS["1"])
    assert steps.b**2 + 2 * steps.c * (steps.score - steps.a) < 0
    assert steps.D == 0
    assert round(steps.rating) == 256


@given(opponents=fields, data=st.data())
def test_score_and_field_turned_round_turn_the_rating_round(opponents, data):
    score = data.draw(st.integers(0, 2 * len(opponents))) / 2
    here = closed_form(score, opponents).rating
    there = closed_form(len(opponents) - score, [3000 - r for r in opponents]).rating
    assert here == pytest.approx(3000 - there, abs=1e-6)


@given(opponents=fields, shift=st.integers(-500, 500), data=st.data())
def test_everybody_stronger_by_so_much_is_so_much_more(opponents, shift, data):
    score = data.draw(st.integers(0, 2 * len(opponents))) / 2
    moved = closed_form(score, [r + shift for r in opponents]).rating
    assert moved == pytest.approx(closed_form(score, opponents).rating + shift, abs=1e-6)


@given(opponents=fields, data=st.data())
def test_close_to_the_exact_rating_within_600_points(opponents, data):
    score = data.draw(st.integers(1, 2 * len(opponents) - 1)) / 2
    found = performance(score, opponents, method="uscf1994")
    assert abs(found.difference) < 100  # half a point of nine is the furthest
    assert not guarded_rating(score, opponents)[1]
    expected = sum(1 / (1 + 10 ** ((r - found.exact) / 400)) for r in opponents)
    assert expected == pytest.approx(score, abs=1e-6)


@given(opponents=st.lists(st.integers(-2000, 4000), min_size=1, max_size=9), data=st.data())
def test_the_guard_keeps_a_pool_sane(opponents, data):
    score = data.draw(st.integers(0, 2 * len(opponents))) / 2
    rating, _ = guarded_rating(score, opponents)
    exact = exact_rating(score, opponents)
    if exact is not None:
        assert abs(rating - exact) <= 100
    else:
        assert min(opponents) - 2000 < rating < max(opponents) + 2000


def test_opponents_far_apart_are_owned_up_to():
    found = performance(0.5, [2061, 896, 1971, 728, 1952, 2226, 1637], method="uscf1994")
    assert "645 points from the exact rating" in found.note
    lost = performance(1.5, [1, 999999, 999999], method="uscf1994")
    assert lost.rating is None
    assert "so far apart" in lost.note
    assert performance(3, [100, 200, 3500, 3900], method="uscf1994").rating is None
    assert guarded_rating(3, [100, 200, 3500, 3900])[0] == pytest.approx(3700, abs=0.1)


def test_0_and_100_per_cent_are_finite_and_nominal():
    found = performance(0, OPPONENTS["1"], method="uscf1994")
    assert found.exact is None
    assert found.difference is None
    assert "nominal" in found.note
    assert found.parameters["bound"] == "uscf1994"


@pytest.mark.parametrize("method", ["exact", "table", "normal", "linear", "small-sample"])
def test_the_bound_serves_other_methods(method):
    alone = performance(5, OPPONENTS["1"], method=method).rating
    finite = {"linear": 1440, "small-sample": 1244}  # (10) and (70) are
    assert alone == finite.get(method)
    found = performance(5, OPPONENTS["1"], method=method, bound="uscf1994")
    assert round(found.rating or 0) == 2043


@pytest.mark.parametrize(("score", "opponents"), [(1, []), (3, [1500]), (math.nan, [1500])])
def test_bad_input(score, opponents):
    with pytest.raises(UsageError, match="expected a"):
        closed_form(score, opponents)


def test_command_line(run):
    def found(score):
        ask = ("performance", "--score", score, "--opponents", "700,850,950,1200,1500")
        return run(*ask, "--method", "uscf1994", "--format", "json")

    none, every = (json.loads(found(score).out) for score in (0, 5))
    assert round(none["performance"]) == 256
    assert round(every["performance"]) == 2043
    assert none["exact"] is None
    middle = json.loads(found(3.5).out)
    assert round(middle["performance"]) == 1255
    assert middle["difference"] == pytest.approx(middle["performance"] - middle["exact"], abs=0.02)
    shown = run(
        "performance", "--score", 3.5, "--opponents", "1600,1700,1750,1800,1850", "--method", "uscf1994"
    )  # fmt: skip
    assert "Exact, by iteration: 1895.88 (+0.00)." in shown.out
