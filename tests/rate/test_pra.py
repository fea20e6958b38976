"""PRA as a registered system: printed ratings, lists that go on, the anchor, corrections."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arpad.errors import InputError, UsageError
from arpad.model import Games, Player, Ratings
from arpad.rate.pra import system as pra_rating
from arpad.rate.pra.steps import Boosting, in_order
from arpad.rate.pra.system import Pra, PraBasic
from arpad.rate.registry import system
from arpad.read import read
from arpad.scale import PraCurve

FISCHER_SPASSKY = "0 - 1 ½ 1 1 ½ 1 ½ 1 0 ½ 1 ½ ½ ½ ½ ½ ½ ½ 1"
"""Fischer's points by game; the second was forfeited."""

SHORT = {"block": 4, "until": 16, "late_block": 8, "late_until": 32}
"""Blocks that a small pool fills."""


def of(ratings, *columns):
    rows = ratings.rows.select("player", *(columns or ["rating"])).sort("player")
    return {row[0]: row[1] if len(row) == 2 else row[1:] for row in rows.iter_rows()}


def match(points, a, b, date=None):
    """Return a match by the first player's points; - is a forfeit lost."""
    told = points.split()
    columns = {
        "white": [i % 2 for i in range(len(told))],
        "black": [1 - i % 2 for i in range(len(told))],
        "score": [abs(i % 2 - {"1": 1.0, "½": 0.5}.get(point, 0.0)) for i, point in enumerate(told)],
        "status": ["forfeit" if point == "-" else "played" for point in told],
        "date": [date] * len(told),
    }
    people = [Player(name=a[0], rating=a[1]), Player(name=b[0], rating=b[1])]
    return Games.assemble(columns, people)


@pytest.mark.parametrize("name", ["pra", "pra-basic"])
def test_the_match_of_1972_as_printed(name, golden):
    rows = [r for r in golden("pra_after.csv") if r["event"] == "World Championship 1972"]
    (a, b) = ((r["player"], float(r["before"])) for r in rows)
    found = of(system(name).rate(match(FISCHER_SPASSKY, a, b)))
    assert found == pytest.approx({r["player"]: float(r["after"]) for r in rows}, abs=0.005)


@pytest.mark.data
def test_the_match_of_1972_from_its_games(data):
    games = read(data / "paper_events/pgn/WCh1972.pgn").games
    rated = PraBasic().rate(games).rows
    # The file's own ratings: 2785 and 2660.
    assert rated["rating"].to_list() == pytest.approx([2794.52, 2650.48], abs=0.005)
    assert rated["games"].to_list() == [20, 20]


@pytest.mark.data
def test_the_candidates_of_2013_as_printed(data, golden):
    path = data / "twic_results/results_2010_2016_fideid.parquet"
    whole = pl.read_parquet(path).filter(
        (pl.col("event") == "FIDE Candidates") & (pl.col("date").dt.year() == 2013)
    )
    names = {n.split(",")[0]: n for n in whole["white"].unique()}
    rows = [r for r in golden("pra_after.csv") if r["event"] == "Candidates 2013"]
    people = [Player(name=names[r["player"]], rating=float(r["before"])) for r in rows]
    number = {p.name: i for i, p in enumerate(people)}
    columns = {
        "white": [number[n] for n in whole["white"]],
        "black": [number[n] for n in whole["black"]],
        "score": whole["score"],
        "round": whole["round"],
        "event": [0] * whole.height,
    }
    found = of(PraBasic().rate(Games.assemble(columns, people)))
    printed = {names[r["player"]]: float(r["after"]) for r in rows}
    assert found == pytest.approx(printed, abs=0.005)


