"""The Correspondence Chess League of America's system [Elo 8.55 (52)]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

import numpy as np

from arpad.rate.elo_reference import chance_spread
from arpad.rate.historical.common import after, check, starting
from arpad.rate.list_system import ListRates, entrants
from arpad.rate.pool import straight_line
from arpad.scale import Curve, Linear

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from arpad.model import Games
    from arpad.rate.state import State
    from arpad.rate.trace import Trace


Schedule = Literal["formula", "chart"]
WIN = 16.0
"""Rating points for a win between equals [(52)]."""
SHARE = 0.06
"""Rating points that go from the higher rated to the lower for each point of difference [(52)]."""
STEP = 20.0
"""Points of difference in a row of the league's chart."""
STEPS = 14
"""Rows of the chart above the first: from 280 points on nothing changes any more."""


@dataclass(frozen=True, slots=True)
class CclaChart(Curve):
    """The score at which the league's printed chart leaves both ratings alone.

    P = ½ + (whole steps of 20 points, at most 14) / 32. The inverse gives the middle of the line through
    the steps, 640 (P − ½).

    Examples
    --------
    >>> CclaChart().expected(19.0), CclaChart().expected(20.0), CclaChart().expected(1000.0)
    (0.5, 0.53125, 0.9375)
    """

    name: ClassVar[str] = "ccla-chart"

    def _expected(self, D: NDArray[np.float64]) -> NDArray[np.float64]:
        steps = np.minimum(np.floor(np.abs(D) / STEP), STEPS)
        return 0.5 + np.sign(D) * steps / (2 * WIN)

    def _difference(self, P: NDArray[np.float64]) -> NDArray[np.float64]:
        return 2 * WIN * STEP * (P - 0.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ccla(ListRates):
    """The league's system as a set of constants.

    After each game R_n = R_o ± 16 + .06 D (52), D being the opponent's rating less one's own; a draw
    leaves the ±16 out. What one gains the other loses.

    Parameters
    ----------
    schedule
        "formula" is (52), which the book quotes from Williams, without any limit on D; "chart" is the
        table that the league itself publishes.
    start
        The rating of a player of whom nothing is known.
    given
        Start players from the first rating that the source gives them, if it does.
    newcomer_spread
        Standard deviation, in rating points, of what is not known of a newcomer.

    Examples
    --------
    >>> from arpad.model import Games, Player
    >>> pair = [Player(name="Ann", rating=1700.0), Player(name="Bob", rating=1600.0)]
    >>> games = Games.assemble({"white": [0], "black": [1], "score": [1.0]}, pair)
    >>> Ccla().rate(games).table().select("player", "rating").rows()
    [('Ann', 1710.0), ('Bob', 1590.0)]
    >>> Ccla(schedule="chart").rate(games).table().select("player", "rating").rows()
    [('Ann', 1711.0), ('Bob', 1589.0)]
    """

    name: ClassVar[str] = "ccla"
    schedule: Schedule = "formula"
    start: float = 1500.0
    given: bool = True
    newcomer_spread: float = 350.0

    def __post_init__(self) -> None:
        check(
            choices={"schedule": (self.schedule, get_args(Schedule))},
            positive={"newcomer_spread": self.newcomer_spread},
            start=self.start,
        )

    @property
    def curve(self) -> Linear | CclaChart:
        """The expected score for a difference in rating points: that of no change on average."""
        return self._line() if self.schedule == "formula" else CclaChart()

    def advance(self, state: State, games: Games, *, trace: Trace | None = None) -> State:  # noqa: ARG002
        """Rate the games that were played, one after the other."""
        here = entrants(self, state, games)
        played = here.games.rateable()
        first = starting(here, played, given=self.given)
        known = ~np.isnan(first)
        ratings = self._walk(played, np.where(known, first, self.start).tolist())
        n = np.bincount(played["white"].to_numpy(), minlength=len(first))
        n += np.bincount(played["black"].to_numpy(), minlength=len(first))
        doubt = np.nan_to_num(here.figures("error"))
        newcomer = np.where(known, doubt, self.newcomer_spread)
        k = np.full(len(first), 2 * WIN)
        return after(
            here,
            played,
            parameters=self.parameters(),
            before=first,
            ratings=ratings,
            error=chance_spread(k, n, newcomer, self._line()),
        )

    def _walk(self, played: pl.DataFrame, ratings: list[float]) -> NDArray[np.float64]:
        # Plain floats: a million games take about a second, and no compiler is loaded.
        chart = self.schedule == "chart"
        for white, black, score in played.select("white", "black", "score").iter_rows():
            D = ratings[white] - ratings[black]
            if chart:
                steps = min(abs(D) // STEP, STEPS)
                handed_over = steps if D > 0 else -steps
            else:
                handed_over = SHARE * D
            change = WIN * (2 * score - 1) - handed_over
            ratings[white] += change
            ratings[black] -= change
        return np.array(ratings, dtype=np.float64)

    def _line(self) -> Linear:
        """Return the straight line, through the chart's steps or that of (52): P = ½ + D / k."""
        share = SHARE if self.schedule == "formula" else 1 / STEP
        return straight_line(2 * WIN / share)
