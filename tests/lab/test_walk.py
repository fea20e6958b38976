"""Walks through time: nothing of a period is known before it, nothing before it is lost."""

from __future__ import annotations

import datetime as dt
import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.lab.metrics import CLIP, PredictedGames, fitted_scale
from arpad.lab.walk import walk
from arpad.model import Games
from arpad.rate import SYSTEMS
from arpad.rate.registry import system
from arpad.scale import Logistic, PraCurve

SHORT = {"block": 4, "until": 16, "late_block": 8, "late_until": 32}


@st.composite
def seasons(draw):
    n, count = draw(st.integers(2, 6)), draw(st.integers(2, 120))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    white = rng.integers(0, n, count)
    black = (white + rng.integers(1, n, count)) % n
    columns = {
        "white": white,
        "black": black,
        "score": rng.choice([0.0, 0.5, 1.0], count),
        "date": [dt.date(2024, int(m), 10) for m in np.sort(rng.integers(1, 7, count))],
    }
    return Games.assemble(columns, {"name": [f"P{i}" for i in range(n)]})


@pytest.mark.parametrize(
    ("name", "options"),
    [("elo", {}), ("pra-basic", {}), ("pra", SHORT), ("pra", {**SHORT, "anchor": 1600.0})],
)
@settings(max_examples=25)
@given(games=seasons())
def test_the_last_period_is_predicted_from_all_before_it(name, options, games):
    chosen = system(name, **options)
    found = walk(chosen, games)
    assert found.games == len(games)
    last = games.table["date"].max()
    earlier = games.keep(games.table["date"] < last)
    listed = chosen.rate(earlier)
    rating = listed.lookup(games.players).fill_null(1500.0).to_numpy()
    rows = found.rows.filter(pl.col("date") == last)
    D = rating[rows["white"].to_numpy()] - rating[rows["black"].to_numpy()]
    np.testing.assert_allclose(rows["difference"], D, atol=1e-6)
    curve = Logistic() if name == "elo" else PraCurve()
    np.testing.assert_allclose(rows["expected"], curve.expected(D), atol=1e-6)


@pytest.mark.parametrize("name", ["glicko", "glicko2", "stephenson"])
@settings(max_examples=15)
@given(games=seasons())
def test_spreads_of_the_day_are_used(name, games):
    last = games.table["date"].max()
    earlier = games.keep(games.table["date"] < last)
    if not len(earlier):
        return
    chosen = system(name)
    first = last.replace(day=1)
    listed = system(name, on=first).rate(earlier)
    rating = listed.lookup(games.players).fill_null(chosen.start).to_numpy()
    error = listed.lookup(games.players, "error").fill_null(chosen.start_error).to_numpy()
    rows = walk(chosen, games).rows.filter(pl.col("date") == last)
    w, b = rows["white"].to_numpy(), rows["black"].to_numpy()
    expected = chosen.expected_score(rating[w], error[w], rating[b], error[b], colour=1)
    np.testing.assert_allclose(rows["expected"], expected, atol=1e-6)


@pytest.mark.parametrize("name", SYSTEMS)
@settings(max_examples=5)
@given(games=seasons())
def test_any_system_walks(name, games):
    found = walk(system(name), games)
    assert found.rows["expected"].is_between(0, 1).all()
    assert name in found.summary()


@given(games=seasons(), period=st.sampled_from(["day", "month", "quarter", "year"]))
@settings(max_examples=20)
def test_earlier_games_are_counted_by_period(games, period):
    rows = walk(system("elo"), games, period=period).rows
    first = rows.filter(pl.col("period") == rows["period"].min())
    assert first["earlier"].max() == 0
    assert first["expected"].to_list() == [0.5] * first.height
    for row in rows.iter_rows(named=True):
        before = rows.filter(pl.col("period") < row["period"])
        counts = [
            before.filter((pl.col("white") == p) | (pl.col("black") == p)).height
            for p in (row["white"], row["black"])
        ]
        assert row["earlier"] == min(counts)


def test_given_ratings_predict_the_first_games():
    columns = {
        "white": [0], "black": [1], "score": [1.0], "date": [dt.date(2024, 1, 1)],
        "white_rating": [1900.0], "black_rating": [1700.0],
    }  # fmt: skip
    games = Games.assemble(columns, {"name": ["Ann", "Bob"]})
    assert walk(system("elo"), games).rows["difference"].to_list() == [200]
    assert walk(system("elo", given=False), games).rows["difference"].to_list() == [0]
    # Ratings as uncertain as given ones are, not as a newcomer's.
    expected = system("glicko2").expected_score(1900, 200, 1700, 200)
    assert walk(system("glicko2"), games).rows["expected"][0] == pytest.approx(expected)


def test_games_without_dates_cannot_be_walked():
    with pytest.raises(UsageError, match="needs games with dates"):
        walk(system("elo"), Games.build([("Ann", "Bob", 1.0)]))
    with pytest.raises(UsageError, match="expected a period"):
        walk(system("elo"), Games.build([("Ann", "Bob", 1.0)]), period="week")


def predicted(pairs, difference=0.0, name="elo"):
    days = [dt.date(2024, 1 + i % 2, 1) for i in range(len(pairs))]
    rows = pl.DataFrame(
        {
            "white": [0] * len(pairs), "black": [1] * len(pairs), "score": [s for s, _ in pairs], "date": days, "period": days,
            "earlier": list(range(len(pairs))), "difference": [difference] * len(pairs), "expected": [e for _, e in pairs],
        },
        schema_overrides={"score": pl.Float64, "expected": pl.Float64, "difference": pl.Float64},
    )  # fmt: skip
    return PredictedGames(system=name, parameters={}, period="month", curve="own", rows=rows)


def test_scores_by_hand():
    found = predicted([(1.0, 0.8), (0.5, 0.8), (0.0, 0.0)])
    losses = [-math.log(0.8), -(math.log(0.8) + math.log(0.2)) / 2, -math.log(1 - CLIP)]
    assert found.losses() == pytest.approx(losses)
    assert found.log_loss == pytest.approx(sum(losses) / 3)
    assert found.brier == pytest.approx((0.04 + 0.09 + 0) / 3)
    # What was held for impossible costs much, not everything.
    assert predicted([(1.0, 0.0)]).log_loss == pytest.approx(-math.log(CLIP))
    assert predicted([(1.0, 0.5)]).log_loss == pytest.approx(math.log(2))


def test_games_of_the_experienced_and_the_late():
    found = predicted([(1.0, 0.5)] * 6)
    assert found.where(least_games=4).games == 2
    assert found.where(since=dt.date(2024, 2, 1)).games == 3
    assert found.where(least_games=99).summary() == "elo: no game was predicted"


def test_a_scale_is_fitted_to_what_came_before():
    rng = np.random.default_rng(1)
    D = rng.normal(0, 200, 40_000)
    score = (rng.random(40_000) < Logistic(class_interval=280).expected(D)).astype(float)
    assert fitted_scale(D, score) == pytest.approx(280, rel=0.04)
    found = predicted([(1.0, 0.5), (1.0, 0.5)] * 50, difference=100.0)
    later = found.fitted(dt.date(2024, 2, 1))
    assert later.games == 50
    assert later.curve.startswith("logistic, C = ")
    assert later.rows["expected"][0] > 0.95  # all games before were won
    with pytest.raises(UsageError, match="there are none"):
        found.fitted(dt.date(2020, 1, 1))
