"""The handicap of a match: game points for the lower rated player [Elo 3.94]."""

from __future__ import annotations

import math
from dataclasses import dataclass

from arpad.errors import UsageError
from arpad.event.match import score_distribution
from arpad.scale import Curve, Table

__all__ = ["MatchHandicap", "match_handicap"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchHandicap:
    """What the lower rated of two players gets in a match, and what the match then looks like."""

    D: float
    """The higher rating less the lower."""
    games: int
    expected: float
    """The higher rated player's expected score in one game."""
    sigma: float
    """Standard deviation of the score, √(N(pq − r/4))."""
    points: float
    """Game points that are added to the lower rated player's score."""
    draws: float
    parameters: dict[str, object]

    @property
    def expected_scores(self) -> tuple[float, float]:
        """The expected scores without a handicap, the higher rated player's first."""
        return self.games * self.expected, self.games * (1 - self.expected)

    def chances(self) -> tuple[float, float, float]:
        """Return how often the higher rated player wins, draws and loses with the handicap."""
        scores = score_distribution(self.games, self.expected - self.draws / 2, self.draws)
        level = (self.games + self.points) / 2
        won = math.fsum(p for s, p in scores.items() if s > level + 1e-9)
        lost = math.fsum(p for s, p in scores.items() if s < level - 1e-9)
        return won, max(1 - won - lost, 0.0), lost


def match_handicap(
    D: float,
    games: int,
    *,
    fraction: float | None = None,
    draws: float = 0.0,
    curve: Curve | None = None,
) -> MatchHandicap:
    """Return the game points that the lower rated player gets in a match [3.94].

    The difference of the expected scores less one standard deviation, N(p − q) − √(Npq), or a `fraction` of the
    difference; never below 0.

    Parameters
    ----------
    D
        The difference of the ratings, of either sign.
    draws
        The share of drawn games, r: the variance of a game is pq − r/4 instead of the book's pq.

    Examples
    --------
    >>> round(match_handicap(200, 20).points, 2)
    8.49
    """
    chosen = curve or Table()
    if not math.isfinite(D):
        raise UsageError("expected a rating difference that is a number, found one that is none")
    p = float(chosen.expected(abs(D)))
    if games < 1:
        raise UsageError(f"expected a match of 1 game or more, found {games}")
    if not 0 <= draws <= 2 * (1 - p) + 1e-12:
        raise UsageError(
            f"expected a share of draws from 0 to {2 * (1 - p):.3g}, which {abs(D):g} points leave room for; found {draws!r}"
        )
    if fraction is not None and not 0 <= fraction <= 1:
        raise UsageError(
            f"expected a fraction of the expected difference from 0 to 1, found {fraction!r}"
        )
    sigma = math.sqrt(max(games * (p * (1 - p) - draws / 4), 0.0))
    gap = games * (2 * p - 1)
    return MatchHandicap(
        D=abs(D),
        games=games,
        expected=p,
        sigma=sigma,
        points=max(gap - sigma, 0.0) if fraction is None else fraction * gap,
        draws=draws,
        parameters={**chosen.parameters(), "fraction": fraction, "draws": draws},
    )
