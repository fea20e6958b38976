"""Titles, federations and ratings that an event file does not carry, from a rating list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import UsageError
from arpad.event.crosstable import known_ratings
from arpad.model import Event, Games

if TYPE_CHECKING:
    from arpad.model import Ratings

__all__ = ["Part", "find_player", "one_event", "with_list"]

FILLED = ("title", "federation", "sex")


def with_list(games: Games, listed: Ratings) -> tuple[Games, int]:
    """Return the games with what a rating list knows of the players, and how many it knows.

    What the file says stays. Whoever stands in the list without a title has none.
    """
    players = games.players
    found = listed.lookup(players, "rating").cast(pl.Float64)
    known = found.is_not_null()
    columns = []
    for name in FILLED:
        if name not in listed.rows.columns or listed.rows[name].is_null().all():
            continue
        theirs = listed.lookup(players, name).cast(pl.String)
        if name == "title":
            theirs = pl.select(pl.when(known).then(theirs.fill_null(""))).to_series()
        columns.append(pl.select(pl.coalesce(players[name], theirs)).to_series().alias(name))
    rated = known_ratings(games)
    own = [
        rating if rating is not None or row in rated else theirs
        for row, (rating, theirs) in enumerate(zip(players["rating"], found, strict=True))
    ]
    columns.append(pl.Series("rating", own, dtype=pl.Float64))
    filled = Games(games.table, players.with_columns(columns), games.events)
    return filled, int(known.sum())


@dataclass(frozen=True, slots=True)
class Part:
    """One event of several: its games, and the row that each of its players has in the whole."""

    name: str
    games: Games
    rows: tuple[int, ...]

    def row(self, player: int) -> int | None:
        """Return a player's row here, None if he has no part in the event."""
        return self.rows.index(player) if player in self.rows else None


def one_event(games: Games) -> list[Part]:
    """Return the events of some games, each with its own players: a norm is made in one event."""
    if len(games.events) < 2:
        name = games.events[0].name if games.events else "Event"
        return [Part(name, games, tuple(range(games.players.height)))]
    parts = []
    for table in games.table.partition_by("event", maintain_order=True):
        row = table["event"][0]
        event = Event(name="Event") if row is None else games.events[row]
        here = pl.concat([table["white"], table["black"].drop_nulls()]).unique().sort()
        number = {old: new for new, old in enumerate(here)}
        sides = [
            pl.col(side).replace_strict(number, return_dtype=pl.Int32)
            for side in ("white", "black")
        ]
        own = table.with_columns(*sides, pl.lit(0, dtype=pl.Int32).alias("event"))
        parts.append(Part(event.name, Games(own, games.players[here], (event,)), tuple(here)))
    return parts


def find_player(games: Games, text: str) -> int:
    """Return the row of a player called by name, part of a name, or id."""
    wanted = text.strip().casefold()
    names = [(row, name or "") for row, name in enumerate(games.players["name"])]
    by_id = [row for row, id_ in enumerate(games.players["id"]) if id_ and id_ == text.strip()]
    exact = [row for row, name in names if name.casefold() == wanted]
    part = [row for row, name in names if wanted and wanted in name.casefold()]
    for found in (by_id, exact, part):
        if len(found) == 1:
            return found[0]
        if found:
            some = ", ".join(_called(games, row) for row in found[:5])
            raise UsageError(
                f"expected one player, found {len(found)} called {text!r}: {some}{', …' if len(found) > 5 else ''}; "
                "give the id or more of the name"
            )
    raise UsageError(f"expected a player of the event, found nobody called {text!r}")


def _called(games: Games, row: int) -> str:
    name, id_ = games.players["name"][row], games.players["id"][row]
    return f"{name} ({id_})" if id_ else str(name)
