"""Schedule of lists: when each closes and when it comes into force [Elo 3.2 (D)(a)].

A list takes the play that ended up to and with its closing date. It is named after the month in which it
comes into force.
"""

from __future__ import annotations

import math
from calendar import monthrange
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, get_args

from arpad.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


# What a document says, as values: days, numbers, plain options; whatever is not one is refused.


def day(value: Any, name: str) -> date:
    """Return a day from a day or from 2026-10-31."""
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    try:
        return date.fromisoformat(str(value))
    except ValueError:
        raise UsageError(f"{name}: expected a day such as 2026-10-31, found {value!r}") from None


def day_or_none(value: Any, name: str) -> date | None:
    """Return a day, or None for none."""
    return None if value is None else day(value, name)


def number(value: Any, name: str, *, least: float, most: float) -> float | None:
    """Return a number within bounds, or None for none."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise UsageError(f"{name}: expected a number or none, found {value!r}")
    if not least <= value <= most:
        raise UsageError(f"{name}: expected a number from {least:g} to {most:g}, found {value!r}")
    return float(value)


def plain(options: Any, name: str) -> dict[str, Any]:
    """Return options that JSON can keep, sorted by name."""
    if not isinstance(options, Mapping):
        raise UsageError(f"{name}: expected names and values, found {options!r}")
    result = {}
    for key in sorted(options):
        value = options[key]
        value = list(value) if isinstance(value, tuple) else value
        parts = value if isinstance(value, list) else [value]
        whole = all(p is None or isinstance(p, bool | int | float | str) for p in parts)
        if not whole or any(isinstance(p, float) and not math.isfinite(p) for p in parts):
            raise UsageError(f"{name}: {key} is {value!r}, which a policy cannot keep")
        result[str(key)] = value
    return result


def named(document: Any, known: Sequence[str], what: str) -> dict[str, Any]:
    """Return the values of a document; a name that is not known is refused."""
    if not isinstance(document, Mapping):
        raise UsageError(f"{what.rsplit(maxsplit=1)[-1]}: expected names and values, found {document!r}")
    if strange := sorted(set(document) - set(known)):
        raise UsageError(f"{what} has no {strange[0]!r}; it has {', '.join(known)}")
    return dict(document)


# When lists close, and when they come into force: the three dates of a list [Elo 3.2 (D)(a)].
#
# A list takes the play that ended up to and with its closing date. It is named after the month in which it
# comes into force.

PeriodOfLists = Literal["month", "quarter", "half", "year", "dates"]
MONTHS = {"month": 1, "quarter": 3, "half": 6, "year": 12}
LATEST = 9900
"""Years from here on are refused: a list must come into force before the calendar ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """Frequency of lists.

    `effective_months`, `effective_days`: Time from the day after closing to the day on which the list comes
    into force. (In 1986 play up to 31 May was on the list of 1 July: one month [4.42].)

    Examples
    --------
    >>> fide_1986 = Schedule(period="half", closing_month=5, effective_months=1)
    >>> closing = fide_1986.closing_for(date(1986, 3, 9))
    >>> closing.isoformat(), fide_1986.effective(closing).isoformat(), fide_1986.name(closing)
    ('1986-05-31', '1986-07-01', '1986-07')
    """

    period: PeriodOfLists = "month"
    """"month", "quarter", "half", "year", or "dates" where the closing dates are listed."""
    closing_day: int = 31  # day of the month on which a period closes; 31 is its last day, however long it is
    closing_month: int | None = None
    """A month in which a period closes; None: that the year ends with a period."""
    closings: tuple[date, ...] = ()  # the closing dates, where they are listed
    effective_months: int = 0
    effective_days: int = 0
    first_closing: date | None = None
    """Of the first list: play that ended before its period is not rated; None: everything is."""

    def __post_init__(self) -> None:
        if self.period not in get_args(PeriodOfLists):
            known = ", ".join(get_args(PeriodOfLists))
            raise UsageError(f"period: expected one of {known}; found {self.period!r}")
        for name, least, most in (
            ("closing_day", 1, 31),
            ("closing_month", 1, 12),
            ("effective_months", 0, 120),
            ("effective_days", 0, 3660),
        ):
            value = getattr(self, name)
            if name == "closing_month" and value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
                raise UsageError(f"{name}: expected a whole number from {least} to {most}, found {value!r}")
        days = sorted({day(each, "closings") for each in self.closings})
        object.__setattr__(self, "closings", tuple(days))
        if (self.period == "dates") != bool(days):
            raise UsageError("expected closing dates with the period 'dates', and only with it")
        first = day_or_none(self.first_closing, "first_closing")
        object.__setattr__(self, "first_closing", first)
        if first is not None and self.closing_for(first) != first:
            raise UsageError(f"first_closing: expected a closing date, found {first}; {self.nearby(first)}")

    def closing_for(self, ended: date) -> date | None:
        """Return the closing date of the period in which a day lies; None: after the last one."""
        if self.period == "dates":
            return next((c for c in self.closings if c >= ended), None)
        year, month = ended.year, ended.month
        while year < LATEST:
            if self._closes(month):
                result = self._in_month(year, month)
                if result >= ended:
                    return result
            year, month = (year, month + 1) if month < 12 else (year + 1, 1)
        return None

    def after(self, closing: date) -> date | None:
        """Return the next closing date."""
        return self.closing_for(closing + timedelta(days=1))

    def before(self, closing: date) -> date | None:
        """Return the closing date before one; None: it is the first."""
        if self.period == "dates":
            return next((c for c in reversed(self.closings) if c < closing), None)
        if self.first_closing is not None and closing <= self.first_closing:
            return None
        year, month = closing.year, closing.month
        while year > 1:
            if self._closes(month) and (result := self._in_month(year, month)) < closing:
                return result
            year, month = (year, month - 1) if month > 1 else (year - 1, 12)
        return None

    def opens(self, closing: date) -> date:
        """Return the first day of the period that closes on a day."""
        bare = self if self.period == "dates" else replace(self, first_closing=None)
        earlier = bare.before(closing)
        return date.min if earlier is None else earlier + timedelta(days=1)

    def rated_from(self) -> date:
        """Return the first day on which play may have ended to be rated."""
        return date.min if self.first_closing is None else self.opens(self.first_closing)

    def effective(self, closing: date) -> date:
        """Return the first day on which a list holds."""
        start = closing + timedelta(days=1)
        months = start.year * 12 + start.month - 1 + self.effective_months
        year, month = divmod(months, 12)
        begun = date(year, month + 1, min(start.day, monthrange(year, month + 1)[1]))
        return begun + timedelta(days=self.effective_days)

    def name(self, closing: date) -> str:
        """Return what a list is called: the month of its effective date, or that day.

        The day where closing dates are listed, and where the list before came in the same month: what
        closes on 28 February and on 30 March is in force from 1 and from 31 March.

        Examples
        --------
        >>> odd = Schedule(closing_day=30)
        >>> [odd.name(day) for day in odd.between(date(2026, 1, 1), date(2026, 4, 30))]
        ['2026-01', '2026-03', '2026-03-31', '2026-05']
        """
        effective, earlier = self.effective(closing), self.before(closing)
        again = earlier is not None and self.effective(earlier).replace(day=1) == effective.replace(day=1)
        if self.period == "dates" or again:
            return effective.isoformat()
        return f"{effective.year:04d}-{effective.month:02d}"

    def closing_named(self, name: str) -> date:
        """Return the closing date of a list by its name.

        Examples
        --------
        >>> Schedule(period="quarter").closing_named("2026-07").isoformat()
        '2026-06-30'
        """
        text = name.strip()
        try:
            guess = date.fromisoformat(text if len(text) > 7 else f"{text}-01")
        except ValueError:
            raise UsageError(
                f"expected the name of a list, such as {self._example()}; found {name!r}"
            ) from None
        near = self._around(guess - timedelta(days=self._lead())) if guess.year < LATEST else []
        for candidate in near:
            if self.name(candidate) == text:
                return candidate
        raise UsageError(f"no list is called {name}: {self.nearby(guess)}")

    def nearby(self, when: date) -> str:
        """Return the closing dates next to a day, in words."""
        around = self._around(when) if when.year < LATEST else []
        near = [c for c in around if abs((c - when).days) < 800]
        words = ", ".join(f"{c} (list {self.name(c)})" for c in sorted(near[:4]))
        return f"closing dates are {words}" if words else "no closing date is near it"

    def between(self, first: date, last: date) -> Iterator[date]:
        """Yield the closing dates from one day to another, both counted."""
        closing = self.closing_for(first)
        while closing is not None and closing <= last:
            yield closing
            closing = self.after(closing)

    def document(self) -> dict[str, Any]:
        """Return the schedule as plain values."""
        result = {f.name: getattr(self, f.name) for f in fields(self)}
        result["closings"] = [each.isoformat() for each in self.closings]
        result["first_closing"] = self.first_closing.isoformat() if self.first_closing else None
        return result

    @classmethod
    def of(cls, document: Any) -> Schedule:
        """Return the schedule that a document describes."""
        values = named(document, [f.name for f in fields(cls)], "a schedule")
        closings = values.get("closings", ())
        if isinstance(closings, str) or not hasattr(closings, "__iter__"):
            raise UsageError(f"closings: expected a list of days, found {closings!r}")
        values["closings"] = tuple(day(each, "closings") for each in closings)
        return cls(**values)

    def summary(self) -> str:
        """Return when lists appear, in words."""
        if self.period == "dates":
            return f"{len(self.closings)} closing dates"
        words = {"month": "every month", "quarter": "every quarter", "half": "twice a year"}
        return words.get(self.period, "every year")

    def _closes(self, month: int) -> bool:
        step = MONTHS[self.period]
        return (month - (self.closing_month or 12)) % step == 0

    def _in_month(self, year: int, month: int) -> date:
        return date(year, month, min(self.closing_day, monthrange(year, month)[1]))

    def _lead(self) -> int:
        return 31 * self.effective_months + self.effective_days

    def _around(self, when: date) -> list[date]:
        """Return some closing dates before and after a day, the nearest first."""
        if self.period == "dates":
            known: Iterable[date] = self.closings
        else:
            margin = timedelta(days=31 * MONTHS[self.period] + 62)
            known = self.between(max(when, date(2, 1, 1) + margin) - margin, when + margin)
        return sorted(known, key=lambda c: (abs((c - when).days), c))

    def _example(self) -> str:
        if self.period == "dates":
            return self.name(self.closings[0])
        return self.name(next(pairwise(self.between(date(2026, 1, 1), date(2030, 1, 1))))[0])
