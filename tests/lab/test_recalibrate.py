"""White's advantage and scale: found again, one answer, and never worse on what they were fitted to."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.lab.metrics import log_losses
from arpad.lab.walk import STEEPEST, recalibration


def drawn(a, b, n=60_000, seed=3):
    rng = np.random.default_rng(seed)
    E = rng.beta(2, 2, n)
    truth = 1 / (1 + np.exp(-a - b * np.log(E / (1 - E))))
    return rng.binomial(2, truth) / 2, E


@pytest.mark.parametrize(("a", "b"), [(0.2, 1.0), (0.0, 0.7), (-0.1, 1.6), (0.3, -0.5)])
def test_what_games_were_made_with_is_found(a, b):
    found = recalibration(*drawn(a, b))
    assert found.a == pytest.approx(a, abs=0.02)
    assert found.b == pytest.approx(b, abs=0.03)
    assert found.n == 60_000


def test_points_of_advantage_are_those_of_the_scale():
    S, E = drawn(0.0, 1.0)
    logit = np.log(E / (1 - E))
    moved = 1 / (1 + np.exp(-(logit - 35 * np.log(10) / 400)))  # blind to 35 points for White
    assert recalibration(S, moved).white_advantage == pytest.approx(35, abs=4)


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1)), min_size=1, max_size=30))
def test_the_fit_is_never_worse_and_never_wild(games):
    S, E = (np.array(column) for column in zip(*games, strict=True))
    found = recalibration(S, E)
    assert found.log_loss <= log_losses(S, E).mean() + 1e-9
    assert abs(found.a) <= STEEPEST
    assert abs(found.b) <= STEEPEST
    assert np.all((found.apply(E) >= 0) & (found.apply(E) <= 1))


def test_the_minimum_is_one():
    S, E = drawn(0.1, 0.8, n=5_000)
    found = recalibration(S, E)
    logit = np.log(E / (1 - E))
    for da, db in [(0.01, 0), (-0.01, 0), (0, 0.01), (0, -0.01)]:
        other = 1 / (1 + np.exp(-(found.a + da) - (found.b + db) * logit))
        assert log_losses(S, other).mean() > found.log_loss


def test_no_games_no_fit():
    with pytest.raises(UsageError, match="there are none"):
        recalibration(np.zeros(0), np.zeros(0))
