"""The compiled fit of whole histories agrees with the readable reference."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arpad.rate.glicko.steps import SCALE
from arpad.rate.whr import curves as whr_fit
from arpad.rate.whr import reference as whr_reference
from arpad.rate.whr.curves import run
from arpad.rate.whr.system import Whr
from tests.rate.histories import FIRST, histories, world


@pytest.fixture
def kernel(monkeypatch):
    """Fit by the kernels, however few the games are."""

    def _fit(points, **options):
        with monkeypatch.context() as patch:
            patch.setattr(whr_fit, "KERNEL_FROM", 0)
            patch.setattr(whr_fit, "EXACT_UP_TO", 0)
            return whr_fit.fit(points, **options)

    return _fit


@pytest.fixture
def reference(monkeypatch):
    def _fit(points, **options):
        with monkeypatch.context() as patch:
            patch.setattr(whr_fit, "KERNEL_FROM", 10**9)
            patch.setattr(whr_fit, "EXACT_UP_TO", 0)
            return whr_fit.fit(points, **options)

    return _fit


@settings(max_examples=40)
@given(
    games=histories(),
    w2=st.sampled_from([0.01, 7.0, 300.0]),
    prior=st.sampled_from([0.1, 2.0, 20.0]),
    advantage=st.sampled_from([0.0, 35.0, None]),
    errors=st.sampled_from(["alone", "opponents", "whole"]),
)
def test_kernel_agrees_with_reference(kernel, reference, games, w2, prior, advantage, errors):
    points = run(Whr(w2=w2, prior=prior), games).points
    options = {"white_advantage": advantage, "tolerance": 1e-7, "errors": errors}
    fast, slow = kernel(points, **options), reference(points, **options)
    assert fast.converged
    assert slow.converged
    np.testing.assert_allclose(fast.rating, slow.rating, rtol=0, atol=1e-4)
    np.testing.assert_allclose(fast.variance, slow.variance, rtol=1e-6)
    np.testing.assert_allclose(fast.covariance, slow.covariance, rtol=1e-6, atol=1e-6)
    assert fast.white_advantage == pytest.approx(slow.white_advantage, abs=1e-4)


@settings(max_examples=30)
@given(games=histories())
def test_the_top_is_the_top(kernel, games):
    """No point moved either way makes the whole more probable."""
    points = run(Whr(), games).points
    found = kernel(points, tolerance=1e-6)
    theta = found.rating / SCALE
    top = whr_reference.log_posterior(points, theta, 0.0)
    for i in range(0, len(points), max(1, len(points) // 7)):
        for move in (-0.01, 0.01):
            moved = theta.copy()
            moved[i] += move
            assert whr_reference.log_posterior(points, moved, 0.0) < top


@settings(max_examples=30)
@given(games=histories(), w2=st.sampled_from([0.01, 7.0, 300.0]))
def test_errors_lie_between_opponents_known_exactly_and_the_truth(kernel, games, w2):
    points = run(Whr(w2=w2), games).points
    alone = kernel(points, tolerance=1e-6, errors="alone").variance
    told = kernel(points, tolerance=1e-6, errors="opponents")
    exact = whr_reference.exact_variances(points, told.rating / SCALE, 0.0)[0] * SCALE**2
    assert (alone <= told.variance * (1 + 1e-9)).all()
    assert (told.variance <= exact * (1 + 1e-3)).all()
    assert (kernel(points, tolerance=1e-6).variance >= told.variance * (1 - 1e-9)).all()


@pytest.mark.parametrize(("players", "games"), [(8, 300), (40, 200), (150, 600)])
def test_errors_of_a_pool_are_near_the_truth(kernel, players, games):
    points = run(Whr(), world(1, players=players, games=games)[0]).points
    told = kernel(points, tolerance=1e-4)
    exact = whr_reference.exact_variances(points, told.rating / SCALE, 0.0)[0] * SCALE**2
    assert np.sqrt(told.variance / exact).mean() == pytest.approx(1.0, abs=0.02)
    assert np.abs(np.sqrt(told.variance / exact) - 1).max() < 0.06


@pytest.mark.parametrize("times", [1, 2, 4])
def test_errors_do_not_depend_on_strangers(monkeypatch, times):
    """A pair that met a few times has the same errors alone and in a file with a large group."""
    from arpad.model import Games

    rng = np.random.default_rng(times)
    many = rng.integers(2, 32, 150)
    white = np.r_[np.zeros(times, dtype=int), many]
    black = np.r_[np.ones(times, dtype=int), 2 + (many - 2 + rng.integers(1, 30, 150)) % 30]
    score = np.r_[np.arange(times) % 2, rng.integers(0, 3, 150) / 2]
    days = [FIRST + dt.timedelta(days=int(n)) for n in [*range(0, 40 * times, 40), *rng.integers(0, 900, 150)]]  # fmt: skip
    columns = {"white": white, "black": black, "score": score, "date": days}
    names = [f"P{i}" for i in range(32)]
    both = run(Whr(), Games.assemble(columns, {"name": names})).points
    pair = run(Whr(), Games.assemble({k: v[:times] for k, v in columns.items()}, {"name": names[:2]})).points  # fmt: skip
    alone = whr_fit.fit(pair, tolerance=1e-8)
    monkeypatch.setattr(whr_fit, "EXACT_UP_TO", len(pair))
    told = whr_fit.fit(both, tolerance=1e-8)
    np.testing.assert_allclose(told.variance[: len(pair)], alone.variance, rtol=1e-9)
    np.testing.assert_allclose(told.covariance[: len(pair)], alone.covariance, rtol=1e-9)
    assert not np.isnan(told.covariance).any()
    exact = whr_reference.exact_variances(both, told.rating / SCALE, 0.0)[0] * SCALE**2
    assert np.sqrt(told.variance / exact).mean() == pytest.approx(1.0, abs=0.03)
    assert (told.variance[len(pair) :] != exact[len(pair) :]).any()


def test_errors_are_exact_where_games_make_no_circle(kernel):
    """A played B, B played C, C played D, each on the same two days or on their own."""
    from arpad.model import Games

    columns = {"white": [0, 1, 2], "black": [1, 2, 3], "score": [1.0, 0.0, 0.5], "date": [FIRST, FIRST.replace(year=2003), FIRST.replace(year=2004)]}  # fmt: skip
    points = run(Whr(), Games.assemble(columns, {"name": list("ABCD")})).points
    told = kernel(points, tolerance=1e-8)
    exact, beside = whr_reference.exact_variances(points, told.rating / SCALE, 0.0)
    np.testing.assert_allclose(told.variance, exact * SCALE**2, rtol=1e-6)
    np.testing.assert_allclose(told.covariance, beside * SCALE**2, rtol=1e-6)


def test_what_is_left_to_go_is_less_than_the_last_change(kernel):
    games, _ = world(3, players=120, games=3000)
    points = run(Whr(), games).points
    top = kernel(points, tolerance=1e-8).rating
    for tolerance in (10.0, 1.0, 0.1):
        found = kernel(points, tolerance=tolerance)
        assert found.change < tolerance
        assert np.abs(found.rating - top).max() < found.change


def test_a_beginning_elsewhere_ends_at_the_same_top(kernel):
    games, _ = world(4, players=30, games=1200)
    points = run(Whr(), games).points
    far = np.random.default_rng(0).normal(1500, 700, len(points))
    here, there = kernel(points, tolerance=1e-6), kernel(points, tolerance=1e-6, start=far)
    np.testing.assert_allclose(here.rating, there.rating, atol=1e-3)


def test_steps_that_are_not_enough_are_said(kernel, monkeypatch):
    games, _ = world(5, players=30, games=1200)
    points = run(Whr(), games).points
    monkeypatch.setattr(whr_fit, "MOST_STEPS", 2)
    assert not kernel(points, tolerance=1e-6).converged
