"""Walk forward through games: predict each period from the ratings before it, then rate it; test windows."""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol, get_args, runtime_checkable

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.lab.metrics import SUREST, PredictedGames, log_losses
from arpad.model import Games, Ratings
from arpad.rate.list_system import standing, with_given
from arpad.rate.periods import Clock, period_numbers
from arpad.scale import Curve, Logistic

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from arpad.rate.system import RatingSystem

    Array = NDArray[np.float64]


# The split of time: what a system may learn from, what its constants are chosen on, what it is judged by.
#
# Games before the validation window only rate; those of the validation window choose (constants, White's
# advantage, scale); those of the test window judge, and never choose anything.

LAST_SHARE = 5
"""Default test window, as a share of the periods: the last fifth."""
LARGEST_MONTH = 999
"""A number up to this is a month counted from 1; a larger one is a year."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Windows:
    """First days: validation goes up to the day before the test, the test to the day before `end`."""

    validation_from: date
    test_from: date
    end: date | None = None

    def __post_init__(self) -> None:
        later = self.end is not None and self.end <= self.test_from
        if self.validation_from >= self.test_from or later:
            raise UsageError(
                "expected the validation window before the test window, and both before the end; found "
                f"validation from {day_called(self.validation_from)}, test from {day_called(self.test_from)}"
                + (f", end {day_called(self.end)}" if self.end else "")
            )

    def validation(self, way: GamePeriods) -> NDArray[np.bool_]:
        """Say of each game whether it is in the validation window, by its day."""
        return _between(way, self.validation_from, self.test_from)

    def test(self, way: GamePeriods) -> NDArray[np.bool_]:
        """Say of each game whether it is in the test window, by its day."""
        return _between(way, self.test_from, self.end)

    def words(self) -> str:
        """Return the split as people say it."""
        validation, test = day_called(self.validation_from), day_called(self.test_from)
        until = "" if self.end is None else f" until before {day_called(self.end)}"
        return f"validation from {validation}, test from {test}{until}"


def _between(way: GamePeriods, since: date, until: date | None) -> NDArray[np.bool_]:
    """Say it by the day of the game: a period may begin in one window and end in the next."""
    days = way.games.table["date"]
    inside = days >= since
    return (inside if until is None else inside & (days < until)).to_numpy()


def moment(text: str | date) -> date:
    """Return a day from 2015-01-01, 2015-01 or 2015, or from the number of a month such as 85.

    Examples
    --------
    >>> [str(moment(text)) for text in ("2015-01-01", "2015-07", "2015", "85")]
    ['2015-01-01', '2015-07-01', '2015-01-01', '0008-01-01']
    """
    if isinstance(text, date):
        return text
    plain = text.strip()
    try:
        if re.fullmatch(r"\d+", plain) and 1 <= int(plain) <= LARGEST_MONTH:
            year, month = divmod(int(plain) - 1, 12)
            return date(year + 1, month + 1, 1)
        if result := re.fullmatch(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?", plain):
            return date(*(int(part or 1) for part in result.groups()))
    except ValueError:
        pass
    raise UsageError(
        f"expected a day (2015-01-01), a month (2015-01), a year (2015) or the number of a month up to "
        f"{LARGEST_MONTH}; found {text!r}"
    )


def day_called(day: date) -> str:
    """Return a day as people write it; of months that are only counted, their number.

    Examples
    --------
    >>> day_called(date(2015, 1, 1)), day_called(date(8, 1, 1))
    ('2015-01-01', 'month 85')
    """
    number = 12 * (day.year - 1) + day.month
    return f"month {number}" if number <= LARGEST_MONTH else str(day)


def windows(
    days: Sequence[date],
    *,
    validation_from: str | date | None = None,
    test_from: str | date | None = None,
    end: str | date | None = None,
) -> Windows:
    """Return the split: what is not said is the last fifth of the periods, and the year before it.

    Parameters
    ----------
    days
        The first day of each period.
    """
    if test_from is None:
        if len(days) < 3:
            raise UsageError(
                f"expected periods for learning, validation and test, found {len(days)}",
                code="too-few-periods",
            )
        tested = days[-max(1, len(days) // LAST_SHARE)]
    else:
        tested = moment(test_from)
    validated = _year_before(tested) if validation_from is None else moment(validation_from)
    last = None if end is None else moment(end)
    return Windows(validation_from=validated, test_from=tested, end=last)


def _year_before(day: date) -> date:
    if day.year == 1:
        return date.min
    return (
        Clock("month").begins(int(Clock("month").at(day)) - 12) if day.day == 1 else day - timedelta(days=365)
    )


# White's advantage and the scale of a system, fitted to an earlier window: the same for every system.
#
#     logit E′ = a + b · logit E
#
# b stretches the scale of ratings and a is White's advantage on it. It is asked of the expected score and not
# of the rating difference, so that systems whose expectation rests on more (an RD, an age) keep it: their
# logit is g · D · ln 10 / 400. For a logistic curve it is exactly a scale and an advantage in points. Two
# figures for everybody, whatever the curve.

POINTS = 400 / math.log(10)
"""Rating points for one unit of the logit [Elo 8.43]."""
MOST_STEPS = 60
TOLERANCE = 1e-9
STEEPEST = 20.0
"""No fit stretches a scale more than this many times, nor moves it by more than this many logits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalibration:
    """The two figures, what they were fitted to, and how well."""

    a: float
    """White's advantage, in logits."""
    b: float
    """Scale: above 1 the system was too timid, below 1 too sure."""
    n: int
    """Games that it was fitted to."""
    log_loss: float
    """Of those games, with the figures."""

    @property
    def white_advantage(self) -> float:
        """White's advantage in points of the scale on which 200 points are .76; NaN where b is 0."""
        return POINTS * self.a / self.b if self.b else math.nan

    def apply(self, E: Array) -> Array:
        """Return recalibrated expected scores."""
        return _expit(self.a + self.b * _logit(E))


