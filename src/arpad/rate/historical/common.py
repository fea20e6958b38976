"""Common parts of the systems before Elo: start ratings, groups of games, performances, scales."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, get_args

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.rate.elo_reference import GAME_VARIANCE
from arpad.rate.list_system import ListRates, by_player, entrants
from arpad.rate.periods import NEWCOMER_SPREAD, Period, by_period, first_given, period_numbers
from arpad.scale import Linear

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from arpad.model import Games
    from arpad.rate.list_system import Entrants
    from arpad.rate.periods import Sides
    from arpad.rate.system import State, Trace

    Array = NDArray[np.float64]
    Rated = tuple[Array, Mapping[str, Any]]
    """Errors of ratings, and further columns of the list."""


# A system's own numbers beside the rating points that all systems here share.
#
# Ingo numbers fall as strength rises, British grades stop at about 250, Berkin's ratios run to millions.
# `rating` is always in Elo's points, best highest, so that lists and predictions can be compared; the
# number that the system itself prints stands in a column of its own.

WIDEST = 50_000.0
"""Rating points beyond which a direct ratio no longer fits into a number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Straight:
    """Rating = zero + unit × number.

    Parameters
    ----------
    zero
        The rating of somebody whose number is 0.
    unit
        Rating points in one point of the number; below 0 if small numbers are good.
    """

    column: str
    zero: float
    unit: float

    def number(self, rating: Array) -> Array:
        """Return the system's own numbers for rating points."""
        return (rating - self.zero) / self.unit

    def rating(self, number: Array) -> Array:
        """Return rating points for the system's own numbers."""
        return self.zero + self.unit * number


@dataclass(frozen=True, slots=True, kw_only=True)
class Direct:
    """The direct ratio scale: the ratio of two numbers is the odds [8.71].

    The book's table sets 1000 beside 1,000, 2000 beside 316,200 and 2700 beside 17,780,000: 400 points
    are a factor of ten, and 1000 is the same on both scales.

    Examples
    --------
    >>> Direct().number(np.array([1000.0, 2000.0, 2700.0])).round().astype(int).tolist()
    [1000, 316228, 17782794]
    """

    column: str = "ratio"
    same: float = 1000.0
    tenfold: float = 400.0

    def number(self, rating: Array) -> Array:
        """Return ratios for rating points."""
        if bool(np.any(np.abs(rating) > WIDEST)):
            raise UsageError(f"expected ratings within {WIDEST:g} points: a direct ratio holds no more")
        return np.asarray(self.same * 10 ** ((rating - self.same) / self.tenfold))

    def rating(self, number: Array) -> Array:
        """Return rating points for ratios."""
        if bool(np.any(number <= 0)):
            raise UsageError("expected ratings above 0 on a ratio scale")
        return np.asarray(self.same + self.tenfold * np.log10(number / self.same))


INGO_NUMBER = Straight(column="ingo", zero=2840.0, unit=-8.0)
"""Elo = 2840 − 8 × Ingo, as the German federation converted its numbers in 1991."""
BCF_GRADE = Straight(column="grade", zero=600.0, unit=8.0)
"""Elo = 600 + 8 × grade, as the British federation converted until about 2003."""
DIRECT_RATIO = Direct()


# What the systems before Elo's share: where players start, which games go together, the list [8.5, 8.6].

