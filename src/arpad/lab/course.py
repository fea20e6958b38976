"""The course of a walk: dated games in the order of play, cut into periods, each with what came before.

It is made once and walked by every system, so that all of them meet the same games in the same order.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.model import Games
from arpad.rate.periods import period_numbers

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from numpy.typing import NDArray

__all__ = ["Course", "Step", "course"]

Step = Literal["day", "month", "quarter", "year"]
"""How far a walk goes before it looks at results."""

_LENGTH: dict[Step, str] = {"day": "1d", "month": "1mo", "quarter": "1q", "year": "1y"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """Games in the order of play, in periods.

    `games.table` has the games that count, in that order; `first` is the row where each period begins, and
    at last the number of rows; `days` is each period's first day; `earlier` is, for each game, how many
    games the less experienced of the two had before its period; `undated` is how many were left out.
    """

    games: Games
    period: Step
    first: NDArray[np.int64]
    days: tuple[date, ...]
    earlier: NDArray[np.int64]
    undated: int = 0

    def __len__(self) -> int:
        """Return the number of games."""
        return self.games.table.height

    @property
    def starts(self) -> pl.Series:
        """The first day of each game's period."""
        days = pl.Series("period", self.days, dtype=pl.Date)
        return days.gather(np.repeat(np.arange(len(self.days)), np.diff(self.first)))

    def scores(self) -> NDArray[np.float64]:
        """Return White's score in each game."""
        return self.games.table["score"].to_numpy()

    def before(self, day: date) -> Course:
        """Return the course of the games before a day: nobody who holds it can see any further."""
        rows = int((self.games.table["date"] < day).sum())
        kept = int(np.searchsorted(self.first[:-1], rows))
        return Course(
            games=Games(self.games.table.head(rows), self.games.players, self.games.events),
            period=self.period,
            first=np.r_[self.first[:kept], rows],
            days=self.days[:kept],
            earlier=self.earlier[:rows],
            undated=self.undated,
        )

    def parts(self) -> Iterator[tuple[date, pl.DataFrame]]:
        """Yield each period's first day and its games."""
        for i, day in enumerate(self.days):
            yield day, self.games.table[int(self.first[i]) : int(self.first[i + 1])]


def course(games: Games, *, period: Step = "month") -> Course:
    """Return the course of the games that were played and have a date.

    Examples
    --------
    >>> import datetime as dt
    >>> days = [dt.date(2024, 1, 3), dt.date(2024, 1, 9), dt.date(2024, 4, 1)]
    >>> columns = {"white": [0, 1, 0], "black": [1, 0, 1], "score": [1.0, 0.5, 0.0], "date": days}
    >>> way = course(Games.assemble(columns, {"name": ["Ann", "Bob"]}))
    >>> way.first.tolist(), [str(day) for day in way.days], way.earlier.tolist()
    ([0, 2, 3], ['2024-01-01', '2024-04-01'], [0, 0, 2])
    """
    if period not in get_args(Step):
        raise UsageError(f"expected a period, one of {', '.join(get_args(Step))}; found {period!r}")
    rateable = games.rateable()
    played = rateable.filter(pl.col("date").is_not_null())
    if not played.height:
        raise UsageError("a walk through time needs games with dates, and found none")
    played, numbers = period_numbers(played, period)
    number = numbers.to_numpy()
    first = np.r_[0, np.flatnonzero(np.diff(number)) + 1, len(number)]
    begun = played["date"].gather(first[:-1]).dt.truncate(_LENGTH[period])
    return Course(
        games=Games(played, games.players, games.events),
        period=period,
        first=first,
        days=tuple(begun),
        earlier=_earlier(played, first, games.players.height),
        undated=rateable.height - played.height,
    )


def _earlier(played: pl.DataFrame, first: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Return how many games the less experienced of the two had before the period, for each game."""
    white, black = (played[side].to_numpy() for side in ("white", "black"))
    seen = np.zeros(n, dtype=np.int64)
    earlier = np.zeros(len(white), dtype=np.int64)
    for a, b in itertools.pairwise(first):
        earlier[a:b] = np.minimum(seen[white[a:b]], seen[black[a:b]])
        seen += np.bincount(white[a:b], minlength=n) + np.bincount(black[a:b], minlength=n)
    return earlier
