"""What the app needs of an event: plain lists, the games in the order in which they were played."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import UsageError
from arpad.rate.event_order import one_event_in_order

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arpad.model import Games

__all__ = ["Field", "field_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One event in plain lists; players are numbered from 0 as they stand here."""

    name: str
    names: Sequence[str]
    rows: Sequence[int]
    """Each player's row in the list of players that the event was taken from."""
    ratings: Sequence[float | None]
    """As given, before the event."""
    points: Sequence[float]
    """All points, those of forfeits and byes too."""
    white: Sequence[int]
    """Games that were played on the board, in order."""
    black: Sequence[int]
    score: Sequence[float]
    rating_system: str | None = None
    number_two: float | None = None
    groups: Sequence[object] | None = None
    """Round or day of each game, within which the order is not known; None: no order is known at all."""
    by_round: bool = False
    """Whether rounds gave the order, with one game a round for everybody: it is not in doubt."""
    notes: tuple[str, ...] = ()

    def games(self) -> list[int]:
        """Return how many games each player played."""
        count = [0] * len(self.names)
        for side in (self.white, self.black):
            for player in side:
                count[player] += 1
        return count

    def opponents(self) -> list[list[int]]:
        """Return whom each player met on the board, in order."""
        met: list[list[int]] = [[] for _ in self.names]
        for i, j in zip(self.white, self.black, strict=True):
            met[i].append(j)
            met[j].append(i)
        return met


def field_of(games: Games, ratings: Mapping[int, float] | None = None) -> Field:
    """Return the field of an event.

    Parameters
    ----------
    ratings
        Initial ratings by row of `games.players`; they go before those that the source gives.
    """
    table = games.table
    sides = ("white", "black", "score", "black_score")
    rows = list(zip(*(table[c].to_list() for c in sides), strict=True))
    here = sorted({p for row in rows for p in row[:2] if p is not None})
    if not here:
        raise UsageError("expected an event with games, found none")
    number = {row: i for i, row in enumerate(here)}
    points = [0.0] * len(here)
    for white, black, score, black_score in rows:
        points[number[white]] += score or 0.0
        if black is not None:
            points[number[black]] += black_score or 0.0
    played = one_event_in_order(table.filter(pl.col("status") == "played"))
    event = games.events[0] if games.events else None
    several = table["event"].n_unique()
    names = games.players["name"].to_list()
    return Field(
        name=" / ".join(dict.fromkeys(e.name for e in games.events)) or "Event",
        names=[names[row] or f"player {row + 1}" for row in here],
        rows=here,
        ratings=_ratings(games, here, ratings or {}),
        points=points,
        white=[number[row] for row in played["white"]],
        black=[number[row] for row in played["black"]],
        score=played["score"].to_list(),
        rating_system=event.rating_system if event else None,
        number_two=event.number_two if event else None,
        groups=played["when"].to_list(),
        by_round=played.height > 0 and bool(played["certain"].all()),
        notes=(f"these games come from {several} events: each should have its own report",)
        if several > 1
        else (),
    )


def _ratings(games: Games, here: list[int], given: Mapping[int, float]) -> list[float | None]:
    from arpad.event.crosstable import known_ratings

    for row, rating in given.items():
        if not math.isfinite(rating):
            raise UsageError(f"expected a rating of player {row + 1}, found {rating!r}")
    known = known_ratings(games)
    return [given.get(row, known.get(row)) for row in here]
