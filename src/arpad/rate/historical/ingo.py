"""Hößlinger's Ingo system, West Germany 1948–1992 [Elo 8.52 (47), (48)]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

import numpy as np

from arpad.errors import UsageError
from arpad.rate.historical.common import INGO_NUMBER, after, check, in_periods, starting
from arpad.rate.list_system import ListRates, entrants
from arpad.rate.pool import performances, straight_line
from arpad.rate.state import Range

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arpad.model import Games
    from arpad.rate.periods import Period
    from arpad.rate.state import State
    from arpad.rate.trace import Trace
    from arpad.scale import Linear


Numbers = Literal["elo", "ingo"]
WHOLE = 100.0
"""Ingo points for the whole of P: one for each hundredth [(47)]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingo(ListRates):
    """The Ingo system as a set of constants.

    R_p = R_c − (P − 50) after each event (47), R_n = (3 R_o + R_p) / 4 (48). Small numbers are good; the
    list has them in `ingo`, and in `rating` the points 2840 − 8 × Ingo.

    Parameters
    ----------
    share
        The weight of the new performance, a quarter in (48).
    limit
        Ingo points: opponents further away count as this far, the "40-degree limit" of the German
        rules; None: none, as in the book.
    start
        Rating points of people who met nobody with a number, even through others.
    given
        Start players from the first rating that the source gives them, if it does.
    given_in
        What ratings in the source are: Elo's points, or Ingo numbers.
    period
        Which games make one evaluation: by default an event.

    Examples
    --------
    >>> from arpad.model import Games, Player
    >>> pair = [Player(name="Ann", rating=110.0), Player(name="Bob", rating=120.0)]
    >>> games = Games.assemble({"white": [0], "black": [1], "score": [1.0]}, pair)
    >>> Ingo(given_in="ingo").rate(games).table().select("player", "ingo", "rating").rows()
    [('Ann', 100.0, 2040.0), ('Bob', 130.0, 1800.0)]
    """

    name: ClassVar[str] = "ingo"
    tunable: ClassVar[Mapping[str, Range]] = {"share": Range(0.05, 0.8), "limit": Range(10, 80)}
    share: float = 0.25
    limit: float | None = 40.0
    start: float = 1500.0
    given: bool = True
    given_in: Numbers = "elo"
    period: Period | None = None

    def __post_init__(self) -> None:
        check(
            period=self.period,
            choices={"given_in": (self.given_in, get_args(Numbers))},
            positive={"share": self.share, "limit": self.limit},
            start=self.start,
        )
        if self.share > 1:
            raise UsageError(f"expected a share of at most 1, found {self.share!r}")

    @property
    def curve(self) -> Linear:
        """The expected score for a difference in rating points."""
        return straight_line(self._points(WHOLE), self._points(self.limit))

    def advance(self, state: State, games: Games, *, trace: Trace | None = None) -> State:  # noqa: ARG002
        """Rate the games that were played, event by event."""
        here = entrants(self, state, games)
        played, periods, used = in_periods(here.games.rateable(), self.period, usual="event")
        ratings = starting(
            here, played, given=self.given, native=INGO_NUMBER, in_native=self.given_in == "ingo"
        )
        first = ratings.copy()
        variance = np.nan_to_num(here.figures("error")) ** 2
        index = np.nan_to_num(here.figures("index")).astype(np.int64)
        k, limit = self._points(WHOLE), self._points(self.limit)
        for shown in performances(
            played, periods, ratings, worth=lambda n: np.full(len(n), k), start=self.start, limit=limit
        ):
            who = shown.player
            share = np.where(shown.newcomer, 1.0, self.share)
            old = np.where(shown.newcomer, 0.0, ratings[who])
            ratings[who] = (1 - share) * old + share * shown.performance
            variance[who] = (1 - share) ** 2 * variance[who] + share**2 * shown.variance
            index[who] += 1
        return after(
            here,
            played,
            parameters={**self.parameters(), "period": used},
            before=first,
            ratings=ratings,
            error=np.sqrt(variance),
            native=INGO_NUMBER,
            more={"index": index},
        )

    def _points(self, ingo: float | None) -> float:
        return math.inf if ingo is None else ingo * abs(INGO_NUMBER.unit)
