"""G-scores: how great a performance was, whatever the age and the rating system [PRA (34)–(36)].

``G = P-Zero / games × mean resistance × (1 + games / 20) × 66.7``. An opponent's resistance is his rating,
moved so that the world's number two stands at 2800, over 2800, through the calibration function.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from arpad.errors import UsageError
from arpad.event.app.p_zero import EXPECTED, K_BASIC

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "CATEGORIES",
    "LISTED",
    "MAGNIFIER",
    "STAMINA",
    "STANDARD",
    "calibrated",
    "g_category",
    "g_score",
    "resistance",
    "simultaneous",
]

STANDARD = 2800.0
"""Rating points at which the world's number two is put [PRA (35)]."""

STAMINA = 20.0
"""Games that add a whole to the stamina coefficient, 1 + games / 20."""

MAGNIFIER = 66.7
"""It brings G into the hundreds and means nothing else [PRA (34)]."""

LISTED = 100.0
"""G from which a performance is on the list."""

CATEGORIES = (
    (400.0, "beyond human comprehension"),
    (350.0, "historically great"),
    (300.0, "generationally great"),
    (250.0, "a threat to the world championship"),
    (200.0, "dominating"),
    (150.0, "very good"),
    (LISTED, "on the list"),
)
"""The least G of each category, in the text's order turned round [PRA, introduction]."""


def calibrated(r: float) -> float:
    """Return f(r): .2 r to .5, then 3.6 (r − .5)² + .1 to 1, then r [PRA (36)].

    Nothing resists less than not at all: below 0 it is 0.

    Examples
    --------
    >>> calibrated(0.5), calibrated(1.0), calibrated(1.01)
    (0.1, 1.0, 1.01)
    """
    if r <= 0.5:
        return 0.2 * max(r, 0.0)
    return r if r > 1 else 3.6 * (r - 0.5) ** 2 + 0.1


def resistance(rating: float, number_two: float) -> float:
    """Return what a player of this rating offers: f((R + 2800 − R₂) / 2800).

    Examples
    --------
    >>> resistance(2765, 2765)
    1.0
    """
    return calibrated((rating + STANDARD - number_two) / STANDARD)


def g_score(p_zero: float, resistances: Sequence[float]) -> float:
    """Return G from a P-Zero score and the resistance met in each game [PRA (34)]."""
    games = len(resistances)
    if not games:
        raise UsageError("expected at least one game for a G-score")
    stamina = 1 + games / STAMINA
    return p_zero / games * (math.fsum(resistances) / games) * stamina * MAGNIFIER


def g_category(G: float) -> str | None:
    """Return the category of a G-score, None below 100.

    Examples
    --------
    >>> g_category(203.15), g_category(99.9)
    ('dominating', None)
    """
    return next((words for least, words in CATEGORIES if least <= G), None)


def simultaneous(games: int, rating: float, *, number_two: float = STANDARD) -> float:
    """Return the G-score of a master who wins so many games at once against players of one rating.

    Every opponent plays one game and starts at zero, as in the text's table of fictitious exhibitions.

    Examples
    --------
    >>> round(simultaneous(220, 1800), 2)
    300.0
    """
    if games < 1:
        raise UsageError(f"expected one or more games, found {games}")
    P = 0.0
    for _ in range(games):
        P += K_BASIC * (1 - EXPECTED(P))
    return g_score(P, [resistance(rating, number_two)] * games)
