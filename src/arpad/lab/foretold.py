"""Games foretold, and how well: log loss and Brier score, with their errors."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.lab.metrics import KAGGLE_CLIP, error_of_mean, log_losses, mean, squares
from arpad.scale import Logistic

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from numpy.typing import NDArray

__all__ = ["CLIP", "Foretold", "fitted_scale", "side_by_side"]

CLIP = KAGGLE_CLIP
"""Expected scores are taken as at least this, and at most 1 − this, in the log losses here."""

WIDEST = 3000.0
"""The largest class interval that a fit looks at, in points: all but a flat line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Foretold:
    """Every game with what a system expected of White before it.

    `rows`: white, black (rows of the players), score, date, period (its first day), earlier (games that
    the less experienced of the two had before the period), difference, expected; a walk adds game (its row).
    """

    system: str
    parameters: Mapping[str, Any]
    period: str
    curve: str
    """"own", or the scale that was fitted."""
    rows: pl.DataFrame

    @property
    def games(self) -> int:
        """How many games were foretold."""
        return self.rows.height

    def where(self, *, least_games: int = 0, since: date | None = None) -> Foretold:
        """Return the games of players with so many earlier ones, in periods from a day on."""
        kept = self.rows.filter(pl.col("earlier") >= least_games)
        return replace(self, rows=kept if since is None else kept.filter(pl.col("period") >= since))

    def fitted(self, until: date) -> Foretold:
        """Return the games from a day on, foretold by the logistic scale that fits those before best."""
        earlier = self.rows.filter(pl.col("period") < until)
        if not earlier.height:
            raise UsageError(f"a scale is fitted to games before {until}, and there are none")
        C = fitted_scale(earlier["difference"].to_numpy(), earlier["score"].to_numpy())
        later = self.where(since=until)
        expected = np.asarray(
            Logistic(class_interval=C).expected(later.rows["difference"].to_numpy())
        )
        rows = later.rows.with_columns(pl.Series("expected", expected))
        return replace(later, rows=rows, curve=f"logistic, C = {C:.0f}")

    def losses(self) -> NDArray[np.float64]:
        """Return the log loss of each game, −(S ln E + (1 − S) ln (1 − E)): a draw counts half."""
        return log_losses(self.rows["score"].to_numpy(), self.rows["expected"].to_numpy(), CLIP)

    def squares(self) -> NDArray[np.float64]:
        """Return (S − E)² of each game."""
        return squares(self.rows["score"].to_numpy(), self.rows["expected"].to_numpy())

    @property
    def log_loss(self) -> float:
        """Mean log loss; a coin says .693."""
        return mean(self.losses())

    @property
    def brier(self) -> float:
        """Mean (S − E)²."""
        return mean(self.squares())

    def summary(self) -> str:
        """Return one sentence."""
        if not self.games:
            return f"{self.system}: no game was foretold"
        return (
            f"{self.system} ({self.curve}): {self.games:,} games foretold a {self.period} ahead, log loss "
            f"{self.log_loss:.4f} ± {error_of_mean(self.losses()):.4f}, Brier {self.brier:.4f} ± "
            f"{error_of_mean(self.squares()):.4f}"
        )


def fitted_scale(D: NDArray[np.float64], score: NDArray[np.float64]) -> float:
    """Return the class interval C of the logistic curve with the smallest log loss: one parameter.

    Examples
    --------
    >>> D = np.repeat([-200.0, 200.0], 100)
    >>> won = np.r_[np.repeat([0.0, 1.0], [76, 24]), np.repeat([0.0, 1.0], [24, 76])]
    >>> round(fitted_scale(D, won))  # E(200) = .76
    200
    """
    from scipy.optimize import minimize_scalar

    def loss(log_C: float) -> float:
        E = np.asarray(Logistic(class_interval=math.exp(log_C)).expected(D))
        return mean(log_losses(score, E, CLIP))

    found = minimize_scalar(loss, bounds=(math.log(10.0), math.log(WIDEST)), method="bounded")
    return math.exp(float(found.x))


def side_by_side(found: Sequence[Foretold], names: Sequence[str] | None = None) -> pl.DataFrame:
    """Return the scores of systems on the same games, and how far each is from the first.

    `difference` is the log loss less that of the first; its `error` is of the mean of paired differences.
    """
    if not found or len({each.rows.height for each in found}) > 1:
        raise UsageError(
            "expected systems that foretold the same games: walk them through the same"
        )
    first = found[0].losses()
    rows = []
    for each, name in zip(found, names or [each.system for each in found], strict=True):
        losses = each.losses()
        rows.append(
            {
                "system": name,
                "curve": each.curve,
                "games": each.games,
                "log_loss": mean(losses),
                "log_loss_error": error_of_mean(losses),
                "brier": each.brier,
                "difference": mean(losses - first),
                "difference_error": error_of_mean(losses - first),
            }
        )
    return pl.DataFrame(rows)
