"""Ratings from rating lists: the last list before an event, and its number two."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import UsageError
from arpad.pool.greatness.source import Asked, NumberTwo, second

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from arpad.model import Ratings

__all__ = ["OLDEST", "ListedRatings"]

OLDEST = 731
"""Days after which a list says nothing of an event any more. Ours: two years."""

MIDDLE = (7, 1)
"""Month and day that stand for a year of which nothing more is known."""

BEST = 5
"""People at the head of a list who are kept, for number two."""


class ListedRatings:
    """Ratings from dated lists; whoever is flagged inactive is not number two.

    Parameters
    ----------
    lists
        The day of each list, and the list.
    players
        The people of the games, as `Games.players` has them.
    person
        For each row of `players` the number of the person.
    """

    name = "list"

    def __init__(
        self,
        lists: Sequence[tuple[date, Ratings]],
        players: pl.DataFrame,
        person: NDArray[np.int64],
    ) -> None:
        if len({day for day, _ in lists}) < len(lists):
            raise UsageError("expected lists of different days, found two of one day")
        self._lists: list[tuple[date, dict[int, float], NumberTwo | None]] = []
        for day, ratings in sorted(lists, key=lambda pair: pair[0]):
            known: dict[int, float] = {}
            for row, rating in enumerate(ratings.lookup(players)):
                if rating is not None:
                    known.setdefault(int(person[row]), float(rating))
            self._lists.append((day, known, self._second(ratings)))

    def _second(self, ratings: Ratings) -> NumberTwo | None:
        rows = ratings.rows.filter(pl.col("rating").is_not_null())
        if "flag" in rows.columns:
            rows = rows.filter(~pl.col("flag").cast(pl.String).str.contains("i").fill_null(False))
        top = rows.sort("rating", descending=True, maintain_order=True).head(BEST)
        found = second(dict(enumerate(top["rating"].cast(pl.Float64).to_list())))
        return found and NumberTwo(found[1], top["player"][found[0]], self.name, among=rows.height)

    def _in_force(self, event: Asked) -> tuple[dict[int, float], NumberTwo | None]:
        when = event.start or (None if event.year is None else date(event.year, *MIDDLE))
        if when is None:
            return {}, None
        before = [each for each in self._lists if each[0] <= when]
        if not before or (when - before[-1][0]).days > OLDEST:
            return {}, None
        return before[-1][1], before[-1][2]

    def ratings(self, event: Asked) -> dict[int, float]:
        """Return the ratings on the last list before the event, at most two years old."""
        known, _ = self._in_force(event)
        return {person: known[person] for person in event.people if person in known}

    def errors(self, event: Asked) -> dict[int, float]:  # noqa: ARG002 - others know more
        """Return nothing: the source does not say how sure its ratings are."""
        return {}

    def number_two(self, event: Asked) -> NumberTwo | None:
        """Return the second of that list."""
        return self._in_force(event)[1]
