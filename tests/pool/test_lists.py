"""Cohorts, shapes and accounts, from rating lists."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import InputError, UsageError
from arpad.model import Ratings
from arpad.pool.monitors import account, cohort, shape
from arpad.pool.rating_lists import aligned, dated, kept


def listed(ratings: dict[str, float | None], year: int | None = 2001, *, born=None, ids=True, **more):
    names = list(ratings)
    columns = {
        "player": names,
        "id": names if ids else [None] * len(names),
        "rating": list(ratings.values()),
        "birth": [str(born[n]) if born and n in born else None for n in names],
    } | more
    schema = {"player": pl.String, "id": pl.String, "rating": pl.Float64, "birth": pl.String}
    rows = pl.DataFrame(columns, schema_overrides=schema)
    day = None if year is None else dt.date(year, 7, 1)
    return dated(Ratings(system="x", rows=rows, parameters={}), label=f"L{year}", day=day)


def population(n: int, seed: int, change: float = 0.0, noise: float = 30.0):
    rng = np.random.default_rng(seed)
    first = rng.normal(2000, 150, n)
    last = first + change + rng.normal(0, noise, n)
    born = {f"p{i}": int(y) for i, y in enumerate(rng.integers(1961, 1977, n))}
    one = listed({f"p{i}": float(r) for i, r in enumerate(first)}, 2001, born=born)
    two = listed({f"p{i}": float(r) for i, r in enumerate(last)}, 2003, born=born)
    return one, two


def test_the_period_is_the_date():
    def day(period):
        rows = pl.DataFrame({"player": ["A"], "rating": [2000.0]})
        return dated(Ratings(system="x", rows=rows, parameters={"period": period})).date

    assert day("APR04") == dt.date(2004, 4, 1)
    assert day("JAN71") == dt.date(1971, 1, 1)
    assert day("RTNG") is None


def test_people_are_told_apart_by_id_else_by_name():
    one = listed({"A": 2000.0, "B": 2100.0})
    by_name = listed({"A": 2010.0, "C": 1900.0}, 2003, ids=False)
    first, last = aligned([by_name, one])  # sorted by date
    assert (first.label, last.label) == ("L2001", "L2003")
    assert set(first.rows["person"]) & set(last.rows["person"]) == {"A"}
    rows = pl.DataFrame({"player": ["A", "A", "B"], "id": [None] * 3, "rating": [1.0, 2.0, 3.0]})
    twice = dated(Ratings(system="x", rows=rows, parameters={}), label="t", day=dt.date(2005, 1, 1))
    (found,) = aligned([twice])
    assert (found.rows["person"].to_list(), found.left_out) == (["B"], 2)


def test_no_rating_is_left_out_and_counted():
    found = listed({"A": 2000.0, "B": None, "C": float("nan")})
    assert (found.rows.height, found.left_out) == (1, 2)


def test_impossible_births_are_not_believed():
    assert listed({"A": 2000.0, "B": 2000.0}, born={"A": 2049, "B": 1972}).rows["born"].to_list() == [
        None,
        1972,
    ]


def test_the_kept_part():
    one = listed({"A": 2000.0, "B": 2100.0}, flag=["i", None], total_games=[10, 40])
    assert kept([one], active=True)[0].rows["player"].to_list() == ["B"]
    assert kept([one], floor=2050)[0].rows["player"].to_list() == ["B"]
    assert kept([one], least_games=30)[0].rows["player"].to_list() == ["B"]
    with pytest.raises(UsageError, match="has no numbers of games"):
        kept([listed({"A": 2000.0})], least_games=30)


def test_a_cohort_that_falls_is_found_and_one_that_does_not_is_not():
    fell = cohort(population(500, 1, change=-10))
    same = fell.tests[0]
    assert fell.who == "aged 25–40"
    assert same.players == 500
    assert same.estimate == pytest.approx(-10, abs=4)
    assert same.p < 1e-6
    # unpaired, the spread of the players hides it
    assert fell.tests[1].estimate == pytest.approx(same.estimate, abs=20)
    assert fell.tests[1].error > 5 * same.error
    still = cohort(population(500, 2))
    assert still.tests[0].p > 0.01
    assert "-9" in fell.summary() or "-1" in fell.summary()


def test_chance_is_significant_as_often_as_it_should_be():
    p = [cohort(population(60, seed), born=(1961, 1976)).tests[0].p for seed in range(200)]
    assert 0.01 < np.mean(np.array(p) < 0.05) < 0.11


def test_born_are_the_same_people_and_ages_are_not():
    born = {"A": 1965, "B": 1975, "C": 1979}
    one = listed({"A": 2000.0, "B": 2100.0, "C": 1800.0}, 2001, born=born)
    two = listed({"A": 2010.0, "B": 2100.0, "C": 1900.0}, 2006, born=born)
    by_birth = cohort([one, two], born=(1960, 1975)).rows
    assert by_birth["players"].to_list() == [2, 2]
    assert by_birth["mean"].to_list() == [2050, 2055]
    by_age = cohort([one, two], ages=(25, 40)).rows
    assert by_age["mean"].to_list() == [2050, 2000]  # in 2006 A is 41, C is 27
    assert by_age["same_mean"].to_list() == [2050, 2055]


def test_three_lists_give_a_slope():
    born = {f"p{i}": 1970 for i in range(40)}
    rng = np.random.default_rng(0)
    start = {p: 2000 + float(rng.normal(0, 100)) for p in born}
    lists = [
        listed({p: r - 6 * y + float(rng.normal(0, 5)) for p, r in start.items()}, 2001 + y, born=born)
        for y in range(4)
    ]
    slope = cohort(lists).tests[2]
    assert slope.estimate == pytest.approx(-6, abs=1)
    assert slope.players == 40
    assert slope.p < 1e-6


def test_cohorts_that_cannot_be_followed():
    one, two = population(5, 1)
    undated = listed({"A": 2000.0}, None, born={"A": 1970})
    for wrong, words in (
        (lambda: cohort([one]), "two rating lists"),
        (lambda: cohort([]), "none"),
        (lambda: cohort([one, two], born=(1960, 1970), ages=(20, 30)), "both"),
        (lambda: cohort([one, two], born=(1980, 1970)), "smaller year first"),
        (lambda: cohort([undated, undated]), "date of every list"),
    ):
        with pytest.raises(UsageError, match=words):
            wrong()
    with pytest.raises(InputError, match="none with a year of birth"):
        cohort([one, two], born=(1800, 1810))


def test_one_person_has_no_p():
    born = {"A": 1970}
    found = cohort([listed({"A": 2000.0}, 2001, born=born), listed({"A": 2010.0}, 2003, born=born)])
    assert found.tests[0].p is None
    assert "nothing to test" in found.summary()


def test_shape():
    one, two = population(3000, 5, change=20)
    found = shape([one, two])
    first, last = found.rows.iter_rows(named=True)
    assert first["mean"] == pytest.approx(2000, abs=10)
    assert abs(first["skewness"]) < 0.15
    assert abs(first["kurtosis"]) < 0.25
    assert last["mean"] - first["mean"] == pytest.approx(found.tests[0].estimate)
    assert found.tests[-1].estimate == pytest.approx(20, abs=3)
    assert found.tests[3].p > 0.01  # the form is the same
    sums = found.histogram.group_by("list").agg(pl.col("share").sum(), pl.col("players").sum())
    assert sums["share"].to_list() == pytest.approx([1, 1])
    assert sums["players"].to_list() == [3000, 3000]


def test_a_wider_pool_is_found_wider():
    rng = np.random.default_rng(8)
    one = listed({f"a{i}": float(r) for i, r in enumerate(rng.normal(2000, 100, 800))}, 2001)
    two = listed({f"b{i}": float(r) for i, r in enumerate(rng.normal(2000, 130, 800))}, 2003)
    means, spreads, *_ = shape([one, two]).tests
    assert means.p > 0.01
    assert spreads.p < 1e-6
    assert spreads.estimate == pytest.approx(30, abs=10)


def test_different_floors_are_told():
    found = shape([listed({"A": 2000.0, "B": 2100.0}), listed({"A": 1800.0, "B": 2100.0}, 2003)])
    assert any("different ratings" in note for note in found.notes)
    assert not any("different" in n for n in shape([listed({"A": 2000.0})] * 2).notes)


def test_shapes_of_nothing_and_of_equals():
    with pytest.raises(InputError, match="none"):
        shape([listed({}), listed({})])
    with pytest.raises(UsageError, match="step"):
        shape(population(5, 1), step=0)
    flat = shape(
        [
            listed({"A": 2000.0, "B": 2000.0, "C": 2000.0}),
            listed({"A": 2000.0, "B": 2000.0, "C": 2000.0}, 2003),
        ]
    )
    assert flat.tests[0].p is None
    assert flat.tests[1].p is None


ratings = st.dictionaries(st.sampled_from("ABCDEFGHIJ"), st.integers(1000, 2800).map(float), min_size=1)


@given(lists=st.lists(ratings, min_size=2, max_size=4))
def test_every_account_balances(lists):
    found = account([listed(each, 2001 + i) for i, each in enumerate(lists)])
    for row in found.rows.iter_rows(named=True):
        closing = row["opening"] + row["brought_in"] - row["taken_out"] + row["change"]
        assert closing == pytest.approx(row["closing"])
        assert row["opening_players"] + row["entered"] - row["left"] == row["closing_players"]
        assert row["stayed"] + row["entered"] == row["closing_players"]


def test_account_by_hand():
    # A stays and loses 20, B enters at 1500 and leaves at 1700, C leaves at 2000, D enters at 1400.
    lists = [
        listed({"A": 2000.0, "C": 2000.0}, 2001),
        listed({"A": 1990.0, "B": 1500.0, "C": 2000.0}, 2002),
        listed({"A": 1985.0, "B": 1700.0}, 2003),
        listed({"A": 1980.0, "D": 1400.0}, 2004),
    ]
    gap, stayed, whole = account(lists).tests
    assert gap.estimate == (2000 + 1700) / 2 - (1500 + 1400) / 2  # R_q − R_i
    assert (gap.players, gap.others) == (2, 2)
    assert (stayed.estimate, stayed.players) == (-20, 1)
    assert (whole.estimate, whole.players) == (200, 1)


def test_account_of_a_closed_pool():
    found = account([listed({"A": 2000.0, "B": 1900.0}), listed({"A": 1990.0, "B": 1910.0}, 2003)])
    assert found.rows.row(0, named=True)["change"] == 0
    assert "no R_q" in found.summary()
    with pytest.raises(UsageError, match="two rating lists"):
        account([listed({"A": 2000.0})])


@pytest.mark.data
def test_the_two_fide_lists(data):
    from arpad.read import read_list

    lists = [dated(read_list(str(data / "fide_lists" / f"{n}FRL.TXT.zst"))) for n in ("JUL01", "APR04")]
    found = cohort(lists, born=(1961, 1976))
    # Many came in low, those who were there hardly moved.
    assert found.tests[1].estimate == pytest.approx(-29.7, abs=0.1)
    assert found.tests[0].estimate == pytest.approx(-1.8, abs=0.1)
    assert account(lists).tests[0].estimate == pytest.approx(105.4, abs=0.1)
    assert any("different ratings" in note for note in shape(lists).notes)
    fair = shape(kept(lists, floor=2001))
    assert fair.tests[0].estimate == pytest.approx(-16.8, abs=0.1)
