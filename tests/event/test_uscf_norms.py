from __future__ import annotations

import math
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.event.norms.uscf import NormSchedule, expected_score, expected_table, norms_earned, score_needed

OPPONENTS = [1800, 1900, 2000, 2100]
ratings = st.lists(st.integers(100, 2900), min_size=4, max_size=14)


def test_every_delta_of_2_2_and_2_5(golden):
    rows = golden("uscf1994_2_2.csv")
    assert len(rows) == 17
    for row in rows:
        delta = NormSchedule().delta(int(row["games"]), int(row["norms"]))
        assert f"{delta:.3f}" == row["delta"]


def test_the_exact_schedule_differs_where_the_report_rounded_first():
    exact = NormSchedule(exact=True)
    assert f"{exact.delta(8):.3f}" == "0.867"  # printed .865, from .306
    for k, c in enumerate(exact.coefficients, start=1):
        # by its definition: a score above n/2 + Δ has probability P^k when a game has variance 1/4
        assert 1 - NormalDist().cdf(2 * c) == pytest.approx(0.27**k, rel=1e-9)
        assert c == pytest.approx(NormSchedule().coefficients[k - 1], abs=5e-4)
    assert exact.parameters()["P"] == 27.0


@given(P=st.floats(0.01, 99), Q=st.floats(0.01, 99), games=st.integers(4, 30))
def test_a_smaller_P_and_more_norms_ask_for_more(P, Q, games):
    low, high = sorted((P, Q))
    harder, easier = NormSchedule(low, exact=True), NormSchedule(high, exact=True)
    for k in range(1, 6):
        assert harder.delta(games, k) >= easier.delta(games, k)
    assert list(harder.coefficients) == sorted(harder.coefficients)


def test_expected_scores_of_2_5(golden):
    rows = golden("uscf1994_2_5_expected.csv")
    for row in rows:
        assert f"{expected_score(int(row['rating']), OPPONENTS):.3f}" == row["expected"]
    table = expected_table(OPPONENTS, [int(r["rating"]) for r in rows], score=3.5)
    assert [f"{e:.3f}" for e in table["expected"]] == [r["expected"] for r in rows]
    assert table["norms"].to_list() == [5, 4, 4, 3, 3, 2, 1, 1, 0, 0]
    assert table.filter(table["level"] == 2300)["norms_1"].to_list() == [None]


def test_both_examples_of_2_5(golden):
    rows = golden("uscf1994_2_5.csv")
    proposed = [r for r in rows if r["system"] == "proposed"]
    for row in proposed:
        games, level = int(row["games"]), int(row["level"])
        opponents = OPPONENTS * (games // 4)
        assert norms_earned(float(row["score"]), opponents, level) == int(row["norms"])
        if row["sum"]:
            delta = NormSchedule().delta(games, int(row["norms"]))
            assert f"{delta:.3f}" == row["delta"]
            assert f"{expected_score(level, opponents) + delta:.3f}" == row["sum"]
    # nothing above what is printed, and the title everywhere below
    for games, score, first, last in ((4, 3.5, 1500, 2100), (8, 7.0, 1800, 2100)):
        opponents = OPPONENTS * (games // 4)
        printed = [int(r["level"]) for r in proposed if int(r["games"]) == games]
        assert (min(printed), max(printed)) == (first, last)
        assert norms_earned(score, opponents, last + 100) == 0
        assert all(norms_earned(score, opponents, lv) == 5 for lv in range(100, first, 100))
    # of the system before, only Δ is printed: 2100 it was, by the same expected score
    old = next(r for r in rows if r["system"] == "current")
    assert f"{expected_score(2100, OPPONENTS) + float(old['delta']):.3f}" == old["sum"]
    assert float(old["sum"]) < float(old["score"])


@given(opponents=ratings, level=st.integers(100, 2900), half=st.integers(0, 28), k=st.integers(1, 5))
def test_the_score_needed_is_the_least_that_earns(opponents, level, half, k):
    needed = score_needed(opponents, level, k)
    score = min(half / 2, len(opponents))
    earned = norms_earned(score, opponents, level)
    assert (earned >= k) == (needed is not None and score >= needed)
    # a stronger field or a lower level never earns less
    assert norms_earned(score, [o + 50 for o in opponents], level) >= earned
    assert norms_earned(score, opponents, level - 100) >= earned
    assert norms_earned(score, opponents[::-1], level) == earned


def test_a_norm_must_exceed():
    # the level's expected score is 2 of 4; P = 50 makes Δ nothing, and 2 does not exceed 2
    even = NormSchedule(50)
    assert even.delta(4) == 0
    assert norms_earned(2, [1500] * 4, 1500, even) == 0
    assert norms_earned(2.5, [1500] * 4, 1500, even) == 1
    assert score_needed([1500] * 4, 1500, 1, even) == 2.5
    assert score_needed([2900] * 4, 100, 1, NormSchedule(99)) == 0.0


def test_bad_questions():
    for bad in (0, 100, -1, math.nan, 1e-9):
        with pytest.raises(UsageError, match="expected P"):
            NormSchedule(bad)
    assert norms_earned(3, [1000] * 3, 400) == 0  # three games earn nothing
    assert score_needed([1000] * 3, 400) is None
    for score in (-0.5, 4.5, math.nan):
        with pytest.raises(UsageError, match="expected a score"):
            norms_earned(score, [1000] * 4, 400)
    with pytest.raises(UsageError, match="expected ratings"):
        expected_score(1500, [math.nan])
    with pytest.raises(UsageError, match="one opponent"):
        expected_score(1500, [])
    with pytest.raises(UsageError, match="1 to 5 norms"):
        score_needed([1500] * 4, 1500, 0)
    for games, norms in ((0, 1), (4, 0), (4, 6)):
        with pytest.raises(UsageError, match="expected at least one game"):
            NormSchedule().delta(games, norms)
