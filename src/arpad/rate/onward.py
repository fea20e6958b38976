"""Rate on, month after month, from what is kept of every player: memory grows with players, not with games.

A walker takes the games of a month in pieces, and can say at its end all that the next month needs: a column
table with a row a player. `Elo` and the systems with a spread walk on arrays; every other system that can go on
from a list is called with the list before the month.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.model import Ratings, ranked

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from numpy.typing import NDArray

    from arpad.rate.systems import RatingSystem
    from arpad.read.batch import Batch

__all__ = ["Walker", "first_ratings", "grown", "listed", "walker"]


class Walker(Protocol):
    """Everybody's standing, which goes on with every month."""

    @property
    def whole(self) -> bool:
        """Whether it needs `Batch.games`, a month at a time."""
        ...

    def take(self, batch: Batch, players: int) -> None:
        """Take games of the month; numbers of players are below `players`."""
        ...

    def close(self, first: date | None) -> None:
        """End a month that began on the day `first`, as far as that is known."""
        ...

    def state(self) -> tuple[pl.DataFrame, dict[str, Any]]:
        """Return all that the next month needs: a row a player, and the rest."""
        ...

    def restore(self, rows: pl.DataFrame, rest: Mapping[str, Any]) -> None:
        """Take up where `state` was asked."""
        ...

    def rows(self, people: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, object]]:
        """Return the list without ranks, for `name` and `id` of everybody, and the parameters used."""
        ...


def walker(system: RatingSystem, *, months: bool) -> Walker:
    """Return what rates on with a system.

    Parameters
    ----------
    months
        Whether the parts of the archive are months of the calendar.
    """
    from arpad.rate.bcf import Bcf
    from arpad.rate.elo import Elo
    from arpad.rate.glicko import Glicko
    from arpad.rate.glicko2 import Glicko2
    from arpad.rate.onward_elo import EloWalker
    from arpad.rate.onward_form import FormWalker
    from arpad.rate.onward_list import ListWalker
    from arpad.rate.stephenson import Stephenson
    from arpad.rate.whr import Whr

    if isinstance(system, Whr):
        raise UsageError("whr looks back: every game changes the past, and all games are needed at once")  # fmt: skip
    period = "year" if isinstance(system, Bcf) else getattr(system, "period", None)
    spread = isinstance(system, Glicko | Glicko2 | Stephenson)
    if isinstance(system, Elo) and period == "game":
        return EloWalker(system)
    if not months:
        raise UsageError(
            f"{system.name} rates by periods, and the names of these files tell no months: name the folders "
            "month=2015-01, or put 2015-01 into the names of the files"
        )
    if period in ("quarter", "year") or (spread and period not in (None, "month", "day")):
        raise UsageError(
            f"an archive is rated month by month, and {system.name} has a period of {period!r} here: take month or day"
        )
    if isinstance(system, Elo) and period in ("day", "month"):
        return EloWalker(system)
    return FormWalker(system) if spread else ListWalker(system)  # type: ignore[arg-type]


def listed(system: RatingSystem, rows: pl.DataFrame, parameters: Mapping[str, object], source: Mapping[str, Any]) -> Ratings:  # fmt: skip
    """Return the list, best first, of who has played."""
    return Ratings(system=system.name, rows=ranked(rows.filter(pl.col("games") > 0)), parameters=dict(parameters), source=source)  # fmt: skip


def grown(values: NDArray[Any], players: int, fill: float) -> NDArray[Any]:
    """Return an array with room for so many players; it doubles, so that this is seldom work."""
    if players <= len(values):
        return values
    more = np.full(max(players, 2 * len(values), 1024), fill, dtype=values.dtype)
    more[: len(values)] = values
    return more


def first_ratings(
    batch: Batch, played: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return who plays a first game in a batch, and the rating that the source has beside it, NaN for none.

    A rating that stands only beside a later game is not looked at: it would be knowledge of the future.
    """
    sides = np.empty(2 * len(batch), dtype=np.int64)
    sides[::2], sides[1::2] = batch.white, batch.black
    at = np.flatnonzero(played[sides] == 0)
    who, earliest = np.unique(sides[at], return_index=True)
    rows = at[earliest]
    given = np.full(len(who), np.nan)
    if batch.ratings is not None:
        white = rows % 2 == 0
        given[white] = batch.ratings[0][rows[white] // 2]
        given[~white] = batch.ratings[1][rows[~white] // 2]
    return who, given
