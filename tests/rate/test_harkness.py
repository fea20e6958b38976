from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.model import Games, Player
from arpad.rate.historical.systems import Harkness


def event(own: float, average: float, scores: list[float], events: list[int] | None = None):
    n = len(scores)
    people = [Player(name="me", rating=own)]
    people += [Player(name=f"o{i}", rating=average) for i in range(n)]
    columns = {"white": [0] * n, "black": list(range(1, n + 1)), "score": scores}
    return Games.assemble({**columns, "event": events or [0] * n}, people)


def mine(games: Games) -> dict:
    rows = Harkness().rate(games).rows
    return rows.filter(pl.col("player") == "me").row(0, named=True)


def test_published_example(golden):
    # Eleven games, so (49): 1850 − 10 × 27.3 = 1577
    row = next(r for r in golden("earlier_events.csv") if r["system"] == "harkness")
    n = int(row["games"])
    games = event(float(row["old"]), float(row["average"]), [float(row["score"]) / n] * n)
    assert mine(games)["performance_1"] == pytest.approx(float(row["performance"]), abs=0.5)


@pytest.mark.parametrize(("wins", "losses"), [(5, 0), (3, 2), (0, 8), (4, 5)])
def test_short_events(wins, losses):
    # (50): 50 for each win more than losses
    shown = mine(event(1600, 1700, [1.0] * wins + [0.0] * losses))["performance_1"]
    assert shown == pytest.approx(1700 + 50 * (wins - losses))


@given(N=st.integers(1, 40), wins=st.integers(0, 40))
def test_both_formulae_are_one_line(N, wins):
    W = min(wins, N)
    P = W / N
    D = 10 * (100 * P - 50) if N > 9 else 50 * (W - (N - W))
    assert Harkness().worth(np.array([float(N)]))[0] * (P - 0.5) == pytest.approx(D)


def test_8_53_a_perfect_score_can_cost_and_no_point_can_pay():
    strong = mine(event(2400, 1700, [1.0] * 5))
    assert (strong["performance_1"], strong["change"]) == (1950, -112.5)
    weak = mine(event(1400, 2100, [0.0] * 5))
    assert (weak["performance_1"], weak["change"]) == (1850, 112.5)


def test_the_last_four_performances_make_the_rating():
    # five events of one draw each against other opponents: the first drops out (51)
    people = [Player(name="me")]
    people += [Player(name=f"o{i}", rating=1500.0 + 100 * i) for i in range(5)]
    columns = {"white": [0] * 5, "black": [1, 2, 3, 4, 5], "score": [0.5] * 5}
    rows = []
    for n in range(1, 6):
        some = {k: v[:n] for k, v in columns.items()}
        games = Games.assemble({**some, "event": list(range(n))}, people)
        rows.append(mine(games))
    assert [r["rating"] for r in rows] == [1500, 1550, 1600, 1650, 1750]
    assert [rows[-1][f"performance_{i}"] for i in (1, 2, 3, 4)] == [1900, 1800, 1700, 1600]
    # each one game: σ = 100 × ½ of one, halved by every four
    assert [round(r["error"], 1) for r in rows] == [50, 35.4, 28.9, 25, 25]


def test_a_rating_stands_for_the_performances_that_are_not_known():
    row = mine(event(2000, 2000, [1.0] * 4))
    assert row["performance_1"] == 2200
    assert row["rating"] == pytest.approx((2200 + 3 * 2000) / 4)
