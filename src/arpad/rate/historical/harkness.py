"""Harkness's system, the U.S. federation's from 1950 to 1960 [Elo 8.53 (49)–(51)]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from arpad.rate.historical.common import after, check, in_periods, starting
from arpad.rate.list_system import Entrants, ListRates, entrants
from arpad.rate.pool import performances, straight_line
from arpad.rate.state import Range

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from arpad.model import Games
    from arpad.rate.periods import Period
    from arpad.rate.pool import Showing
    from arpad.rate.state import State
    from arpad.rate.trace import Trace
    from arpad.scale import Linear


PER_HUNDREDTH = 10.0
"""Rating points for one hundredth of P in long events [(49)]."""
PER_WIN = 50.0
"""Rating points for a win more than losses in short events [(50)]."""
LONG_FROM = 10
"""Games from which on (49) is used: "over nine" [8.53]."""
LAST = 4
"""Performances that make a rating [(51)]."""


def worth(games: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return k in R_p = R_c + k (P − ½) for this many games.

    (50), R_c + 50 (W − L), is the same with k = 100 N; (49) has k = 1000. They meet at ten games.

    Examples
    --------
    >>> worth(np.array([1.0, 8.0, 10.0, 15.0]))
    array([ 100.,  800., 1000., 1000.])
    """
    return np.where(games >= LONG_FROM, 100 * PER_HUNDREDTH, 2 * PER_WIN * games)


@dataclass(frozen=True, slots=True, kw_only=True)
class Harkness(ListRates):
    """Harkness's system as a set of constants.

    A rating is the average of the last four performances, one an event.

    Parameters
    ----------
    limit
        Rating points: opponents further away count as this far; None: none, as in the book.
    start
        Rating points of people who met nobody that is rated, even through others.
    given
        Start players from the first rating that the source gives them, if it does.
    period
        Which games make one performance: by default an event.

    Examples
    --------
    >>> from arpad.model import Games, Player
    >>> pair = [Player(name="Ann", rating=1600.0), Player(name="Bob", rating=1850.0)]
    >>> games = Games.assemble({"white": [0], "black": [1], "score": [0.0]}, pair)
    >>> Harkness().rate(games).table().select("player", "rating", "performance_1").rows()
    [('Bob', 1800.0, 1650.0), ('Ann', 1650.0, 1800.0)]
    """

    name: ClassVar[str] = "harkness"
    tunable: ClassVar[Mapping[str, Range]] = {"limit": Range(100, 800)}
    limit: float | None = None
    start: float = 1500.0
    given: bool = True
    period: Period | None = None

    def __post_init__(self) -> None:
        check(period=self.period, positive={"limit": self.limit}, start=self.start)

    @property
    def curve(self) -> Linear:
        """The expected score for a difference in rating points, that of (49)."""
        return straight_line(100 * PER_HUNDREDTH, self.limit or math.inf)

    def advance(self, state: State, games: Games, *, trace: Trace | None = None) -> State:  # noqa: ARG002
        """Rate the games that were played, event by event."""
        here = entrants(self, state, games)
        played, periods, used = in_periods(here.games.rateable(), self.period, usual="event")
        ratings = starting(here, played, given=self.given)
        first = ratings.copy()
        past = _Past.start(here, ratings)
        for shown in performances(
            played, periods, ratings, worth=worth, start=self.start, limit=self.limit or math.inf
        ):
            ratings[shown.player] = past.add(shown)
        return after(
            here,
            played,
            parameters={**self.parameters(), "period": used},
            before=first,
            ratings=ratings,
            error=past.error(),
            more={f"performance_{i + 1}": past.shown[:, i] for i in range(LAST)},
        )


@dataclass(frozen=True, slots=True)
class _Past:
    """Everybody's last four performances, the newest first; NaN where there are fewer."""

    shown: NDArray[np.float64]
    variance: NDArray[np.float64]

    @classmethod
    def start(cls, here: Entrants, ratings: NDArray[np.float64]) -> _Past:
        """Take them from an earlier list; a rating of which nothing else is known stands for all four."""
        columns = [here.figures(f"performance_{i + 1}") for i in range(LAST)]
        shown = np.stack(columns, axis=1)
        unknown = np.isnan(shown).all(axis=1)
        shown[unknown] = ratings[unknown, None]
        # The list has the error of the average: each of the performances gets the same share of it.
        share = np.nan_to_num(here.figures("error")) ** 2 * (~np.isnan(shown)).sum(axis=1)
        return cls(shown, np.where(np.isnan(shown), np.nan, share[:, None]))

    def add(self, new: Showing) -> NDArray[np.float64]:
        """Put in the newest, drop the oldest, and return the averages."""
        for each, value in ((self.shown, new.performance), (self.variance, new.variance)):
            each[new.player, 1:] = each[new.player, :-1]
            each[new.player, 0] = value
        return np.asarray(np.nanmean(self.shown[new.player], axis=1))

    def error(self) -> NDArray[np.float64]:
        """Return one standard deviation of each average, from chance in these games alone."""
        number = np.maximum((~np.isnan(self.variance)).sum(axis=1), 1)
        return np.asarray(np.sqrt(np.nansum(self.variance, axis=1)) / number)
