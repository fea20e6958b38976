"""P-Zero scores: the Basic System of PRA, run over one event from zero [PRA, The P-Zero Scores].

``P′ = P + 9 (S − E(P − P_opponent))`` for either player, game by game, everybody starting at 0. What one
gains the other loses, so that the scores add up to nothing.
"""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING

from arpad.rate.expectancy import plain
from arpad.scale import Pra

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["K_BASIC", "SHUFFLES", "basic_run", "order_effect", "p_zero", "z_scores"]

K_BASIC = 9.0
"""Points of the Basic System for a whole point above expectation [PRA (1)]."""

SHUFFLES = 20
"""Other orders of the same games that are tried, to see how much the order matters."""

EXPECTED = plain(Pra())


def basic_run(
    white: Sequence[int], black: Sequence[int], score: Sequence[float], start: Sequence[float]
) -> list[float]:
    """Return everybody's rating after the games, by R′ = R + 9 (S − E) in the order given [PRA (1)].

    Examples
    --------
    >>> [round(r, 2) for r in basic_run([0], [1], [1.0], [2785.0, 2660.0])]
    [2788.97, 2656.03]
    """
    R = list(start)
    for i, j, S in zip(white, black, score, strict=True):
        change = K_BASIC * (S - EXPECTED(R[i] - R[j]))
        R[i] += change
        R[j] -= change
    return R


def p_zero(
    white: Sequence[int], black: Sequence[int], score: Sequence[float], players: int
) -> list[float]:
    """Return the P-Zero score of every player: the Basic System from zero, in the order of the games.

    Examples
    --------
    >>> p_zero([0, 1], [1, 2], [1.0, 0.5], 3)[0]
    4.5
    """
    return basic_run(white, black, score, [0.0] * players)


def z_scores(scores: Sequence[float]) -> list[float | None]:
    """Return (P − mean) / s, with s over n − 1; nothing where all scores are equal.

    Examples
    --------
    >>> z_scores([1.0, 0.0, -1.0])
    [1.0, 0.0, -1.0]
    """
    n = len(scores)
    mean = math.fsum(scores) / n if n else 0.0
    spread = math.sqrt(math.fsum((p - mean) ** 2 for p in scores) / (n - 1)) if n > 1 else 0.0
    return [(p - mean) / spread if spread > 1e-9 else None for p in scores]


def order_effect(
    white: Sequence[int],
    black: Sequence[int],
    score: Sequence[float],
    players: int,
    *,
    groups: Sequence[object] | None = None,
    shuffles: int = SHUFFLES,
    seed: int = 0,
) -> float:
    """Return by how much any P-Zero score moves, at most, when the games are played in other orders.

    Parameters
    ----------
    groups
        What is known of the order, such as the day of each game: games are shuffled within a group only.
    shuffles
        Orders tried; the games backwards are tried, too.
    """
    known = list(groups) if groups is not None else [0] * len(white)
    places: dict[object, list[int]] = {}
    for place, group in enumerate(known):
        places.setdefault(group, []).append(place)
    first = p_zero(white, black, score, players)
    draw = random.Random(seed)
    most = 0.0
    for turn in range(shuffles):
        order: list[int] = []
        for block in places.values():
            mixed = block[::-1] if turn == 0 else draw.sample(block, len(block))
            order += mixed
        other = p_zero(
            [white[g] for g in order], [black[g] for g in order], [score[g] for g in order], players
        )
        most = max(most, *(abs(a - b) for a, b in zip(first, other, strict=True)), 0.0)
    return most
