"""The points of all strength curves: one for every player and month in which the player had games.

Inside, strengths are on the natural scale θ = r ln 10/400, on which a game of equals is worth 1/4.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.model import Games

    Array = NDArray[np.float64]
    Rows = NDArray[np.int64]

STEP = 30
"""Days of a month here: within one, a strength does not change, and the order of games says nothing."""

_FAR = 2**20
"""Days are kept above 0 by so much."""

_KEYS = 2**22

_FAST = re.compile(
    r"blitz|bullet|lightning|rapid|quick|speed|armageddon|schnell|online|internet|titled tue|"
    r"chess\.com|lichess|chess24|playchess|\bICC\b",
    re.IGNORECASE,
)
"""Pattern of time controls and names of events with fast games."""


@dataclass(frozen=True, slots=True)
class PlayedGames:
    """Games as arrays: rows of the players, White's score, the day, and the class of the time control."""

    white: Rows
    black: Rows
    score: Array
    day: Rows
    fast: Rows

    def __len__(self) -> int:
        """Return the number of games."""
        return len(self.score)

    def order(self) -> Rows:
        """Return the rows in an order that does not rest on that of the file."""
        return np.lexsort((self.score, self.fast, self.black, self.white, self.day))

    def part(self, rows: Rows | slice) -> PlayedGames:
        """Return some of the games."""
        return PlayedGames(
            self.white[rows], self.black[rows], self.score[rows], self.day[rows], self.fast[rows]
        )

    def and_(self, more: PlayedGames) -> PlayedGames:
        """Return these games and others behind them."""
        names = ("white", "black", "score", "day", "fast")
        return PlayedGames(*(np.concatenate([getattr(self, n), getattr(more, n)]) for n in names))


def fast_games(games: Games, event: Rows) -> Rows:
    """Return 1 for each game of an event that says it is rapid, blitz or online, 0 for the others.

    Parameters
    ----------
    event
        The event of each game, −1 for none.
    """
    said = [bool(_FAST.search(f"{e.time_control or ''} {e.kind or ''} {e.name}")) for e in games.events]
    return np.array([*said, False], dtype=np.int64)[event]


@dataclass(frozen=True, slots=True)
class CurvePoints:
    """All curves in one row, player by player, each by time.

    Parameters
    ----------
    player, month
        Whose point, and when.
    first
        Where the curve of each player who played begins, and at last the number of points.
    own
        The player of each curve.
    days
        To the next point of the same curve, 0 at its last.
    white, black
        The points of both sides of each game.
    """

    player: Rows
    month: Rows
    first: Rows
    own: Rows
    days: Array
    white: Rows
    black: Rows

    def __len__(self) -> int:
        """Return the number of points."""
        return len(self.month)

    @property
    def keys(self) -> Rows:
        """A number for each point, growing: player first, then time."""
        return self.player * _KEYS + self.month

    @property
    def last(self) -> Rows:
        """The last point of each curve."""
        return self.first[1:] - 1

    @property
    def counts(self) -> Rows:
        """The number of points of each curve."""
        return np.diff(self.first)

    def middle(self, points: Rows) -> Array:
        """Return the day, counted from 1970, in the middle of each point's month."""
        return np.asarray(self.month[points] * float(STEP) + STEP / 2 - _FAR)

    def months_after_first(self) -> Array:
        """Return the days from the first point of its curve to each point."""
        start = np.repeat(self.month[self.first[:-1]], self.counts)
        return np.asarray((self.month - start) * float(STEP))


def lay_out(games: PlayedGames) -> CurvePoints:
    """Return the points of games between rows of players.

    Examples
    --------
    >>> import numpy as np
    >>> day = np.array([0, 0, 60])
    >>> rows = np.array([0, 1, 0]), np.array([1, 2, 1])
    >>> points = lay_out(PlayedGames(*rows, np.ones(3), day, np.zeros(3, dtype=np.int64)))
    >>> points.player.tolist(), points.days.tolist()
    ([0, 0, 1, 1, 2], [60.0, 0.0, 60.0, 0.0, 0.0])
    """
    month = (games.day + _FAR) // STEP
    both = np.concatenate([games.white * _KEYS + month, games.black * _KEYS + month])
    keys, at = np.unique(both, return_inverse=True)
    player, when = keys // _KEYS, keys % _KEYS
    begins = np.flatnonzero(np.r_[True, player[1:] != player[:-1]]) if len(keys) else keys
    days = np.zeros(len(keys))
    same = np.flatnonzero(player[1:] == player[:-1])
    days[same] = (when[same + 1] - when[same]) * STEP
    n = len(games)
    return CurvePoints(
        player=player,
        month=when,
        first=np.r_[begins, len(keys)].astype(np.int64),
        own=player[begins],
        days=days,
        white=at[:n],
        black=at[n:],
    )


MOST_STEPS = 50
LONGEST_STEP = 4.0
"""Logits: no strength moves further in one step."""


def chances(points: CurvePoints, plus: Array, x: Array) -> Array:
    """Return White's expected score of every game."""
    return logistic(x[points.white] - x[points.black] + plus)


def logistic(z: Array) -> Array:
    """Return 1/(1 + e^−z)."""
    return np.asarray(0.5 + 0.5 * np.tanh(z / 2))


def _gradient(
    points: CurvePoints,
    score: Array,
    weight: Array,
    plus: Array,
    link: Array,
    mean: Array,
    hold: Array,
    x: Array,
) -> Array:
    rest = weight * (score - chances(points, plus, x))
    result = 0.0 + np.bincount(points.white, rest, len(x)) - np.bincount(points.black, rest, len(x))
    pull = link * np.diff(x, append=0.0)
    result += pull
    result[1:] -= pull[:-1]
    first = points.first[:-1]
    result[first] -= hold * (x[first] - mean)
    return np.asarray(result)


def hessian(points: CurvePoints, weight: Array, plus: Array, link: Array, hold: Array, x: Array) -> Array:
    """Return −∂² ln p: what is known, and of what together."""
    n = len(x)
    p = chances(points, plus, x)
    h = weight * p * (1 - p)
    result = np.zeros((n, n))
    here = np.arange(n)
    np.add.at(result, (points.white, points.white), h)
    np.add.at(result, (points.black, points.black), h)
    np.add.at(result, (points.white, points.black), -h)
    np.add.at(result, (points.black, points.white), -h)
    result[here, here] += link
    result[here[1:], here[1:]] += link[:-1]
    result[here[:-1], here[1:]] -= link[:-1]
    result[here[1:], here[:-1]] -= link[:-1]
    result[points.first[:-1], points.first[:-1]] += hold
    return result


def fit_strengths(
    points: CurvePoints,
    score: Array,
    weight: Array,
    plus: Array,
    link: Array,
    mean: Array,
    hold: Array,
    x: Array,
    tolerance: float,
) -> Array:
    """Return the mode, by Newton's method from x; it is concave, so that it has one."""
    for _ in range(MOST_STEPS):
        slope = _gradient(points, score, weight, plus, link, mean, hold, x)
        step = np.linalg.solve(hessian(points, weight, plus, link, hold, x), slope)
        longest = float(np.abs(step).max(initial=0.0))
        x = x + step * min(1.0, LONGEST_STEP / max(longest, 1e-300))
        if longest < tolerance:
            break
    return x
