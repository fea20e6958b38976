"""Curves fitted to points: by the compiled kernel, or by the readable reference where games are few."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from arpad.rate import whr_reference
from arpad.rate.form import SCALE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.rate.whr_points import Points

__all__ = ["Errors", "Fit", "fit"]

KERNEL_FROM = 1_000
"""Games from which on the compiled kernels pay: loading them costs about half a second."""

MOST_STEPS = 100
"""Newton steps after which a fit gives up, and says so. Real data takes five to eight."""

SHARE = 0.1
"""Conjugate gradients stop when the residual is this share of what it was: each step then takes about one
decimal off the error, for the fewest passes over the games (measured on 300,000 games)."""

MOST_PASSES = 500
"""Passes of conjugate gradients in one step."""

VARIANCE_TOLERANCE = 1e-3
"""Share of a variance: when no variance changes by more, opponents' doubts have been told to everybody."""

VARIANCE_PASSES = 200

EXACT_UP_TO = 1_000
"""Points of a group up to which its errors come from the inverse of its Hessian. Above, they come near to it,
and the nearer the more players there are: within 2 % on average from 40 on."""

Errors = Literal["alone", "opponents", "whole"]
"""What errors know of.

alone      as if all opponents were known exactly (Coulom 2008);
opponents  the doubt about opponents, theirs about theirs, and so on: for the difference of two ratings;
whole      the doubt about the level of the whole group, too: for a rating by itself.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """What the games say of every point, in rating points.

    Parameters
    ----------
    rating, variance
        At each point.
    covariance
        With the next point of the same curve, 0 at its last.
    white_advantage
        As given, or as estimated.
    steps, passes
        Newton steps; passes over all games that they took.
    change
        The largest change of any rating in the last step: what is left to go is less.
    converged
        Whether `change` is below the tolerance.
    """

    rating: NDArray[np.float64]
    variance: NDArray[np.float64]
    covariance: NDArray[np.float64]
    white_advantage: float
    steps: int
    passes: int
    change: float
    converged: bool


def fit(
    points: Points,
    *,
    white_advantage: float | None = 0.0,
    tolerance: float,
    errors: Errors = "whole",
    start: NDArray[np.float64] | None = None,
) -> Fit:
    """Fit all curves to all games.

    Parameters
    ----------
    white_advantage
        Rating points; None: estimated.
    tolerance
        Rating points: iterate until no rating changes by more.
    errors
        What the errors know of.
    start
        Ratings to begin with, in points; it saves time and changes nothing else.
    """
    n, free = len(points), white_advantage is None
    theta = points.started() if start is None else start / SCALE
    gamma = 0.0 if white_advantage is None else white_advantage / SCALE
    if not n:
        nothing = np.zeros(0)
        return Fit(
            rating=nothing, variance=nothing, covariance=nothing, white_advantage=gamma * SCALE,
            steps=0, passes=0, change=0.0, converged=True,
        )  # fmt: skip
    goal = tolerance / SCALE
    few = len(points.white) < KERNEL_FROM
    if few:
        theta, gamma, steps, change = whr_reference.fit_ratings(
            points, theta, gamma, free=free, tolerance=goal, most=MOST_STEPS
        )
        passes = steps
    else:
        from arpad.rate import whr_kernels

        gamma, steps, passes, change, _ = whr_kernels.fit_ratings(
            *_games(points), points.score, *_curves(points), theta, gamma, free,
            goal, SHARE, MOST_STEPS, MOST_PASSES,
        )  # fmt: skip
    variance, covariance = _variances(points, theta, gamma, errors, few=few)
    return Fit(
        rating=theta * SCALE,
        variance=variance * SCALE**2,
        covariance=covariance * SCALE**2,
        white_advantage=gamma * SCALE,
        steps=int(steps),
        passes=int(passes),
        change=float(change) * SCALE,
        converged=bool(change < goal),
    )


def _variances(
    points: Points, theta: NDArray[np.float64], gamma: float, errors: Errors, *, few: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    exact = beside = np.full(len(points), np.nan)
    if errors == "whole":
        exact, beside = whr_reference.exact_variances(points, theta, gamma, most=EXACT_UP_TO)
        if not np.isnan(exact).any():
            return exact, beside
    joint = errors != "alone"
    if few:
        variance, covariance, _, _ = whr_reference.fit_variances(
            points, theta, gamma, joint=joint, tolerance=VARIANCE_TOLERANCE, most=VARIANCE_PASSES
        )
    else:
        from arpad.rate import whr_kernels

        variance, covariance, _, _ = whr_kernels.fit_variances(
            *_games(points), *_curves(points), theta, gamma, joint, VARIANCE_TOLERANCE, VARIANCE_PASSES
        )  # fmt: skip
    if errors == "whole":
        level = whr_reference.level_variances(points, theta)
        variance, covariance = variance + level, covariance + np.where(points.link > 0, level, 0.0)
    large = np.isnan(exact)
    return np.where(large, variance, exact), np.where(large, covariance, beside)


def _games(points: Points) -> tuple[NDArray[np.int64], ...]:
    return points.white, points.black


def _curves(points: Points) -> tuple[NDArray[Any], ...]:
    return points.first, points.link, points.centre, points.draws, points.hold
