"""Whole-history rating: a curve for every player, all games at once.

Source: R. Coulom, *Whole-History Rating: A Bayesian Rating System for Players of Time-Varying Strength*,
Computers and Games 2008, LNCS 5131, 113–124. The curves themselves are in `whole_history`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.model import Ratings
from arpad.rate.form import predicted
from arpad.rate.timeline import day
from arpad.rate.whr_run import Run, run
from arpad.scale import Curve, Logistic

if TYPE_CHECKING:
    from datetime import date

    from numpy.typing import ArrayLike, NDArray

    from arpad.model import Games
    from arpad.rate.whr_forward import Forward

__all__ = ["Whr"]

FARTHEST = 1e5
"""No constant in rating points is larger."""

LEAST_W2 = 1e-4
"""Points² a day: below this a curve does not move in a lifetime, and 1/(w² Δt) leaves the range of numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Whr:
    """Whole-history rating as a set of constants.

    Parameters
    ----------
    w2
        Rating points² a day: how fast strengths change. In Δt days a rating wanders by √(w² Δt) points. 7
        foretold the games of 2014 best of those tried (docs/methods/whr.md); Glicko's 15 points a month
        are 7.4.
    prior
        Virtual draws on a newcomer's first day against somebody of the rating `start`: two are
        Coulom's one win and one loss, a standard deviation of about 246 points.
    start
        The rating of that opponent; None: the mean of the ratings that are given, 1500 without any.
        Who comes without a rating among the rated is weaker than they are, as a rule.
    given
        Hold a rating that the source gives beside a player's first game, or in the player's own entry,
        for what is known before: normal, with the standard deviation `given_error`.
    given_error
        Rating points; of a listed rating without an error, too.
    white_advantage
        Rating points; None: estimated.
    on
        Read the ratings on the morning of this day, from the games before it; None: the morning after
        the last game.
    tolerance
        Rating points: iterate until no rating changes by more.

    Examples
    --------
    >>> from arpad.model import Games
    >>> ratings = Whr().rate(Games.build([("Anand", "Karpov", 1.0)]))
    >>> ratings.rows["rating"].round(1).to_list()
    [1591.7, 1408.3]
    """

    name: ClassVar[str] = "whr"
    curve: ClassVar[Curve] = Logistic()
    # What a list needs to know to let errors grow with time, as those of Glicko do (`form_list`).
    period: ClassVar[str] = "day"
    max_error: ClassVar[float] = FARTHEST
    usual_volatility: ClassVar[float | None] = None
    w2: float = 7.0
    prior: float = 2.0
    start: float | None = 1500.0
    given: bool = True
    given_error: float = 200.0
    white_advantage: float | None = 0.0
    on: date | str | None = None
    tolerance: float = 0.01

    def __post_init__(self) -> None:
        object.__setattr__(self, "on", day(self.on))
        if not LEAST_W2 <= self.w2 <= FARTHEST:
            raise UsageError(f"expected w2 from {LEAST_W2:g} to {FARTHEST:g} points² a day, found {self.w2!r}")  # fmt: skip
        for name in ("prior", "given_error", "tolerance"):
            if not 0 < getattr(self, name) <= FARTHEST:
                raise UsageError(
                    f"expected {name} above 0 and up to {FARTHEST:g}, found {getattr(self, name)!r}"
                )
        for name in ("start", "white_advantage"):
            value = getattr(self, name)
            if value is not None and not abs(value) <= FARTHEST:
                raise UsageError(f"expected {name} within ± {FARTHEST:g}, found {value!r}")

    def parameters(self) -> dict[str, object]:
        """Return every constant by name."""
        return {
            "w2": self.w2,
            "prior": self.prior,
            "start": self.start,
            "given": self.given,
            "given_error": self.given_error,
            "white_advantage": self.white_advantage,
            "on": self.on,
            "tolerance": self.tolerance,
        }

    def rate(self, games: Games, before: Ratings | None = None) -> Ratings:
        """Fit everybody's curve to all games and read it on the day of the list.

        An earlier list holds what is known of its players before the first of these games: normal, with
        the list's errors, which have grown by w² a day since its day. Nothing that comes later changes what
        the list knew: for a late result to change the past, the past's games must be here, too.
        """
        return _list(self, games, run(self, games, before))

    def expected(
        self,
        rating: ArrayLike,
        error: ArrayLike,
        opponent: ArrayLike,
        opponent_error: ArrayLike,
        *,
        colour: ArrayLike = 0,
    ) -> Any:
        """Return the expected score of a game to come; colour 1 is White, −1 Black, 0 not known.

        The doubt about both ratings draws it towards one half, as Glicko's does. An advantage that is to
        be estimated counts as 0 here: `forward` knows the estimate.

        Examples
        --------
        >>> round(Whr().expected(1600, 0, 1400, 0), 3), round(Whr().expected(1600, 150, 1400, 150), 3)
        (0.76, 0.722)
        """
        plus = (self.white_advantage or 0.0) * np.asarray(colour, dtype=np.float64)
        return predicted(rating, error, opponent, opponent_error, plus)

    def pace(self, volatility: Any) -> Any:
        """Return w², what one day adds to the square of an error."""
        return self.w2 + 0 * volatility

    def forward(self) -> Forward:
        """Return what foretells period after period from all games before it."""
        from arpad.rate.whr_forward import Forward

        return Forward(self)

    def foretell(
        self, games: Games, first: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return difference and White's expected score of games in order, from the periods before their own.

        A period begins at each row of `first`, whose last is the number of games.
        """
        from arpad.rate.whr_forward import foretell

        return foretell(self, games, first)


def _list(system: Whr, games: Games, found: Run) -> Ratings:
    points, fit = found.points, found.fit
    last = points.first[1:] - 1
    own = points.player[last]
    waited = 0 if found.on is None else found.morning - points.day[last]
    rating, first = fit.rating[last], found.priors.held[own]
    mine = np.add.reduceat(points.played(), points.first[:-1]) if len(points) else last
    dates = points.day[last].astype(np.int32) if found.dated else np.zeros(0, dtype=np.int32)
    days = pl.Series(dates).cast(pl.Date)
    rows = pl.DataFrame(
        {
            "player": games.players["name"].gather(own),
            "id": games.players["id"].gather(own),
            "rating": rating,
            "error": np.sqrt(fit.variance[last] + system.w2 * np.maximum(waited, 0)),
            "games": mine,
            "before": first,
            "change": rating - first,
            "last": days if found.dated else pl.Series([None] * len(own), dtype=pl.Date),
        }
    ).with_columns(
        pl.col("before", "change").fill_nan(None), pl.lit(found.on, dtype=pl.Date).alias("on")
    )
    parameters = {**system.parameters(), **found.settled()}
    ratings = Ratings.rank(rows, system=system.name, parameters=parameters, games=games)
    source = {**ratings.source, "notes": list(found.notes), "fit": found.told()}
    if found.later:
        status = dict(ratings.source["status"])
        source["status"] = {**status, "played": len(points.white), "later": found.later}
    return replace(ratings, source=source)
