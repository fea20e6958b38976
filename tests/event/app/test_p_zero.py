"""P-Zero scores: figures of the text, and what must hold of any event."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.event.tournament_app.fit import basic_run, field_of, order_effect, p_zero, z_scores
from arpad.read import read
from tests.conftest import GOLDEN
from tests.event.app.events import event, tournaments


def split(pairs):
    return tuple(map(list, zip(*pairs, strict=True)))


@pytest.mark.parametrize("system", ["elo", "chessmetrics"])
def test_isle_of_lewis(golden, system):
    field = field_of(read(GOLDEN / f"pra_isle_of_lewis_1995_{system}.pra").games)
    scores = p_zero(field.white, field.black, field.score, 4)
    ours = {n: f"{s:.2f}" for n, s in zip(field.names, scores, strict=True)}
    assert ours == {r["name"]: r["p_zero"] for r in golden("pra_isle_of_lewis_1995.csv")}


def test_one_game_by_hand():
    # E(125) = .6 − √(25/15000) = .559175…; 9 (1 − .559175) = 3.967…
    assert basic_run([0], [1], [1.0], [2785.0, 2660.0]) == pytest.approx([2788.96742, 2656.03258])


@given(tournaments())
def test_scores_add_up_to_nothing(drawn):
    pairs, ratings = drawn
    assert sum(p_zero(*split(pairs), len(ratings))) == pytest.approx(0, abs=1e-9)


@given(tournaments(), st.randoms())
def test_relabelling(drawn, chance):
    pairs, ratings = drawn
    new = list(range(len(ratings)))
    chance.shuffle(new)
    first = p_zero(*split(pairs), len(new))
    second = p_zero(*split([(new[w], new[b], s) for w, b, s in pairs]), len(new))
    assert [second[new[p]] for p in range(len(new))] == pytest.approx(first)


@given(tournaments())
def test_colours_do_not_matter(drawn):
    pairs, ratings = drawn
    swapped = [(b, w, 1 - s) for w, b, s in pairs]
    n = len(ratings)
    assert p_zero(*split(swapped), n) == pytest.approx(p_zero(*split(pairs), n), abs=1e-9)


@given(tournaments())
def test_everybody_losing_what_he_won_turns_the_scores_round(drawn):
    pairs, ratings = drawn
    n = len(ratings)
    turned = p_zero(*split([(w, b, 1 - s) for w, b, s in pairs]), n)
    assert turned == pytest.approx([-p for p in p_zero(*split(pairs), n)], abs=1e-9)


@given(st.lists(st.floats(-100, 100), min_size=2, max_size=20).filter(lambda x: max(x) - min(x) > 1))
def test_z_scores_have_mean_0_and_deviation_1(scores):
    z = z_scores(scores)
    assert sum(z) == pytest.approx(0, abs=1e-6)
    assert sum(v * v for v in z) == pytest.approx(len(z) - 1)


def test_z_scores_of_equals():
    assert z_scores([0.0, 0.0]) == [None, None]
    assert z_scores([]) == []


PAIRS = [(0, 1, 1.0), (0, 2, 1.0), (1, 2, 0.5), (2, 0, 1.0), (1, 0, 0.5), (2, 1, 0.0)] * 3


def test_order_matters_where_it_is_not_known():
    effect = order_effect(*split(PAIRS), 3)
    assert 0.05 < effect < 3
    assert order_effect(*split(PAIRS), 3, groups=list(range(18))) == 0
    assert order_effect(*split(PAIRS[:1]), 3) == 0


def test_games_are_taken_by_round_then_board():
    rounds = ["2.1", "1.10", "1.2", "10", "2"]
    pairs = [(0, 1, 1.0), (0, 1, 0.0), (2, 3, 0.25), (0, 1, 0.5), (2, 3, 0.75)]
    field = field_of(event(pairs, [2000.0] * 4, round=rounds))
    assert field.score == [0.25, 0.0, 0.75, 1.0, 0.5]
    assert field.by_round


def test_rounds_go_before_dates_and_dates_need_no_rounds():
    from datetime import date

    pairs = [(0, 1, 1.0), (0, 1, 0.0), (0, 1, 0.5)]
    days = {"date": [date(2000, 1, d) for d in (3, 2, 1)], "precision": ["day"] * 3}
    R = [2000.0, 2000.0]
    assert field_of(event(pairs, R, **days)).score == [0.5, 0.0, 1.0]
    assert field_of(event(pairs, R, round=["2", "1", "3"], **days)).score == [0.0, 1.0, 0.5]
    # One game without a round: rounds say nothing of its place.
    assert field_of(event(pairs, R, round=["2", "?", "3"], **days)).score == [0.5, 0.0, 1.0]
    # Dates that know the year only say nothing either.
    days["precision"] = ["day", "year", "day"]
    assert field_of(event(pairs, R, **days)).score == [1.0, 0.0, 0.5]


def test_one_round_for_everything_is_no_order():
    field = field_of(event(PAIRS, [2000.0] * 3, round=["1"] * 18))
    assert not field.by_round
