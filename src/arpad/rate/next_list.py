"""A list that grows period by period: who plays is rated, who does not play stays on it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from arpad.rate.pra import Pra, PraBasic
from arpad.rate.pra_list import list_moved, list_part

if TYPE_CHECKING:
    from arpad.model import Games, Ratings
    from arpad.rate import RatingSystem

__all__ = ["next_list", "rows_of"]


def rows_of(listed: Ratings, games: Games) -> Ratings:
    """Return those of a list who play these games, found by their ids."""
    return list_part(listed, listed.rows.join(games.players.select("id"), on="id", how="semi"))


def next_list(
    system: RatingSystem, games: Games, listed: Ratings | None
) -> tuple[Ratings, Ratings]:
    """Rate games from a list; return the ratings of those who play, and the whole list after them."""
    rated = system.rate(games, None if listed is None else rows_of(listed, games))
    if listed is None:
        return rated, rated
    if isinstance(system, Pra | PraBasic):
        listed = list_moved(listed, rated)
    rest = listed.rows.join(rated.rows, on="id", how="anti")
    rows = pl.concat([rated.rows, rest], how="diagonal_relaxed")
    return rated, replace(rated, rows=rows)
