"""Fit (s, c) to the moves that were played: three methods."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.optimize import least_squares, minimize

from arpad.errors import InputError, UsageError
from arpad.moves.ipr.kernels import moments
from arpad.moves.ipr.model import probabilities, solved

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from arpad.moves.ipr.model import MoveChoices


# Maximum likelihood: the (s, c) under which the moves played are likeliest.


def log_likelihood(
    choices: MoveChoices, s: float, c: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return ln p of each move played, and its derivatives by s and c.

    ln p_k = w_k u with w_k = e^((δ_k/s)^c), so that ∂ ln p_k = u ∂w_k + w_k ∂u.
    """
    at = solved(choices, s, c)
    rows = np.arange(len(choices))
    w, delta = at.w[rows, choices.played], choices.loss
    x = np.where(delta > 0, delta / s, 1.0)
    power = np.where(delta > 0, x**c, 0.0)
    of_weight = np.stack([-w * power * c / s, w * power * np.log(x)], axis=1)
    value = w * at.u
    slope = of_weight * at.u[:, None] + w[:, None] * at.slopes
    return value, slope


# Percentile fitting: played moves should fall evenly over the projected distribution.
#
# Moves are laid end to end in the engine's order, each as long as its probability. If the model is right, the move
# played lies below the mark q in a share q of all positions, for every q [Regan and Haworth].

MARKS = np.linspace(0.05, 0.95, 19)
"""The marks q = .05, .10, … .95."""


def percentile_misses(choices: MoveChoices, s: float, c: float) -> NDArray[np.float64]:
    """Return, for each mark q, the share of moves played below it, minus q.

    A mark that cuts the interval of the move played counts it in part.
    """
    share = probabilities(choices, s, c) * choices.count
    rows = np.arange(len(choices))
    loss = choices.loss
    # A move with a line of its own stands behind every line that loses less, and behind its equals
    # that the engine listed before it.
    column = np.arange(choices.delta.shape[1])
    before = (choices.delta < loss[:, None]) | (
        (choices.delta == loss[:, None]) & (column < choices.played[:, None])
    )
    start = np.where(before, share, 0.0).sum(axis=1)
    length = share[rows, choices.played]
    part = (MARKS[None, :] - start[:, None]) / np.maximum(length, 1e-300)[:, None]
    return np.asarray(np.clip(part, 0.0, 1.0).mean(axis=0) - MARKS)


# Fit (s, c) to the moves that were played: three methods, compared in docs/methods/ipr.md.
#
# Maximum likelihood is the textbook's choice and biased here. The model gives a blunder the probability
# p_0^(e^((δ/s)^c)), an exponential of an exponential, so that one blunder in a hundred moves outweighs the rest: the
# fit makes room for it by a smaller c, and projects too much error everywhere else. Equating the match rate and the average error
# reproduces both by construction, and is the default.

