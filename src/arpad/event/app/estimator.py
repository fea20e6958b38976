"""The Initial Ratings Estimator Line: missing ratings from those that are known [PRA, introduction].

Known ratings are regressed on P-Zero. Where that line fails the Ratings Goodness of Fit Test, the rating
that lies farthest from it is left out, and so on until it passes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from arpad.event.app.fit import Fit, fit_line
from arpad.event.app.line import why_no_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["HIGHEST", "Estimator", "estimates", "estimator_line", "whole"]

HIGHEST = 4000.0
"""Rating points: what a line gives beyond this, or below 1, is no rating."""


@dataclass(frozen=True, slots=True)
class Estimator:
    """The line that passed, and whose ratings it was made without."""

    fit: Fit
    left_out: tuple[int, ...]
    """Players whose ratings were deleted, worst first."""

    def estimate(self, p_zero: float) -> float:
        """Return the initial rating for a P-Zero score, to the nearest whole number."""
        return whole(self.fit.line.expected(p_zero))

    def doubt(self) -> str:
        """Return what a person should know of the line; nothing where it rises, as it should."""
        if not self.fit.flipped:
            return ""
        return f"the estimator line falls with P-Zero ({self.fit.slope:.2f}): who scored more is given less, so that its ratings say little"


def estimator_line(
    p_zero: Sequence[float], ratings: Mapping[int, float], *, deleted: Sequence[int] = ()
) -> Estimator | str:
    """Return the estimator line, or a sentence that says why there is none.

    Parameters
    ----------
    p_zero
        Of every player.
    ratings
        The known ones, by number of the player.
    deleted
        Players whose ratings are left out from the start.
    """
    known = {p: R for p, R in ratings.items() if p not in set(deleted)}
    left_out = [p for p in deleted if p in ratings]
    while True:
        x, y = [p_zero[p] for p in known], list(known.values())
        if why := why_no_line(x, y):
            after = f" after {len(left_out)} were left out as farthest from it" if left_out else ""
            return f"no estimator line for missing ratings: {why}{after}"
        fit = fit_line(x, y)
        if fit.passed:
            return Estimator(fit, tuple(left_out))
        worst = max(known, key=lambda p: (abs(known[p] - fit.line.expected(p_zero[p])), -p))
        left_out.append(worst)
        del known[worst]


def estimates(
    found: Estimator, p_zero: Sequence[float], players: Sequence[int], names: Sequence[str]
) -> dict[int, float] | str:
    """Return what the line gives these players, or a sentence where it gives one of them no rating.

    Through few ratings of players who scored alike a line may go anywhere.
    """
    given = {p: found.estimate(p_zero[p]) for p in players}
    for p, R in given.items():
        if not 0 < R <= HIGHEST:
            return f"no estimator line for missing ratings: that of {found.fit.n} others would give {names[p]} {R:.0f}, which is no rating"
    return given


def whole(rating: float) -> float:
    """Return a rating to the nearest whole number, halves upwards."""
    return float(int(rating + 0.5) if rating >= 0 else -int(0.5 - rating))
