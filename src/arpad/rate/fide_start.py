"""Everybody before FIDE's first month: from an earlier list, from the source, or unrated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.rate.fide_calendar import NEVER
from arpad.rate.fide_carried import EVER, Carried, PublishedList, read_carried
from arpad.rate.start import first_given, known_before

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.model import Games, Ratings
    from arpad.rate.fide_rules import FideRules

__all__ = ["FideStart", "starting"]

LOOK_BACK = 2
"""Months before the one in which it closes in which an event of 31 days may have begun."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FideStart:
    """Everybody's state before the first game.

    Parameters
    ----------
    listed
        Who has the rating from an earlier list, or has none by it.
    births
        Years, NaN where not known.
    doubt
        Standard deviation, in points, of each rating as an earlier list has it; 0 where it says nothing.
    lists
        The lists in force, oldest first; the last one is the present.
    waiting
        Games of the unrated, as in `WAITING`.
    opens
        The month of the newest list: no month before it takes any more changes.
    """

    listed: NDArray[np.bool_]
    births: NDArray[np.float64]
    doubt: NDArray[np.float64]
    lists: list[PublishedList]
    waiting: pl.DataFrame
    opens: int


def starting(
    games: Games,
    played: pl.DataFrame,
    before: Ratings | None,
    rules: FideRules,
    *,
    established: bool,
) -> FideStart:
    """Return where everybody starts.

    Who has fallen below the floor on an earlier list stays unrated, whatever the source gives. Who was
    never rated starts from the first rating that the source gives.
    """
    carried = _carried(games, before)
    listed = known_before(games, before, "rating")
    last = carried.lists.group_by("player", maintain_order=True).last()
    had = np.zeros(len(listed), dtype=np.bool_)
    rated_once = pl.col("rating").is_not_null() | (pl.col("total") > 0)
    had[carried.lists.filter(rated_once)["player"].to_numpy()] = True
    ratings = np.where(np.isnan(listed) & ~had, first_given(games, played), listed)
    total = np.where(np.isnan(ratings), 0, rules.new_games if established else 0)
    present = _present(games, before, rules, ratings, total, last)
    waiting = carried.waiting.filter(pl.Series(np.isnan(ratings)).gather(carried.waiting["player"]))
    opens = max(carried.lists["month"].to_list(), default=EVER)
    return FideStart(
        listed=~np.isnan(listed) | had,
        births=_births(games, before),
        doubt=np.nan_to_num(np.abs(known_before(games, before, "error"))),
        lists=_lists(carried.lists, present, max([*played["close"].head(1), opens])),
        waiting=waiting,
        opens=opens,
    )


def _carried(games: Games, before: Ratings | None) -> Carried:
    if before is None or "carried" not in before.rows.columns:
        texts = pl.Series([None] * games.players.height, dtype=pl.String)
    else:
        texts = before.lookup(games.players, "carried").cast(pl.String)
    return read_carried(texts)


def _present(
    games: Games,
    before: Ratings | None,
    rules: FideRules,
    ratings: NDArray[np.float64],
    total: NDArray[np.int64],
    last: pl.DataFrame,
) -> PublishedList:
    """Return the present as a list: games and K as far as an earlier list tells them."""
    totals = known_before(games, before, "total_games")
    given = known_before(games, before, "k")
    given = np.where(np.isnan(given), games.players["k"].to_numpy().astype(np.float64), given)
    topped, reached = ratings >= rules.top, ratings >= rules.junior_below
    knows = np.zeros(len(ratings), dtype=np.bool_)
    rows = last["player"].to_numpy()
    knows[rows] = True
    topped[rows] |= last["topped"].to_numpy()
    reached[rows] |= last["reached"].to_numpy()
    # Lists that say nothing of earlier ones may still show K.
    topped |= ~knows & (given == rules.k_top)
    total = np.where(np.isnan(totals), total, totals).astype(np.int64)
    adult = np.isnan(_births(games, before))
    new = (given == rules.k_new) & adult & np.isnan(totals) & ~np.isnan(ratings)
    return PublishedList(EVER, ratings, topped, reached, np.where(new, 0, total))


def _lists(history: pl.DataFrame, present: PublishedList, closing: int) -> list[PublishedList]:
    """Return the lists that events closing from `closing` on may be rated from, the present last."""
    if history.is_empty() or closing <= NEVER:  # play without dates goes on from the present
        return [_copy(present, EVER)]
    # What the earlier list says now stands for the newest of its lists, though it be put right by hand.
    old = history.filter(pl.col("player").is_duplicated() & ~_is_last())
    newest = history.filter(_is_last())
    months = sorted(m for m in history["month"].unique() if m > closing - LOOK_BACK)
    lists = []
    for month in [EVER, *months]:
        until = closing - LOOK_BACK if month == EVER else month
        current = newest.filter(pl.col("month") <= until)["player"]
        behind = old.filter(~pl.col("player").is_in(current.implode()))
        first = pl.col("month") == pl.col("month").min().over("player")
        row = (
            behind.filter((pl.col("month") <= until) | first)
            .group_by("player", maintain_order=True)
            .last()
        )
        lists.append(_with(present, month, row))
    return lists


def _is_last() -> pl.Expr:
    return pl.int_range(pl.len()).over("player") == pl.len().over("player") - 1


def _copy(present: PublishedList, month: int) -> PublishedList:
    return PublishedList(
        month,
        present.ratings.copy(),
        present.topped.copy(),
        present.reached.copy(),
        present.total.copy(),
    )


def _with(present: PublishedList, month: int, rows: pl.DataFrame) -> PublishedList:
    """Return the present with some players as an older list had them."""
    at, found = rows["player"].to_numpy(), _copy(present, month)
    arrays = [found.ratings, found.topped, found.reached, found.total]
    columns = (
        rows["rating"].fill_null(float("nan")),
        rows["topped"],
        rows["reached"],
        rows["total"],
    )
    for array, column in zip(arrays, columns, strict=True):
        array[at] = column.to_numpy()
    return found


def _births(games: Games, before: Ratings | None) -> NDArray[np.float64]:
    births = _birth_years(games.players["birth"])
    if before is None or "birth" not in before.rows.columns:
        return births
    return np.where(np.isnan(births), _birth_years(before.lookup(games.players, "birth")), births)


def _birth_years(births: pl.Series) -> NDArray[np.float64]:
    years = births.cast(pl.String).str.slice(0, 4).cast(pl.Float64, strict=False)
    return years.to_numpy().astype(np.float64, copy=True)
