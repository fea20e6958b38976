"""What ratings made one expect of an event."""

from __future__ import annotations

import math

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.event.forecast import finish, race
from arpad.event.match import forecast
from arpad.model import Event, Games, Player
from arpad.rate.draws import PUBLISHED
from arpad.read import read
from arpad.scale import Logistic
from tests.event.held import held_trf


def rated(games, ratings):
    made = Games.build(games)
    return Games(
        made.table, made.players.with_columns(rating=pl.Series(ratings, dtype=pl.Float64)), made.events
    )


@pytest.mark.parametrize("D", [0.0, 120.0, -350.0])
def test_a_match_ends_as_the_forecast_of_matches_says(D):
    """Two ways to one figure: trials here, exact probabilities there."""
    found = finish(rated([("A", "B", 1.0), ("B", "A", 1.0)] * 3, [2200 + D / 2, 2200 - D / 2]))
    exact = forecast(D, games=6, draws=PUBLISHED, level=2200.0, curve=Logistic())
    one = found.players.filter(pl.col("name") == "A").row(0, named=True)
    spread = 4 * 0.5 / math.sqrt(found.trials)
    assert one["first"] == pytest.approx(exact.won + exact.drawn / 2, abs=spread)
    assert one["expected"] == pytest.approx(exact.expected_score)
    assert one["sigma"] == pytest.approx(exact.sigma)


FIELDS = st.integers(2, 7).flatmap(
    lambda n: st.tuples(
        st.lists(st.floats(1000, 2800), min_size=n, max_size=n),
        st.lists(
            st.tuples(st.integers(0, n - 1), st.integers(0, n - 1), st.sampled_from([0.0, 0.5, 1.0])),
            min_size=1, max_size=20,
        ),
    )
)  # fmt: skip


@settings(max_examples=30, deadline=None)
@given(FIELDS)
def test_what_always_holds(field):
    ratings, pairs = field
    games = [(f"P{a}", f"P{b}", s) for a, b, s in pairs if a != b]
    if not games:
        return
    names = list(dict.fromkeys(n for a, b, _ in games for n in (a, b)))
    own = [ratings[int(n[1:])] for n in names]
    found = finish(rated(games, own), trials=500).players
    assert found["first"].sum() == pytest.approx(1)
    assert found["expected"].sum() == pytest.approx(len(games))
    assert found["points"].sum() == pytest.approx(len(games))
    assert found["place"].sum() == pytest.approx(len(names) * (len(names) + 1) / 2)
    assert (found["low"] <= found["high"]).all()
    assert (found["high"] <= found["games"]).all()
    swapped = finish(rated([(b, a, 1 - s) for a, b, s in games], own[:0] + _as(games, own)), trials=500)
    by_name = {p["name"]: p["expected"] for p in swapped.players.to_dicts()}
    assert all(by_name[p["name"]] == pytest.approx(p["expected"]) for p in found.to_dicts())


def _as(games, own):
    """The same ratings in the order in which the swapped games name the players."""
    names = list(dict.fromkeys(n for a, b, _ in games for n in (a, b)))
    rating = dict(zip(names, own, strict=True))
    return [rating[n] for n in dict.fromkeys(n for a, b, _ in games for n in (b, a))]


def test_who_has_no_rating_is_left_out():
    found = finish(rated([("A", "B", 1.0), ("A", "C", 1.0)], [2000, 1900, None]))
    assert found.players["name"].to_list() == ["A", "B"]
    assert found.notes == ("1 games with an unrated player are left out",)


@pytest.mark.parametrize("ratings", [[None, None], [2000, None]])
def test_without_ratings_there_is_no_forecast(ratings):
    with pytest.raises(UsageError, match="between rated players"):
        finish(rated([("A", "B", 1.0)], ratings))


def test_the_same_seed_gives_the_same_figures():
    event = rated([("A", "B", 1.0), ("B", "C", 0.5)], [2000, 1900, 1800])
    assert finish(event).players.equals(finish(event).players)
    assert not finish(event, seed=1).players.equals(finish(event).players)
    with pytest.raises(UsageError, match="at least one trial"):
        finish(event, trials=0)


