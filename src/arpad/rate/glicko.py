"""Glicko: a rating with a spread, RD, that games narrow and time widens.

Source: M. E. Glickman, *The Glicko system* (revised 2016), steps in brackets; the theory is in his
*Parameter estimation in large dynamic paired comparison experiments*, Applied Statistics 48 (1999).
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

__all__ = ["Glicko", "GlickoStep"]


@dataclass(frozen=True, slots=True)
class GlickoStep:
    """One player's games of a period, with every figure on the way [step 2].

    `g` and `E` have one value a game.
    """

    g: tuple[float, ...]
    E: tuple[float, ...]
    d_squared: float
    form: Form


@dataclass(frozen=True, slots=True, kw_only=True)
class Glicko:
    """Glicko as a set of constants.

    Parameters
    ----------
    c
        Rating points: RD² grows by c² a period. 15 is about the best for monthly periods of chess
        (Stephenson 2012); 63.2 in the paper's example, where 30 periods take an RD from 50 to 350.
    start, start_error
        Rating and RD of a player of whom nothing is known.
    given
        Start players from the first rating that the source gives them, if it does.
    given_error
        RD of a rating that comes without one; 200 is what Stephenson (2012) gives to FIDE's.
    max_error
        RD never grows beyond this.
    period
        "day", "month", "quarter", "year", a number of days, "event" or "game"; None: months, or one
        period where no game has a date. Between events, or games, time is counted in months.
    on
        Read the ratings on the morning of this day; None: at the end of the last period.
    white_advantage
        Rating points.

    Examples
    --------
    >>> opponents = [Meeting(rating=1400, error=30, score=1), Meeting(rating=1550, error=100, score=0),
    ...              Meeting(rating=1700, error=300, score=0)]
    >>> step = Glicko().step(Form(rating=1500, error=200), opponents)
    >>> round(step.form.rating), round(step.form.error, 1)
    (1464, 151.4)
    """

    name: ClassVar[str] = "glicko"
    grows: ClassVar[Literal["before", "after"]] = "before"
    usual_volatility: ClassVar[float | None] = None
    c: float = 15.0
    start: float = 1500.0
    start_error: float = 350.0
    given: bool = True
    given_error: float = 200.0
    max_error: float = 350.0
    period: str | int | None = None
    on: date | str | None = None
    white_advantage: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "on", day(self.on))
        check(self, least={"c": self.c, "|white_advantage|": abs(self.white_advantage)})

    def parameters(self) -> dict[str, object]:
        """Return every constant by name."""
        return {
            "c": self.c,
            "start": self.start,
            "start_error": self.start_error,
            "period": self.period,
            "on": self.on,
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
        return form_workings(self, games, before, source="Glicko, step 2")

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
        >>> round(Glicko().expected(1500, 50, 1400, 200), 3)
        0.618
        """
        plus = self.white_advantage * np.asarray(colour, dtype=np.float64)
        return predicted(rating, error, opponent, opponent_error, plus)

    def pace(self, volatility: Any) -> Any:
        """Return c², what one period adds to RD² [step 1]."""
        return self.c**2 + 0 * volatility

    def step(self, form: Form, meetings: Sequence[Meeting]) -> GlickoStep:
        """Return a player's new form and the figures on the way [step 2].

        1/d² = q² Σ g² E (1 − E);  RD′² = 1/(1/RD² + 1/d²);  r′ = r + q RD′² Σ g (s − E).
        """
        weights = tuple(g(game.error) for game in meetings)
        E = tuple(
            expectation(form.rating - game.rating + game.colour * self.white_advantage, game.error)
            for game in meetings
        )
        information = sum(w * w * e * (1 - e) for w, e in zip(weights, E, strict=True))
        per_d_squared = Q**2 * max(information, LEAST_INFORMATION)
        gain = sum(w * (m.score - e) for w, e, m in zip(weights, E, meetings, strict=True))
        variance = 1 / (1 / form.error**2 + per_d_squared)
        new = Form(rating=form.rating + Q * variance * gain, error=variance**0.5)
        return GlickoStep(weights, E, 1 / per_d_squared, new)

    def updated(self, form: Form, meetings: Sequence[Meeting], length: float) -> Form:  # noqa: ARG002
        """Return a player's form after the games of a period."""
        return self.step(form, meetings).form

    def run(self, line: Timeline, state: Forms) -> None:
        """Rate all games with the compiled kernel."""
        from arpad.rate.glicko_kernels import rate_plain

        rate_plain(line, state, c=self.c, most=self.max_error, advantage=self.white_advantage)
