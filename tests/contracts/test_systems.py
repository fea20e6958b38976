"""What every registered rating system promises."""

from __future__ import annotations

import datetime as dt
import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.model import Games, Player, Ratings
from arpad.publish import output as jsonout
from arpad.rate import SYSTEMS
from arpad.rate.registry import system
from arpad.rate.system import STEP_SCHEMA, workings
from arpad.read.reading import games_from

systems = pytest.mark.parametrize("name", SYSTEMS)


@st.composite
def events(draw, rated=True):
    n = draw(st.integers(2, 7))
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1), st.sampled_from([0.0, 0.5, 1.0]))
    rows = [(a, b, s) for a, b, s in draw(st.lists(pair, max_size=30)) if a != b] or [(0, 1, 0.5)]
    people = [
        Player(name=f"P{i}", rating=float(draw(st.integers(1500, 2700))) if rated else None) for i in range(n)
    ]
    months = sorted(draw(st.lists(st.integers(1, 12), min_size=len(rows), max_size=len(rows))))
    columns = {
        "white": [r[0] for r in rows],
        "black": [r[1] for r in rows],
        "score": [r[2] for r in rows],
        "date": [dt.date(2025, m, 1) for m in months],
    }
    return Games.assemble(columns, people)


def by_name(ratings: Ratings) -> dict[str, float | None]:
    return dict(ratings.rows.select("player", "rating").iter_rows())


@systems
@given(games=events())
def test_results_are_complete_and_ranked(name, games):
    ratings = system(name).rate(games)
    assert ratings.system == name
    assert {"rank", "player", "id", "rating", "error", "games"} <= set(ratings.rows.columns)
    values = ratings.rows["rating"].drop_nulls().to_list()
    assert values == sorted(values, reverse=True)
    assert all(e is None or e >= 0 for e in ratings.rows["error"])
    assert set(ratings.rows["player"]) <= set(games.players["name"])
    json.loads(jsonout.document({"parameters": ratings.parameters, "rows": ratings.rows.to_dicts()}))
    assert name in ratings.summary()


@systems
@given(games=events())
def test_nothing_is_changed_by_rating(name, games):
    table, players = games.table.clone(), games.players.clone()
    first = by_name(system(name).rate(games))
    assert games.table.equals(table)
    assert games.players.equals(players)
    assert by_name(system(name).rate(games)) == first


@systems
@given(games=events(), seed=st.integers(0, 1000))
def test_names_and_numbers_do_not_matter(name, games, seed):
    """Relabelling: shuffle the players' rows and the result is the same."""
    order = np.random.default_rng(seed).permutation(games.players.height)
    place = np.argsort(order)
    table = games.table.with_columns(
        pl.Series("white", place[games.table["white"]], dtype=pl.Int32),
        pl.Series("black", place[games.table["black"]], dtype=pl.Int32),
    )
    moved = Games(table, games.players[order.tolist()], games.events)
    assert by_name(system(name).rate(moved)) == pytest.approx(by_name(system(name).rate(games)), nan_ok=True)


