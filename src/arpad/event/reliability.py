"""How far a rating from N games can be trusted [Elo 2.5, 8.95]."""

from __future__ import annotations

import math
from dataclasses import dataclass

from arpad.errors import UsageError

__all__ = ["PROBABLE", "Reliability", "reliability"]

PROBABLE = 0.6744897501960817
"""Φ⁻¹(¾): half of all measurements lie within so many standard deviations."""


@dataclass(frozen=True, slots=True)
class Reliability:
    """Standard deviation and probable error, in game points and rating points; confidence level.

    `confidence` is the probability that the true rating is within half a class interval.
    """

    games: int
    sigma_score: float
    sigma_rating: float
    probable_error_score: float
    probable_error_rating: float
    confidence: float


def reliability(
    games: int, *, p: float = 0.5, draws: float = 0.0, class_interval: float = 200.0
) -> Reliability:
    """Return the reliability of N games.

    Parameters
    ----------
    p
        The expected score of a game.
    draws
        The share of drawn games, r: the variance of a game is pq − r/4 instead of the book's pq.

    Examples
    --------
    >>> found = reliability(15)
    >>> round(found.sigma_score, 2), round(found.sigma_rating, 1), round(found.confidence, 2)
    (1.94, 73.0, 0.83)
    """
    variance = p * (1 - p) - draws / 4
    if games < 1 or not 0 < p < 1 or draws < 0 or variance < 0:
        raise UsageError(
            f"expected games ≥ 1, 0 < p < 1 and draws up to 4p(1 − p); found {games}, {p}, {draws}"
        )
    sigma_score = math.sqrt(games * variance)
    # One class interval is √2/… of the score's own spread: C√2 is σ′ of a single game [8.94].
    sigma_rating = class_interval * math.sqrt(2) / math.sqrt(games) * math.sqrt(variance / 0.25)
    half = class_interval / 2
    confidence = math.erf(half / (sigma_rating * math.sqrt(2))) if sigma_rating else 1.0
    return Reliability(
        games,
        sigma_score,
        sigma_rating,
        PROBABLE * sigma_score,
        PROBABLE * sigma_rating,
        confidence,
    )
