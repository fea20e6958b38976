"""How likely a title is, by strength and activity [Elo 4.32, 4.72, 4.74]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import UsageError
from arpad.event.awards import FEWEST_GAMES, FEWEST_NORMS, YEARS
from arpad.event.match import score_distribution
from arpad.event.reliability import reliability
from arpad.event.title_chart_1986 import NORMS, Title, points_needed
from arpad.scale import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arpad.scale import Curve

__all__ = [
    "TitleOdds",
    "norms_required",
    "odds_by_activity",
    "performance_chance",
    "score_chance",
    "strength_for",
    "title_odds",
]


def performance_chance(strength: float, norm: float, games: int) -> float:
    """Return the chance of a performance at or above a norm in one event.

    Performances scatter normally around the strength with σ = C√2 / √N, that of table 2.55.

    Examples
    --------
    >>> round(performance_chance(2500, 2600, 11), 3)
    0.12
    """
    if not (math.isfinite(strength) and math.isfinite(norm)):
        raise UsageError(f"expected a strength and a norm in points, found {strength!r}, {norm!r}")
    z = (norm - strength) / reliability(games).sigma_rating
    return 0.5 * math.erfc(z / math.sqrt(2))


def score_chance(
    title: Title,
    strength: float,
    average: float,
    games: int,
    *,
    draw: float = 0.0,
    curve: Curve | None = None,
) -> float | None:
    """Return the chance of the score that the chart asks for; None where it has no such result.

    Every opponent is taken as average; R_c follows from R_a as in (5), the player being one of M. The
    chart asks for whole half-points, and for the lowest average of a category only, so that this differs
    from `performance_chance`.

    Parameters
    ----------
    average
        R_a of the round robin, the player included.
    draw
        The share of drawn games; more draws, less chance of an exceptional score.
    """
    needed = points_needed(title, average, games)
    if needed is None:
        return None
    M = games + 1
    p = float((curve or Table()).expected((strength - average) * M / (M - 1)))
    if not 0 <= draw <= 2 * min(p, 1 - p) + 1e-12:
        raise UsageError(
            f"expected a share of draws from 0 to {2 * min(p, 1 - p):.2f} at an expected score of {p:.2f}, "
            f"found {draw}"
        )
    scores = score_distribution(games, p - draw / 2, draw)
    return math.fsum(chance for score, chance in scores.items() if score >= needed)


def norms_required(games: int) -> int:
    """Return how many results of so many games a title needs: two or more, 24 games together [4.32].

    Examples
    --------
    >>> norms_required(9), norms_required(11), norms_required(12)
    (3, 3, 2)
    """
    if games < 1:
        raise UsageError(f"expected at least one game, found {games}")
    return max(FEWEST_NORMS, -(-FEWEST_GAMES // games))


@dataclass(frozen=True, slots=True, kw_only=True)
class TitleOdds:
    """The prospects of a player of given strength and activity within five years."""

    title: Title
    strength: float
    events_a_year: float
    games: int
    """Games of each event."""
    norm_chance: float
    """Of one event."""
    expected_norms: float
    required: int
    chance: float
    """Of at least as many as are required."""

    def summary(self) -> str:
        """Return one sentence."""
        return (
            f"{self.title} at {self.strength:.0f}, {self.events_a_year:g} events of {self.games} games a year: "
            f"{self.expected_norms:.1f} results in {YEARS} years, {self.required} needed, chance {self.chance:.2f}"
        )


def title_odds(
    title: Title, strength: float, events_a_year: float, *, games: int = 11, years: float = YEARS
) -> TitleOdds:
    """Return the odds of a title within five years.

    Each event gives a result with the same chance, independently; the number of results is binomial.
    Minimum ratings, composition of the events and change of strength are left out.

    Examples
    --------
    >>> title_odds("GM", 2500, 4).summary()
    'GM at 2500, 4 events of 11 games a year: 2.4 results in 5 years, 3 needed, chance 0.44'
    """
    events = round(events_a_year * years)
    if events < 1:
        raise UsageError(
            f"expected at least one event, found {events_a_year} a year in {years} years"
        )
    p, required = performance_chance(strength, NORMS[title], games), norms_required(games)
    fewer = math.fsum(
        math.comb(events, n) * p**n * (1 - p) ** (events - n)
        for n in range(min(required, events + 1))
    )
    return TitleOdds(
        title=title,
        strength=strength,
        events_a_year=events_a_year,
        games=games,
        norm_chance=p,
        expected_norms=events * p,
        required=required,
        chance=min(1.0, max(0.0, 1 - fewer)),
    )


def strength_for(
    title: Title,
    events_a_year: float,
    *,
    chance: float = 0.5,
    games: int = 11,
    years: float = YEARS,
) -> float | None:
    """Return the strength at which a title has that chance; None where too few events are played."""
    if not 0 < chance < 1:
        raise UsageError(f"expected a chance between 0 and 1, found {chance!r}")

    def at(strength: float) -> float:
        return title_odds(title, strength, events_a_year, games=games, years=years).chance

    low, high = NORMS[title] - 2000, NORMS[title] + 2000
    if at(high) < chance:
        return None
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (middle, high) if at(middle) < chance else (low, middle)
    return high


def odds_by_activity(
    title: Title,
    strengths: Sequence[float],
    activities: Sequence[float],
    *,
    games: int = 11,
    years: float = YEARS,
) -> pl.DataFrame:
    """Return the chance of a title for each strength (rows) and number of events a year (columns)."""
    rows = [
        {
            "strength": strength,
            **{
                f"{a:g} a year": title_odds(title, strength, a, games=games, years=years).chance
                for a in activities
            },
        }
        for strength in strengths
    ]
    return pl.DataFrame(rows)
