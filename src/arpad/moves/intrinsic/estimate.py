"""A rating where there can be one, a bound where there is only that, and words where there is neither."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from arpad.errors import ArpadError
from arpad.moves.intrinsic.fit import RANGE_S
from arpad.moves.intrinsic.line import SIGMAS
from arpad.moves.intrinsic.projection import probabilities, project
from arpad.moves.intrinsic.rating import LEAST_MOVES, intrinsic_rating, moves_needed

if TYPE_CHECKING:
    from arpad.moves.intrinsic.calibration import Calibration
    from arpad.moves.intrinsic.choices import Choices
    from arpad.moves.intrinsic.fit import FitMethod
    from arpad.moves.intrinsic.rating import Intrinsic

__all__ = ["Estimate", "estimated"]

TAIL = float(norm.sf(SIGMAS))
"""The chance beyond one end of an interval of ±2σ: a bound leaves out as much."""
HALF_WIDTH = 100.0
"""Points either side for which the number of moves is said when there are too few."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What some moves say of who chose them.

    `rating` is None where they say too little; `note` then says why. `at_least` is the rating below which moves without any
    error would be rarer than 2.3 in 100.
    """

    moves: int
    match_rate: float
    error: float
    rating: Intrinsic | None = None
    at_least: float | None = None
    note: str = ""


def estimated(
    choices: Choices, calibration: Calibration, *, method: FitMethod | None = None
) -> Estimate:
    """Rate some choices; never raises for what the moves are.

    Where s and c cannot both be found, c is taken from the calibration's artery and s alone is fitted.
    """
    found = Estimate(moves=len(choices), match_rate=choices.match_rate, error=choices.scaled_error)
    if why := _too_few(choices, calibration):
        return _said(found, why)
    if not (choices.loss > 0).any():
        bound = _bound(choices, calibration)
        why = f"all {len(choices)} moves are as good as the engine's first: no finite rating explains that"
        if bound is None:
            return _said(found, why)
        return _said(found, f"{why}, and nobody below {bound:.0f} is likely to play so", bound)
    if not choices.matched.any():
        return _said(
            found, f"none of the {len(choices)} moves is the engine's first: more are needed"
        )
    try:
        return _fitted(found, choices, calibration, method)
    except ArpadError as error:
        return _said(found, str(error))


def _fitted(
    found: Estimate, choices: Choices, calibration: Calibration, method: FitMethod | None
) -> Estimate:
    rated = intrinsic_rating(choices, calibration, method=method)
    note = rated.note
    if not rated.fit.converged:
        c = _middle_c(calibration)
        again = intrinsic_rating(choices, calibration, method=method, c=c)
        if not again.fit.converged:
            why = f"no skill explains {100 * found.match_rate:.0f} % first moves together with an average error of {found.error:.3f}"
            return _said(found, f"{why}: no rating is given")
        rated = again
        note = f"s and c cannot both be found in {len(choices)} moves: c = {c:.3f}, the artery's"
    return replace(found, rating=rated, note=note)


def _said(found: Estimate, note: str, bound: float | None = None) -> Estimate:
    return replace(found, at_least=bound, note=note)


def _too_few(choices: Choices, calibration: Calibration) -> str:
    if len(choices) and not (choices.count.sum(axis=1) > 1).any():
        return "every move was forced: nothing can be said of who chose it"
    if len(choices) >= LEAST_MOVES:
        return ""
    many = "1 move" if len(choices) == 1 else f"{len(choices)} moves"
    needed = moves_needed(calibration, HALF_WIDTH)
    return f"{many}: a rating takes {LEAST_MOVES} at least, and one of ±{HALF_WIDTH:.0f} about {needed:,}"


def _middle_c(calibration: Calibration) -> float:
    """Return the c of the artery at the middle mark of the line."""
    marks = [m.elo for m in calibration.marks if m.in_line]
    return calibration.artery.c(marks[len(marks) // 2])


def _bound(choices: Choices, calibration: Calibration) -> float | None:
    """Return the rating whose player would make no error in these positions with a chance of `TAIL`."""
    c = _middle_c(calibration)
    free = choices.count * (choices.delta == 0)

    def surplus(log_s: float) -> float:
        share = probabilities(choices, math.exp(log_s), c)
        flawless = np.minimum((share * free).sum(axis=1), 1.0)
        return float(np.log(np.maximum(flawless, 1e-300)).sum()) - math.log(TAIL)

    low, high = (math.log(s) for s in RANGE_S)
    if surplus(low) <= 0 or surplus(high) >= 0:
        return None  # these positions tempt nobody, or anybody
    s = math.exp(brentq(surplus, low, high, xtol=1e-8))
    return calibration.line.rating(project(calibration.standing(choices), s, c).error).rating
