"""Glicko, Glicko-2 and Stephenson's system."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from arpad.errors import UsageError
from arpad.rate.glicko.rating import FormRates
from arpad.rate.glicko.steps import LEAST, MOST, SCALE, GlickoGame, GlickoPlayer, Q, new_volatility
from arpad.rate.system import Range

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arpad.rate.glicko.steps import Forms
    from arpad.rate.periods import Timeline


# Glicko: a rating with a spread, RD, that games narrow and time widens.
#
# Source: M. E. Glickman, *The Glicko system* (revised 2016), steps in brackets; the theory is in his
# *Parameter estimation in large dynamic paired comparison experiments*, Applied Statistics 48 (1999).


@dataclass(frozen=True, slots=True)
class GlickoStep:
    """One player's games of a period, with every figure on the way [step 2].

    `g` and `E` have one value a game.
    """

    g: tuple[float, ...]
    E: tuple[float, ...]
    d_squared: float
    form: GlickoPlayer


@dataclass(frozen=True, slots=True, kw_only=True)
class Glicko(FormRates):
    """Glicko as a set of constants.

    Parameters
    ----------
    c
        Rating points: RD² grows by c² a period. 15 is about the best for monthly periods of chess
        (Stephenson 2012); 63.2 in the paper's example, where 30 periods take an RD from 50 to 350.

    Examples
    --------
    >>> opponents = [GlickoGame(rating=1400, error=30, score=1), GlickoGame(rating=1550, error=100, score=0),
    ...              GlickoGame(rating=1700, error=300, score=0)]
    >>> step = Glicko().step(GlickoPlayer(rating=1500, error=200), opponents)
    >>> round(step.form.rating), round(step.form.error, 1)
    (1464, 151.4)
    """

    name: ClassVar[str] = "glicko"
    tunable: ClassVar[Mapping[str, Range]] = {"c": Range(4, 60, log=True), "start_error": Range(100, 350)}
    source: ClassVar[str] = "Glicko, step 2"
    at_least_zero: ClassVar[tuple[str, ...]] = ("c",)
    c: float = 15.0

    def pace(self, volatility: Any) -> Any:
        """Return c², what one period adds to RD² [step 1]."""
        return self.c**2 + 0 * volatility

    def step(self, form: GlickoPlayer, meetings: Sequence[GlickoGame]) -> GlickoStep:
        """Return a player's new form and the figures on the way [step 2].

        1/d² = q² Σ g² E (1 − E);  RD′² = 1/(1/RD² + 1/d²);  r′ = r + q RD′² Σ g (s − E).
        """
        weights, E, information = self.said(form, meetings)
        per_d_squared = Q**2 * information
        gain = sum(w * (m.score - e) for w, e, m in zip(weights, E, meetings, strict=True))
        variance = 1 / (1 / form.error**2 + per_d_squared)
        new = GlickoPlayer(rating=form.rating + Q * variance * gain, error=variance**0.5)
        return GlickoStep(weights, E, 1 / per_d_squared, new)

    def run(self, line: Timeline, state: Forms) -> None:
        """Rate all games with the compiled kernel."""
        from arpad.rate.glicko.kernels import rate_plain

        rate_plain(line, state, c=self.c, most=self.max_error, advantage=self.white_advantage)


# Glicko-2: Glicko with a volatility, by which a rating learns how much its player changes.
#
# Source: M. E. Glickman, *Example of the Glicko-2 system* (revised 2013 and 2022), steps in brackets; the
# theory is in his *Dynamic paired comparison models with stochastic variances*, J. Applied Statistics 28
# (2001).

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
    form: GlickoPlayer


@dataclass(frozen=True, slots=True, kw_only=True)
class Glicko2(FormRates):
    """Glicko-2 as a set of constants.

    Parameters
    ----------
    tau
        How fast volatilities may change, .3 to 1.2; smaller is calmer [step 1].
    volatility
        A newcomer's, per √period on Glicko-2's own scale; .06 is about 10 rating points [step 1].
    max_error
        RD never grows beyond this. The paper knows no such limit; Lichess has this one.

    Examples
    --------
    >>> opponents = [GlickoGame(rating=1400, error=30, score=1), GlickoGame(rating=1550, error=100, score=0),
    ...              GlickoGame(rating=1700, error=300, score=0)]
    >>> step = Glicko2().step(GlickoPlayer(rating=1500, error=200, volatility=0.06), opponents)
    >>> round(step.mu_new, 4), round(step.phi_new, 4), round(step.form.volatility, 6)
    (-0.2069, 0.8722, 0.059996)
    """

    name: ClassVar[str] = "glicko2"
    tunable: ClassVar[Mapping[str, Range]] = {
        "tau": Range(0.2, 1.2),
        "volatility": Range(0.015, 0.24, log=True),
        "start_error": Range(100, 500),
    }
    source: ClassVar[str] = "Glicko-2, step 7"
    grows: ClassVar[Literal["before", "after"]] = "after"
    tau: float = 0.5
    volatility: float = 0.06
    max_error: float = 500.0

    def __post_init__(self) -> None:
        FormRates.__post_init__(self)
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

    def pace(self, volatility: Any) -> Any:
        """Return σ² in points², what one period adds to RD² [step 6]."""
        return (SCALE * volatility) ** 2

    def step(self, form: GlickoPlayer, meetings: Sequence[GlickoGame], length: float = 1.0) -> Glicko2Step:
        """Return a player's new form and the figures on the way [steps 2 to 8].

        1/v = Σ g² E (1 − E);  Δ = v Σ g (s − E);  σ′ by `new_volatility`;  φ*² = φ² + σ′² · length;
        φ′² = 1/(1/φ*² + 1/v);  μ′ = μ + φ′² Σ g (s − E).

        Parameters
        ----------
        length
            How much of the period has passed: 1 but for one that is cut short.
        """
        mu, phi = (form.rating - self.start) / SCALE, form.error / SCALE
        weights, E, information = self.said(form, meetings)
        v = 1 / information
        gain = sum(w * (m.score - e) for w, e, m in zip(weights, E, meetings, strict=True))
        sigma = new_volatility(form.volatility, phi=phi, v=v, delta=v * gain, tau=self.tau)
        phi_star = math.sqrt(phi**2 + sigma**2 * length)
        phi_new = 1 / math.sqrt(1 / phi_star**2 + 1 / v)
        mu_new = mu + phi_new**2 * gain
        new = GlickoPlayer(
            rating=form.rating + SCALE * phi_new**2 * gain, error=SCALE * phi_new, volatility=sigma
        )
        return Glicko2Step(mu, phi, weights, E, v, v * gain, phi_star, phi_new, mu_new, new)

    def updated(self, form: GlickoPlayer, meetings: Sequence[GlickoGame], length: float) -> GlickoPlayer:
        """Return a player's form after the games of a period."""
        return self.step(form, meetings, length).form

    def run(self, line: Timeline, state: Forms) -> None:
        """Rate all games with the compiled kernel."""
        from arpad.rate.glicko.kernels import rate_volatile

        rate_volatile(line, state, most=self.max_error, advantage=self.white_advantage, tau=self.tau)


