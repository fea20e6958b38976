"""Ratings that stand beside the games of a collection, and the second highest of each time."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

import polars as pl

from arpad.pool.greatness.source import Asked, NumberTwo, second

if TYPE_CHECKING:
    from datetime import date

__all__ = ["ACTIVE", "PublishedRatings"]

ACTIVE = 5
"""Rated games in a year without which nobody is number two. Ours: a rating beside one game may be a slip."""

BEST = 12
"""People of each year, by rating, among whom number two is looked for."""

STRAY = 100.0
"""Points from the median of the year beyond which a rating is a slip. Ours."""

OLD = 365
"""Days from the nearest game beyond which the median of the year counts."""


class PublishedRatings:
    """Ratings as given beside the games.

    Number two, where days are known, is the second highest of the ratings that each of the best of the
    year had at his game nearest to the first day of the event; where only the year is known, of their
    medians over the year. Whoever plays in the event counts with his rating there.

    Parameters
    ----------
    sides
        A row a player a game that has a rating: `person`, `year`, `day` (null where only the year is
        known), `rating`.
    names
        Of the people, by number.
    """

    name = "file"

    def __init__(self, sides: pl.DataFrame, names: tuple[str, ...]) -> None:
        self._names = names
        active = (
            sides.group_by("year", "person")
            .agg(pl.col("rating").median(), pl.len().alias("n"))
            .filter(pl.col("n") >= ACTIVE)
        )
        self._active: dict[int | None, int] = dict(active.group_by("year").len().iter_rows())
        yearly = (
            active.sort("rating", "person", descending=[True, False])
            .group_by("year", maintain_order=True)
            .head(BEST)
        )
        self._years: dict[int | None, dict[int, float]] = {}
        for year, person, rating in yearly.select("year", "person", "rating").iter_rows():
            self._years.setdefault(year, {})[person] = rating
        self._days = self._by_day(sides, yearly)

    def _by_day(
        self, sides: pl.DataFrame, yearly: pl.DataFrame
    ) -> dict[int, tuple[list[date], list[float]]]:
        """Return the ratings of the best day by day, without slips."""
        known = (
            sides.filter(pl.col("day").is_not_null())
            .join(
                yearly.select("year", "person", pl.col("rating").alias("usual")),
                on=["year", "person"],
                maintain_order="left",
            )
            .filter((pl.col("rating") - pl.col("usual")).abs() <= STRAY)
            .sort("person", "day", maintain_order=True)
            .group_by("person", maintain_order=True)
            .agg("day", "rating")
        )
        return {person: (days, ratings) for person, days, ratings in known.iter_rows()}

    def ratings(self, event: Asked) -> dict[int, float]:
        """Return the ratings beside the event's own games."""
        return dict(event.beside)

    def errors(self, event: Asked) -> dict[int, float]:  # noqa: ARG002 - others know more
        """Return nothing: the source does not say how sure its ratings are."""
        return {}

    def number_two(self, event: Asked) -> NumberTwo | None:
        """Return the second highest of the active players at that time."""
        best = dict(self._years.get(event.year, {}))
        if not best:
            return None
        if event.start is not None:
            best = {person: self._at(person, event.start, usual) for person, usual in best.items()}
        best |= {person: R for person, R in event.beside.items() if person in best}
        found = second(best)
        return found and NumberTwo(
            found[1], self._names[found[0]], self.name, among=self._active[event.year]
        )

    def _at(self, person: int, day: date, usual: float) -> float:
        """Return the rating at the game nearest in time, of two as near the earlier."""
        days, ratings = self._days.get(person, ([], []))
        after = bisect_right(days, day)
        near = [((abs(days[i] - day)).days, i) for i in (after - 1, after) if 0 <= i < len(days)]
        if not near or min(near)[0] > OLD:
            return usual
        return ratings[min(near)[1]]
