"""Glicko, Glicko-2 and Stephenson's system on arrays that go on, a month at a time."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.rate.form_state import LEAST_ERROR, Forms
from arpad.rate.onward import first_ratings, grown
from arpad.rate.timeline import Timeline, calendar, clock_of, day

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from arpad.rate.form_rating import FormSystem
    from arpad.read.batch import Batch

__all__ = ["FormWalker"]

EPOCH = date(1970, 1, 1)
NEVER = np.iinfo(np.int32).min


class FormWalker:
    """Everybody's rating and RD.

    The games of a month are kept until it ends; then those who played in it are taken out, rated and put back.
    """

    whole = False

    def __init__(self, system: FormSystem) -> None:
        self.system = system
        self.clock = clock_of(system.period)
        self.players = 0
        self.rating = np.zeros(0)
        self.error = np.zeros(0)
        self.volatility = np.zeros(0)
        self.at = np.zeros(0)
        self.first = np.zeros(0)
        self.played = np.zeros(0, dtype=np.int64)
        self.last = np.zeros(0, dtype=np.int32)
        self.until: float | None = None
        self.later = 0
        self._waiting: list[Batch] = []

    def take(self, batch: Batch, players: int) -> None:
        """Keep games until the month ends."""
        self.players = max(self.players, players)
        self._waiting.append(batch)

    def close(self, first: date | None) -> None:  # noqa: ARG002 - games have their days
        """Rate the month."""
        from arpad.read.batch import Batch

        self._grow()
        if not self._waiting:
            return
        month = Batch.joined(self._waiting)
        self._waiting = []
        if self._on is not None:
            before = month.day < (self._on - EPOCH).days
            self.later += int((~before).sum())
            month = month.rows(before)
        if len(month):
            self._begin(month)
            self._rate(month)

    @property
    def _on(self) -> date | None:
        return day(self.system.on)

    def _grow(self) -> None:
        system, n = self.system, self.players
        self.rating = grown(self.rating, n, system.start)
        self.error = grown(self.error, n, system.start_error)
        self.volatility = grown(self.volatility, n, system.usual_volatility or 0.0)
        self.at, self.first = grown(self.at, n, np.nan), grown(self.first, n, np.nan)
        self.played, self.last = grown(self.played, n, 0), grown(self.last, n, NEVER)

    def _begin(self, month: Batch) -> None:
        if not self.system.given or month.ratings is None:
            return
        who, given = first_ratings(month, self.played)
        who, given = who[~np.isnan(given)], given[~np.isnan(given)]
        self.rating[who], self.first[who] = given, given
        self.error[who] = np.clip(self.system.given_error, LEAST_ERROR, self.system.max_error)

    def _rate(self, month: Batch) -> None:
        here, white, black = self._present(month)
        line = self._line(month, white, black)
        state = Forms(
            rating=self.rating[here], error=self.error[here], volatility=self.volatility[here],
            at=self.at[here], known=~np.isnan(self.first[here]),
        )  # fmt: skip
        self.system.run(line, state)
        if not bool(np.isfinite(state.rating).all() and np.isfinite(state.error).all()):
            raise UsageError(f"{self.system.name} found no ratings for these constants: take milder ones")  # fmt: skip
        self.rating[here], self.error[here] = state.rating, state.error
        self.volatility[here], self.at[here] = state.volatility, state.at
        for side in (white, black):
            self.played[here] += np.bincount(side, minlength=len(here))
            latest = self.last[here]
            np.maximum.at(latest, side, month.day)
            self.last[here] = latest
        self.until = line.until

    def _present(self, month: Batch) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:  # fmt: skip
        """Return who plays in the month, and both sides as places among them."""
        there = np.zeros(len(self.rating), dtype=np.bool_)
        there[month.white] = there[month.black] = True
        here = np.flatnonzero(there)
        place = np.zeros(len(there), dtype=np.int32)
        place[here] = np.arange(len(here))
        return here, place[month.white], place[month.black]

    def _line(self, month: Batch, white: NDArray[np.int32], black: NDArray[np.int32]) -> Timeline:
        assert self.clock is not None
        days = pl.Series("_day", month.day).cast(pl.Date)
        played = pl.DataFrame({"white": white, "black": black, "score": month.score, "_day": days})
        return calendar(played, self.clock, self._on)

    def state(self) -> tuple[pl.DataFrame, dict[str, Any]]:
        """Return everybody's row, and when it is."""
        self._grow()
        names = ("rating", "error", "volatility", "at", "first", "played", "last")
        columns = {name: getattr(self, name)[: self.players] for name in names}
        return pl.DataFrame(columns), {"until": self.until, "later": self.later}

    def restore(self, rows: pl.DataFrame, rest: Mapping[str, Any]) -> None:
        """Take up where `state` was asked."""
        self.players = rows.height
        for name in rows.columns:
            setattr(self, name, rows[name].to_numpy().copy())
        self.until, self.later = rest["until"], rest["later"]

    def rows(self, people: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, object]]:
        """Return the list, with the columns that `rate` has."""
        system, n = self.system, people.height
        self.players = max(self.players, n)
        self._grow()
        assert self.clock is not None
        on = self._on
        until = self.until if self.until is not None else 0.0
        if on is not None:
            until = self.clock.at(on)
        elif self.until is not None:
            on = self.clock.begins(int(self.until))
        t = np.maximum(0.0, np.where(np.isnan(self.at), 0.0, until - self.at))
        error = np.sqrt(self.error**2 + system.pace(self.volatility) * t)
        own = {} if system.usual_volatility is None else {"volatility": self.volatility[:n]}
        before = pl.Series(self.first[:n]).fill_nan(None)
        last = pl.Series(self.last[:n])
        rows = pl.DataFrame(
            {
                "player": people["name"],
                "id": people["id"],
                "rating": self.rating[:n],
                "error": np.minimum(error, system.max_error)[:n],
                **own,
                "games": self.played[:n],
                "before": before,
                "change": pl.Series(self.rating[:n]) - before,
                "last": last.set(last == NEVER, None).cast(pl.Date),
            }
        ).with_columns(pl.lit(on, dtype=pl.Date).alias("on"))
        unit = self.clock.unit
        return rows, {**system.parameters(), "period": unit, "on": on}
