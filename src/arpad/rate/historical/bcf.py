"""The British Chess Federation's grades, by Clarke, 1958 [Elo 8.54, 1.52]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.rate.elo_reference import GAME_VARIANCE
from arpad.rate.historical.common import BCF_GRADE, CALENDAR, RatingWindow, after, check, in_periods, starting
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


Numbers = Literal["elo", "bcf"]
WHOLE = 100.0
"""Grade points for the whole of P: one for each hundredth, factor 1 in (49)."""
TOP_CLASS, CLASS_WIDTH = 248, 8
"""248–241 is grade 1a, 240–233 grade 1b, 232–225 grade 2a, and so on [8.54]."""
MEMORY: dict[str, Any] = {
    "periods": pl.List(pl.Struct({"period": pl.Int64, "games": pl.Float64, "points": pl.Float64}))
}
"""The periods whose games still count."""


def grade_class(grade: float) -> str:
    """Return the class of a grade, the printed bands carried on downwards; the top one has no end.

    Examples
    --------
    >>> [grade_class(g) for g in (255, 248, 241, 240, 232, 150)]
    ['1a', '1a', '1a', '1b', '2a', '7a']
    """
    if not math.isfinite(grade):
        raise UsageError(f"expected a grade, found {grade!r}")
    below = max(TOP_CLASS - math.floor(grade + 0.5), 0) // CLASS_WIDTH
    return f"{below // 2 + 1}{'ab'[below % 2]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bcf(ListRates):
    """The British grades as a set of constants.

    Every game is worth the opponent's grade, 50 more for a win and 50 less for a loss; a grade is the
    average over the games of two years. The list has it in `grade`, and in `rating` the points
    600 + 8 × grade.

    Parameters
    ----------
    minimum
        Games that a first grade needs. A player who has a grade and fewer games than these is topped up
        with games at the old grade.
    window
        Periods whose games count: two years in the book.
    limit
        Grade points: an opponent further away counts as this far, the "40-point rule"; None: none, as
        in the book.
    start
        Rating points of people who met nobody that is graded, even through others.
    given
        Start players from the first rating that the source gives them, if it does.
    given_in
        What ratings in the source are: Elo's points, or grades.
    period
        How often grades appear: by default every year.

    Examples
    --------
    >>> from arpad.model import Games, Player
    >>> pair = [Player(name="Ann", rating=160.0), Player(name="Bob", rating=140.0)]
    >>> games = Games.assemble({"white": [0] * 30, "black": [1] * 30, "score": [1.0] * 30}, pair)
    >>> Bcf(given_in="bcf").rate(games).table().select("player", "grade", "class").rows()
    [('Ann', 190.0, '4b'), ('Bob', 110.0, '9b')]
    """

    name: ClassVar[str] = "bcf"
    memory: ClassVar[Mapping[str, Any]] = MEMORY
    usual_period: ClassVar[str] = "year"
    tunable: ClassVar[Mapping[str, Range]] = {
        "minimum": Range(10, 80, whole=True),
        "window": Range(1, 4, whole=True),
        "limit": Range(10, 80),
    }
    minimum: int = 30
    window: int = 2
    limit: float | None = 40.0
    start: float = 1500.0
    given: bool = True
    given_in: Numbers = "elo"
    period: Period | None = None

    def __post_init__(self) -> None:
        check(
            period=self.period,
            choices={"given_in": (self.given_in, get_args(Numbers))},
            positive={"minimum": self.minimum, "window": self.window, "limit": self.limit},
            start=self.start,
        )

    @property
    def curve(self) -> Linear:
        """The expected score for a difference in rating points."""
        return straight_line(self._points(WHOLE), self._points(self.limit))

    def advance(self, state: State, games: Games, *, trace: Trace | None = None) -> State:  # noqa: ARG002
        """Grade the games that were played, year by year."""
        here = entrants(self, state, games)
        played, periods, used = in_periods(here.games.rateable(), self.period, usual="year", gaps=True)
        ratings = starting(here, played, given=self.given, native=BCF_GRADE, in_native=self.given_in == "bcf")
        first = ratings.copy()
        window = RatingWindow(("games", "points"), len(ratings), self.window)
        if used in CALENDAR:
            window.read(here.rows["periods"])
        everybody = np.arange(len(ratings))
        rests = window.latest(everybody)[0]  # games behind the last grade
        k, limit = self._points(WHOLE), self._points(self.limit)
        for shown in performances(
            played, periods, ratings, worth=lambda n: np.full(len(n), k), start=self.start, limit=limit
        ):
            who = shown.player
            window.enter(shown.period, who, shown.games, shown.games * shown.performance)
            rests[who], points = window.latest(who)
            # An old grade that is not known leaves NaN: too few games for a first one.
            missing = np.maximum(self.minimum - rests[who], 0)
            filled = np.where(missing > 0, missing * ratings[who], 0.0)
            ratings[who] = (points + filled) / (rests[who] + missing)
        rests = np.where(np.isnan(ratings), 0, rests)
        grades = BCF_GRADE.number(ratings)
        classes = [None if math.isnan(g) else grade_class(g) for g in grades]
        return after(
            here,
            played,
            parameters={**self.parameters(), "period": used},
            before=first,
            ratings=ratings,
            error=k * np.sqrt(GAME_VARIANCE * rests) / np.maximum(rests, self.minimum),
            native=BCF_GRADE,
            more={
                "class": pl.Series(classes, dtype=pl.String),
                "counted": rests.astype(np.int64),
                # Only where the calendar numbers the periods, the next list knows which these were.
                "periods": window.written()
                if used in CALENDAR
                else here.rows["periods"].clear(len(here.place)),
            },
        )

    def _points(self, grades: float | None) -> float:
        return math.inf if grades is None else grades * BCF_GRADE.unit