@st.composite
def seasons(draw, given_ratings=True):
    """A pool over some days; people enter at any time, some with a rating."""
    n = draw(st.integers(2, 6))
    seed = draw(st.integers(0, 10**6))
    rng = np.random.default_rng(seed)
    count = draw(st.integers(1, 150))
    white = rng.integers(0, n, count)
    black = (white + rng.integers(1, n, count)) % n
    chance = 1 / (1 + np.exp(-(black - white) * draw(st.sampled_from([0.0, 1.0, 5.0]))))
    columns = {
        "white": white,
        "black": black,
        "score": (rng.random(count) < chance).astype(float),
        "date": [dt.date(2024, 1, 1) + dt.timedelta(int(d)) for d in sorted(rng.integers(0, 9, count))],
    }
    rating = st.none() | st.integers(1000, 2800).map(float) if given_ratings else st.none()
    people = [
        Player(name=f"P{i}", rating=draw(rating), total_games=draw(st.none() | st.integers(0, 40)))
        for i in range(n)
    ]
    return Games.assemble(columns, people)


OPTIONS = [
    ("pra-basic", {}),
    ("pra-basic", {"anchor": 1500.0}),
    ("pra", SHORT),
    ("pra", {**SHORT, "anchor": 1500.0}),
    ("pra", {**SHORT, "anchor": None, "boost_given": True, "corrected": ("P1",)}),
]
each = pytest.mark.parametrize(("name", "options"), OPTIONS)


@each
@settings(max_examples=40)
@given(games=seasons())
def test_kernel_agrees_exactly_with_the_reference(name, options, games):
    chosen = system(name, **options)
    slow = chosen.rate(games)
    usual, pra_rating.KERNEL_FROM = pra_rating.KERNEL_FROM, 0
    try:
        fast = chosen.rate(games)
    finally:
        pra_rating.KERNEL_FROM = usual
    assert fast.rows.equals(slow.rows)
    assert fast.source["shift"] == slow.source["shift"]


@each
@settings(max_examples=40)
@given(games=seasons(), cut=st.integers(1, 9))
def test_two_batches_are_one(name, options, games, cut):
    """What a list carries is enough to go on, also for those who do not play now."""
    chosen = system(name, **options)
    whole = chosen.rate(games)
    day = dt.date(2024, 1, 1) + dt.timedelta(cut)
    first = chosen.rate(games.keep(games.table["date"] < day))
    later = chosen.rate(games.keep(games.table["date"] >= day), first)
    state = [c for c in ("rating", "total_games", "boosting") if c in whole.rows.columns]
    rest = first.rows.join(later.rows, on="player", how="anti")
    rest = rest.with_columns(pl.col("rating") + later.source["shift"])
    found = pl.concat([later.rows.select("player", *state), rest.select("player", *state)])
    joined = found.sort("player")
    expected = whole.rows.select("player", *state).sort("player")
    assert joined["player"].equals(expected["player"])
    np.testing.assert_allclose(joined["rating"], expected["rating"], atol=1e-7)
    assert joined.drop("rating").equals(expected.drop("rating"))


@settings(max_examples=40)
@given(games=seasons())
def test_basic_changes_no_points_in_all(games):
    rated = PraBasic(given=False).rate(games)
    assert rated.rows["rating"].mean() == pytest.approx(1500)
    assert rated.source["shift"] == 0


@settings(max_examples=40)
@given(games=seasons(given_ratings=False))
def test_without_given_ratings_the_mean_is_1500_every_night(games):
    for last in sorted(games.table["date"].unique()):
        until = games.keep(games.table["date"] <= last)
        for anchor in ("brought", 1500.0):
            rated = system("pra", **SHORT, anchor=anchor).rate(until)
            assert rated.rows["rating"].mean() == pytest.approx(1500)


@settings(max_examples=40)
@given(games=seasons())
def test_given_ratings_keep_what_they_bring(games):
    rated = system("pra", **SHORT).rate(games)
    entered = rated.rows["before"].fill_null(1500)
    assert rated.rows["rating"].sum() == pytest.approx(entered.sum())


