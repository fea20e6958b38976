from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.model import Games, Player, Ratings
from arpad.rate import Elo, k_policy
from arpad.rate import elo_reference as reference
from arpad.rate.elo_reference import coded, plain
from arpad.rate.registry import system
from arpad.rate.system import workings
from arpad.scale import Linear, Logistic, Normal, PraCurve, Ratio, Table


def portisch(score: float) -> Games:
    """Portisch against each of the fifteen others, every game for the same share of the point."""
    import csv
    from pathlib import Path

    with (Path(__file__).parent.parent / "golden" / "wijk_aan_zee_1975.csv").open(encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    people = [Player(name=r["player"], rating=float(r["R"])) for r in rows]
    others = range(1, len(people))
    columns = {"white": [0] * 15, "black": list(others), "score": [score] * 15, "event": [0] * 15}
    return Games.assemble(columns, people)


def rating_of(ratings: Ratings, name: str) -> float:
    return ratings.rows.filter(pl.col("player") == name)["rating"].item()


def test_example_4_each_opponent(golden):
    # 2.44: W_e = 9.66 over the fifteen opponents, K = 10: 2635 → 2643.4
    row = next(r for r in golden("elo_2_4x.csv") if r["section"] == "2.44")
    system = Elo(curve=Table(), k=k_policy(10), period="event")
    games = portisch(10.5 / 15)
    ratings = system.rate(games)
    assert rating_of(ratings, "Portisch") == pytest.approx(float(row["R_n"]), abs=1e-9)
    expected = sum(s.expected for s in system.steps(games) if s.player == 0)
    assert expected == pytest.approx(float(row["W_e"]), abs=1e-9)


def test_example_7_linear(golden):
    # 2.47: formula (11), 2635 + 5 × 6 − (10/800) 1620 = 2644.75
    row = next(r for r in golden("elo_2_4x.csv") if r["section"] == "2.47")
    ratings = Elo(curve=Linear(), k=k_policy(10), period="event").rate(portisch(10.5 / 15))
    assert rating_of(ratings, "Portisch") == pytest.approx(float(row["R_n"]), abs=1e-9)


def test_example_3_competition_average(golden):
    # 2.43: the same from the average opponent, 2527, D_c = 108: W_e = 15 × .65
    row = next(r for r in golden("elo_2_4x.csv") if r["section"] == "2.43")
    system, games = Elo(curve=Table(), k=k_policy(10), period="event"), portisch(10.5 / 15)
    R_c = round(games.players["rating"][1:].mean())
    level = pl.when(pl.col("name") == "Portisch").then("rating").otherwise(pl.lit(float(R_c)))
    games = Games(games.table, games.players.with_columns(level.alias("rating")), games.events)
    expected = sum(s.expected for s in system.steps(games) if s.player == 0)
    assert expected == pytest.approx(float(row["W_e"]))
    assert rating_of(system.rate(games), "Portisch") == pytest.approx(float(row["R_n"]))


def test_forfeits_byes_and_unplayed_games_never_rate():
    columns = {
        "white": [0, 0, 0, 0, 0],
        "black": [1, 1, None, 1, 1],
        "score": [1.0, 1.0, 1.0, None, 0.5],
        "status": ["played", "forfeit", "bye", "unplayed", "unrated"],
    }
    games = Games.assemble(columns, {"name": ["A", "B"]})
    ratings = Elo(k=k_policy(10)).rate(games)
    assert rating_of(ratings, "A") == 1505
    assert ratings.rows["games"].to_list() == [1, 1]
    assert ratings.source["status"] == {"played": 1, "unrated": 1, "forfeit": 1, "bye": 1, "unplayed": 1}


def test_games_are_rated_in_the_order_they_were_played():
    import datetime as dt

    columns = {
        "white": [0, 0],
        "black": [1, 1],
        "score": [1.0, 0.0],
        "date": [dt.date(2020, 1, 2), dt.date(2020, 1, 1)],
        "round": ["2", "1"],
    }
    games = Games.assemble(columns, {"name": ["A", "B"]})
    assert games.rateable()["score"].to_list() == [0.0, 1.0]
    rounds = columns | {"date": [None, None]}
    assert Games.assemble(rounds, {"name": ["A", "B"]}).rateable()["score"].to_list() == [0.0, 1.0]


def test_round_ten_comes_after_round_nine():
    columns = {"white": [0] * 3, "black": [1] * 3, "score": [0.1, 0.2, 0.3], "round": ["10.2", "9.1", "10.1"]}
    games = Games.assemble(columns, {"name": ["A", "B"]})
    assert games.rateable()["score"].to_list() == [0.2, 0.3, 0.1]


def test_starting_points():
    people = [Player(name="A", rating=2000.0), Player(name="B")]
    games = Games.assemble({"white": [0], "black": [1], "score": [0.5]}, people)
    told = Elo(k=k_policy(0)).rate(games)
    assert (rating_of(told, "A"), rating_of(told, "B")) == (2000, 1500)
    untold = Elo(k=k_policy(0), given=False, start=1000).rate(games)
    assert (rating_of(untold, "A"), rating_of(untold, "B")) == (1000, 1000)
    earlier = Ratings(
        system="x", rows=pl.DataFrame({"player": ["A"], "id": [None], "rating": [2500.0]}), parameters={}
    )
    after = Elo(k=k_policy(0)).rate(games, earlier)
    assert rating_of(after, "A") == 2500


def test_the_first_rating_in_the_games_counts():
    columns = {
        "white": [0, 1],
        "black": [1, 0],
        "score": [0.5, 0.5],
        "white_rating": [2100.0, 1900.0],
        "black_rating": [None, 2150.0],
    }
    games = Games.assemble(columns, {"name": ["A", "B"]})
    ratings = Elo(k=k_policy(0)).rate(games)
    assert (rating_of(ratings, "A"), rating_of(ratings, "B")) == (2100, 1900)


@pytest.mark.parametrize(("text", "rating", "games", "k"), [
    ("20", 2700, 0, 20), ("32@2100,24@2400,16", 2099, 5, 32), ("32@2100,24@2400,16", 2100, 5, 24),
    ("uscf", 2400, 5, 16), ("fide-1986", 2300, 29, 25), ("fide-1986", 2300, 30, 15), ("fide-1986", 2400, 30, 15), ("fide-1986", 2401, 30, 10),
])  # fmt: skip
def test_k_policies(text, rating, games, k):
    assert k_policy(text).k(rating, games) == k


def test_k_stays_once_the_top_was_reached():
    assert k_policy("fide-1986").k(2300, 100, topped=True) == 10
    assert k_policy("uscf").k(2000, 100, topped=True) == 32


@pytest.mark.parametrize("text", ["", "x", "20@", "20@2000", "32@2400,24@2100,16"])
def test_bad_k(text):
    with pytest.raises(UsageError):
        k_policy(text)


def test_bad_constants():
    with pytest.raises(UsageError, match="ratio"):
        Elo(curve=Ratio())
    with pytest.raises(UsageError, match="period"):
        Elo(period="fortnight")
    with pytest.raises(UsageError, match="finite"):
        Elo(start=math.inf)


CURVES = [
    Logistic(),
    Normal(),
    Linear(),
    Table(),
    Table(interpolate=True),
    PraCurve(),
    Logistic(class_interval=150),
]


@pytest.mark.parametrize("curve", CURVES, ids=lambda c: c.name)
@given(D=st.floats(-2500, 2500))
def test_plain_curves_agree_with_vectorised_ones(curve, D):
    assert plain(curve)(D) == pytest.approx(curve.expected(D), abs=1e-12)


def test_spread_is_what_simulation_gives():
    """Many players of one true strength, all ratings right at first: how far does chance take them?"""
    rng = np.random.default_rng(7)
    n, rounds = 2000, 60
    white = np.concatenate([rng.permutation(n) for _ in range(rounds)]).reshape(rounds, 2, n // 2)
    games = [
        (int(a), int(b), float(s))
        for r in white
        for a, b, s in zip(*r, rng.integers(0, 2, n // 2), strict=True)
    ]
    people = [Player(name=str(i), rating=1500.0) for i in range(n)]
    columns = {"white": [g[0] for g in games], "black": [g[1] for g in games], "score": [g[2] for g in games]}
    ratings = Elo().rate(Games.assemble(columns, people))
    predicted = ratings.rows["error"].mean()
    assert ratings.rows["rating"].std() == pytest.approx(predicted, rel=0.05)


def test_newcomers_are_less_certain():
    games = Games.build([("A", "B", 1.0)])
    error = Elo().rate(games).rows["error"].to_list()
    assert all(300 < e < 350 for e in error)


@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from([0.0, 0.5, 1.0, 0.3])), max_size=40
    )
)
def test_with_one_k_nothing_is_created_or_lost(rows):
    rows = [(a, b, s) for a, b, s in rows if a != b]
    ratings, played = [1500.0] * 6, [0] * 6
    steps = list(reference.rate(rows, ratings, played, curve=Logistic(), k=k_policy(20)))
    assert sum(ratings) == pytest.approx(9000)
    assert sum(played) == 2 * len(rows)
    for before, after in zip(steps[::2], steps[1::2], strict=True):
        assert before.change == pytest.approx(-after.change)


def test_unknown_code_is_refused():
    class Strange(Logistic):
        pass

    assert coded(Strange())[0] == coded(Logistic())[0]


def test_k_for_good_goes_on_from_list_to_list():
    people = [Player(name="Ann", id="1", rating=2400.0), Player(name="Bob", id="2", rating=2400.0)]
    columns = {"white": [0, 0], "black": [1, 1], "score": [0.0, 0.0]}
    games = Games.assemble(columns, people)
    elo = system("elo", k="fide")
    first = elo.rate(games)  # Ann falls to about 2390
    assert first.rows.filter(player="Ann")["topped"].to_list() == [True]
    again, shown = workings(elo, games, first)
    assert shown.of(0)["k"].to_list() == [10.0, 10.0]
    assert again.rows.filter(player="Ann")["change"][0] > -12
    assert "topped" not in system("elo").rate(games).rows.columns


def test_errors_go_on_from_list_to_list():
    people = [Player(name="Ann", id="1"), Player(name="Bob", id="2")]
    columns = {"white": [0] * 6, "black": [1] * 6, "score": [0.5] * 6}
    games = Games.assemble(columns, people)
    elo = system("elo")
    first = elo.rate(games)
    second = elo.rate(games, first)
    once = elo.rate(Games.assemble({name: 2 * values for name, values in columns.items()}, people))
    assert second.rows["error"].to_list() == pytest.approx(once.rows["error"].to_list())
    assert 100 < second.rows["error"][0] < first.rows["error"][0]
