"""What the app needs of an event: plain lists, the games in the order in which they were played.

The order is by round, then board, where every game has a round; by date only where no rounds are given;
else as the games stand in the file.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arpad.errors import UsageError

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
    columns = (
        "white",
        "black",
        "score",
        "black_score",
        "status",
        "round",
        "date",
        "precision",
        "event",
    )
    lists = [table[c].to_list() for c in columns]
    rows = list(zip(*lists, strict=True))
    here = sorted({p for side in lists[:2] for p in side if p is not None})
    if not here:
        raise UsageError("expected an event with games, found none")
    number = {row: i for i, row in enumerate(here)}
    points = [0.0] * len(here)
    for white, black, score, black_score, *_ in rows:
        points[number[white]] += score or 0.0
        if black is not None:
            points[number[black]] += black_score or 0.0
    played = [row for row in rows if row[4] == "played"]
    order, groups, by_round = _order(played)
    event = games.events[0] if games.events else None
    several = len({row[8] for row in rows})
    names = games.players["name"].to_list()
    return Field(
        name=" / ".join(dict.fromkeys(e.name for e in games.events)) or "Event",
        names=[names[row] or f"player {row + 1}" for row in here],
        rows=here,
        ratings=_ratings(games, here, ratings or {}),
        points=points,
        white=[number[played[g][0]] for g in order],
        black=[number[played[g][1]] for g in order],
        score=[played[g][2] for g in order],
        rating_system=event.rating_system if event else None,
        number_two=event.number_two if event else None,
        groups=groups,
        by_round=by_round,
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


def _order(played: list[tuple[object, ...]]) -> tuple[list[int], list[object] | None, bool]:
    """Return the games in order, the groups within which it is not known, and whether it is certain.

    It is certain where nobody has two games in one round.
    """
    rounds = [_round(row[5]) for row in played]
    days = [row[6] if row[7] == "day" else None for row in played]
    by_round = len({row[8] for row in played}) == 1 and None not in rounds
    by_day = bool(days) and None not in days
    if not by_round and not by_day:
        return list(range(len(played))), None, False
    when = [(r if by_round else (), d if by_day else 0) for r, d in zip(rounds, days, strict=True)]
    order = sorted(range(len(played)), key=lambda g: (when[g], g))
    sides = [(when[g], player) for g in order for player in played[g][:2]]
    certain = by_round and len(set(sides)) == len(sides)
    return order, [when[g] for g in order], certain


def _round(text: object) -> tuple[int, ...] | None:
    """Return ``(round, board, …)`` of a round such as `4.10`; None where it is no number."""
    parts = str(text).split(".") if text is not None else [""]
    if not all(part.isascii() and part.isdigit() and len(part) <= 6 for part in parts):
        return None
    return tuple(int(part) for part in parts)
