"""Walk forward through games: foretell each period from the ratings before it, then rate it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
import polars as pl

from arpad.lab.course import Course, Step, course
from arpad.lab.foretold import Foretold
from arpad.lab.quick import quick_walk
from arpad.model import Games
from arpad.rate.form_list import list_on
from arpad.rate.next_list import next_list, rows_of
from arpad.rate.start import first_given
from arpad.scale import Curve, Logistic

if TYPE_CHECKING:
    from datetime import date

    from numpy.typing import NDArray

    from arpad.model import Ratings
    from arpad.rate import RatingSystem

    Array = NDArray[np.float64]

__all__ = ["Foreteller", "Step", "chain_walk", "walk"]


@runtime_checkable
class Foreteller(Protocol):
    """A system that walks by itself: it has its own way to foretell a period from all before it."""

    def foretell(self, games: Games, first: NDArray[np.int64]) -> tuple[Array, Array]:
        """Return the rating difference and White's expected score of each game, NaN for none.

        `games.table` is in the order of play; a period begins at each row of `first`, whose last is the
        number of games. What is said of a game may rest on games before its period's first row only.
        """
        ...


@runtime_checkable
class _Spread(Protocol):
    """A system whose expectation rests on errors, too."""

    def expected(
        self, rating: Array, error: Array, opponent: Array, opponent_error: Array, *, colour: int
    ) -> Array: ...


def walk(system: RatingSystem, games: Games | Course, *, period: Step = "month") -> Foretold:
    """Foretell every game from the ratings before its period, with a system's own curve.

    Ratings are those of an earlier period; else, where the system takes given ones, what the source says
    at the first game; else the system's start. Where it has none, a game is not foretold. A system without
    a curve of its own is read by the logistic.

    A `Foreteller` walks by itself; Elo and the systems with a spread walk on arrays (`quick_walk`), all others
    from list to list (`chain_walk`), which is the readable reference of it all. A `Course` has its period.

    Examples
    --------
    >>> import datetime as dt
    >>> from arpad.rate import system
    >>> days = [dt.date(2024, 1, 1)] * 9 + [dt.date(2024, 2, 1)]
    >>> columns = {"white": [0] * 10, "black": [1] * 10, "score": [1.0] * 10, "date": days}
    >>> found = walk(system("elo"), Games.assemble(columns, {"name": ["Ann", "Bob"]}))
    >>> found.rows["expected"].round(2).to_list()[-2:]
    [0.5, 0.7]
    """
    way = games if isinstance(games, Course) else course(games, period=period)
    if isinstance(system, Foreteller):
        found = system.foretell(way.games, way.first)
    else:
        found = quick_walk(system, way) or chain_walk(system, way)
    return _foretold(system, way, *found)


def chain_walk(system: RatingSystem, way: Course) -> tuple[Array, Array]:
    """Return each game's rating difference and White's expected score, from a chain of lists."""
    chain = _Chain(system)
    D, expected = np.full(len(way), np.nan), np.full(len(way), np.nan)
    for i, (day, rows) in enumerate(way.parts()):
        part = _subset(way.games, rows)
        here = slice(int(way.first[i]), int(way.first[i + 1]))
        D[here], expected[here] = chain.expected(part, day)
        chain.rate(part)
    return D, expected


def _foretold(system: RatingSystem, way: Course, D: Array, expected: Array) -> Foretold:
    rows = way.games.table.select("white", "black", "score", "date").with_columns(
        way.starts,
        pl.Series("earlier", way.earlier),
        pl.Series("difference", D),
        pl.Series("expected", expected),
        pl.int_range(pl.len(), dtype=pl.Int64).alias("game"),
    )
    return Foretold(
        system=system.name,
        parameters=system.parameters(),
        period=way.period,
        curve="own",
        rows=rows.filter(pl.col("expected").is_not_nan()),
    )


def _subset(games: Games, rows: pl.DataFrame) -> Games:
    """Return games whose players are those of the rows, with their row here as id."""
    here = np.unique(np.concatenate([rows["white"].to_numpy(), rows["black"].to_numpy()]))
    place = np.zeros(games.players.height, dtype=np.int32)
    place[here] = np.arange(len(here))
    table = rows.with_columns(
        *(pl.Series(side, place[rows[side].to_numpy()]) for side in ("white", "black"))
    )
    players = games.players[here.tolist()].with_columns(pl.Series("id", here).cast(pl.String))
    return Games(table, players, games.events)


class _Chain:
    """A system and its list, which grows period by period."""

    def __init__(self, system: RatingSystem) -> None:
        self.system = system
        self.listed: Ratings | None = None

    def rate(self, games: Games) -> None:
        """Rate a period; who does not play stays on the list."""
        _, self.listed = next_list(self.system, games, self.listed)

    def expected(self, games: Games, day: date) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the rating difference and White's expected score of each game."""
        rating, error = self._standing(games, day)
        white, black = (games.table[side].to_numpy() for side in ("white", "black"))
        D = rating[white] - rating[black]
        system = self.system
        if isinstance(system, _Spread):
            return D, system.expected(
                rating[white], error[white], rating[black], error[black], colour=1
            )
        curve = getattr(system, "curve", None)
        known, expected = ~np.isnan(D), np.full(len(D), np.nan)
        expected[known] = (curve if isinstance(curve, Curve) else Logistic()).expected(D[known])
        return D, expected

    def _standing(self, games: Games, day: date) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        n = games.players.height
        start = float(getattr(self.system, "start", np.nan))
        rating, error = np.full(n, np.nan), np.full(n, np.nan)
        if self.listed is not None:
            now = rows_of(self.listed, games)
            if hasattr(self.system, "pace"):
                now = list_on(self.system, now, day)  # type: ignore[arg-type]
            place = now.rows["id"].replace_strict(
                games.players["id"], np.arange(n), return_dtype=pl.Int64
            )
            rating[place] = now.rows["rating"].cast(pl.Float64).fill_null(np.nan).to_numpy()
            error[place] = now.rows["error"].cast(pl.Float64).fill_null(np.nan).to_numpy()
        known = ~np.isnan(rating)
        if getattr(self.system, "given", True):
            rating = np.where(known, rating, first_given(games, games.table))
        given = ~known & ~np.isnan(rating)
        rating = np.where(np.isnan(rating), start, rating)
        error = np.where(known, error, getattr(self.system, "start_error", np.nan))
        return rating, np.where(given, getattr(self.system, "given_error", np.nan), error)
