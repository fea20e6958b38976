"""Matches: how likely each score is, a drawn match, and how long it takes [Elo 2.14, 8.8, 8.9]."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from arpad.errors import UsageError
from arpad.scale import Curve, Table

__all__ = ["MOST_GAMES", "Match", "first_move", "score_distribution", "trinomial", "ways"]

MOST_GAMES = 10_000
"""Games of the longest match whose scores are worked out, to keep a slip of the finger from taking for ever."""


def trinomial(
    wins: int, losses: int, draws: int, *, win: float, loss: float, draw: float = 0.0
) -> float:
    """Return P = N!/(W! L! D!) p^W q^L r^D, the probability of so many wins, losses and draws [(69), (72)].

    Examples
    --------
    >>> round(trinomial(9, 9, 0, win=0.6, loss=0.4), 3)
    0.128
    """
    if min(wins, losses, draws) < 0:
        raise UsageError(f"expected counts of games, found {wins}, {losses}, {draws}")
    _check_odds(win, draw, loss)
    games = wins + losses + draws
    ways_to = math.lgamma(games + 1) - sum(math.lgamma(n + 1) for n in (wins, losses, draws))
    log = ways_to
    for count, p in ((wins, win), (losses, loss), (draws, draw)):
        if count:
            if p <= 0:
                return 0.0
            log += count * math.log(p)
    return math.exp(log)


def score_distribution(games: int, win: float, draw: float = 0.0) -> dict[float, float]:
    """Return the probability of each score in a match of so many games.

    Trinomial, (72); without draws the binomial, (69).

    Examples
    --------
    >>> [round(p, 4) for p in score_distribution(4, 0.75).values()]
    [0.0039, 0.0469, 0.2109, 0.4219, 0.3164]
    """
    loss = 1 - win - draw
    if not 1 <= games <= MOST_GAMES:
        raise UsageError(f"expected a match of 1 to {MOST_GAMES:,} games, found {games}")
    _check_odds(win, draw, loss)
    one = np.array([max(loss, 0.0), draw, win])  # one game in half points: 0, ½, 1
    whole = np.ones(1)
    for _ in range(games):
        whole = np.convolve(whole, one)
    return {i / 2: float(p) for i, p in enumerate(whole) if p > 0}


def _check_odds(win: float, draw: float, loss: float) -> None:
    if not (min(win, draw, loss) >= -1e-12 and abs(win + draw + loss - 1) < 1e-9):
        raise UsageError(
            f"expected probabilities of a win, a draw and a loss that add up to 1, found {win:g}, {draw:g}, {loss:g}"
        )


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
