from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.event import in_match, in_round_robin, tournament_average
from arpad.event.performance import performance, reliability
from arpad.rate.elo_book.rules import performance_rating, small_sample_factor
from arpad.scale import Linear, Logistic, Normal, PraCurve, Ratio, Table

PORTISCH = [2600, 2600, 2555, 2575, 2615, 2470, 2550, 2600, 2510, 2560, 2410, 2470, 2485, 2445, 2460]
R_C = 2527


def test_examples_1_to_9(golden):
    assert round(math.fsum(PORTISCH) / 15) == R_C  # 2.41
    assert performance(10.5, PORTISCH, method="table").rating == 2676  # 2.41
    assert in_round_robin(2534, 10.5, 16) == 2674  # 2.42
    assert performance(10.5, [R_C] * 15, method="linear").rating == pytest.approx(2687)  # 2.46
    assert round(tournament_average([(2350, 15), (2205, 12), (2165, 9)], 20)) == 2144  # 2.48
    assert in_match(2680, 12.5, 24) == 2687  # 2.49, Karpov
    assert in_match(2680, 11.5, 24) == 2673  # 2.49, Korchnoi


def test_exact_as_the_issue_of_1994_has_it():
    assert performance(3.5, [1600, 1700, 1750, 1800, 1850]).rating == pytest.approx(1895.88, abs=0.005)


def test_table_2_55_but_for_its_misprints(golden):
    # Printed otherwise; computed anew:
    misprints = {
        (60, "PE_E"): "24.6", (5, "PE_W"): ".75", (50, "sigma_W"): "3.54", (80, "confidence"): ".998",
        (100, "confidence"): ".9996", (12, "PE_E"): "55.1", (15, "PE_E"): "49.3", (20, "PE_E"): "42.7",
    }  # fmt: skip
    for row in golden("elo_2_55.csv"):
        N = int(row["N"])
        found = reliability(N)
        values = {
            "sigma_W": found.sigma_score, "sigma_E": found.sigma_rating, "PE_W": found.probable_error_score,
            "PE_E": found.probable_error_rating, "confidence": found.confidence,
        }  # fmt: skip
        for name, value in values.items():
            text = misprints.get((N, name), row[name])
            digits = len(text.split(".")[1])
            assert value == pytest.approx(float(text), abs=0.5 * 10**-digits + 1e-9), (N, name)


def test_2_56_and_8_95():
    # Fischer – Spassky at 62½ : 37½, twenty games: probable error 1.46
    assert round(reliability(20, p=0.625).probable_error_score, 2) == 1.46
    assert reliability(15).confidence == pytest.approx(0.8294, abs=5e-4)  # 8.95 rounds σ to 73
    assert reliability(20, draws=1.0).sigma_score == 0  # all games drawn: no chance at all


def test_table_8_85_whole(golden):
    for row in golden("elo_8_85.csv"):
        for D in (50, 100, 150, 200, 250, 300, 350, 400):
            assert small_sample_factor(int(row["N"]), D) == float(row[str(D)])
            assert small_sample_factor(int(row["N"]), -D) == float(row[str(D)])


def test_the_factor_between_and_beyond():
    assert small_sample_factor(9, 0) == 1
    assert small_sample_factor(30, 400) == small_sample_factor(500, 400) == 1
    assert small_sample_factor(2, 200) == 0.78
    assert small_sample_factor(9, 900) == 0.55
    assert 0.86 < small_sample_factor(24, 200) < 1


@pytest.mark.parametrize("method", ["fide", "table", "small-sample"])
def test_the_error_grows_with_the_score(method):
    # The steps of the table once made 14½ of 15 surer than 12½ of 15.
    errors = [performance(s, [2400] * 15, method=method).error for s in (7.5, 9.5, 11.5, 12.5, 13.5, 14.5)]
    assert errors == sorted(errors)
    # p = .83: √(15 · .83 · .17) over 15 times the slope of Φ(7D/2000) at 273
    assert performance(12.5, [2400] * 15, method="table").error == pytest.approx(109.6, abs=0.5)


def test_reliability_away_from_an_even_score():
    # √(.9 · .1) / φ(1.2816) against ½ / φ(0): .3 / .17550 against .5 / .39894
    ratio = (0.3 / 0.17550) / (0.5 / 0.39894)
    assert reliability(15, p=0.9).sigma_rating == pytest.approx(ratio * 73.03, abs=0.05)
    assert reliability(15, p=0.1).sigma_rating == pytest.approx(reliability(15, p=0.9).sigma_rating)
    assert reliability(15, p=0.9).sigma_score < reliability(15).sigma_score


def test_one_rule_for_small_samples():
    # Table 8.85 ends at 400 points: five wins are worth .51 · 400 = 204, 9½ of 10 .56 · 400 = 224.
    for score, games, rating in ((5, 5, 1704), (9.5, 10, 1724), (0, 5, 1296)):
        found = performance(score, [1500.0] * games, method="small-sample").rating
        assert found == pytest.approx(rating)
        assert performance_rating(score, [1500.0] * games) == pytest.approx(rating)


