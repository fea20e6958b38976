"""Who is who today: merges followed to their end, for those few who were merged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import sqlalchemy as sa

from arpad.store.ledger import tables

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.engine import Connection

__all__ = ["end_of", "merged_ends", "people_today"]


_p = tables.players.c
MERGED = (
    sa.select(_p.merged_into, _p.id)
    .where(_p.merged_into.is_not(None))
    .order_by(_p.merged_into, _p.id)  # as the index has them: else all players are looked at
)


def merged_ends(connection: Connection) -> dict[int, int]:
    """Return the player of today for every player who was merged into another."""
    into = dict(sorted((player, to) for to, player in connection.execute(MERGED)))
    return {player: end_of(player, into) for player in into}


def end_of(player: int, into: Mapping[int, int]) -> int:
    """Return the end of a chain of merges."""
    seen = {player}
    while (further := into.get(player)) is not None and further not in seen:
        seen.add(player := further)
    return player


def people_today(players: pl.Series, ends: dict[int, int]) -> pl.Series:
    """Return who these players are today.

    Examples
    --------
    >>> people_today(pl.Series([1, 2, None]), {2: 1}).to_list()
    [1, 1, None]
    """
    return players.cast(pl.Int64).replace(ends) if ends else players.cast(pl.Int64)
