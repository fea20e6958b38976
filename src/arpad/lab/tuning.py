"""Choose the constants of a system on the validation window: the same number of trials for every system.

The tuner is given the games before the test window and nothing else; it refuses a course that goes on.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from arpad.errors import ArpadError, UsageError
from arpad.lab.recalibrate import recalibration
from arpad.lab.tunable import TUNABLE
from arpad.lab.walk import walk

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from arpad.lab.course import Course
    from arpad.lab.entrants import Entrant
    from arpad.lab.tunable import Range
    from arpad.lab.windows import Windows

    Array = NDArray[np.float64]

__all__ = ["BUDGET", "Trial", "Tuned", "tune"]

BUDGET = 24
"""Trials of each system, the published constants among them."""
WIDE, NARROW = 0.25, 0.04
"""Steps of the second half of the trials, in shares of the range: from, to."""
AS_WIDE = 0.99
"""A trial that foretells fewer games than this share of what the first did is no candidate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """Constants that were tried, and the log loss they have on the validation window."""

    options: Mapping[str, Any]
    log_loss: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuned:
    """What a search found.

    Log losses are of the validation window, with White's advantage and scale fitted to it.
    """

    system: str
    trials: tuple[Trial, ...]
    """In the order in which they were made; the first has the constants as published."""
    n: int
    """Games of the validation window that were looked at."""
    seed: int

    @property
    def best(self) -> Trial:
        """The trial with the smallest log loss; the earliest of equals."""
        return min(self.trials, key=lambda trial: trial.log_loss)

    @property
    def published(self) -> Trial:
        """The trial with the constants as they were."""
        return self.trials[0]


def tune(
    entrant: Entrant,
    way: Course,
    split: Windows,
    *,
    least_games: int,
    budget: int = BUDGET,
    seed: int = 0,
) -> Tuned | None:
    """Return the trials of a system; None where it has nothing to tune.

    The first trial has the constants as they are. Half of the others are spread over the ranges of `TUNABLE`
    (a Latin square), the other half are ever smaller steps from the best so far.

    Parameters
    ----------
    way
        Games before the test window.
    """
    if budget < 1:
        raise UsageError(f"expected a budget of 1 trial or more, found {budget}")
    if any(day >= split.test_from for day in way.days):
        raise UsageError(
            f"the tuner may see games before {split.test_from} only, found a period of {way.days[-1]}"
        )
    ranges = {k: r for k, r in TUNABLE.get(entrant.name, {}).items() if k not in _told(entrant)}
    if not ranges:
        return None
    rows = np.flatnonzero((way.earlier >= least_games) & split.validation(way))
    if not len(rows):
        raise UsageError(
            f"nothing can be tuned: no game of the validation window ({split.words()}) is between players "
            f"with {least_games} or more earlier games"
        )
    search = _Search(entrant, way, rows, ranges)
    search.run(budget, np.random.default_rng(seed))
    return Tuned(system=entrant.label, trials=tuple(search.trials), n=search.n, seed=seed)


def _told(entrant: Entrant) -> set[str]:
    """Return what the user has set: it is not for us to change."""
    return set(entrant.options) if entrant.constants == "as told" else set()


class _Search:
    """Trials of one system, in the unit cube of its ranges."""

    def __init__(
        self, entrant: Entrant, way: Course, rows: NDArray[np.int64], ranges: Mapping[str, Range]
    ) -> None:
        self.entrant, self.way, self.rows, self.ranges = entrant, way, rows, ranges
        self.score = way.scores()[rows]
        self.trials: list[Trial] = []
        self.places: list[Array] = []
        self.n = 0

    def run(self, budget: int, rng: np.random.Generator) -> None:
        self._try(self._published(), {})
        spread = (budget - 1) // 2
        for place in _latin(spread, len(self.ranges), rng):
            self._try(place, self._options(place))
        close = budget - 1 - spread
        for i in range(close):
            size = WIDE * (NARROW / WIDE) ** (i / max(1, close - 1))
            best = self.places[int(np.argmin([trial.log_loss for trial in self.trials]))]
            place = np.clip(best + rng.normal(0, size, len(best)), 0, 1)
            self._try(place, self._options(place))

    def _published(self) -> Array:
        values = [getattr(self.entrant.system, name, None) for name in self.ranges]
        return np.array(
            [
                r.share(float(v)) if isinstance(v, int | float) else 0.5
                for v, r in zip(values, self.ranges.values(), strict=True)
            ]
        )

    def _options(self, place: Array) -> dict[str, Any]:
        shares = zip(self.ranges.items(), place, strict=True)
        return {name: each.at(float(share)) for (name, each), share in shares}

    def _try(self, place: Array, options: Mapping[str, Any]) -> None:
        self.places.append(place)
        self.trials.append(Trial(options=options, log_loss=self._loss(options)))

    def _loss(self, options: Mapping[str, Any]) -> float:
        try:
            tried = self.entrant.tuned(options).system if options else self.entrant.system
            found = walk(tried, self.way).rows
        except ArpadError:
            return math.inf
        every = np.full(len(self.way), np.nan)
        every[found["game"].to_numpy()] = found["expected"].to_numpy()
        expected = every[self.rows]
        known = ~np.isnan(expected)
        self.n = self.n or int(known.sum())
        if known.sum() < max(1, AS_WIDE * self.n):
            return math.inf
        return recalibration(self.score[known], expected[known]).log_loss


def _latin(n: int, k: int, rng: np.random.Generator) -> Array:
    """Return n places in the unit cube of k sides, one in each n-th of each side."""
    return np.array([(rng.permutation(n) + rng.random(n)) / n for _ in range(k)]).T.reshape(n, k)
