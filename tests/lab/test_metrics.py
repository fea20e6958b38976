"""Log loss, Brier, deviance and accuracy: by hand, and as they must behave."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.lab.metrics import KAGGLE_CLIP, SUREST, deviances, hits, log_losses, scores, squares

S = np.array([1.0, 0.5, 0.0, 1.0])
E = np.array([0.8, 0.8, 0.8, 0.5])

results = st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1)), min_size=1, max_size=40)


def test_figures_by_hand():
    lost = [-math.log(0.8), -(math.log(0.8) + math.log(0.2)) / 2, -math.log(0.2), math.log(2)]
    assert log_losses(S, E) == pytest.approx(lost)
    assert squares(S, E) == pytest.approx([0.04, 0.09, 0.64, 0.25])
    assert deviances(S, E) == pytest.approx([x / math.log(10) for x in lost])
    assert hits(S, E).tolist() == [1.0, 0.5, 0.0, 0.5]
    found = scores(S, E)
    assert (found.n, found.decisive) == (4, 3)
    assert found.accuracy == pytest.approx(0.5)
    assert found.accuracy_decisive == pytest.approx(0.5)
    assert found.mean_expected == pytest.approx(0.725)
    assert found.mean_score == pytest.approx(0.625)


def test_what_was_held_for_impossible_costs_much_and_not_everything():
    assert log_losses(np.array([1.0]), np.array([0.0])) == pytest.approx([-math.log(SUREST)])
    assert deviances(np.array([1.0]), np.array([0.0])) == pytest.approx([-math.log10(KAGGLE_CLIP)])


def test_a_coin_has_the_log_of_two():
    coin = np.full(4, 0.5)
    assert scores(S, coin).log_loss == pytest.approx(math.log(2))
    assert scores(S, coin).deviance == pytest.approx(math.log10(2))
    assert scores(S, coin).accuracy == 0.5


def test_nothing_has_no_mean():
    nothing = scores(np.zeros(0), np.zeros(0))
    assert nothing.n == 0
    assert math.isnan(nothing.log_loss)
    with pytest.raises(UsageError, match="for each of 4 games, found 1"):
        scores(S, np.array([0.5]))


@given(results)
def test_colours_do_not_matter(games):
    won, hoped = (np.array(column) for column in zip(*games, strict=True))
    here, there = scores(won, hoped), scores(1 - won, 1 - hoped)
    for name in ("log_loss", "brier", "deviance", "accuracy"):
        assert getattr(here, name) == pytest.approx(getattr(there, name), abs=1e-9)


@given(st.floats(0.05, 0.95), st.floats(0.02, 0.98))
def test_the_truth_has_the_smallest_loss(truth, said):
    """Proper scores: who says the true expectation loses least on average."""
    results, weights = np.array([1.0, 0.5, 0.0]), np.array([truth**2, 2 * truth * (1 - truth), (1 - truth) ** 2])  # fmt: skip
    for loss in (log_losses, squares, deviances):
        honest = (weights * loss(results, np.full(3, truth))).sum()
        assert honest <= (weights * loss(results, np.full(3, said))).sum() + 1e-12
