"""How likely a USCF norm is in one event, for a player of any strength [USCF 1994, 2.2]."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.event.uscf_norms import (
    FEWEST_GAMES,
    MOST_AT_ONCE,
    Schedule,
    thresholds,
)
from arpad.event.uscf_titles import title_called
from arpad.scale import Logistic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arpad.event.uscf_titles import UscfTitle

__all__ = [
    "MOST_GAMES",
    "NormChances",
    "OddsModel",
    "a_title",
    "norm_chances",
    "percent",
    "score_chances",
]

OddsModel = Literal["exact", "normal"]
"""exact: every score with its probability; normal: as the report, a normal score, not in half-points."""
MOST_GAMES = 1000
"""Games of the longest event that is worked out, to keep a slip of the finger from taking for ever."""


def score_chances(
    strength: float, opponents: Sequence[float], *, draws: float = 0.0
) -> dict[float, float]:
    """Return the probability of each score against opponents of any ratings, game by game.

    Parameters
    ----------
    draws
        The share r of drawn games between equals. Against others r · 2 min(p, 1 − p) of the games are
        drawn, p being the expected score, which stays what it is.

    Examples
    --------
    >>> chances = score_chances(2000, [2000] * 4)
    >>> [round(16 * p) for p in chances.values()]
    [1, 4, 6, 4, 1]
    """
    whole = np.ones(1)
    for p in _expected_each(strength, opponents, draws):
        half = _drawn(p, draws) / 2
        # half-points 0, ½, 1; neither end may fall below 0 for want of a bit
        whole = np.convolve(whole, [max(1 - p - half, 0.0), 2 * half, max(p - half, 0.0)])
    return {i / 2: float(chance) for i, chance in enumerate(whole) if chance > 0}


def _expected_each(strength: float, opponents: Sequence[float], draws: float) -> list[float]:
    if not 1 <= len(opponents) <= MOST_GAMES:
        raise UsageError(f"expected 1 to {MOST_GAMES:,} opponents, found {len(opponents)}")
    if not all(math.isfinite(rating) for rating in (strength, *opponents)):
        raise UsageError(f"expected ratings, found {strength!r} against {list(opponents)!r}")
    if not 0 <= draws <= 1:
        raise UsageError(f"expected a share of draws from 0 to 1, found {draws!r}")
    curve = Logistic()
    return [float(curve.expected(strength - rating)) for rating in opponents]


def _drawn(p: float, draws: float) -> float:
    return draws * 2 * min(p, 1 - p)


@dataclass(frozen=True, slots=True, kw_only=True)
class NormChances:
    """How likely somebody is to earn norms in one event."""

    title: str
    level: int
    strength: float
    opponents: tuple[float, ...]
    at_least: tuple[float, ...]
    """The probability of one norm or more, of two or more, … of five, which are the title at once."""
    parameters: dict[str, object]

    @property
    def one(self) -> float:
        """The probability of at least one norm."""
        return self.at_least[0]

    @property
    def exactly(self) -> tuple[float, ...]:
        """The probability of no norm, of just one, … of five."""
        steps = (1.0, *self.at_least, 0.0)
        return tuple(max(a - b, 0.0) for a, b in itertools.pairwise(steps))

    @property
    def expected(self) -> float:
        """Norms to be expected of the event."""
        return math.fsum(self.at_least)

    def table(self) -> pl.DataFrame:
        """Return a row for no norm, one, … five: probability, and of so many or more."""
        return pl.DataFrame(
            {
                "norms": list(range(MOST_AT_ONCE + 1)),
                "probability": self.exactly,
                "or_more": (1.0, *self.at_least),
            }
        )

    def summary(self) -> str:
        """Return one sentence."""
        return (
            f"{self.strength:g} in {len(self.opponents)} games: {percent(self.one)} for a norm ({self.title}), "
            f"{self.expected:.3g} norms to be expected ({self.parameters['model']})"
        )


def norm_chances(
    title: str | int | UscfTitle,
    strength: float,
    opponents: Sequence[float],
    *,
    draws: float = 0.0,
    model: OddsModel = "exact",
    schedule: Schedule | None = None,
) -> NormChances:
    """Return how likely a player of some strength is to earn norms toward a title in one event.

    Parameters
    ----------
    title
        A title, its name or its level.
    strength
        What the player's results follow, whatever the rating.
    model
        normal: the score has mean Σp and variance Σ(p(1 − p) − r/4), r being draws; and need not be a
        half-point. The odds that the report quotes for Y − 100 and Y − 200 are of this kind, without draws.

    Examples
    --------
    >>> norm_chances(2000, 2000, [2000] * 4).at_least[:2]
    (0.3125, 0.0625)
    >>> round(norm_chances(2000, 1900, [2000] * 4, model="normal").one, 3)
    0.111
    """
    found, chosen = a_title(title), schedule or Schedule()
    if model not in get_args(OddsModel):
        raise UsageError(f"expected a model, one of {', '.join(get_args(OddsModel))}; found {model!r}")  # fmt: skip
    games = len(opponents)
    each = _expected_each(strength, opponents, draws)
    if games < FEWEST_GAMES:
        at_least = (0.0,) * MOST_AT_ONCE
    elif model == "normal":
        at_least = _normal(each, opponents, draws, found.level, chosen)
    else:
        at_least = _exact(score_chances(strength, opponents, draws=draws), opponents, found.level, chosen)  # fmt: skip
    return NormChances(
        title=found.name,
        level=found.level,
        strength=strength,
        opponents=tuple(opponents),
        at_least=at_least,
        parameters={"model": model, "draws": draws, **chosen.parameters()},
    )


def _exact(
    scores: dict[float, float], opponents: Sequence[float], level: int, schedule: Schedule
) -> tuple[float, ...]:
    return tuple(
        math.fsum(p for score, p in scores.items() if score > limit)
        for limit in thresholds(opponents, level, schedule)
    )


def _normal(
    each: list[float], opponents: Sequence[float], draws: float, level: int, schedule: Schedule
) -> tuple[float, ...]:
    mean = math.fsum(each)
    variance = math.fsum(p * (1 - p) - _drawn(p, draws) / 4 for p in each)
    above = [limit - mean for limit in thresholds(opponents, level, schedule)]
    if variance <= 0:
        return tuple(float(x < 0) for x in above)
    return tuple(0.5 * math.erfc(x / math.sqrt(2 * variance)) for x in above)


def a_title(title: str | int | UscfTitle) -> UscfTitle:
    """Return a title from itself, its name or its level."""
    return title_called(str(title)) if isinstance(title, (str, int)) else title


def percent(chance: float) -> str:
    """Return a probability in words: per cent, or a power of ten where it is tiny."""
    return f"{chance:.1%}" if chance >= 0.0005 or chance == 0 else f"{chance:.1e}"