@systems
def test_the_order_of_rows_says_nothing(name):
    """Shuffle the rows of a file with three events that begin on one day; nobody has two games in a round."""
    rng = np.random.default_rng(4)
    rows = []
    for day in range(1, 13):
        drawn = [f"P{p}" for p in rng.permutation(24)]
        for i, (white, black) in enumerate(zip(drawn[::2], drawn[1::2], strict=True)):
            score = float(rng.choice([0.0, 0.5, 1.0]))
            rows.append((dt.date(2020, 1 + day // 7, day), str(day), f"Event {i % 3}", white, black, score))
    columns = ["date", "round", "event", "white", "black", "score"]
    for left_out in ([], ["event"]):
        frame = pl.DataFrame(rows, schema=columns, orient="row").drop(left_out)
        once = by_name(system(name).rate(games_from(frame)))
        shuffled = frame[rng.permutation(frame.height).tolist()]
        assert by_name(system(name).rate(games_from(shuffled))) == pytest.approx(once, nan_ok=True, abs=1e-6)


@systems
@given(games=events())
def test_colours_do_not_matter_without_an_advantage(name, games):
    t = games.table
    swapped = t.with_columns(
        t["black"].alias("white"), t["white"].alias("black"), (1 - t["score"]).alias("score"),
        t["score"].alias("black_score"),
    )  # fmt: skip
    other = Games(swapped, games.players, games.events)
    level = {"white_advantage": 0.0} if name == "arpad" else {}
    assert by_name(system(name, **level).rate(other)) == pytest.approx(
        by_name(system(name, **level).rate(games)), nan_ok=True
    )


@systems
@settings(max_examples=20)
@given(games=events())
def test_unplayed_games_do_not_matter(name, games):
    extra = games.table.with_columns(pl.lit("forfeit").cast(games.table.schema["status"]).alias("status"))
    more = Games(pl.concat([games.table, extra]), games.players, games.events)
    assert by_name(system(name).rate(more)) == pytest.approx(by_name(system(name).rate(games)), nan_ok=True)


@systems
@given(games=events(rated=False))
def test_without_any_rating_there_is_an_answer(name, games):
    system(name).rate(games)


@systems
def test_no_games_at_all(name):
    games = Games.assemble({"white": [], "black": [], "score": []}, {"name": []})
    assert system(name).rate(games).rows.height == 0


@systems
def test_unknown_options_are_named(name):
    with pytest.raises(UsageError, match="no option 'speed'"):
        system(name, speed=11)


def test_unknown_systems_are_named():
    with pytest.raises(UsageError, match="elo, fide"):
        system("ello")


def listed(ratings: Ratings | None, games: Games) -> list[float]:
    """Everybody's rating by the row of the players; none counts as 0."""
    if ratings is None:
        return [0.0] * games.players.height
    return ratings.lookup(games.players, "rating").cast(pl.Float64).fill_nan(None).fill_null(0.0).to_list()


def add_up(name, games, before=None):
    """Check the workings of one system over these games; return the ratings."""
    ratings, shown = workings(system(name), games, before)
    alone = system(name).rate(games, before)
    assert ratings.rows.equals(alone.rows)
    assert ratings.rows.schema == alone.rows.schema
    assert ratings.parameters == alone.parameters
    assert shown.steps.schema == STEP_SCHEMA
    rated = set(ratings.rows["player"])
    first, last = listed(before, games), listed(ratings, games)
    for row, person in enumerate(games.players["name"]):
        mine = shown.of(row)
        assert mine["seq"].to_list() == list(range(mine.height))
        now = first[row]
        for change in mine["change"]:
            now += change
        if person in rated:
            assert now == last[row]
    assert shown.steps["change"].is_finite().all()
    assert not shown.steps["rule"].is_null().any()
    assert shown.summary()
    assert shown.table(games).height == shown.steps.height
    return ratings


@systems
@settings(max_examples=25)
@given(games=events())
def test_steps_add_up(name, games):
    add_up(name, games)


@systems
@settings(max_examples=25)
@given(games=events(rated=False))
def test_steps_of_newcomers_add_up(name, games):
    add_up(name, games)


@systems
@settings(max_examples=25)
@given(games=events(), data=st.data())
def test_steps_after_a_list_add_up(name, games, data):
    cut = data.draw(st.integers(0, len(games)))
    earlier = games.keep(pl.Series([i < cut for i in range(len(games))], dtype=pl.Boolean))
    later = games.keep(pl.Series([i >= cut for i in range(len(games))], dtype=pl.Boolean))
    add_up(name, later, add_up(name, earlier))


@systems
def test_no_games_have_no_steps(name):
    games = Games.assemble({"white": [], "black": [], "score": []}, {"name": []})
    assert workings(system(name), games)[1].steps.height == 0
