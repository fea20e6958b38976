"""Choose the constants of a system on the validation window: the same number of trials for every system.

The tuner is given the games before the test window and nothing else; it refuses a course that goes on.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from arpad.errors import ArpadError, UsageError
from arpad.lab.entrants import check_labels, entrant
from arpad.lab.metrics import blocks_of, log_losses, paired_intervals
from arpad.lab.walk import Windows, course, expected_scores, moment, recalibration, windows
from arpad.model import Result, plain_value
from arpad.parallel import HERE
from arpad.read.reading import games_from

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from arpad.lab.entrants import Entrant
    from arpad.lab.walk import GamePeriods, Step
    from arpad.parallel import Workers
    from arpad.read.reading import GamesLike

    Array = NDArray[np.float64]


DRAWS = 1000
"""Of the bootstrap over events and months."""
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
    """Result of a search for constants.

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning(Result):
    """The constants with which systems predict the latest games best.

    Columns of `rows`: `system`, `constant`, `usual` (null: learned from the games), `best`, `lowest` and `highest` (the
    range that was searched), `log_loss_usual`, `log_loss`, `better` (the difference), `low` and `high` (95 % of a
    bootstrap over events and months) and `use`: whether that is above 0. Log losses are of the games on which constants were chosen.
    """

    rows: pl.DataFrame
    tuned: tuple[Tuned, ...]
    parameters: Mapping[str, Any]

    def options(self, system: str) -> dict[str, Any]:
        """Return the constants for rating: the best ones if they are better for certain, otherwise none."""
        kept = self.rows.filter((pl.col("system") == system) & pl.col("use"))
        return dict(kept.select("constant", "best").iter_rows())

    def to_dict(self) -> dict[str, Any]:
        """Return settings, a row a constant, and all trials."""
        trials = {
            t.system: [{**each.options, "log_loss": each.log_loss} for each in t.trials] for t in self.tuned
        }
        settings: dict[str, Any] = plain_value(dict(self.parameters))
        return {"settings": settings, "constants": self.rows.to_dicts(), "trials": trials}

    def summary(self) -> str:
        """Return one sentence on the run."""
        p = self.parameters
        count = max((t.n for t in self.tuned), default=0)
        return f"{p['budget']} trials a system, scored on {count:,} games from {p['since']} on, predicted a {p['period']} ahead"


def tune(
    games: GamesLike,
    systems: Sequence[Entrant | str] = ("arpad",),
    *,
    period: Step = "month",
    since: str | date | None = None,
    least_games: int = 20,
    budget: int = BUDGET,
    seed: int = 0,
    workers: Workers = HERE,
    watch: Callable[[str], None] | None = None,
) -> Tuning:
    """Choose constants of systems by how well they predict the latest of these games.

    Parameters
    ----------
    since
        First day of the games on which constants are chosen; None: the last fifth of the periods.
    least_games
        Games that both players must have had before the period.
    budget
        Trials of each system, its usual constants among them.
    watch
        Called with the label of each system when it is done.
    """
    entrants = [entrant(each) if isinstance(each, str) else each for each in systems]
    check_labels(entrants)
    way = course(games_from(games), period=period)
    last: date = way.games.table["date"].max()  # type: ignore[assignment]
    first = windows(way.days).test_from if since is None else moment(since)
    split = Windows(validation_from=first, test_from=last + timedelta(days=1))
    result = tune_all(
        entrants, way, split, least_games=least_games, budget=budget, seed=seed, workers=workers, watch=watch
    )
    ground = Ground(way, np.flatnonzero((way.earlier >= least_games) & split.validation(way)))
    rows = [row for e, t in zip(entrants, result, strict=True) if t for row in _constants(e, t, ground, seed)]
    if not rows:
        raise UsageError(
            f"nothing can be tuned: {', '.join(e.label for e in entrants)} has no constants to choose"
        )
    parameters = {
        "period": period,
        "since": first,
        "least_games": least_games,
        "budget": budget,
        "seed": seed,
    }
    tuned = tuple(each for each in result if each is not None)
    return Tuning(rows=pl.DataFrame(rows, infer_schema_length=None), tuned=tuned, parameters=parameters)


def _constants(each: Entrant, tuned: Tuned, ground: Ground, seed: int) -> list[dict[str, object]]:
    """Return a row a constant of one system."""
    score = ground.way.scores()[ground.rows]
    losses = []
    for trial in (tuned.best, tuned.published):
        expected = expected_by(ground, each, trial.options)
        known = ~np.isnan(expected)
        losses.append(np.full(len(score), math.log(2)))
        fitted = recalibration(score[known], expected[known]).apply(expected[known])
        losses[-1][known] = log_losses(score[known], fitted)
    blocks = blocks_of(ground.way.games.table[ground.rows.tolist()])
    better = paired_intervals(np.stack(losses), 0, blocks, draws=DRAWS, seed=seed)[1]
    rows: list[dict[str, object]] = []
    for name, searched in Search(each, 1, seed).ranges.items():
        told = str(each.system.parameters().get(name)).replace(".", "", 1)
        usual = float(str(each.system.parameters()[name])) if told.isdecimal() else None
        rows.append(
            {
                "system": tuned.system,
                "constant": name,
                "usual": usual,
                "best": tuned.best.options.get(name, usual),
                "lowest": float(searched.low),
                "highest": float(searched.high),
                "log_loss_usual": tuned.published.log_loss,
                "log_loss": tuned.best.log_loss,
                "better": better.difference,
                "low": better.low,
                "high": better.high,
                "use": better.low > 0,
            }
        )
    return rows


def tune_all(
    entrants: Sequence[Entrant],
    way: GamePeriods,
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
        Called with the label of each system when it is done.
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
    for search, result in zip(able, workers.map(steps_of, able, shared=ground), strict=True):
        search.trials, search.n = result
        if watch is not None:
            watch(search.entrant.label)
    return [search.tuned(seed) for search in searches]


def _told(each: Entrant) -> set[str]:
    """Return what the user has set: it is not for us to change."""
    return set(each.options) if each.constants == "as told" else set()


class Ground(NamedTuple):
    """Data shared by all trials: the course, and the scored games."""

    way: GamePeriods
    rows: NDArray[np.int64]


class Search:
    """Trials of one system, in the unit cube of its ranges; all that is random is drawn at the start."""

    def __init__(self, each: Entrant, budget: int, seed: int) -> None:
        told = _told(each)
        self.entrant = each
        self.ranges = {k: r for k, r in getattr(each.system, "tunable", {}).items() if k not in told}
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
    try:
        expected = expected_by(ground, *trial)
    except ArpadError:
        return math.inf, 0
    known = ~np.isnan(expected)
    if not known.any():
        return math.inf, 0
    score = ground.way.scores()[ground.rows]
    return recalibration(score[known], expected[known]).log_loss, int(known.sum())


def expected_by(ground: Ground, each: Entrant, options: Mapping[str, Any]) -> Array:
    """Return White's expected scores by a system with these constants, NaN for none."""
    tried = each.tuned(options).system if options else each.system
    return expected_scores(tried, ground.way, ground.rows)


def steps_of(ground: Ground, search: Search) -> tuple[list[Trial], int]:
    """Return all trials of a search after its last step, and the games they are scored on."""
    search.go_on(ground)
    return search.trials, search.n


def _latin(n: int, k: int, rng: np.random.Generator) -> Array:
    """Return n places in the unit cube of k sides, one in each n-th of each side."""
    return np.array([(rng.permutation(n) + rng.random(n)) / n for _ in range(k)]).T.reshape(n, k)
