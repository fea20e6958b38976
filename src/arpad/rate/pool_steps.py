"""Successive approximations, as the book does them by hand [Elo 3.41–3.45]."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arpad.errors import UsageError
from arpad.scale import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.rate.pairs import Pairs

__all__ = ["approximations"]


def approximations(
    pairs: Pairs,
    *,
    cycles: int = 5,
    D_p: NDArray[np.float64] | None = None,
    damp: bool = False,
    centre: bool = True,
) -> NDArray[np.float64]:
    """Return R_1 … R_cycles, one row a cycle, starting from 0 for everybody.

    Each cycle is R = R_c + D_p, R_c being the average rating of the opponents by games played. D_p
    follows once and for all from the percentage score.

    Parameters
    ----------
    D_p
        The differences to use; by table 2.11 from the scores when they are not given.
    damp
        Go only half the way each time: pools in two halves that meet only each other swing for ever
        otherwise.
    centre
        Bring the mean back to 0 after each cycle: the plain process drifts.
    """
    if cycles < 1:
        raise UsageError(f"expected at least one cycle, found {cycles}")
    played = pairs.played()
    if not played.all():
        raise UsageError("expected every player to have played")
    if D_p is None:
        D_p = Table().difference(pairs.scored() / played)
    R = np.zeros(pairs.players)
    found = []
    for _ in range(cycles):
        against = np.bincount(pairs.white, pairs.games * R[pairs.black], pairs.players)
        against += np.bincount(pairs.black, pairs.games * R[pairs.white], pairs.players)
        new = against / played + D_p
        R = (R + new) / 2 if damp else new
        if centre:
            R = R - R.mean()
        found.append(R)
    return np.array(found)
