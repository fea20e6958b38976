"""The British Chess Federation's grades, by Clarke, 1958 [Elo 8.54, 1.52]."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.rate.elo_reference import GAME_VARIANCE
from arpad.rate.historical.common import BCF_GRADE, after, check, in_periods, starting
from arpad.rate.list_system import ListRates, entrants
from arpad.rate.pool import Showing, performances, straight_line
from arpad.rate.state import Range

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

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
CALENDAR = ("day", "month", "quarter", "year")
"""Periods whose numbers mean the same in every call."""


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
        book = _Book(len(ratings), self.window, self.minimum)
        if used in CALENDAR:
            book.go_on(here.rows["periods"])
        k, limit = self._points(WHOLE), self._points(self.limit)
        for shown in performances(
            played, periods, ratings, worth=lambda n: np.full(len(n), k), start=self.start, limit=limit
        ):
            ratings[shown.player] = book.graded(shown, ratings[shown.player])
        rests = np.where(np.isnan(ratings), 0, book.rests)
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
                "periods": book.periods()
                if used in CALENDAR
                else here.rows["periods"].clear(len(here.place)),
            },
        )

    def _points(self, grades: float | None) -> float:
        return math.inf if grades is None else grades * BCF_GRADE.unit


class _Book:
    """Everybody's points and games in the periods that count."""

    def __init__(self, players: int, window: int, minimum: int) -> None:
        self.window, self.minimum = window, minimum
        self.points = np.zeros(players)
        self.games = np.zeros(players)
        self.rests = np.zeros(players)  # games behind the last grade
        self.kept: deque[Showing] = deque()

    def go_on(self, periods: pl.Series) -> None:
        """Take each player's periods that still count from an earlier list."""
        known = (
            pl.DataFrame({"player": np.arange(len(periods)), "of": periods})
            .explode("of")
            .drop_nulls()
            .unnest("of")
        )
        for (period,), part in (
            known.filter(pl.col("games") > 0).sort("period").group_by("period", maintain_order=True)
        ):
            who, n = part["player"].to_numpy(), part["games"].to_numpy()
            nobody, nothing = np.zeros(len(who), dtype=np.bool_), np.zeros(len(who))
            showing = Showing(who, nobody, n, part["points"].to_numpy() / n, nothing, period)
            self._enter(showing, 1)
            self.kept.append(showing)
            self.rests[who] = self.games[who]

    def periods(self) -> pl.Series:
        """Return everybody's periods that still count."""
        found: dict[int, list[dict[str, float]]] = {}
        for each in self.kept:
            rows = (each.player, each.games, each.games * each.performance)
            for player, n, points in zip(*(c.tolist() for c in rows), strict=True):
                found.setdefault(player, []).append({"period": each.period, "games": n, "points": points})
        return pl.Series([found.get(p) for p in range(len(self.games))], dtype=MEMORY["periods"])

    def graded(self, new: Showing, old: NDArray[np.float64]) -> NDArray[np.float64]:
        """Enter a period and return the new grades of those who played, NaN for too few games."""
        self._enter(new, 1)
        self.kept.append(new)
        while new.period - self.kept[0].period >= self.window:
            self._enter(self.kept.popleft(), -1)
        n, points = self.games[new.player], self.points[new.player]
        self.rests[new.player] = n
        missing = np.maximum(self.minimum - n, 0)
        # An old grade that is not known leaves NaN: too few games for a first one.
        filled = np.where(missing > 0, missing * old, 0.0)
        return (points + filled) / (n + missing)

    def _enter(self, shown: Showing, sign: int) -> None:
        self.games[shown.player] += sign * shown.games
        self.points[shown.player] += sign * shown.games * shown.performance
