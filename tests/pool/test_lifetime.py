from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.pool.lifetime import (
    FORMATIVE,
    GAIN,
    PEAK_AGE,
    Averages,
    ages_at,
    composite_curve,
    development,
    fit_additive,
    smooth_curve,
)


def averages(ratings, error=20.0, window=5, start=1900):
    n = len(ratings)
    first = start + window * np.arange(n)
    return Averages(first, first + window - 1, np.array(ratings, float), np.full(n, error), np.zeros(n))


def every_year(n, start=1900):
    return np.arange(start, start + n), np.full(n, 10)


def test_5_67_and_6_21_the_composite_curve():
    assert composite_curve(np.array([21.0, PEAK_AGE, 63.0])).tolist() == [0, GAIN, 0]
    ages = np.arange(21, 64)
    assert ages[np.argmax(composite_curve(ages))] == 36
    assert GAIN == 0.6 * 200  # .6 C
    rise, fall = np.diff(composite_curve(np.array([21.0, 36.0, 51.0])))
    assert rise > -fall  # the decline is slower


def test_6_32_formative_years(golden):
    rows = {int(r["age"]): int(r["early"]) for r in golden("elo_6_32.csv")}
    assert {age: rows[age] for age in FORMATIVE} == FORMATIVE
    gain = np.diff(composite_curve(np.arange(12.0, 19.0)))
    assert gain.max() >= 150  # up to 150 points a year between 12 and 18 [6.33]
    assert composite_curve(15.0) == rows[15] - rows[21]


@given(level=st.floats(1000, 3000), n=st.integers(1, 8), error=st.floats(5, 100))
def test_who_is_always_the_same_has_a_flat_curve(level, n, error):
    life = smooth_curve(averages([level] * n, error), *every_year(5 * n))
    assert np.allclose(life.rating, level)
    best = life.best(5, 20)
    assert best.rating == pytest.approx(level)
    assert best.games == 50
    assert best.own_error <= error * 1.01


@given(st.lists(st.floats(-200, 200), min_size=2, max_size=8), st.floats(-500, 500))
def test_curves_move_with_their_averages(ratings, shift):
    a = smooth_curve(averages(ratings), *every_year(5 * len(ratings)))
    b = smooth_curve(averages([r + shift for r in ratings]), *every_year(5 * len(ratings)))
    assert np.allclose(a.rating + shift, b.rating)
    assert np.allclose(a.error, b.error)


def test_silence_widens_the_error_and_takes_no_peak():
    years = np.r_[np.arange(1900, 1905), np.arange(1930, 1935)]
    two = Averages(
        np.array([1900, 1930]),
        np.array([1904, 1934]),
        np.array([2400.0, 2600.0]),
        np.full(2, 20.0),
        np.zeros(2),
    )
    life = smooth_curve(two, years, np.full(10, 10))
    frame = life.frame()
    assert frame["year"].to_list() == list(range(1900, 1935))
    assert frame.filter(pl.col("year") == 1917)["error"][0] > 2 * frame["error"][2]
    assert life.peak()[0] in years
    assert life.best(5, 20).first == 1930
    assert life.best(5, 1000) is None


def test_level_errors_add_in_quadrature():
    plain = averages([2500.0, 2500.0])
    shaky = Averages(plain.first, plain.last, plain.rating, plain.own_error, np.array([30.0, 40.0]))
    a, b = smooth_curve(plain, *every_year(10)), smooth_curve(shaky, *every_year(10))
    assert np.allclose(b.error[:5] ** 2 - a.error[:5] ** 2, 900)
    assert np.allclose(b.error[5:] ** 2 - a.error[5:] ** 2, 1600)


@given(st.lists(st.floats(-300, 300), min_size=2, max_size=6), st.integers(0, 99))
def test_additive_effects_are_found_exactly_without_noise(effects, seed):
    random = np.random.default_rng(seed)
    columns = np.tile(np.arange(len(effects)), 4)
    rows = np.repeat(np.arange(4), len(effects))
    values = random.normal(0, 100, 4)[rows] + np.array(effects)[columns]
    fit = fit_additive(rows, columns, values, random.uniform(0.1, 5, len(rows)), len(effects))
    assert np.allclose(fit.effects, np.array(effects) - np.mean(effects), atol=1e-6)
    assert np.allclose(fit.covariance, 0, atol=1e-6)
    assert (fit.links == 4).all()


def test_columns_that_nothing_joins():
    fit = fit_additive(np.array([0, 0, 1]), np.array([0, 1, 2]), np.array([1.0, 3.0, 9.0]), np.ones(3), 4)
    assert fit.effects[:2] == pytest.approx([-1.0, 1.0])
    assert np.isnan(fit.effects[2:]).all()
    nothing = fit_additive(np.zeros(0, int), np.zeros(0, int), np.zeros(0), np.zeros(0), 2)
    assert np.isnan(nothing.effects).all()


