"""People whom their games give away: two spellings that played the same game are one person.

Collections made from the files of single players hold a game twice, once with each spelling. Where the
names alone leave doubt (`persons`), the games do not.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.pool.persons import Persons, folded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["GAMES", "joined_by_games", "renamed", "same_people"]

GAMES = 2
"""Games that two spellings must share to be one person. Ours: one may be a slip."""


def renamed(table: pl.DataFrame, row: NDArray[np.int64]) -> pl.DataFrame:
    """Return the games with other numbers for `white` and `black`."""
    return table.with_columns(
        *(pl.Series(side, row[table[side].to_numpy()]) for side in ("white", "black"))
    )


def joined_by_games(
    table: pl.DataFrame, persons: Persons, names: pl.Series
) -> tuple[pl.DataFrame, Persons]:
    """Return the games, and who is who, after names were joined by their games, too."""
    again = same_people(table, names.to_list())
    moved = np.flatnonzero(again != np.arange(len(again)))
    more = pl.DataFrame(
        {
            "name": names.gather(moved),
            "person": names.gather(again[moved]),
            "games": [None] * len(moved),
            "why": ["the same games"] * len(moved),
        },
        schema=persons.joined.schema,
    )
    return renamed(table, again), Persons(
        row=again[persons.row],
        joined=pl.concat([persons.joined, more]),
        doubtful=persons.doubtful,
    )


def same_people(table: pl.DataFrame, names: Sequence[str]) -> NDArray[np.int64]:
    """Return, for each number of a person, the number to use instead.

    Two people are one if their surnames are one and, in one event, they have the same games: the same
    opponent, colours, score, length and round or day.

    Parameters
    ----------
    table
        Games with `key` (of the event), `white`, `black`, `score`, `round`, `date`, `exact`, `plies`.
    """
    shared: Counter[tuple[int, int]] = Counter()
    known = table.filter(
        pl.col("plies").is_not_null() & (pl.col("round").is_not_null() | pl.col("exact"))
    )
    for one, other in (("white", "black"), ("black", "white")):
        same = (
            known.group_by("key", "date", "round", "plies", "score", one)
            .agg(pl.col(other).unique().sort().alias("people"))
            .filter(pl.col("people").list.len() == 2)
        )
        shared.update((a, b) for a, b in same["people"].to_list())
    games = np.bincount(
        np.concatenate([table[side].to_numpy() for side in ("white", "black")]),
        minlength=len(names),
    )
    to = np.arange(len(names))
    for (a, b), n in sorted(shared.items()):
        if n >= GAMES and _surname(names[a]) == _surname(names[b]):
            one, other = to[a], to[b]
            most, least = (one, other) if games[one] >= games[other] else (other, one)
            to[to == least] = most
    return to


def _surname(name: str) -> str:
    return folded(name)[0].split(" ")[0]
