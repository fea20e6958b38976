"""The ways to fit, compared on what they give back."""

import numpy as np
import polars as pl
import pytest

from arpad.moves.ipr.inputs import fit_bias, generated_positions, simulated
from arpad.moves.ipr.model import MoveChoices

POSITIONS = generated_positions(1500, seed=5)


def with_lapses(choices, share, seed):
    """Draw a share of the moves blindly."""
    rng = np.random.default_rng(seed)
    blind = rng.random(len(choices)) < share
    played = np.where(blind, rng.integers(0, choices.delta.shape[1], len(choices)), choices.played)
    return MoveChoices(delta=choices.delta, count=choices.count, played=played)


def test_agents_of_the_model_are_given_back_by_all():
    agent = simulated(POSITIONS, 0.12, 0.5, seed=1)
    table = fit_bias(agent, np.full(len(agent), 2200.0))
    assert table["method"].to_list() == ["equate", "likelihood", "percentile"]
    assert ((table["ratio"] - 1).abs() < 0.06).all()
    assert table.filter(pl.col("method") == "equate")["ratio"].item() == pytest.approx(1, abs=1e-3)


def test_blind_moves_bias_likelihood():
    agent = with_lapses(simulated(POSITIONS, 0.12, 0.5, seed=1), 0.05, seed=2)
    ratio = dict(fit_bias(agent, np.full(len(agent), 2200.0)).select("method", "ratio").iter_rows())
    # Room for a few blunders costs too much error everywhere else: the model's tail is very thin.
    assert ratio["likelihood"] > 1.1
    assert ratio["equate"] == pytest.approx(1, abs=1e-3)


def test_thin_marks_are_left_out():
    agent = simulated(POSITIONS, 0.12, 0.5, seed=1)
    elo = np.where(np.arange(len(agent)) < 50, 1800.0, 2200.0)
    assert set(fit_bias(agent, elo)["elo"]) == {2200.0}
