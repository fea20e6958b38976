"""Players of one name, told apart: tables of moves speak of people by name."""

from __future__ import annotations

import polars as pl

from arpad.model import Games

__all__ = ["told_apart"]


def told_apart(games: Games) -> Games:
    """Return the games with namesakes' ids behind their names; who has none gets a number.

    Examples
    --------
    >>> people = {"name": ["Smith, J", "Smith, J", "Brown, K"], "id": ["101", None, "103"]}
    >>> games = Games.assemble({"white": [0, 1], "black": [1, 2], "score": [1.0, 0.5]}, people)
    >>> told_apart(games).players["name"].to_list()
    ['Smith, J (101)', 'Smith, J (2)', 'Brown, K']
    """
    again = games.players["name"].is_duplicated() & games.players["name"].is_not_null()
    if not again.any():
        return games
    number = (pl.int_range(pl.len()).over("name") + 1).cast(pl.String)
    told = pl.format("{} ({})", "name", pl.coalesce(pl.col("id"), number))
    players = games.players.with_columns(pl.when(again).then(told).otherwise("name").alias("name"))
    return Games(games.table, players, games.events)
