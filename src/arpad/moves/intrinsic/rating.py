"""Intrinsic performance ratings: fit the moves, project on the reference, read the line [IPR section 5]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arpad.errors import UsageError
from arpad.moves.intrinsic.fit import fit
from arpad.moves.intrinsic.line import SIGMAS
from arpad.moves.intrinsic.projection import project

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arpad.moves.intrinsic.calibration import Calibration
    from arpad.moves.intrinsic.choices import Choices
    from arpad.moves.intrinsic.fit import Fit, FitMethod

__all__ = ["Intrinsic", "intrinsic_rating", "moves_needed", "same_settings"]

LEAST_MOVES = 20
"""Moves below which no rating is given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Intrinsic:
    """An intrinsic performance rating with all that it rests on.

    `low` … `high` is ±2σ as projected, `low_actual` … `high_actual` 1.4 times as wide, as trials found; neither holds the
    uncertainty of the calibration itself (`calibration_residual`, one standard deviation in Elo).
    """

    ipr: float
    low: float
    high: float
    low_actual: float
    high_actual: float
    moves: int
    match_rate: float
    error: float
    projected: float
    fit: Fit
    calibration: str
    calibration_residual: float
    outside: bool
    """Whether the rating lies beyond the marks that the line was drawn through."""
    note: str = ""


def intrinsic_rating(
    choices: Choices,
    calibration: Calibration,
    *,
    method: FitMethod | None = None,
    c: float | None = None,
) -> Intrinsic:
    """Rate the choices of a player, a side or a whole event.

    Parameters
    ----------
    method
        Of fitting; the calibration's own by default, and any other one is a mixture that the line was
        not made for.
    c
        A fixed c, as on the calibration's artery, where the moves are too few to find both; None: find it.
    """
    if len(choices) < LEAST_MOVES:
        needed = moves_needed(calibration, 100.0)
        raise UsageError(
            f"expected at least {LEAST_MOVES} moves for a rating, found {len(choices)}; "
            f"for ±100 points it takes about {needed:,}"
        )
    found = fit(choices, method=method or calibration.method, c=c)
    projected = project(calibration.standing(choices), found.s, found.c).error
    sigma = project(choices, found.s, found.c).error_sigma
    rated = calibration.line.rating(projected, sigma)
    inside = [m.elo for m in calibration.marks if m.in_line]
    return Intrinsic(
        ipr=rated.rating,
        low=rated.low,
        high=rated.high,
        low_actual=rated.low_actual,
        high_actual=rated.high_actual,
        moves=len(choices),
        match_rate=choices.match_rate,
        error=choices.scaled_error,
        projected=projected,
        fit=found,
        calibration=calibration.name,
        calibration_residual=calibration.line.residual,
        outside=not min(inside) <= rated.rating <= max(inside),
        note=found.note,
    )


def moves_needed(calibration: Calibration, half_width: float) -> int:
    """Return how many moves an interval of ± `half_width` points takes, at the calibration's middle mark."""
    if not half_width > 0:
        raise UsageError(f"expected a half-width above 0 points, found {half_width!r}")
    marks = [m for m in calibration.marks if m.in_line]
    middle = marks[len(marks) // 2]
    one = middle.sigma * math.sqrt(middle.moves) * calibration.line.slope
    return math.ceil((SIGMAS * one / half_width) ** 2)


def same_settings(calibration: Calibration, engine: Mapping[str, object]) -> None:
    """Raise unless moves were analysed as the calibration's were; name both."""
    ours = dict(calibration.engine)
    theirs = dict(engine)
    if ours != theirs:
        different = sorted(k for k in ours.keys() | theirs.keys() if ours.get(k) != theirs.get(k))
        told = "; ".join(f"{k}: {theirs.get(k)!r}, not {ours.get(k)!r}" for k in different)
        raise UsageError(
            f"the calibration {calibration.name!r} does not fit these evaluations ({told}): "
            "a rating from them would mean nothing; analyse with its settings, or make a calibration"
        )