def recalibration(S: Array, E: Array) -> Recalibration:
    """Fit a and b by least log loss (Newton's steps; the loss is convex, so that there is one answer).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> E = rng.uniform(0.1, 0.9, 50_000)
    >>> truth = 1 / (1 + np.exp(-0.2 - 0.8 * np.log(E / (1 - E))))
    >>> found = recalibration((rng.random(50_000) < truth).astype(float), E)
    >>> round(found.a, 1), round(found.b, 1)
    (0.2, 0.8)
    """
    if not len(S):
        raise UsageError("White's advantage and the scale need games to be fitted to, and there are none")
    x = _logit(E)
    at = np.array([0.0, 1.0])
    value = _loss(at, S, x)
    for _ in range(MOST_STEPS):
        fitted = _expit(at[0] + at[1] * x)
        miss, weight = fitted - S, fitted * (1 - fitted)
        slope = np.array([miss.mean(), (miss * x).mean()])
        bend = np.array(
            [[weight.mean(), (weight * x).mean()], [(weight * x).mean(), (weight * x * x).mean()]]
        )
        # A touch of ridge: all expectations equal, or all results alike, have no second figure.
        step = np.linalg.solve(bend + 1e-9 * np.eye(2), slope)
        moved, best = _descended(at, step, value, S, x)
        done = value - best < TOLERANCE and float(np.abs(moved - at).max()) < 1e-7
        at, value = moved, best
        if done:
            break
    a, b = (float(figure) for figure in at)
    return Recalibration(a=a, b=b, n=len(S), log_loss=value)


def _descended(at: Array, step: Array, value: float, S: Array, x: Array) -> tuple[Array, float]:
    """Go the step, or a half, a quarter … of it, so that the loss does not grow."""
    for half in range(30):
        moved = np.clip(at - step / 2**half, -STEEPEST, STEEPEST)
        result = _loss(moved, S, x)
        if result <= value:
            return moved, result
    return at, value


