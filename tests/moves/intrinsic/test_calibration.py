"""Calibrations: made from agents of known skill, kept, and used."""

import json
from dataclasses import replace

import numpy as np
import pytest

from arpad.errors import InputError, UsageError
from arpad.moves.ipr.calibration import Decade, calibrate, from_document, to_document
from arpad.moves.ipr.inputs import generated_positions, simulated
from arpad.moves.ipr.model import MoveChoices, project
from arpad.moves.ipr.rating import intrinsic_rating, moves_needed, same_settings

ENGINE = {"engine": "Stockfish 15.1", "depth": 10, "multipv": 16}
SKILLS = {1800: 0.150, 2000: 0.130, 2200: 0.112, 2400: 0.096, 2600: 0.082}
POSITIONS = generated_positions(1500, seed=11)


def joined(parts):
    return MoveChoices(
        delta=np.concatenate([p.delta for p in parts]),
        count=np.concatenate([p.count for p in parts]),
        played=np.concatenate([p.played for p in parts]),
    )


@pytest.fixture(scope="module")
def calibration():
    parts = [simulated(POSITIONS, s, 0.5, seed=e) for e, s in SKILLS.items()]
    elo = np.repeat(list(SKILLS), len(POSITIONS)).astype(float)
    return calibrate(
        joined(parts), elo, np.arange(len(elo)) // 30, name="agents", engine=ENGINE,
        filters={"first_turn": 9}, games="simulated", date="2026-11-16",
    )  # fmt: skip


def test_the_line_follows_the_agents(calibration):
    assert calibration.line.r_squared > 0.95
    assert [m.elo for m in calibration.marks] == list(SKILLS)
    errors = [m.projected for m in calibration.marks]
    assert errors == sorted(errors, reverse=True)
    assert "R²" in calibration.summary()
    assert calibration.table()["residual"].abs().max() < 3 * calibration.table()["sigma"].max()


def test_an_agent_gets_its_rating_back(calibration):
    held = 0
    for seed in range(60):
        agent = simulated(generated_positions(400, seed=1000 + seed), 0.112, 0.5, seed=seed)
        rated = intrinsic_rating(agent, calibration)
        truth = calibration.line.rating(project(calibration.reference, 0.112, 0.5).error).rating
        held += rated.low <= truth <= rated.high
        assert rated.low_actual < rated.low < rated.ipr < rated.high < rated.high_actual
    assert held / 60 >= 0.88


def test_the_document_brings_everything_back(calibration):
    text = json.dumps(to_document(calibration))
    back = from_document(json.loads(text))
    assert (back.line, back.marks, back.artery) == (calibration.line, calibration.marks, calibration.artery)
    assert project(back.reference, 0.1, 0.5).error == pytest.approx(
        project(calibration.reference, 0.1, 0.5).error, abs=1e-5
    )


@pytest.mark.parametrize("count", [[1, 1, 1], [1, 1, 9], [1, 3, 2], [2, 1, 1]])
def test_however_many_moves_stand_at_a_line_the_document_keeps_them(calibration, count):
    one = MoveChoices(
        delta=np.array([[0.0, 0.1, 0.5, 0.0]]), count=np.array([[*count, 0]], dtype=float), played=np.array([0]),
    )  # fmt: skip
    back = from_document(json.loads(json.dumps(to_document(replace(calibration, reference=one)))))
    assert back.reference.count.tolist() == [list(map(float, count))]
    assert back.reference.delta.tolist() == [[0.0, 0.1, 0.5]]


def test_an_edited_document_is_refused(calibration):
    document = json.loads(json.dumps(to_document(calibration)))
    document["line"]["intercept"] += 100
    with pytest.raises(InputError, match="was changed after it was made"):
        from_document(document, file="mine.json")
    with pytest.raises(InputError, match="expected a calibration"):
        from_document({"format": "something"})


def test_another_engine_is_an_error_that_names_both(calibration):
    same_settings(calibration, dict(ENGINE))
    with pytest.raises(UsageError, match=r"depth: 12, not 10; engine: 'Rybka 3', not 'Stockfish 15.1'"):
        same_settings(calibration, {"engine": "Rybka 3", "depth": 12, "multipv": 16})


def test_few_moves_say_how_many_are_needed(calibration):
    with pytest.raises(UsageError, match="for ±100 points it takes about"):
        intrinsic_rating(POSITIONS[:5], calibration)
    assert moves_needed(calibration, 50) == pytest.approx(4 * moves_needed(calibration, 100), abs=4)


def test_too_few_marks_are_refused():
    with pytest.raises(InputError, match="at least 3 marks"):
        calibrate(
            simulated(POSITIONS, 0.1, 0.5, seed=1), np.full(len(POSITIONS), 2000.0),
            np.arange(len(POSITIONS)), name="", engine={}, filters={}, games="", date="",
        )  # fmt: skip


def test_a_line_that_misses_its_marks_is_refused():
    skills = {1800: 0.150, 2000: 0.100, 2200: 0.140, 2400: 0.090, 2600: 0.125}
    choices = joined([simulated(POSITIONS, s, 0.5, seed=e) for e, s in skills.items()])
    elo = np.repeat(list(skills), len(POSITIONS)).astype(float)
    about = {"name": "weak", "engine": ENGINE, "filters": {}, "games": "simulated", "date": "2026-11-19"}
    with pytest.raises(InputError, match=r"R² of \.?\d.*expected \.?0?\.8") as refused:
        calibrate(choices, elo, np.arange(len(elo)) // 30, **about)
    assert refused.value.code == "weak-calibration"
    kept = calibrate(choices, elo, np.arange(len(elo)) // 30, **about, least_r_squared=0.0)
    assert kept.line.r_squared < 0.8


def test_decades_move_the_line_and_widen_the_interval(calibration):
    decades = (
        Decade(first=2000, last=2009, shift=0.0, sigma=10.0),
        Decade(first=2010, last=2019, shift=-120.0, sigma=30.0),
    )
    moved = replace(calibration, decades=decades)
    agent = simulated(generated_positions(400, seed=3), 0.112, 0.5, seed=3)
    plain = intrinsic_rating(agent, calibration)
    for years, shift, sigma in (
        ([2005] * 400, 0.0, 10.0),
        ([2015] * 400, -120.0, 30.0),
        ([2009] * 200 + [2010] * 200, -60.0, 20.0),
        ([1972] * 400, 0.0, 10.0),  # the nearest decade
        ([None] * 400, -120.0, 30.0),  # nobody knows: the last
    ):
        rated = intrinsic_rating(agent, moved, years=years)
        assert rated.ipr == pytest.approx(plain.ipr + shift)
        expected = np.hypot(calibration.line_sigma(rated.ipr), sigma)
        assert rated.line_sigma == pytest.approx(expected)
    assert intrinsic_rating(agent, moved).ipr == plain.ipr  # no years were given
    back = from_document(json.loads(json.dumps(to_document(moved))))
    assert back.decades == decades
