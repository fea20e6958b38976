"""Ratings before an event by a rating system that walks through the database year by year."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.pool.greatness.source import Asked, NumberTwo, second

if TYPE_CHECKING:
    from arpad.model import Games, Ratings
    from arpad.rate.systems import RatingSystem

__all__ = ["ENOUGH", "WalkedRatings"]

ENOUGH = 20
"""Games so far without which a rating does not count: it still lies near where everybody starts."""

AWAY = 2
"""Years without a game after which nobody is number two."""


class WalkedRatings:
    """Ratings on the first of January of each year, from the games before it.

    Years, not events, are the steps: of old events no more is known. So nothing that happens in an event
    touches the ratings that it is judged by.

    Parameters
    ----------
    games
        With one row of `players` a person (`people_of`), and dates.
    """

    def __init__(self, system: RatingSystem, games: Games) -> None:
        self._name = system.name
        self._names: list[str] = games.players["name"].to_list()
        self._years: dict[int, dict[int, float]] = {}
        self._active: dict[int, dict[int, float]] = {}
        number = {name: i for i, name in enumerate(self._names)}
        played, last = np.zeros(len(number), np.int64), np.full(len(number), -(10**6))
        known: Ratings | None = None
        rating = np.full(len(number), np.nan)
        table = games.table.filter((pl.col("status") == "played") & pl.col("date").is_not_null())
        for (year,), part in table.group_by(pl.col("date").dt.year(), maintain_order=True):
            now = int(year)
            sure = (played >= ENOUGH) & np.isfinite(rating)
            self._years[now] = _by_person(rating, sure)
            self._active[now] = _by_person(rating, sure & (last >= now - AWAY))
            after = system.rate(replace(games, table=part), known)
            known = _together(known, after)
            rows = [number[name] for name in after.rows["player"]]
            rating[rows] = after.rows["rating"].cast(pl.Float64).fill_null(np.nan).to_numpy()
            for side in ("white", "black"):
                np.add.at(played, part[side].to_numpy(), 1)
                last[part[side].to_numpy()] = now

    @property
    def name(self) -> str:
        """The system's name."""
        return self._name

    def ratings(self, event: Asked) -> dict[int, float]:
        """Return the ratings at the beginning of the event's year."""
        known = self._years.get(event.year or 0, {})
        return {person: known[person] for person in event.people if person in known}

    def errors(self, event: Asked) -> dict[int, float]:  # noqa: ARG002 - others know more
        """Return nothing: the source does not say how sure its ratings are."""
        return {}

    def number_two(self, event: Asked) -> NumberTwo | None:
        """Return the second highest of those who played in the two years before."""
        active = self._active.get(event.year or 0, {})
        found = second(active)
        return found and NumberTwo(found[1], self._names[found[0]], self.name, among=len(active))


def _by_person(rating: np.ndarray, which: np.ndarray) -> dict[int, float]:
    rows = np.flatnonzero(which)
    return dict(zip(rows.tolist(), rating[rows].tolist(), strict=True))


def _together(before: Ratings | None, after: Ratings) -> Ratings:
    """Return the newest row of everybody: a system names only those who played."""
    if before is None:
        return after
    others = before.rows.join(
        after.rows.select("player"), on="player", how="anti", maintain_order="left"
    )
    return replace(after, rows=pl.concat([after.rows, others], how="diagonal_relaxed"))
