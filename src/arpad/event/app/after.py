"""Ratings after the event: by PRA's Basic System, and by Elo.

The text's column "Elo After" is not quite Elo: its changes are K (S − P) with K = 10 and the logistic P,
but P comes from the running *PRA* ratings. All its printed values follow so, and none otherwise. Both are
given here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from arpad.event.app.p_zero import EXPECTED, K_BASIC
from arpad.rate.expectancy import plain
from arpad.scale import Logistic

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["K_ELO", "After", "ratings_after"]

K_ELO = 10.0
"""K of the text's Elo."""

LOGISTIC = plain(Logistic())


@dataclass(frozen=True, slots=True)
class After:
    """Everybody's rating after the games, three times."""

    pra: list[float | None]
    elo: list[float | None]
    elo_as_printed: list[float | None]


def ratings_after(
    white: Sequence[int],
    black: Sequence[int],
    score: Sequence[float],
    start: Sequence[float | None],
) -> After:
    """Rate the games one by one, in their order; whoever has no rating has none afterwards.

    A game with somebody unrated rates nobody.
    """
    pra = [0.0 if R is None else R for R in start]
    elo, printed = list(pra), list(pra)
    for i, j, S in zip(white, black, score, strict=True):
        if start[i] is None or start[j] is None:
            continue
        by_accident = K_ELO * (S - LOGISTIC(pra[i] - pra[j]))
        printed[i] += by_accident
        printed[j] -= by_accident
        true = K_ELO * (S - LOGISTIC(elo[i] - elo[j]))
        elo[i] += true
        elo[j] -= true
        change = K_BASIC * (S - EXPECTED(pra[i] - pra[j]))
        pra[i] += change
        pra[j] -= change
    known = [R is not None for R in start]
    return After(*(
        [value if here else None for value, here in zip(values, known, strict=True)]
        for values in (pra, elo, printed)
    ))  # fmt: skip
