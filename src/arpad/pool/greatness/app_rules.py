"""How the Tournament App is run on every event of many."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from arpad.errors import UsageError
from arpad.event.app.greatness import LISTED

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ENOUGH", "HIGHEST", "AppRules"]

ENOUGH = 0.4
"""The share of the players whom a source of ratings must know. Ours: the text filled in 8 of 15."""

HIGHEST = 10_000.0
"""Points above which nothing is a rating."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AppRules:
    """How the app is run on every event.

    Parameters
    ----------
    repair
        What is done where the fit fails: nothing, or what the text calls the automatic adjustment.
        Knock-outs are never repaired.
    least
        G-scores below are not kept.
    fewest_games
        Of a player whose G-score is kept.
    enough
        The share of the players whom a source of ratings must know.
    number_two
        One rating for all events.
    number_twos
        Ratings by year; they go before the sources' own.
    """

    repair: Literal["none", "adjusted", "corrected"] = "none"
    least: float = LISTED
    fewest_games: int = 6
    enough: float = ENOUGH
    number_two: float | None = None
    number_twos: Mapping[int, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.repair not in ("none", "adjusted", "corrected"):
            raise UsageError(
                f"expected a repair, none, adjusted or corrected, found {self.repair!r}"
            )
        if not 0 < self.enough <= 1:
            raise UsageError(f"expected a share above 0 and up to 1, found {self.enough!r}")
        for value in (self.number_two, *self.number_twos.values()):
            if value is not None and not 0 < value < HIGHEST:
                raise UsageError(f"expected the rating of the world's number two, found {value!r}")

    def parameters(self) -> dict[str, object]:
        """Return the settings that an event's figures follow from; number two stands among these itself."""
        return {
            "repair": self.repair, "least": self.least, "min_games": self.fewest_games,
            "enough": self.enough,
        }  # fmt: skip
