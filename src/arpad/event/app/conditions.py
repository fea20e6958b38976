"""Conditions under which ratings are not repaired: knock-outs and changed time controls [PRA, introduction]."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Conditions", "is_knock_out"]

Conditions = Literal["auto", "usual", "knock-out", "time-controls"]
"""auto: a knock-out is recognised by its pairings."""


def is_knock_out(white: Sequence[int], black: Sequence[int]) -> bool:
    """Say whether the pairings are those of a knock-out: every pairing sends one player home.

    n players then make n − 1 pairs (or n, where third place is played for), and nobody has more than
    log₂ n of them.

    Examples
    --------
    >>> is_knock_out([0, 2, 0, 2], [1, 3, 1, 0]), is_knock_out([0, 0, 1], [1, 2, 2])
    (True, False)
    """
    pairs = {(min(i, j), max(i, j)) for i, j in zip(white, black, strict=True)}
    met = Counter(p for pair in pairs for p in pair)
    n = len(met)
    if n < 4 or len(pairs) not in (n - 1, n):
        return False
    most = math.ceil(math.log2(n))
    first = sum(1 for count in met.values() if count == 1)
    return max(met.values()) <= most and first >= n // 2 - 1
