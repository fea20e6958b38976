"""Ratings where there can be one: what too few, too good and too simple moves are told."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.calibrations import C, agents_calibration

from arpad.moves.ipr.inputs import generated_positions, simulated
from arpad.moves.ipr.model import MoveChoices, probabilities, project
from arpad.moves.ipr.rating import TAIL, estimated, intrinsic_rating, moves_needed


@pytest.fixture(scope="module")
def calibration():
    return agents_calibration()


def agent(positions=300, s=0.112, seed=5):
    return simulated(generated_positions(positions, seed=seed), s, C, seed=seed)


def test_enough_moves_are_rated_as_ever(calibration):
    choices = agent()
    found = estimated(choices, calibration)
    assert found.rating == intrinsic_rating(choices, calibration)
    assert (found.note, found.at_least) == ("", None)
    assert found.match_rate == choices.match_rate


@pytest.mark.parametrize("moves", [0, 1, 19])
def test_too_few_moves_are_told_how_many_it_takes(calibration, moves):
    found = estimated(agent(30)[:moves], calibration)
    assert found.rating is None
    needed = int(re.search(r"±100 about ([\d,]+)", found.note)[1].replace(",", ""))
    assert needed == moves_needed(calibration, 100)
    many = agent(needed)
    rated = estimated(many, calibration).rating
    half = (rated.high - rated.low) / 2
    assert half > 2 * rated.line_sigma
    assert (half**2 - 4 * rated.line_sigma**2) ** 0.5 == pytest.approx(100, rel=0.15)


def test_forced_moves_say_nothing(calibration):
    only = MoveChoices(delta=np.zeros((30, 2)), count=np.tile([1.0, 0.0], (30, 1)), played=np.zeros(30, int))  # fmt: skip
    found = estimated(only, calibration)
    assert found.rating is None
    assert "every move was forced" in found.note


def test_moves_without_a_fault_have_a_bound_and_no_interval(calibration):
    positions = generated_positions(60, seed=3)
    found = estimated(positions, calibration)  # the first line was played everywhere
    assert found.rating is None
    assert "all 60 moves are as good as the engine's first" in found.note
    assert f"{found.at_least:.0f}" in found.note
    # A player at the bound would play so 2.3 times in 100.
    s = 0.05
    for _ in range(60):
        share = probabilities(positions, s, C)[:, 0].prod()
        s *= (share / TAIL) ** 0.02
    at_bound = calibration.line.rating(project(calibration.reference, s, C).error).rating
    assert found.at_least == pytest.approx(at_bound, abs=25)  # the artery's c is not .5 in full
    assert estimated(generated_positions(200, seed=3), calibration).at_least > found.at_least


def test_moves_that_never_match_have_no_rating(calibration):
    positions = generated_positions(40, seed=3)
    wrong = MoveChoices(delta=positions.delta, count=positions.count, played=np.full(40, 5))
    found = estimated(wrong, calibration)
    assert found.rating is None
    assert "none of the 40 moves" in found.note


def test_where_s_and_c_cannot_both_be_found_c_is_the_arterys(calibration):
    """One blunder of a whole piece among faultless moves: no (s, c) gives both figures."""
    positions = generated_positions(30, seed=3)
    played = np.zeros(30, int)
    delta = positions.delta.copy()
    delta[0, -1], played[0] = 4.0, delta.shape[1] - 1
    found = estimated(MoveChoices(delta=delta, count=positions.count, played=played), calibration)
    marks = [m.elo for m in calibration.marks if m.in_line]
    c = calibration.artery.c(marks[len(marks) // 2])
    assert f"c = {c:.3f}, the artery's" in found.note
    assert found.rating.fit.c == pytest.approx(c)
    assert found.rating.low < found.rating.ipr < found.rating.high


def test_along_the_artery_c_is_that_of_the_rating_and_s_alone_is_fitted(calibration):
    choices = agent(400)
    found = intrinsic_rating(choices, calibration, method="artery")
    assert found.fit.c == pytest.approx(calibration.artery.c(found.ipr), abs=1e-3)
    at = project(choices, found.fit.s, found.fit.c)
    assert at.error == pytest.approx(choices.scaled_error, rel=1e-3)
    assert at.match_rate != pytest.approx(choices.match_rate, abs=1e-4)
    assert found.ipr == pytest.approx(intrinsic_rating(choices, calibration).ipr, abs=150)


def test_another_method_is_passed_on(calibration):
    choices = agent(600)
    one, two = (estimated(choices, calibration, method=m).rating for m in ("equate", "likelihood"))
    assert one.fit.method == "equate"
    assert two.fit.method == "likelihood"
