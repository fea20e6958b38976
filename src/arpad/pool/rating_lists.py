"""Rating lists with their dates, and who on one list is who on another."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import UsageError
from arpad.read.reading import read_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arpad.model import Ratings
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
    read = []
    for file, day in zip(files, days or [None] * len(files), strict=True):
        ratings = read_list(file, report=report)
        period = ratings.parameters.get("period")
        read.append(dated(ratings, label=str(period) if period else Path(file).stem, day=day))
    return kept(aligned(read), active=active, floor=floor, least_games=least_games)


def aligned(lists: Sequence[DatedList]) -> tuple[DatedList, ...]:
    """Return the lists in the order of their dates, with `person` meaning the same on all of them.

    By id where everybody has one on every list, else by name; who cannot be told from others is left
    out and counted.
    """
    if not lists:
        raise UsageError("expected at least one rating list, found none")
    by = "id" if all(each.rows["id"].null_count() == 0 for each in lists) else "player"
    named = [each.rows.with_columns(pl.col(by).alias("person")) for each in lists]
    # A player who is twice on one list would seem to enter or leave if he stayed on the others.
    twice = pl.concat(rows.filter(pl.col("person").is_duplicated())["person"] for rows in named)
    found = []
    for each, rows in zip(lists, named, strict=True):
        alone = rows.filter(pl.col("person").is_not_null() & ~pl.col("person").is_in(twice.implode()))
        left = each.left_out + rows.height - alone.height
        found.append(replace(each, rows=alone, left_out=left))
    if all(each.date is not None for each in found):
        found.sort(key=lambda each: each.date or date.min)
    names = [each.label for each in found]
    if len(set(names)) < len(names):
        found = [replace(e, label=f"{i}. {e.label}") for i, e in enumerate(found, start=1)]
    return tuple(found)


def kept(
    lists: Sequence[DatedList], *, active: bool = False, floor: float | None = None, least_games: int = 0
) -> tuple[DatedList, ...]:
    """Return the lists without those who are not asked for.

    Parameters
    ----------
    active
        Leave out who is flagged as inactive.
    floor
        Leave out ratings below: lists with different floors become comparable.
    least_games
        Leave out who has fewer games on record, where the list says how many.
    """
    found = []
    for each in lists:
        mask = pl.lit(True)
        if active:
            mask &= ~pl.col("inactive")
        if floor is not None:
            mask &= pl.col("rating") >= floor
        if least_games:
            if each.rows["games"].null_count() == each.rows.height:
                raise UsageError(
                    f"{each.label} does not say how many games anybody has played: it cannot be asked for "
                    f"{least_games} games"
                )
            mask &= pl.col("games") >= least_games
        found.append(replace(each, rows=each.rows.filter(mask)))
    return tuple(found)


def years_between(first: DatedList, last: DatedList) -> float | None:
    """Return the years from one list to another, None where a date is missing."""
    if first.date is None or last.date is None:
        return None
    return (last.date - first.date).days / 365.25


def day_of_period(period: str | None) -> date | None:
    """Return the first day of the list that FIDE's files call JUL01."""
    found = re.fullmatch(r"([A-Z]{3})(\d{2})", (period or "").upper())
    if not found or found[1] not in _MONTHS:
        return None
    year = int(found[2])
    # FIDE's lists begin in 1971
    return date(year + (1900 if year > 70 else 2000), _MONTHS.index(found[1]) + 1, 1)
