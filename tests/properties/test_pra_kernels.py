"""The compiled steps of PRA agree exactly with the text's program in plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arpad.rate.pra.kernels import basic_step, boost_step, expected_pra
from arpad.rate.pra.steps import BOOSTING, STATE, Boosting, PraPlayer, basic, boost, expected, newcomers
from arpad.scale import PraCurve

OTHER = Boosting(
    steady=1.5, fresh=0.7, turning=0.1, block=8, until=24, late_block=16, late_until=56, omega=0.8
)
differences = st.floats(-4000, 4000)


@given(D=differences)
def test_the_curve_is_the_one_of_scale(D):
    assert expected_pra(D) == pytest.approx(PraCurve().expected(D), abs=1e-15)
    assert expected_pra(D) == expected(D)


@given(rating=st.floats(-500, 3500), D=differences, score=st.floats(0, 1), k=st.floats(0, 60))
def test_basic_step(rating, D, score, k):
    assert basic_step(rating, rating + D, score, k) == basic(rating, rating + D, score, k=k)


def same(state, player):
    row = state[0]
    assert row["sums"].tolist() == player.sums
    for name in ("games", "measured", "direction", "peak", "trough"):
        assert row[name] == getattr(player, name), name


@pytest.mark.parametrize("constants", [BOOSTING, OTHER], ids=["text", "other"])
@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), drift=st.floats(-3, 3), joined=st.integers(0, 90))
def test_boost_step(constants, seed, drift, joined):
    """Rising, falling and aimless players, from the first game or from the middle of a block."""
    moves = np.random.default_rng(seed).normal(drift, 6, 360)
    state, player = newcomers(1), PraPlayer(games=joined)
    state["games"] = joined
    fast = slow = 1500.0
    for at, move in enumerate(moves):
        fast = boost_step(state, 0, fast + move * (1 if at < 200 else -1), constants)
        slow = boost(player, slow + move * (1 if at < 200 else -1), constants)
        assert fast == slow
        same(state, player)


def test_after_a_correction_nothing_is_boosted():
    state, player = newcomers(1), PraPlayer(boosting=False)
    state["boosting"] = 0
    for game in range(340):
        assert boost_step(state, 0, 1500.0 + game, BOOSTING) == 1500.0 + game
        assert boost(player, 1500.0 + game) == 1500.0 + game
    assert state["games"][0] == player.games == 340


def test_a_player_is_one_cache_line():
    assert STATE.itemsize == 64
