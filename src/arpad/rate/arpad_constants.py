"""The constants of arpad's own system: each with its unit and what it does."""

from __future__ import annotations

from dataclasses import dataclass, fields

from arpad.errors import UsageError

__all__ = ["LEVEL", "LEVELS", "Constants"]

LEVEL = 2200.0
"""Points: the level at which every constant is as it is written; slopes count hundreds of points from here."""

LEVELS = (-8.0, 6.0)
"""Hundreds of points from that level beyond which slopes no longer count: 1400 and 2800."""

FARTHEST = 1e5
"""No constant is larger; squares of larger ones leave the range of numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Constants:
    """What the system does with a game.

    Slopes say how much a constant changes with every 100 points above 2200.

    Parameters
    ----------
    drift, drift_slope
        Points that strength moves in a year, as one standard deviation; its slope is a share.
    least_error
        Points: nobody is known better.
    white_advantage, white_slope
        Points that White is ahead.
    steepness, steepness_slope
        What differences are multiplied by before the logistic curve; its slope is a share.
    doubt
        The share of both players' uncertainty that flattens a forecast.
    draws, draws_slope
        The share of draws among equals: the more of them, the more a game says.
    meeting
        Points: how far apart, as one standard deviation, those are who meet; who plays whom says something of
        both.
    practice, practice_slope, practice_games
        Points that a first game teaches (its slope is a share), and the games after which it is a third (1/e) of
        that.
    """

    drift: float = 25.0
    drift_slope: float = -0.09
    least_error: float = 28.0
    white_advantage: float = 35.0
    white_slope: float = 4.7
    steepness: float = 1.09
    steepness_slope: float = -0.065
    doubt: float = 0.65
    draws: float = 0.34
    draws_slope: float = 0.04
    meeting: float = 415.0
    practice: float = 1.9
    practice_slope: float = 0.33
    practice_games: float = 200.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not abs(value) <= FARTHEST:
                raise UsageError(f"expected {field.name} within ± {FARTHEST:g}, found {value!r}")
        for name in ("least_error", "steepness", "meeting", "practice_games"):
            if getattr(self, name) <= 0:
                raise UsageError(f"expected {name} above 0, found {getattr(self, name)!r}")
        for name in ("drift", "doubt"):
            if getattr(self, name) < 0:
                raise UsageError(f"expected {name} of 0 or more, found {getattr(self, name)!r}")
        if not 0 <= self.draws < 1:
            raise UsageError(f"expected draws from 0 to below 1, found {self.draws!r}")

    def values(self) -> tuple[float, ...]:
        """Return the constants in their order, as the kernel takes them."""
        return tuple(float(getattr(self, field.name)) for field in fields(self))
