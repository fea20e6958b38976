"""Elo's continuous rating, R_n = R_o + K (W − W_e) [Elo 1.6 (2)]: any curve, any K, any period."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, get_args

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.model import Ratings
from arpad.rate import reference
from arpad.rate.elo_workings import Begun, Now, by_kernel, by_reference, elo_workings, k_arrays
from arpad.rate.expectancy import LOGISTIC, coded
from arpad.rate.kpolicy import KPolicy, k_policy
from arpad.rate.periods import Period, period_numbers
from arpad.rate.spread import chance_spread
from arpad.rate.start import first_given, known_before
from arpad.rate.workings import numbered
from arpad.scale import Curve, Logistic
from arpad.scale import curve as curve_called

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from arpad.model import Games
    from arpad.rate.workings import Workings

__all__ = ["Elo"]

KERNEL_FROM = 500_000
"""Games from which on the compiled kernel pays: loading it costs about a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Elo:
    """Elo's system as a set of constants.

    Parameters
    ----------
    curve
        From rating difference to expected score.
    k
        How much one game counts.
    start
        The rating of a player of whom nothing is known.
    given
        Start players from the first rating that the source gives them, if it does.
    period
        "game" updates after every game; else all games of a period are rated from the ratings before
        it.
    newcomer_spread
        Standard deviation, in rating points, of what is not known of a newcomer.

    Examples
    --------
    >>> from arpad.model import Games
    >>> games = Games.build([("Anand", "Karpov", 1.0)])
    >>> Elo(k=k_policy(10)).rate(games).table().select("player", "rating").rows()
    [('Anand', 1505.0), ('Karpov', 1495.0)]
    """

    name: ClassVar[str] = "elo"
    curve: Curve = field(default_factory=Logistic)
    k: KPolicy = field(default_factory=lambda: k_policy(20.0))
    start: float = 1500.0
    given: bool = True
    period: Period = "game"
    newcomer_spread: float = 350.0

    def __post_init__(self) -> None:
        # A number or a name will do, as on the command line.
        object.__setattr__(self, "k", k_policy(self.k))
        if isinstance(self.curve, str):
            object.__setattr__(self, "curve", curve_called(self.curve))
        if self.period not in get_args(Period):
            raise UsageError(
                f"expected a period, one of {', '.join(get_args(Period))}; found {self.period!r}"
            )
        if not math.isfinite(self.start):
            raise UsageError(f"expected a finite start rating, found {self.start!r}")
        coded(
            self.curve
        )  # a curve that measures ratios is refused here, not in the middle of a file

    def parameters(self) -> dict[str, object]:
        """Return every constant by name."""
        return {
            **self.curve.parameters(),
            "k": str(self.k),
            "start": self.start,
            "given": self.given,
            "period": self.period,
            "newcomer_spread": self.newcomer_spread,
        }

    def rate(self, games: Games, before: Ratings | None = None) -> Ratings:
        """Rate the games that were played, in the order in which they were."""
        played, periods = self._ordered(games)
        begun = self._start(games, played, before)
        run = self._by_kernel if played.height >= KERNEL_FROM else self._by_reference
        return self._listed(games, played, begun, run(played, periods, begun))

    def workings(self, games: Games, before: Ratings | None = None) -> tuple[Ratings, Workings]:
        """Return what `rate` returns, and every player's side of every game."""
        games = numbered(games)
        played, periods = self._ordered(games)
        begun = self._start(games, played, before)
        if played.height >= KERNEL_FROM:
            sides, now = by_kernel(self, played, periods, begun)
        else:
            values = [array.tolist() for array in begun.now()]
            sides = by_reference(self._walk(played, periods, *values))
            now = _arrays(*values)
        return self._listed(games, played, begun, now), elo_workings(self, played, begun, sides)

    def _listed(
        self,
        games: Games,
        played: pl.DataFrame,
        begun: Begun,
        now: Now,
    ) -> Ratings:
        known, first = begun.known, begun.ratings
        ratings, counts, topped = now
        mine = np.bincount(played["white"], minlength=len(ratings)) + np.bincount(
            played["black"], minlength=len(ratings)
        )
        rows = pl.DataFrame(
            {
                "player": games.players["name"],
                "id": games.players["id"],
                "rating": ratings,
                "error": self.errors(ratings, counts, mine, begun.doubt),
                "games": mine,
                "before": pl.Series(np.where(known, first, np.nan)).fill_nan(None),
                "change": pl.Series(np.where(known, ratings - first, np.nan)).fill_nan(None),
                # K of the last tier is for good: the next list must know.
                **({"topped": topped} if self.k.permanent else {}),
                "total_games": counts,
            }
        ).filter(pl.Series(mine > 0))
        return Ratings.rank(rows, system=self.name, parameters=self.parameters(), games=games)

    def steps(self, games: Games, before: Ratings | None = None) -> Iterator[reference.Step]:
        """Yield every player's side of every game: what went in, what came out."""
        played, periods = self._ordered(games)
        begun = self._start(games, played, before)
        yield from self._walk(played, periods, *(array.tolist() for array in begun.now()))

    def strain(self, games: Games) -> tuple[float, str]:
        """Return the largest K × games of anybody in one period, and who that is.

        Above about 700 a rating overshoots: FIDE lowers K there [B.02 8.3.3].
        """
        played, periods = self._ordered(games)
        if periods is None or not played.height:
            return 0.0, ""
        sides = [
            played.select(pl.col(s).alias("who"), periods.alias("when")) for s in ("white", "black")
        ]
        busiest = pl.concat(sides).group_by("who", "when").len().sort("len", descending=True).row(0)
        largest = max(k for _, k in self.k.tiers)
        return largest * busiest[2], str(games.players["name"][busiest[0]])

    def _ordered(self, games: Games) -> tuple[pl.DataFrame, pl.Series | None]:
        played = games.rateable()
        if self.period == "game":
            return played, None
        needed = "event" if self.period == "event" else "date"
        if played.height and played[needed].null_count() == played.height:
            raise UsageError(
                f"a period of a {self.period} needs the {needed} of the games, and none is given"
            )
        return period_numbers(played, self.period)

    def _start(self, games: Games, played: pl.DataFrame, before: Ratings | None) -> Begun:
        listed = known_before(games, before, "rating")
        ratings = listed
        if self.given:
            ratings = np.where(np.isnan(ratings), first_given(games, played), ratings)
        known = ~np.isnan(ratings)
        # Who comes with a rating, and nothing says how many games it rests on, is no newcomer.
        counts = known_before(games, before, "total_games")
        counts = np.where(np.isnan(counts), np.where(known, self.k.new_games, 0), counts)
        ratings = np.where(known, ratings, self.start)
        error = np.where(np.isnan(listed), np.nan, known_before(games, before, "error"))
        return Begun(
            ratings=ratings,
            counts=counts.astype(np.int64),
            topped=(ratings >= self.k.top) | (known_before(games, before, "topped") == 1),
            known=known,
            listed=~np.isnan(listed),
            # What an earlier list says of its own errors goes on; a rating without one is taken as it is.
            doubt=np.where(known, np.nan_to_num(np.abs(error)), self.newcomer_spread),
        )

    def _walk(
        self,
        played: pl.DataFrame,
        periods: pl.Series | None,
        ratings: list[float],
        counts: list[int],
        topped: list[bool],
    ) -> Iterator[reference.Step]:
        rows = played.select("white", "black", "score").iter_rows()
        numbers = None if periods is None else periods.to_list()
        return reference.rate(
            rows, ratings, counts, curve=self.curve, k=self.k, periods=numbers, topped=topped
        )

    def _by_reference(self, played: pl.DataFrame, periods: pl.Series | None, begun: Begun) -> Now:
        values = [array.tolist() for array in begun.now()]
        for _ in self._walk(played, periods, *values):
            pass
        return _arrays(*values)

    def _by_kernel(self, played: pl.DataFrame, periods: pl.Series | None, begun: Begun) -> Now:
        from arpad.rate import kernels

        ratings, counts, _topped = now = begun.now()
        code, constants = coded(self.curve)
        white, black, score = (played[c].to_numpy() for c in ("white", "black", "score"))
        k = self.k
        if periods is None and code == LOGISTIC and len(k.tiers) == 1 and not k.new_games:
            slope = constants[0]
            kernels.each_game_simple(white, black, score, ratings, counts, slope, k.tiers[0][1])
        elif periods is None:
            kernels.each_game(white, black, score, *now, code, constants, *k_arrays(k))
        else:
            numbers = periods.to_numpy()
            kernels.each_period(white, black, score, numbers, *now, code, constants, *k_arrays(k))
        return now

    def errors(
        self,
        ratings: NDArray[np.float64],
        counts: NDArray[np.int64],
        mine: NDArray[np.int64],
        doubt: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return everybody's error after so many games, from what was not known at the start."""
        bounds, values = (np.array(column) for column in zip(*self.k.tiers, strict=True))
        levels = values[np.searchsorted(bounds[:-1], ratings, side="right")]
        levels = np.where(counts < self.k.new_games, self.k.new_k, levels)
        return chance_spread(levels, mine, doubt, self.curve)


def _arrays(ratings: list[float], counts: list[int], topped: list[bool]) -> Now:
    return np.array(ratings), np.array(counts, dtype=np.int64), np.array(topped, dtype=np.bool_)
