"""Compare systems on the same games: each walks forward, the last window judges and chooses nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arpad.errors import ArpadError, UsageError
from arpad.lab.bootstrap import FEW_BLOCKS, blocks_of
from arpad.lab.breakdown import groups_of, levels
from arpad.lab.course import Course, Step, course
from arpad.lab.entrants import check_labels, tuned_label
from arpad.lab.judged import Judged, Run, gaps, reference_of, stacked, unjudged
from arpad.lab.prediction import Counts, Prediction
from arpad.lab.tuning import Tuned, tune_all
from arpad.lab.walk import walk
from arpad.lab.windows import Windows, day_called, windows
from arpad.workers import HERE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import date

    from numpy.typing import NDArray

    from arpad.lab.entrants import Entrant
    from arpad.model import Games
    from arpad.rate import RatingSystem
    from arpad.workers import Workers

    Array = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["LEAST_GAMES", "predict"]

LEAST_GAMES = 20
"""Earlier games that both players must have for a game to be scored: below, most systems guess."""
LEAST_SHARE = 0.5
"""A system that foretells less than this share of the games is not compared: it would drop the rest for all."""
DRAWS = 1000


def predict(
    games: Games,
    entrants: Sequence[Entrant],
    *,
    period: Step = "month",
    validation_from: str | date | None = None,
    test_from: str | date | None = None,
    test_to: str | date | None = None,
    least_games: int = LEAST_GAMES,
    against: str | None = None,
    draws: int = DRAWS,
    seed: int = 0,
    budget: int | None = None,
    workers: Workers = HERE,
    watch: Callable[[str], None] | None = None,
) -> Prediction:
    """Walk every system through the games, and score all of them on those that all foretold.

    Parameters
    ----------
    validation_from, test_from, test_to
        First days of the windows, and the day after the last. None: the last fifth of the periods is the
        test, the year before it validation.
    least_games
        Games that both players must have had before the period.
    against
        The label that differences are taken from; None: the best of the validation window.
    draws
        Of the bootstrap.
    seed
        Of the bootstrap and of the tuner.
    budget
        Tune every system that can be, with so many trials on the validation window: one more row each.
        None: no tuning.
    workers
        Who walks and tunes; figures do not depend on it.
    watch
        Told the label of each system when it has walked, and again when it is tuned.
    """
    _check(entrants, least_games, against)
    way = course(games, period=period)
    split = windows(way.days, validation_from=validation_from, test_from=test_from, end=test_to)
    field_ = _Field(way, split, least_games, workers)
    field_.enter(entrants, watch)
    if budget is not None:
        field_.tune(budget, seed, watch)
    return field_.judged(against, draws, seed)


def _check(entrants: Sequence[Entrant], least_games: int, against: str | None) -> None:
    if not entrants:
        raise UsageError("expected at least one system to foretell with, found none")
    if least_games < 0:
        raise UsageError(f"expected least_games of 0 or more, found {least_games}")
    check_labels(entrants)
    labels = [label for each in entrants for label in (each.label, tuned_label(each.label))]
    if against is not None and against not in labels:
        raise UsageError(f"expected the reference to be one of {', '.join(labels)}; found {against!r}")  # fmt: skip


class _Field:
    """Systems that walked the same course."""

    def __init__(
        self, way: Course, split: Windows, least_games: int, workers: Workers = HERE
    ) -> None:
        self.way, self.split, self.least_games = way, split, least_games
        self.workers = workers
        seasoned = way.earlier >= least_games
        self.in_test = split.test(way)
        self.rows = np.flatnonzero(seasoned & (self.in_test | split.validation(way)))
        self.test = self.in_test[self.rows]
        if not self.test.any():
            raise UsageError(_nothing_to_score(way, split, least_games, int(self.in_test.sum())))
        self.score = way.scores()[self.rows]
        self.runs: list[Run] = []
        self.tuned: list[Tuned] = []

    def enter(self, entrants: Sequence[Entrant], watch: Callable[[str], None] | None) -> None:
        """Walk systems; whatever stops one is its reason."""
        systems = [entrant.system for entrant in entrants]
        walked = self.workers.map(_walked, systems, shared=(self.way, self.rows))
        for entrant, (expected, reason) in zip(entrants, walked, strict=True):
            self.runs.append(Run(entrant, expected, reason or self._too_few(expected)))
            if watch is not None:
                watch(entrant.label)

    def tune(self, budget: int, seed: int, watch: Callable[[str], None] | None) -> None:
        """Choose constants on what came before the test window, and walk with them."""
        able = [run.entrant for run in self.runs if run.reason is None]
        earlier = self.way.before(self.split.test_from)
        found = tune_all(
            able, earlier, self.split, least_games=self.least_games, budget=budget, seed=seed,
            workers=self.workers, watch=watch,
        )  # fmt: skip
        self.tuned = [each for each in found if each is not None]
        published = self.runs
        self.runs = []
        best = {e.label: e.tuned(t.best.options) for e, t in zip(able, found, strict=True) if t}
        self.enter(list(best.values()), None)
        tuned = {run.entrant.label: run for run in self.runs}
        # Constants as published and as tuned are two rows, one behind the other.
        self.runs = [
            run
            for each in published
            for run in (each, tuned.get(tuned_label(each.entrant.label)))
            if run is not None
        ]

    def _too_few(self, expected: Array) -> str | None:
        known, eligible = int((~np.isnan(expected[self.test])).sum()), int(self.test.sum())
        if known >= LEAST_SHARE * eligible:
            return None
        if not known:
            return f"foretells none of {eligible:,} games: it needs ratings to start from"
        return f"foretells only {known:,} of {eligible:,} games, and all systems are scored on the same ones"

    def judged(self, against: str | None, draws: int, seed: int) -> Prediction:
        """Score everybody on the games that all foretold."""
        able = [run for run in self.runs if run.reason is None]
        common = np.full(len(self.rows), bool(able))  # what nobody foretold is not scored
        for run in able:
            common &= run.known()
        test, validation = common & self.test, common & ~self.test
        table = self.way.games.table[self.rows[test].tolist()]
        blocks = blocks_of(table) if table.height else np.zeros(0, dtype=np.int64)
        judged = [Judged(run, self.score, test, validation) for run in able]
        reference = reference_of(judged, against) if test.any() else None
        apart = gaps(judged, reference, blocks, draws, seed)
        standings = [
            each.standing(self.test, *gap) for each, gap in zip(judged, apart, strict=True)
        ]
        rest = [unjudged(run, self.test) for run in self.runs if run.reason is not None]
        groups = groups_of(self.way)[self.rows[test].tolist()]
        return Prediction(
            standings=(*sorted(standings, key=lambda row: row.headline), *rest),
            reference=None if reference is None else judged[reference].label,
            asked=reference is not None and judged[reference].label == against,
            windows=self.split,
            period=self.way.period,
            least_games=self.least_games,
            counts=self._counts(test, validation, blocks),
            levels=levels(self.way)[1],
            draws=draws,
            seed=seed,
            curves=stacked([(each.label, each.curves()) for each in judged]),
            parts=stacked([(each.label, each.parts(groups)) for each in judged]),
            tuned=tuple(self.tuned),
            notes=(
                *_notes(self.way, int(validation.sum()), len(np.unique(blocks))),
                *_no_reference(against, [each.label for each in judged]),
            ),
        )

    def _counts(self, test: Mask, validation: Mask, blocks: NDArray[np.int64]) -> Counts:
        return Counts(
            games=len(self.way),
            undated=self.way.undated,
            players=self.way.games.players.height,
            periods=len(self.way.days),
            test=int(self.in_test.sum()),
            eligible=int(self.test.sum()),
            scored=int(test.sum()),
            validation=int(validation.sum()),
            blocks=len(np.unique(blocks)),
        )


def _walked(shared: tuple[Course, NDArray[np.int64]], system: RatingSystem) -> tuple[Array, str | None]:  # fmt: skip
    """Return what a system expects of some games of a course, and what stopped it if something did."""
    way, rows = shared
    try:
        found = walk(system, way)
    except ArpadError as error:
        return np.full(len(rows), np.nan), str(error)
    every = np.full(len(way), np.nan)
    every[found.rows["game"].to_numpy()] = found.rows["expected"].to_numpy()
    return every[rows], None


def _notes(way: Course, validation: int, blocks: int) -> tuple[str, ...]:
    notes = []
    if not validation:
        notes.append(
            "no game of the validation window can be used: nothing is recalibrated; a longer window "
            "(--validation-from) or fewer --least-games would help"
        )
    if 0 < blocks < FEW_BLOCKS:
        notes.append(
            f"the games of the test fall into {blocks} blocks only (events in a month, or days): low and high "
            "are rough"
        )
    if way.undated:
        notes.append(f"{way.undated:,} games without a date are left out")
    return tuple(notes)


def _no_reference(against: str | None, labels: Sequence[str]) -> list[str]:
    if against is None or against in labels:
        return []
    return [f"{against} has no figures: differences are from the best of the validation window"]


def _nothing_to_score(way: Course, split: Windows, least_games: int, tested: int) -> str:
    if not tested:
        return (
            f"expected games in the test window ({split.words()}), found none: the periods go from "
            f"{day_called(way.days[0])} to {day_called(way.days[-1])}"
        )
    return (
        f"none of {tested:,} games of the test window is between players with {least_games} or more earlier "
        "games: ask for fewer with --least-games"
    )
