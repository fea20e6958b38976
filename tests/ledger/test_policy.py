"""Policies: documents that say everything, schedules as the book and FIDE have them."""

from __future__ import annotations

import json
from datetime import date, timedelta

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.event.fide1986 import issue_for
from arpad.ledger.policy import PRESETS, Amendment, Policy, floored, preset, rounded
from arpad.ledger.schedule import Schedule

days = st.dates(date(1950, 1, 1), date(2090, 12, 31))
schedules = st.builds(
    Schedule,
    period=st.sampled_from(["month", "quarter", "half", "year"]),
    closing_day=st.integers(1, 31),
    closing_month=st.none() | st.integers(1, 12),
    effective_months=st.integers(0, 3),
    effective_days=st.integers(0, 40),
)


@pytest.mark.parametrize("name", PRESETS)
def test_a_policy_is_its_document(name):
    policy = preset(name)
    again = Policy.of(json.loads(policy.text()))
    assert again == policy
    assert again.text() == policy.text()
    assert policy.made(date(2026, 1, 1)).name == policy.system
    assert name in policy.summary()


@given(schedule=schedules, ended=days)
def test_every_day_lies_in_one_period(schedule, ended):
    closing = schedule.closing_for(ended)
    assert schedule.opens(closing) <= ended <= closing
    assert schedule.closing_for(closing) == closing
    following = schedule.after(closing)
    assert schedule.opens(following) == closing + timedelta(days=1)
    assert schedule.before(following) == closing
    assert schedule.effective(closing) > closing
    assert Schedule.of(schedule.document()) == schedule


@given(schedule=schedules, ended=days)
def test_a_list_is_found_by_its_name(schedule, ended):
    closing = schedule.closing_for(ended)
    assert schedule.closing_named(schedule.name(closing)) == closing


def test_closing_dates_that_are_near_are_named():
    """Of all the closing dates around a day the nearest, in their order."""
    words = Schedule().nearby(date(2026, 2, 27))
    assert "2025-12-31 (list 2026-01), 2026-01-31 (list 2026-02), 2026-02-28 (list 2026-03), 2026-03-31 (list 2026-04)" in words  # fmt: skip


@given(ended=days)
def test_the_calendar_of_the_book(ended):
    """4.42: July has what was completed before 1 June, January what was before 1 December."""
    schedule = preset("book").schedule
    closing = schedule.closing_for(ended)
    issue = issue_for(ended)
    assert schedule.effective(closing) == issue.effective
    assert closing + timedelta(days=1) == issue.closing


def test_listed_closing_dates():
    schedule = Schedule.of({"period": "dates", "closings": ["2026-03-31", "2026-09-15"]})
    assert schedule.closing_for(date(2026, 4, 1)) == date(2026, 9, 15)
    assert schedule.closing_for(date(2026, 9, 16)) is None
    assert schedule.name(date(2026, 9, 15)) == "2026-09-16"
    assert schedule.closing_named("2026-04-01") == date(2026, 3, 31)


def test_the_first_period():
    schedule = Schedule(first_closing=date(2026, 3, 31))
    assert schedule.rated_from() == date(2026, 3, 1)
    assert schedule.before(date(2026, 3, 31)) is None
    with pytest.raises(UsageError, match="first_closing: expected a closing date"):
        Schedule(first_closing=date(2026, 3, 15))


def test_amendments_hold_from_a_day_on():
    policy = Policy(
        name="x", options={"k": 20}, amendments=(Amendment(since=date(2026, 7, 1), system="glicko2"),)
    )
    assert policy.in_force(date(2026, 6, 30)) == ("elo", {"k": 20})
    assert policy.in_force(date(2026, 7, 31)) == ("glicko2", {})


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({}, "with a name"),
        ({"name": ""}, "a policy's name"),
        ({"name": "x", "system": "ello"}, "expected a rating system"),
        ({"name": "x", "options": {"speed": 3}}, "has no option 'speed'"),
        ({"name": "x", "options": {"k": [1, {}]}}, "a policy cannot keep"),
        ({"name": "x", "options": {"start": "high"}}, "does not take"),
        ({"name": "x", "sytem": "elo"}, "a policy has no 'sytem'"),
        ({"name": "x", "schedule": {"period": "week"}}, "period: expected one of month"),
        ({"name": "x", "schedule": {"closing_day": 0}}, "closing_day: expected a whole number"),
        ({"name": "x", "schedule": {"period": "dates"}}, "expected closing dates"),
        ({"name": "x", "schedule": {"closings": "2026"}}, "closings: expected a list of days"),
        ({"name": "x", "schedule": {"day": 3}}, "a schedule has no 'day'"),
        ({"name": "x", "schedule": 3}, "schedule: expected names and values"),
        ({"name": "x", "listed": {"min": 3}}, "listed has no 'min'"),
        ({"name": "x", "listed": {"min_games": -1}}, "min_games: expected a number from 0"),
        ({"name": "x", "listed": {"inactive": "gone"}}, "inactive: expected one of marked, left out"),
        ({"name": "x", "listed": {"above": float("nan")}}, "above: expected a number"),
        ({"name": "x", "round_to": 0}, "round_to: expected a number from"),
        ({"name": "x", "time_control": "bullet"}, "time_control: expected one of standard"),
        ({"name": "x", "carries": "all"}, "carries: expected one of published, exact"),
        ({"name": "x", "amendments": [{"since": "2026-01-01"}]}, "since and system"),
        ({"name": "x", "amendments": [{"since": "soon", "system": "elo"}]}, "since: expected a day"),
    ],
)  # fmt: skip
def test_what_no_list_can_be_made_by_is_refused(document, said):
    with pytest.raises(UsageError, match=said):
        Policy.of(document)


def test_unknown_presets_are_named():
    with pytest.raises(UsageError, match="fide, club, uscf1994, book"):
        preset("fied")


@given(st.lists(st.floats(0, 4000), max_size=20), st.sampled_from([1.0, 5.0, 0.1, 0.5, 10.0]))
def test_rounding(values, step):
    figures = pl.Series("rating", values, dtype=pl.Float64)
    found = rounded(figures, step)
    assert all(abs(a - b) <= step / 2 + 1e-6 for a, b in zip(found, values, strict=True))
    assert rounded(found, step).equals(found)
    assert floored(figures, 1000.0).to_list() == [max(v, 1000.0) for v in values]
