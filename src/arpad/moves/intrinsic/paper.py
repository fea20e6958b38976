"""The paper's own calibration: Rybka 3 at depth 13, for evaluations of that engine only [IPR tables 1 and 2, (6)]."""

from __future__ import annotations

import math

import numpy as np

from arpad.moves.intrinsic.calibration import Artery, Calibration, Mark
from arpad.moves.intrinsic.choices import Choices
from arpad.moves.intrinsic.line import SIGMAS, Line

__all__ = ["PAPER", "paper_calibration"]

PAPER = "rybka3-depth13"
"""Its name."""
LINE = Line(intercept=3571.0, slope=15413.0, points=6)
"""Equation (6)."""
ARTERY = Artery(intercept=0.324, slope=0.00007)
"""c of the "central artery", from the column C_fit of table 2."""
ROWS = (
    (1900, 0.159, 0.474, 16_195, 1790, 1878, None), (2000, 0.139, 0.454, 9_471, 1853, 1966, None),
    (2100, 0.134, 0.486, 9_728, 2048, 2150, None), (2200, 0.123, 0.490, 11_386, 2170, 2257, 0.0883),
    (2300, 0.108, 0.475, 17_632, 2257, 2328, 0.0843), (2400, 0.098, 0.483, 20_277, 2393, 2452, 0.0749),
    (2500, 0.092, 0.491, 16_773, 2480, 2541, 0.0689), (2600, 0.092, 0.523, 7_807, 2570, 2652, 0.0624),
    (2700, 0.078, 0.502, 7_032, 2648, 2731, 0.0572),
)  # fmt: skip
"""2006–2009: Elo, s, c, moves, ends of the ±2σ range in Elo [table 2], AE_e [table 1]."""


def paper_calibration() -> Calibration:
    """Return the paper's line under its name.

    Its reference positions were never published with their evaluations, so there are none here: errors are projected on the
    positions that are rated. Match rates, games and actual errors of its marks are not in the paper.

    Examples
    --------
    >>> round(paper_calibration().line.rating(0.0572).rating)
    2689
    """
    unknown = math.nan
    marks = tuple(
        Mark(
            elo=elo, rating=elo, games=0, moves=moves, match_rate=unknown, error=unknown, error_sigma=unknown, s=s, c=c,
            projected=LINE.error((low + high) / 2) if error is None else error,
            sigma=(high - low) / (2 * SIGMAS) / LINE.slope, in_line=error is not None,
        )
        for elo, s, c, moves, low, high, error in ROWS
    )  # fmt: skip
    nothing = np.zeros((0, 1))
    return Calibration(
        name=PAPER,
        engine={
            "engine": "Rybka 3", "network": "", "depth": 13, "multipv": 50, "hash_mb": 16, "options": {},
        },
        filters={"first_turn": 9, "window": 3.0, "judged": "previous", "repeated": True, "forced": True},
        method="percentile",
        line=LINE, artery=ARTERY, marks=marks,
        reference=Choices(delta=nothing, count=nothing, played=np.zeros(0, dtype=np.int64)),
        games="both players within 10 points of a century mark, 2006–2009 [table 2]",
        date="2012",
    )  # fmt: skip
