"""The model of strength on made-up players whose strength is known, and what a posterior is."""

from __future__ import annotations

import math

import numpy as np
import pytest

from arpad.errors import InputError, UsageError
from arpad.moves.strength.outcome_model import (
    Features,
    OutcomeModel,
    StrengthCalibration,
    fit_outcomes,
    read_calibration,
    shipped_calibration,
)
from arpad.moves.strength.posterior import (
    GRID,
    PAIRING,
    Era,
    GameEffect,
    Posterior,
    Prior,
    combine,
    opponents_evidence,
    timeline,
)

SHAPE = np.array([[1.0, 0.0], [0.0, 0.2], [0.0, 0.6], [0.0, 1.0]])
TRUE = OutcomeModel(
    SHAPE,
    np.array([0.0, 0.2, 0.1, -0.3]),
    np.array([[0.3, -0.5], [0.2, 0.1], [0.5, -0.9], [-0.05, -0.1]]),
    (2, 1, 1),
)


def features(moves: int, rng: np.random.Generator) -> Features:
    one = np.ones((moves, 1))
    return Features(np.hstack([one, rng.normal(size=(moves, 1))]), one, one)


def played(known: Features, ratings: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Let agents of these ratings choose among the outcomes."""
    outcomes = np.empty(len(known), dtype=np.int64)
    for rating in np.unique(ratings):
        rows = np.flatnonzero(ratings == rating)
        chances = TRUE.probabilities(known.rows(rows), rating).cumsum(axis=1)
        outcomes[rows] = (rng.random((len(rows), 1)) > chances[:, :-1]).sum(axis=1)
    return outcomes


@pytest.fixture(scope="module")
def fitted() -> OutcomeModel:
    rng = np.random.default_rng(5)
    known = features(20_000, rng)
    ratings = rng.choice(np.arange(1400.0, 2801.0, 50.0), len(known))
    return fit_outcomes(known, played(known, ratings, rng), ratings, SHAPE, ridge=1.0)


def test_a_fit_finds_the_probabilities_that_made_the_moves(fitted):
    known = features(500, np.random.default_rng(6))
    for rating in (1500.0, 2100.0, 2700.0):
        ours, theirs = (m.probabilities(known, rating) for m in (fitted, TRUE))
        assert np.abs(ours - theirs).mean() < 0.012


def test_an_earlier_model_counts_like_the_moves_it_was_fitted_to(fitted):
    """New moves of a tenth of the number: with the earlier model the probabilities are nearer than without."""
    rng = np.random.default_rng(11)
    known = features(2000, rng)
    ratings = rng.choice(np.arange(1400.0, 2801.0, 50.0), len(known))
    outcome = played(known, ratings, rng)
    alone = fit_outcomes(known, outcome, ratings, SHAPE, ridge=1.0)
    both = fit_outcomes(known, outcome, ratings, SHAPE, ridge=1.0, known=fitted, known_moves=20_000)
    held = fit_outcomes(known, outcome, ratings, SHAPE, ridge=1.0, known=fitted, known_moves=1e9)
    assert np.allclose(held.weights, fitted.weights, atol=1e-3)
    asked = features(500, rng)
    off = [
        np.mean(
            [np.abs(m.probabilities(asked, r) - TRUE.probabilities(asked, r)).mean() for r in (1500, 2700)]
        )
        for m in (alone, both)
    ]
    assert off[1] < 0.6 * off[0]


def test_intervals_hold_the_strength_of_known_agents(fitted):
    """Agents drawn from the prior, one game or ten each: 95 of 100 intervals hold, and the mean does not lean."""
    rng = np.random.default_rng(7)
    for games, most in ((1, 420.0), (10, 200.0)):
        inside, errors = [], []
        for truth in rng.uniform(1400, 2820, 200):
            known = features(40 * games, rng)
            outcomes = played(known, np.full(len(known), truth), rng)
            likelihood = fitted.log_likelihood(known, outcomes, GRID).sum(axis=0)
            posterior = combine(likelihood, Prior())
            low, high = posterior.interval()
            inside.append(low <= truth <= high)
            errors.append(posterior.mean - truth)
        assert 0.925 <= np.mean(inside) <= 0.985
        assert abs(np.mean(errors)) < 35
        assert np.sqrt(np.mean(np.square(errors))) < most


def test_a_form_from_game_to_game_is_in_the_interval(fitted):
    """Agents whose strength differs by 200 from game to game: the effect of the game keeps the interval honest."""
    rng = np.random.default_rng(8)
    effect = GameEffect(form=200.0)
    with_effect, without = [], []
    for truth in rng.uniform(1600, 2600, 120):
        games = []
        for _ in range(12):
            known = features(150, rng)
            form = np.full(len(known), truth + rng.normal(0, 200))
            games.append(fitted.log_likelihood(known, played(known, form, rng), GRID).sum(axis=0))
        rows = np.array(games)
        for shown, store in ((effect.apply(rows), with_effect), (rows, without)):
            low, high = combine(shown, Prior()).interval()
            store.append(low <= truth <= high)
    assert np.mean(with_effect) >= 0.88
    assert np.mean(without) < np.mean(with_effect)


def test_opponents_of_about_the_same_strength_say_something(fitted):
    """Players and their opponents, one game or eight each: a smaller error, and intervals that hold."""
    rng = np.random.default_rng(9)
    apart, together = PAIRING
    for games in (1, 8):
        inside, with_them, alone = [], [], []
        for truth in rng.uniform(1400, 2820, 150):
            opponents = truth + rng.normal(0, together) + rng.normal(0, apart, games)
            rows = []
            for rating in (*[truth] * games, *opponents):
                known = features(40, rng)
                outcomes = played(known, np.full(len(known), rating), rng)
                rows.append(fitted.log_likelihood(known, outcomes, GRID).sum(axis=0))
            mine, theirs = rows[:games], rows[games:]
            posterior = combine(np.vstack([*mine, opponents_evidence(theirs, Prior())]), Prior())
            low, high = posterior.interval()
            inside.append(low <= truth <= high)
            with_them.append(posterior.mean - truth)
            alone.append(combine(np.vstack(mine), Prior()).mean - truth)
        assert 0.92 <= np.mean(inside) <= 0.99
        assert np.mean(np.square(with_them)) < np.mean(np.square(alone))


def test_opponents_whose_moves_say_nothing_change_nothing():
    nothing = opponents_evidence([np.zeros(len(GRID))] * 5, Prior())
    assert np.abs(nothing).max() < 1e-6
    assert np.abs(opponents_evidence([], Prior())).max() < 1e-6
    one = opponents_evidence([Prior(rating=1700, error=50).log_density], Prior())
    assert abs(GRID[one.argmax()] - 1700) <= 100


def test_a_model_comes_back_from_its_description(fitted):
    again = OutcomeModel.from_dict(fitted.to_dict())
    known = features(20, np.random.default_rng(1))
    outcome = np.zeros(20, dtype=np.int64)
    assert np.allclose(
        again.log_likelihood(known, outcome, GRID), fitted.log_likelihood(known, outcome, GRID), atol=1e-3
    )
    broken = fitted.to_dict() | {"widths": [1, 1, 1]}
    with pytest.raises(InputError):
        OutcomeModel.from_dict(broken)


def test_probabilities_are_those_of_the_formula():
    """`log_likelihood` against the formula of the docstring, written out for one move."""
    known = Features(np.array([[1.0, 0.5]]), np.array([[1.0]]), np.array([[1.0]]))
    r = (1750 - 2100) / 350
    directions = np.array(
        [0.3 + 0.5 * 0.2 + r * 0.5 - 0.05 * r * r, -0.5 + 0.5 * 0.1 - r * 0.9 - 0.1 * r * r]
    )
    utility = TRUE.base + SHAPE @ directions
    expected = utility - math.log(np.exp(utility).sum())
    for k in range(4):
        (found,) = TRUE.log_likelihood(known, np.array([k]), [1750.0])[:, 0]
        assert found == pytest.approx(expected[k])


def test_no_games_leave_the_prior():
    posterior = combine(np.empty((0, len(GRID))), Prior())
    assert posterior.mean == pytest.approx(Prior().mean)
    assert posterior.interval()[0] > 1300


def test_a_rating_as_prior_is_a_normal_distribution():
    posterior = combine(np.empty((0, len(GRID))), Prior(rating=1800, error=50))
    low, high = posterior.interval()
    assert posterior.mean == pytest.approx(1800, abs=1)
    assert (low, high) == (pytest.approx(1702, abs=4), pytest.approx(1898, abs=4))


@pytest.mark.parametrize("values", [{"error": 0}, {"rating": 9000}, {"low": 2000, "high": 1000}])
def test_a_prior_that_cannot_be_is_an_error(values):
    with pytest.raises(UsageError):
        Prior(**values)


def test_the_probability_of_being_better_is_symmetric():
    a, b = (Posterior.of(Prior(rating=r, error=80).log_density) for r in (2000, 2100))
    assert a.above(b) + b.above(a) == pytest.approx(1)
    assert a.above(b) == pytest.approx(0.5 * math.erfc(100 / math.sqrt(2 * 80**2) / math.sqrt(2)), abs=0.01)
    assert a.above(a) == pytest.approx(0.5)


def test_an_exponent_and_a_form_widen_a_game():
    game = -0.5 * ((GRID - 2000) / 60) ** 2
    widths = [
        Posterior.of(e.apply(game)[0]).sd
        for e in (
            GameEffect(),
            GameEffect(exponent=0.5),
            GameEffect(form=80),
            GameEffect(exponent=0.5, form=80),
        )
    ]
    assert widths[0] == pytest.approx(60, abs=1)
    assert widths[1] == pytest.approx(60 * math.sqrt(2), abs=1)
    assert widths[2] == pytest.approx(100, abs=1)
    assert widths[3] == pytest.approx(math.hypot(60 * math.sqrt(2), 80), abs=1)


def test_a_timeline_without_drift_is_the_whole_posterior_at_every_game():
    rng = np.random.default_rng(2)
    games = np.array([-0.5 * ((GRID - c) / 300) ** 2 for c in rng.normal(1900, 200, 6)])
    whole = combine(games, Prior())
    for at in timeline(games, Prior(), drift=0.0):
        assert at.mean == pytest.approx(whole.mean, abs=0.01)
    drifting = timeline(games, Prior(), drift=60.0)
    assert all(p.sd > whole.sd for p in drifting)
    assert len({round(p.mean) for p in drifting}) > 1


def test_the_shipped_calibration_comes_back_and_speaks_of_its_games():
    made = shipped_calibration()
    again = StrengthCalibration.from_dict(made.to_dict())
    assert again.to_dict() == made.to_dict()
    assert made.about["games"] >= 100
    assert made.about["nodes"] == 12_000
    assert 0 < made.engine_effect.exponent <= 1
    with pytest.raises(InputError):
        StrengthCalibration.from_dict({"form": 2})


ERA = Era(
    marks=(1500, 2500), years=(2012, 2012), drift=(20, 10), error=4.0, level=15.0, first=2006, last=2022
)


def test_players_of_later_years_seem_stronger_than_they_are():
    """A likelihood around an apparent 1600: five years later that is a rating of 1500."""
    seen = -0.5 * ((GRID - 1600) / 50) ** 2
    found = {year: combine(ERA.corrected(seen, year), Prior(low=600, high=3300)).mean for year in YEARS}
    assert found[2012] == pytest.approx(1600, abs=2)
    assert found[2017] == pytest.approx(1502, abs=8)
    assert found[2007] > 1690
    assert found[1972] == found[2006]
    assert found[2030] == found[None] == found[2022]


YEARS = (1972, 2006, 2007, 2012, 2017, 2022, 2030, None)


def test_the_farther_away_the_years_the_wider_the_interval():
    seen = -0.5 * ((GRID - 2000) / 60) ** 2
    errors = [combine(ERA.uncertain(seen, [year]), Prior()).sd for year in (2012, 2017, 2022)]
    assert errors == sorted(errors)
    assert errors[0] == pytest.approx(np.hypot(60, 15), abs=1)
    assert errors[2] == pytest.approx(np.hypot(60, np.hypot(15, 40)), abs=1)
    # One error for all games: it is counted once however many years they are from, and not at all without a game.
    assert ERA.uncertain(seen, []) is seen


def test_without_marks_no_year_counts():
    seen = -0.5 * ((GRID - 2000) / 60) ** 2
    assert Era().corrected(seen, 2022) is seen
    assert Era().uncertain(seen, [2022]) is seen


def test_the_shipped_calibration_knows_the_years():
    made = shipped_calibration()
    assert StrengthCalibration.from_dict(made.to_dict()).engine_era == made.engine_era
    assert made.engine_era.last == 2025
    shift = made.engine_era.shift(2016)
    assert (shift[(GRID >= 1500) & (GRID <= 2750)] > 0).all()
    assert shift.max() < 100


def test_two_calibrations_come_with_arpad(tmp_path, monkeypatch):
    """The fast one has fewer nodes, and the same models for values in the file."""
    monkeypatch.chdir(tmp_path)
    accurate, fast = (read_calibration(name) for name in ("accurate", "fast"))
    assert accurate.to_dict() == shipped_calibration().to_dict()
    assert (accurate.about["nodes"], fast.about["nodes"]) == (12_000, 3_000)
    assert fast.about["games"] >= 600
    assert fast.chance["loss"].to_dict() == accurate.chance["loss"].to_dict()
    with pytest.raises(InputError):
        read_calibration("faster")
    (tmp_path / "fast").write_text("a file of that name goes first")
    with pytest.raises(InputError):
        read_calibration("fast")
