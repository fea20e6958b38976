"""Berkin's valued game points on a ratio scale [Elo 8.6 (56)–(68)].

Everything is computed in rating points, where a ratio is a difference: 400 points are odds of ten to
one [8.71].
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.rate.elo_reference import GAME_VARIANCE, slope
from arpad.rate.historical.common import DIRECT_RATIO, after, check, in_periods, starting
from arpad.rate.list_system import ListRates, entrants
from arpad.rate.periods import NEWCOMER_SPREAD, Sides, by_period
from arpad.rate.state import Range
from arpad.scale import Logistic

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from arpad.model import Games
    from arpad.rate.periods import Period
    from arpad.rate.state import State
    from arpad.rate.trace import Trace


Average = Literal["opponents", "equivalent", "geometric"]
"""The R_c that a point won is valued by:

opponents    each opponent's own rating, (56) pairing by pairing: what one gains another loses;
equivalent   one R_a for the event, against which as many points are expected, (62) with (66);
geometric    one R_a, the geometric average of the opponents, (62) with (67).
"""
Numbers = Literal["elo", "ratio"]
_CURVE = Logistic()


def first_rating(games: NDArray[np.float64], P: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far above R_c the first result puts a player: R / R_c = W / L [(57)].

    In rating points. For 0 % and 100 % half a point is taken as won or conceded.

    Examples
    --------
    >>> first_rating(np.array([10.0]), np.array([0.76])).round(1)
    array([200.2])
    """
    half = 0.5 / games
    return _CURVE.difference(np.clip(P, half, 1 - half))


def opposition(
    sides: Sides, odds: NDArray[np.float64], average: Average = "opponents"
) -> NDArray[np.float64]:
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
class Berkin(ListRates):
    """Berkin's system as a set of constants.

    R_n = R_o + (R_c W − R L) / N_o after an event, on the direct ratio scale, which the list has in
    `ratio`; `rating` is in Elo's points, 1000 + 400 log₁₀(ratio / 1000), where the expected score is the
    logistic curve.

    Parameters
    ----------
    sample
        N_o, the games that a rating is taken to rest on.
    average
        Which R_c values a point won.
    start
        Rating points of people who met nobody that is rated, even through others.
    given
        Start players from the first rating that the source gives them, if it does.
    given_in
        What ratings in the source are: Elo's points, or direct ratios.
    period
        Which games are rated together: by default an event.

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
    sample: int = 30
    average: Average = "opponents"
    start: float = 1500.0
    given: bool = True
    given_in: Numbers = "elo"
    period: Period | None = None

    def __post_init__(self) -> None:
        check(
            period=self.period,
            choices={
                "average": (self.average, get_args(Average)),
                "given_in": (self.given_in, get_args(Numbers)),
            },
            start=self.start,
        )
        if not (math.isfinite(self.sample) and self.sample >= 2):
            raise UsageError(f"expected a sample of 2 games or more, found {self.sample!r}")

    @property
    def curve(self) -> Logistic:
        """The expected score for a difference in rating points; R / (R + R_c) of ratios [(63)]."""
        return _CURVE

    def advance(self, state: State, games: Games, *, trace: Trace | None = None) -> State:  # noqa: ARG002
        """Rate the games that were played, event by event."""
        here = entrants(self, state, games)
        played, periods, used = in_periods(here.games.rateable(), self.period, usual="event")
        periods = segments(played, periods, int(self.sample) // 2)
        ratings = starting(
            here, played, given=self.given, native=DIRECT_RATIO, in_native=self.given_in == "ratio"
        )
        # Too wide a spread is refused here, before anything overflows.
        DIRECT_RATIO.number(np.append(ratings[~np.isnan(ratings)], self.start))
        first = ratings.copy()
        variance = np.nan_to_num(here.figures("error")) ** 2
        for sides in by_period(played, periods):
            self._rate(sides, ratings, variance)
        return after(
            here,
            played,
            parameters={**self.parameters(), "period": used},
            before=first,
            ratings=ratings,
            error=np.sqrt(variance),
            native=DIRECT_RATIO,
        )

    def _rate(self, sides: Sides, ratings: NDArray[np.float64], variance: NDArray[np.float64]) -> None:
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
