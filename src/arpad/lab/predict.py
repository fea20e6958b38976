"""Compare rating systems on the same games: each walks forward, the last window scores them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.errors import ArpadError, UsageError
from arpad.lab.entrants import Entrant, check_labels, entrant, tuned_label
from arpad.lab.metrics import (
    FEW_BLOCKS,
    Interval,
    blocks_of,
    breakdown,
    calibration_curve,
    calibration_error,
    groups_of,
    levels,
    log_losses,
    paired_intervals,
    scores,
)
from arpad.lab.tuning import Tuned, tune_all
from arpad.lab.walk import (
    GamePeriods,
    Recalibration,
    Step,
    Windows,
    course,
    day_called,
    expected_scores,
    recalibration,
    windows,
)
from arpad.model import Result, plain_value
from arpad.parallel import HERE
from arpad.read.reading import games_from

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import date

    from numpy.typing import NDArray

    from arpad.lab.metrics import Scores
    from arpad.parallel import Workers
    from arpad.rate.system import RatingSystem
    from arpad.read.reading import GamesLike

    Array = NDArray[np.float64]
    Mask = NDArray[np.bool_]


# What a comparison of systems found: a row for each, best first, on the same games.


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Number of games, and of scored games."""

    games: int
    """With a date, in all windows."""
    undated: int
    players: int
    periods: int
    test: int
    """In the test window."""
    eligible: int
    """Of those, between players with enough earlier games."""
    scored: int
    """Of those, predicted by every system that has a row with figures."""
    validation: int
    """Games of the validation window, chosen in the same way."""
    blocks: int
    """Events in a month, or days without one, that the scored games fall into."""

    @property
    def dropped(self) -> int:
        """Games with enough earlier ones that some system did not predict."""
        return self.eligible - self.scored


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionRow:
    """One system's row; without figures, and with a `reason`, where it cannot be compared."""

    system: str
    name: str
    constants: str
    parameters: Mapping[str, Any]
    predicted: int = 0
    """Eligible games of the test window that it predicted."""
    own: Scores | None = None
    """By its own curve."""
    recalibrated: Scores | None = None
    """With White's advantage and scale of the validation window."""
    fit: Recalibration | None = None
    gap: Interval | None = None
    """Log loss less that of the reference: recalibrated where that is to be had."""
    own_gap: Interval | None = None
    """The same by the system's own curve."""
    calibration_error: float | None = None
    reason: str | None = None

    @property
    def headline(self) -> float:
        """Log loss by which rows are ordered: recalibrated, else own; infinite where there is none."""
        best = self.recalibrated or self.own
        return float("inf") if best is None else best.log_loss

    def row(self) -> dict[str, object]:
        """Return the row of a table; the names are those of the JSON."""
        result: dict[str, object] = {"system": self.system, "constants": self.constants}
        for column in _COLUMNS.split():
            name, _, place = column.partition("=")
            part, _, figure = (place or name).rpartition(".")
            holder = getattr(self, part) if part else self
            result[name] = None if holder is None else getattr(holder, figure)
        return result | {"foretold": self.predicted, "reason": self.reason}


