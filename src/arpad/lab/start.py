"""Where players start: the ratings that a system is given before the first game."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from arpad.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["OFF", "Start", "StartKind"]

StartKind = Literal["mean", "true", "high", "low", "one", "given"]
"""How a run begins [PRA, "Algorithm Performance"].

mean    everybody at the mean of the population: the text's "state of chaos";
true    everybody right;
high    everybody `by` points too high;
low     everybody `by` points too low;
one     everybody right but the watched players, who start at the mean, or `by` points off;
given   ratings that somebody brought.
"""

OFF = 200.0
"""Points off where everybody is too high or too low and nobody says by how much."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """How a run begins.

    Parameters
    ----------
    by
        Points off; of `one` with its sign.
    values
        The ratings of `given`, one a player.
    at
        Where `mean` is, in rating points; the population's own unless said otherwise.
    established
        Whether systems with rules for newcomers take these ratings as established ones.
    """

    kind: StartKind = "mean"
    by: float | None = None
    values: Array | None = None
    at: float | None = None
    established: bool = False

    def __post_init__(self) -> None:
        if self.kind not in get_args(StartKind):
            raise UsageError(f"expected a start, one of {', '.join(get_args(StartKind))}; found {self.kind!r}")  # fmt: skip
        if (self.kind == "given") != (self.values is not None):
            raise UsageError("ratings to start from and the start 'given' go together")
        if self.by is not None and self.kind not in ("high", "low", "one"):
            raise UsageError(f"points off belong to the starts high, low and one; found {self.by:g} for {self.kind}")  # fmt: skip
        if self.values is not None and not bool(np.isfinite(self.values).all()):
            raise UsageError("expected ratings to start from that are numbers, found one that is not")  # fmt: skip
        for value in (self.by, self.at):
            if value is not None and not math.isfinite(value):
                raise UsageError(f"expected a number of points, found {value!r}")

    def ratings(self, true: Array, centre: float, watched: int = 0) -> Array:
        """Return the ratings of players with these strengths; the first `watched` are the watched ones."""
        mean = centre if self.at is None else self.at
        if self.kind == "mean":
            return np.full(len(true), mean)
        if self.kind == "given":
            return self._given(true, mean)
        if self.kind == "one":
            start = true.copy()
            start[:watched] = mean if self.by is None else true[:watched] + self.by
            return start
        by = OFF if self.by is None else self.by
        return true + {"true": 0.0, "high": by, "low": -by}[self.kind]

    def _given(self, true: Array, mean: float) -> Array:
        assert self.values is not None
        if len(self.values) > len(true):
            raise UsageError(f"expected a rating to start from for each of {len(true):,} players, found {len(self.values):,}")  # fmt: skip
        # Who enters later starts at the mean.
        return np.concatenate([self.values, np.full(len(true) - len(self.values), mean)])

    def parameters(self) -> dict[str, object]:
        """Return every constant by name."""
        by = OFF if self.by is None and self.kind in ("high", "low") else self.by
        return {"start": self.kind, "by": by, "at": self.at, "established": self.established}