def test_development_finds_the_curve_it_was_given():
    """Players from 18 to 63, periods whose levels climb 10 points each: the fit takes the climb out."""
    random = np.random.default_rng(1)
    births = {f"P{i}": 1900.0 + i for i in range(40)}
    rows = [
        (name, period, 1915.0 + 3 * period)
        for name in births
        for period in range(40)
        if 18 + int(name[1:]) % 4 <= 1915 + 3 * period - births[name] <= 66
    ]
    age = np.array([year - births[name] for name, _, year in rows])
    periods = np.array([period for _, period, _ in rows])
    own = np.array([10.0 * int(name[1:]) for name, _, _ in rows])
    ratings = pl.DataFrame(
        {
            "player": [name for name, _, _ in rows],
            "period": periods,
            "year": [year for _, _, year in rows],
            "rating": 2400 + own + 10 * periods + composite_curve(age) + random.normal(0, 5, len(rows)),
            "own_error": np.full(len(rows), 10.0),
        }
    )
    unknown = ratings.filter(pl.col("player") == "P0").with_columns(pl.lit("unknown").alias("player"))
    found = development(pl.concat([ratings, unknown]), births)
    off = found["points"] - composite_curve(found["age"].to_numpy())
    within = found["age"].is_between(21, 63)
    assert off.filter(within).abs().max() < 8  # the course is straight between ages here, a curve there
    assert found.row(int(found["points"].arg_max()), named=True)["age"] in range(33, 40)
    assert found.filter(pl.col("age") == 21)["points"].to_list() == [0]
    assert found.filter(pl.col("age") == 63)["points"].to_list() == [0]
    # Ratings that are hardly known, of lives that turn the curve round, move the sure ones little.
    other = ratings.with_columns(
        (pl.col("player") + "x").alias("player"),
        pl.col("rating") - 2 * pl.Series(composite_curve(age)),
        pl.lit(100.0).alias("own_error"),
    )
    mixed = development(pl.concat([ratings, other]), births | {f"{name}x": b for name, b in births.items()})
    assert mixed.filter(pl.col("age") == 36)["points"][0] == pytest.approx(GAIN, abs=12)
    # Without anybody of 63 the levels of the periods are taken as they stand: here they climb 50 in 15 years.
    younger = development(ratings.filter(pl.Series(age) < 55), births)
    assert younger.filter(pl.col("age") == 36)["points"][0] == pytest.approx(GAIN + 50, abs=6)
    assert development(ratings.clear(), {}).is_empty()


def test_development_takes_out_the_level_of_every_period():
    """Few periods, all with people of all ages, whose levels follow no line: nothing of them stays in the curve."""
    ages = np.arange(18, 67, 3)
    births = {f"P{i}": 1849.0 + 3 * i for i in range(20)}
    levels = {0: 0.0, 1: 200.0, 2: -150.0, 3: 70.0, 4: -40.0}
    rows = [
        (name, period, 1915.0 + 3 * period, 1915.0 + 3 * period - born)
        for name, born in births.items()
        for period in levels
        if 18 <= 1915 + 3 * period - born <= 66
    ]
    curve = dict(zip(ages.tolist(), composite_curve(ages).tolist(), strict=True))
    ratings = pl.DataFrame(
        {
            "player": [name for name, *_ in rows],
            "period": [period for _, period, *_ in rows],
            "year": [year for *_, year, _ in rows],
            "rating": [2400 + 7 * int(n[1:]) + levels[p] + curve[int(a)] for n, p, _, a in rows],
            "own_error": np.full(len(rows), 10.0),
        }
    )
    found = development(ratings, births, fewest=1)
    assert found["age"].to_list() == ages.tolist()
    assert found["points"].to_list() == pytest.approx(list(curve.values()), abs=1e-6)


def test_ages_at_levels():
    rising = pl.DataFrame({"year": range(1915, 1940), "rating": [2250.0 + 20 * i for i in range(25)]})
    above = pl.DataFrame({"year": [1920, 1921], "rating": [2450.0, 2450.0]})
    found = ages_at(
        {"a": rising, "b": above, "c": rising}, {"a": 1900.0, "b": 1900.0, "c": 1898.0}
    ).to_dicts()
    assert [(r["level"], r["age"], r["players"], r["above"]) for r in found] == [
        (2300, 19.0, 2, 1),
        (2400, 24.0, 2, 1),
        (2500, 29.0, 2, 0),
    ]
