"""Matches: how likely each score is, a drawn match, and how long it takes [Elo 2.14, 8.8, 8.9]."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from arpad.errors import UsageError
from arpad.scale import Curve, Table

__all__ = ["Match", "first_move", "score_distribution", "ways"]


def score_distribution(games: int, win: float, draw: float = 0.0) -> dict[float, float]:
    """Return the probability of each score in a match of so many games.

    Trinomial, (72); without draws the binomial, (69).

    Examples
    --------
    >>> [round(p, 4) for p in score_distribution(4, 0.75).values()]
    [0.0039, 0.0469, 0.2109, 0.4219, 0.3164]
    """
    loss = 1 - win - draw
    if games < 1 or min(win, draw, loss) < -1e-12:
        raise UsageError(f"expected games ≥ 1 and win + draw ≤ 1, found {games}, {win}, {draw}")
    total: dict[float, float] = {}
    for wins in range(games + 1):
        for draws in range(games - wins + 1):
            losses = games - wins - draws
            if (draws and not draw) or (losses and loss < 1e-15):
                continue
            p = math.comb(games, wins) * math.comb(games - wins, draws)
            p_all = p * win**wins * draw**draws * max(loss, 0.0) ** losses
            score = wins + draws / 2
            total[score] = total.get(score, 0.0) + p_all
    return dict(sorted(total.items()))


def ways(games: int) -> int:
    """Return in how many ways the scores of a match can come about: wins, draws, losses [8.92]."""
    return (games + 1) * (games + 2) // 2


@dataclass(frozen=True, slots=True)
class Match:
    """A match between two players D points apart, of a fixed number of games.

    Parameters
    ----------
    D
        The first player's rating less the second's.
    games
        How many are to be played.
    draw
        The probability of a draw; None: as if every game were decided.
    """

    D: float
    games: int
    draw: float | None = None
    curve: Curve = field(default_factory=Table)

    @property
    def expected(self) -> float:
        """The first player's expected score in one game."""
        return float(self.curve.expected(self.D))

    @property
    def expected_score(self) -> float:
        """The first player's expected score in the match."""
        return self.games * self.expected

    @property
    def expected_length(self) -> float:
        """Games until the favourite has more than half the points [2.14]."""
        needed = self.games / 2 + 0.5
        return needed / max(self.expected, 1 - self.expected)

    def scores(self) -> dict[float, float]:
        """Return the probability of each score of the first player."""
        draw = self.draw or 0.0
        return score_distribution(self.games, self.expected - draw / 2, draw)

    def drawn(self) -> float:
        """Return the probability that the match is drawn."""
        return self.scores().get(self.games / 2, 0.0)

    def won(self) -> float:
        """Return the probability that the first player wins the match."""
        return math.fsum(p for score, p in self.scores().items() if score > self.games / 2)


def first_move(white: float, curve: Curve | None = None) -> float:
    """Return what the first move is worth, in points, when White scores so much of the point [8.93].

    Examples
    --------
    >>> first_move(0.57)
    50.0
    """
    return float((curve or Table()).difference(white))
