"""Rating systems of clubs and federations before Elo's: Harkness, Ingo, the British one, correspondence chess, Berkin; periodic measurement."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.rate.draws import smooth
from arpad.rate.elo_book.rules import ENOUGH, small_sample_difference
from arpad.rate.elo_reference import GAME_VARIANCE, chance_spread, coded, slope
from arpad.rate.historical.common import (
    BCF_GRADE,
    DIRECT_RATIO,
    INGO_NUMBER,
    ByPerformance,
    ByPeriod,
    Direct,
    Historical,
    RatingWindow,
    Straight,
    straight_line,
    window_of,
)
from arpad.rate.list_system import Entrants, entrants
from arpad.rate.periods import NEWCOMER_SPREAD, Sides, by_period
from arpad.rate.system import Range
from arpad.scale import Curve, Linear, Logistic, Table, curve, indicated_difference

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from arpad.model import Games
    from arpad.rate.historical.common import Array, InPeriods, Rated, Showing
    from arpad.rate.system import State, Trace


PER_HUNDREDTH = 10.0
"""Rating points for one hundredth of P in long events [(49)]."""
PER_WIN = 50.0
"""Rating points for a win more than losses in short events [(50)]."""
LONG_FROM = 10
"""Games from which on (49) is used: "over nine" [8.53]."""
LAST = 4
"""Performances that make a rating [(51)]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Harkness(ByPerformance):
    """Harkness's system as a set of constants.

    A rating is the average of the last four performances, one an event. `limit` is in rating points.

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
    whole: ClassVar[float] = 100 * PER_HUNDREDTH

    def worth(self, games: Array) -> Array:
        """Return k in R_p = R_c + k (P − ½) for this many games.

        (50), R_c + 50 (W − L), is the same with k = 100 N; (49) has k = 1000. They meet at ten games.

        Examples
        --------
        >>> Harkness().worth(np.array([1.0, 8.0, 10.0, 15.0]))
        array([ 100.,  800., 1000., 1000.])
        """
        return np.where(games >= LONG_FROM, self.whole, 2 * PER_WIN * games)

    def rate_periods(self, of: InPeriods, ratings: Array) -> Rated:
        """Change `ratings` event by event; return their errors, and the last performances."""
        past = _Past.start(of.here, ratings)
        for shown in self.performances(of, ratings):
            ratings[shown.player] = past.add(shown)
        return past.error(), {f"performance_{i + 1}": past.shown[:, i] for i in range(LAST)}


@dataclass(frozen=True, slots=True)
class _Past:
    """Everybody's last four performances, the newest first; NaN where there are fewer."""

    shown: Array
    variance: Array

    @classmethod
    def start(cls, here: Entrants, ratings: Array) -> _Past:
        """Take them from an earlier list; a rating of which nothing else is known stands for all four."""
        columns = [here.figures(f"performance_{i + 1}") for i in range(LAST)]
        shown = np.stack(columns, axis=1)
        unknown = np.isnan(shown).all(axis=1)
        shown[unknown] = ratings[unknown, None]
        # The list has the error of the average: each of the performances gets the same share of it.
        share = np.nan_to_num(here.figures("error")) ** 2 * (~np.isnan(shown)).sum(axis=1)
        return cls(shown, np.where(np.isnan(shown), np.nan, share[:, None]))

    def add(self, new: Showing) -> Array:
        """Put in the newest, drop the oldest, and return the averages."""
        for each, value in ((self.shown, new.performance), (self.variance, new.variance)):
            each[new.player, 1:] = each[new.player, :-1]
            each[new.player, 0] = value
        return np.asarray(np.nanmean(self.shown[new.player], axis=1))

    def error(self) -> Array:
        """Return one standard deviation of each average, from chance in these games alone."""
        number = np.maximum((~np.isnan(self.variance)).sum(axis=1), 1)
        return np.asarray(np.sqrt(np.nansum(self.variance, axis=1)) / number)


