"""The field of an event: who played, with what rating, title and federation, and every result."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from arpad.event.crosstable import known_ratings

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from arpad.model import Games

__all__ = ["Entry", "field_of", "only_women", "scoreless", "without"]

FINISHED = ("played",)
"""Forfeits, byes and games without a result count neither for ratings nor for titles [4.41]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One participant with the games that count."""

    row: int
    """The row of `Games.players`."""
    name: str
    rating: float | None = None
    title: str | None = None
    federation: str | None = None
    woman: bool = False
    results: tuple[tuple[int, float], ...] = ()
    """Row of the opponent and own share of the point, game by game."""

    @property
    def games(self) -> int:
        """Games that count."""
        return len(self.results)

    @property
    def score(self) -> float:
        """Points in them."""
        return math.fsum(share for _, share in self.results)

    @property
    def share(self) -> float:
        """Points per game, 0 without games."""
        return self.score / self.games if self.results else 0.0


def field_of(games: Games) -> dict[int, Entry]:
    """Return everybody who has at least one game that was played, by row of the players.

    Examples
    --------
    >>> from arpad.model import Games
    >>> field = field_of(Games.build([("Ann", "Bob", 1.0), ("Bob", "Ann", 0.5)]))
    >>> [(e.name, e.score, e.games) for e in field.values()]
    [('Ann', 1.5, 2), ('Bob', 0.5, 2)]
    """
    results: dict[int, list[tuple[int, float]]] = defaultdict(list)
    columns = ("white", "black", "score", "black_score", "status")
    for white, black, score, black_score, status in games.table.select(columns).iter_rows():
        if status in FINISHED and black is not None:
            results[white].append((black, score))
            results[black].append((white, black_score))
    ratings = known_ratings(games)
    return {row: _entry(games, row, ratings.get(row), results[row]) for row in sorted(results)}


def without(field: Mapping[int, Entry], rows: Collection[int]) -> dict[int, Entry]:
    """Return the field without some participants and without the games against them."""
    return {
        row: replace(entry, results=tuple(r for r in entry.results if r[0] not in rows))
        for row, entry in field.items()
        if row not in rows
    }


def scoreless(field: Mapping[int, Entry]) -> frozenset[int]:
    """Return the unrated who fail to score, whose games are disregarded [4.41, 4.52, 4.53].

    Whoever is left without a point once those games are gone, is one of them too.
    """
    gone: frozenset[int] = frozenset()
    while True:
        left = without(field, gone)
        more = {row for row, e in left.items() if e.rating is None and not e.score}
        if not more:
            return gone
        gone |= more


def only_women(field: Mapping[int, Entry]) -> bool:
    """Say whether this is an exclusively women's tournament, as far as the file tells."""
    return bool(field) and all(entry.woman for entry in field.values())


def _entry(games: Games, row: int, rating: float | None, results: list[tuple[int, float]]) -> Entry:
    player = games.player(row)
    title = (player.title or "").upper() or None
    woman = player.sex == "w" or bool(title and title.startswith("W"))
    return Entry(
        row=row,
        name=player.name,
        rating=rating,
        title=title,
        federation=player.federation,
        woman=woman or title == "IWM",
        results=tuple(results),
    )
