"""Ratings after the event, and the tie-break."""

from __future__ import annotations

import pytest
from hypothesis import given

from arpad.event.tournament_app.app import tournament_app
from arpad.event.tournament_app.fit import basic_run, ratings_after
from arpad.event.tournament_app.greatness import pra_ranks
from arpad.rate import Elo
from arpad.rate.k import k_policy
from tests.event.app.events import event, tournaments


def split(pairs):
    return tuple(map(list, zip(*pairs, strict=True)))


def test_one_game_three_times():
    after = ratings_after([0], [1], [1.0], [2785.0, 2660.0])
    assert after.pra == pytest.approx([2788.96742, 2656.03258])
    assert after.elo == after.elo_as_printed == pytest.approx([2788.27497, 2656.72503], abs=1e-4)


def test_the_text_s_elo_expects_from_pra_ratings():
    # Second game: Elo stands at 2788.27 : 2656.73, PRA at 2788.97 : 2656.03.
    after = ratings_after([0, 0], [1, 1], [1.0, 1.0], [2785.0, 2660.0])
    assert after.elo[0] == pytest.approx(2788.27497 + 10 * (1 - 1 / (1 + 10 ** (-131.54994 / 400))), abs=1e-4)
    assert after.elo_as_printed[0] == pytest.approx(
        2788.27497 + 10 * (1 - 1 / (1 + 10 ** (-132.93484 / 400))), abs=1e-4
    )


@given(tournaments())
def test_true_elo_is_arpad_s_own(drawn):
    pairs, ratings = drawn
    games = event(pairs, ratings)
    rated = Elo(k=k_policy(10)).rate(games).rows
    ours = ratings_after(*split(pairs), ratings).elo
    by_name = dict(rated.select("player", "rating").iter_rows())
    assert ours == pytest.approx([by_name[f"P{p}"] for p in range(len(ratings))], abs=1e-6)


@given(tournaments())
def test_nobody_s_gain_is_nobody_s_loss(drawn):
    pairs, ratings = drawn
    after = ratings_after(*split(pairs), ratings)
    for values in (after.pra, after.elo, after.elo_as_printed):
        assert sum(values) == pytest.approx(sum(ratings))
    assert after.pra == basic_run(*split(pairs), ratings)


def test_unrated_players_rate_nobody():
    after = ratings_after([0, 0], [1, 2], [1.0, 1.0], [2000.0, None, 2000.0])
    assert after.pra == [2004.5, None, 1995.5]


def test_ties_are_broken_by_performance_then_g():
    # Points, P-Zero, G: the third breaks what the first two leave.
    assert pra_ranks([5, 5, 5, 6], [1.0, 2.0, 2.0, 0.0], [9.0, 3.0, 4.0, 0.0]) == [4, 3, 2, 1]
    assert pra_ranks([5, 5], [1.0, 1.0 + 1e-12], [None, None]) == [1, 1]
    assert pra_ranks([0, 0], [None, -5.0], [None, None]) == [2, 1]
    assert pra_ranks([9, 1], [9.0, 1.0], [1.0, 2.0], by_g=True) == [2, 1]


def test_candidates_2013_goes_to_kramnik(golden):
    rows = golden("pra_candidates_2013.csv")
    ranks = pra_ranks([float(r["points"]) for r in rows], [float(r["p_zero"]) for r in rows], [None] * 8)
    assert {r["name"]: rank for r, rank in zip(rows, ranks, strict=True)} == {
        "Kramnik": 1, "Carlsen": 2, "Svidler": 3, "Aronian": 4, "Gelfand": 5, "Grischuk": 6, "Ivanchuk": 7, "Radjabov": 8,
    }  # fmt: skip


def test_forfeits_score_and_do_not_rate():
    pairs = [(0, 1, 1.0), (1, 2, 0.5), (2, 0, 0.0), (1, 0, 1.0)]
    status = ["played", "played", "played", "forfeit"]
    report = tournament_app(event(pairs, [2500.0, 2450.0, 2400.0], status=status))
    row = {s.name: s for s in report.standings}
    assert row["P1"].points == 1.5
    assert row["P1"].games == 2
    without = tournament_app(event(pairs[:3], [2500.0, 2450.0, 2400.0]))
    assert row["P1"].p_zero == {s.name: s.p_zero for s in without.standings}["P1"]
