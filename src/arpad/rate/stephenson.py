"""Stephenson's system: Glicko with a spread that games widen too, a bonus, and a pull to the opponents.

Source: A. G. Stephenson, *Comparing predictive performance of chess ratings with the PlayerRatings
package* (2012), appendix: a variant of his entry that won the contest for the most useful practical
chess rating system on Kaggle.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from arpad.rate.form import LEAST_INFORMATION, Form, Meeting, Q, expectation, g, predicted
from arpad.rate.form_rating import check, rate_forms
from arpad.rate.form_workings import form_workings
from arpad.rate.timeline import day

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from numpy.typing import ArrayLike

    from arpad.model import Games, Ratings
    from arpad.rate.form_state import Forms
    from arpad.rate.timeline import Timeline
    from arpad.rate.workings import Workings

__all__ = ["Stephenson", "StephensonStep"]


@dataclass(frozen=True, slots=True)
class StephensonStep:
    """One player's games of a period, with every figure on the way; symbols as in the appendix."""

    k: tuple[float, ...]
    e: tuple[float, ...]
    d: float
    pull: float
    """λ (r̄ − r), in rating points."""
    form: Form


@dataclass(frozen=True, slots=True, kw_only=True)
class Stephenson:
    """Stephenson's system as a set of constants; the units are those of PlayerRatings' `steph`.

    Parameters
    ----------
    c, h
        Rating points: RD² grows by c² a period, and by h² a game.
    bonus
        b in hundredths of a point: what every game adds to a player's score. It inflates.
    neighbourhood
        λ in per cent: how far the average opponent draws a rating in a period.
    start, start_error, given, given_error, max_error, period, on, white_advantage
        As of `Glicko`; the defaults are those of `steph`, made for monthly periods.

    Examples
    --------
    >>> white = Meeting(rating=1400, error=30, score=1, colour=1)
    >>> step = Stephenson().step(Form(rating=1500, error=200), [white])
    >>> round(step.form.rating, 1), round(step.form.error, 1), step.pull
    (1561.6, 175.4, -2.0)
    """

    name: ClassVar[str] = "stephenson"
    grows: ClassVar[Literal["before", "after"]] = "before"
    usual_volatility: ClassVar[float | None] = None
    c: float = 10.0
    h: float = 10.0
    bonus: float = 0.0
    neighbourhood: float = 2.0
    start: float = 2200.0
    start_error: float = 300.0
    given: bool = True
    given_error: float = 200.0
    max_error: float = 350.0
    period: str | int | None = None
    on: date | str | None = None
    white_advantage: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "on", day(self.on))
        least = {name: getattr(self, name) for name in ("c", "h", "bonus", "neighbourhood")}
        check(self, least={**least, "|white_advantage|": abs(self.white_advantage)})

    def parameters(self) -> dict[str, object]:
        """Return every constant by name."""
        return {
            "c": self.c,
            "h": self.h,
            "bonus": self.bonus,
            "neighbourhood": self.neighbourhood,
            "period": self.period,
            "on": self.on,
            "start": self.start,
            "start_error": self.start_error,
            "given": self.given,
            "given_error": self.given_error,
            "max_error": self.max_error,
            "white_advantage": self.white_advantage,
        }

    def rate(self, games: Games, before: Ratings | None = None) -> Ratings:
        """Rate the games period by period; `error` is RD on the day of the list."""
        return rate_forms(self, games, before)

    def workings(self, games: Games, before: Ratings | None = None) -> tuple[Ratings, Workings]:
        """Return what `rate` returns, and what every game of a period added."""
        return form_workings(
            self,
            games,
            before,
            source="Stephenson, step 2",
            bonus=self.bonus / 100,
            pull=self.neighbourhood / 100,
        )

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

        Examples
        --------
        >>> round(Stephenson(white_advantage=30).expected(1400, 40, 1500, 150, colour=1), 4)
        0.4106
        """
        plus = self.white_advantage * np.asarray(colour, dtype=np.float64)
        return predicted(rating, error, opponent, opponent_error, plus)

    def pace(self, volatility: Any) -> Any:
        """Return c², what one period adds to RD² [step 1]."""
        return self.c**2 + 0 * volatility

    def step(self, form: Form, meetings: Sequence[Meeting]) -> StephensonStep:
        """Return a player's new form and the figures on the way [step 2].

        v* = 1/(1/(v + h m) + d),  d = q² Σ k² e (1 − e),
        r* = r + q v* Σ k (s − e + b) + λ (r̄ − r), r̄ the average of the m opponents.
        """
        m = len(meetings)
        k = tuple(g(game.error) for game in meetings)
        e = tuple(
            expectation(form.rating - game.rating + game.colour * self.white_advantage, game.error)
            for game in meetings
        )
        information = sum(w * w * x * (1 - x) for w, x in zip(k, e, strict=True))
        d = Q**2 * max(information, LEAST_INFORMATION)
        b = self.bonus / 100
        gain = sum(w * (game.score - x + b) for w, x, game in zip(k, e, meetings, strict=True))
        variance = 1 / (1 / (form.error**2 + m * self.h**2) + d)
        average = sum(game.rating for game in meetings) / m
        pull = self.neighbourhood / 100 * (average - form.rating)
        new = Form(rating=form.rating + Q * variance * gain + pull, error=variance**0.5)
        return StephensonStep(k, e, d, pull, new)

    def updated(self, form: Form, meetings: Sequence[Meeting], length: float) -> Form:  # noqa: ARG002
        """Return a player's form after the games of a period."""
        return self.step(form, meetings).form

    def run(self, line: Timeline, state: Forms) -> None:
        """Rate all games with the compiled kernel."""
        from arpad.rate.glicko_kernels import rate_plain

        rate_plain(
            line,
            state,
            c=self.c,
            most=self.max_error,
            advantage=self.white_advantage,
            h=self.h,
            bonus=self.bonus / 100,
            pull=self.neighbourhood / 100,
        )
