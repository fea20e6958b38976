"""Courses, and walks on arrays beside the chain of lists."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.lab.walk import course, entry_ratings, walk
from arpad.model import Games
from arpad.rate import SYSTEMS
from arpad.rate.registry import system
from tests.lab.walks import season

QUICK = [
    ("elo", {}),
    ("elo", {"k": "fide", "given": False}),
    ("elo", {"k": "fide-1986"}),
    ("elo", {"k": "32@1500,24@1700,16", "curve": "normal"}),
    ("glicko", {"c": 30.0}),
    ("glicko", {"period": "day", "white_advantage": 30.0}),
    ("glicko2", {}),
    ("glicko2", {"given": False, "tau": 0.9}),
    ("stephenson", {}),
]


def patchy(seed):
    """Return a season in which some come without a rating, some later, and months are missing."""
    games = season(players=12, months=14, games=25, rated=True, seed=seed)
    rng = np.random.default_rng(seed)
    table = games.table.filter(rng.random(len(games)) < 0.6)
    gone = rng.random((2, table.height)) < 0.4
    table = table.with_columns(
        *(
            table[f"{side}_rating"].set(pl.Series(gone[i]), None).alias(f"{side}_rating")
            for i, side in enumerate(("white", "black"))
        )
    )
    table = table.filter(table["date"].dt.month() != 5)
    return Games(table, games.players, games.events)


@pytest.mark.parametrize("step", ["month", "quarter", "year"])
@pytest.mark.parametrize(("name", "options"), QUICK)
@settings(max_examples=4)
@given(seed=st.integers(0, 10**6))
def test_a_walk_is_a_chain_of_lists(name, options, step, seed):
    way = course(patchy(seed), period=step)
    chosen = system(name, **options)
    rows = walk(chosen, way).rows
    np.testing.assert_allclose(rows["expected"], by_lists(chosen, way), atol=1e-7)


def by_lists(chosen, way):
    """Predict from the list before each period, as one would with `rate` alone."""
    ids = pl.Series("id", range(way.games.players.height)).cast(pl.String)
    players, found, listed = way.games.players.with_columns(ids), [], None
    given = entry_ratings(way)
    for day, rows in way.parts():
        part = Games(rows, players, way.games.events)
        state = chosen.begin(players.with_columns(pl.Series("rating", given)), listed)
        sides = [rows[side].to_numpy() for side in ("white", "black")]
        found.append(chosen.expected(state, *sides, day))
        rated = chosen.rate(part, listed)
        rest = [] if listed is None else [listed.rows.join(rated.rows, on="id", how="anti")]
        listed = replace(rated, rows=pl.concat([rated.rows, *rest], how="diagonal_relaxed"))
    return np.concatenate(found)


@pytest.mark.parametrize("name", SYSTEMS)
def test_nobody_sees_the_results_of_a_period_before_it(name):
    """Turn the results of the last months round: the predictions of the first of them stays."""
    games = season(players=8, months=10, games=20, rated=True)
    turned = games.table.with_columns(
        score=(games.table["score"] - (games.table["date"] >= dt.date(2020, 8, 1)).cast(float)).abs()
    )  # fmt: skip
    other = Games(turned, games.players, games.events)
    here, there = (walk(system(name), each).rows for each in (games, other))
    early = here["date"] < dt.date(2020, 9, 1)
    assert here.filter(early)["expected"].to_list() == there.filter(early)["expected"].to_list()


def test_a_course_ends_before_a_day():
    way = course(season())
    early = way.before(dt.date(2021, 1, 1))
    assert len(early) == 12 * 60
    assert early.days[-1] == dt.date(2020, 12, 1)
    assert early.games.table["date"].max() < dt.date(2021, 1, 1)
    assert early.first.tolist() == way.first[:13].tolist()
    assert len(way.before(dt.date(2019, 1, 1))) == 0


def test_undated_games_are_counted():
    games = season(players=4, months=3, games=5)
    dates = games.table["date"].to_list()
    table = games.table.with_columns(date=pl.Series([None, None, *dates[2:]]))
    assert course(Games(table, games.players)).undated == 2
    with pytest.raises(UsageError, match="expected a period"):
        course(games, period="week")
