"""The split of time: what is said, what is not said, what cannot be."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest

from arpad.errors import UsageError
from arpad.lab.walk import course, moment, windows
from tests.lab.walks import season

MONTHS = [dt.date(2020 + m // 12, m % 12 + 1, 1) for m in range(40)]


def test_days_months_years_and_numbers():
    assert moment("2015-03-09") == dt.date(2015, 3, 9)
    assert moment("2015-3") == dt.date(2015, 3, 1)
    assert moment("2015") == dt.date(2015, 1, 1)
    assert moment("1") == dt.date(1, 1, 1)
    assert moment("95") == dt.date(8, 11, 1)
    assert moment(dt.date(2015, 1, 2)) == dt.date(2015, 1, 2)
    for strange in ("", "0", "soon", "2015-13", "2015-02-30", "20150101x"):
        with pytest.raises(UsageError, match="expected a day"):
            moment(strange)


def test_the_last_fifth_is_the_test_and_the_year_before_chooses():
    found = windows(MONTHS)
    assert found.test_from == MONTHS[-8]
    assert found.validation_from == dt.date(found.test_from.year - 1, found.test_from.month, 1)
    told = windows(MONTHS, test_from="2022-01-01")
    assert (told.validation_from, told.test_from) == (dt.date(2021, 1, 1), dt.date(2022, 1, 1))
    with pytest.raises(UsageError, match="expected periods for learning"):
        windows(MONTHS[:2])
    assert windows(MONTHS, test_from="5").validation_from == dt.date.min


def test_windows_come_one_after_the_other():
    with pytest.raises(UsageError, match="before the test window"):
        windows(MONTHS, validation_from="2022", test_from="2021")
    with pytest.raises(UsageError, match="end 2020"):
        windows(MONTHS, test_from="2021", end="2020")


def test_no_game_is_in_two_windows():
    way = course(season())
    split = windows(way.days, validation_from="2021-01", test_from="2021-07", end="2021-10")
    validation, test = split.validation(way), split.test(way)
    assert not (validation & test).any()
    assert (validation.sum(), test.sum()) == (6 * 60, 3 * 60)
    dates = way.games.table["date"]
    assert dates.filter(validation).max() < dt.date(2021, 7, 1) <= dates.filter(test).min()


@pytest.mark.parametrize("period", ["day", "month", "quarter", "year"])
def test_a_window_may_begin_in_the_middle_of_a_period(period):
    way, middle = course(season(), period=period), dt.date(2021, 7, 12)
    split = windows(way.days, validation_from="2021-01-20", test_from=middle, end="2021-10-05")
    days = way.games.table["date"]
    for inside, since, until in (
        (split.validation(way), dt.date(2021, 1, 20), middle),
        (split.test(way), middle, dt.date(2021, 10, 5)),
    ):
        assert inside.tolist() == [since <= day < until for day in days]
        assert inside.any()
    early = way.before(middle)
    assert early.games.table["date"].to_list() == [day for day in days if day < middle]
    assert early.first[-1] == len(early)
    assert (np.diff(early.first) > 0).all()
    assert early.days == way.days[: len(early.days)]
