"""An archive advances a state month after month: memory grows with players, not with games."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.model import PLAYER_SCHEMA, STATUS, Games, filled, ranked

if TYPE_CHECKING:
    from datetime import date

    from numpy.typing import NDArray

    from arpad.model import Ratings
    from arpad.rate.state import State
    from arpad.rate.system import RatingSystem
    from arpad.read.archive import GameBatch


LONGER = ("quarter", "year")
"""Periods that no month holds."""


class Advancing:
    """The state of a system in an archive, and the games of a month that are not rated yet.

    Parameters
    ----------
    months
        Whether the parts of the archive are months of the calendar.
    """

    def __init__(self, system: RatingSystem, *, months: bool) -> None:
        self.system = system
        period = getattr(system, "period", None) or getattr(system, "usual_period", None)
        if getattr(system, "whole_past", False):
            raise UsageError(f"{system.name} needs all games at once: every game changes earlier ratings")
        # After every game: pieces of any size will do.
        self.at_once = getattr(system, "plain", False) and period == "game"
        if not self.at_once and not months:
            raise UsageError(
                f"{system.name} rates by periods, and the names of these files tell no months: name the folders "
                "month=2015-01, or put 2015-01 into the names of the files"
            )
        whole_days = getattr(system, "reckons_time", False) and period not in (None, "month", "day")
        if period in LONGER or whole_days:
            raise UsageError(
                f"an archive is rated month by month, and {system.name} has a period of {period!r} here: take month or day"
            )
        self.whole = not (getattr(system, "plain", False) and period != "event")
        self.players = filled({}, PLAYER_SCHEMA)
        self.state: State = system.begin(self.players)
        self._waiting: list[GameBatch] = []

    def take(self, batch: GameBatch, players: int) -> None:
        """Take games of the month; numbers of players are below `players`."""
        self._grow(players)
        if self.at_once:
            self._advance(self._arrays(batch))
        else:
            self._waiting.append(batch)

    def close(self, first: date | None) -> None:
        """End a month that began on the day `first`, as far as that is known."""
        from arpad.read.archive import GameBatch

        waiting, self._waiting = self._waiting, []
        if not sum(map(len, waiting)):
            return
        self._advance(
            self._numbered(waiting[0], first) if self.whole else self._arrays(GameBatch.joined(waiting))
        )

    def ratings(self, people: pl.DataFrame) -> Ratings:
        """Return the list, best first, for `name` and `id` of everybody."""
        self._grow(people.height)
        state = self.state
        if people.height > len(state):
            state = state.joined(self.system.begin(self.players.slice(len(state))))
        named = state.rows.with_columns(people["name"].alias("player"), people["id"])
        listed = self.system.ratings(replace(state, rows=named))
        rows = listed.rows.drop("rank").filter(pl.col("games") > 0)
        return replace(listed, rows=ranked(rows))

    def _grow(self, players: int) -> None:
        if players > self.players.height:
            self.players = self.players.clear(players)

    def _advance(self, games: Games) -> None:
        self.state = self.system.advance(self.state, games)

    def _arrays(self, batch: GameBatch) -> Games:
        """Return the games of a batch in the order of play."""
        n = len(batch)
        given = self._first_given(batch)
        none = pl.repeat(None, n, dtype=pl.Float64, eager=True)
        table = pl.DataFrame(
            {
                "white": batch.white,
                "black": batch.black,
                "score": batch.score,
                "status": pl.repeat("played", n, dtype=STATUS, eager=True),
                "date": pl.Series(batch.day).cast(pl.Date),
                "event": pl.repeat(None, n, dtype=pl.Int32, eager=True),
                "round": pl.repeat(None, n, dtype=pl.String, eager=True),
                "white_rating": none if given is None else pl.Series(given[0]).fill_nan(None),
                "black_rating": none if given is None else pl.Series(given[1]).fill_nan(None),
            }
        )
        return Games(table, self.players)

    def _first_given(self, batch: GameBatch) -> NDArray[np.float64] | None:
        """Return the ratings beside games that are a player's first; two rows, NaN for none.

        A rating that stands only beside a later game is not looked at: it would be knowledge of the future.
        """
        if batch.ratings is None or not getattr(self.system, "given", True):
            return None
        played = np.zeros(self.players.height, dtype=np.int64)
        played[: len(self.state)] = self.state.rows["games"].to_numpy()
        sides = np.stack([batch.white, batch.black], axis=1).ravel()
        at = np.flatnonzero(played[sides] == 0)
        result = np.full((2, len(batch)), np.nan)
        if len(at):
            _, earliest = np.unique(sides[at], return_index=True)
            row, side = np.divmod(at[earliest], 2)
            result[side, row] = np.stack(batch.ratings)[side, row]
        return result

    def _numbered(self, batch: GameBatch, first: date | None) -> Games:
        """Return games with the players' numbers, and dates where only the month is known."""
        assert batch.games is not None
        assert batch.numbers is not None
        games, numbers = batch.games, batch.numbers
        place = np.full(self.players.height, -1, dtype=np.int64)
        place[numbers] = np.arange(len(numbers))
        rows = pl.Series(place).replace(-1, None)
        players = games.players.select(pl.all().gather(rows))
        number = pl.Series(numbers, dtype=pl.Int32)
        table = games.table.with_columns(
            number.gather(games.table[side]).alias(side) for side in ("white", "black")
        )
        if first is not None and table["date"].null_count() == table.height:
            table = table.with_columns(pl.lit(first, dtype=pl.Date).alias("date"))
        return Games(table, players, games.events)
