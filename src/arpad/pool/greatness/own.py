"""Ratings over time from this database itself, for times that had no rating list.

Second-hand: a rating of a year is smoothed over the games of the years around it, the event's own among
them.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from arpad.errors import InputError
from arpad.pool.greatness.source import Asked, NumberTwo, second

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from arpad.pool.history import History

__all__ = ["ENOUGH", "HistoryRatings", "OwnRatings", "YearlyRatings", "yearly_ratings"]

ENOUGH = 20
"""Games in the five years around without which nobody is number two: `study.ENOUGH` of a best average."""

AROUND = 2
"""Years to each side that are around a year [Elo 5.43: crosstables of five years]."""

DOUBT = 100.0
"""Points: a rating with a larger error of its own is no rating. `history.SURE`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class YearlyRatings:
    """One player's ratings in the years in which they are sure enough; plain values, to be kept in a file."""

    years: tuple[int, ...]
    ratings: tuple[float, ...]
    errors: tuple[float, ...]
    games: tuple[int, ...]
    """In the five years around each."""

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> YearlyRatings:
        """Return what `as_dict` was made from; a missing or strange value is an error."""
        return cls(**{name: tuple(column) for name, column in values.items()})


def yearly_ratings(history: History) -> dict[str, YearlyRatings]:
    """Return what the lifetime curves of the historical study say of every player [Elo 5.4, 5.52].

    Errors are those of the curves alone: the error of the level moves number two as it moves everybody,
    and G does not see it.
    """
    found = {}
    for name, life in history.lives.items():
        errors = np.sqrt(np.diag(life.covariance))
        sure = np.flatnonzero(errors <= DOUBT).tolist()
        around = [int(life.games[max(0, i - AROUND) : i + AROUND + 1].sum()) for i in sure]
        found[name] = YearlyRatings(
            years=tuple(life.years[sure].tolist()), ratings=tuple(life.rating[sure].tolist()),
            errors=tuple(errors[sure].tolist()), games=tuple(around),
        )  # fmt: skip
    return found


class HistoryRatings:
    """Ratings year by year from the historical study of the same games."""

    name = "own"

    def __init__(self, studied: Mapping[str, YearlyRatings], names: tuple[str, ...]) -> None:
        number = {name: i for i, name in enumerate(names)}
        self._names = names
        self._years: dict[int, dict[int, tuple[float, float]]] = {}
        self._active: dict[int, dict[int, float]] = {}
        for name, life in studied.items():
            person = number[name]
            columns = (life.years, life.ratings, life.errors, life.games)
            for year, rating, error, games in zip(*columns, strict=True):
                self._years.setdefault(year, {})[person] = (rating, error)
                if games >= ENOUGH:
                    self._active.setdefault(year, {})[person] = rating

    def ratings(self, event: Asked) -> dict[int, float]:
        """Return the smoothed ratings of the event's year."""
        known = self._years.get(event.year or 0, {})
        return {person: known[person][0] for person in event.people if person in known}

    def errors(self, event: Asked) -> dict[int, float]:
        """Return the standard errors of those ratings against each other."""
        known = self._years.get(event.year or 0, {})
        return {person: known[person][1] for person in event.people if person in known}

    def number_two(self, event: Asked) -> NumberTwo | None:
        """Return the second highest of those with enough games in the years around."""
        year = event.year or 0
        active = self._active.get(year, {})
        found = second(active)
        if found is None:
            return None
        person, rating = found
        error = self._years[year][person][1]
        return NumberTwo(rating, self._names[person], self.name, error, among=len(active))


class OwnRatings:
    """The same, studied only when an event asks for it: the study takes longer than everything else.

    Parameters
    ----------
    study
        Makes the ratings (`yearly_ratings`), or raises an `InputError` that says why there are none.
    tell
        Called with that reason.
    """

    name = "own"

    def __init__(
        self,
        study: Callable[[], Mapping[str, YearlyRatings]],
        names: tuple[str, ...],
        tell: Callable[[str], None],
    ) -> None:
        self._study, self._names, self._tell = study, names, tell
        self._found: HistoryRatings | None = None
        self._asked = False

    def _source(self) -> HistoryRatings | None:
        if not self._asked:
            self._asked = True
            try:
                self._found = HistoryRatings(self._study(), self._names)
            except InputError as error:
                self._tell(f"no ratings of our own over time: {error}")
        return self._found

    def ratings(self, event: Asked) -> dict[int, float]:
        """Return the smoothed ratings of the event's year."""
        source = self._source()
        return source.ratings(event) if source else {}

    def errors(self, event: Asked) -> dict[int, float]:
        """Return the standard errors of those ratings against each other."""
        source = self._source()
        return source.errors(event) if source else {}

    def number_two(self, event: Asked) -> NumberTwo | None:
        """Return the second highest of those with enough games in the years around."""
        source = self._source()
        return source.number_two(event) if source else None
