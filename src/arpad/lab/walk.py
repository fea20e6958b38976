"""Walk forward through games: foretell each period from the ratings before it, then rate it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.lab.foretold import Foretold
from arpad.model import Games
from arpad.rate.form_list import list_on
from arpad.rate.glicko import Glicko
from arpad.rate.glicko2 import Glicko2
from arpad.rate.periods import period_numbers
from arpad.rate.pra import Pra, PraBasic
from arpad.rate.pra_list import list_moved, list_part
from arpad.rate.start import first_given
from arpad.rate.stephenson import Stephenson
from arpad.scale import Curve, Logistic

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from numpy.typing import NDArray

    from arpad.model import Ratings
    from arpad.rate import RatingSystem

__all__ = ["Step", "walk"]

Step = Literal["day", "month", "quarter", "year"]
"""How far a walk goes before it looks at results."""

_LENGTH: dict[Step, str] = {"day": "1d", "month": "1mo", "quarter": "1q", "year": "1y"}


def walk(system: RatingSystem, games: Games, *, period: Step = "month") -> Foretold:
    """Foretell every game from the ratings before its period, with a system's own curve.

    Ratings are those of an earlier period; else, where the system takes given ones, what the source says
    at the first game; else the system's start. Where it has none, a game is not foretold. A system without
    a curve of its own is read by the logistic.

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
    if period not in get_args(Step):
        raise UsageError(f"expected a period, one of {', '.join(get_args(Step))}; found {period!r}")
    played = games.rateable().filter(pl.col("date").is_not_null())
    if not played.height:
        raise UsageError("a walk through time needs games with dates, and found none")
    seen = np.zeros(games.players.height, dtype=np.int64)
    chain = _Chain(system)
    parts = []
    for day, rows in _periods(played, period):
        part = _subset(games, rows)
        parts.append(_foretell(chain, part, rows, seen, day))
        for side in ("white", "black"):
            seen += np.bincount(rows[side], minlength=len(seen))
        chain.rate(part)
    return Foretold(
        system=system.name,
        parameters=system.parameters(),
        period=period,
        curve="own",
        rows=pl.concat(parts),
    )


def _periods(played: pl.DataFrame, period: Step) -> Iterator[tuple[date, pl.DataFrame]]:
    numbered, numbers = period_numbers(played, period)
    numbered = numbered.with_columns(numbers.alias("_period"))
    for part in numbered.partition_by("_period", maintain_order=True):
        yield part["date"].dt.truncate(_LENGTH[period])[0], part.drop("_period")


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
        before = None if self.listed is None else self._of(games, self.listed)
        rated = self.system.rate(games, before)
        if self.listed is None:
            self.listed = rated
            return
        earlier = self.listed
        if isinstance(self.system, Pra | PraBasic):
            earlier = list_moved(earlier, rated)
        rest = earlier.rows.join(rated.rows, on="id", how="anti")
        rows = pl.concat([rated.rows, rest], how="diagonal_relaxed")
        self.listed = replace(rated, rows=rows)

    def expected(self, games: Games, day: date) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the rating difference and White's expected score of each game."""
        rating, error = self._standing(games, day)
        white, black = (games.table[side].to_numpy() for side in ("white", "black"))
        D = rating[white] - rating[black]
        system = self.system
        if isinstance(system, Glicko | Glicko2 | Stephenson):
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
            now = self._of(games, self.listed)
            if isinstance(self.system, Glicko | Glicko2 | Stephenson):
                now = list_on(self.system, now, day)
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

    @staticmethod
    def _of(games: Games, listed: Ratings) -> Ratings:
        return list_part(listed, listed.rows.join(games.players.select("id"), on="id", how="semi"))


def _foretell(
    chain: _Chain, part: Games, rows: pl.DataFrame, seen: NDArray[np.int64], day: date
) -> pl.DataFrame:
    D, expected = chain.expected(part, day)
    earlier = np.minimum(seen[rows["white"].to_numpy()], seen[rows["black"].to_numpy()])
    found = rows.select("white", "black", "score", "date").with_columns(
        pl.lit(day).alias("period"),
        pl.Series("earlier", earlier),
        pl.Series("difference", D),
        pl.Series("expected", expected),
    )
    return found.filter(pl.col("expected").is_not_nan())
