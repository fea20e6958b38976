from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.event.uscf import FIDE_K, FideResult, adjusted_expected, rated_from_fide
from arpad.scale import Logistic

TABLE_1 = {2655: 2701}
"""The one cell of table 1 that 6.3 needs."""


def line(**changes):
    given = {"event": "X", "federation": "ESP", "rating": 2655, "score": 5, "games": 10, "change": 0.0}  # fmt: skip
    return FideResult(**given | changes)


def kamsky(golden):
    return [
        FideResult(
            event=r["City"],
            federation=r["Fed"],
            rating=float(r["Ro"]),
            score=float(r["W"]),
            games=int(r["N"]),
            change=float(r["Chg"]),
        )
        for r in golden("uscf1994_6_3.csv")
    ]


def test_every_figure_of_6_3(golden):
    steps = {r["symbol"]: float(r["value"]) for r in golden("uscf1994_6_3_steps.csv")}
    found = rated_from_fide(steps["R_u"], kamsky(golden), to_uscf=TABLE_1.__getitem__)
    assert found.games == steps["N"]
    assert found.score == steps["W"]
    assert found.difference == pytest.approx(steps["d"])
    assert found.expected == pytest.approx(steps["E"])
    assert found.fide + found.addition == steps["table 1 at 2655"]
    assert found.addition == steps["A"]
    factor = 10 ** ((found.fide - found.before + found.addition) / 400)
    assert round(factor, 4) == steps["10^((R_f - R_u + A)/400)"]
    odds = found.games / found.expected - 1
    assert round(odds, 4) == steps["N/E - 1"]
    assert round(1 + factor * odds, 2) == steps["denominator"]
    assert round(found.adjusted, 1) == steps["E_adj"]
    assert found.parameters["K"] == FIDE_K == steps["K"]
    # -37.6 is worked from 20.7; unrounded it is -37.86, and the rating the same
    assert steps["K"] * (steps["W"] - steps["E_adj"]) == pytest.approx(steps["K(W - E_adj)"])
    assert found.change == pytest.approx(-37.86, abs=0.005)
    assert round(found.after) == steps["R_new"]
    assert [r.event for r in found.at_home] == ["New York"]
    assert found.summary().startswith("2795 becomes 2757: 16 of 31 where 20.7 was expected")
    assert found.table()["counted"].to_list() == [True, True, True, False]


@given(
    games=st.integers(1, 60),
    opponent=st.integers(2000, 2800),
    fide=st.integers(2200, 2700),
    shift=st.integers(-300, 300),
)
def test_6_4_equal_opponents_are_what_it_assumes(games, opponent, fide, shift):
    """E from equal opponents on FIDE's scale becomes E against the same opponents `shift` points off."""
    curve = Logistic()
    E = games * curve.expected(fide - opponent)
    assert adjusted_expected(games, E, shift) == pytest.approx(
        games * curve.expected(fide - shift - opponent)
    )
    assert adjusted_expected(games, E, 0) == pytest.approx(E)


@given(st.integers(0, 20), st.integers(0, 20), st.permutations(range(3)))
def test_events_add_up_in_any_order(first, second, order):
    results = [
        line(event="a", score=first / 2, change=first / 2 - 4.0),
        line(event="b", score=second / 2, change=second / 2 - 6.0),
        line(event="home", federation="usa", score=10, change=9.0),
    ]
    plain = rated_from_fide(2700, results, to_uscf=lambda R: R + 46)
    mixed = rated_from_fide(2700, [results[i] for i in order], to_uscf=lambda R: R + 46)
    assert mixed.after == pytest.approx(plain.after)
    joined = [line(games=20, score=(first + second) / 2, change=(first + second) / 2 - 10)]
    assert rated_from_fide(2700, joined, to_uscf=lambda R: R + 46).after == pytest.approx(plain.after)  # fmt: skip


def test_nothing_abroad_changes_nothing():
    found = rated_from_fide(2500, [line(federation="USA")], to_uscf=lambda R: R)
    assert found.after == found.before == 2500
    assert found.summary() == "2500 stays: no event was played away from home"
    assert rated_from_fide(2500, [], to_uscf=lambda R: R).table().is_empty()


def test_the_ends_of_the_scale():
    assert adjusted_expected(10, 0, 100) == 0
    assert adjusted_expected(10, 10, 100) == 10
    assert adjusted_expected(10, 5, 1e9) == 0
    assert adjusted_expected(10, 5, -1e9) == 10
    # hundredths in print may put E just beyond 0 or N
    beyond = rated_from_fide(2500, [line(score=10, change=-0.004)], to_uscf=lambda R: R)
    assert beyond.adjusted == 10


@pytest.mark.parametrize(
    ("results", "words"),
    [
        ([line(change=-6.1)], "without K"),
        ([line(score=11)], "a score from 0"),
        ([line(games=0, score=0)], "number of games"),
        ([line(change=math.nan)], "expected a rating"),
        ([line(), line(event="Y", rating=2660)], "one FIDE rating"),
        ([line(), line()], "twice"),
    ],
)
def test_bad_lines(results, words):
    with pytest.raises(UsageError, match=words):
        rated_from_fide(2700, results, to_uscf=lambda R: R)


def test_bad_ratings():
    for rating, K in ((math.nan, 8), (0, 8), (2700, 0), (2700, math.inf)):
        with pytest.raises(UsageError, match="expected a USCF rating"):
            rated_from_fide(rating, [line()], to_uscf=lambda R: R, K=K)
    with pytest.raises(UsageError, match="difference in points"):
        rated_from_fide(2700, [line()], to_uscf=lambda _: math.nan)
