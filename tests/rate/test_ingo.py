from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from arpad.model import Games, Player
from arpad.rate.historical.systems import Ingo
from arpad.scale import Logistic


def event(own: float, opponents: list[float], scores: list[float]) -> Games:
    people = [Player(name="me", rating=own)]
    people += [Player(name=f"o{i}", rating=r) for i, r in enumerate(opponents)]
    n = len(opponents)
    columns = {"white": [0] * n, "black": list(range(1, n + 1)), "score": scores}
    return Games.assemble({**columns, "event": [0] * n}, people)


def mine(games: Games, **options) -> dict:
    rows = Ingo(given_in="ingo", **options).rate(games).rows
    return rows.filter(pl.col("player") == "me").row(0, named=True)


def test_published_example(golden):
    # (47): 120 − (63.6 − 50) = 106.4; (48): (3 × 110 + 106.4) / 4 = 109.1
    row = next(r for r in golden("earlier_events.csv") if r["system"] == "ingo")
    n = int(row["games"])
    games = event(float(row["old"]), [float(row["average"])] * n, [float(row["score"]) / n] * n)
    assert mine(games, share=1.0)["ingo"] == pytest.approx(float(row["performance"]), abs=0.05)
    after = mine(games)
    assert after["ingo"] == pytest.approx(109.1, abs=0.05)
    assert round(after["ingo"]) == int(row["new"])
    assert after["index"] == 1


@pytest.mark.parametrize(("difference", "percent"), [(10, 60), (20, 70), (30, 80), (25, 75)])
def test_expected_scores_as_published(difference, percent):
    assert 100 * Ingo().curve.expected(difference * 8.0) == pytest.approx(percent)
    assert Ingo(limit=None).curve.expected(50 * 8.0) == 1


def test_forty_degree_limit():
    # 60 better than the opponent, who counts as 40 worse than oneself: R_p = 150 − 50
    assert mine(event(110, [170], [1.0]), share=1.0)["ingo"] == pytest.approx(100)
    # without the limit a win costs points [8.53 says it of Harkness]
    assert mine(event(110, [170], [1.0]), share=1.0, limit=None)["ingo"] == pytest.approx(120)


def test_a_first_number_is_the_performance():
    games = event(float("nan"), [100, 120], [1.0, 0.5])
    row = mine(games)
    assert row["ingo"] == pytest.approx(110 - 25)
    assert row["before"] is None
    assert row["error"] == pytest.approx(8 * 50 / 2**0.5)


def test_8_57_the_line_draws_a_pool_together():
    """A pool wider than 4C that plays by the logistic curve ends within about 4C."""
    rng = np.random.default_rng(3)
    people, events = 120, 150
    strength = np.linspace(1200, 2400, people)
    white = np.concatenate([rng.permutation(people) for _ in range(events)])
    black = np.concatenate([rng.permutation(people) for _ in range(events)])
    other = white != black
    when = np.repeat(np.arange(events), people)[other]
    white, black = white[other], black[other]
    won = rng.random(len(white)) < Logistic().expected(strength[white] - strength[black])
    columns = {"white": white, "black": black, "score": won.astype(float), "event": when}
    games = Games.assemble(
        {k: pl.Series(v) for k, v in columns.items()},
        {"name": [f"{i:03}" for i in range(people)], "rating": strength},
    )
    rows = Ingo(limit=None).rate(games).rows.sort("player")
    ends = rows["rating"].to_numpy()
    lowest, highest = ends[:10].mean(), ends[-10:].mean()
    assert strength[-10:].mean() - strength[:10].mean() > 1000
    assert 500 < highest - lowest < 900
    assert lowest > strength[:10].mean() + 100  # favours the lower rated
