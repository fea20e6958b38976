"""Choose the constants of a system on the validation window: the same number of trials for every system.

The tuner is given the games before the test window and nothing else; it refuses a course that goes on.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np

from arpad.errors import ArpadError, UsageError
from arpad.lab.walk import walk
from arpad.lab.windows import recalibration
from arpad.parallel import HERE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from arpad.lab.predict import Entrant
    from arpad.lab.walk import Course
    from arpad.lab.windows import Windows
    from arpad.parallel import Workers

    Array = NDArray[np.float64]


BUDGET = 24
"""Trials of each system, the published constants among them."""
WIDE, NARROW = 0.25, 0.04
"""Steps of the second half of the trials, in shares of the range: from, to."""
AS_WIDE = 0.99
"""A trial that predicts fewer games than this share of the first trial's is no candidate."""


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
    entrant: Entrant, way: Course, split: Windows, *, least_games: int, budget: int = BUDGET, seed: int = 0
) -> Tuned | None:
    """Return the trials of a system; None where it has nothing to tune.

    The first trial has the constants as they are. Half of the others are spread over the ranges that the system declares as `tunable`
    (a Latin square), the other half are ever smaller steps from the best so far.

    Parameters
    ----------
    way
        Games before the test window.
    """
    return tune_all([entrant], way, split, least_games=least_games, budget=budget, seed=seed)[0]


def tune_all(
    entrants: Sequence[Entrant],
    way: Course,
    split: Windows,
    *,
    least_games: int,
    budget: int = BUDGET,
    seed: int = 0,
    workers: Workers = HERE,
    watch: Callable[[str], None] | None = None,
) -> list[Tuned | None]:
    """Tune several systems, as `tune` does each, with as many trials at once as there are workers.

    Trials that are spread over the ranges depend on no other; the steps behind them go from one to the next,
    and every system takes its own. So the trials are the same however many workers there are.

    Parameters
    ----------
    watch
        Told the label of each system when it is done.
    """
    if budget < 1:
        raise UsageError(f"expected a budget of 1 trial or more, found {budget}")
    last = way.games.table["date"].max()
    if isinstance(last, date) and last >= split.test_from:
        raise UsageError(f"the tuner may see games before {split.test_from} only, found one of {last}")
    searches = [Search(each, budget, seed) for each in entrants]
    able = [search for search in searches if search.ranges]
    rows = np.flatnonzero((way.earlier >= least_games) & split.validation(way))
    if able and not len(rows):
        raise UsageError(
            f"nothing can be tuned: no game of the validation window ({split.words()}) is between players "
            f"with {least_games} or more earlier games"
        )
    ground = Ground(way, rows)
    spread = [(search.entrant, options) for search in able for options in search.spread]
    losses = iter(list(workers.map(loss_of, spread, shared=ground)))  # the team has gone home then
    for search in able:
        for place, options in zip(search.places, search.spread, strict=True):
            search.add(place, options, *next(losses))
    for search, found in zip(able, workers.map(steps_of, able, shared=ground), strict=True):
        search.trials, search.n = found
        if watch is not None:
            watch(search.entrant.label)
    return [search.tuned(seed) for search in searches]


def _told(entrant: Entrant) -> set[str]:
    """Return what the user has set: it is not for us to change."""
    return set(entrant.options) if entrant.constants == "as told" else set()


@dataclass(frozen=True, slots=True)
class Ground:
    """What all trials share: the course, and the games that they are scored on."""

    way: Course
    rows: NDArray[np.int64]


class Search:
    """Trials of one system, in the unit cube of its ranges; all that is random is drawn at the start."""

    def __init__(self, entrant: Entrant, budget: int, seed: int) -> None:
        told = _told(entrant)
        self.entrant = entrant
        self.ranges = {k: r for k, r in getattr(entrant.system, "tunable", {}).items() if k not in told}
        self.trials: list[Trial] = []
        self.n = 0
        rng = np.random.default_rng(seed)
        count, k = (budget - 1) // 2, len(self.ranges)
        self.places = [self._published(), *_latin(count, k, rng)]
        self.spread = [{}, *(self.options(place) for place in self.places[1:])]
        close = budget - 1 - count
        sizes = [WIDE * (NARROW / WIDE) ** (i / max(1, close - 1)) for i in range(close)]
        self.steps = [rng.normal(0, size, k) for size in sizes]

    def add(self, place: Array, options: Mapping[str, Any], loss: float, known: int) -> None:
        """Take the outcome of a trial; one that predicts too few games is none."""
        self.n = self.n or known
        enough = known >= max(1, AS_WIDE * self.n)
        self.trials.append(Trial(options=options, log_loss=loss if enough else math.inf))
        if len(self.places) < len(self.trials):
            self.places.append(place)

    def go_on(self, ground: Ground) -> None:
        """Take ever smaller steps from the best so far."""
        for step in self.steps:
            best = self.places[int(np.argmin([trial.log_loss for trial in self.trials]))]
            place = np.clip(best + step, 0, 1)
            options = self.options(place)
            self.add(place, options, *loss_of(ground, (self.entrant, options)))

    def tuned(self, seed: int) -> Tuned | None:
        """Return what was found; None where there was nothing to search."""
        if not self.ranges:
            return None
        return Tuned(system=self.entrant.label, trials=tuple(self.trials), n=self.n, seed=seed)

    def options(self, place: Array) -> dict[str, Any]:
        """Return the constants at a place."""
        shares = zip(self.ranges.items(), place, strict=True)
        return {name: each.at(float(share)) for (name, each), share in shares}

    def _published(self) -> Array:
        values = [getattr(self.entrant.system, name, None) for name in self.ranges]
        return np.array(
            [
                r.share(float(v)) if isinstance(v, int | float) else 0.5
                for v, r in zip(values, self.ranges.values(), strict=True)
            ]
        )


def loss_of(ground: Ground, trial: tuple[Entrant, Mapping[str, Any]]) -> tuple[float, int]:
    """Return the log loss of a trial, and how many games it predicts."""
    entrant, options = trial
    try:
        tried = entrant.tuned(options).system if options else entrant.system
        found = walk(tried, ground.way).rows
    except ArpadError:
        return math.inf, 0
    every = np.full(len(ground.way), np.nan)
    every[found["game"].to_numpy()] = found["expected"].to_numpy()
    expected = every[ground.rows]
    known = ~np.isnan(expected)
    if not known.any():
        return math.inf, 0
    score = ground.way.scores()[ground.rows]
    return recalibration(score[known], expected[known]).log_loss, int(known.sum())


def steps_of(ground: Ground, search: Search) -> tuple[list[Trial], int]:
    """Return all trials of a search after its last step, and the games they are scored on."""
    search.go_on(ground)
    return search.trials, search.n


def _latin(n: int, k: int, rng: np.random.Generator) -> Array:
    """Return n places in the unit cube of k sides, one in each n-th of each side."""
    return np.array([(rng.permutation(n) + rng.random(n)) / n for _ in range(k)]).T.reshape(n, k)
