from __future__ import annotations

import math
from datetime import date

import numpy as np
import polars as pl
import pytest

import arpad
from arpad.errors import InputError
from arpad.pool.draw_check import check_draws, draw_games
from arpad.rate.draws import PUBLISHED, TERMS, fit_draws, probabilities
from arpad.read import read


def season(number, seed=1, **columns):
    """Games that the shipped model decided, one a day."""
    rng = np.random.default_rng(seed)
    R, R_c = np.round(rng.normal(2200, 200, (2, number)))
    ends = probabilities(R, R_c, advantage=PUBLISHED.white_advantage)
    u = rng.random(number)
    score = np.where(u < ends.win, 1.0, np.where(u < ends.win + ends.draw, 0.5, 0.0))
    days = pl.date_range(date(2000, 1, 1), date(2090, 1, 1), "1d", eager=True).head(number)
    table = {
        "white": [f"w{i}" for i in range(number)],
        "black": [f"b{i}" for i in range(number)],
        "score": score,
        "white_rating": R,
        "black_rating": R_c,
        "date": days,
        **columns,
    }
    return arpad.from_frame(pl.DataFrame(table))


def test_groups_hold_every_game_and_agree_with_the_model():
    found = check_draws(season(8000))
    assert found.grid["games"].sum() == found.games == 8000
    assert (found.grid["observed"] * found.grid["games"]).sum() == pytest.approx(found.drawn)
    assert found.by("level")["games"].sum() == found.by("difference")["games"].sum() == 8000
    inside = pl.col("mean_difference").is_between("difference", "difference_to")
    assert found.grid.filter(~inside).is_empty()
    z = found.grid.filter(pl.col("games") >= 100)["z"]
    assert (z**2).mean() < 2
    assert found.miss < 0.02
    assert found.rising() is None
    assert "same games" in found.summary()


def test_marginals_are_sums_of_the_groups():
    found = check_draws(season(3000))
    row = found.by("difference").row(0, named=True)
    part = found.grid.filter(pl.col("difference") == row["difference"])
    n = part["games"]
    assert row["predicted"] == pytest.approx((part["predicted"] * n).sum() / n.sum())
    assert row["sigma"] == pytest.approx(float(((part["sigma"] * n) ** 2).sum() ** 0.5 / n.sum()))
    assert row["z"] == pytest.approx((row["observed"] - row["predicted"]) / row["sigma"])


def test_later_games_take_no_part_in_the_fit():
    games = season(4000)
    day = date(2005, 1, 1)
    found = check_draws(games, validate_from=day)
    first = draw_games(games.keep(games.table["date"] < day))
    assert found.fit.model == fit_draws(first.D, first.L, first.score).model
    assert found.games == 4000 - len(first)
    assert found.later


def test_every_form_beside_it():
    found = check_draws(season(3000), compare=True)
    assert found.others is not None
    assert found.others.height == 10
    assert found.others["loss"].is_sorted()
    same = found.others.filter(form="rao-kupper", terms="full").row(0, named=True)
    assert same["loss"] == pytest.approx(found.loss)
    plain = found.others.filter(form="one share for all").row(0, named=True)
    assert plain["loss"] == found.others["loss"].max()
    # almost as much as drawing lots with that share: one-sided games have less room for it
    share = found.drawn / found.games
    lots = -(share * math.log(share) + (1 - share) * math.log(1 - share))
    assert 0.9 * lots < plain["draw_loss"] < lots


def test_games_without_ratings_are_left_out_and_counted():
    ratings = [None if i % 4 == 0 else 2000.0 + i % 300 for i in range(400)]
    found = draw_games(season(400, white_rating=ratings))
    assert (len(found), found.left_out) == (300, 100)


def test_no_ratings_at_all():
    with pytest.raises(InputError, match="none in which both have a rating"):
        check_draws(season(200, white_rating=[None] * 200, black_rating=[None] * 200))


@pytest.mark.parametrize("day", [date(1999, 1, 1), date(2100, 1, 1)])
def test_nothing_before_or_after(day):
    with pytest.raises(InputError, match="found none with such a date"):
        check_draws(season(200), validate_from=day)


@pytest.mark.data
def test_the_shipped_constants_are_those_of_the_games(data, tmp_path):
    """Games over the board 2010–14, tested on 2015; those of 2016 are not looked at."""
    source = pl.read_parquet(data / "twic_results" / "results_2010_2016_fideid.parquet")
    wanted = source.filter(~pl.col("fast_or_online") & (pl.col("date") < date(2016, 1, 1)))
    wanted.write_parquet(tmp_path / "games.parquet")
    games = read([tmp_path / "games.parquet"]).games
    found = check_draws(games, validate_from=date(2015, 1, 1))
    model = found.fit.model
    for name in TERMS:
        assert getattr(model, name) == pytest.approx(getattr(PUBLISHED, name), abs=5e-5), name
    assert model.white_advantage == pytest.approx(PUBLISHED.white_advantage, abs=0.05)
    assert (model.low, model.high) == (PUBLISHED.low, PUBLISHED.high)
    assert model.reach == pytest.approx(PUBLISHED.reach, abs=0.5)
    assert (model.games, found.games) == (PUBLISHED.games, 107_311)
    # As docs/methods/draws.md says.
    assert found.loss == pytest.approx(0.9077, abs=5e-5)
    assert found.draw_loss == pytest.approx(0.5833, abs=5e-5)
    assert found.miss == pytest.approx(0.020, abs=1e-3)