def test_2_13_needs_the_interpolated_or_symmetric_table():
    # The book has ±90 for .625 and .375, and reads off a graph.
    fischer = performance(12.5, [0.0] * 20, method="table", interpolate=True).rating
    spassky = performance(7.5, [0.0] * 20, method="table", interpolate=True).rating
    assert (fischer, spassky) == (91, -91)
    assert performance(12.5, [0.0] * 20, method="table").rating == 95
    assert performance(7.5, [0.0] * 20, method="table").rating == -95
    assert performance(7.5, [0.0] * 20, method="fide").rating == -87  # FIDE rounds halves upwards
    with pytest.raises(UsageError, match="interpolating"):
        performance(7.5, [0.0] * 20, interpolate=True)


@pytest.mark.parametrize("score", [0, 5])
def test_nothing_explains_0_and_100_percent(score):
    found = performance(score, [1500] * 5)
    assert found.rating is None
    assert "no finite performance rating" in found.note
    half = performance(score, [1500] * 5, bound="half-point").rating
    assert half == pytest.approx(performance(abs(score - 0.5), [1500] * 5).rating)
    assert performance(score, [1500] * 5, bound="table").rating == (2300 if score else 700)


CURVES = [Logistic(), Normal(), PraCurve(), Table(interpolate=True), Linear()]
ratings = st.lists(st.floats(1000, 2800), min_size=1, max_size=15)


@pytest.mark.parametrize("curve", CURVES, ids=lambda c: c.name)
@given(opponents=ratings, data=st.data())
def test_exact_means_that_the_expected_score_is_the_score(curve, opponents, data):
    score = data.draw(st.floats(0.05, 0.95)) * len(opponents)
    found = performance(score, opponents, curve=curve)
    if found.rating is None:
        assert "explains" in found.note
        return
    assert math.fsum(curve.expected(found.rating - o) for o in opponents) == pytest.approx(score, abs=1e-6)


@given(opponents=ratings, shift=st.floats(-500, 500))
def test_everybody_stronger_by_as_much(opponents, shift):
    score = len(opponents) / 3
    one = performance(score, opponents).rating
    other = performance(score, [o + shift for o in opponents]).rating
    assert other == pytest.approx(one + shift, abs=1e-6)


def test_error_is_what_simulation_gives():
    import random

    rng = random.Random(3)
    opponents = [1500.0] * 40
    found = [performance(sum(rng.random() < 0.6 for _ in opponents), opponents).rating for _ in range(600)]
    mean = sum(found) / len(found)
    spread = math.sqrt(sum((f - mean) ** 2 for f in found) / len(found))
    assert spread == pytest.approx(performance(24, opponents).error, rel=0.1)


@pytest.mark.parametrize(
    ("score", "opponents"), [(1, []), (-1, [1500]), (2, [1500]), (math.nan, [1500]), (0.5, [math.nan])]
)
def test_misuse(score, opponents):
    with pytest.raises(UsageError):
        performance(score, opponents)


def test_wrong_combinations():
    with pytest.raises(UsageError, match="ratio"):
        performance(1, [1500, 1500], curve=Ratio())
    with pytest.raises(UsageError, match="own curve"):
        performance(1, [1500, 1500], method="table", curve=Normal())
    with pytest.raises(UsageError, match="expected a method"):
        performance(1, [1500, 1500], method="magic")


def test_on_the_command_line(run):
    done = run(
        "performance",
        "--score",
        "3.5",
        "--opponents",
        "1600,1700,1750,1800,1850",
        "--method",
        "exact",
        "--curve",
        "logistic",
        "--format",
        "json",
    )
    found = json.loads(done.out)
    assert found["performance"] == 1895.88
    assert found["games"] == 5
    assert (
        "Performance 2676"
        in run("performance", "--score", "10.5", "--opponents", "2527x15", "--method", "table").out
    )
    assert "no finite" in run("performance", "--score", "5", "--opponents", "1500x5").out
    for bad in (
        ["--score", "9", "--opponents", "1500"],
        ["--score", "1", "--opponents", "x"],
        ["--score", "1", "--opponents", "1500", "--method", "m"],
        ["--opponents", "1500"],
    ):
        assert run("performance", *bad).code == 2


def test_the_linear_form_is_finite_for_all_and_nothing():
    assert performance(4, [2000.0] * 4, method="linear").rating == 2400
    assert performance(0, [2000.0, 2100.0], method="linear").rating == 1650


def test_a_double_round_robin():
    """11 of 18 in a field of ten is .61 as 5½ of 9 is."""
    assert in_round_robin(2500, 11, 10, cycles=2) == in_round_robin(2500, 5.5, 10)


def test_scores_are_in_halves(run):
    done = run("performance", "--score", "2.3", "--opponents", "2000x4")
    assert done.code == 2
    assert "halves" in done.err
