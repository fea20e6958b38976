"""Rating periods on a line of time: which games go together, and how much time lies between them.

Time is counted in periods. On the morning of a day so many have passed, and a fraction: a rating can be
read on any day.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.model import Games

__all__ = ["PERIODS", "Clock", "Timeline", "calendar", "clock_of", "day", "timeline"]

PERIODS = ("day", "month", "quarter", "year", "event", "game")
USUAL = "month"
LONGEST = 36_525
"""Days in the longest period that can be asked for: a century."""

_PARTS = {"month": 12, "quarter": 4, "year": 1}
_EVERY = {"month": "1mo", "quarter": "1q", "year": "1y"}
MONDAY = date(1, 1, 1)
"""Where periods of so many days are counted from; a Monday, so that 7 days are a week."""


@dataclass(frozen=True, slots=True)
class Clock:
    """A calendar as a line of numbers.

    Examples
    --------
    >>> july = Clock("month").position(pl.Series([date(2016, 7, 1), date(2016, 7, 17)]))
    >>> (july - july[0]).round(3).tolist()
    [0.0, 0.516]
    """

    unit: str = USUAL
    days: int = 1
    """Length of a period where `unit` is "day"."""

    def position(self, days: pl.Series) -> NDArray[np.float64]:
        """Return how many periods have passed on the morning of each day, NaN for none."""
        days = days.cast(pl.Date)
        if self.unit == "day":
            # the first of January 1970 is the 719,162nd day after MONDAY
            count = days.to_physical().cast(pl.Float64) + (date(1970, 1, 1) - MONDAY).days
            return (count / self.days).fill_null(np.nan).to_numpy()
        parts, every = _PARTS[self.unit], _EVERY[self.unit]
        begin = days.dt.truncate(every)
        length = (begin.dt.offset_by(every) - begin).dt.total_days()
        gone = (days - begin).dt.total_days() / length
        index = days.dt.year() * parts + (days.dt.month().cast(pl.Int32) - 1) * parts // 12
        return (index + gone).cast(pl.Float64).fill_null(np.nan).to_numpy()

    def at(self, when: date) -> float:
        """Return how many periods have passed on the morning of one day."""
        return float(self.position(pl.Series([when], dtype=pl.Date))[0])

    def begins(self, index: int) -> date:
        """Return the first day of a period."""
        try:
            if self.unit == "day":
                return MONDAY + timedelta(days=index * self.days)
            parts = _PARTS[self.unit]
            return date(index // parts, index % parts * (12 // parts) + 1, 1)
        except (OverflowError, ValueError):  # past the year 9999
            return date.max


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """Games in the order of their periods.

    Parameters
    ----------
    first
        Row of `played` where each period begins, and at last the number of rows.
    start, end
        When each period began and ended. An event or a single game takes no time.
    until
        When the ratings are read.
    on
        The day of that, None if the games have no dates.
    period
        What a period was; "all" where no date told one from another.
    """

    played: pl.DataFrame
    first: NDArray[np.int64]
    start: NDArray[np.float64]
    end: NDArray[np.float64]
    until: float
    on: date | None
    period: str
    clock: Clock


def day(value: str | date | None) -> date | None:
    """Return a day from what an option says: 2016-07-01."""
    if value is None or isinstance(value, date):
        return value
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise UsageError(f"expected a day such as 2016-07-01, found {value!r}") from None


def clock_of(period: str | int | None) -> Clock | None:
    """Return the calendar of a period; None for those that games or events make, which go by months."""
    text = USUAL if period is None else str(period).strip()
    if text.isdecimal() and 1 <= int(text) <= LONGEST:
        return Clock("day", int(text))
    if text not in PERIODS:
        raise UsageError(
            f"expected a period, one of {', '.join(PERIODS)}, or a number of days up to {LONGEST}; "
            f"found {period!r}"
        )
    return None if text in ("event", "game") else Clock(text)


def timeline(games: Games, *, period: str | int | None, on: date | None) -> Timeline:
    """Put the games that were played into periods.

    Parameters
    ----------
    period
        None: months; games without any date are one period.
    on
        Read the ratings on the morning of this day, from the games before it. The period that it cuts
        short counts with the time that has passed. None: at the end of the last period.
    """
    played = games.rateable()
    dated = played["date"].null_count() < played.height
    if played.height and not dated and period is not None and str(period) not in ("event", "game"):
        raise UsageError(f"the period {period!r} needs the date of the games, and none is given")
    if played.height and str(period) == "event" and played["event"].null_count() == played.height:
        raise UsageError("the period 'event' needs the event of the games, and none is given")
    # A game without a date stays with the one before it; the first ones with the first that has one.
    played = played.with_columns(pl.col("date").forward_fill().backward_fill().alias("_day"))
    if on is not None:
        played = _before(played, on, dated=dated)
    clock = clock_of(period)
    if not dated and clock is not None:
        return _undated(played, clock)
    if clock is not None:
        return calendar(played, clock, on)
    return _one_by_one(played, str(period), on, dated=dated)


def _before(played: pl.DataFrame, on: date, *, dated: bool) -> pl.DataFrame:
    if played.height and not dated:
        raise UsageError(f"ratings on {on} need the dates of the games, and none is given")
    kept = played.filter(pl.col("_day") < on)
    if played.height and not kept.height:
        raise UsageError(
            f"nobody has played before {on}: the first game is of {played['_day'].min()!s}"
        )
    return kept


def _undated(played: pl.DataFrame, clock: Clock) -> Timeline:
    n = 1 if played.height else 0
    return Timeline(
        played=played.drop("_day"),
        first=np.array([0, played.height] if n else [0]),
        start=np.zeros(n),
        end=np.ones(n),
        until=1.0,
        on=None,
        period="all",
        clock=clock,
    )


def calendar(played: pl.DataFrame, clock: Clock, on: date | None) -> Timeline:
    """Put games in the order of play, each with its `_day`, into the periods of a calendar."""
    position = clock.position(played["_day"])
    first = _changes(np.floor(position))
    start = np.floor(position[first[:-1]])
    end = start + 1
    if on is None:
        on = clock.begins(int(end[-1]))
        until = float(end[-1])
    else:
        until = clock.at(on)
    return Timeline(
        played=played.drop("_day"),
        first=first,
        start=start,
        end=np.minimum(end, until),
        until=until,
        on=on,
        period=clock.unit if clock.unit != "day" or clock.days == 1 else f"{clock.days} days",
        clock=clock,
    )


def _one_by_one(played: pl.DataFrame, period: str, on: date | None, *, dated: bool) -> Timeline:
    clock = Clock()
    if period == "event":
        # Games of no event go with those of the same day.
        lone = -2 - pl.col("_day").dt.epoch("d").fill_null(-1)
        played = (
            played.with_columns(
                pl.coalesce("event", lone).alias("_key"), _row=pl.int_range(pl.len())
            )
            .with_columns(pl.col("_row").first().over("_key").alias("_row"))
            .sort("_row", maintain_order=True)
        )
        first = _changes(played["_row"].to_numpy())
    else:
        first = np.arange(played.height + 1)
    start = clock.position(played["_day"])[first[:-1]] if dated else np.zeros(len(first) - 1)
    if dated and on is None and played.height:
        last: date = played["_day"].max()  # type: ignore[assignment]
        on = last + timedelta(days=1) if last < date.max else last
    if not dated and period == "event":  # nothing else tells how much time has passed
        start = np.arange(len(start), dtype=np.float64)
    end = start if dated or period == "game" else start + 1
    until = clock.at(on) if on is not None else float(end[-1]) if len(end) else 0.0
    return Timeline(
        played=played.drop("_day", "_key", "_row", strict=False),
        first=first,
        start=start,
        end=end,
        until=until,
        on=on,
        period=period,
        clock=clock,
    )


def _changes(values: NDArray[np.generic]) -> NDArray[np.int64]:
    """Return where each run of equal values begins, and the length."""
    if not len(values):
        return np.zeros(1, dtype=np.int64)
    return np.asarray(np.r_[0, np.flatnonzero(values[1:] != values[:-1]) + 1, len(values)])
