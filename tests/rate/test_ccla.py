from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.model import Games, Player
from arpad.rate.historical.systems import Ccla

schedules = pytest.mark.parametrize("schedule", ["formula", "chart"])


def changes(high: float, low: float, score: float, schedule: str) -> tuple[float, float]:
    people = [Player(name="high", rating=high), Player(name="low", rating=low)]
    games = Games.assemble({"white": [0], "black": [1], "score": [score]}, people)
    rows = {r["player"]: r["change"] for r in Ccla(schedule=schedule).rate(games).rows.to_dicts()}
    return rows["high"], rows["low"]


def test_chart_whole(golden):
    for row in golden("ccla_chart.csv"):
        ends = [int(row["from"]), int(row["to"] or 1000)]
        for D in (*ends, sum(ends) / 2):
            won, lost, drawn = (int(row[k]) for k in ("higher_wins", "lower_wins", "draw"))
            assert changes(1500.0 + D, 1500.0, 1.0, "chart") == (won, -won)
            assert changes(1500.0 + D, 1500.0, 0.0, "chart") == (-lost, lost)
            assert changes(1500.0 + D, 1500.0, 0.5, "chart") == (-drawn, drawn)


@pytest.mark.parametrize(("D", "score", "change"), [
    (0, 1, 16), (0, 0.5, 0), (100, 1, 10), (100, 0, -22), (100, 0.5, -6), (400, 1, -8),
])  # fmt: skip
def test_formula_52(D, score, change):
    # by hand: ±16 for the result, .06 D from the higher rated to the lower in any case
    up, down = changes(1500.0 + D, 1500.0, score, "formula")
    assert (up, down) == (pytest.approx(change), pytest.approx(-change))


@schedules
@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from([0.0, 0.5, 1.0])), max_size=40)
)
def test_nothing_is_created_or_lost(schedule, rows):
    rows = [g for g in rows if g[0] != g[1]] + [(i, (i + 1) % 6, 0.5) for i in range(6)]
    people = [Player(name=f"P{i}", rating=1400.0 + 90 * i) for i in range(6)]
    columns = dict(zip(("white", "black", "score"), map(list, zip(*rows, strict=True)), strict=True))
    rated = Ccla(schedule=schedule).rate(Games.assemble(columns, people))
    assert rated.rows["rating"].sum() == pytest.approx(sum(p.rating for p in people))


@schedules
@given(D=st.floats(-600, 600))
def test_the_curve_is_where_nothing_moves(schedule, D):
    P = Ccla(schedule=schedule).curve.expected(D)
    if 0 < P < 1:
        won, lost = changes(1500 + D, 1500, 1.0, schedule)[0], changes(1500 + D, 1500, 0.0, schedule)[0]  # fmt: skip
        assert P * won + (1 - P) * lost == pytest.approx(0, abs=1e-9)


def test_implied_class_intervals():
    # 32 / .06 and 32 × 20 points for the whole of P: 4C, so that C is 133 and 160
    assert Ccla().curve.expected(32 / 0.06 / 4) == pytest.approx(0.75)
    assert Ccla(schedule="chart").curve.expected(160.0) == pytest.approx(0.75)
    assert Ccla(schedule="chart").curve.expected(2000.0) == 0.9375
