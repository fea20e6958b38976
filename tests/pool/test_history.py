from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arpad.errors import InputError, UsageError
from arpad.model import Games
from arpad.pool.half_decades import Linking, Periods
from arpad.pool.history import HistorySystem
from tests.pool.lives import made, world

SMALL = Periods(fewest_players=8, fewest_games=5)


def system(**options):
    return HistorySystem(**{"periods": SMALL, "linking": Linking(ageing="none"), **options})


@settings(max_examples=6)
@given(seed=st.integers(0, 10_000), step=st.sampled_from([1, 5]), ageing=st.sampled_from(["curve", "none"]))
def test_lifetime_curves_are_recovered_within_their_errors(seed, step, ageing):
    games, births, truth = world(seed, ageing=ageing == "curve")
    periods = Periods(step=step, fewest_players=8, fewest_games=5)
    history = system(periods=periods, births=births, linking=Linking(ageing=ageing)).study(games)
    off, errors, years = [], [], []
    for name, life in history.lives.items():
        for year, rating, error, played in life.frame().iter_rows():
            if played:
                off.append(rating - truth[name, year])
                errors.append(error)
                years.append(year)
    off = np.array(off) - np.mean(off)  # the level is nobody's to tell
    z = off / np.array(errors)
    assert 0.4 < np.sqrt(np.mean(z**2)) < 1.6
    assert np.mean(np.abs(z) < 2) > 0.85
    drift = np.polyfit(years, off, 1)[0]
    assert abs(drift * 40) < 80  # points over the whole history


def test_what_is_assumed_of_age_decides_the_drift():
    """Everybody stops at the peak: who takes them for constant sees later levels too low."""
    games, births, truth = world(5, career=(18, 36), people=80)

    def drift(ageing):
        history = system(births=births, linking=Linking(ageing=ageing)).study(games)
        rows = history.ratings.select("player", "rating", pl.col("year").round().cast(int), "error")
        off = [(y, r - truth[p, y], 1 / e) for p, r, y, e in rows.iter_rows() if (p, y) in truth]
        years, away, weight = map(np.array, zip(*off, strict=True))
        return float(np.polyfit(years, away, 1, w=weight)[0] * 40)

    assert abs(drift("curve")) < 60
    assert drift("none") < -150
    assert drift("none") < drift("peak") < drift("curve")


@given(shift=st.integers(-500, 500))
@settings(max_examples=5)
def test_anchors_are_right_on_average_and_move_everything_alike(shift):
    games, births, _ = world(3)
    plain = system(births=births).study(games)
    two = {"Player 20": 2500.0 + shift, "Player 30": 2400.0 + shift}
    moved = system(births=births, anchors=two).study(games)
    best = dict(moved.table().select("player", "rating").iter_rows())
    assert np.mean([best[n] - r for n, r in two.items()]) == pytest.approx(0, abs=1e-6)
    apart = moved.ratings["rating"] - plain.ratings["rating"]
    assert apart.std() == pytest.approx(0, abs=1e-9)


def test_colours_and_order_do_not_matter():
    games, births, _ = world(11, people=30, games=60)
    t = games.table
    swapped = t.with_columns(
        pl.col("black").alias("white"), pl.col("white").alias("black"), (1 - pl.col("score")).alias("score")
    ).reverse()
    a = system(births=births).study(games).ratings
    b = system(births=births).study(Games(swapped, games.players, games.events)).ratings
    both = a.join(b, on=["player", "period"])
    assert both.height == a.height == b.height
    assert np.allclose(both["rating"], both["rating_right"], atol=1e-4)
    assert np.allclose(both["error"], both["error_right"], atol=1e-4)