def test_an_elite_field_is_not_dragged_down():
    games = match(FISCHER_SPASSKY, ("Fischer", 2785.0), ("Spassky", 2660.0))
    assert Pra().rate(games).rows["rating"].mean() == pytest.approx(2722.5)
    assert Pra(anchor=1500).rate(games).rows["rating"].mean() == pytest.approx(1500)
    off = Pra(anchor=None, start=2000, given=False).rate(games)
    assert off.rows["rating"].mean() == pytest.approx(2000)


def test_the_anchor_moves_everybody_alike_and_is_said():
    """The example after (2): what boosting adds is taken from everybody."""
    wins = [("Ann", "Bob", 1.0)] * 20 + [("Cid", "Dot", 0.5)]
    # Ann alone is boosted: Bob's rating was corrected.
    free = Pra(anchor=None, corrected=("Bob",)).rate(Games.build(wins))
    held = Pra(corrected=("Bob",)).rate(Games.build(wins))
    surplus = free.rows["rating"].sum() - 4 * 1500
    assert surplus == pytest.approx(free.rows["boosted"].sum())
    for player, rating in of(held).items():
        assert rating == pytest.approx(of(free)[player] - surplus / 4)
    assert any(f"{-surplus / 4:+.1f} points" in note for note in held.source["notes"])


def test_a_correction_switches_boosting_off():
    games = Games.build([("Ann", "Bob", 1.0)] * 20)
    assert of(Pra().rate(games), "boosted")["Ann"] > 200
    off = Pra(corrected=("Ann",)).rate(games)
    assert of(off, "boosted", "boosting") == {
        "Ann": (0.0, "off"),
        "Bob": (pytest.approx(-205.7, abs=0.1), "on"),
    }
    # A list says it as well, and it stays so.
    listed = Ratings(
        system="given",
        parameters={},
        rows=pl.DataFrame(
            {
                "player": ["Ann", "Bob"],
                "rating": [1500.0, 1500.0],
                "total_games": [0, 0],
                "boosting": ["no", None],
            }
        ),
    )
    again = Pra().rate(games, listed)
    assert of(again, "boosting") == {"Ann": "off", "Bob": "on"}
    assert of(Pra().rate(games, again), "boosted")["Ann"] == 0
    nobody = Pra(corrected=("Zoe",)).rate(games)
    assert any("nobody in these games is called Zoe" in note for note in nobody.source["notes"])


def test_who_brings_a_rating_is_boosted_only_on_demand():
    games = match("1 " * 20, ("Ann", 2000.0), ("Bob", 2000.0))
    assert of(Pra().rate(games), "boosted") == {"Ann": 0, "Bob": 0}
    assert "2 players" in Pra().rate(games).source["notes"][0]
    assert of(Pra(boost_given=True).rate(games), "boosted")["Ann"] > 200
    people = games.players.with_columns(pl.lit(0, dtype=pl.Int32).alias("total_games"))
    counted = Games(games.table, people, games.events)
    assert of(Pra().rate(counted), "boosted")["Ann"] > 200


def test_order_is_by_round_then_board_within_one_event():
    columns = {
        "white": [0, 2, 0, 1],
        "black": [1, 3, 2, 3],
        "score": [1.0, 0.5, 0.5, 0.0],
        "round": ["2.2", "2.10", "1.1", "1.2"],
        # The last game of round 1 was put off until after round 2.
        "date": [dt.date(2024, 5, 2), dt.date(2024, 5, 2), dt.date(2024, 5, 1), dt.date(2024, 5, 9)],
        "event": [0] * 4,
    }
    games = Games.assemble(columns, {"name": list("abcd")})
    played, days = in_order(games)
    assert played["round"].to_list() == ["1.1", "1.2", "2.2", "2.10"]
    assert days.to_list() == sorted(days.to_list())
    several = Games.assemble({**columns, "event": [0, 0, 1, 1]}, {"name": list("abcd")})
    assert in_order(several)[0]["round"].to_list() == ["1.1", "2.2", "2.10", "1.2"]


