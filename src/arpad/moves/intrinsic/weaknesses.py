"""Where a calibration fails: marks off the line, errors that do not fall, thin marks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arpad.moves.intrinsic.calibration import Calibration, Mark

__all__ = ["Step", "steps", "weaknesses"]

FAR = 2.0
"""Standard errors beyond which something is said."""
THIN_GAMES = 50
"""Games below which a mark is called thin: moves of one game are no independent witnesses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """From one mark to the next: by how much the average error fell, in standard errors of the difference."""

    lower: float
    upper: float
    fall: float
    sigma: float

    @property
    def z(self) -> float:
        """The fall in standard errors; below −2 the error rises, beyond what chance gives."""
        return self.fall / self.sigma

    @property
    def falls(self) -> bool:
        """Whether the error falls, or rises by less than two standard errors."""
        return self.z >= -FAR


def steps(calibration: Calibration) -> tuple[Step, ...]:
    """Return the steps between the marks that the line goes through, lowest first."""
    inside = [m for m in calibration.marks if m.in_line]
    return tuple(
        Step(
            lower=a.elo,
            upper=b.elo,
            fall=a.error - b.error,
            sigma=math.hypot(a.error_sigma, b.error_sigma),
        )
        for a, b in pairwise(inside)
    )


def weaknesses(calibration: Calibration) -> tuple[str, ...]:
    """Say in words where the calibration is not to be trusted; empty where nothing was found."""
    inside = [m for m in calibration.marks if m.in_line]
    said = [
        f"{m.elo:.0f}: the line gives {_rating(calibration, m):.0f}, {_off(calibration, m):+.0f} points "
        f"({_z(calibration, m):+.1f} standard errors)"
        for m in inside
        if abs(_z(calibration, m)) > FAR
    ]
    outside = [m for m in calibration.marks if not m.in_line and abs(_z(calibration, m)) > FAR]
    for words, marks in (
        ("below", [m for m in outside if m.elo < inside[0].elo]),
        ("above", [m for m in outside if m.elo > inside[-1].elo]),
    ):
        if marks:
            shown = ", ".join(f"{m.elo:.0f} is rated {_rating(calibration, m):.0f}" for m in marks)
            said.append(f"{words} the line's marks it does not hold: {shown}")
    between = [m for m in calibration.marks if not m.in_line and inside[0].elo < m.elo < inside[-1].elo]  # fmt: skip
    if between:
        said.append(
            "no sensitivity and consistency give what was played, left out of the line: "
            + ", ".join(f"{m.elo:.0f}" for m in between)
        )
    said += [
        f"from {step.lower:.0f} to {step.upper:.0f} the average error rises, by {-step.z:.1f} standard errors"
        for step in steps(calibration)
        if not step.falls
    ]
    thin = [m for m in calibration.marks if m.games < THIN_GAMES]
    if thin:
        said.append("few games: " + ", ".join(f"{m.elo:.0f} ({m.games})" for m in thin))
    return tuple(said)


def _rating(calibration: Calibration, mark: Mark) -> float:
    return calibration.line.rating(mark.projected).rating


def _off(calibration: Calibration, mark: Mark) -> float:
    return _rating(calibration, mark) - mark.rating


def _z(calibration: Calibration, mark: Mark) -> float:
    """Return the residual in standard errors: those of the mark's error, by games, on the rating scale."""
    return _off(calibration, mark) / (calibration.line.slope * mark.error_sigma)
