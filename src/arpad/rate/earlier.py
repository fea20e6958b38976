"""What the systems before Elo's share: where players start, which games go together, the list.

The five of them are Ingo, Harkness, the British grades, the CCLA's and Berkin's [8.5, 8.6].
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, get_args

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.model import Ratings
from arpad.rate.periods import Period, period_numbers
from arpad.rate.start import first_given, known_before

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from arpad.model import Games
    from arpad.rate.native import Native

__all__ = ["check", "in_periods", "listed", "starting"]


def check(
    *,
    period: Period | None = None,
    choices: Mapping[str, tuple[str, tuple[str, ...]]] | None = None,
    positive: Mapping[str, float | None] | None = None,
    start: float = 0.0,
) -> None:
    """Refuse constants that no rating can be computed with."""
    if period is not None and period not in get_args(Period):
        raise UsageError(
            f"expected a period, one of {', '.join(get_args(Period))}; found {period!r}"
        )
    for name, (value, known) in (choices or {}).items():
        if value not in known:
            raise UsageError(f"expected {name} to be one of {', '.join(known)}; found {value!r}")
    for name, number in (positive or {}).items():
        if number is not None and not (math.isfinite(number) and number > 0):
            raise UsageError(f"expected {name} above 0, found {number!r}")
    if not math.isfinite(start):
        raise UsageError(f"expected a finite start rating, found {start!r}")


def starting(
    games: Games,
    played: pl.DataFrame,
    before: Ratings | None,
    *,
    given: bool,
    native: Native | None = None,
    in_native: bool = False,
) -> NDArray[np.float64]:
    """Return everybody's rating before the first game, NaN for newcomers.

    From an earlier list, else from the source.

    Parameters
    ----------
    native
        The system's own numbers. A list that has them is read by them.
    in_native
        Ratings in the source, and in a list without that column, are such numbers.
    """

    def points(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        known = np.isfinite(numbers)
        found = np.full(len(numbers), np.nan)
        found[known] = numbers[known] if native is None else native.rating(numbers[known])
        return found

    def read(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        return points(numbers) if in_native else np.where(np.isfinite(numbers), numbers, np.nan)

    ratings = np.full(games.players.height, np.nan)
    if native is not None:
        ratings = points(known_before(games, before, native.column))
    ratings = np.where(np.isnan(ratings), read(known_before(games, before, "rating")), ratings)
    if given:
        ratings = np.where(np.isnan(ratings), read(first_given(games, played)), ratings)
    return ratings


def in_periods(
    played: pl.DataFrame, period: Period | None, *, usual: Period, gaps: bool = False
) -> tuple[pl.DataFrame, NDArray[np.int64], str]:
    """Return the games in the order of their periods, their numbers, and what a period was.

    Parameters
    ----------
    period
        None: the system's `usual` one if the games tell it; for games that name no event their months;
        for games without dates all of them together ("all").
    gaps
        Number the periods of the calendar without games too.
    """
    known = {name: played[name].null_count() < played.height for name in ("event", "date")}
    chosen: str = period or usual
    if period is None and chosen == "event" and not known["event"]:
        chosen = "month"
    if period is None and chosen != "event" and not known["date"]:
        chosen = "all"
    if chosen in ("all", "game"):
        each = np.zeros if chosen == "all" else np.arange
        return played, np.asarray(each(played.height), dtype=np.int64), chosen
    needed = "event" if chosen == "event" else "date"
    if played.height and not known[needed]:
        raise UsageError(
            f"the period {chosen!r} needs the {needed} of the games, and none is given"
        )
    played, numbers = period_numbers(played, chosen, gaps=gaps)  # type: ignore[arg-type]
    return played, numbers.to_numpy(), chosen


def listed(
    games: Games,
    played: pl.DataFrame,
    *,
    system: str,
    parameters: Mapping[str, object],
    before: NDArray[np.float64],
    ratings: NDArray[np.float64],
    error: NDArray[np.float64],
    native: Native | None = None,
    more: Mapping[str, NDArray[np.generic] | pl.Series] | None = None,
) -> Ratings:
    """Return the list of everybody who played; NaN is nobody's rating."""
    n = games.players.height
    mine = sum(np.bincount(played[side].to_numpy(), minlength=n) for side in ("white", "black"))
    own: dict[str, NDArray[np.float64]] = {}
    if native is not None:
        own[native.column] = np.full(n, np.nan)
        rated = ~np.isnan(ratings)
        own[native.column][rated] = native.number(ratings[rated])
    rows = pl.DataFrame(
        {
            "player": games.players["name"],
            "id": games.players["id"],
            "rating": ratings,
            "error": np.where(np.isnan(ratings), np.nan, error),
            **own,
            "games": np.asarray(mine, dtype=np.int64),
            "before": before,
            "change": ratings - before,
            **(more or {}),
        }
    )
    rows = rows.with_columns(pl.col(pl.Float64).fill_nan(None)).filter(pl.col("games") > 0)
    return Ratings.rank(rows, system=system, parameters=parameters, games=games)
