"""Events for the U.S. systems, made by hand."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from arpad.model import Event, Games, Player

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arpad.model import Ratings

Row = tuple[str, str, float]


def pool(people: Iterable[Player], *events: Sequence[Row], first: int = 0) -> Games:
    """Return games of several events, a month apart, from January 1994 on."""
    players = list(people)
    number = {p.name: i for i, p in enumerate(players)}
    rows = [
        (number[white], number[black], score, at, dt.date(1994, first + at + 1, 1))
        for at, event in enumerate(events)
        for white, black, score in event
    ]
    columns = {
        name: [row[i] for row in rows] for i, name in enumerate(("white", "black", "score", "event", "date"))
    }
    return Games.assemble(columns, players, [Event(name=f"Open {i + 1}") for i in range(len(events))])


def against(name: str, score: float, opponents: Iterable[str]) -> list[Row]:
    """Return one player's games with this total score."""
    rows: list[Row] = []
    for opponent in opponents:
        part = min(1.0, score)
        rows.append((name, opponent, part))
        score -= part
    return rows


def field(ratings: Iterable[float]) -> list[Player]:
    """Return established players called by their ratings (and a letter, if several share one)."""
    return [Player(name=f"{r:g}{chr(97 + i)}", rating=float(r)) for i, r in enumerate(ratings)]


def row(ratings: Ratings, player: str) -> dict[str, object]:
    """Return a player's row."""
    found: dict[str, object] = ratings.rows.filter(player=player).row(0, named=True)
    return found