def test_rounds_that_begin_anew_are_no_order():
    """Two seasons in one table, without names of events: the dates tell the order."""
    columns = {
        "white": [0, 1, 0, 1],
        "black": [1, 2, 1, 2],
        "score": [1.0, 0.5, 0.0, 1.0],
        "round": ["1", "2", "1", "2"],
        "date": [dt.date(2023, 1, 1), dt.date(2023, 1, 2), dt.date(2024, 1, 1), dt.date(2024, 1, 2)],
    }
    people = {"name": list("abc")}
    played, days = in_order(Games.assemble(columns, people))
    assert played["date"].to_list() == columns["date"]
    assert len(set(days)) == 4
    # Nothing but rounds: then they are the order.
    undated = Games.assemble({**columns, "date": [None] * 4}, people)
    assert in_order(undated)[0]["round"].to_list() == ["1", "1", "2", "2"]


def test_forfeits_do_not_rate_and_any_split_does():
    games = Games.build([("Ann", "Bob", 0.7)])
    assert of(Pra().rate(games)) == pytest.approx({"Ann": 1501.8, "Bob": 1498.2})


@pytest.mark.parametrize(
    "wrong", [{"k": -1}, {"k": "x"}, {"start": float("nan")}, {"anchor": "mean"}, {"anchor": float("inf")}]
)
def test_constants_that_make_no_sense_are_refused(wrong):
    for name in ("pra", "pra-basic"):
        with pytest.raises(UsageError, match="expected a number from"):
            system(name, **wrong)


@pytest.mark.parametrize("wrong", [{"block": 10}, {"steady": float("nan")}, {"late_until": 170}])
def test_blocks_that_make_no_sense_are_refused(wrong):
    with pytest.raises(UsageError, match="expected"):
        system("pra", **wrong)


def test_a_damaged_block_on_a_list_is_refused():
    rows = pl.DataFrame({"player": ["Ann"], "rating": [1500.0], "total_games": [3], "carried": ["1200=1"]})
    listed = Ratings(system="given", parameters={}, rows=rows)
    with pytest.raises(InputError, match="in the column carried"):
        Pra().rate(Games.build([("Ann", "Bob", 1.0)]), listed)


def test_parameters_name_every_constant():
    told = Pra().parameters()
    assert set(Boosting._fields) <= set(told)
    assert told["k"] == 9
    assert told["anchor"] == "brought"


def test_the_error_of_newcomers_is_what_simulations_find():
    """300 points of not knowing shrink as the Basic System learns; a list's doubt is not forgotten."""
    rng = np.random.default_rng(3)
    n, rounds = 400, 160
    true = rng.normal(1500, 300, n)
    white, black = [], []
    for _ in range(rounds):
        order = rng.permutation(n)
        white += order[: n // 2].tolist()
        black += order[n // 2 :].tolist()
    E = PraCurve().expected(true[white] - true[black])
    columns = {"white": white, "black": black, "score": (rng.random(len(white)) < E).astype(float)}
    rated = PraBasic().rate(Games.assemble(columns, {"name": [f"P{i}" for i in range(n)]})).rows
    off = rated["rating"].to_numpy() - true[[int(name[1:]) for name in rated["player"]]]
    assert np.sqrt(np.mean(off**2)) == pytest.approx(rated["error"].mean(), rel=0.12)
    listed = Ratings(
        system="given",
        parameters={},
        rows=pl.DataFrame({"player": ["Ann"], "rating": [1500.0], "error": [200.0]}),
    )
    later = of(Pra().rate(Games.build([("Ann", "Bob", 1.0)]), listed), "error")
    assert later["Ann"] == pytest.approx(199, abs=1)
    assert later["Bob"] == pytest.approx(299, abs=1.5)
    # A rating that rests on no games is a newcomer's.
    new = replace(listed, rows=listed.rows.drop("error").with_columns(total_games=pl.lit(0)))
    later = of(Pra().rate(Games.build([("Ann", "Bob", 1.0)]), new), "error")
    assert later["Ann"] == pytest.approx(299, abs=1.5)