def rounds_of(pairs, ratings, planned):
    """Two players a pair: (round, white, black, score or None)."""
    people = [Player(name=n, rating=R) for n, R in ratings.items()]
    at = {n: i for i, n in enumerate(ratings)}
    columns = {
        "white": [at[w] for _, w, _, _ in pairs],
        "black": [at[b] for _, _, b, _ in pairs],
        "score": [s for *_, s in pairs],
        "status": ["unplayed" if s is None else "played" for *_, s in pairs],
        "round": [str(r) for r, *_ in pairs],
        "event": [0] * len(pairs),
    }
    return Games.assemble(columns, people, [Event(name="E", rounds=planned)])


FOUR = {"A": 2000.0, "B": 2000.0, "C": 2000.0, "D": 2000.0}


def test_what_is_settled_is_certain():
    games = rounds_of(
        [(1, "A", "B", 1.0), (1, "C", "D", 0.5), (2, "A", "C", 1.0), (2, "B", "D", 0.5), (3, "A", "D", None), (3, "B", "C", None)],
        FOUR,
        3,
    )  # fmt: skip
    found = race(games)
    assert (found.after, found.rounds) == (2, 3)
    best = found.players.row(0, named=True)
    # A has 2 of 2 and the others at most 1: nobody passes, D draws level by winning against A
    assert (best["name"], best["points"], best["left"]) == ("A", 2.0, 1)
    assert best["needs"] == 0.0
    assert found.players["first"].sum() == pytest.approx(1)
    assert found.players["second"].sum() == pytest.approx(1)
    assert all(sum(places) == pytest.approx(1) for places in found.players["places"])


def test_a_last_game_is_won_as_often_as_the_draw_model_says():
    games = rounds_of([(1, "A", "B", 0.5), (2, "B", "A", None)], {"A": 2150.0, "B": 2000.0}, 2)
    found = race(games, trials=4000)
    exact = forecast(150.0, games=1, draws=PUBLISHED, level=2075.0, curve=Logistic())
    first = found.players.filter(pl.col("name") == "A")["first"][0]
    assert first == pytest.approx(exact.won + exact.drawn / 2, abs=4 * 0.5 / math.sqrt(found.trials))


def test_nobody_meets_anybody_twice_and_an_event_that_is_over_has_no_race():
    pairs = [(1, "A", "B", 1.0), (1, "C", "D", 1.0)]
    open_ = race(rounds_of(pairs, FOUR, 3))
    assert open_.players["left"].to_list() == [2] * 4
    # A and C meet before B and D do: the pairings of three rounds are all there are
    assert open_.players["final"].sum() == pytest.approx(6)
    assert race(rounds_of(pairs, FOUR, 1)) is None
    after = race(rounds_of([*pairs, (2, "A", "C", 0.0), (2, "B", "D", 1.0)], FOUR, 2), after=1)
    assert (after.after, after.players["points"].to_list().count(1.0)) == (1, 2)


def test_a_bye_of_the_round_to_come_counts(write):
    """Three players, two rounds: the third is free in the second, which is paired already, for a whole point."""
    table = "1 2400 1 2w1 U\n2 2300 0 1b0 3w0\n3 2200 1 U 2b1\n"
    games = read(write(held_trf(table, start="2026-03-01", rounds=2, head="092 Swiss"))).games
    found = race(games, after=1)
    assert found is not None
    final = dict(found.players.select("name", "final").iter_rows())
    assert final["Player 1"] == 2.0
    assert final["Player 2"] + final["Player 3"] == pytest.approx(2.0)


def test_a_forecast_counts_points_as_the_event_does(write):
    """With three points for a win nobody has halves."""
    table = "1 2400 3 2w1 3w1\n2 2300 0 1b0 4w1\n3 2200 3 4w1 1b0\n4 2100 0 3b0 2b0\n"
    head = "092 Swiss\n162  W 3.0    D 1.0    L 0.0"
    games = read(write(held_trf(table, start="2026-03-01", rounds=2, head=head))).games
    found = race(games, after=1)
    assert found is not None
    best = dict(found.players.select("name", "needs").iter_rows())["Player 1"]
    assert best in (1.0, 3.0)
    assert found.players["final"].max() > 4