IngoNumbers = Literal["elo", "ingo"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingo(ByPerformance):
    """The Ingo system as a set of constants.

    R_p = R_c − (P − 50) after each event (47), R_n = (3 R_o + R_p) / 4 (48). Small numbers are good; the
    list has them in `ingo`, and in `rating` the points 2840 − 8 × Ingo.

    Parameters
    ----------
    share
        The weight of the new performance, a quarter in (48).
    limit
        In Ingo points: the "40-degree limit" of the German rules; the book has none.
    given_in
        Unit of the ratings in the source: Elo's points, or Ingo numbers.

    Examples
    --------
    >>> from arpad.model import Games, Player
    >>> pair = [Player(name="Ann", rating=110.0), Player(name="Bob", rating=120.0)]
    >>> games = Games.assemble({"white": [0], "black": [1], "score": [1.0]}, pair)
    >>> Ingo(given_in="ingo").rate(games).table().select("player", "ingo", "rating").rows()
    [('Ann', 100.0, 2040.0), ('Bob', 130.0, 1800.0)]
    """

    name: ClassVar[str] = "ingo"
    native: ClassVar[Straight] = INGO_NUMBER
    choices: ClassVar[Mapping[str, tuple[str, ...]]] = {"given_in": get_args(IngoNumbers)}
    above_zero: ClassVar[tuple[str, ...]] = ("share", "limit")
    tunable: ClassVar[Mapping[str, Range]] = {"share": Range(0.05, 0.8), "limit": Range(10, 80)}
    whole: ClassVar[float] = 100.0  # one point for each hundredth of P [(47)]
    share: float = 0.25
    limit: float | None = 40.0
    given_in: IngoNumbers = "elo"

    def __post_init__(self) -> None:
        ByPeriod.__post_init__(self)
        if self.share > 1:
            raise UsageError(f"expected a share of at most 1, found {self.share!r}")

    def rate_periods(self, of: InPeriods, ratings: Array) -> Rated:
        """Change `ratings` event by event; return their errors, and the number of evaluations."""
        variance = np.nan_to_num(of.here.figures("error")) ** 2
        index = np.nan_to_num(of.here.figures("index")).astype(np.int64)
        for shown in self.performances(of, ratings):
            who = shown.player
            share = np.where(shown.newcomer, 1.0, self.share)
            old = np.where(shown.newcomer, 0.0, ratings[who])
            ratings[who] = (1 - share) * old + share * shown.performance
            variance[who] = (1 - share) ** 2 * variance[who] + share**2 * shown.variance
            index[who] += 1
        return np.sqrt(variance), {"index": index}


BcfNumbers = Literal["elo", "bcf"]
TOP_CLASS, CLASS_WIDTH = 248, 8
"""248–241 is grade 1a, 240–233 grade 1b, 232–225 grade 2a, and so on [8.54]."""


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
class Bcf(ByPerformance):
    """The British grades as a set of constants.

    Every game is worth the opponent's grade, 50 more for a win and 50 less for a loss; a grade is the
    average over the games of two years. The list has it in `grade`, and in `rating` the points
    600 + 8 × grade. Grades appear every year unless a period says otherwise.

    Parameters
    ----------
    minimum
        Games that a first grade needs. A player who has a grade and fewer games than these is topped up
        with games at the old grade.
    window
        Periods whose games count: two years in the book.
    limit
        In grade points: the "40-point rule"; the book has none.
    given_in
        Unit of the ratings in the source: Elo's points, or grades.

    Examples
    --------
    >>> from arpad.model import Games, Player
    >>> pair = [Player(name="Ann", rating=160.0), Player(name="Bob", rating=140.0)]
    >>> games = Games.assemble({"white": [0] * 30, "black": [1] * 30, "score": [1.0] * 30}, pair)
    >>> Bcf(given_in="bcf").rate(games).table().select("player", "grade", "class").rows()
    [('Ann', 190.0, '4b'), ('Bob', 110.0, '9b')]
    """

    name: ClassVar[str] = "bcf"
    native: ClassVar[Straight] = BCF_GRADE
    choices: ClassVar[Mapping[str, tuple[str, ...]]] = {"given_in": get_args(BcfNumbers)}
    above_zero: ClassVar[tuple[str, ...]] = ("minimum", "window", "limit")
    memory: ClassVar[Mapping[str, Any]] = {"periods": window_of("games", "points")}
    usual_period: ClassVar[str | None] = "year"
    tunable: ClassVar[Mapping[str, Range]] = {
        "minimum": Range(10, 80, whole=True),
        "window": Range(1, 4, whole=True),
        "limit": Range(10, 80),
    }
    whole: ClassVar[float] = 100.0  # one point for each hundredth of P, factor 1 in (49)
    minimum: int = 30
    window: int = 2
    limit: float | None = 40.0
    given_in: BcfNumbers = "elo"

    def rate_periods(self, of: InPeriods, ratings: Array) -> Rated:
        """Change `ratings` year by year; return their errors, the classes, and what the next list needs."""
        window = RatingWindow(of, "periods", self.window)
        rests = window.latest(np.arange(len(ratings)))[0]  # games behind the last grade
        for shown in self.performances(of, ratings):
            who = shown.player
            window.enter(shown.period, who, shown.games, shown.games * shown.performance)
            rests[who], points = window.latest(who)
            # An old grade that is not known leaves NaN: too few games for a first one.
            missing = np.maximum(self.minimum - rests[who], 0)
            filled = np.where(missing > 0, missing * ratings[who], 0.0)
            ratings[who] = (points + filled) / (rests[who] + missing)
        rests = np.where(np.isnan(ratings), 0, rests)
        classes = [None if math.isnan(g) else grade_class(g) for g in self.native.number(ratings)]
        k = self.whole * self.native.unit
        return k * np.sqrt(GAME_VARIANCE * rests) / np.maximum(rests, self.minimum), {
            "class": pl.Series(classes, dtype=pl.String),
            "counted": rests.astype(np.int64),
            "periods": window.written(),
        }


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

    def _expected(self, D: Array) -> Array:
        steps = np.minimum(np.floor(np.abs(D) / STEP), STEPS)
        return 0.5 + np.sign(D) * steps / (2 * WIN)

    def _difference(self, P: Array) -> Array:
        return 2 * WIN * STEP * (P - 0.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ccla(Historical):
    """The league's system as a set of constants.

    After each game R_n = R_o ± 16 + .06 D (52), D being the opponent's rating less one's own; a draw
    leaves the ±16 out. What one gains the other loses.

    Parameters
    ----------
    schedule
        "formula" is (52), which the book quotes from Williams, without any limit on D; "chart" is the
        table that the league itself publishes.
    newcomer_spread
        Standard deviation of a new player's strength, in rating points.

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
    choices: ClassVar[Mapping[str, tuple[str, ...]]] = {"schedule": get_args(Schedule)}
    above_zero: ClassVar[tuple[str, ...]] = ("newcomer_spread",)
    schedule: Schedule = "formula"
    newcomer_spread: float = NEWCOMER_SPREAD

    @property
    def curve(self) -> Linear | CclaChart:
        """The expected score for a difference in rating points: that of no change on average."""
        return self._line() if self.schedule == "formula" else CclaChart()

    def advance(self, state: State, games: Games, *, trace: Trace | None = None) -> State:  # noqa: ARG002
        """Rate the games that were played, one after the other."""
        here = entrants(self, state, games)
        played = here.games.rateable()
        first = self.starting(here, played)
        known = ~np.isnan(first)
        ratings = self._walk(played, np.where(known, first, self.start).tolist())
        n = np.bincount(played["white"].to_numpy(), minlength=len(first))
        n += np.bincount(played["black"].to_numpy(), minlength=len(first))
        newcomer = np.where(known, np.nan_to_num(here.figures("error")), self.newcomer_spread)
        return self.after(
            here,
            played,
            parameters=self.parameters(),
            before=first,
            ratings=ratings,
            error=chance_spread(np.full(len(first), 2 * WIN), n, newcomer, self._line()),
        )

    def _walk(self, played: pl.DataFrame, ratings: list[float]) -> Array:
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


Average = Literal["opponents", "equivalent", "geometric"]
"""The R_c that a point won is valued by:

opponents    each opponent's own rating, (56) pairing by pairing: what one gains another loses;
equivalent   one R_a for the event, against which as many points are expected, (62) with (66);
geometric    one R_a, the geometric average of the opponents, (62) with (67).
"""
BerkinNumbers = Literal["elo", "ratio"]
_CURVE = Logistic()


def first_rating(games: Array, P: Array) -> Array:
    """Return how far above R_c the first result puts a player: R / R_c = W / L [(57)].

    In rating points. For 0 % and 100 % half a point is taken as won or conceded.

    Examples
    --------
    >>> first_rating(np.array([10.0]), np.array([0.76])).round(1)
    array([200.2])
    """
    half = 0.5 / games
    return _CURVE.difference(np.clip(P, half, 1 - half))


def opposition(sides: Sides, odds: Array, average: Average = "opponents") -> Array:
    """Return Σ R_c W / R for each player: the points won, valued by whom they were won from.

    Parameters
    ----------
    odds
        R_c / R for each side.
    """
    if average == "opponents":
        return sides.total(odds * sides.score)
    n = np.maximum(sides.total(), 1)
    if average == "equivalent":
        # (66) solved for R_a: R + R_a is the harmonic average of the R + R_i.
        R_a = n / np.maximum(sides.total(1 / (1 + odds)), np.finfo(float).tiny) - 1
    else:
        R_a = np.exp(sides.total(np.log(odds)) / n)
    return R_a * sides.total(sides.score)


def segments(played: pl.DataFrame, periods: NDArray[np.int64], longest: int) -> NDArray[np.int64]:
    """Split periods in which somebody has more than `longest` games [1.62].

    Without this a player who loses N_o games in one event would be left with nothing.
    """
    white, black = (played[side].to_numpy().astype(np.int64) for side in ("white", "black"))
    width = int(max(white.max(), black.max())) + 1 if played.height else 1
    keys = np.r_[periods * width + white, periods * width + black]
    if not played.height or np.unique(keys, return_counts=True)[1].max() <= longest:
        return periods
    # Games of one day and round stay together, so that the order of the rows says nothing.
    together = played.select(pl.struct("date", "event", "round").rle_id()).to_series().to_numpy()
    starts = np.flatnonzero(np.r_[True, (np.diff(together) != 0) | (np.diff(periods) != 0)]).tolist()
    numbers, number, now = [], -1, None
    counted: Counter[int] = Counter()
    for begin, end in pairwise([*starts, len(periods)]):
        sides = Counter([*white[begin:end].tolist(), *black[begin:end].tolist()])
        step = end - begin if max(sides.values()) == 1 else 1
        for at in range(begin, end, step):
            here = [*white[at : at + step].tolist(), *black[at : at + step].tolist()]
            if periods[at] != now or max(counted[p] for p in here) >= longest:
                number, now = number + 1, periods[at]
                counted.clear()
            counted.update(here)
            numbers += [number] * step
    return np.array(numbers, dtype=np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Berkin(ByPeriod):
    """Berkin's system as a set of constants.

    R_n = R_o + (R_c W − R L) / N_o after an event, on the direct ratio scale, which the list has in
    `ratio`; `rating` is in Elo's points, 1000 + 400 log₁₀(ratio / 1000), where the expected score is the
    logistic curve.

    Parameters
    ----------
    sample
        N_o, the number of games behind a rating.
    average
        Which R_c values a point won.
    given_in
        Unit of the ratings in the source: Elo's points, or direct ratios.

    Examples
    --------
    >>> from arpad.model import Games, Player
    >>> pair = [Player(name="Ann", rating=3000.0), Player(name="Bob", rating=1000.0)]
    >>> games = Games.assemble({"white": [0], "black": [1], "score": [0.0]}, pair)
    >>> rated = Berkin(given_in="ratio").rate(games)
    >>> [(name, round(ratio)) for name, ratio in rated.rows.select("player", "ratio").rows()]
    [('Ann', 2900), ('Bob', 1100)]
    """

    name: ClassVar[str] = "berkin"
    tunable: ClassVar[Mapping[str, Range]] = {"sample": Range(10, 120, log=True, whole=True)}
    native: ClassVar[Direct] = DIRECT_RATIO
    choices: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "average": get_args(Average),
        "given_in": get_args(BerkinNumbers),
    }
    sample: int = 30
    average: Average = "opponents"
    given_in: BerkinNumbers = "elo"

    def __post_init__(self) -> None:
        ByPeriod.__post_init__(self)
        if not (math.isfinite(self.sample) and self.sample >= 2):
            raise UsageError(f"expected a sample of 2 games or more, found {self.sample!r}")

    @property
    def curve(self) -> Logistic:
        """The expected score for a difference in rating points; R / (R + R_c) of ratios [(63)]."""
        return _CURVE

    def rate_periods(self, of: InPeriods, ratings: Array) -> Rated:
        """Change `ratings` event by event; return their errors."""
        # Too wide a spread is refused here, before anything overflows.
        self.native.number(np.append(ratings[~np.isnan(ratings)], self.start))
        variance = np.nan_to_num(of.here.figures("error")) ** 2
        periods = segments(of.played, of.periods, int(self.sample) // 2)
        for sides in by_period(of.played, periods):
            self._rate(sides, ratings, variance)
        return np.sqrt(variance), {}

    def _rate(self, sides: Sides, ratings: Array, variance: Array) -> None:
        """Rate one event; `ratings` and `variance` change."""
        who = sides.players
        own = ratings[who]
        now, guessed = sides.estimated(own, first_rating, self.start)
        # Newcomers take their first rating from these results; who was rated changes only by games
        # with the rated [8.63]. People whom nothing joins to the rated begin together, as if rated.
        established = np.isnan(own) & ~guessed
        counts = sides.take(~established[sides.me] & ~established[sides.opponent])
        n = counts.total()
        odds = 10 ** ((now[counts.opponent] - now[counts.me]) / DIRECT_RATIO.tenfold)
        lost = counts.total(1 - counts.score)
        grown = 1 + (opposition(counts, odds, self.average) - lost) / self.sample
        ratings[who] = now + DIRECT_RATIO.tenfold * np.log10(grown)
        games, s = sides.total(), slope(self.curve)
        kept = 1 - n / (2 * self.sample)
        K = 2 * DIRECT_RATIO.tenfold / math.log(10) / self.sample
        known = np.where(guessed, NEWCOMER_SPREAD**2, variance[who])
        blended = kept**2 * known + n * K**2 * GAME_VARIANCE
        variance[who] = np.where(established, GAME_VARIANCE / (s**2 * games), blended)


# Elo's periodic measurement: the performance over the last thirty games or more [Elo 1.52, 2.59].


@dataclass(frozen=True, slots=True, kw_only=True)
class Periodic(ByPeriod):
    """Periodic measurement as a set of constants.

    At the end of each period everybody who played gets R_C + F · D_p: R_C is the average of the opponents'
    ratings before the period, D_p belongs to the percentage score. Earlier periods count too, the latest
    first, until there are thirty games. The factor F of table 8.85 is 1 from thirty games on; until then
    the rating is provisional. Ratings appear every quarter unless a period says otherwise.

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

    Examples
    --------
    >>> from arpad.model import Games, Player
    >>> people = [Player(name="Ann", rating=1600.0), Player(name="Bob", rating=1800.0)]
    >>> games = Games.assemble({"white": [0] * 30, "black": [1] * 30, "score": [1.0, 0.5, 0.0] * 10}, people)
    >>> Periodic().rate(games).table().select("player", "rating", "status").rows()
    [('Ann', 1800.0, 'established'), ('Bob', 1600.0, 'established')]
    """

    name: ClassVar[str] = "periodic"
    memory: ClassVar[Mapping[str, Any]] = {
        "window": window_of("games", "opponents", "points", "strangers")  # sums over the games of a period
    }
    usual_period: ClassVar[str | None] = "quarter"
    above_zero: ClassVar[tuple[str, ...]] = ("minimum", "window")
    tunable: ClassVar[Mapping[str, Range]] = {
        "minimum": Range(10, 80, whole=True),
        "window": Range(1, 20, whole=True),
    }
    curve: Curve = field(default_factory=Table)
    minimum: int = ENOUGH
    window: int = 16
    small_samples: bool = True

    def __post_init__(self) -> None:
        if isinstance(self.curve, str):
            object.__setattr__(self, "curve", curve(self.curve))
        ByPeriod.__post_init__(self)
        coded(self.curve)  # a curve that measures ratios is refused here

    def rate_periods(self, of: InPeriods, ratings: Array) -> Rated:
        """Change `ratings` period by period; return their errors, and what they rest on."""
        window = RatingWindow(of, "window", self.window)
        counted, error = np.zeros(len(ratings)), of.here.figures("error")
        steepness = slope(smooth(self.curve))
        for number, sides in of.sides():
            who, met = sides.players, sides.opponent
            now, guessed = sides.estimated(ratings[who], self._indicated, self.start)
            strangers = sides.total(guessed[met].astype(np.float64))
            window.enter(
                number, who, sides.total(), sides.total(now[met]), sides.total(sides.score), strangers
            )
            sums = window.latest(who, self.minimum)
            who, (n, opponents, points, strangers) = who[sums[0] > 0], sums[:, sums[0] > 0]
            ratings[who] = opponents / n + self._indicated(n, points / n)
            counted[who] = n
            chance = GAME_VARIANCE / (n * steepness**2)
            error[who] = np.sqrt(chance + strangers * (NEWCOMER_SPREAD / n) ** 2)
        status = np.where(counted >= self.minimum, "established", "provisional")
        return error, {
            "status": pl.Series(status, dtype=pl.String),
            "counted": counted.astype(np.int64),
            "window": window.written(),
        }

    def _indicated(self, n: Array, P: Array) -> Array:
        """Return F · D_p; 0 % and 100 % have the last difference of the table [1.54, (70)]."""
        result = []
        for games, share in zip(n.tolist(), np.clip(P, 0, 1).tolist(), strict=True):
            D_p = (
                indicated_difference(share, self.curve) if 0 < share < 1 else math.copysign(800, share - 0.5)
            )
            result.append(small_sample_difference(int(games), D_p) if self.small_samples else D_p)
        return np.array(result)
