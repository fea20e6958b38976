"""Whole-history rating run forward only: what it would have said at the time, period after period.

After every period all games so far are fitted anew. The curves of the last fit are where the next begins,
so that it takes a few passes. No later game is ever looked at.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.model import Games
from arpad.rate.form import SCALE, predicted
from arpad.rate.whr_fit import Fit, fit
from arpad.rate.whr_points import Points, lay_out
from arpad.rate.whr_run import EPOCH, beside_first, hold

if TYPE_CHECKING:
    from datetime import date

    from numpy.typing import NDArray

    from arpad.rate.whr import Whr

__all__ = ["Forward", "foretell"]

TOLERANCE = 1.0
"""Points: what is left to go is a fifth of that at most, the next period goes on from there, and a smaller
one foretold no better."""


class Forward:
    """A whole-history system and all games that it has seen.

    Players are told apart by their id; games come in the order of time, a period at a time.
    """

    def __init__(self, system: Whr) -> None:
        self.system = system
        self.rows: dict[str, int] = {}
        self.held: list[float] = []
        self.games: list[tuple[NDArray[np.float64], ...]] = []
        self.points: Points | None = None
        self.fit: Fit | None = None

    def rate(self, games: Games) -> None:
        """Take in the games of a period, and fit all curves anew."""
        played = games.rateable()
        if not played.height:
            return
        known = len(self.rows)
        # Who only stands on the list has no curve, and no row here.
        playing = np.zeros(games.players.height, dtype=np.bool_)
        for side in ("white", "black"):
            playing[played[side].to_numpy()] = True
        rows = self._rows(games.players, new=playing)
        given = beside_first(games, played)
        self.held.extend([math.nan] * (len(self.rows) - known))
        for row, rating in zip(rows.tolist(), given.tolist(), strict=True):
            if row >= known and self.system.given:
                self.held[row] = rating
        days = played["date"].forward_fill().backward_fill().to_physical().to_numpy()
        sides = (rows[played[side].to_numpy()] for side in ("white", "black"))
        self.games.append((*sides, played["score"].to_numpy(), days.astype(np.int64)))
        self._fit()

    def expected(self, games: Games, day: date) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the rating difference and White's expected score of games on or after a day."""
        rating, error = self.standing(games, day)
        white, black = (games.table[side].to_numpy() for side in ("white", "black"))
        plus = self.system.white_advantage or 0.0
        if self.fit is not None:
            plus = self.fit.white_advantage
        return rating[white] - rating[black], predicted(
            rating[white], error[white], rating[black], error[black], plus
        )

    def standing(self, games: Games, day: date) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return rating and error of everybody in these games on the morning of a day."""
        rows = self._rows(games.players)
        new = rows < 0
        own = beside_first(games, games.table) if self.system.given else np.full(len(rows), np.nan)
        held = np.r_[np.array(self.held), own[new]]
        priors = hold(self.system, held, np.full(len(held), self.system.given_error))
        rating = np.where(np.isnan(own), priors.level, own)
        error = np.where(
            np.isnan(own), 2 * SCALE / math.sqrt(priors.draws), self.system.given_error
        )
        if self.points is not None and self.fit is not None:
            last = self.points.first[1:] - 1
            old = last[rows[~new]]
            waited = np.maximum((day - EPOCH).days - self.points.day[old], 0)
            rating[~new] = self.fit.rating[old]
            error[~new] = np.sqrt(self.fit.variance[old] + self.system.w2 * waited)
        return rating, error

    def _fit(self) -> None:
        white, black, score, days = (np.concatenate(part) for part in zip(*self.games, strict=True))
        held = np.array(self.held)
        priors = hold(self.system, held, np.full(len(held), self.system.given_error))
        points = lay_out(white, black, score, days, priors, w2=self.system.w2)
        self.fit = fit(
            points,
            white_advantage=self.system.white_advantage,
            tolerance=max(self.system.tolerance, TOLERANCE),
            errors="opponents",  # the level of all is the same on both sides of a game
            start=self._start(points),
        )
        self.points = points

    def _start(self, points: Points) -> NDArray[np.float64]:
        """Return where a fit begins: at the last one, at its nearest earlier point."""
        rating = points.started() * SCALE
        if self.points is None or self.fit is None:
            return rating
        at = np.searchsorted(self.points.keys, points.keys, side="right") - 1
        known = (at >= 0) & (self.points.player[at] == points.player)
        rating[known] = self.fit.rating[at[known]]
        return rating

    def _rows(
        self, players: pl.DataFrame, new: NDArray[np.bool_] | None = None
    ) -> NDArray[np.int64]:
        """Return everybody's row here, −1 for strangers; those who are `new` get rows."""
        found = []
        for at, (name, number) in enumerate(players.select("name", "id").iter_rows()):
            key = f"name {name}" if number is None else f"id {number}"
            if new is not None and new[at] and key not in self.rows:
                self.rows[key] = len(self.rows)
            found.append(self.rows.get(key, -1))
        return np.array(found, dtype=np.int64)


def foretell(
    system: Whr, games: Games, first: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the rating difference and White's expected score of each game, from the periods before its own.

    Parameters
    ----------
    games
        Played, dated, in the order of play.
    first
        Row where each period begins, and at last the number of games.
    """
    forward = Forward(system)
    difference, expected = np.zeros(len(games)), np.zeros(len(games))
    for a, b in zip(first[:-1].tolist(), first[1:].tolist(), strict=True):
        part = _part(games, games.table[a:b])
        difference[a:b], expected[a:b] = forward.expected(part, part.table["date"][0])
        forward.rate(part)
    return difference, expected


def _part(games: Games, rows: pl.DataFrame) -> Games:
    """Return games whose players are those of the rows, with their row here as id."""
    sides = [rows[side].to_numpy() for side in ("white", "black")]
    here, at = np.unique(np.concatenate(sides), return_inverse=True)
    table = rows.with_columns(
        pl.Series("white", at[: len(rows)], dtype=pl.Int32),
        pl.Series("black", at[len(rows) :], dtype=pl.Int32),
    )
    players = games.players[here.tolist()].with_columns(pl.Series("id", here).cast(pl.String))
    return Games(table, players, games.events)
