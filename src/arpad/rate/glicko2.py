"""Glicko-2: Glicko with a volatility, by which a rating learns how much its player changes.

Source: M. E. Glickman, *Example of the Glicko-2 system* (revised 2013 and 2022), steps in brackets; the
theory is in his *Dynamic paired comparison models with stochastic variances*, J. Applied Statistics 28
(2001).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from arpad.errors import UsageError
from arpad.rate.form import LEAST_INFORMATION, SCALE, Form, Meeting, expectation, g, predicted
from arpad.rate.form_rating import check, rate_forms
from arpad.rate.form_workings import form_workings
from arpad.rate.timeline import day
from arpad.rate.volatility import LEAST, MOST, new_volatility

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from numpy.typing import ArrayLike

    from arpad.model import Games, Ratings
    from arpad.rate.form_state import Forms
    from arpad.rate.timeline import Timeline
    from arpad.rate.workings import Workings

__all__ = ["Glicko2", "Glicko2Step"]


CALMEST, WILDEST = 0.001, 3.0
"""τ that is believed; with 10 one upset takes a volatility from .06 to 275, with 100 to 10¹¹."""


@dataclass(frozen=True, slots=True)
class Glicko2Step:
    """One player's games of a period, with every figure on the way; symbols as in the paper.

    μ, φ, v and Δ are on Glicko-2's own scale; `g` and `E` have one value a game.
    """

    mu: float
    phi: float
    g: tuple[float, ...]
    E: tuple[float, ...]
    v: float
    delta: float
    phi_star: float
    phi_new: float
    mu_new: float
    form: Form


@dataclass(frozen=True, slots=True, kw_only=True)
class Glicko2:
    """Glicko-2 as a set of constants.

    Parameters
    ----------
    tau
        How fast volatilities may change, .3 to 1.2; smaller is calmer [step 1].
    volatility
        A newcomer's, per √period on Glicko-2's own scale; .06 is about 10 rating points [step 1].
    start, start_error, given, given_error, period, on, white_advantage
        As of `Glicko`.
    max_error
        RD never grows beyond this. The paper knows no such limit; Lichess has this one.

    Examples
    --------
    >>> opponents = [Meeting(rating=1400, error=30, score=1), Meeting(rating=1550, error=100, score=0),
    ...              Meeting(rating=1700, error=300, score=0)]
    >>> step = Glicko2().step(Form(rating=1500, error=200, volatility=0.06), opponents)
    >>> round(step.mu_new, 4), round(step.phi_new, 4), round(step.form.volatility, 6)
    (-0.2069, 0.8722, 0.059996)
    """

    name: ClassVar[str] = "glicko2"
    grows: ClassVar[Literal["before", "after"]] = "after"
    tau: float = 0.5
    volatility: float = 0.06
    start: float = 1500.0
    start_error: float = 350.0
    given: bool = True
    given_error: float = 200.0
    max_error: float = 500.0
    period: str | int | None = None
    on: date | str | None = None
    white_advantage: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "on", day(self.on))
        check(
            self,
            least={"|white_advantage|": abs(self.white_advantage)},
        )
        if not CALMEST <= self.tau <= WILDEST:
            raise UsageError(
                f"expected tau from {CALMEST:g} to {WILDEST:g}, found {self.tau!r}: .3 to 1.2 is usual"
            )
        if not LEAST <= self.volatility <= MOST:
            raise UsageError(
                f"expected a volatility from {LEAST:g} to {MOST:g}, found {self.volatility!r}: .06 is usual"
            )

    @property
    def usual_volatility(self) -> float | None:
        """A newcomer's volatility."""
        return self.volatility

    def parameters(self) -> dict[str, object]:
        """Return every constant by name."""
        return {
            "tau": self.tau,
            "volatility": self.volatility,
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
        return form_workings(self, games, before, source="Glicko-2, step 7")

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
        >>> Glicko2().expected([1500, 1500], 50, [1400, 1700], 200).round(3).tolist()
        [0.618, 0.276]
        """
        plus = self.white_advantage * np.asarray(colour, dtype=np.float64)
        return predicted(rating, error, opponent, opponent_error, plus)

    def pace(self, volatility: Any) -> Any:
        """Return σ² in points², what one period adds to RD² [step 6]."""
        return (SCALE * volatility) ** 2

    def step(self, form: Form, meetings: Sequence[Meeting], length: float = 1.0) -> Glicko2Step:
        """Return a player's new form and the figures on the way [steps 2 to 8].

        1/v = Σ g² E (1 − E);  Δ = v Σ g (s − E);  σ′ by `new_volatility`;  φ*² = φ² + σ′² · length;
        φ′² = 1/(1/φ*² + 1/v);  μ′ = μ + φ′² Σ g (s − E).

        Parameters
        ----------
        length
            How much of the period has passed: 1 but for one that is cut short.
        """
        mu, phi = (form.rating - self.start) / SCALE, form.error / SCALE
        weights = tuple(g(game.error) for game in meetings)
        E = tuple(
            expectation(form.rating - game.rating + game.colour * self.white_advantage, game.error)
            for game in meetings
        )
        information = sum(w * w * e * (1 - e) for w, e in zip(weights, E, strict=True))
        v = 1 / max(information, LEAST_INFORMATION)
        gain = sum(w * (m.score - e) for w, e, m in zip(weights, E, meetings, strict=True))
        sigma = new_volatility(form.volatility, phi=phi, v=v, delta=v * gain, tau=self.tau)
        phi_star = math.sqrt(phi**2 + sigma**2 * length)
        phi_new = 1 / math.sqrt(1 / phi_star**2 + 1 / v)
        mu_new = mu + phi_new**2 * gain
        new = Form(
            rating=form.rating + SCALE * phi_new**2 * gain,
            error=SCALE * phi_new,
            volatility=sigma,
        )
        return Glicko2Step(mu, phi, weights, E, v, v * gain, phi_star, phi_new, mu_new, new)

    def updated(self, form: Form, meetings: Sequence[Meeting], length: float) -> Form:
        """Return a player's form after the games of a period."""
        return self.step(form, meetings, length).form

    def run(self, line: Timeline, state: Forms) -> None:
        """Rate all games with the compiled kernel."""
        from arpad.rate.glicko_kernels import rate_volatile

        rate_volatile(
            line, state, most=self.max_error, advantage=self.white_advantage, tau=self.tau
        )
