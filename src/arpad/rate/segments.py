"""Long events in parts, none longer than the sample that the old rating rests on [Elo 1.62]."""

from __future__ import annotations

import math

from arpad.errors import UsageError

__all__ = ["segments"]


def segments(games: int, sample: int) -> list[int]:
    """Return the lengths of the parts, as equal as can be, longer ones first.

    Examples
    --------
    >>> segments(48, 30), segments(12, 30), segments(7, 3)
    ([24, 24], [12], [3, 2, 2])
    """
    if games < 0 or sample < 1:
        raise UsageError(f"expected games ≥ 0 and a sample ≥ 1, found {games} and {sample}")
    if games == 0:
        return []
    parts = math.ceil(games / sample)
    size, longer = divmod(games, parts)
    return [size + 1] * longer + [size] * (parts - longer)
