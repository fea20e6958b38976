"""How well expected scores foretold results: log loss, Brier score, deviance, accuracy, with their errors.

S is White's score, 0, ½ or 1; E is what was expected of White. A draw is half a win and half a loss.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from arpad.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = [
    "KAGGLE_CLIP",
    "SUREST",
    "Scores",
    "deviances",
    "error_of_mean",
    "hits",
    "log_losses",
    "mean",
    "scores",
    "squares",
]

SUREST = 0.001
"""No system is taken to be surer than this of anything: straight lines say 0 and 1, and one surprise would
cost everything. Of logistic curves it touches differences above 1,200 points only."""

KAGGLE_CLIP = 0.01
"""The same in Kaggle's contests of 2010 and 2011, which scored by the binomial deviance."""


def log_losses(S: Array, E: Array, clip: float = SUREST) -> Array:
    """Return −(S ln E + (1 − S) ln (1 − E)) of each game; a coin has .693.

    Examples
    --------
    >>> log_losses(np.array([1.0, 0.5, 0.0]), np.array([0.8, 0.8, 0.0])).round(4).tolist()
    [0.2231, 0.9163, 0.001]
    """
    E = np.clip(E, clip, 1 - clip)
    return np.asarray(-(S * np.log(E) + (1 - S) * np.log1p(-E)))


def squares(S: Array, E: Array) -> Array:
    """Return (S − E)² of each game, Brier's score."""
    return np.asarray((S - E) ** 2)


def deviances(S: Array, E: Array) -> Array:
    """Return Kaggle's binomial deviance of each game: −(S log₁₀ E + (1 − S) log₁₀ (1 − E)), E from .01 to .99."""
    return log_losses(S, E, KAGGLE_CLIP) / math.log(10)


def hits(S: Array, E: Array) -> Array:
    """Return what the favourite scored in each game: the draw rule of the accuracy.

    Who has E above ½ is the favourite. A win of the favourite is 1, a loss 0, a draw ½, whoever it is;
    where E is ½ there is none, and the game is ½.

    Examples
    --------
    >>> hits(np.array([1.0, 1.0, 0.5, 1.0]), np.array([0.6, 0.4, 0.9, 0.5])).tolist()
    [1.0, 0.0, 0.5, 0.5]
    """
    return np.where(E > 0.5, S, np.where(E < 0.5, 1 - S, 0.5))


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """Means over games, with standard errors as if games were independent."""

    n: int
    log_loss: float
    log_loss_error: float
    brier: float
    brier_error: float
    deviance: float
    accuracy: float
    """What the favourite scored on average: a draw counts half."""
    accuracy_decisive: float
    """The same in games that somebody won."""
    decisive: int
    """How many those are."""
    mean_expected: float
    mean_score: float


def scores(S: Array, E: Array) -> Scores:
    """Return all figures; NaN where there is nothing to average."""
    if len(S) != len(E):
        raise UsageError(f"expected an expected score for each of {len(S)} games, found {len(E)}")
    losses, brier, right = log_losses(S, E), squares(S, E), hits(S, E)
    won = S != 0.5
    return Scores(
        n=len(S),
        log_loss=mean(losses),
        log_loss_error=error_of_mean(losses),
        brier=mean(brier),
        brier_error=error_of_mean(brier),
        deviance=mean(deviances(S, E)),
        accuracy=mean(right),
        accuracy_decisive=mean(right[won]),
        decisive=int(won.sum()),
        mean_expected=mean(E),
        mean_score=mean(S),
    )


def mean(values: Array) -> float:
    """Return the mean, NaN of nothing."""
    return float(values.mean()) if len(values) else math.nan


def error_of_mean(values: Array) -> float:
    """Return the standard error of a mean of independent values."""
    return float(values.std(ddof=1) / math.sqrt(len(values))) if len(values) > 1 else math.nan
