from __future__ import annotations

import datetime as dt

import polars as pl
import pytest

from arpad.errors import UsageError
from arpad.model import Games, Player
from arpad.rate.historical.systems import Bcf, grade_class


def season(own: float | None, opponent: float, scores: list[float], years: list[int] | None = None):
    n = len(scores)
    people = [Player(name="me", rating=own)]
    people += [Player(name=f"o{i}", rating=opponent) for i in range(n)]
    columns = {"white": [0] * n, "black": list(range(1, n + 1)), "score": scores}
    dates = [dt.date(year, 6, 1) for year in years or [2000] * n]
    return Games.assemble({**columns, "date": dates}, people)


def mine(games: Games, **options) -> dict:
    rows = Bcf(given_in="bcf", **options).rate(games).rows
    return rows.filter(pl.col("player") == "me").row(0, named=True)


def test_classes_as_printed(golden):
    for row in golden("elo_8_54.csv"):
        high, low = int(row["high"]), int(row["low"])
        assert {grade_class(g) for g in range(low, high + 1)} == {row["class"]}
        assert grade_class(low - 1) != row["class"]
    assert grade_class(240.5) == "1a"  # 241, halves upwards
    with pytest.raises(UsageError):
        grade_class(float("nan"))


def test_single_games_as_published(golden):
    for row in golden("bcf_games.csv"):
        games = season(float(row["own"]), float(row["opponent"]), [float(row["score"])])
        assert mine(games, minimum=1)["grade"] == pytest.approx(float(row["points"])), row


def test_the_40_point_rule_at_its_worst():
    # 100 beats somebody far above thirty times: 190, no more
    assert mine(season(100, 250, [1.0] * 30))["grade"] == pytest.approx(190)
    assert mine(season(100, 250, [1.0] * 30), limit=None)["grade"] == pytest.approx(300)


def test_a_first_grade_needs_thirty_games_in_two_years():
    few = mine(season(None, 150, [0.5] * 29))
    assert (few["grade"], few["rating"], few["class"], few["counted"]) == (None, None, None, 0)
    years = [2000] * 15 + [2001] * 15
    enough = mine(season(None, 150, [1.0] * 15 + [0.5] * 15, years))
    assert (enough["grade"], enough["counted"]) == (pytest.approx(175), 30)
    assert enough["error"] == pytest.approx(8 * 50 / 30**0.5)


def test_games_of_the_year_before_last_no_longer_count():
    years = [2000] * 30 + [2001] * 30 + [2002] * 30
    scores = [1.0] * 30 + [0.5] * 30 + [0.0] * 30
    row = mine(season(None, 150, scores, years), limit=None)
    assert (row["grade"], row["counted"]) == (pytest.approx(125), 60)


def test_too_few_games_are_topped_up_with_the_old_grade():
    row = mine(season(150, 150, [1.0] * 6))
    assert row["grade"] == pytest.approx((6 * 200 + 24 * 150) / 30)
    # chance in six games only: the rest is taken as right
    assert row["error"] == pytest.approx(8 * 50 * 6**0.5 / 30)


def test_who_stops_playing_keeps_grade_and_error():
    early = season(None, 150, [1.0] * 30)
    people = [*early.players["name"], "x", "y"]
    later = [dt.date(year, 1, 1) for year in (2003, 2004, 2005)]
    table = early.table
    columns = {
        "white": [*table["white"], 31, 31, 31],
        "black": [*table["black"], 32, 32, 32],
        "score": [*table["score"], 0.5, 0.5, 0.5],
        "date": [*table["date"], *later],
    }
    ratings = [*early.players["rating"], 150.0, 150.0]
    more = Games.assemble(columns, {"name": people, "rating": ratings})
    assert mine(more)["counted"] == 30
    assert mine(more)["error"] == mine(early)["error"] > 0


def test_years_without_games_are_years():
    years = [1990] * 30 + [2000] * 30
    row = mine(season(None, 150, [1.0] * 30 + [0.0] * 30, years), limit=None)
    assert (row["grade"], row["counted"]) == (pytest.approx(100), 30)


def test_a_list_carries_the_games_that_still_count():
    import datetime as dt

    people = [Player(name=n, id=n, rating=1600.0) for n in "AB"]
    years = [2024] * 20 + [2025] * 20 + [2026] * 20
    score = [1.0] * 20 + [0.5] * 20 + [0.0] * 20
    columns = {"white": [0] * 60, "black": [1] * 60, "score": score}
    games = Games.assemble({**columns, "date": [dt.date(y, 3, 1) for y in years]}, people)
    whole = Bcf().rate(games)
    before = None
    for year in (2024, 2025, 2026):
        part = games.keep(games.table["date"].dt.year() == year)
        before = Bcf().rate(part, before)
    assert before.rows["rating"].to_list() == pytest.approx(whole.rows["rating"].to_list())
    assert before.rows["counted"].to_list() == whole.rows["counted"].to_list() == [40, 40]


def test_what_is_carried_and_is_no_such_thing_is_said():
    from arpad.errors import InputError
    from arpad.model import Ratings

    rows = pl.DataFrame({"player": ["A"], "id": ["A"], "rating": [1500.0], "carried": ["2026 x 3"]})
    before = Ratings(system="bcf", rows=rows, parameters={})
    people = [Player(name=n, id=n) for n in "AB"]
    import datetime as dt

    columns = {"white": [0], "black": [1], "score": [1.0], "date": [dt.date(2026, 1, 1)]}
    with pytest.raises(InputError, match="in the column carried"):
        Bcf().rate(Games.assemble(columns, people), before)
