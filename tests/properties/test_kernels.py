"""Compiled rating loops agree with the readable reference, for every curve, K and period."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arpad.model import Games
from arpad.rate import Elo, elo, k_policy
from arpad.rate import elo_kernels as kernels
from arpad.scale import Linear, Logistic, Normal, PraCurve, Table

CURVES = [Logistic(), Normal(), Linear(), Table(), Table(interpolate=True), PraCurve()]
POLICIES = ["20", "32@1450,24@1550,16", "fide-1986", "fide"]


@st.composite
def pools(draw):
    n = draw(st.integers(2, 8))
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1), st.sampled_from([0.0, 0.5, 1.0, 0.25]))
    rows = [(a, b, s) for a, b, s in draw(st.lists(pair, min_size=1, max_size=60)) if a != b]
    start = draw(st.lists(st.floats(1000, 2600), min_size=n, max_size=n))
    events = sorted(draw(st.lists(st.integers(0, 4), min_size=len(rows), max_size=len(rows))))
    columns = {
        "white": [r[0] for r in rows],
        "black": [r[1] for r in rows],
        "score": [r[2] for r in rows],
        "event": events,
    }
    return Games.assemble(columns, {"name": [f"P{i}" for i in range(n)], "rating": start})


@pytest.mark.parametrize("period", ["game", "event"])
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("curve", CURVES, ids=lambda c: f"{c.name}{getattr(c, 'interpolate', '')}")
@settings(max_examples=15)
@given(games=pools())
def test_kernel_agrees_with_reference(curve, policy, period, games):
    system = Elo(curve=curve, k=k_policy(policy), period=period)
    slow = system.rate(games).rows.sort("player")
    before, elo.KERNEL_FROM = elo.KERNEL_FROM, 0
    try:
        fast = system.rate(games).rows.sort("player")
    finally:
        elo.KERNEL_FROM = before
    np.testing.assert_allclose(fast["rating"], slow["rating"], atol=1e-8)
    assert fast["games"].equals(slow["games"])


@given(st.lists(st.floats(-45, 45) | st.sampled_from([0.0, math.inf, -math.inf, 1e300]), max_size=50))
def test_our_own_exponential(powers):
    """Within 3 units of the last place; what lies farther out counts as e^±40."""
    for x in powers:
        exact = math.exp(min(kernels.FAR, max(-kernels.FAR, x)))
        assert abs(kernels._e_to(x) - exact) <= 3 * math.ulp(exact)


def test_what_is_no_number_stays_none():
    assert math.isnan(kernels._e_to(math.nan))
    ratings = np.array([math.nan, 1500.0, 1500.0])
    two = np.array([0, 1], dtype=np.int32), np.array([1, 2], dtype=np.int32)
    kernels.each_game_simple(*two, np.ones(2), ratings, np.zeros(3, dtype=np.int64), 0.006, 20.0)
    assert np.isnan(ratings).all()


def test_nobody_is_looked_up_behind_the_last_game():
    """Games are fetched ahead: of few games the last one, of none nothing."""
    for n in (0, 1, kernels.AHEAD, kernels.AHEAD + 1):
        ratings, played = np.full(2, 1500.0), np.zeros(2, dtype=np.int64)
        one = np.zeros(n, dtype=np.int32)
        kernels.each_game_simple(one, one + 1, np.ones(n), ratings, played, 0.006, 20.0)
        assert played.tolist() == [n, n]
        assert ratings.sum() == pytest.approx(3000)
        assert (ratings[0] > 1500) == (n > 0)
