"""The FIDE category of every event among some games, from the average rating of its players."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from arpad.event.kind import category, kind_of
from arpad.schema import schema

if TYPE_CHECKING:
    from arpad.model import Games

__all__ = ["RATED", "event_categories", "event_kinds"]

RATED = 0.8
"""The share of an event's players that must have ratings: FIDE's events had at most a fifth unrated [Elo 4.53]."""

CATEGORIES = schema(
    {
        "event": pl.Int32,  # row of `games.events`; null: the games without an event
        "players": pl.Int64,  # who played
        "rated": pl.Int64,  # those of them whose rating is known
        "average": pl.Float64,  # null: fewer than `RATED` of the players have ratings
        "category": pl.Int32,  # null: no average, or below 2251
    }
)


def event_categories(games: Games) -> pl.DataFrame:
    """Return a row an event: its players, their average rating, its category.

    A player's rating is the one beside the first game in the event, else the player's own. Who did not play does
    not count.

    Examples
    --------
    >>> from arpad.model import Games
    >>> columns = {"white": [0], "black": [1], "score": [0.5], "white_rating": [2610.0], "black_rating": [2600.0]}
    >>> event_categories(Games.assemble(columns, {"name": ["A", "B"]})).row(0)
    (None, 2, 2, 2605.0, 15)
    """
    played = games.table.filter(pl.col("status").is_in(["played", "unrated"]))
    sides = [
        played.select("event", player=pl.col(side), rating=pl.col(f"{side}_rating"))
        for side in ("white", "black")
    ]
    own = pl.DataFrame(
        {
            "player": pl.int_range(games.players.height, dtype=pl.Int32, eager=True),
            "own": games.players["rating"],
        }
    )
    people = (
        pl.concat(sides)
        .filter(pl.col("player").is_not_null())
        .group_by("event", "player", maintain_order=True)
        .agg(pl.col("rating").drop_nulls().first())
        .join(own, on="player", how="left", maintain_order="left")
        .with_columns(pl.coalesce("rating", "own"))
    )
    found = people.group_by("event", maintain_order=True).agg(
        players=pl.len(), rated=pl.col("rating").count(), average=pl.col("rating").sort().mean()
    )
    enough = pl.col("rated") >= RATED * pl.col("players")
    found = found.with_columns(average=pl.when(enough).then("average"))
    numbers = [None if a is None else category(a) for a in found["average"]]
    return found.with_columns(category=pl.Series(numbers, dtype=pl.Int32)).select(
        pl.col(name).cast(kind) for name, kind in CATEGORIES.items()
    )


def event_kinds(games: Games) -> dict[int | None, str]:
    """Return what sort of event the pairings of each show: match, round robin, Swiss, …."""
    table = games.table.filter(pl.col("status").is_in(["played", "unrated"]))
    return {
        key[0]: kind_of(type(games)(mine, games.players, games.events))
        for key, mine in table.group_by(["event"], maintain_order=True)
    }
