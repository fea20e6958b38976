"""Elo's periodic measurement: the performance over the last thirty games or more [Elo 1.52, 2.59]."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from arpad.rate.draws import smooth
from arpad.rate.elo_book.rules import ENOUGH, small_sample_difference
from arpad.rate.elo_reference import GAME_VARIANCE, coded, slope
from arpad.rate.historical.common import CALENDAR, RatingWindow, after, check, in_periods, starting
from arpad.rate.list_system import ListRates, entrants
from arpad.rate.periods import NEWCOMER_SPREAD, by_period
from arpad.rate.system import Range
from arpad.scale import Curve, Table, curve, indicated_difference

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from arpad.model import Games
    from arpad.rate.periods import Period
    from arpad.rate.system import State, Trace


FIGURES = ("games", "opponents", "points", "strangers")
"""Figures of a period: games, sum of the opponents' ratings, points, opponents of unknown strength."""
MEMORY: dict[str, Any] = {
    "window": pl.List(pl.Struct({"period": pl.Int64, **dict.fromkeys(FIGURES, pl.Float64)}))
}
"""The periods whose games still count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Periodic(ListRates):
    """Periodic measurement as a set of constants.

    At the end of each period everybody who played gets R_C + F · D_p: R_C is the average of the opponents'
    ratings before the period, D_p belongs to the percentage score. Earlier periods count too, the latest
    first, until there are thirty games. The factor F of table 8.85 is 1 from thirty games on; until then
    the rating is provisional.

    Parameters
    ----------
    curve
        From score to rating difference: table 2.11 unless another is given.
    minimum
        Games that the interval should include.
    window
        Periods that the interval has at most.
    small_samples
        Apply the factor F below thirty games [2.59].
    start
        Rating points of people with no connection to a rated player.
    given
        Start players from their first rating in the source, if there is one.
    period
        How often ratings appear: by default every quarter.

    Examples
    --------
    >>> from arpad.model import Games, Player
    >>> people = [Player(name="Ann", rating=1600.0), Player(name="Bob", rating=1800.0)]
    >>> games = Games.assemble({"white": [0] * 30, "black": [1] * 30, "score": [1.0, 0.5, 0.0] * 10}, people)
    >>> Periodic().rate(games).table().select("player", "rating", "status").rows()
    [('Ann', 1800.0, 'established'), ('Bob', 1600.0, 'established')]
    """

    name: ClassVar[str] = "periodic"
    memory: ClassVar[Mapping[str, Any]] = MEMORY
    usual_period: ClassVar[str] = "quarter"
    tunable: ClassVar[Mapping[str, Range]] = {
        "minimum": Range(10, 80, whole=True),
        "window": Range(1, 20, whole=True),
    }
    curve: Curve = field(default_factory=Table)
    minimum: int = ENOUGH
    window: int = 16
    small_samples: bool = True
    start: float = 1500.0
    given: bool = True
    period: Period | None = None

    def __post_init__(self) -> None:
        if isinstance(self.curve, str):
            object.__setattr__(self, "curve", curve(self.curve))
        check(period=self.period, positive={"minimum": self.minimum, "window": self.window}, start=self.start)
        coded(self.curve)  # a curve that measures ratios is refused here

    def advance(self, state: State, games: Games, *, trace: Trace | None = None) -> State:  # noqa: ARG002
        """Rate the games that were played, period by period."""
        here = entrants(self, state, games)
        played, periods, used = in_periods(here.games.rateable(), self.period, usual="quarter", gaps=True)
        ratings = starting(here, played, given=self.given)
        first = ratings.copy()
        window = RatingWindow(FIGURES, len(ratings), self.window)
        if used in CALENDAR:
            window.read(here.rows["window"])
        counted = np.zeros(len(ratings))
        error = here.figures("error")
        for number, sides in zip(np.unique(periods).tolist(), by_period(played, periods), strict=True):
            who = sides.players
            now, guessed = sides.estimated(ratings[who], self._indicated, self.start)
            met = sides.opponent
            strangers = sides.total(guessed[met].astype(np.float64))
            window.enter(
                number, who, sides.total(), sides.total(now[met]), sides.total(sides.score), strangers
            )
            sums = window.latest(who, self.minimum)
            who, (n, opponents, points, strangers) = who[sums[0] > 0], sums[:, sums[0] > 0]
            ratings[who] = opponents / n + self._indicated(n, points / n)
            counted[who] = n
            variance = (
                GAME_VARIANCE / (n * slope(smooth(self.curve)) ** 2) + strangers * (NEWCOMER_SPREAD / n) ** 2
            )
            error[who] = np.sqrt(variance)
        status = np.where(counted >= self.minimum, "established", "provisional")
        return after(
            here,
            played,
            parameters={**self.parameters(), "period": used},
            before=first,
            ratings=ratings,
            error=error,
            more={
                "status": pl.Series(status, dtype=pl.String),
                "counted": counted.astype(np.int64),
                # Only where the calendar numbers the periods, the next list knows which these were.
                "window": window.written() if used in CALENDAR else here.rows["window"].clear(len(counted)),
            },
        )

    def _indicated(self, n: NDArray[np.float64], P: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return F · D_p; 0 % and 100 % have the last difference of the table [1.54, (70)]."""
        result = []
        for games, share in zip(n.tolist(), np.clip(P, 0, 1).tolist(), strict=True):
            D_p = (
                indicated_difference(share, self.curve) if 0 < share < 1 else math.copysign(800, share - 0.5)
            )
            result.append(small_sample_difference(int(games), D_p) if self.small_samples else D_p)
        return np.array(result)
