"""Flags on residuals: out of spec, or under pressure [PRA, introduction and Hastings 1919]."""

from __future__ import annotations

from typing import Literal

__all__ = ["LARGE", "PRESSURE", "Direction", "Flag", "direction_of", "flag_of"]

Flag = Literal["LR", "up", "down"]
Direction = Literal["up", "down"]

LARGE = 100.0
"""Rating points: a residual beyond this is large, the rating out of spec."""

PRESSURE = 75.0
"""Rating points: from here to 100 a rating is in spec, but under pressure."""


def flag_of(residual: float) -> Flag | None:
    """Return the flag on a residual O − E: `LR` beyond 100 points, the pressure from 75 to 100.

    Examples
    --------
    >>> flag_of(-165.33), flag_of(-96.44), flag_of(87.62), flag_of(74.92)
    ('LR', 'up', 'down', None)
    """
    if abs(residual) > LARGE:
        return "LR"
    return direction_of(residual)


def direction_of(residual: float) -> Direction | None:
    """Return where a flagged rating should go: up where it is below the performance."""
    if abs(residual) < PRESSURE:
        return None
    return "up" if residual < 0 else "down"
