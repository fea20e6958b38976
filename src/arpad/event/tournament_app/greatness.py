"""G-scores, tournament strength and PRA's tie-break [PRA (18), (34)–(37)]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from arpad.errors import UsageError
from arpad.event.tournament_app.fit import EXPECTED, K_BASIC
from arpad.rate.draws import probabilities
from arpad.scale import PraCurve

if TYPE_CHECKING:
    from collections.abc import Sequence


# G-scores: how great a performance was, whatever the age and the rating system [PRA (34)–(36)].
#
# ``G = P-Zero / games × mean resistance × (1 + games / 20) × 66.7``. An opponent's resistance is his rating,
# moved so that the world's number two stands at 2800, over 2800, through the calibration function.

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

    >>> calibrated(0.5), calibrated(1.0), calibrated(1.01)
    (0.1, 1.0, 1.01)
    """
    if r <= 0.5:
        return 0.2 * max(r, 0.0)
    return r if r > 1 else 3.6 * (r - 0.5) ** 2 + 0.1


def resistance(rating: float, number_two: float) -> float:
    """Return what a player of this rating offers: f((R + 2800 − R₂) / 2800).

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

    >>> g_category(203.15), g_category(99.9)
    ('dominating', None)
    """
    return next((words for least, words in CATEGORIES if least <= G), None)


def simultaneous(games: int, rating: float, *, number_two: float = STANDARD) -> float:
    """Return the G-score of a master who wins this many games at once against players of one rating.

    Every opponent plays one game and starts at zero, as in the text's table of fictitious exhibitions.

    >>> round(simultaneous(220, 1800), 2)
    300.0
    """
    if games < 1:
        raise UsageError(f"expected one or more games, found {games}")
    P = 0.0
    for _ in range(games):
        P += K_BASIC * (1 - EXPECTED(P))
    return g_score(P, [resistance(rating, number_two)] * games)


# Tournament strength: the resistance that all players brought, weighted by their games [PRA (37)].


def tournament_strength(ratings: Sequence[float], games: Sequence[int], number_two: float) -> float | None:
    """Return 100 Σ resistance · games / Σ games; None without games.

    >>> round(tournament_strength([2730, 2648], [7, 7], 2648), 4)
    101.4643
    """
    whole = sum(games)
    if not whole:
        return None
    brought = math.fsum(resistance(R, number_two) * n for R, n in zip(ratings, games, strict=True) if n)
    return 100 * brought / whole


# PRA's tie-break: points, performance rating, G-score [PRA, The Greatness Formula].

DIGITS = 9
"""Decimals to which scores are compared: the order of additions must not break a tie."""


def pra_ranks(
    points: Sequence[float],
    p_zero: Sequence[float | None],
    g_scores: Sequence[float | None],
    *,
    by_g: bool = False,
) -> list[int]:
    """Return everybody's place; who is equal in everything shares it.

    The performance rating rises with P-Zero, which stands for it here: it is there without a line, too.
    A player who has not played comes last among equals.

    by_g: Rank by G alone: in knock-outs neither points nor P-Zero say who did best.

    >>> pra_ranks([8.5, 8.5, 8.0], [12.98, 13.23, 9.01], [None, None, None])
    [2, 1, 3]
    """
    keys = []
    for own, P, G in zip(points, p_zero, g_scores, strict=True):
        total = (True, round(own, DIGITS))
        by_performance = (P is not None, round(P or 0.0, DIGITS))
        by_greatness = (G is not None, round(G or 0.0, DIGITS))
        keys.append((by_greatness, by_performance, total) if by_g else (total, by_performance, by_greatness))
    place: dict[object, int] = {}
    for at, key in enumerate(sorted(keys, reverse=True), start=1):
        place.setdefault(key, at)
    return [place[key] for key in keys]


# The probability that the favourite wins every game [PRA (18)].


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """Chance that the highest rated player wins all games, and whether that happened."""

    favourite: str
    row: int
    rating: float
    games: int
    probability: float
    """As the text has it: E stands for the win, as if no game were drawn."""
    probability_with_draws: float
    """By the same curve and the draw model that comes with arpad."""
    happened: bool


def sweep_probability(rating: float, opponents: Sequence[float]) -> float:
    """Return Π E(R − R_opponent) over the games; a draw is no way to sweep, E stands for the win.

    >>> round(100 * sweep_probability(2730, [2648] * 7), 3)
    1.217
    """
    return math.prod(EXPECTED(rating - opponent) for opponent in opponents)


def sweep_probability_with_draws(rating: float, opponents: Sequence[float]) -> float:
    """Return Π P(win) over the games: E less half of the draws that two such players usually make.

    >>> round(100 * sweep_probability_with_draws(2730, [2648] * 7), 3)
    0.002
    """
    return float(np.prod(probabilities(rating, list(opponents), curve=PraCurve()).win))