_COLUMNS = """
n=own.n log_loss=own.log_loss log_loss_recalibrated=recalibrated.log_loss
difference=gap.difference low=gap.low high=gap.high
brier=own.brier deviance=own.deviance accuracy=own.accuracy
log_loss_error=own.log_loss_error brier_error=own.brier_error
brier_recalibrated=recalibrated.brier deviance_recalibrated=recalibrated.deviance
accuracy_recalibrated=recalibrated.accuracy accuracy_decisive=own.accuracy_decisive
calibration_error
own_difference=own_gap.difference own_low=own_gap.low own_high=own_gap.high
a=fit.a b=fit.b white_advantage=fit.white_advantage fitted_to=fit.n
"""
"""Columns of a row after its name, and the figure of this class that each one shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction(Result):
    """Every system on the same games.

    `curves`: calibration curves; `parts`: the figures by period, level and games; both have `system`.
    """

    standings: tuple[PredictionRow, ...]
    reference: str | None
    """The system that differences are taken from: the one asked for, else the best of the validation window."""
    asked: bool
    """Whether the user asked for the system."""
    windows: Windows
    period: str
    least_games: int
    counts: Counts
    levels: str
    """Name of the ratings that define the levels."""
    draws: int
    seed: int
    curves: pl.DataFrame
    parts: pl.DataFrame
    tuned: tuple[Tuned, ...] = ()
    notes: tuple[str, ...] = ()

    def table(self) -> pl.DataFrame:
        """Return a row a system, best first; those that cannot be compared at the end."""
        return pl.DataFrame([each.row() for each in self.standings], infer_schema_length=None)

    def to_dict(self) -> dict[str, Any]:
        """Return settings, counts, a row a system, calibration curves, parts and trials."""
        windows = self.windows
        document = {
            "settings": {
                "period": self.period,
                "validation_from": windows.validation_from,
                "test_from": windows.test_from,
                "test_to": windows.end,
                "least_games": self.least_games,
                "draws": self.draws,
                "seed": self.seed,
                "levels": self.levels,
            },
            "counts": {**asdict(self.counts), "dropped": self.counts.dropped},
            "reference": self.reference,
            "systems": [{**each.row(), "parameters": dict(each.parameters)} for each in self.standings],
            "calibration": self.curves.to_dicts(),
            "parts": self.parts.to_dicts(),
            "tuning": [
                {
                    "system": each.system,
                    "games": each.n,
                    "seed": each.seed,
                    "chosen": dict(each.best.options),
                    "log_loss": each.best.log_loss,
                    "log_loss_published": each.published.log_loss,
                    "trials": [{**trial.options, "log_loss": trial.log_loss} for trial in each.trials],
                }
                for each in self.tuned
            ],
            "notes": list(self.notes),
        }
        figures: dict[str, Any] = plain_value(document)
        return figures

    def summary(self) -> str:
        """Return one or two sentences on the run."""
        c = self.counts
        ranked = [each for each in self.standings if each.own is not None]
        done = (
            f"{c.games:,} games of {c.players:,} players, predicted a {self.period} ahead; "
            f"{self.windows.words()}; scored: {c.scored:,} of {c.test:,} games of the test, between players "
            f"with {self.least_games} or more earlier games"
        )
        dropped = f" ({c.dropped:,} that some system could not predict are left out)" if c.dropped else ""
        if not ranked:
            return f"{done}{dropped}. No system could be scored."
        best = ranked[0]
        return f"{done}{dropped}. Best: {best.system}, log loss {best.headline:.4f}."


# Systems on the same games of the test window: their figures, and how far they are from a reference.


@dataclass(frozen=True, slots=True)
class PredictionRun:
    """The predictions of one system, for the games of both windows that may be scored."""

    entrant: Entrant
    expected: Array
    reason: str | None = None

    def known(self) -> Mask:
        """Return the games that it predicted."""
        return ~np.isnan(self.expected)

    def row(self, test: Mask) -> PredictionRow:
        """Return its row without figures."""
        entrant = self.entrant
        return PredictionRow(
            system=entrant.label,
            name=entrant.name,
            constants=entrant.constants,
            parameters=entrant.system.parameters(),
            predicted=int(self.known()[test].sum()),
            reason=self.reason,
        )


class ScoredSystem:
    """One system on the common games: its own figures, and those with the fit of the validation window."""

    def __init__(self, run: PredictionRun, score: Array, test: Mask, validation: Mask) -> None:
        self.run, self.label = run, run.entrant.label
        self.S, self.E = score[test], run.expected[test]
        self.fit: Recalibration | None = None
        if validation.any():
            # The fit is given games of the validation window, and nothing else.
            self.fit = recalibration(score[validation], run.expected[validation])
        self.fitted = None if self.fit is None else self.fit.apply(self.E)

    @property
    def best(self) -> Array:
        """Expected scores as rows are ordered by: recalibrated where that is to be had."""
        return self.E if self.fitted is None else self.fitted

    def curves(self) -> pl.DataFrame:
        """Return the calibration curve of its own expectations, and of the recalibrated ones."""
        kinds = {"own": self.E} | ({} if self.fitted is None else {"recalibrated": self.fitted})
        return pl.concat(
            [
                calibration_curve(self.S, E).select(pl.lit(kind).alias("curve"), pl.all())
                for kind, E in kinds.items()
            ]
        )

    def parts(self, groups: pl.DataFrame) -> pl.DataFrame:
        """Return its figures by period, level and games."""
        return breakdown(groups, self.S, self.E, self.fitted)

    def standing(self, test: Mask, gap: Interval | None, own_gap: Interval | None) -> PredictionRow:
        """Return its row."""
        return replace(
            self.run.row(test),
            own=scores(self.S, self.E),
            recalibrated=None if self.fitted is None else scores(self.S, self.fitted),
            fit=self.fit,
            gap=gap,
            own_gap=own_gap,
            calibration_error=calibration_error(calibration_curve(self.S, self.E)),
        )


def reference_of(judged: Sequence[ScoredSystem], against: str | None) -> int | None:
    """Return the row that differences are taken from: the one asked for, or the best of the validation window.

    The test window chooses nothing, this neither. Without validation games it is the first row.
    """
    labels = [each.label for each in judged]
    if against in labels:
        return labels.index(against)
    if not judged:
        return None
    return int(np.argmin([each.fit.log_loss if each.fit else 0.0 for each in judged]))


def gaps(
    judged: Sequence[ScoredSystem], reference: int | None, blocks: NDArray[np.int64], draws: int, seed: int
) -> list[tuple[Interval | None, Interval | None]]:
    """Return how far each is from the reference: as ordered, and by its own curve."""
    if reference is None:
        return [(None, None)] * len(judged)
    best = np.stack([log_losses(each.S, each.best) for each in judged])
    own = np.stack([log_losses(each.S, each.E) for each in judged])
    both = (paired_intervals(losses, reference, blocks, draws=draws, seed=seed) for losses in (best, own))
    return list(zip(*both, strict=True))


def stacked(found: Sequence[tuple[str, pl.DataFrame]]) -> pl.DataFrame:
    """Return the tables of all systems under each other, with the column `system`."""
    parts = [frame.select(pl.lit(label).alias("system"), pl.all()) for label, frame in found]
    return pl.concat(parts) if parts else pl.DataFrame(schema={"system": pl.String, "by": pl.String})


# Compare systems on the same games: each walks forward, the last window judges and chooses nothing.

LEAST_GAMES = 20
"""Earlier games that both players must have for a game to be scored: below, most systems guess."""
LEAST_SHARE = 0.5
"""A system that predicts less than this share of the games is not compared: it would drop the rest for all."""
DRAWS = 1000


def predict(
    games: GamesLike,
    entrants: Sequence[Entrant | str],
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
    """Predict the games with each system, and compare the systems on the games that all of them predicted.

    Parameters
    ----------
    games
        A file, several files, a Polars or pandas frame, tuples ``(white, black, score)``, or games.
    entrants
        The systems, by name or with options of their own (`entrant`).
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
        Tune every system that can be, with this many trials on the validation window: one more row each.
        None: no tuning.
    workers
        Processes that do the work; the figures do not depend on them.
    watch
        Called with the label of each system when it is done, and again when it is tuned.
    """
    systems = [entrant(each) if isinstance(each, str) else each for each in entrants]
    _check(systems, least_games, against)
    way = course(games_from(games), period=period)
    split = windows(way.days, validation_from=validation_from, test_from=test_from, end=test_to)
    field_ = _Field(way, split, least_games, workers)
    field_.enter(systems, watch)
    if budget is not None:
        field_.tune(budget, seed, watch)
    return field_.judged(against, draws, seed)


def _check(entrants: Sequence[Entrant], least_games: int, against: str | None) -> None:
    if not entrants:
        raise UsageError("expected at least one system to predict with, found none")
    if least_games < 0:
        raise UsageError(f"expected least_games of 0 or more, found {least_games}")
    check_labels(entrants)
    labels = [label for each in entrants for label in (each.label, tuned_label(each.label))]
    if against is not None and against not in labels:
        raise UsageError(f"expected the reference to be one of {', '.join(labels)}; found {against!r}")


class _Field:
    """Systems that walked the same course."""

    def __init__(self, way: GamePeriods, split: Windows, least_games: int, workers: Workers = HERE) -> None:
        self.way, self.split, self.least_games = way, split, least_games
        self.workers = workers
        seasoned = way.earlier >= least_games
        self.in_test = split.test(way)
        self.rows = np.flatnonzero(seasoned & (self.in_test | split.validation(way)))
        self.test = self.in_test[self.rows]
        if not self.test.any():
            tested = int(self.in_test.sum())
            code = "too-few-earlier-games" if tested else ""
            raise UsageError(_nothing_to_score(way, split, least_games, tested), code=code)
        self.score = way.scores()[self.rows]
        self.runs: list[PredictionRun] = []
        self.tuned: list[Tuned] = []

    def enter(self, entrants: Sequence[Entrant], watch: Callable[[str], None] | None) -> None:
        """Walk systems; whatever stops one is its reason."""
        systems = [each.system for each in entrants]
        walked = self.workers.map(_walked, systems, shared=(self.way, self.rows))
        for each, (expected, reason) in zip(entrants, walked, strict=True):
            self.runs.append(PredictionRun(each, expected, reason or self._too_few(expected)))
            if watch is not None:
                watch(each.label)

    def tune(self, budget: int, seed: int, watch: Callable[[str], None] | None) -> None:
        """Choose constants on what came before the test window, and walk with them."""
        able = [run.entrant for run in self.runs if run.reason is None]
        earlier = self.way.before(self.split.test_from)
        result = tune_all(
            able,
            earlier,
            self.split,
            least_games=self.least_games,
            budget=budget,
            seed=seed,
            workers=self.workers,
            watch=watch,
        )
        self.tuned = [each for each in result if each is not None]
        published = self.runs
        self.runs = []
        best = {e.label: e.tuned(t.best.options) for e, t in zip(able, result, strict=True) if t}
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
            return f"predicts none of {eligible:,} games: it needs ratings to start from"
        return f"predicts only {known:,} of {eligible:,} games, and all systems are scored on the same ones"

    def judged(self, against: str | None, draws: int, seed: int) -> Prediction:
        """Score every system on the games that all predicted."""
        able = [run for run in self.runs if run.reason is None]
        common = np.full(len(self.rows), bool(able))  # games that some system did not predict are not scored
        for run in able:
            common &= run.known()
        test, validation = common & self.test, common & ~self.test
        table = self.way.games.table[self.rows[test].tolist()]
        blocks = blocks_of(table) if table.height else np.zeros(0, dtype=np.int64)
        judged = [ScoredSystem(run, self.score, test, validation) for run in able]
        reference = reference_of(judged, against) if test.any() else None
        apart = gaps(judged, reference, blocks, draws, seed)
        standings = [each.standing(self.test, *gap) for each, gap in zip(judged, apart, strict=True)]
        rest = [run.row(self.test) for run in self.runs if run.reason is not None]
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
                *(
                    [f"{against} has no figures: differences are from the best of the validation window"]
                    if against is not None and against not in [each.label for each in judged]
                    else []
                ),
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


def _walked(shared: tuple[GamePeriods, NDArray[np.int64]], system: RatingSystem) -> tuple[Array, str | None]:
    """Return what a system expects of some games of a course, and what stopped it if something did."""
    way, rows = shared
    try:
        return expected_scores(system, way, rows), None
    except ArpadError as error:
        return np.full(len(rows), np.nan), str(error)


def _notes(way: GamePeriods, validation: int, blocks: int) -> tuple[str, ...]:
    notes = []
    if not validation:
        notes.append(
            "no game of the validation window can be used: nothing is recalibrated; a longer window "
            "or fewer earlier games (least_games) would help"
        )
    if 0 < blocks < FEW_BLOCKS:
        notes.append(
            f"the games of the test fall into {blocks} blocks only (events in a month, or days): low and high "
            "are rough"
        )
    if way.undated:
        notes.append(f"{way.undated:,} games without a date are left out")
    return tuple(notes)


def _nothing_to_score(way: GamePeriods, split: Windows, least_games: int, tested: int) -> str:
    if not tested:
        return (
            f"expected games in the test window ({split.words()}), found none: the periods go from "
            f"{day_called(way.days[0])} to {day_called(way.days[-1])}"
        )
    return f"none of {tested:,} games of the test window is between players with {least_games} or more earlier games"