def _loss(at: Array, S: Array, x: Array) -> float:
    return float(log_losses(S, _expit(at[0] + at[1] * x)).mean())


def _logit(E: Array) -> Array:
    E = np.clip(E, SUREST, 1 - SUREST)
    return np.asarray(np.log(E) - np.log1p(-E))


def _expit(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


# The course of a walk: dated games in the order of play, cut into periods, each with what came before.
#
# It is made once and walked by every system, so that all of them meet the same games in the same order.

Step = Literal["day", "month", "quarter", "year"]
"""Length of a period of the walk."""
_LENGTH: dict[Step, str] = {"day": "1d", "month": "1mo", "quarter": "1q", "year": "1y"}


@dataclass(frozen=True, slots=True, kw_only=True)
class GamePeriods:
    """Games in the order of play, in periods.

    `games.table` has the games that count, in that order; `first` is the row where each period begins, and
    at last the number of rows; `days` is each period's first day; `earlier` is, for each game, how many
    games the less experienced of the two had before its period; `undated` is how many were left out.
    """

    games: Games
    period: Step
    first: NDArray[np.int64]
    days: tuple[date, ...]
    earlier: NDArray[np.int64]
    undated: int = 0

    def __len__(self) -> int:
        """Return the number of games."""
        return self.games.table.height

    @property
    def starts(self) -> pl.Series:
        """The first day of each game's period."""
        days = pl.Series("period", self.days, dtype=pl.Date)
        return days.gather(np.repeat(np.arange(len(self.days)), np.diff(self.first)))

    def scores(self) -> NDArray[np.float64]:
        """Return White's score in each game."""
        return self.games.table["score"].to_numpy()

    def before(self, day: date) -> GamePeriods:
        """Return the course of the games before a day: nobody who holds it can see any further."""
        rows = int((self.games.table["date"] < day).sum())
        kept = int(np.searchsorted(self.first[:-1], rows))
        return GamePeriods(
            games=Games(self.games.table.head(rows), self.games.players, self.games.events),
            period=self.period,
            first=np.r_[self.first[:kept], rows],
            days=self.days[:kept],
            earlier=self.earlier[:rows],
            undated=self.undated,
        )

    def parts(self) -> Iterator[tuple[date, pl.DataFrame]]:
        """Yield each period's first day and its games."""
        for i, day in enumerate(self.days):
            yield day, self.games.table[int(self.first[i]) : int(self.first[i + 1])]


def course(games: Games, *, period: Step = "month") -> GamePeriods:
    """Return the course of the games that were played and have a date.

    Examples
    --------
    >>> import datetime as dt
    >>> days = [dt.date(2024, 1, 3), dt.date(2024, 1, 9), dt.date(2024, 4, 1)]
    >>> columns = {"white": [0, 1, 0], "black": [1, 0, 1], "score": [1.0, 0.5, 0.0], "date": days}
    >>> way = course(Games.assemble(columns, {"name": ["Ann", "Bob"]}))
    >>> way.first.tolist(), [str(day) for day in way.days], way.earlier.tolist()
    ([0, 2, 3], ['2024-01-01', '2024-04-01'], [0, 0, 2])
    """
    if period not in get_args(Step):
        raise UsageError(f"expected a period, one of {', '.join(get_args(Step))}; found {period!r}")
    rateable = games.rateable()
    played = rateable.filter(pl.col("date").is_not_null())
    if not played.height:
        raise UsageError("a walk through time needs games with dates, and found none")
    played, numbers = period_numbers(played, period)
    number = numbers.to_numpy()
    first = np.r_[0, np.flatnonzero(np.diff(number)) + 1, len(number)]
    begun = played["date"].gather(first[:-1]).dt.truncate(_LENGTH[period])
    return GamePeriods(
        games=Games(played, games.players, games.events),
        period=period,
        first=first,
        days=tuple(begun),
        earlier=_earlier(played, first, games.players.height),
        undated=rateable.height - played.height,
    )


def _earlier(played: pl.DataFrame, first: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Return how many games the less experienced of the two had before the period, for each game."""
    white, black = (played[side].to_numpy() for side in ("white", "black"))
    seen = np.zeros(n, dtype=np.int64)
    earlier = np.zeros(len(white), dtype=np.int64)
    for a, b in itertools.pairwise(first):
        earlier[a:b] = np.minimum(seen[white[a:b]], seen[black[a:b]])
        seen += np.bincount(white[a:b], minlength=n) + np.bincount(black[a:b], minlength=n)
    return earlier


# Walk forward through games: predict each period from the ratings before it, then rate it.

A_PERIOD = 5_000
"""Games, about, that a period without a compiled kernel costs beside its own."""


@runtime_checkable
class Predictor(Protocol):
    """A system that has its own way to predict a period from all before it."""

    def predict_games(self, games: Games, first: NDArray[np.int64]) -> tuple[Array, Array]:
        """Return the rating difference and White's expected score of each game, NaN for none.

        `games.table` is in the order of play; a period begins at each row of `first`, whose last is the
        number of games. What is said of a game may rest on games before its period's first row only.
        """
        ...


def walk(system: RatingSystem, games: Games | GamePeriods, *, period: Step = "month") -> PredictedGames:
    """Predict every game from the ratings before its period, with a system's own curve.

    Ratings are those of an earlier period; else, where the system takes given ones, what the source says
    at the first game; else the system's start. Where it has none, a game is not predicted. A system without
    a curve of its own is read by the logistic.

    A `Predictor` walks by itself; every other system begins with the players, is asked for each period, and
    is advanced by it. A `GamePeriods` has its period.

    Examples
    --------
    >>> import datetime as dt
    >>> from arpad.rate import system
    >>> days = [dt.date(2024, 1, 1)] * 9 + [dt.date(2024, 2, 1)]
    >>> columns = {"white": [0] * 10, "black": [1] * 10, "score": [1.0] * 10, "date": days}
    >>> found = walk(system("elo"), Games.assemble(columns, {"name": ["Ann", "Bob"]}))
    >>> found.rows["expected"].round(2).to_list()[-2:]
    [0.5, 0.7]
    """
    way = games if isinstance(games, GamePeriods) else course(games, period=period)
    result = (
        system.predict_games(way.games, way.first) if isinstance(system, Predictor) else _advance(system, way)
    )
    return _predicted(system, way, *result)


def expected_scores(system: RatingSystem, way: GamePeriods, rows: NDArray[np.int64]) -> Array:
    """Return White's expected score of some games of a course, NaN where there is none."""
    result = walk(system, way).rows
    every = np.full(len(way), np.nan)
    every[result["game"].to_numpy()] = result["expected"].to_numpy()
    return every[rows]


def _advance(system: RatingSystem, way: GamePeriods) -> tuple[Array, Array]:
    """Return each game's rating difference and White's expected score, period by period."""
    players, table = way.games.players, way.games.table
    white, black = (table[side].to_numpy() for side in ("white", "black"))
    own = entry_ratings(way) if getattr(system, "given", True) else np.full(len(players), np.nan)
    state = system.begin(players.with_columns(pl.Series("rating", own).fill_nan(None)))
    state = state.expecting(len(way) + A_PERIOD * len(way.days))
    D, expected = np.full(len(way), np.nan), np.full(len(way), np.nan)
    for i, (day, rows) in enumerate(way.parts()):
        part = Games(rows, players, way.games.events)
        here = slice(int(way.first[i]), int(way.first[i + 1]))
        state = with_given(state, part) if getattr(system, "given", True) else state
        rating = standing(system, state)
        D[here] = rating[white[here]] - rating[black[here]]
        expected[here] = system.expected(state, white[here], black[here], day)
        state = system.advance(state, part)
    return D, expected


def entry_ratings(way: GamePeriods) -> Array:
    """Return the rating that the source gives each player in the period of the first game, NaN for none.

    That is the player's own entry, else the earliest beside a game of that period: who comes without a
    rating is on the next list, and a later one is not looked at.
    """
    table, n = way.games.table, way.games.players.height
    own = way.games.players["rating"].to_numpy().astype(np.float64, copy=True)
    period = np.repeat(np.arange(len(way.days)), np.diff(way.first))
    sides = [
        pl.DataFrame(
            {
                "player": table[side],
                "rating": table[f"{side}_rating"],
                "period": period,
                "at": np.arange(len(way)),
            }
        )
        for side in ("white", "black")
    ]
    both = pl.concat(sides).sort("at")
    debut = np.full(n, len(way.days), dtype=np.int64)
    np.minimum.at(debut, both["player"].to_numpy(), both["period"].to_numpy())
    given = both.filter(
        pl.col("rating").is_not_null() & (pl.col("period") == debut[both["player"].to_numpy()])
    ).unique("player", keep="first", maintain_order=True)
    result = np.full(n, np.nan)
    result[given["player"].to_numpy()] = given["rating"].to_numpy()
    return np.where(np.isnan(own), result, own)


def _predicted(system: RatingSystem, way: GamePeriods, D: Array, expected: Array) -> PredictedGames:
    rows = way.games.table.select("white", "black", "score", "date").with_columns(
        way.starts,
        pl.Series("earlier", way.earlier),
        pl.Series("difference", D),
        pl.Series("expected", expected),
        pl.int_range(pl.len(), dtype=pl.Int64).alias("game"),
    )
    return PredictedGames(
        system=system.name,
        parameters=system.parameters(),
        period=way.period,
        curve="own",
        rows=rows.filter(pl.col("expected").is_not_nan()),
    )


# The ratings that stand beside the games, as a system: what a federation published at the time.


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedSystem:
    """Ratings as published: nothing is computed, a game is predicted from the two beside it.

    A game without both is not predicted.
    """

    name: ClassVar[str] = "published"
    curve: Curve = field(default_factory=Logistic)

    def parameters(self) -> dict[str, object]:
        """Return every constant by name."""
        return self.curve.parameters()

    def rate(self, games: Games, before: Ratings | None = None) -> Ratings:  # noqa: ARG002
        """Return the last rating beside a game of each player."""
        played = games.rateable()
        sides = [
            played.select(pl.col(s).alias("row"), pl.col(f"{s}_rating").alias("rating"))
            for s in ("white", "black")
        ]
        both = pl.concat([side.with_row_index("at") for side in sides]).sort("at")
        last = both.group_by("row").agg(pl.col("rating").drop_nulls().last(), pl.len().alias("games"))
        names = games.players.with_row_index("row").select(
            pl.col("row").cast(pl.Int32), player="name", id="id"
        )
        rows = names.join(last, on="row", maintain_order="left").drop("row")
        return Ratings.rank(rows, system=self.name, parameters=self.parameters(), games=games)

    def predict_games(self, games: Games, first: NDArray[np.int64]) -> tuple[Array, Array]:  # noqa: ARG002
        """Return the difference of the two ratings beside each game, and what the curve makes of it."""
        white, black = (
            games.table[f"{side}_rating"].cast(pl.Float64).fill_null(np.nan).to_numpy()
            for side in ("white", "black")
        )
        D = np.where(np.isfinite(white) & np.isfinite(black), white - black, np.nan)
        known = ~np.isnan(D)
        if not known.any():
            raise UsageError("no game has the ratings of both players beside it")
        expected = np.full(len(D), np.nan)
        expected[known] = self.curve.expected(D[known])
        return D, expected
