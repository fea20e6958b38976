"""The model of move choice: one root a position, probabilities, likelihood, projections."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arpad.errors import InputError, UsageError
from arpad.moves.ipr.inputs import generated_positions, simulated
from arpad.moves.ipr.kernels import moments
from arpad.moves.ipr.model import (
    MARKS,
    MoveChoices,
    fit,
    log_likelihood,
    move_probabilities,
    percentile_misses,
    probabilities,
    project,
    scaled_loss,
)

SKILL = {"s": st.floats(0.02, 0.5), "c": st.floats(0.2, 1.5)}
LOSSES = st.lists(st.floats(0, 4), min_size=0, max_size=30).map(lambda x: [0.0, *sorted(x)])
POSITIONS = generated_positions(400, seed=7)


def one(losses, played=0, count=None):
    delta = np.array([losses])
    n = np.ones_like(delta) if count is None else np.array([count], dtype=float)
    return MoveChoices(delta=delta, count=n, played=np.array([played]))


class TestProbabilities:
    @given(losses=LOSSES, **SKILL)
    def test_the_kernel_agrees_with_the_reference_and_adds_up_to_one(self, losses, s, c):
        p = probabilities(one(losses), s, c)[0]
        assert math.fsum(p) == pytest.approx(1, abs=1e-12)
        assert p == pytest.approx(move_probabilities(losses, s, c), abs=1e-12)

    @given(losses=LOSSES, **SKILL)
    def test_a_worse_move_is_never_likelier(self, losses, s, c):
        p = probabilities(one(losses), s, c)[0]
        assert (np.diff(p) <= 1e-15).all()

    @given(losses=LOSSES, many=st.integers(2, 40), **SKILL)
    def test_moves_that_stand_together_count_each(self, losses, many, s, c):
        together = probabilities(one(losses, count=[1] * (len(losses) - 1) + [many]), s, c)[0]
        apart = probabilities(one(losses + [losses[-1]] * (many - 1)), s, c)[0]
        assert together == pytest.approx(apart[: len(losses)], abs=1e-12)

    def test_equal_moves_are_equally_likely(self):
        assert probabilities(one([0.0, 0.0, 0.0, 0.0]), 0.1, 0.5)[0] == pytest.approx([0.25] * 4)

    def test_a_forced_move_is_certain(self):
        assert probabilities(one([0.0]), 0.1, 0.5).tolist() == [[1.0]]

    @pytest.mark.parametrize(("s", "c"), [(0, 1), (1, 0), (-1, 1), (math.nan, 1), (1, math.inf)])
    def test_skill_must_be_above_zero(self, s, c):
        with pytest.raises(UsageError, match="above 0"):
            project(POSITIONS, s, c)


class TestScaledLoss:
    @given(a=st.floats(-30, 30), b=st.floats(-30, 30), c=st.floats(-30, 30))
    def test_losses_add_up_along_the_scale(self, a, b, c):
        high, middle, low = sorted((a, b, c), reverse=True)
        both = scaled_loss(high, middle) + scaled_loss(middle, low)
        assert scaled_loss(high, low) == pytest.approx(both, abs=1e-12)

    def test_across_zero_both_logarithms_are_added(self):
        assert scaled_loss(1.0, -2.0) == pytest.approx(math.log(2) + math.log(3))

    def test_a_move_above_the_best_loses_nothing(self):
        assert scaled_loss(0.2, 0.3) == 0


class TestDerivatives:
    @settings(max_examples=25)
    @given(**SKILL)
    def test_likelihood(self, s, c):
        choices = simulated(POSITIONS, s, c, seed=3)
        _, slope = log_likelihood(choices, s, c)
        for axis, step in enumerate(((1e-6 * s, 0), (0, 1e-6 * c))):
            up = log_likelihood(choices, s + step[0], c + step[1])[0].sum()
            down = log_likelihood(choices, s - step[0], c - step[1])[0].sum()
            by_hand = (up - down) / (2 * sum(step))
            assert slope[:, axis].sum() == pytest.approx(by_hand, rel=1e-4, abs=1e-2)

    @settings(max_examples=25)
    @given(**SKILL)
    def test_match_rate_and_average_error(self, s, c):
        mean = moments(POSITIONS.delta, POSITIONS.count, s, c).mean(axis=0)
        for axis, step in enumerate(((1e-6 * s, 0), (0, 1e-6 * c))):
            up = project(POSITIONS, s + step[0], c + step[1])
            down = project(POSITIONS, s - step[0], c - step[1])
            width = 2 * sum(step)
            assert mean[3 + axis] == pytest.approx(
                (up.match_rate - down.match_rate) / width, rel=1e-4, abs=1e-6
            )
            assert mean[5 + axis] == pytest.approx((up.error - down.error) / width, rel=1e-4, abs=1e-6)


class TestFromLines:
    def test_a_move_outside_the_lines_has_one_of_its_own(self):
        choices = MoveChoices.from_lines(
            np.array([[0.5, 0.2], [0.0, np.nan]]),
            legal=np.array([10, 1]),
            played=np.array([-1, 0]),
            own=np.array([-3.0, np.nan]),
        )
        assert choices.count.tolist() == [[1, 1, 1, 7], [1, 0, 0, 0]]
        assert choices.played.tolist() == [2, 0]
        assert choices.loss[0] == pytest.approx(math.log(1.5) + math.log(4))

    def test_it_is_not_left_out(self):
        with pytest.raises(UsageError, match="1 moves played are in none of the lines"):
            MoveChoices.from_lines(np.array([[0.5, 0.2]]), legal=np.array([10]), played=np.array([-1]))

    def test_a_position_without_lines_is_refused(self):
        with pytest.raises(UsageError, match="at least one line"):
            MoveChoices.from_lines(np.array([[np.nan]]), legal=np.array([1]), played=np.array([0]))


class TestFit:
    @pytest.mark.parametrize("method", ["equate", "likelihood", "percentile"])
    @pytest.mark.parametrize(("s", "c"), [(0.08, 0.5), (0.15, 0.45)])
    def test_every_method_finds_an_agent_again(self, method, s, c):
        agent = simulated(generated_positions(20_000, seed=1), s, c, seed=2)
        found = fit(agent, method=method)
        assert found.converged
        assert found.s == pytest.approx(s, rel=0.08)
        assert found.c == pytest.approx(c, rel=0.08)

    def test_equating_gives_match_rate_and_error_back(self):
        agent = simulated(POSITIONS, 0.1, 0.5, seed=4)
        found = fit(agent)
        at = project(agent, found.s, found.c)
        assert at.match_rate == pytest.approx(agent.match_rate, rel=1e-6)
        assert at.error == pytest.approx(agent.scaled_error, rel=1e-6)

    def test_a_fixed_c_leaves_s(self):
        agent = simulated(POSITIONS, 0.1, 0.5, seed=4)
        for method in ("equate", "likelihood", "percentile"):
            assert fit(agent, method=method, c=0.5).c == 0.5
        assert project(agent, fit(agent, c=0.4).s, 0.4).error == pytest.approx(agent.scaled_error)

    def test_blunders_pull_the_likelihood_away_but_not_the_equations(self):
        """One move in fifty at random: likelihood then projects too much error."""
        agent = simulated(generated_positions(10_000, seed=5), 0.08, 0.5, seed=6)
        played = agent.played.copy()
        rng = np.random.default_rng(8)
        slips = rng.random(len(agent)) < 0.02
        played[slips] = rng.integers(0, agent.delta.shape[1], slips.sum())
        human = MoveChoices(delta=agent.delta, count=agent.count, played=played)
        likely, equal = fit(human, method="likelihood"), fit(human)
        assert project(human, likely.s, likely.c).error > 1.1 * human.scaled_error
        assert project(human, equal.s, equal.c).error == pytest.approx(human.scaled_error, rel=1e-6)

    def test_relabelling_positions_changes_nothing(self):
        agent = simulated(POSITIONS, 0.1, 0.5, seed=4)
        order = np.random.default_rng(1).permutation(len(agent))
        assert fit(agent[order]).s == pytest.approx(fit(agent).s, rel=1e-6)

    def test_intervals_hold_what_they_promise(self):
        """±2σ around the projected error holds the agent's own in 95 % of 300 trials, within 3 %."""
        truth = project(POSITIONS, 0.1, 0.5).error
        held = 0
        for seed in range(300):
            found = fit(simulated(POSITIONS, 0.1, 0.5, seed=seed))
            at = project(POSITIONS, found.s, found.c)
            held += abs(at.error - truth) <= 2 * at.error_sigma
        assert held / 300 == pytest.approx(0.95, abs=0.03)

    def test_what_cannot_be_fitted_says_so(self):
        with pytest.raises(InputError, match="found none"):
            fit(POSITIONS[:0])
        with pytest.raises(InputError, match="forced"):
            fit(one([0.0]))
        with pytest.raises(InputError, match="as good as the engine's first"):
            fit(one([0.0, 0.4]))
        with pytest.raises(InputError, match="none of the 1 moves"):
            fit(one([0.0, 0.4], played=1))
        with pytest.raises(UsageError, match="one of equate, likelihood, percentile"):
            fit(simulated(POSITIONS, 0.1, 0.5, seed=1), method="guess")


def test_percentiles_of_an_agent_lie_on_the_marks():
    agent = simulated(generated_positions(20_000, seed=1), 0.1, 0.5, seed=2)
    misses = percentile_misses(agent, 0.1, 0.5)
    assert len(misses) == len(MARKS) == 19
    assert np.abs(misses).max() < 0.01
    assert np.abs(percentile_misses(agent, 0.2, 0.5)).max() > 0.03
