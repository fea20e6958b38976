"""G-scores, categories, exhibitions, strength, sweeps: figures of the text."""

from __future__ import annotations

from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.event.tournament_app.app import tournament_app
from arpad.event.tournament_app.greatness import (
    calibrated,
    g_category,
    g_score,
    resistance,
    simultaneous,
    sweep_probability,
    sweep_probability_with_draws,
    tournament_strength,
)
from arpad.rate.draws import probabilities
from arpad.read import read
from arpad.scale import PraCurve
from tests.conftest import GOLDEN
from tests.event.app.events import event


def test_exhibitions(golden):
    rows = golden("pra_simultaneous.csv")
    assert len(rows) == 21
    for r in rows:
        assert f"{simultaneous(int(r['games']), float(r['rating'])):.2f}" == r["g_score"]


def test_exhibitions_are_the_app_over_such_games():
    games = [(0, p, 1.0) for p in range(1, 31)]
    report = tournament_app(event(games, [2700.0] + [1800.0] * 30))
    assert report.standings[0].g_score == pytest.approx(simultaneous(30, 1800))


def test_isle_of_lewis():
    report = tournament_app(read(GOLDEN / "pra_isle_of_lewis_1995_elo.pra").games)
    assert f"{report.standings[0].g_score:.2f}" == "203.15"
    assert report.standings[0].g_category == "dominating"
    assert f"{report.strength:.4f}" == "80.0321"
    assert [s.name for s in report.greatness()] == ["Polgar"]


def test_frankfurt():
    games = read(files("arpad") / "samples" / "frankfurt-1997.pra").games
    assert f"{tournament_app(games).strength:.4f}" == "92.7409"


def test_steinitz_blackburne():
    games = event([(0, 1, 1.0)] * 7, [2730.0, 2648.0], names=["Steinitz", "Blackburne"], number_two=2648.0)
    report = tournament_app(games)
    assert f"{report.standings[0].g_score:.2f}" == "397.44"
    assert report.standings[0].g_category == "historically great"
    assert f"{report.strength:.4f}" == "101.4643"
    assert report.sweep.favourite == "Steinitz"
    assert f"{100 * report.sweep.probability:.3f}" == "1.217"
    assert report.sweep.happened
    assert report.fit is None
    assert any("at least 3 rated players" in note for note in report.notes)


def test_blackburne_s_expectation():
    assert PraCurve().expected(82) == pytest.approx(0.53266996707758614, abs=1e-15)
    assert round(7 * PraCurve().expected(82), 2) == 3.73
    assert PraCurve().difference(1.0) == pytest.approx(1800.0)  # or more


def test_hastings_1919_from_printed_pairs(golden):
    rows = golden("pra_hastings_1919.csv")
    ratings = [float(r["rating"]) for r in rows]
    # Printed 71.3432. It is 71.343252, so near the edge that single precision falls below it.
    assert tournament_strength(ratings, [11] * 12, 2796) == pytest.approx(71.3432, abs=5.5e-5)
    offered = [resistance(R, 2796) for R in ratings]
    for place, printed in ((0, 285.81), (1, 233.36)):
        met = offered[:place] + offered[place + 1 :]
        # P-Zero is printed to hundredths, which is .03 of G.
        assert g_score(float(rows[place]["p_zero"]), met) == pytest.approx(printed, abs=0.02)


WORDS = ["list", "very good", "dominating", "threat", "generationally", "historically", "beyond"]


def test_categories(golden):
    rows = golden("pra_categories.csv")
    for r, word in zip(rows, WORDS, strict=True):
        assert word in r["printed"].casefold()
        assert word in g_category(float(r["from"]))
        assert not r["to"] or word in g_category(float(r["to"]))
    assert g_category(99.99) is None


def test_calibration_has_no_steps_and_only_rises():
    for r in (0.5, 1.0):
        assert calibrated(r + 1e-12) == pytest.approx(calibrated(r), abs=1e-9)
    values = [calibrated(i / 1000) for i in range(-100, 1200)]
    assert values == sorted(values)
    assert values[0] == 0


@given(st.floats(500, 3000), st.floats(2000, 3000), st.floats(-300, 300))
def test_inflation_does_not_matter(rating, number_two, more):
    assert resistance(rating + more, number_two + more) == pytest.approx(
        resistance(rating, number_two), abs=1e-9
    )


@given(st.lists(st.floats(0.1, 1.1), min_size=1, max_size=30), st.floats(-60, 60))
def test_g_by_its_parts(met, P):
    n = len(met)
    assert g_score(P, met) == pytest.approx(P / n * sum(met) / n * (1 + n / 20) * 66.7)


@given(st.lists(st.tuples(st.floats(1000, 3000), st.integers(1, 30)), min_size=1, max_size=20))
def test_strength_lies_between_the_weakest_and_the_strongest(field):
    ratings, games = zip(*field, strict=True)
    offered = [100 * resistance(R, 2800) for R in ratings]
    assert min(offered) - 1e-9 <= tournament_strength(ratings, games, 2800) <= max(offered) + 1e-9


def test_sweep_by_hand():
    assert sweep_probability(2600, [2600, 2450]) == pytest.approx(0.5 * 0.6)
    assert sweep_probability(1000, [3000]) == 0
    # Two even games of which half are drawn: (1/2 − 1/4)².
    even = sweep_probability_with_draws(2400, [2400, 2400])
    assert even == pytest.approx(probabilities(2400, 2400).win ** 2)
    assert 0.02 < even < 0.125


def test_refusals():
    with pytest.raises(UsageError, match="at least one game"):
        g_score(1.0, [])
    with pytest.raises(UsageError, match="one or more games"):
        simultaneous(0, 1400)
    assert tournament_strength([], [], 2800) is None
