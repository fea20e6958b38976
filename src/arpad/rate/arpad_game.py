"""One game of arpad's own system, in plain steps: the readable reference of `arpad_kernel`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arpad.rate.arpad_constants import LEVEL, LEVELS

if TYPE_CHECKING:
    from arpad.rate.arpad_constants import Constants

__all__ = ["YEAR", "Side", "Standing", "aged", "forecast", "played", "slope"]

Q = math.log(10.0) / 400.0
"""Logits a rating point [Elo 8.4]."""

YEAR = 365.25
"""Days of a year."""

MOST_DRAWS, LEAST_DRAWS = 0.85, 0.05
"""Bounds of the share of draws among equals, whatever the level."""

LEAST_SHARE = 0.05
"""Whatever a slope takes, this share is left."""

LEAST_CHANCE = 1e-6
"""E (1 − E) is taken as at least this: a certain game would divide by nothing."""


@dataclass(slots=True)
class Standing:
    """Where a player stands: rating, variance of what is not known of it, games so far, last day."""

    rating: float
    variance: float
    games: int = 0
    day: int | None = None


@dataclass(frozen=True, slots=True)
class Side:
    """A player's side of one game: what went in, and the parts of what came out."""

    rating: float
    opponent_rating: float
    expected: float
    k: float
    by_result: float
    by_meeting: float
    by_practice: float


def slope(level: float) -> float:
    """Return a level in hundreds of points from 2200, within bounds."""
    return min(LEVELS[1], max(LEVELS[0], (level - LEVEL) / 100.0))


def aged(c: Constants, rating: float, variance: float, days: float) -> float:
    """Return a variance after some days without a game."""
    share = max(LEAST_SHARE, 1.0 + c.drift_slope * slope(rating))
    return max(c.least_error**2, variance + c.drift**2 * share * max(0.0, days) / YEAR)


def forecast(
    c: Constants, white: float, black: float, variance: float, advantage: float = 1.0
) -> tuple[float, float]:
    """Return White's expected score, and how many logits a point counts.

    Parameters
    ----------
    variance
        Of both ratings together.
    advantage
        1: the first is White; 0: colours are not known; −1: the first is Black.
    """
    level = slope((white + black) / 2.0)
    flat = 1.0 / math.sqrt(1.0 + 3.0 * Q * Q * c.doubt * variance / math.pi**2)
    steep = Q * flat * c.steepness * max(LEAST_SHARE, 1.0 + c.steepness_slope * level)
    D = white - black + advantage * (c.white_advantage + c.white_slope * level)
    return 1.0 / (1.0 + math.exp(-min(500.0, max(-500.0, steep * D)))), steep


def played(
    c: Constants, white: Standing, black: Standing, score: float, day: int | None
) -> tuple[Side, Side]:
    """Rate one game: both standings change; the two sides say how."""
    for who in (white, black):
        days = 0.0 if day is None or who.day is None else day - who.day
        who.variance = aged(c, who.rating, who.variance, days)
        who.day = day if day is not None else who.day
    R_w, R_b = white.rating, black.rating
    E, steep = forecast(c, R_w, R_b, white.variance + black.variance)
    chance = max(LEAST_CHANCE, E * (1.0 - E))
    level = slope((R_w + R_b) / 2.0)
    draws = min(MOST_DRAWS, max(LEAST_DRAWS, c.draws + c.draws_slope * level))
    rise = steep * chance
    # What a result may differ by: chance, less where draws are many, and what is not known of both.
    total = chance * (1.0 - draws) + rise * rise * (white.variance + black.variance)
    K_w, K_b = white.variance * rise / total, black.variance * rise / total
    white.rating += K_w * (score - E)
    black.rating -= K_b * (score - E)
    white.variance *= 1.0 - K_w * rise
    black.variance *= 1.0 - K_b * rise
    apart = black.rating - white.rating
    whole = white.variance + black.variance + c.meeting**2
    near_w, near_b = white.variance / whole * apart, -black.variance / whole * apart
    learnt = [_learnt(c, who) for who in (white, black)]
    white.rating += near_w + learnt[0]
    black.rating += near_b + learnt[1]
    white.games += 1
    black.games += 1
    return (
        Side(R_w, R_b, E, K_w, K_w * (score - E), near_w, learnt[0]),
        Side(R_b, R_w, 1.0 - E, K_b, -K_b * (score - E), near_b, learnt[1]),
    )


def _learnt(c: Constants, who: Standing) -> float:
    """Return what one more game teaches."""
    share = max(LEAST_SHARE, 1.0 + c.practice_slope * slope(who.rating))
    return c.practice * share * math.exp(-who.games / c.practice_games)
