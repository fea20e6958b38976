"""The course of a match, game by game, until it is over: every end with its probability.

Nothing is drawn at random: the probability of every standing is carried from game to game.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from arpad.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Ends", "Odds", "by_points", "by_wins"]

Ends = dict[tuple[float, float, int], float]
"""The first player's points (or wins), the second's, the games played: how probable."""

FORGOTTEN = 1e-12
"""An unlimited match is followed until so little is left undecided."""

LONGEST = 20_000
"""Games after which an unlimited match counts as one without an end."""


class Odds(NamedTuple):
    """One game from the first player's side."""

    win: float
    draw: float
    loss: float


def by_points(odds: Sequence[Odds], target: float, games: int | None) -> Ends:
    """Return the ends of a match that stops when somebody has `target` points or after so many games.

    Parameters
    ----------
    odds
        Those of the first game, the second, and so on, over and over: two of them for two colours.
    """
    # Both can fall short of the target only while fewer than 2 · target points are given out.
    last = games if games is not None else math.ceil(2 * target)
    goal = 2 * target
    ends: Ends = {}
    standing = np.ones(1)  # by the first player's half points
    for game in range(1, last + 1):
        win, draw, loss = odds[(game - 1) % len(odds)]
        standing = np.convolve(standing, [loss, draw, win])
        half = np.arange(standing.size)
        over = (half >= goal) | (2 * game - half >= goal) | (game == last)
        for at in np.flatnonzero(over & (standing > 0)).tolist():
            ends[at / 2, game - at / 2, game] = float(standing[at])
        standing[over] = 0.0
    return ends


def by_wins(
    odds: Sequence[Odds], wins: int, *, drawn_at: int | None = None, games: int | None = None
) -> Ends:
    """Return the ends of a match that stops at so many wins, draws not counting [8.87].

    Parameters
    ----------
    drawn_at
        Wins of both at which the match is drawn.
    games
        The most that are played; None for no limit.
    """
    if games is None and all(o.win + o.loss <= 0 for o in odds):
        raise UsageError("expected some games to be decided: a match for wins never ends otherwise")
    ends: Ends = {}
    standing = np.zeros((wins + 1, wins + 1))  # by the wins of both
    standing[0, 0] = 1.0
    over = np.zeros_like(standing, dtype=bool)
    over[wins, :] = over[:, wins] = True
    if drawn_at is not None:
        over[drawn_at, drawn_at] = True
    for game in range(1, (games or LONGEST) + 1):
        win, draw, loss = odds[(game - 1) % len(odds)]
        after = draw * standing
        after[1:, :] += win * standing[:-1, :]
        after[:, 1:] += loss * standing[:, :-1]
        done = np.ones_like(over) if game == games else over
        for w, l in zip(*np.nonzero(done & (after > 0)), strict=True):
            ends[float(w), float(l), game] = float(after[w, l])
        standing = np.where(done, 0.0, after)
        if standing.sum() < (FORGOTTEN if games is None else 1e-300):
            return ends
    raise UsageError(
        f"expected a match that ends: still open after {LONGEST:,} games, draws being so many"
    )
