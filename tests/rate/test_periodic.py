from __future__ import annotations

import datetime as dt
import math

import polars as pl
import pytest

from arpad.errors import UsageError
from arpad.model import Games, Player
from arpad.rate.historical.systems import Periodic
from arpad.rate.registry import system


def season(scores: list[float], opponents: list[float], days: list[dt.date], own: float | None = None):
    people = [Player(name="me", rating=own)]
    people += [Player(name=f"o{i}", rating=R) for i, R in enumerate(opponents)]
    n = len(scores)
    columns = {"white": [0] * n, "black": list(range(1, n + 1)), "score": scores, "date": days}
    return Games.assemble(columns, people)


def mine(games: Games, **options) -> dict:
    rows = Periodic(**options).rate(games).rows
    return rows.filter(pl.col("player") == "me").row(0, named=True)


SPRING, SUMMER, AUTUMN = dt.date(1978, 3, 1), dt.date(1978, 6, 1), dt.date(1978, 9, 1)


def test_thirty_games_give_formula_1():
    # Portisch at Wijk aan Zee, 10½ of 15: D_p of .70 is 149 [2.41]; twice as many games need no F.
    found = mine(season([1.0] * 12 + [0.5] * 18, [2527.0] * 30, [SPRING] * 30, own=2635.0))
    assert (found["rating"], found["status"], found["counted"]) == (2527 + 149, "established", 30)
    assert found["error"] == pytest.approx(200 * (4 * math.pi) ** 0.5 * 0.5 / 30**0.5, rel=0.01)  # 1 / φ(0)


def test_below_thirty_games_F_reduces_the_difference():
    # Six of nine, .67: D_p 125 by table 2.11, F between .92 at 100 and .87 at 150 [8.85]; the old rating does not count.
    found = mine(season([1.0] * 5 + [0.5] * 2 + [0.0] * 2, [1800.0] * 9, [SPRING] * 9, own=2400.0))
    assert found["rating"] == pytest.approx(1800 + 125 * (0.93 + 0.87) / 2)
    assert found["status"] == "provisional"
    without = season([1.0] * 5 + [0.5] * 2 + [0.0] * 2, [1800.0] * 9, [SPRING] * 9)
    assert mine(without, small_samples=False)["rating"] == 1800 + 125
    assert mine(season([1.0] * 5, [1800.0] * 5, [SPRING] * 5))["rating"] == 1800 + 400 * 0.51


def test_the_interval_goes_back_until_it_has_thirty_games():
    days = [SPRING] * 20 + [SUMMER] * 15 + [AUTUMN] * 20
    scores = [1.0] * 20 + [0.5] * 15 + [0.0] * 10 + [0.5] * 10
    found = mine(season(scores, [2000.0] * 55, days))
    # The 35 games of summer and autumn: 12½ points, .36, −102; spring no longer counts.
    assert (found["counted"], found["rating"]) == (35, 2000 - 102)
    short = mine(season(scores, [2000.0] * 55, days), window=1)
    assert short["counted"] == 20
    whole = mine(season(scores, [2000.0] * 55, days), minimum=55)
    assert whole["counted"] == 55


def test_opponents_count_with_their_ratings_before_the_period():
    people = [Player(name=n, rating=R) for n, R in (("A", 2000.0), ("B", 2000.0), ("C", 1900.0))]
    columns = {
        "white": [0] * 30 + [1] * 30,
        "black": [1] * 30 + [2] * 30,
        "score": [0.5] * 30 + [1.0, 0.5, 0.0] * 10,
    }
    both = Games.assemble({**columns, "date": [SPRING] * 60}, people)
    rows = dict(Periodic().rate(both).rows.select("player", "rating").iter_rows())
    assert rows == {"A": 2000.0, "B": 1950.0, "C": 2000.0}  # B: half against 2000, half against 1900
    later = Games.assemble({**columns, "date": [SUMMER] * 30 + [SPRING] * 30}, people)
    rows = dict(Periodic().rate(later).rows.select("player", "rating").iter_rows())
    assert rows == {"A": 1900.0, "B": 2000.0, "C": 2000.0}  # in summer B had 1900, from spring


def test_a_late_report_takes_its_own_place():
    first = Periodic().rate(season([1.0] * 15, [2000.0] * 15, [AUTUMN] * 15))
    late = season([0.0] * 15, [2000.0] * 15, [SPRING] * 15)
    strangers = late.players.with_columns(pl.col("name").str.replace("^o", "late "))
    late = Games(late.table, strangers, late.events)
    found = Periodic().rate(late, first).rows.filter(pl.col("player") == "me").row(0, named=True)
    assert (found["counted"], found["rating"]) == (30, 2000.0)


@pytest.mark.parametrize("wrong", [{"minimum": 0}, {"window": 0}, {"start": float("nan")}, {"period": "week"}, {"curve": "ratio"}])  # fmt: skip
def test_constants_are_checked(wrong):
    with pytest.raises(UsageError):
        system("periodic", **wrong)
