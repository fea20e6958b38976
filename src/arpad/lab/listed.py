"""Any registered system in a simulation: the games of a period and the list before it make the next list."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.model import Event, Games, Ratings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.lab.season import Opening, Round
    from arpad.rate.systems import RatingSystem

    Array = NDArray[np.float64]

__all__ = ["RatedByList", "player_name"]

FIRST_YEAR = 1000
"""A period is a month, counted from here: there is room for a hundred thousand of them."""
MOST_PERIODS = 12 * (9999 - FIRST_YEAR)


def player_name(row: int) -> str:
    """Return what the player of a row is called."""
    return f"P{row + 1:07d}"


class RatedByList:
    """The ratings of a system without a loop of its own.

    A period is one event, played on the first day of a month; the next period has the next month. Whoever
    starts or enters is on the list with the rating to start from, and with no games unless that rating is
    said to be established.
    """

    shift = 0.0

    def __init__(self, system: RatingSystem, opening: Opening, period: int) -> None:
        if period < 1:
            raise UsageError(f"expected a period of 1 round or more, found {period}")
        self.system, self.period, self.start = system, period, opening.start
        self.established = opening.established
        self.names = pl.Series("name", [player_name(i) for i in range(len(opening.start))])
        self.ratings = opening.start.copy()
        self.list = self._newcomers(np.flatnonzero(opening.here))
        self.waiting: list[Round] = []
        self.gone: list[NDArray[np.int32]] = []
        self.periods = 0

    def play(self, round_: Round) -> None:
        """Take a round; rate it with others when the period is full."""
        self.gone.append(round_.left)
        if not self.waiting:
            self._forget()
        if len(round_.entered):
            self.ratings[round_.entered] = self.start[round_.entered]
            self.list = pl.concat([self.list, self._newcomers(round_.entered)], how="diagonal_relaxed")  # fmt: skip
        self.waiting.append(round_)
        if len(self.waiting) >= self.period:
            self.close()

    def close(self) -> None:
        """Rate the rounds that are waiting."""
        if not self.waiting:
            return
        games = self._games()
        self.waiting.clear()
        self.periods += 1
        if len(games):
            self._rate(games)
        self._forget()

    def _rate(self, games: Games) -> None:
        found = self.system.rate(games, self._before()).rows
        stay = self.list.filter(~pl.col("player").is_in(found["player"].implode()))
        self.list = pl.concat([found.drop("rank"), stay], how="diagonal_relaxed")
        rows = found["player"].str.slice(1).cast(pl.Int64).to_numpy() - 1
        self.ratings[rows] = found["rating"].cast(pl.Float64).fill_null(float("nan")).to_numpy()

    def _forget(self) -> None:
        """Take those who left off the list, once the games that they still played are rated."""
        gone = np.concatenate([np.empty(0, dtype=np.int32), *self.gone])
        self.gone.clear()
        if len(gone):
            names = self.names.gather(gone)
            self.list = self.list.filter(~pl.col("player").is_in(names.implode()))

    def _newcomers(self, rows: NDArray[np.integer]) -> pl.DataFrame:
        n = len(rows)
        names = self.names.gather(rows)
        columns: dict[str, object] = {"player": names, "id": names, "rating": self.start[rows], "games": np.zeros(n, dtype=np.int64)}  # fmt: skip
        if not self.established:
            columns["total_games"] = np.zeros(n, dtype=np.int64)
            # Who is new is as little known as the system takes newcomers to be.
            error = getattr(self.system, "start_error", None)
            columns |= {} if error is None else {"error": np.full(n, error)}
        return pl.DataFrame(columns)

    def _before(self) -> Ratings:
        return Ratings(system=self.system.name, rows=self.list, parameters={})

    def _games(self) -> Games:
        white, black, score = (
            np.concatenate([getattr(r, name) for r in self.waiting])
            for name in ("white", "black", "score")
        )
        rounds = [f"{r.number + 1}.{i + 1}" for r in self.waiting for i in range(len(r.white))]
        who, place = np.unique(np.concatenate([white, black]), return_inverse=True)
        names = self.names.gather(who)
        if self.periods >= MOST_PERIODS:
            raise UsageError(f"more than {MOST_PERIODS:,} periods have no date: give a longer period")  # fmt: skip
        day = date(FIRST_YEAR + self.periods // 12, self.periods % 12 + 1, 1)
        first, last = self.waiting[0].number + 1, self.waiting[-1].number + 1
        columns = {
            "white": place[: len(white)],
            "black": place[len(white) :],
            "score": score,
            "date": pl.Series([day], dtype=pl.Date).new_from_index(0, len(white)),
            "event": np.zeros(len(white), dtype=np.int32),
            "round": rounds,
        }
        event = Event(name=f"Rounds {first} to {last}", kind="swiss", start=day, end=day)
        return Games.assemble(columns, {"name": names, "id": names}, [event])