CALENDAR = ("day", "month", "quarter", "year")
"""Periods whose numbers mean the same in every call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Historical(ListRates):
    """Where players start, and the list.

    Parameters
    ----------
    start
        Rating points of people with no connection to a rated player.
    given
        Start players from their first rating in the source, if there is one.
    """

    native: ClassVar[Straight | Direct | None] = None
    """The system's own numbers; a list that has them is read by them."""
    choices: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Constants that are one of a few words."""
    above_zero: ClassVar[tuple[str, ...]] = ()
    """Constants that are above 0, or None."""
    start: float = 1500.0
    given: bool = True

    def __post_init__(self) -> None:
        for name, known in self.choices.items():
            if getattr(self, name) not in known:
                raise UsageError(
                    f"expected {name} to be one of {', '.join(known)}; found {getattr(self, name)!r}"
                )
        for name in self.above_zero:
            number = getattr(self, name)
            if number is not None and not (math.isfinite(number) and number > 0):
                raise UsageError(f"expected {name} above 0, found {number!r}")
        if not math.isfinite(self.start):
            raise UsageError(f"expected a finite start rating, found {self.start!r}")

    def starting(self, here: Entrants, played: pl.DataFrame) -> Array:
        """Return everybody's rating from an earlier list, else from the source; NaN for newcomers.

        Ratings are in the system's own numbers where `given_in` says so.
        """

        def points(numbers: Array) -> Array:
            known, ratings = np.isfinite(numbers), np.full(len(numbers), np.nan)
            ratings[known] = numbers[known] if self.native is None else self.native.rating(numbers[known])
            return ratings

        def read(numbers: Array) -> Array:
            own = getattr(self, "given_in", "elo") != "elo"
            return points(numbers) if own else np.where(np.isfinite(numbers), numbers, np.nan)

        ratings = np.full(len(here.place), np.nan)
        if self.native is not None:
            ratings = points(here.figures(self.native.column))
        ratings = np.where(np.isnan(ratings), read(here.figures("rating")), ratings)
        if self.given:
            ratings = np.where(np.isnan(ratings), read(first_given(here.games, played)), ratings)
        return ratings

    def after(
        self,
        here: Entrants,
        played: pl.DataFrame,
        *,
        parameters: Mapping[str, object],
        before: Array,
        ratings: Array,
        error: Array,
        more: Mapping[str, NDArray[np.generic] | pl.Series] | None = None,
    ) -> State:
        """Return the state after the games; NaN is nobody's rating."""
        n = len(here.place)
        mine = sum(np.bincount(played[side].to_numpy(), minlength=n) for side in ("white", "black"))
        own: dict[str, Array] = {}
        if self.native is not None:
            own[self.native.column] = np.full(n, np.nan)
            rated = ~np.isnan(ratings)
            own[self.native.column][rated] = self.native.number(ratings[rated])
        rows = pl.DataFrame(
            {
                "rating": ratings,
                "error": np.where(np.isnan(ratings), np.nan, error),
                **own,
                "games": np.asarray(mine, dtype=np.int64),
                "before": before,
                "change": ratings - before,
                **(more or {}),
            }
        )
        return here.after(rows.with_columns(pl.col(pl.Float64).fill_nan(None)), parameters=parameters)


