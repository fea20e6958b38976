"""What a player of skill (s, c) is expected to do in given positions [IPR (5)]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from arpad.errors import UsageError
from arpad.moves.intrinsic.kernels import moments, solve

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.moves.intrinsic.choices import Choices

__all__ = ["Projection", "Solved", "check_skill", "probabilities", "project", "solved"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Projection:
    """Expected match rate and scaled average error a move, each with one standard deviation.

    The paper's σ of the average error is misprinted; this is that of independent choices,
    (1/T) √Σ_t [Σ p δ² − (Σ p δ)²].
    """

    positions: int
    match_rate: float
    match_sigma: float
    error: float
    error_sigma: float


@dataclass(frozen=True, slots=True)
class Solved:
    """The model at one (s, c): u = ln p_0, p, w = 1/α and the derivatives of u."""

    u: NDArray[np.float64]
    p: NDArray[np.float64]
    w: NDArray[np.float64]
    slopes: NDArray[np.float64]


def check_skill(s: float, c: float) -> None:
    """Raise unless s and c are numbers above 0."""
    if not (math.isfinite(s) and math.isfinite(c) and s > 0 and c > 0):
        raise UsageError(f"expected s and c above 0, found s = {s!r}, c = {c!r}")


def solved(choices: Choices, s: float, c: float) -> Solved:
    """Solve every position for p_0."""
    check_skill(s, c)
    p, w = np.empty_like(choices.delta), np.empty_like(choices.delta)
    slopes = np.empty((len(choices), 2))
    u = solve(choices.delta, choices.count, s, c, p, w, slopes)
    return Solved(u, p, w, slopes)


def probabilities(choices: Choices, s: float, c: float) -> NDArray[np.float64]:
    """Return the probability of one move at each line; times `choices.count` each row adds up to 1."""
    return solved(choices, s, c).p


def project(choices: Choices, s: float, c: float) -> Projection:
    """Project the match rate and the scaled average error on these positions.

    Examples
    --------
    >>> from arpad.moves.intrinsic import Choices
    >>> two = Choices(delta=np.array([[0.0, 0.3]]), count=np.ones((1, 2)), played=np.array([0]))
    >>> level = project(two, s=0.1, c=0.5)
    >>> round(level.match_rate, 3), round(level.error, 4)
    (0.771, 0.0688)
    """
    if not len(choices):
        raise UsageError("expected positions to project on, found none")
    check_skill(s, c)
    first, error, square = moments(choices.delta, choices.count, s, c)[:, :3].T
    spread = square - error**2
    T = len(choices)
    return Projection(
        positions=T,
        match_rate=float(first.mean()),
        match_sigma=float(np.sqrt((first * (1 - first)).sum()) / T),
        error=float(error.mean()),
        error_sigma=float(np.sqrt(np.maximum(spread, 0.0).sum()) / T),
    )
