from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arpad.errors import InputError, UsageError
from arpad.model import Ratings
from arpad.pool.scales import aged, common, fit_scale
from arpad.rate.uscf.performance import age_rating, uscf_from_fide

PLACES = np.arange(2050.0, 2551.0, 50.0)


def bent(R):
    """A known conversion that is not straight."""
    return R + 40 + 0.0004 * (R - 2300) ** 2


def lists(rng, n=400, noise=60.0):
    R = rng.normal(2300, 150, n)
    return pl.DataFrame({"rating": R, "value": bent(R) + rng.normal(0, noise, n)})


def a_list(**columns):
    return Ratings(system="x", rows=pl.DataFrame(columns), parameters={})


def test_a_known_curve_is_found_within_its_interval():
    held = places = 0
    spreads = []
    for seed in range(40):
        found = fit_scale(lists(np.random.default_rng(seed)))
        table = found.table([[x] for x in PLACES])
        held += int(table.select((pl.col("low") <= bent(PLACES)) & (pl.col("high") >= bent(PLACES))).to_series().sum())  # fmt: skip
        places += len(PLACES)
        spreads.append(found.spread)
    assert 0.9 < held / places < 0.99  # 95 % are promised
    assert np.mean(spreads) == pytest.approx(60, rel=0.1)


@settings(max_examples=20)
@given(seed=st.integers(0, 10**6), wild=st.integers(1, 30), far=st.floats(600, 2500))
def test_wild_players_hardly_move_the_curve(seed, wild, far):
    rng = np.random.default_rng(seed)
    points = lists(rng)
    moved = points.with_columns(
        pl.when(pl.int_range(pl.len()) < wild).then(pl.col("value") + far).otherwise("value").alias("value")
    )  # fmt: skip
    plain, robust = (fit_scale(p).table([[2200.0], [2400.0]])["value"] for p in (points, moved))
    mean = wild * far / 400  # what a mean would move by
    assert np.abs((robust - plain).to_numpy()).max() < max(12.0, 0.35 * mean)


@settings(max_examples=20)
@given(seed=st.integers(0, 10**6), shift=st.floats(-500, 500), factor=st.floats(0.2, 3))
def test_another_zero_and_unit_change_nothing_else(seed, shift, factor):
    points = lists(np.random.default_rng(seed), n=120)
    other = points.with_columns(pl.col("value") * factor + shift)
    one, two = (fit_scale(p).convert(2300) for p in (points, other))
    assert two.value == pytest.approx(one.value * factor + shift, abs=1e-3)
    assert two.error == pytest.approx(one.error * factor, rel=1e-3)


def test_two_predictors_are_kept_apart():
    # A plane in age and games is fitted exactly, so that a mix-up of columns shows.
    rng = np.random.default_rng(5)
    age, games = rng.uniform(8, 80, 300), rng.integers(6, 20, 300).astype(float)
    points = pl.DataFrame({"age": age, "games": games, "value": 500 + 10 * age + 30 * games})
    found = fit_scale(points, on=("age", "games"))
    for a, g in ((20.5, 6.0), (40.5, 12.0), (60.5, 19.0)):
        assert found.convert(a, g).value == pytest.approx(500 + 10 * a + 30 * g, abs=1e-6)
    with pytest.raises(UsageError, match="age and games"):
        found.convert(20.5)


def test_nothing_is_extrapolated():
    found = fit_scale(lists(np.random.default_rng(1)))
    low, high = found.reach("rating")
    assert found.convert(low).value < found.convert(high).value
    for outside in (low - 1, high + 1, float("nan")):
        with pytest.raises(UsageError, match="nothing is extrapolated"):
            found.convert(outside)


def test_large_lists_are_sampled_and_say_so():
    points = lists(np.random.default_rng(2), n=3000)
    found, again = (fit_scale(points, most=300) for _ in range(2))
    assert (found.n, found.available) == (300, 3000)
    assert "drawn from 3,000 by seed" in found.summary()
    assert found.convert(2300) == again.convert(2300)
    assert abs(found.convert(2300).value - bent(2300)) < 4 * found.convert(2300).error


def test_many_places_are_as_one_by_one():
    found = fit_scale(lists(np.random.default_rng(4)))
    places = np.linspace(2100, 2500, 1203)
    table = found.table([[x] for x in places])
    for i in (0, 499, 500, 1202):
        assert table["value"][i] == pytest.approx(found.convert(places[i]).value)
        assert table["high"][i] == pytest.approx(found.convert(places[i]).high)
    assert found.table([]).height == 0


def test_near_counts_players_near():
    R = np.arange(2000.0, 2400.0, 10)
    found = fit_scale(pl.DataFrame({"rating": R, "value": R}))
    assert found.convert(2200).near == 5  # 2180 … 2220


