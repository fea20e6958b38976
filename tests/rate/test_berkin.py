from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from arpad.model import Games, Player
from arpad.rate.historical.common import DIRECT_RATIO
from arpad.rate.historical.systems import Berkin, first_rating, opposition, segments
from arpad.rate.periods import Sides
from arpad.scale import Ratio

strength = st.floats(100, 100_000)


def build(ratios, rows, **more) -> Games:
    people = [Player(name=f"P{i}", rating=r) for i, r in enumerate(ratios)]
    columns = dict(zip(("white", "black", "score"), map(list, zip(*rows, strict=True)), strict=True))
    return Games.assemble({**columns, **more}, people)


def ratios(games: Games, **options) -> dict[str, float]:
    return dict(Berkin(given_in="ratio", **options).rate(games).rows.select("player", "ratio").iter_rows())


@given(R=strength, R_c=strength, W=st.integers(0, 10), N=st.just(10))
def test_56_follows_from_58(R, R_c, W, N):
    """8.63: the old sample, weighted by N_o − N, and the new one; (56) read with `RL`, not `R_L`."""
    N_o, L = 30, N - W
    W_o, L_o = N_o * R / (R + R_c), N_o * R_c / (R + R_c)
    change = (R_c * W - R * L) / N_o
    left = (R + change) / (R_c - change)
    right = (W_o * (N_o - N) + W * N_o) / (L_o * (N_o - N) + L * N_o)
    assert left == pytest.approx(right)
    # and this is what the system does
    rows = [(0, 1, 1.0)] * W + [(0, 1, 0.0)] * L
    after = ratios(build([R, R_c], rows), sample=N_o)
    assert (after["P0"], after["P1"]) == pytest.approx((R + change, R_c - change))


@pytest.mark.parametrize(("score", "after"), [(1.0, 3000 + 1000 / 30), (0.5, 2900 + 200 / 3), (0.0, 2900)])  # fmt: skip
def test_one_game_by_hand(score, after):
    # (61): 3000 against 1000, N_o = 30: +33⅓ for a win, −100 for a loss, −33⅓ for a draw
    rated = ratios(build([3000.0, 1000.0], [(0, 1, score)]))
    assert rated["P0"] == pytest.approx(after)
    assert rated["P0"] + rated["P1"] == pytest.approx(4000)


@given(R=strength, others=st.lists(strength, min_size=1, max_size=12))
def test_66_the_equivalent_opponent(R, others):
    n = len(others)
    me = np.zeros(n, dtype=np.int64)
    sides = Sides(np.arange(n + 1), me, np.arange(1, n + 1), np.ones(n))
    odds = np.array(others) / R
    R_a = R * opposition(sides, odds, "equivalent")[0] / n
    assert sum(R / (R + R_i) for R_i in others) == pytest.approx(n * R / (R + R_a))
    geometric = R * opposition(sides, odds, "geometric")[0] / n
    assert geometric == pytest.approx(math.exp(sum(map(math.log, others)) / n))  # (67), (68)
    # against equals all three are the same
    same = np.full(n, 2.5)
    for average in ("opponents", "equivalent", "geometric"):
        assert opposition(sides, same, average)[0] == pytest.approx(2.5 * n)


@given(others=st.lists(strength, min_size=2, max_size=8), W=st.floats(0, 1))
def test_62_moves_by_the_event_average(others, W):
    rows = [(0, i + 1, W) for i in range(len(others))]
    n, R = len(others), 2000.0
    R_a = math.exp(sum(map(math.log, others)) / n)
    after = ratios(build([R, *others], rows), average="geometric")["P0"]
    assert after == pytest.approx(R + (R_a * n * W - R * n * (1 - W)) / 30)


@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.integers(0, 4), st.sampled_from([0.0, 0.5, 1.0])),
        min_size=1,
        max_size=60,
    ),
    st.lists(st.integers(1, 5000), min_size=5, max_size=5),
)
def test_the_sum_of_ratios_is_kept(rows, start):
    rows = [g for g in rows if g[0] != g[1]]
    assume(rows)
    rated = ratios(build(start, rows))
    assert sum(rated.values()) == pytest.approx(sum(start[int(p[1:])] for p in rated))


def test_8_65_a_class_interval_is_odds_of_about_3_2():
    ratio = DIRECT_RATIO.number(np.array([2000.0])) / DIRECT_RATIO.number(np.array([1800.0]))
    assert ratio == pytest.approx([3.2], abs=0.05)
    assert Berkin().curve.expected(200.0) == pytest.approx(Ratio().between(ratio, 1.0)[0])


@pytest.mark.parametrize(("P", "D"), [(0.5, 0), (10 / 11, 400), (1 / 11, -400), (0.75, 190.8)])
def test_57_a_first_result(P, D):
    assert first_rating(np.array([100.0]), np.array([P])) == pytest.approx([D], abs=0.1)


def test_57_all_or_nothing_concedes_half_a_point():
    four = np.array([4.0])
    assert first_rating(four, np.array([1.0])) == pytest.approx([400 * math.log10(7)])
    assert first_rating(four, np.array([0.0])) == pytest.approx([-400 * math.log10(7)])


def test_the_rated_do_not_change_by_games_with_newcomers():
    games = build([3000.0, None], [(0, 1, 1.0), (0, 1, 0.0), (0, 1, 0.0), (0, 1, 0.0)])
    rated = ratios(games)
    assert rated == pytest.approx({"P0": 3000.0, "P1": 9000.0})  # W / L = 3 / 1
    # whoever lost to the newcomer, and whoever beat him, stays too; he lands between them
    rated = ratios(build([4000.0, 1000.0, None], [(2, 0, 1.0), (2, 1, 0.0)]))
    assert rated == pytest.approx({"P0": 4000.0, "P1": 1000.0, "P2": 2000.0})


def test_long_events_are_split():
    games = build([3000.0, 3000.0], [(0, 1, 1.0)] * 100)
    rated = ratios(games)
    assert rated["P1"] > 0
    assert sum(rated.values()) == pytest.approx(6000)
    numbers = segments(games.rateable(), np.zeros(100, dtype=np.int64), 15)
    assert np.bincount(numbers).tolist() == [15] * 6 + [10]


def test_segments_begin_anew_with_every_period():
    games = build([1.0, 1.0, 1.0], [(0, 1, 1.0), (0, 1, 1.0), (0, 2, 1.0), (0, 1, 1.0)])
    numbers = segments(games.rateable(), np.array([0, 0, 0, 4]), 2)
    assert numbers.tolist() == [0, 0, 1, 2]
    assert segments(games.rateable(), np.array([0, 0, 0, 4]), 3).tolist() == [0, 0, 0, 4]


def test_a_weak_player_leaps_over_classes_by_one_win():
    # the limit that the docs name: one win against somebody 1000 points above brings 424 points
    games = build([1000.0, 2000.0], [(0, 1, 1.0)])
    rows = Berkin().rate(games).rows
    change = rows.filter(pl.col("player") == "P0")["change"].item()
    assert change == pytest.approx(400 * math.log10(1 + 10**2.5 / 30))
    assert 420 < change < 430
