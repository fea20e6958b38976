"""What Ingo, Harkness, the British grades, the CCLA's and Berkin's system share."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.model import Games, Player, Ratings
from arpad.rate.historical.common import BCF_GRADE, DIRECT_RATIO, INGO_NUMBER, straight_line
from arpad.rate.periods import by_period
from arpad.rate.registry import system

EARLIER = ["ingo", "harkness", "bcf", "ccla", "berkin"]
PERIODIC = ["ingo", "harkness", "bcf", "berkin"]
LOOSE = {"bcf": {"minimum": 1}}
"""A first grade for everybody, so that there is something to compare."""

each = pytest.mark.parametrize("name", EARLIER)
games_of = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from([0.0, 0.5, 1.0])).filter(
        lambda g: g[0] != g[1]
    ),
    min_size=1,
    max_size=25,
)


def assembled(rows, ratings=(2000, 1900, 1800, None, None, 1500), **more) -> Games:
    people = [Player(name=f"P{i}", rating=None if r is None else float(r)) for i, r in enumerate(ratings)]
    white, black, score = (list(column) for column in zip(*rows, strict=True))
    return Games.assemble({"white": white, "black": black, "score": score, **more}, people)


def rated(name: str, games: Games, before: Ratings | None = None, **options) -> Ratings:
    return system(name, **{**LOOSE.get(name, {}), **options}).rate(games, before)


def column(ratings: Ratings, name: str = "rating") -> dict[str, float | None]:
    return dict(ratings.rows.select("player", name).iter_rows())


def test_scales_as_published(golden):
    for row in golden("earlier_scales.csv"):
        scale = {"ingo": INGO_NUMBER, "bcf": BCF_GRADE}[row["scale"]]
        number, rating = np.array([float(row["number"])]), np.array([float(row["rating"])])
        assert scale.rating(number) == pytest.approx(rating), row
        assert scale.number(rating) == pytest.approx(number), row


def test_8_71_direct_ratio(golden):
    for row in golden("elo_8_71_direct.csv"):
        ratio = DIRECT_RATIO.number(np.array([float(row["interval"])]))
        assert ratio == pytest.approx([float(row["direct"])], rel=2e-4), row


@pytest.mark.parametrize("scale", [INGO_NUMBER, BCF_GRADE, DIRECT_RATIO], ids=lambda s: s.column)
@given(rating=st.floats(-3000, 5000))
def test_scales_lead_back(scale, rating):
    assert scale.rating(scale.number(np.array([rating]))) == pytest.approx([rating], abs=1e-6)


def test_a_ratio_scale_has_no_zero():
    with pytest.raises(UsageError, match="above 0"):
        DIRECT_RATIO.rating(np.array([0.0]))


def test_8_73_linear_column(golden):
    # Up to 300 points; beyond, the book limits D to 350 [1.84], which 8.56 does not.
    for row in golden("elo_8_73.csv"):
        D = float(row["D"])
        if D <= 300:
            assert straight_line(800).expected(D) == pytest.approx(float(row["P_linear"]), abs=6e-4)


def test_8_56_the_line_ends_at_half_of_k():
    assert straight_line(800).expected(np.array([-401.0, -400, 0, 400, 401])).tolist() == [
        0, 0, 0.5, 1, 1,
    ]  # fmt: skip


@each
@given(P=st.floats(0.2, 0.8))
def test_curves_lead_back(name, P):
    curve = system(name).curve
    assert curve.expected(curve.difference(P)) == pytest.approx(P)
    assert curve.expected(-curve.difference(P)) == pytest.approx(1 - P)


@each
@given(rows=games_of)
def test_native_numbers_say_what_the_rating_says(name, rows):
    ratings = rated(name, assembled(rows))
    scale = {"ingo": INGO_NUMBER, "bcf": BCF_GRADE, "berkin": DIRECT_RATIO}.get(name)
    if scale is None:
        assert not {"ingo", "grade", "ratio"} & set(ratings.rows.columns)
        return
    known = ratings.rows.filter(pl.col("rating").is_not_null())
    numbers = known[scale.column].to_numpy()
    assert scale.rating(numbers) == pytest.approx(known["rating"].to_numpy())
    order = sorted(numbers, reverse=name != "ingo")
    assert numbers == pytest.approx(order)


@pytest.mark.parametrize("name", ["ingo", "harkness", "ccla", "berkin"])
@settings(max_examples=40)
@given(first=games_of, second=games_of)
def test_a_list_can_be_carried_on(name, first, second):
    """Two events at once, or one after the other from the list of the first: the same ratings."""
    one, two = assembled(first, event=[0] * len(first)), assembled(second, event=[1] * len(second))
    both = assembled(first + second, event=[0] * len(first) + [1] * len(second))
    halfway = rated(name, one)
    # Players who sat out the second event stand on the first list only.
    later = {**column(halfway), **column(rated(name, two, halfway))}
    assert later == pytest.approx(column(rated(name, both)), abs=1e-6)


@pytest.mark.parametrize("name", PERIODIC)
@given(rows=games_of, seed=st.integers(0, 99))
def test_order_within_a_period_does_not_matter(name, rows, seed):
    order = np.random.default_rng(seed).permutation(len(rows))
    shuffled = [rows[i] for i in order]
    # Long events of Berkin's are split, and the order decides where: none is that long here.
    options = {"sample": 60} if name == "berkin" else {}
    ratings = column(rated(name, assembled(rows), **options))
    assert column(rated(name, assembled(shuffled), **options)) == pytest.approx(ratings)


@pytest.mark.parametrize("name", ["ingo", "berkin"])
def test_who_scores_as_expected_stays(name):
    # Ann 100 points above both opponents: 5/8 on the straight line, .640 on the logistic one
    P = system(name).curve.expected(100.0)
    games = assembled([(0, 1, P), (0, 2, P)], ratings=(2000, 1900, 1900))
    assert column(rated(name, games))["P0"] == pytest.approx(2000)


@each
def test_newcomers_alone_begin_at_the_start(name):
    ratings = column(rated(name, assembled([(3, 4, 0.5)], ratings=(None,) * 6), start=1234.0))
    assert ratings == pytest.approx({"P3": 1234, "P4": 1234})


@pytest.mark.parametrize(("name", "chance"), [("ingo", 400.0), ("harkness", 50.0)])
def test_newcomers_alone_are_as_uncertain_as_their_opponents(name, chance):
    games = assembled([(3, 4, 0.5)], ratings=(None,) * 6)
    error = rated(name, games).rows["error"].to_list()
    assert error == pytest.approx([(chance**2 + 350**2) ** 0.5] * 2)
    known = assembled([(3, 0, 0.5)])
    assert column(rated(name, known), "error")["P3"] == pytest.approx(chance)


def test_newcomers_alone_are_uncertain_with_berkin_too():
    error = rated("berkin", assembled([(3, 4, 0.5)], ratings=(None,) * 6)).rows["error"]
    assert all(340 < e < 350 for e in error)


@pytest.mark.parametrize("name", PERIODIC)
def test_newcomers_are_estimated_along_chains(name):
    """P3 drew with P0, rated 2000; P4 drew with P3; P5 met nobody of them."""
    games = assembled([(0, 3, 0.5), (3, 4, 0.5), (5, 6, 0.5)], ratings=(2000, 0, 0, *[None] * 4))
    ratings = column(rated(name, games))
    assert (ratings["P3"], ratings["P4"]) == pytest.approx((2000, 2000))
    assert (ratings["P5"], ratings["P6"]) == pytest.approx((1500, 1500))


@each
def test_ratings_of_the_source_can_be_ignored(name):
    games = assembled([(0, 1, 0.5)])
    ratings = rated(name, games, given=False)
    assert column(ratings) == pytest.approx({"P0": 1500, "P1": 1500})
    assert ratings.rows["before"].null_count() == 2


@pytest.mark.parametrize(("name", "word", "value"), [("ingo", "ingo", 110), ("bcf", "bcf", 160), ("berkin", "ratio", 3000)])  # fmt: skip
def test_ratings_of_the_source_can_be_native(name, word, value):
    games = assembled([(0, 1, 0.5)], ratings=(value, value))
    native = {"ingo": "ingo", "bcf": "grade", "berkin": "ratio"}[name]
    ratings = rated(name, games, given_in=word)
    assert column(ratings, native) == pytest.approx({"P0": value, "P1": value})
    # A list of the system's own is read by its own column, whatever the source holds.
    again = rated(name, assembled([(0, 1, 0.5)], ratings=(None, None)), ratings, given_in=word)
    assert column(again, native) == pytest.approx({"P0": value, "P1": value})


@pytest.mark.parametrize(("known", "used"), [
    ({"event": [0, 1], "date": [dt.date(2020, 1, 1)] * 2}, {"bcf": "year", "ingo": "event"}),
    ({"date": [dt.date(2020, 1, 1)] * 2}, {"bcf": "year", "ingo": "month"}),
    ({}, {"bcf": "all", "ingo": "all"}),
])  # fmt: skip
def test_the_result_says_what_a_period_was(known, used):
    for name, period in used.items():
        games = assembled([(0, 1, 1.0), (1, 0, 1.0)], **known)
        assert rated(name, games).parameters["period"] == period


@pytest.mark.parametrize("name", PERIODIC)
def test_a_period_that_the_games_do_not_tell_is_refused(name):
    with pytest.raises(UsageError, match="'event' needs the event"):
        rated(name, assembled([(0, 1, 1.0)]), period="event")
    with pytest.raises(UsageError, match="expected a period"):
        rated(name, assembled([(0, 1, 1.0)]), period="fortnight")


@pytest.mark.parametrize(("name", "options"), [
    ("ingo", {"share": 0}), ("ingo", {"share": 1.5}), ("ingo", {"limit": -1}), ("ingo", {"given_in": "dwz"}),
    ("harkness", {"limit": float("nan")}), ("harkness", {"start": float("inf")}), ("bcf", {"minimum": 0}),
    ("bcf", {"window": 0}), ("bcf", {"given_in": "ingo"}), ("ccla", {"schedule": "table"}), ("ccla", {"newcomer_spread": 0}),
    ("berkin", {"sample": 1}), ("berkin", {"average": "mean"}), ("berkin", {"start": 1e9}),
])  # fmt: skip
def test_bad_constants(name, options):
    with pytest.raises(UsageError, match="expected"):
        system(name, **options).rate(assembled([(0, 1, 1.0)]))


@each
def test_odd_ratings_have_an_answer(name):
    for odd in (float("nan"), float("inf"), -3000.0, 9000.0):
        ratings = rated(name, assembled([(0, 1, 1.0), (1, 2, 0.0)], ratings=(odd, 1900, 1800)))
        assert np.isfinite(ratings.rows["rating"].to_numpy()).all()


def test_sides_know_their_places():
    games = assembled([(5, 3, 1.0), (3, 0, 0.5), (0, 5, 0.0)])
    first, second = by_period(games.rateable(), np.array([0, 0, 7]))
    assert first.players.tolist() == [0, 3, 5]
    assert first.total().tolist() == [1, 2, 1]
    assert first.total(first.score).tolist() == [0.5, 0.5, 1]
    assert second.players[second.me].tolist() == [0, 5]
    assert second.players[second.opponent].tolist() == [5, 0]


@pytest.mark.parametrize(("name", "most"), [("ingo", 0.1), ("harkness", 0.1), ("ccla", 0.1), ("berkin", 0.1)])  # fmt: skip
def test_spread_is_what_simulation_gives(name, most):
    """People of one strength, all rated right at first: how far does chance take them in 12 events?"""
    rng = np.random.default_rng(11)
    people, events, rounds = 1500, 12, 6
    pairs = np.stack([rng.permutation(people) for _ in range(events * rounds)]).reshape(-1, 2, people // 2)  # fmt: skip
    white, black = pairs[:, 0].ravel(), pairs[:, 1].ravel()
    columns = {
        "white": white,
        "black": black,
        "score": rng.integers(0, 2, len(white)).astype(float),
        "event": np.repeat(np.arange(events), rounds * people // 2),
    }
    games = Games.assemble(
        {k: pl.Series(v) for k, v in columns.items()},
        {"name": [str(i) for i in range(people)], "rating": [1500.0] * people},
    )
    ratings = rated(name, games)
    assert ratings.rows["rating"].std() == pytest.approx(ratings.rows["error"].mean(), rel=most)


@each
def test_on_the_command_line(name, run, write):
    rows = ["white,black,result,white_rating,black_rating"]
    rows += ["Ann,Bob,1-0,2000,1900", "Cid,Ann,1/2-1/2,1800,2000", "Dee,Cid,1-0,,1800"]
    done = run("rate", write("\n".join(rows)), "--system", name)
    assert done.code == 0
    assert f"{name}: 3 games, 4 players" in done.out
    assert "Dee" in done.out
    assert "K None" not in done.out


def test_too_few_games_for_a_grade_are_named(run, write):
    done = run("rate", write("white,black,result\nAnn,Bob,1-0\n"), "--system", "bcf")
    assert done.code == 2
    assert "rated by bcf without 30 games" in done.err
