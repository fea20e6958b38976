from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.model import Games
from arpad.rate.periods import Clock, clock_of, day, timeline

JANUARY, LATE_JANUARY, MARCH, NEXT_YEAR = (
    dt.date(2024, 1, 1), dt.date(2024, 1, 31), dt.date(2024, 3, 5), dt.date(2025, 3, 1),
)  # fmt: skip
DAYS = [JANUARY, LATE_JANUARY, MARCH, NEXT_YEAR]
dates = st.dates(dt.date(1800, 1, 1), dt.date(2100, 1, 1))


def games(**columns) -> Games:
    n = len(next(iter(columns.values())))
    return Games.assemble(
        {"white": [0] * n, "black": [1] * n, "score": [1.0] * n, **columns}, {"name": ["A", "B"]}
    )


@pytest.mark.parametrize(
    ("period", "starts"),
    [
        ("month", [0, 2, 14]),
        ("quarter", [0, 4]),
        ("year", [0, 1]),
        ("day", [0, 30, 64, 425]),
        (None, [0, 2, 14]),
    ],
)
def test_empty_periods_are_counted(period, starts):
    line = timeline(games(date=DAYS), period=period, on=None)
    assert (line.start - line.start[0]).tolist() == starts
    assert (line.end - line.start).tolist() == [1.0] * len(starts)
    assert line.until == line.end[-1]


def test_weeks_begin_on_monday():
    sunday, monday, next_sunday = (dt.date(2026, 11, day) for day in (15, 16, 22))
    line = timeline(games(date=[sunday, monday, next_sunday]), period=7, on=None)
    assert line.first.tolist() == [0, 1, 3]
    assert line.on == dt.date(2026, 11, 23)
    assert line.period == "7 days"


@given(when=dates, unit=st.sampled_from(["month", "quarter", "year", "day"]))
def test_a_period_begins_where_it_says(when, unit):
    clock = Clock(unit, 10 if unit == "day" else 1)
    position = clock.at(when)
    first, following = clock.begins(int(position)), clock.begins(int(position) + 1)
    assert first <= when < following
    assert clock.at(first) == pytest.approx(int(position), abs=1e-9)
    share = (when - first).days / (following - first).days
    assert position - int(position) == pytest.approx(share, abs=1e-9)


@given(some=st.lists(dates, min_size=2, max_size=6), period=st.sampled_from(["month", "3", "year"]))
def test_dates_out_of_order_are_put_in_order(some, period):
    line = timeline(games(date=some), period=period, on=None)
    assert line.played["date"].to_list() == sorted(some)
    assert bool((np.diff(line.start) > 0).all())


def test_the_day_of_reading_cuts_the_period_short():
    line = timeline(games(date=DAYS), period="month", on=dt.date(2024, 3, 11))
    assert line.played["date"].to_list() == [JANUARY, LATE_JANUARY, MARCH]
    assert line.end[-1] - line.start[-1] == pytest.approx(10 / 31)
    assert line.until == line.end[-1]
    later = timeline(games(date=DAYS[:2]), period="month", on=dt.date(2024, 3, 11))
    assert later.end[-1] - later.start[-1] == 1.0
    assert later.until - later.end[-1] == pytest.approx(1 + 10 / 31)


def test_the_games_of_the_day_itself_do_not_count():
    line = timeline(games(date=DAYS), period="month", on=MARCH)
    assert line.played["date"].to_list() == [JANUARY, LATE_JANUARY]


def test_events_are_periods_and_take_no_time():
    line = timeline(games(date=[JANUARY, MARCH, JANUARY, MARCH], event=[0, 0, 1, 2]), period="event", on=None)  # fmt: skip
    assert line.played["event"].to_list() == [0, 0, 1, 2]
    assert (line.end == line.start).all()
    assert line.start[2] - line.start[0] == pytest.approx(2 + 4 / 31)
    assert line.on == dt.date(2024, 3, 6)


def test_games_of_no_event_go_by_their_day():
    line = timeline(games(date=DAYS, event=[0, None, None, None]), period="event", on=None)
    assert len(line.start) == 4


def test_events_without_dates_are_one_period_each():
    line = timeline(games(event=[0, 1, 1]), period="event", on=None)
    assert (line.start.tolist(), line.end.tolist(), line.on) == ([0, 1], [1, 2], None)


def test_no_dates_at_all_are_one_period():
    line = timeline(games(score=[1.0, 0.0]), period=None, on=None)
    assert (line.period, line.first.tolist(), line.on) == ("all", [0, 2], None)


def test_a_game_without_a_date_stays_with_its_neighbours():
    line = timeline(games(date=[None, JANUARY, None, MARCH]), period="month", on=None)
    assert line.first.tolist() == [0, 3, 4]


def test_each_game_can_be_a_period():
    line = timeline(games(date=DAYS), period="game", on=None)
    assert line.first.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("period", ["fortnight", "0", 0, -7, "1.5", "36526", ""], ids=lambda p: f"{p!r}")
def test_other_periods_are_refused(period):
    with pytest.raises(UsageError, match="expected a period, one of day, month"):
        clock_of(period)


@pytest.mark.parametrize("period", ["month", 30])
def test_a_period_that_the_games_do_not_tell_is_refused(period):
    with pytest.raises(UsageError, match="needs the date of the games"):
        timeline(games(score=[1.0]), period=period, on=None)
    with pytest.raises(UsageError, match="needs the event of the games"):
        timeline(games(date=DAYS), period="event", on=None)
    with pytest.raises(UsageError, match="need the dates of the games"):
        timeline(games(score=[1.0]), period=None, on=JANUARY)


def test_a_day_before_everything_is_refused():
    with pytest.raises(UsageError, match=r"nobody has played before 1999-01-01.*2024-01-01"):
        timeline(games(date=DAYS), period=None, on=dt.date(1999, 1, 1))


def test_days_are_read():
    assert day("2016-07-01") == dt.date(2016, 7, 1)
    with pytest.raises(UsageError, match=r"expected a day such as 2016-07-01, found '1\.7\.2016'"):
        day("1.7.2016")


def test_the_last_day_of_the_calendar_is_no_obstacle():
    line = timeline(games(date=[dt.date(9999, 12, 31)]), period="month", on=None)
    assert line.until == line.end[0]
    assert timeline(games(date=[dt.date(9999, 12, 31)]), period="game", on=None).on is not None


def test_unknown_days_have_no_position():
    assert np.isnan(Clock().position(pl.Series([None], dtype=pl.Date))[0])