@dataclass(frozen=True, slots=True, kw_only=True)
class InPeriods:
    """Games in the order of their periods, with the number of each one's period, and who plays them."""

    here: Entrants
    played: pl.DataFrame
    periods: NDArray[np.int64]
    calendar: bool
    """Whether the calendar numbers the periods, so that the next list knows which they were."""

    def sides(self) -> Iterator[tuple[int, Sides]]:
        """Yield the number and the sides of each period in turn."""
        yield from zip(np.unique(self.periods).tolist(), by_period(self.played, self.periods), strict=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ByPeriod(Historical):
    """Games that are rated together, period by period.

    Parameters
    ----------
    period
        Which games are rated together; None: the system's usual ones. Games that name no event go by month,
        and games without dates go all together.
    """

    usual_period: ClassVar[str | None] = "event"
    period: Period | None = None

    def __post_init__(self) -> None:
        if self.period is not None and self.period not in get_args(Period):
            raise UsageError(
                f"expected a period, one of {', '.join(get_args(Period))}; found {self.period!r}"
            )
        Historical.__post_init__(self)

    def advance(self, state: State, games: Games, *, trace: Trace | None = None) -> State:  # noqa: ARG002
        """Rate the games that were played, period by period."""
        here = entrants(self, state, games)
        played, periods, used = self._in_periods(here.games.rateable())
        ratings = self.starting(here, played)
        first = ratings.copy()
        of = InPeriods(here=here, played=played, periods=periods, calendar=used in CALENDAR)
        error, more = self.rate_periods(of, ratings)
        return self.after(
            here,
            played,
            parameters={**self.parameters(), "period": used},
            before=first,
            ratings=ratings,
            error=error,
            more=more,
        )

    def rate_periods(self, of: InPeriods, ratings: Array) -> Rated:
        """Change `ratings` period by period; return their errors, and further columns of the list."""
        raise NotImplementedError

    def _in_periods(self, played: pl.DataFrame) -> tuple[pl.DataFrame, NDArray[np.int64], str]:
        """Return the games in the order of their periods, their numbers, and what a period was."""
        known = {name: played[name].null_count() < played.height for name in ("event", "date")}
        chosen = str(self.period or self.usual_period)
        if self.period is None and chosen == "event" and not known["event"]:
            chosen = "month"
        if self.period is None and chosen != "event" and not known["date"]:
            chosen = "all"
        if chosen in ("all", "game"):
            each = np.zeros if chosen == "all" else np.arange
            return played, np.asarray(each(played.height), dtype=np.int64), chosen
        needed = "event" if chosen == "event" else "date"
        if played.height and not known[needed]:
            raise UsageError(f"the period {chosen!r} needs the {needed} of the games, and none is given")
        played, numbers = period_numbers(played, chosen, gaps=True)  # type: ignore[arg-type]
        return played, numbers.to_numpy(), chosen


# Performances on a straight line: R_p = R_c ± k (P − ½) [8.56 (53)].
#
# Ingo, Harkness and the British grades differ in k and in what they do with R_p. All of them imply that
# every performance within ±k/2 of a player's rating is equally likely and none beyond it possible: the
# rectangular distribution [(54)], of which the straight line is the integral.


@dataclass(frozen=True, slots=True)
class Showing:
    """Each player's result in one period, from the ratings before it.

    `player` are rows of the player table, each once; `newcomer` says who had no rating; `variance` is
    that of the performance, from chance in the results and from opponents of whom nothing is known.
    """

    player: NDArray[np.int64]
    newcomer: NDArray[np.bool_]
    games: Array
    performance: Array
    variance: Array
    period: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ByPerformance(ByPeriod):
    """Performances on a straight line.

    Parameters
    ----------
    limit
        In the system's own unit: opponents further away count as this far; None: no limit.
    """

    above_zero: ClassVar[tuple[str, ...]] = ("limit",)
    whole: ClassVar[float]
    """k of long events, for the whole of P, in the system's own unit."""
    limit: float | None = None

    @property
    def curve(self) -> Linear:
        """The expected score for a difference in rating points."""
        return straight_line(self._points(self.whole), self._points(self.limit))

    def worth(self, games: Array) -> Array:
        """Return k in rating points for this many games."""
        return np.full(len(games), self._points(self.whole))

    def performances(self, of: InPeriods, ratings: Array) -> Iterator[Showing]:
        """Yield what everybody showed, period by period.

        `ratings` is read again for each period: the caller updates it before the next one. The limit does
        not bind newcomers, who have no rating to be far from.
        """
        limit = self._points(self.limit)
        for number, sides in of.sides():
            own = ratings[sides.players]
            newcomer = np.isnan(own)
            now, guessed = sides.estimated(own, lambda n, P: self.worth(n) * (P - 0.5), self.start)
            theirs = now[sides.opponent]
            if math.isfinite(limit):
                mine = now[sides.me]
                near = np.clip(theirs, mine - limit, mine + limit)
                theirs = np.where(newcomer[sides.me], theirs, near)
            n = sides.total()
            k = self.worth(n)
            R_c, P = sides.total(theirs) / n, sides.total(sides.score) / n
            strangers = sides.total(guessed[sides.opponent].astype(np.float64))
            variance = k**2 * GAME_VARIANCE / n + strangers * (NEWCOMER_SPREAD / n) ** 2
            yield Showing(sides.players, newcomer, n, R_c + k * (P - 0.5), variance, number)

    def _points(self, number: float | None) -> float:
        """Return rating points for a difference in the system's own unit."""
        unit = abs(self.native.unit) if isinstance(self.native, Straight) else 1.0
        return math.inf if number is None else number * unit


def straight_line(k: float, limit: float = math.inf) -> Linear:
    """Return the curve that (53) implies: P = ½ + D/k, and no further than D = ±k/2 [8.56].

    Examples
    --------
    >>> straight_line(800).expected(200.0), straight_line(800).expected(500.0)
    (0.75, 1.0)
    """
    return Linear(class_interval=k / 4, cap=min(limit, k / 2))


# The periods whose games still count, in systems that look back over several.


class RatingWindow:
    """Everybody's figures in the last periods, the latest in the first column; the first figure is the games.

    It goes on from what an earlier list has in a column: lists of structs, a period and its figures.
    """

    def __init__(self, of: InPeriods, column: str, periods: int) -> None:
        kept = of.here.rows[column]
        self.kind: pl.List = kept.dtype  # type: ignore[assignment]
        self.names = [field.name for field in self.kind.inner.fields][1:]  # type: ignore[union-attr]
        self.figures = np.zeros((len(self.names), len(kept), periods))
        self.calendar = of.calendar
        self.last: int | None = None
        if of.calendar:
            self._read(kept)

    def enter(self, period: int, players: NDArray[np.int64], *values: Array) -> None:
        """Put a period in front; an earlier one, of a late report, takes its own place."""
        at = self._move(period)
        if at < self.figures.shape[2]:
            self.figures[:, players, at] += np.stack(values)

    def latest(self, players: NDArray[np.int64], enough: float = math.inf) -> Array:
        """Return the sums over the latest periods that have enough games, or over all there are."""
        sums = self.figures[:, players].cumsum(axis=2)
        full = sums[0] >= enough
        columns = np.where(full.any(axis=1), full.argmax(axis=1), sums.shape[2] - 1)
        return np.asarray(sums[:, np.arange(len(players)), columns])

    def _move(self, period: int) -> int:
        """Make room for a period and return its column."""
        periods = self.figures.shape[2]
        by = 0 if self.last is None else min(period - self.last, periods)
        if by < 0:
            return -by
        if by:
            self.figures[:, :, by:] = self.figures[:, :, : periods - by].copy()
            self.figures[:, :, :by] = 0
        self.last = period
        return 0

    def _read(self, kept: pl.Series) -> None:
        known = pl.DataFrame({"player": np.arange(len(kept)), "of": kept}).explode("of").drop_nulls()
        if not known.height:
            return
        known = known.unnest("of").filter(pl.col("games") > 0)
        self.last = int(known["period"].max())  # type: ignore[arg-type]
        at = self.last - known["period"].to_numpy()
        near = at < self.figures.shape[2]
        values = known.select(self.names).to_numpy().T
        self.figures[:, known["player"].to_numpy()[near], at[near]] = values[:, near]

    def written(self) -> pl.Series:
        """Return everybody's periods for the next list; null for nothing."""
        player, at = np.nonzero(self.figures[0] if self.calendar else self.figures[0] * 0)
        figures = {name: self.figures[i, player, at] for i, name in enumerate(self.names)}
        rows = pl.DataFrame({"player": player.astype(np.int32), "period": (self.last or 0) - at, **figures})
        return by_player(rows.sort("player", "period"), self.kind, self.figures.shape[1])


def window_of(*figures: str) -> pl.List:
    """Return the kind of the column in which a list keeps the figures of periods."""
    return pl.List(pl.Struct({"period": pl.Int64, **dict.fromkeys(figures, pl.Float64)}))
