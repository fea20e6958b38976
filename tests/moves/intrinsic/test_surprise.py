"""Is this play surprising for its rating?"""

import numpy as np
import pytest
from tests.moves.intrinsic.test_calibration import calibration  # noqa: F401

from arpad.errors import UsageError
from arpad.moves.ipr.inputs import generated_positions, simulated
from arpad.moves.ipr.model import project
from arpad.moves.ipr.surprise import skill_of, surprise


def test_the_skill_of_a_rating_gives_it_back(calibration):  # noqa: F811
    for rating in (1900, 2200, 2500):
        s, c = skill_of(rating, calibration)
        assert calibration.line.rating(project(calibration.reference, s, c).error).rating == pytest.approx(rating, abs=0.1)  # fmt: skip


def test_play_at_its_rating_has_z_scores_around_zero(calibration):  # noqa: F811
    """Over 200 agents: mean 0, spread one over the multipliers, since agents do choose independently."""
    positions = generated_positions(300, seed=3)
    s, c = skill_of(2200, calibration)
    found = [
        surprise(simulated(positions, s, c, seed=k), 2200, calibration, skill=(s, c)) for k in range(200)
    ]
    z_match = np.array([x.z_match for x in found])
    z_error = np.array([x.z_error for x in found])
    assert abs(z_match.mean()) < 0.2
    assert abs(z_error.mean()) < 0.2
    assert z_match.std() == pytest.approx(1 / 1.15, abs=0.12)
    assert z_error.std() == pytest.approx(1 / 1.4, abs=0.12)


def test_play_above_its_rating_is_positive_on_both(calibration):  # noqa: F811
    s, c = skill_of(2550, calibration)
    strong = simulated(generated_positions(1200, seed=3), s, c, seed=1)
    found = surprise(strong, 2000, calibration)
    assert found.z_match > 2
    assert found.z_error > 2
    assert found.one_in > 40


def test_the_words_are_careful(calibration):  # noqa: F811
    s, c = skill_of(2550, calibration)
    strong = simulated(generated_positions(1200, seed=3), s, c, seed=1)
    for rating in (2000, 2550):
        words = surprise(strong, rating, calibration).words()
        assert "cheat" not in words.lower()
        assert "prove nothing alone" in words
    assert "about once in" in surprise(strong, 2000, calibration).words()
    assert "Nothing here is unusual" in surprise(strong, 2550, calibration).words()


def test_prior_odds_count(calibration):  # noqa: F811
    moves = simulated(generated_positions(300, seed=3), 0.05, 0.5, seed=1)
    rare = surprise(moves, 2000, calibration, prior=100_000)
    usual = surprise(moves, 2000, calibration, prior=100)
    assert rare.expected_by_chance == pytest.approx(1000 * usual.expected_by_chance)
    with pytest.raises(UsageError, match="prior odds"):
        surprise(moves, 2000, calibration, prior=0)


def test_a_rating_beyond_reach_is_refused(calibration):  # noqa: F811
    with pytest.raises(UsageError, match="outside the range of the calibration"):
        skill_of(9000, calibration)
