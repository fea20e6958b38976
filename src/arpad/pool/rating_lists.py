"""Rating lists with their dates, who on one is who on another, and the world's number two."""

from __future__ import annotations

import math
import re
from calendar import monthrange
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import InputError, UsageError
from arpad.model import Ratings
from arpad.read.reading import read_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arpad.model import Games
    from arpad.read.source import Report


_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
YOUNGEST = 4
"""Years: a player said to be younger was born in another century, or the list is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedList:
    """A rating list and its day.

    `rows` has one row a person: `person` (what tells people apart), `player`, `id`, `rating`, `born`
    (a year), `sex`, `title`, `federation`, `inactive`, `games` in all; null where the list is silent.
    """

    label: str
    date: date | None
    rows: pl.DataFrame
    left_out: int = 0
    """People without a rating, or whom nothing tells from others."""


ListLike = DatedList | Ratings | str | Path
"""A rating list in any shape: read before, as ratings, or as a file."""


def dated(ratings: Ratings, *, label: str | None = None, day: date | None = None) -> DatedList:
    """Return a list with its date: as given, else from its period, such as JUL01.

    Examples
    --------
    >>> from arpad.model import Ratings
    >>> rows = pl.DataFrame({"player": ["Ann"], "id": ["1"], "rating": [2000.0]})
    >>> found = dated(Ratings(system="x", rows=rows, parameters={"period": "JUL01"}))
    >>> found.label, found.date.isoformat()
    ('JUL01', '2001-07-01')
    """
    period = ratings.parameters.get("period")
    when = day or day_of_period(period if isinstance(period, str) else None)
    name = label or (str(period) if period else None) or (when.isoformat() if when else "list")
    rows = ratings.rows
    text = [
        (pl.col(c) if c in rows.columns else pl.lit(None)).cast(pl.String).alias(c)
        for c in ("player", "id", "birth", "sex", "title", "federation", "flag")
    ]
    total = pl.col("total_games") if "total_games" in rows.columns else pl.lit(None)
    shown = rows.select(
        *text, pl.col("rating").cast(pl.Float64).fill_nan(None), total.cast(pl.Int64).alias("games")
    ).with_columns(
        pl.col("birth").str.slice(0, 4).cast(pl.Int32, strict=False).alias("born"),
        pl.col("flag").str.contains("i").fill_null(False).alias("inactive"),
    )
    if when is not None:
        possible = pl.col("born") <= when.year - YOUNGEST
        shown = shown.with_columns(pl.when(possible).then("born").alias("born"))
    rated = shown.filter(pl.col("rating").is_not_null()).drop("birth", "flag")
    return DatedList(
        label=name,
        date=when,
        rows=rated.with_columns(pl.col("id").alias("person")),
        left_out=rows.height - rated.height,
    )


def read_lists(
    files: Sequence[str],
    days: Sequence[date | None] | None = None,
    *,
    report: Report | None = None,
    active: bool = False,
    floor: float | None = None,
    least_games: int = 0,
) -> tuple[DatedList, ...]:
    """Read rating lists, with days where they do not say their own, and keep whom `kept` keeps."""
    read = [
        _read_list(file, day, report) for file, day in zip(files, days or [None] * len(files), strict=True)
    ]
    return kept(aligned(read), active=active, floor=floor, least_games=least_games)


def _with_date(each: ListLike) -> DatedList:
    if isinstance(each, DatedList):
        return each
    return dated(each) if isinstance(each, Ratings) else _read_list(each)


def _read_list(file: str | Path, day: date | None = None, report: Report | None = None) -> DatedList:
    ratings = read_list(file, report=report)
    period = ratings.parameters.get("period")
    return dated(ratings, label=str(period) if period else Path(file).stem, day=day)


def aligned(lists: Sequence[ListLike]) -> tuple[DatedList, ...]:
    """Return the lists in the order of their dates, with `person` meaning the same on all of them.

    By id where everybody has one on every list, else by name; who cannot be told from others is left
    out and counted.
    """
    if not lists:
        raise UsageError("expected at least one rating list, found none")
    known = [_with_date(each) for each in lists]
    by = "id" if all(each.rows["id"].null_count() == 0 for each in known) else "player"
    named = [each.rows.with_columns(pl.col(by).alias("person")) for each in known]
    # A player who is twice on one list would seem to enter or leave if he stayed on the others.
    twice = pl.concat(rows.filter(pl.col("person").is_duplicated())["person"] for rows in named)
    result = []
    for each, rows in zip(known, named, strict=True):
        alone = rows.filter(pl.col("person").is_not_null() & ~pl.col("person").is_in(twice.implode()))
        left = each.left_out + rows.height - alone.height
        result.append(replace(each, rows=alone, left_out=left))
    if all(each.date is not None for each in result):
        result.sort(key=lambda each: each.date or date.min)
    names = [each.label for each in result]
    if len(set(names)) < len(names):
        result = [replace(e, label=f"{i}. {e.label}") for i, e in enumerate(result, start=1)]
    return tuple(result)


def kept(
    lists: Sequence[DatedList], *, active: bool = False, floor: float | None = None, least_games: int = 0
) -> tuple[DatedList, ...]:
    """Return the lists without those who are not asked for.

    active: Leave out who is flagged as inactive.
    floor: Leave out ratings below: lists with different floors become comparable.
    least_games: Leave out who has fewer games on record, where the list says how many.
    """
    result = []
    for each in lists:
        mask = pl.lit(True)
        if active:
            mask &= ~pl.col("inactive")
        if floor is not None:
            mask &= pl.col("rating") >= floor
        if least_games:
            if each.rows["games"].null_count() == each.rows.height:
                raise UsageError(
                    f"{each.label} has no numbers of games: it cannot be filtered by {least_games} games"
                )
            mask &= pl.col("games") >= least_games
        result.append(replace(each, rows=each.rows.filter(mask)))
    return tuple(result)


def years_between(first: DatedList, last: DatedList) -> float | None:
    """Return the years from one list to another, None where a date is missing."""
    if first.date is None or last.date is None:
        return None
    return (last.date - first.date).days / 365.25


def day_of_period(period: str | None) -> date | None:
    """Return the first day of the list that FIDE's files call JUL01."""
    result = re.fullmatch(r"([A-Z]{3})(\d{2})", (period or "").upper())
    if not result or result[1] not in _MONTHS:
        return None
    year = int(result[2])
    # FIDE's lists begin in 1971
    return date(year + (1900 if year > 70 else 2000), _MONTHS.index(result[1]) + 1, 1)