# Stephenson's system: Glicko with a spread that games widen too, a bonus, and a pull to the opponents.
#
# Source: A. G. Stephenson, *Comparing predictive performance of chess ratings with the PlayerRatings
# package* (2012), appendix: a variant of his entry that won the contest for the most useful practical
# chess rating system on Kaggle.


@dataclass(frozen=True, slots=True)
class StephensonStep:
    """One player's games of a period, with every figure on the way; symbols as in the appendix."""

    k: tuple[float, ...]
    e: tuple[float, ...]
    d: float
    pull: float
    """λ (r̄ − r), in rating points."""
    form: GlickoPlayer


@dataclass(frozen=True, slots=True, kw_only=True)
class Stephenson(FormRates):
    """Stephenson's system as a set of constants; the units are those of PlayerRatings' `steph`.

    Parameters
    ----------
    c, h
        Rating points: RD² grows by c² a period, and by h² a game.
    bonus
        b in hundredths of a point: what every game adds to a player's score. It inflates.
    neighbourhood
        λ in per cent: how far the average opponent draws a rating in a period.
    start, start_error
        Those of `steph`, made for monthly periods.

    Examples
    --------
    >>> white = GlickoGame(rating=1400, error=30, score=1, colour=1)
    >>> step = Stephenson().step(GlickoPlayer(rating=1500, error=200), [white])
    >>> round(step.form.rating, 1), round(step.form.error, 1), step.pull
    (1561.6, 175.4, -2.0)
    """

    name: ClassVar[str] = "stephenson"
    tunable: ClassVar[Mapping[str, Range]] = {
        "c": Range(2, 40, log=True),
        "h": Range(2, 40, log=True),
        "bonus": Range(0, 10),
        "neighbourhood": Range(0, 8),
        "start_error": Range(100, 350),
    }
    source: ClassVar[str] = "Stephenson, step 2"
    at_least_zero: ClassVar[tuple[str, ...]] = ("c", "h", "bonus", "neighbourhood")
    c: float = 10.0
    h: float = 10.0
    bonus: float = 0.0
    neighbourhood: float = 2.0
    start: float = 2200.0
    start_error: float = 300.0

    def extras(self) -> tuple[float, float]:
        """Return what a game gives for playing, and the share of the way to the opponents' average."""
        return self.bonus / 100, self.neighbourhood / 100

    def pace(self, volatility: Any) -> Any:
        """Return c², what one period adds to RD² [step 1]."""
        return self.c**2 + 0 * volatility

    def step(self, form: GlickoPlayer, meetings: Sequence[GlickoGame]) -> StephensonStep:
        """Return a player's new form and the figures on the way [step 2].

        v* = 1/(1/(v + h m) + d),  d = q² Σ k² e (1 − e),
        r* = r + q v* Σ k (s − e + b) + λ (r̄ − r), r̄ the average of the m opponents.
        """
        m = len(meetings)
        k, e, information = self.said(form, meetings)
        d = Q**2 * information
        b = self.bonus / 100
        gain = sum(w * (game.score - x + b) for w, x, game in zip(k, e, meetings, strict=True))
        variance = 1 / (1 / (form.error**2 + m * self.h**2) + d)
        average = sum(game.rating for game in meetings) / m
        pull = self.neighbourhood / 100 * (average - form.rating)
        new = GlickoPlayer(rating=form.rating + Q * variance * gain + pull, error=variance**0.5)
        return StephensonStep(k, e, d, pull, new)

    def run(self, line: Timeline, state: Forms) -> None:
        """Rate all games with the compiled kernel."""
        from arpad.rate.glicko.kernels import rate_plain

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
