"""Systems on the same games of the test window: their figures, and how far they are from a reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.lab.bootstrap import Interval, paired_intervals
from arpad.lab.breakdown import breakdown
from arpad.lab.curves import calibration_curve, calibration_error
from arpad.lab.metrics import log_losses, scores
from arpad.lab.prediction import Standing
from arpad.lab.recalibrate import Recalibration, recalibration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from arpad.lab.entrants import Entrant

    Array = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["Judged", "Run", "gaps", "reference_of", "stacked", "unjudged"]


@dataclass(frozen=True, slots=True)
class Run:
    """What one system foretold, of the games of both windows that may be scored."""

    entrant: Entrant
    expected: Array
    reason: str | None = None

    def known(self) -> Mask:
        """Say which games it foretold."""
        return ~np.isnan(self.expected)


class Judged:
    """One system on the common games: its own figures, and those with the fit of the validation window."""

    def __init__(self, run: Run, score: Array, test: Mask, validation: Mask) -> None:
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

    def standing(self, test: Mask, gap: Interval | None, own_gap: Interval | None) -> Standing:
        """Return its row."""
        entrant = self.run.entrant
        return Standing(
            system=self.label,
            name=entrant.name,
            constants=entrant.constants,
            parameters=entrant.system.parameters(),
            foretold=int(self.run.known()[test].sum()),
            own=scores(self.S, self.E),
            recalibrated=None if self.fitted is None else scores(self.S, self.fitted),
            fit=self.fit,
            gap=gap,
            own_gap=own_gap,
            calibration_error=calibration_error(calibration_curve(self.S, self.E)),
        )


def unjudged(run: Run, test: Mask) -> Standing:
    """Return the row of a system that cannot be compared, with the reason."""
    entrant = run.entrant
    return Standing(
        system=entrant.label,
        name=entrant.name,
        constants=entrant.constants,
        parameters=entrant.system.parameters(),
        foretold=int(run.known()[test].sum()),
        reason=run.reason,
    )


def reference_of(judged: Sequence[Judged], against: str | None) -> int | None:
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
    judged: Sequence[Judged],
    reference: int | None,
    blocks: NDArray[np.int64],
    draws: int,
    seed: int,
) -> list[tuple[Interval | None, Interval | None]]:
    """Return how far each is from the reference: as ordered, and by its own curve."""
    if reference is None:
        return [(None, None)] * len(judged)
    best = np.stack([log_losses(each.S, each.best) for each in judged])
    own = np.stack([log_losses(each.S, each.E) for each in judged])
    both = (
        paired_intervals(losses, reference, blocks, draws=draws, seed=seed)
        for losses in (best, own)
    )
    return list(zip(*both, strict=True))


def stacked(found: Sequence[tuple[str, pl.DataFrame]]) -> pl.DataFrame:
    """Return the tables of all systems under each other, with the column `system`."""
    parts = [frame.select(pl.lit(label).alias("system"), pl.all()) for label, frame in found]
    return (
        pl.concat(parts) if parts else pl.DataFrame(schema={"system": pl.String, "by": pl.String})
    )
