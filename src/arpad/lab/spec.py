"""In spec: how many ratings are near the truth, and after how many games a player's is.

A rating is in spec if it is less than the tolerance, 100 points unless said otherwise, away from the true
strength [PRA, "Some Words about the Simulation"].
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from arpad.errors import UsageError
from arpad.lab.kernels import tally

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.lab.rated import Rated
    from arpad.lab.season import Opening, Round

    Array = NDArray[np.float64]

__all__ = ["TOLERANCE", "Course", "Recorder", "check_tolerance"]

TOLERANCE = 100.0
"""Rating points."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """What became of one system in one run; arrays by round, the start first.

    Parameters
    ----------
    players, out_of_spec
        Who is here, and how many of them are out of spec.
    mean_error, rms_error
        Mean and root of the mean square of rating − true strength, in points.
    until
        Games until each watched player was in spec for the first time, 1 at least, as the text counts
        them; 0: never.
    paths, truths
        Ratings and true strengths of the watched players: a row a round.
    """

    seed: int
    players: NDArray[np.int64]
    out_of_spec: NDArray[np.int64]
    mean_error: Array
    rms_error: Array
    until: NDArray[np.int64]
    paths: Array
    truths: Array

    @property
    def share(self) -> Array:
        """Return the share of players who are out of spec."""
        return np.asarray(self.out_of_spec / self.players)


class Recorder:
    """Looks at a system after every round."""

    def __init__(self, rated: Rated, opening: Opening, *, watched: int, rounds: int, tolerance: float) -> None:  # fmt: skip
        self.rated, self.watched, self.tolerance = rated, watched, tolerance
        self.counts = np.zeros((rounds + 1, 2), dtype=np.int64)
        self.errors = np.full((rounds + 1, 2), np.nan)
        self.paths = np.full((rounds + 1, watched), np.nan)
        self.truths = np.full((rounds + 1, watched), np.nan)
        self.until = np.zeros(watched, dtype=np.int64)
        self.played = np.zeros(watched, dtype=np.int64)
        self.at = 0
        self._look(opening.true, opening.here)

    def after(self, round_: Round) -> None:
        """Look at the ratings after a round."""
        self.played += 1
        self.played[round_.byes[round_.byes < self.watched]] -= 1
        self.at = round_.number + 1
        near = self._look(round_.true, round_.here)
        first = near & (self.until == 0)
        # The text's count begins with 1, also for who was right before the first game.
        self.until[first] = np.maximum(self.played[first], 1)

    def course(self, seed: int) -> Course:
        """Return the whole of it."""
        return Course(
            seed=seed,
            players=self.counts[:, 0],
            out_of_spec=self.counts[:, 1],
            mean_error=self.errors[:, 0],
            rms_error=self.errors[:, 1],
            until=self.until,
            paths=self.paths,
            truths=self.truths,
        )

    def _look(self, true: Array, here: NDArray[np.bool_]) -> NDArray[np.bool_]:
        rated, n = self.rated, self.watched
        players, known, out, total, squares = tally(
            rated.ratings, rated.shift, true, here, self.tolerance
        )
        self.counts[self.at] = players, out
        if known:
            self.errors[self.at] = total / known, math.sqrt(squares / known)
        self.paths[self.at] = rated.ratings[:n] + rated.shift
        self.truths[self.at] = true[:n]
        return np.asarray(np.abs(self.paths[self.at] - true[:n]) < self.tolerance)


def check_tolerance(tolerance: float) -> None:
    """Refuse a tolerance that nothing is within."""
    if not (math.isfinite(tolerance) and tolerance > 0):
        raise UsageError(f"expected a tolerance above 0 points, found {tolerance!r}: the text has 100, and 200")  # fmt: skip
