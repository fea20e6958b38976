"""PRA's tie-break: points, performance rating, G-score [PRA, The Greatness Formula]."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["pra_ranks"]

DIGITS = 9
"""Decimals to which scores are compared: the order of additions must not break a tie."""


def pra_ranks(
    points: Sequence[float],
    p_zero: Sequence[float | None],
    g_scores: Sequence[float | None],
    *,
    by_g: bool = False,
) -> list[int]:
    """Return everybody's place; who is equal in everything shares it.

    The performance rating rises with P-Zero, which stands for it here: it is there without a line, too.
    Whoever has not played comes last among equals.

    Parameters
    ----------
    by_g
        Rank by G alone: in knock-outs neither points nor P-Zero say who did best.

    Examples
    --------
    >>> pra_ranks([8.5, 8.5, 8.0], [12.98, 13.23, 9.01], [None, None, None])
    [2, 1, 3]
    """
    keys = []
    for own, P, G in zip(points, p_zero, g_scores, strict=True):
        total = (True, round(own, DIGITS))
        by_performance = (P is not None, round(P or 0.0, DIGITS))
        by_greatness = (G is not None, round(G or 0.0, DIGITS))
        keys.append(
            (by_greatness, by_performance, total) if by_g else (total, by_performance, by_greatness)
        )
    place: dict[object, int] = {}
    for at, key in enumerate(sorted(keys, reverse=True), start=1):
        place.setdefault(key, at)
    return [place[key] for key in keys]
