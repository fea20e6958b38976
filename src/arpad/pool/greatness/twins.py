"""What stands in a database twice, and what only seems to belong together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.pool.greatness.group_rules import PAUSE

if TYPE_CHECKING:
    from datetime import date

    from numpy.typing import NDArray

__all__ = ["SHORTER", "once", "parts", "twins"]

SHORTER = 0.05
"""The share of the moves by which two sources of one match differ at most."""


def once(table: pl.DataFrame) -> pl.DataFrame:
    """Mark games that the same event has already: the same players, score and length, and round or day.

    Collections put together from the games of single players hold a game of two of them twice, often
    under two spellings. Where no length is known nothing tells two games apart. One day for all games is
    the event's: then games of two rounds are two.
    """
    game = ("group", "white", "black", "score", "plies")
    by_round = pl.col("round").is_not_null() & ~pl.struct(*game, "round").is_first_distinct()
    told_by_day = pl.col("round").is_null() | (pl.col("date").n_unique().over("group") > 1)
    by_day = pl.col("exact") & told_by_day & ~pl.struct(*game, "date").is_first_distinct()
    return table.with_columns((pl.col("plies").is_not_null() & (by_round | by_day)).alias("again"))


def parts(table: pl.DataFrame) -> pl.DataFrame:
    """Give each part of an event whose players no game links a `group` of its own."""
    if table.is_empty():
        return table
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    people = int(table.select(pl.max_horizontal("white", "black").max()).item()) + 1
    white, black = (_node(table, side, people) for side in ("white", "black"))
    nodes, place = np.unique(np.concatenate([white, black]), return_inverse=True)
    one, other = np.split(place, 2)
    links = coo_matrix((np.ones(len(one), dtype=np.int8), (one, other)), shape=(len(nodes),) * 2)
    _, label = connected_components(links, directed=False)
    # Numbered as they first appear, so that the events of one name stay together.
    _, begins, number = np.unique(label[one], return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(begins))
    return table.with_columns(pl.Series("group", rank[number].astype(np.int64)))


def twins(table: pl.DataFrame) -> dict[int, int]:
    """Return which group has exactly the games of another one, under another name.

    The same results of the same players, at most a year (where days are known, a pause) and one move in
    twenty apart: two matches may end alike by chance. The one that has more ratings beside its games, then the one in which more days are
    known, is kept.
    """
    # A sum does not mind the order; sums of 64-bit marks are equal by chance once in a universe.
    marks = pl.Series("mark", table.select("white", "black", "score").hash_rows(seed=1))
    facts = (
        table.with_columns(marks.cast(pl.UInt64) % (1 << 40))
        .group_by("group")
        .agg(
            pl.col("mark").sum(),
            pl.len().alias("games"),
            pl.col("year").min(),
            pl.col("plies").sum(),
            pl.col("white_rating").is_not_null().sum().alias("rated"),
            pl.col("exact").sum(),
            pl.when(pl.col("exact").all()).then(pl.col("date").min()).alias("start"),
        )
        .sort("rated", "exact", "group", descending=[True, True, False])
    )
    found: dict[int, int] = {}
    kept: dict[tuple[int, int], list[tuple[int, int, date | None, int]]] = {}
    for group, mark, games, year, plies, _, _, start in facts.iter_rows():
        alike = kept.setdefault((mark, games), [])
        for other, then, began, length in alike:
            near = abs(then - year) <= 1
            if began is not None and start is not None:
                near = abs((began - start).days) <= PAUSE
            if near and abs(length - plies) <= SHORTER * max(length, plies):
                found[group] = other
                break
        else:
            alike.append((group, year, start, plies))
    return found


def _node(table: pl.DataFrame, side: str, people: int) -> NDArray[np.int64]:
    return np.asarray(table["group"].to_numpy() * people + table[side].to_numpy())