FitMethod = Literal["equate", "likelihood", "percentile"]
START = (0.09, 0.5)
"""Start of every fit: (s, c) of a 2600 player in the paper's table 2."""
RANGE_S = (1e-4, 20.0)
RANGE_C = (0.05, 5.0)
CLOSE = 1e-3
"""Relative miss of match rate or average error up to which `equate` has found its solution."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceFit:
    """A player's (s, c) with how it was found.

    `miss` is what is left at the end: the root mean square of the equations that the method solves, or
    the gradient of the likelihood.
    """

    s: float
    c: float
    method: FitMethod
    moves: int
    converged: bool
    evaluations: int
    miss: float
    log_likelihood: float
    note: str = ""


def fit(choices: MoveChoices, *, method: FitMethod = "equate", c: float | None = None) -> ChoiceFit:
    """Find the (s, c) of the player who made these choices.

    Parameters
    ----------
    c
        A fixed c, as on the paper's "central artery"; then only s is looked for.
    """
    if not len(choices):
        raise InputError("expected moves to fit, found none")
    if not (choices.count.sum(axis=1) > 1).any():
        raise InputError("every move was forced: the moves say nothing about the player")
    if choices.matched.all() or not (choices.loss > 0).any():
        raise InputError(
            f"all {len(choices)} moves are as good as the engine's first: no finite rating explains that; "
            "more moves are needed"
        )
    if not choices.matched.any():
        raise InputError(f"none of the {len(choices)} moves is the engine's first: more moves are needed")
    if method not in _METHODS:
        raise UsageError(f"expected a method, one of {', '.join(_METHODS)}; found {method!r}")
    return _METHODS[method](choices, c)


def _free(theta: NDArray[np.float64], c: float | None) -> tuple[float, float]:
    return math.exp(theta[0]), c if c is not None else math.exp(theta[1])


def _start(c: float | None) -> tuple[NDArray[np.float64], list[tuple[float, float]]]:
    theta = np.log(np.array(START))
    bounds = [tuple(map(math.log, RANGE_S)), tuple(map(math.log, RANGE_C))]
    return (theta, bounds) if c is None else (theta[:1], bounds[:1])  # type: ignore[return-value]


def _by_likelihood(choices: MoveChoices, c: float | None) -> ChoiceFit:
    def cost(theta: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        s_at, c_at = _free(theta, c)
        value, slope = log_likelihood(choices, s_at, c_at)
        by_theta = slope.mean(axis=0) * np.array([s_at, c_at])
        return -float(value.mean()), -by_theta[: len(theta)]

    theta, bounds = _start(c)
    result = minimize(cost, theta, jac=True, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-13})
    return _result(
        choices,
        result.x,
        c,
        "likelihood",
        bool(result.success),
        int(result.nfev),
        float(np.abs(cost(result.x)[1]).max()),
    )


def _by_percentile(choices: MoveChoices, c: float | None) -> ChoiceFit:
    return _by_squares(choices, c, "percentile", lambda s, c: (percentile_misses(choices, s, c), None))


def _by_equating(choices: MoveChoices, c: float | None) -> ChoiceFit:
    rate, error = choices.match_rate, choices.scaled_error

    aim = np.array([error, rate])

    def misses(s: float, c_at: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        mean = moments(choices.delta, choices.count, s, c_at).mean(axis=0)
        miss = mean[[1, 0]] / aim - 1.0
        slope = mean[[[5, 6], [3, 4]]] / aim[:, None] * np.array([s, c_at])
        # With c fixed one equation is left: the average error is what the rating rests on.
        return (miss, slope) if c is None else (miss[:1], slope[:1, :1])

    result = _by_squares(choices, c, "equate", misses)
    if result.miss <= CLOSE:
        return result
    note = "no (s, c) gives both this match rate and this average error: the nearest is taken"
    return _noted(result, note)


def _by_squares(
    choices: MoveChoices,
    c: float | None,
    method: FitMethod,
    misses: Callable[[float, float], tuple[NDArray[np.float64], NDArray[np.float64] | None]],
) -> ChoiceFit:
    """Bring the misses to 0 as nearly as possible; their slopes, where given, are by ln s and ln c."""
    theta, bounds = _start(c)
    last: dict[bytes, NDArray[np.float64] | None] = {}

    def cost(theta: NDArray[np.float64]) -> NDArray[np.float64]:
        miss, slope = misses(*_free(theta, c))
        last.clear()
        last[theta.tobytes()] = slope
        return miss

    def slopes(theta: NDArray[np.float64]) -> NDArray[np.float64]:
        if theta.tobytes() not in last:
            cost(theta)
        slope = last[theta.tobytes()]
        assert slope is not None
        return slope

    exact = method == "equate"
    result = least_squares(
        cost,
        theta,
        jac=slopes if exact else "2-point",
        bounds=tuple(np.array(bounds).T),
        xtol=1e-10,
        ftol=1e-10,
        gtol=1e-10,
        max_nfev=200,
    )
    miss = float(np.sqrt(np.mean(result.fun**2)))
    return _result(choices, result.x, c, method, result.status > 0, int(result.nfev), miss)


def _result(
    choices: MoveChoices,
    theta: NDArray[np.float64],
    c: float | None,
    method: FitMethod,
    converged: bool,
    evaluations: int,
    miss: float,
) -> ChoiceFit:
    s_at, c_at = _free(theta, c)
    _, bounds = _start(c)
    edge = any(
        min(abs(value - low), abs(value - high)) < CLOSE
        for value, (low, high) in zip(theta, bounds, strict=True)
    )
    note = "s or c is at the edge of the range searched: too few moves" if edge else ""
    return ChoiceFit(
        s=s_at,
        c=c_at,
        method=method,
        moves=len(choices),
        converged=converged and not edge,
        evaluations=evaluations,
        miss=miss,
        note=note,
        log_likelihood=float(log_likelihood(choices, s_at, c_at)[0].sum()),
    )


def _noted(found: ChoiceFit, note: str) -> ChoiceFit:
    return replace(found, converged=False, note="; ".join(filter(None, (found.note, note))))


_METHODS: dict[str, Callable[[MoveChoices, float | None], ChoiceFit]] = {
    "equate": _by_equating,
    "likelihood": _by_likelihood,
    "percentile": _by_percentile,
}
