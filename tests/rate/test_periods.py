from __future__ import annotations

import datetime as dt

import pytest

from arpad.errors import UsageError
from arpad.model import Games
from arpad.rate import Elo, k_policy
from arpad.rate.periods import period_numbers

DAYS = [dt.date(2024, 1, 1), dt.date(2024, 1, 20), dt.date(2024, 2, 1), dt.date(2025, 2, 1)]


def games(**columns) -> Games:
    n = len(next(iter(columns.values())))
    return Games.assemble(
        {"white": [0] * n, "black": [1] * n, "score": [1.0] * n, **columns}, {"name": ["A", "B"]}
    )


@pytest.mark.parametrize(("period", "numbers"), [
    ("day", [0, 1, 2, 3]), ("month", [0, 0, 1, 2]), ("quarter", [0, 0, 0, 1]), ("year", [0, 0, 0, 1]),
])  # fmt: skip
def test_periods_of_the_calendar(period, numbers):
    assert period_numbers(games(date=DAYS).rateable(), period)[1].to_list() == numbers


def test_an_event_is_a_period_in_the_place_of_its_first_game():
    played, numbers = period_numbers(games(event=[0, 1, 0, 1], round=["1", "1", "2", "2"]).table, "event")
    assert played["event"].to_list() == [0, 0, 1, 1]
    assert numbers.to_list() == [0, 0, 1, 1]


def test_games_without_a_date_stay_with_those_before():
    table = games(date=[None, DAYS[0], None, DAYS[2]]).table
    assert period_numbers(table, "month")[1].to_list() == [0, 1, 1, 2]


def test_a_period_is_rated_from_the_ratings_before_it():
    two = games(event=[0, 0, 1])
    rating = Elo(k=k_policy(10), period="event").rate(two).rows["rating"].max()
    # Two wins at even odds, +10; then one as the favourite by 20 points: + 10 × (1 − .5288)
    assert rating == pytest.approx(1500 + 10 + 10 * (1 - 0.52877), abs=1e-3)


def test_other_periods_are_refused():
    with pytest.raises(UsageError, match="expected a period"):
        period_numbers(games(date=DAYS).table, "fortnight")
