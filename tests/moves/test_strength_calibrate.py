"""A calibration of one's own: which games it takes, and how its errors are measured on players of known strength."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from arpad.errors import InputError
from arpad.moves.strength import calibrate_strength, read_calibration
from arpad.moves.strength.calibrate import (
    DRIFT,
    MARKS,
    SETS,
    Evidence,
    by_game,
    draw_sets,
    era_of,
    errors_of,
    evenly,
)
from arpad.moves.strength.posterior import GRID
from tests.moves.test_strength import game


def test_games_are_taken_evenly_from_bands_and_over_the_file():
    frame = pl.DataFrame({"game": range(100), "band": [14] * 6 + [15] * 94})
    taken = evenly(frame, 20)
    assert len(taken) == 20
    assert taken[:6] == [0, 1, 2, 3, 4, 5]  # a thin band is taken whole
    rest = np.array(taken[6:])
    assert rest[0] == 6
    assert rest[-1] == 99
    assert np.ptp(np.diff(rest)) <= 1
    assert evenly(frame, 1000) == list(range(100))


def test_years_of_a_calibration_are_those_of_games_near_each_mark():
    era = era_of(np.array([1500.0, 2750.0]), np.array([2010.0, 2014.0]))
    assert era.years[0] == 2010
    assert era.years[-1] == 2014
    assert dict(zip(MARKS, DRIFT, strict=True))[1500] * (2015 - 2010) == pytest.approx(
        era.shift(2015)[GRID.searchsorted(1500)]
    )
    assert not era_of(np.array([1500.0]), np.array([np.nan])).marks


def test_sets_make_the_field_flat():
    rng = np.random.default_rng(2)
    rating = np.concatenate([rng.uniform(1500, 1700, 400), rng.uniform(1700, 2750, 100)])
    for size in (1, 5):
        members, weight = draw_sets(rating, size)
        assert members.shape == (len(weight), size)
        assert weight.sum() == pytest.approx(1)
        mean = rating[members].mean(axis=1)
        assert weight[mean < 1700].sum() == pytest.approx(200 / 1250, abs=0.04)
        assert np.ptp(rating[members], axis=1).max() <= 120


def test_errors_of_evidence_whose_error_is_known():
    """Every game shows the strength with an error of 150 points: sets of n games err by 150/√n, intervals hold."""
    rng = np.random.default_rng(4)
    rating = rng.uniform(1500, 2750, 1500)
    seen = rating + rng.normal(0, 150, len(rating))
    log = -0.5 * ((GRID[None, :] - seen[:, None]) / 150) ** 2
    errors = errors_of(Evidence(rating=rating, moves=log))
    assert errors["games"].to_list() == list(SETS)
    for row in errors.iter_rows(named=True):
        assert row["rmse"] == pytest.approx(150 / row["games"] ** 0.5, rel=0.15)
        assert row["cover95"] == pytest.approx(0.95, abs=0.03)
        assert row["cover80"] == pytest.approx(0.80, abs=0.05)
        assert row["prior_rmse"] == pytest.approx(361, abs=8)
        assert max(abs(b) for b in row["bias"][1:5]) < 30
    worse = errors_of(Evidence(rating=rating, moves=log, common=200.0), sizes=(20,))
    assert worse["cover95"][0] > 0.99
    with pytest.raises(InputError, match="expected players rated 1500 to 2750, found none"):
        errors_of(Evidence(rating=np.array([3000.0]), moves=log[:1]))


def test_the_rows_of_a_game_know_each_other():
    moves = pl.DataFrame(
        {
            "game": [0, 0, 0, 1],
            "white": [True, False, True, False],
            "rating": [1800.0, 1700.0, 1800.0, 1900.0],
        }
    )
    people, total = by_game(moves, np.ones((4, len(GRID))))
    assert people["moves"].to_list() == [2, 1, 1]
    assert total[:, 0].tolist() == [2, 1, 1]
    other = Evidence.of(people, total).other
    assert other is not None
    assert other.tolist() == [1, 0, -1]


def test_too_few_rated_games_are_refused(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text(game(elo=None))
    with pytest.raises(InputError, match="expected games with moves and both ratings, found none"):
        calibrate_strength(path)


@pytest.mark.stockfish
def test_a_calibration_from_games_and_its_use(run, tmp_path, stockfish):
    """Sixty games of the same moves need few searches; the file says engine and nodes, and strength follows it."""
    path, made, store = tmp_path / "rated.pgn", tmp_path / "made.json", tmp_path / "store"
    path.write_text(
        "".join(game(f"A{i}", f"B{i}", elo=(1500 + 20 * i, 1520 + 20 * i), turns=15) for i in range(60))
    )
    asked = ("--nodes", 200, "--engine", stockfish, "--store", store, "--workers", 1)
    ran = run("calibrate", path, *asked, "-o", made)
    assert ran.code == 0, ran.err
    assert "in 60 games of players rated 1500 to 2700" in ran.out
    document = json.loads(made.read_text())
    assert document["about"]["nodes"] == 200
    assert [row["games"] for row in document["errors"]] == list(SETS)
    assert read_calibration(made).engine_era.years[0] == 2023
    told = run("strength", path, "--player", "A7", "--calibration", made, *asked[2:], "--format", "json")
    assert told.code == 0, told.err
    assert json.loads(told.out)["calibration"]["nodes"] == 200
