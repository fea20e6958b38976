"""The calibrations that come with arpad: whole, and as good as their page says."""

from importlib.resources import files

import numpy as np
import pytest

from arpad.errors import UsageError
from arpad.moves.evaluated_games import read_evaluated
from arpad.moves.ipr.calibration import SHIPPED, calibration, calibration_names, fitted_line, steps
from arpad.moves.ipr.inputs import generated_positions, rated_sample, simulated
from arpad.moves.ipr.model import project
from arpad.moves.ipr.rating import intrinsic_rating, same_settings
from arpad.moves.ipr.surprise import skill_of, surprise
from arpad.moves.positions import positions

PAPER = "rybka3-depth13"


@pytest.fixture(scope="module")
def shipped():
    return calibration()


def test_it_is_small_whole_and_says_where_it_comes_from(shipped):
    size = len((files("arpad") / "samples" / f"calibration-{SHIPPED}.json").read_bytes())
    assert size < 200_000
    assert shipped.name == SHIPPED == calibration_names()[0]
    assert shipped.engine == {
        "engine": "Stockfish 15.1", "network": "nn-ad9b42354671.nnue", "depth": 10, "multipv": 16, "hash_mb": 16, "options": {},
    }  # fmt: skip
    assert shipped.sample["positions"] >= 25_000
    assert [f["games"] for f in shipped.sample["files"]] == [4330, 1236]
    assert shipped.arpad
    assert shipped.date


def test_the_line_is_moved_for_later_years_only(shipped):
    assert shipped.shift([1972, 2006, 2009]) == (0.0, 0.0)
    assert [shipped.shift([y])[0] for y in (2012, 2016, 2020, 2030, None)] == [-50, -100, -150, -150, -150]
    assert shipped.shift([2016])[1] == 22


def test_r_squared_from_1800_to_2700(shipped):
    inside = [m for m in shipped.marks if m.in_line]
    assert [m.elo for m in inside] == list(range(1800, 2701, 100))
    elo = [m.rating for m in inside]
    weighted = fitted_line(elo, [m.projected for m in inside], [1 / m.sigma**2 for m in inside])
    assert weighted == shipped.line
    assert weighted.r_squared >= 0.95
    # Without weights, and for the errors as they were played, before any model.
    assert np.corrcoef(elo, [m.projected for m in inside])[0, 1] ** 2 >= 0.95
    assert np.corrcoef(elo, [m.error for m in inside])[0, 1] ** 2 >= 0.95


def test_average_error_falls_from_mark_to_mark(shipped):
    found = steps(shipped)
    assert len(found) == 9
    for step in found:
        assert step.falls, step
    errors = [m.error for m in shipped.marks if m.in_line]
    assert errors[0] > 1.5 * errors[-1]


def test_its_reference_gives_its_own_figures_back(shipped):
    for mark in shipped.marks:
        assert project(shipped.reference, mark.s, mark.c).error == pytest.approx(mark.projected, abs=1e-12)  # fmt: skip


def test_half_of_the_reference_rates_alike(shipped):
    """Fewer positions in the file: the line goes along, and ratings move by a few points only."""
    half = shipped.reference[np.arange(0, len(shipped.reference), 2)]
    inside = [m for m in shipped.marks if m.in_line]
    line = fitted_line(
        [m.rating for m in inside], [project(half, m.s, m.c).error for m in inside], [1 / m.sigma**2 for m in inside]
    )  # fmt: skip
    for mark in inside:
        before = shipped.line.rating(mark.projected).rating
        after = line.rating(project(half, mark.s, mark.c).error).rating
        assert after == pytest.approx(before, abs=20)


@pytest.mark.parametrize("rating", [1900, 2200, 2500, 2700])
def test_a_rating_comes_back(shipped, rating):
    s, c = skill_of(rating, shipped)
    # Positions of its own, many times over: the agent's moves are drawn anew each time.
    many = shipped.reference[np.tile(np.arange(len(shipped.reference)), 8)]
    found = intrinsic_rating(simulated(many, s, c, seed=rating), shipped)
    assert found.ipr == pytest.approx(rating, abs=2 * (found.high - found.low) / 4 + 1)


@pytest.mark.data
def test_the_sample_is_chosen_from_its_games_again(shipped, data):
    folder = data / "regan_training"
    named = [folder / f["file"] for f in shipped.sample["files"]]
    games = read_evaluated(named)
    told = shipped.sample
    sample = rated_sample(
        positions(games).select("game", "ply", "epd", "uci"), games.games.table,
        per_mark=told["per_mark"], step=told["step"], within=told["within"], first=1600, last=2800,
    )  # fmt: skip
    assert sample.document({str(p): n["games"] for p, n in zip(named, told["files"], strict=True)}) == told  # fmt: skip


def test_the_papers_line_is_there_under_its_name(golden):
    paper = calibration(PAPER)
    assert (paper.line.intercept, paper.line.slope) == (3571, 15413)
    table1 = {int(r["elo"]): float(r["ae"]) for r in golden("ipr_table1.csv")}
    assert {int(m.elo): m.projected for m in paper.marks if m.in_line} == table1
    table2 = [r for r in golden("ipr_table2.csv") if r["period"].startswith("2006")]
    printed = {int(r["elo"]): (float(r["s"]), float(r["c"])) for r in table2}
    for mark in paper.marks:
        assert (mark.s, mark.c) == printed[int(mark.elo)]
        assert paper.artery.c(mark.elo) == pytest.approx(
            float(next(r["c_fit"] for r in table2 if int(r["elo"]) == mark.elo)), abs=0.0006
        )


def test_the_papers_line_is_for_its_engine_only(shipped):
    paper = calibration(PAPER)
    with pytest.raises(UsageError, match=r"engine: 'Stockfish 15.1', not 'Rybka 3'"):
        same_settings(paper, shipped.engine)
    with pytest.raises(UsageError, match=r"engine: 'Rybka 3', not 'Stockfish 15.1'"):
        same_settings(shipped, paper.engine)


def test_the_papers_line_projects_on_the_positions_that_are_rated():
    paper = calibration(PAPER)
    agent = simulated(generated_positions(800, seed=1), 0.1, 0.5, seed=2)
    found = intrinsic_rating(agent, paper)
    own = project(agent, found.fit.s, found.fit.c)
    assert found.projected == own.error
    assert found.ipr == pytest.approx(3571 - 15413 * own.error)
    tested = surprise(agent, found.ipr, paper)
    assert tested.error.expected == pytest.approx(own.error, rel=1e-4)


def test_an_unknown_name_is_refused():
    with pytest.raises(UsageError, match=r"comes with arpad \(stockfish-15.1-depth10, rybka3-depth13\), found 'x'"):  # fmt: skip
        calibration("x")