def test_the_report_s_own_tables_are_loess_curves():
    """Tables 1 and 2 of 1994 were read off such fits: fitted again they come back."""
    R = np.arange(2200.0, 2700.0, 5)
    one = fit_scale(pl.DataFrame({"rating": R, "value": [uscf_from_fide(r) for r in R]}), span=0.3)
    assert max(abs(one.convert(r).value - uscf_from_fide(r)) for r in (2300, 2400, 2500, 2600)) < 2
    ages = np.arange(5.5, 81.0)
    two = fit_scale(
        pl.DataFrame({"age": ages, "value": [age_rating(int(a)) for a in ages]}), on=("age",), span=0.3
    )  # fmt: skip
    assert max(abs(two.convert(a + 0.5).value - age_rating(a)) for a in (8, 20, 40, 60)) < 6


def test_players_are_matched_by_id_then_by_name():
    first = a_list(
        player=["Ann", "Bob", "Cid", "Dan", "Eve", "Eve", "Flo"],
        id=["1", "2", None, "4", None, None, "7"],
        rating=[2000.0, 2100.0, 2200.0, 2300.0, 2400.0, 2500.0, None],
    )
    second = a_list(
        player=["Anna", "Bob", "Cid", "Dan", "Eve", "Flo"],
        id=["1", "9", "3", None, None, "7"],
        rating=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
    )
    found = common(first, second)
    # Ann by id; Bob has two ids and is two people; Cid and Dan by name; there are two Eves; Flo is unrated.
    assert sorted(found.points.rows()) == [(2000.0, 1.0), (2200.0, 3.0), (2300.0, 4.0)]
    assert (found.counts["by_id"], found.counts["by_name"]) == (1, 2)
    assert common(first, second, least=2200).points.height == 2


def test_an_id_that_stands_twice_is_nobody():
    first = a_list(player=["A", "B", "C"], id=["1", "1", "2"], rating=[1.0, 2.0, 3.0])
    second = a_list(player=["X", "Y"], id=["1", "2"], rating=[1.0, 2.0])
    assert common(first, second).points.rows() == [(3.0, 2.0)]


def test_few_games_are_left_out():
    first = a_list(player=["A", "B"], rating=[1.0, 2.0], total_games=[9, 10])
    second = a_list(player=["A", "B"], rating=[1.0, 2.0])
    assert common(first, second, least_games=(10, 0)).points.height == 1
    with pytest.raises(UsageError, match="second list with a column total_games"):
        common(first, second, least_games=(0, 10))


def test_ages():
    births = ["1990-07-01", "1990", "1990-01", None, "1999", "1870", "junk"]
    listed = a_list(player=list("ABCDEFG"), birth=births, rating=[1000.0] * 7)
    found = aged(listed, date(2000, 7, 1))
    assert found.points["age"].round(1).to_list() == [10.0, 10.0, 10.5]
    assert found.counts == {"listed": 7, "unknown": 2, "impossible": 2}
    with pytest.raises(UsageError, match="column total_games"):
        aged(listed, date(2000, 7, 1), with_games=True)
    with pytest.raises(InputError, match="birth"):
        aged(a_list(player=["A"], rating=[1.0]), date(2000, 7, 1))


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ({"rating": [], "value": []}, "found 0"),
        ({"rating": [2000.0], "value": [1.0]}, "found 1"),
        ({"rating": [2000.0] * 40, "value": [1.0] * 40}, "different values"),
        ({"rating": [2000.0] * 36 + [1.0, 2.0, 3.0, 4.0], "value": [1.0] * 40}, "too many equal"),
        ({"rating": [float("nan")] * 40, "value": [1.0] * 40}, "found 0"),
        ({"rating": list(range(40)), "value": [None] * 40}, "found 0"),
    ],
)
def test_too_little_is_one_sentence(points, words):
    with pytest.raises(InputError, match=words):
        fit_scale(pl.DataFrame(points))


@pytest.mark.parametrize("wrong", [{"span": 0}, {"span": float("nan")}, {"span": 2}, {"confidence": 1}, {"on": ()}, {"on": ("shoe",)}, {"most": 5}, {"most": 10**6}])  # fmt: skip
def test_bad_options(wrong):
    with pytest.raises(UsageError):
        fit_scale(lists(np.random.default_rng(1)), **wrong)


@pytest.mark.parametrize("player", ["no noise", "far away"])
def test_odd_but_possible(player):
    R = np.arange(2000.0, 2100.0)
    value = R.copy()
    if player == "far away":
        R, value = np.append(R, 1e6), np.append(value, -1e6)
    assert fit_scale(pl.DataFrame({"rating": R, "value": value})).convert(2050).value == pytest.approx(2050)  # fmt: skip


@pytest.mark.data
def test_fide_s_lists_are_one_scale(data):
    from arpad.read import read_list

    first, second = (read_list(data / "fide_lists" / f"{n}FRL.TXT.zst") for n in ("JUL01", "APR04"))
    found = fit_scale(common(first, second).points)
    assert (found.n, found.available) == (5000, 36899)
    assert found.convert(2200).value == pytest.approx(2199, abs=2)
    assert found.convert(2600).value == pytest.approx(2589, abs=8)
    young, grown, old = (
        fit_scale(aged(second, date(2004, 4, 1)).points, on=("age",)).convert(a + 0.5) for a in (12, 35, 75)
    )  # fmt: skip
    assert young.high < grown.low
    assert old.high < grown.low
