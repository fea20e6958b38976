from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.event.match import forecast
from arpad.rate.draws import PUBLISHED, probabilities
from arpad.scale import Logistic

curve = Logistic()


@given(D=st.floats(-400, 400), level=st.floats(1000, 3000), games=st.integers(1, 20))
def test_a_model_is_a_share_that_knows_the_level(D, level, games):
    r = probabilities(level + D / 2, level - D / 2).draw
    modelled = forecast(D, games=games, draws=PUBLISHED, level=level, curve=curve)
    shared = forecast(D, games=games, draws=r, curve=curve)
    assert (modelled.won, modelled.drawn, modelled.lost) == pytest.approx((shared.won, shared.drawn, shared.lost), abs=1e-9)  # fmt: skip
    assert modelled.draw_rates == pytest.approx((r, r), abs=1e-12)


@given(D=st.floats(-400, 400), level=st.floats(1000, 3000))
def test_the_expected_score_is_the_curves(D, level):
    found = forecast(D, games=10, draws=PUBLISHED, level=level, white_advantage=34.4, curve=curve)
    E = (curve.expected(D + 34.4) + curve.expected(D - 34.4)) / 2
    assert found.expected_score == pytest.approx(10 * E)
    other = forecast(-D, games=10, draws=PUBLISHED, level=level, white_advantage=34.4, curve=curve)
    assert other.won == pytest.approx(found.lost)


def test_more_draws_at_the_top_make_the_favourite_surer():
    top = forecast(50, games=12, draws=PUBLISHED, level=2750, curve=curve)
    club = forecast(50, games=12, draws=PUBLISHED, level=1600, curve=curve)
    assert top.sigma < club.sigma
    assert top.won > club.won


def test_a_certain_win_leaves_no_room():
    found = forecast(2000, games=4, draws=PUBLISHED, level=2000)
    assert (found.won, found.draw_rates) == (1.0, (0.0, 0.0))


@pytest.mark.parametrize("level", [None, math.nan])
def test_a_model_needs_the_level(level):
    with pytest.raises(UsageError):
        forecast(50, games=4, draws=PUBLISHED, level=level)
