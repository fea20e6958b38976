"""Is this play surprising for its rating? Z-scores of match rate and average error against the projection.

A z-score says how unusual moves are for a rating, and nothing about why: a good week, a well prepared opening, a rating that
lags behind a rising player look the same. Unusual things happen when many are looked at, so the odds
against chance are given together with the number of performances among which one such is expected.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scipy.optimize import brentq
from scipy.stats import norm

from arpad.errors import UsageError
from arpad.moves.intrinsic.line import ACTUAL_ERROR, ACTUAL_MATCH
from arpad.moves.intrinsic.projection import project

if TYPE_CHECKING:
    from arpad.moves.intrinsic.calibration import Calibration
    from arpad.moves.intrinsic.choices import Choices

__all__ = ["Score", "Surprise", "skill_of", "surprise"]

PRIOR = 10_000.0
"""One performance in this many is thought to deserve a closer look before anything is measured, if nothing else is said."""
UNUSUAL = 2.0
"""The z-score from which play is called unusual."""
SMALLEST, LARGEST = 1e-4, 20.0
"""Between which s is looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One measure: what was seen, what was expected, and how far apart they are.

    `z` is positive where the play was better than expected. `multiplier` widens the projected `sigma`.
    """

    seen: float
    expected: float
    sigma: float
    multiplier: float

    @property
    def wide(self) -> float:
        """The standard deviation in use."""
        return self.sigma * self.multiplier


@dataclass(frozen=True, slots=True, kw_only=True)
class Surprise:
    """Both z-scores of a performance, and what they can and cannot show."""

    rating: float
    moves: int
    s: float
    c: float
    match: Score
    error: Score
    z_match: float
    z_error: float
    prior: float
    calibration: str

    @property
    def one_in(self) -> float:
        """Among how many performances at this rating one is expected by chance in which either measure is as good as the better one here.

        Two measures have two chances: the tail counts twice, which is the most it can be.
        """
        tail = min(2 * float(norm.sf(max(self.z_match, self.z_error))), 1.0)
        return math.inf if tail == 0 else 1.0 / tail

    @property
    def expected_by_chance(self) -> float:
        """How many such performances chance alone gives for each one that the prior thinks of."""
        return self.prior / self.one_in

    def verdict(self) -> str:
        """Return what the numbers say, in one or two sentences."""
        if max(self.z_match, self.z_error) < UNUSUAL:
            return f"Nothing here is unusual for a rating of {self.rating:.0f}."
        chance = self.expected_by_chance
        return (
            f"Play this close to the engine's is expected of a {self.rating:.0f} player about once in "
            f"{_round(self.one_in)} performances. If one performance in {self.prior:,.0f} has a cause other than chance, about "
            f"{chance:,.2g} by chance stand beside it."
        )

    def words(self) -> str:
        """Return what the numbers say, and a caution."""
        return (
            f"{self.verdict()} The numbers compare moves with an engine's; they cannot tell form, preparation, a "
            "rating that lags behind, or a choice of games from anything else, and they prove nothing alone."
        )


def skill_of(
    rating: float, calibration: Calibration, *, positions: Choices | None = None
) -> tuple[float, float]:
    """Return the (s, c) of a rating: c from the artery, s so that the line gives the rating back.

    Parameters
    ----------
    positions
        What errors are projected on where the calibration has no reference of its own.
    """
    standing = calibration.reference if positions is None else calibration.standing(positions)
    c = calibration.artery.c(rating)
    aim = calibration.line.error(rating)
    if not (c > 0 and aim > 0):
        raise UsageError(f"a rating of {rating:.0f} lies beyond what the calibration can speak of")

    def miss(log_s: float) -> float:
        return project(standing, math.exp(log_s), c).error - aim

    low, high = math.log(SMALLEST), math.log(LARGEST)
    if miss(low) > 0 or miss(high) < 0:
        raise UsageError(f"a rating of {rating:.0f} lies beyond what the calibration can speak of")
    return math.exp(brentq(miss, low, high, xtol=1e-8)), c


def surprise(
    choices: Choices,
    rating: float,
    calibration: Calibration,
    *,
    prior: float = PRIOR,
    skill: tuple[float, float] | None = None,
) -> Surprise:
    """Compare the moves played with what a player of this rating is projected to play in the same positions.

    Parameters
    ----------
    prior
        One performance in how many is thought to deserve a look, before anything is measured.
    skill
        The (s, c) of the rating, where `skill_of` has found it already.
    """
    if not prior >= 1:
        raise UsageError(f"expected prior odds of one in 1 or more, found one in {prior!r}")
    s, c = skill or skill_of(rating, calibration, positions=choices)
    at = project(choices, s, c)
    match = Score(
        seen=choices.match_rate,
        expected=at.match_rate,
        sigma=at.match_sigma,
        multiplier=ACTUAL_MATCH,
    )
    error = Score(
        seen=choices.scaled_error, expected=at.error, sigma=at.error_sigma, multiplier=ACTUAL_ERROR
    )
    return Surprise(
        rating=rating,
        moves=len(choices),
        s=s,
        c=c,
        match=match,
        error=error,
        z_match=(match.seen - match.expected) / match.wide,
        z_error=(error.expected - error.seen) / error.wide,
        prior=prior,
        calibration=calibration.name,
    )


def _round(number: float) -> str:
    """Return a number as people say it: two figures."""
    if math.isinf(number):
        return "more than can be counted"
    digits = max(len(str(int(number))) - 2, 0)
    return f"{round(number, -digits):,.0f}"
