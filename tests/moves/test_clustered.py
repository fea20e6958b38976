"""Means over moves of games: the moves of one game hang together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.moves.resampling import clustered_means


def test_one_move_a_game_is_the_usual_standard_error():
    rng = np.random.default_rng(1)
    x = rng.exponential(0.1, 40)
    found = clustered_means(x, np.zeros(40), np.arange(40))
    assert found.mean[0] == pytest.approx(x.mean())
    assert found.error[0] == pytest.approx(x.std(ddof=1) / np.sqrt(40))


def test_a_game_counted_twice_is_no_new_game():
    rng = np.random.default_rng(2)
    x, game = rng.exponential(0.1, 60), np.repeat(np.arange(12), 5)
    once = clustered_means(x, np.zeros(60), game)
    twice = clustered_means(np.r_[x, x], np.zeros(120), np.r_[game, game])
    assert twice.mean[0] == pytest.approx(once.mean[0])
    assert twice.error[0] == pytest.approx(once.error[0])  # as moves, it would be smaller by √2


def test_few_games_fall_back_on_moves():
    found = clustered_means([0.1, 0.2, 0.3, 0.0], [0] * 4, [0, 0, 1, 1])
    assert not found.by_games[0]
    assert found.error[0] == pytest.approx(np.std([0.1, 0.2, 0.3, 0.0], ddof=1) / 2)


def test_nothing_that_varied_makes_nothing_certain():
    assert np.isnan(clustered_means([0.1] * 9, [0] * 9, range(9)).error[0])
    assert np.isnan(clustered_means([0.0] * 3, [0] * 3, [0] * 3).error[0])
    assert np.isnan(clustered_means([0.4], [0], [0]).error[0])


def test_groups_without_moves_have_no_mean():
    found = clustered_means([0.1, 0.2], [1, 1], [0, 1], groups=3)
    assert np.isnan(found.mean).tolist() == [True, False, True]
    assert found.moves.tolist() == [0, 2, 0]
    assert len(clustered_means([], [], [], groups=0).mean) == 0


def test_limits_hold_the_truth_about_as_often_as_they_say():
    """Games differ by more than their moves: errors of single moves would hold it far too seldom."""
    rng = np.random.default_rng(3)
    runs, games, moves = 400, 20, 30
    level = rng.gamma(4, 0.025, (runs, games))
    x = rng.exponential(1.0, (runs, games, moves)) * level[:, :, None]
    group = np.repeat(np.arange(runs), games * moves)
    game = np.tile(np.repeat(np.arange(games), moves), runs)
    found = clustered_means(x.ravel(), group, game)
    inside = ((found.low < 0.1) & (found.high > 0.1)).mean()
    assert 0.91 < inside < 0.98
    alone = x.reshape(runs, -1).std(axis=1) / np.sqrt(games * moves)
    assert (np.abs(x.mean(axis=(1, 2)) - 0.1) < 1.96 * alone).mean() < 0.8


@given(
    rows=st.lists(st.tuples(st.floats(0, 5), st.integers(0, 3), st.integers(0, 8)), min_size=1),
    seed=st.integers(0, 99),
)
def test_the_order_of_moves_and_the_numbers_of_games_do_not_matter(rows, seed):
    value, group, game = (np.array(c) for c in zip(*rows, strict=True))
    order = np.random.default_rng(seed).permutation(len(rows))
    names = np.random.default_rng(seed).permutation(9)
    one = clustered_means(value, group, game, groups=4)
    two = clustered_means(value[order], group[order], names[game[order]], groups=4)
    assert one.mean == pytest.approx(two.mean, nan_ok=True)
    assert one.error == pytest.approx(two.error, nan_ok=True, abs=1e-9)
    known = one.moves > 0
    whole = (one.mean[known] * one.moves[known]).sum() / one.moves.sum()
    assert whole == pytest.approx(value.mean())


def test_a_confidence_of_two_is_refused():
    with pytest.raises(UsageError, match="between 0 and 1"):
        clustered_means([0.1], [0], [0], confidence=2)
