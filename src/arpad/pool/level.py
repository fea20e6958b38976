"""The level of a linked history: one number, which no result can tell [Elo 5.42]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.pool.additive import Additive

__all__ = ["Level", "find_level"]

NOWHERE = 1500.0
"""Mean of all, in points, where neither anchors nor published ratings say anything."""


@dataclass(frozen=True, slots=True)
class Level:
    """What is added to everything, on what it rests, and the error of each period against it."""

    added: float
    basis: str
    errors: NDArray[np.float64]


def find_level(
    rows: pl.DataFrame,
    anchors: pl.DataFrame,
    link: Additive,
    *,
    years: tuple[int, int] | None,
) -> Level:
    """Find the level: from anchors, else from published ratings, else 1500 on average.

    Parameters
    ----------
    rows
        A player a period: `player`, `period`, `first`, `last`, `rating`, `published`, `games`.
    anchors
        Best averages that are right on average: `period`, `rating`, `given`.
    years
        Periods within which published ratings count.
    """
    if anchors.height:
        known, given = anchors, anchors["given"].to_numpy()
        weight, basis = (
            np.ones(known.height),
            f"best averages of {known.height} anchor{'' if known.height == 1 else 's'}",
        )
    else:
        low, high = years or (-9999, 9999)
        known = rows.filter(
            pl.col("published").is_not_null() & (pl.col("first") >= low) & (pl.col("last") <= high)
        )
        if known.is_empty() and years:
            raise UsageError(
                f"expected published ratings in periods within {low}–{high}, found none"
            )
        given = known["published"].to_numpy()
        weight, basis = (
            known["games"].to_numpy().astype(float),
            f"{known.height:,} published ratings",
        )
        if known.is_empty():
            known, basis = rows, "1500 on average"
            given, weight = np.full(rows.height, NOWHERE), np.ones(rows.height)
    weight = weight / weight.sum()
    added = float(weight @ (given - known["rating"].to_numpy()))
    share = np.bincount(known["period"].to_numpy(), weight, len(link.effects))
    V = np.nan_to_num(link.covariance)
    variance = np.diag(V) - 2 * V @ share + share @ V @ share
    return Level(added, basis, np.sqrt(np.maximum(variance, 0.0)))