def test_published_ratings_set_the_level_and_years_restrict_them():
    games, births, _ = world(4, people=30, games=60)
    year = games.table["date"].dt.year()
    given_ = pl.when(year < 1920).then(2000.0).otherwise(2400.0)
    rated = Games(
        games.table.with_columns(given_.alias("white_rating"), given_.alias("black_rating")),
        games.players,
        (),
    )
    early = system(births=births, anchor_years=(1900, 1915)).study(rated)
    late = system(births=births, anchor_years=(1925, 1940)).study(rated)
    assert (late.ratings["rating"] - early.ratings["rating"]).mean() > 300
    with pytest.raises(UsageError, match="published ratings"):
        system(births=births, anchor_years=(1800, 1810)).study(rated)
    assert "published" in early.parameters["level"]
    assert system().study(games).ratings["rating"].mean() == pytest.approx(1500)


def test_the_error_of_the_level_grows_away_from_the_anchor():
    games, births, _ = world(8)
    h = system(births=births, anchors={"Player 05": 2500}).study(games)
    errors = h.periods["level_error"].to_list()
    assert errors[-1] > errors[0]
    assert (h.ratings["error"] >= h.ratings["own_error"] - 1e-9).all()


def test_top_and_its_average():
    games, births, _ = world(9)
    h = system(births=births).study(games)
    top = h.top(1920, 5)
    assert top["rank"].to_list() == [1, 2, 3, 4, 5]
    mean = h.top_average(1920, 5)
    assert mean.rating == pytest.approx(top["rating"].mean())
    sure = [h.lives[name].over(mean.first, mean.last) for name in h.top(1920, 60)["player"]]
    assert [b.rating - b.own_error for b in sure] == sorted(
        (b.rating - b.own_error for b in sure), reverse=True
    )
    assert mean.first <= 1920 <= mean.last
    assert mean.error < top["error"].mean()
    with pytest.raises(UsageError, match="1850"):
        h.top(1850)


def test_periods_that_nothing_links_have_no_level():
    rows = []
    for start, names in ((1900, "abcdefgh"), (1950, "ijklmnop")):
        for year in range(start, start + 5):
            rows += [
                (x, y, 0.5 if (i + j) % 3 else 1.0, year)
                for i, x in enumerate(names)
                for j, y in enumerate(names)
                if x != y
            ]
    h = system().study(made(rows))
    assert h.periods["level"].null_count() == 1
    assert set(h.lives) <= set("abcdefgh") or set(h.lives) <= set("ijklmnop")


def test_all_draws_are_all_equal():
    rows = [
        (f"P{i}", f"P{j}", 0.5, year)
        for year in range(1900, 1910)
        for i in range(9)
        for j in range(9)
        if i != j
    ]
    h = system().study(made(rows))
    assert h.table()["rating"].round(6).unique().to_list() == [1500.0]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([("a", "b", 1.0, 1900)], "expected a period of 5 to 17 years"),
        ([("a", "b", 1.0, 1900)] * 200, "ask for fewer players"),
        ([("a", "b", 1.0, None)] * 40, "expected games with a year"),
    ],
    ids=["one game", "won everything", "no years"],
)
def test_too_little_is_said_in_one_sentence(rows, said):
    with pytest.raises(InputError, match=said):
        system().study(made(rows))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Periods(step=0),
        lambda: Periods(step=6),
        lambda: Periods(window=20),
        lambda: Periods(fewest_players=1),
        lambda: Linking(ageing="often"),
        lambda: Linking(youngest=40, oldest=30),
    ],
)
def test_misuse(make):
    with pytest.raises(UsageError):
        make()


def test_unknown_anchor_and_player():
    games, _, _ = world(2, people=30, games=60)
    with pytest.raises(UsageError, match="anchor"):
        system(anchors={"Nobody": 2500}).study(games)
    with pytest.raises(UsageError, match="Nobody"):
        system().study(games).lifetime("Nobody")


def test_summary_says_how():
    games, births, _ = world(2, people=30, games=60)
    said = system(births=births).study(games).summary()
    for word in ("ageing none", "window 5", "1500 on average", "births known: 30"):
        assert word in said
