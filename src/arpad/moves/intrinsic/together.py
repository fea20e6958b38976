"""Decisions of several analyses taken together: one engine, asked in one way, or none at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.errors import InputError, UsageError
from arpad.moves.intrinsic.choices import Choices
from arpad.moves.intrinsic.decisions import Decisions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["together"]


def together(parts: Sequence[Decisions]) -> Decisions:
    """Return all decisions as one.

    Raises
    ------
    InputError
        If they were evaluated by different engines, in different ways, or filtered differently.
    """
    if not parts:
        raise UsageError("expected decisions to take together, found none")
    first = parts[0]
    for other in parts[1:]:
        if dict(other.engine) != dict(first.engine):
            raise InputError(
                f"the evaluations come from two engines, or from one that was asked in two ways ({dict(first.engine)}; "
                f"{dict(other.engine)}): no line can rate such a mixture; analyse all games in one way"
            )
        if other.filters != first.filters:
            raise InputError(
                f"the moves were filtered in two ways ({first.filters}; {other.filters}): filter them alike"
            )
    taken: dict[str, int] = {}
    for part in parts:
        for name, count in part.left_out.items():
            taken[name] = taken.get(name, 0) + count
    return Decisions(
        choices=_joined([p.choices for p in parts]),
        rows=pl.concat([p.rows for p in parts], how="diagonal_relaxed"),
        left_out=taken,
        filters=first.filters,
        engine=first.engine,
    )


def _joined(parts: Sequence[Choices]) -> Choices:
    """Put positions under each other; those with fewer lines have empty ones behind."""
    width = max(p.delta.shape[1] for p in parts)

    def padded(table: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.pad(table, ((0, 0), (0, width - table.shape[1])))

    return Choices(
        delta=np.concatenate([padded(p.delta) for p in parts]),
        count=np.concatenate([padded(p.count) for p in parts]),
        played=np.concatenate([p.played for p in parts]),
    )
