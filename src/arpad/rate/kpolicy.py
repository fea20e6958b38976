"""How much one game counts: K as a value, not as a code path."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from arpad.errors import UsageError

__all__ = ["K_POLICIES", "KPolicy", "k_policy"]


@dataclass(frozen=True, slots=True)
class KPolicy:
    """K by rating, and by the number of games played.

    Parameters
    ----------
    tiers
        ``(below, K)`` pairs with rising bounds; the last bound is infinite.
    new_k, new_games
        The K of a player's first games, and how many those are.
    permanent
        Once in the last tier, a player keeps its K for good.
    """

    tiers: tuple[tuple[float, float], ...]
    new_k: float = 0.0
    new_games: int = 0
    permanent: bool = False
    name: str = ""

    def __post_init__(self) -> None:
        bounds = [below for below, _ in self.tiers]
        if not bounds or bounds != sorted(set(bounds)) or bounds[-1] != math.inf:
            raise UsageError(
                f"expected K tiers with rising bounds, the last infinite; found {self.tiers}"
            )
        if any(k < 0 or not math.isfinite(k) for k in (*(k for _, k in self.tiers), self.new_k)):
            raise UsageError(f"expected K of 0 or more, found {self.tiers}")

    def k(self, rating: float, games: int, topped: bool = False) -> float:
        """Return K for a player of this rating after so many games."""
        return self.levels[self.level(rating, games, topped)]

    def level(self, rating: float, games: int, topped: bool = False) -> int:
        """Return which of `levels` a player is on, and so which of `reasons` K has."""
        if self.permanent and topped:
            return 0
        if games < self.new_games:
            return 1
        return next(2 + i for i, (below, _) in enumerate(self.tiers) if rating < below)

    @property
    def levels(self) -> tuple[float, ...]:
        """Every K: for good, of a newcomer, then tier by tier."""
        return (self.tiers[-1][1], self.new_k, *(k for _, k in self.tiers))

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why a player has the K of each of `levels`, in a few words."""
        top = f"{self.top:g} reached, for good"
        new = f"fewer than {self.new_games} games"
        found = []
        for i, (below, _) in enumerate(self.tiers):
            if below < math.inf:
                found.append(f"below {below:g}")
            else:
                found.append(f"{self.tiers[i - 1][0]:g} or more" if i else "for everybody")
        source = f" [{_SOURCES[self.name]}]" if self.name in _SOURCES else ""
        return tuple(
            f"K {k:g}: {why}{source}"
            for k, why in zip(self.levels, (top, new, *found), strict=True)
        )

    @property
    def top(self) -> float:
        """Where the last tier begins (minus infinity for a single tier)."""
        return self.tiers[-2][0] if len(self.tiers) > 1 else -math.inf

    def __str__(self) -> str:
        if self.name:
            return self.name
        return ",".join(
            f"{k:g}" if below == math.inf else f"{k:g}@{below:g}" for below, k in self.tiers
        )


_SOURCES = {"fide-1986": "Elo 4.56", "uscf": "USCF 1994, 1.3", "fide": "FIDE B.02 8.3.3"}
"""Where a policy that has a name is written."""

K_POLICIES = {
    # Elo 4.56: 25 until thirty games are on record, then 15; 10 from the first rating over 2400 on, for good
    "fide-1986": KPolicy(
        ((math.nextafter(2400.0, math.inf), 15.0), (math.inf, 10.0)), 25.0, 30, True, "fide-1986"
    ),
    # USCF 1994 report 1.3: 32 below 2100, 24 to 2399, 16 above
    "uscf": KPolicy(((2100.0, 32.0), (2400.0, 24.0), (math.inf, 16.0)), name="uscf"),
    # FIDE B.02 8.3.3 without the junior rule, which needs birth dates: system `fide` has all of it
    "fide": KPolicy(((2400.0, 20.0), (math.inf, 10.0)), 40.0, 30, True, "fide"),
}


def k_policy(text: str | float | KPolicy) -> KPolicy:
    """Return a policy from a number, a name, or tiers.

    Examples
    --------
    >>> k_policy(10).k(2600, 100)
    10.0
    >>> k_policy("32@2100,24@2400,16").k(2399, 0)
    24.0
    """
    if isinstance(text, KPolicy):
        return text
    if isinstance(text, int | float):
        return KPolicy(((math.inf, float(text)),))
    if text in K_POLICIES:
        return K_POLICIES[text]
    tiers: list[tuple[float, float]] = []
    for part in text.split(","):
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)(?:@(\d+(?:\.\d+)?))?\s*", part)
        if not found:
            raise UsageError(
                f"expected K as a number (20), tiers (32@2100,24@2400,16: 32 below 2100, …) or one of "
                f"{', '.join(K_POLICIES)}; found {text!r}"
            )
        tiers.append((float(found[2]) if found[2] else math.inf, float(found[1])))
    return KPolicy(tuple(tiers))
