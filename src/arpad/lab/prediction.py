"""What a comparison of systems found: a row for each, best first, on the same games."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arpad.lab.bootstrap import Interval
    from arpad.lab.metrics import Scores
    from arpad.lab.recalibrate import Recalibration
    from arpad.lab.tuning import Tuned
    from arpad.lab.windows import Windows

__all__ = ["Counts", "Prediction", "Standing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many games there were, and how many were scored."""

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
    """Of those, foretold by every system that has a row with figures."""
    validation: int
    """Games of the validation window, chosen in the same way."""
    blocks: int
    """Events in a month, or days without one, that the scored games fall into."""

    @property
    def dropped(self) -> int:
        """Games with enough earlier ones that some system did not foretell."""
        return self.eligible - self.scored


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One system's row; without figures, and with a `reason`, where it cannot be compared."""

    system: str
    name: str
    constants: str
    parameters: Mapping[str, Any]
    foretold: int = 0
    """Eligible games of the test window that it foretold."""
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
        own, fit, gap, own_gap = self.own, self.fit, self.gap, self.own_gap
        return {
            "system": self.system,
            "constants": self.constants,
            "n": None if own is None else own.n,
            "log_loss": None if own is None else own.log_loss,
            "log_loss_recalibrated": None
            if self.recalibrated is None
            else self.recalibrated.log_loss,
            "difference": None if gap is None else gap.difference,
            "low": None if gap is None else gap.low,
            "high": None if gap is None else gap.high,
            "brier": None if own is None else own.brier,
            "deviance": None if own is None else own.deviance,
            "accuracy": None if own is None else own.accuracy,
            "log_loss_error": None if own is None else own.log_loss_error,
            "brier_error": None if own is None else own.brier_error,
            "brier_recalibrated": None if self.recalibrated is None else self.recalibrated.brier,
            "deviance_recalibrated": None
            if self.recalibrated is None
            else self.recalibrated.deviance,
            "accuracy_recalibrated": None
            if self.recalibrated is None
            else self.recalibrated.accuracy,
            "accuracy_decisive": None if own is None else own.accuracy_decisive,
            "calibration_error": self.calibration_error,
            "own_difference": None if own_gap is None else own_gap.difference,
            "own_low": None if own_gap is None else own_gap.low,
            "own_high": None if own_gap is None else own_gap.high,
            "a": None if fit is None else fit.a,
            "b": None if fit is None else fit.b,
            "white_advantage": None if fit is None else fit.white_advantage,
            "fitted_to": None if fit is None else fit.n,
            "foretold": self.foretold,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """Every system on the same games.

    `curves`: calibration curves; `parts`: the figures by period, level and games; both have `system`.
    """

    standings: tuple[Standing, ...]
    reference: str | None
    """The system that differences are taken from: the one asked for, else the best of the validation window."""
    asked: bool
    """Whether it was asked for."""
    windows: Windows
    period: str
    least_games: int
    counts: Counts
    levels: str
    """Whose ratings make the levels."""
    draws: int
    seed: int
    curves: pl.DataFrame
    parts: pl.DataFrame
    tuned: tuple[Tuned, ...] = ()
    notes: tuple[str, ...] = ()

    def table(self) -> pl.DataFrame:
        """Return a row a system, best first; those that cannot be compared at the end."""
        return pl.DataFrame([each.row() for each in self.standings], infer_schema_length=None)

    def summary(self) -> str:
        """Return what was done, in a sentence or two."""
        c = self.counts
        ranked = [each for each in self.standings if each.own is not None]
        done = (
            f"{c.games:,} games of {c.players:,} players, foretold a {self.period} ahead; "
            f"{self.windows.words()}; scored: {c.scored:,} of {c.test:,} games of the test, between players "
            f"with {self.least_games} or more earlier games"
        )
        dropped = f" ({c.dropped:,} that some system could not foretell are left out)" if c.dropped else ""  # fmt: skip
        if not ranked:
            return f"{done}{dropped}. No system could be scored."
        best = ranked[0]
        return f"{done}{dropped}. Best: {best.system}, log loss {best.headline:.4f}."