# The rating of the world's number two at an event's date, which G-scores and strengths are measured by.

HIGHEST = 4000.0
"""Rating points: no list of chess players comes near."""
_NAMED = (
    re.compile(r"(?<!\d)(?P<year>(?:18|19|20)\d\d)[-_.](?P<month>\d\d)(?:[-_.](?P<day>\d\d))?(?!\d)"),
    re.compile(rf"(?<![a-z])(?P<word>{'|'.join(_MONTHS)})(?P<short>\d\d)(?!\d)", re.IGNORECASE),
)
"""Date of a list in a file's name: 1996-07, 1996-07-01, JUL96."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberTwo:
    """A number-two rating and where it comes from."""

    rating: float
    source: str
    """In words: given, of the event's file, or of a list with its player and date."""
    player: str | None = None
    date: date | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what is no rating."""
        if not (math.isfinite(self.rating) and 0 < self.rating <= HIGHEST):
            raise UsageError(
                f"expected the number-two rating as a number from 1 to {HIGHEST:g}, found {self.rating:g}"
            )

    def summary(self) -> str:
        """Return it in words, as in "number two 2728 of APR04 (Anand, Viswanathan)"."""
        return f"number two {self.rating:g} {self.source}"


@dataclass(frozen=True, slots=True)
class When:
    """The first day of an event, between two days where less than the day is known."""

    first: date
    last: date

    def __str__(self) -> str:
        """Return as much of the date as is known."""
        if self.first == self.last:
            return self.first.isoformat()
        same_month = (self.first.year, self.first.month) == (self.last.year, self.last.month)
        return self.first.isoformat()[: 7 if same_month else 4]


def when_played(games: Games) -> When | None:
    """Return when the first game of an event was played, None where nothing says so.

    The event's own start goes first; then the earliest of the dates that are known best.
    """
    starts = [e.start for e in games.events if e.start is not None]
    if starts:
        return When(min(starts), min(starts))
    rows = games.table.filter(pl.col("date").is_not_null())
    for precision in ("day", "month", "year"):
        days = rows.filter(pl.col("precision").cast(pl.String).fill_null("day") == precision)["date"]
        if not days.is_empty():
            first = days.min()
            assert isinstance(first, date)
            return When(first, _end(first, precision))
    return None


def _end(first: date, precision: str) -> date:
    if precision == "year":
        return date(first.year, 12, 31)
    if precision == "month":
        return first.replace(day=monthrange(first.year, first.month)[1])
    return first


def list_of(ratings: Ratings, *, file: str = "") -> DatedList:
    """Return a list with its date: from its period, its own column `on`, or its file's name.

    Examples
    --------
    >>> from arpad.model import Ratings
    >>> rows = pl.DataFrame({"player": ["Ann", "Bob"], "rating": [2700.0, 2650.0]})
    >>> list_of(Ratings(system="given", rows=rows, parameters={}), file="lists/1996-07.csv").date
    datetime.date(1996, 7, 1)
    """
    name = re.split(r"[/\\]", file)[-1]
    result = dated(ratings, label=str(ratings.parameters.get("period") or name or "list"))
    if result.date is not None:
        return result
    day = _own_day(ratings.rows) or _day_in(name)
    return dated(ratings, label=result.label, day=day)


def _own_day(rows: pl.DataFrame) -> date | None:
    if "on" not in rows.columns:
        return None
    days = rows["on"].cast(pl.String).str.to_date("%Y-%m-%d", strict=False).drop_nulls()
    last = days.max()
    return last if isinstance(last, date) else None


def _day_in(name: str) -> date | None:
    for pattern in _NAMED:
        result = pattern.search(name)
        if not result:
            continue
        parts = result.groupdict()
        if parts.get("word"):
            return day_of_period(parts["word"] + parts["short"])
        try:
            return date(int(parts["year"]), int(parts["month"]), int(parts["day"] or 1))
        except ValueError:
            return None
    return None


def in_force(lists: Sequence[DatedList], when: When | None) -> tuple[DatedList, tuple[str, ...]]:
    """Return the list that was in force at an event, and what is doubtful about it.

    The last one not after the event; where only the year or month of the event is known, the last one
    before it, or else the first one within it.
    """
    if not lists:
        raise UsageError("expected at least one rating list, found none")
    if len(lists) == 1 and (when is None or lists[0].date is None):
        what = "the event has no date" if when is None else f"{lists[0].label} has no date"
        return lists[0], (f"{what}: {lists[0].label} is used as the list in force",)
    if when is None:
        raise UsageError(f"found {len(lists)} rating lists for an event without a date", code="which-list")
    undated = [each.label for each in lists if each.date is None]
    if undated:
        raise UsageError(
            f"expected rating lists with dates, found none for {', '.join(undated)}: put it into the file's "
            "name, as in 1996-07.csv"
        )
    ordered = sorted(lists, key=lambda each: each.date or date.min)
    before = [each for each in ordered if each.date and each.date <= when.first]
    if before:
        return before[-1], ()
    within = [each for each in ordered if each.date and each.date <= when.last]
    if within:
        return within[0], (f"only {when} is known of the event's date: {within[0].label} is taken",)
    raise UsageError(
        f"expected a rating list in force at the event ({when}), found the earliest to be {ordered[0].label} "
        f"of {ordered[0].date}",
        code="no-list-in-force",
    )


def number_two(
    games: Games, *, given: float | None = None, lists: Sequence[DatedList] = ()
) -> NumberTwo | None:
    """Return the number-two rating of an event: as given, of a list in force, or of the event's file.

    Of a list: the second highest rating of those who are not flagged as inactive.

    given: Goes before all else.
    lists: Rating lists of `list_of`; the one in force at the event's date counts.

    Examples
    --------
    >>> from arpad.model import Games
    >>> number_two(Games.build([("Anand", "Karpov", 1.0)]), given=2765).summary()
    'number two 2765 as given'
    """
    if given is not None:
        return NumberTwo(rating=float(given), source="as given")
    if lists:
        return _listed(*in_force(lists, when_played(games)))
    own = {e.number_two for e in games.events if e.number_two is not None}
    if len(own) > 1:
        raise InputError(
            f"expected one number-two rating, found {', '.join(f'{r:g}' for r in sorted(own))} in "
            f"{len(games.events)} events",
            code="several-numbers-two",
        )
    return NumberTwo(rating=own.pop(), source="of the event's own file") if own else None


def _listed(found: DatedList, notes: tuple[str, ...]) -> NumberTwo:
    active = found.rows.filter(~pl.col("inactive")).sort(
        "rating", "player", descending=[True, False], nulls_last=True
    )
    if active.height < 2:
        raise InputError(
            f"expected a list with at least two active rated players, found {active.height}", file=found.label
        )
    second = active.row(1, named=True)
    named = f" ({second['player']})" if second["player"] else ""
    month = f"{found.date:%Y-%m}" if found.date else ""
    of = f" of {month}" if month and month not in found.label else ""
    return NumberTwo(
        rating=float(second["rating"]),
        source=f"from {found.label}{of}{named}",
        player=second["player"],
        date=found.date,
        notes=notes,
    )
