"""The model of move choice with skill (s, c), and its fit."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.optimize import brentq, least_squares, minimize

from arpad.errors import InputError, UsageError
from arpad.moves.gain import scaled_loss
from arpad.moves.ipr.kernels import moments, solve

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray


# The model in readable words, one position at a time; the kernels must agree with it.


def move_probabilities(
    delta: Sequence[float], s: float, c: float, count: Sequence[float] | None = None
) -> list[float]:
    """Return the probability of each move: p_i = p_0^(e^((δ_i/s)^c)), Σ p_i = 1 [IPR (3), (4), corrected].

    Examples
    --------
    >>> [round(p, 4) for p in move_probabilities([0.0, 0.1, 0.5], s=0.08, c=0.5)]
    [0.6814, 0.3093, 0.0093]
    """
    count = count or [1.0] * len(delta)
    # Beyond e^100 a move has a chance of 1e-40, and soon the power would be no number.
    exponents = [math.exp(min((d / s) ** c, 100.0)) if d > 0 else 1.0 for d in delta]

    if sum(count) == 1:
        return [1.0]

    def surplus(u: float) -> float:
        others = sum(n * math.exp(e * u) for n, e in zip(count[1:], exponents[1:], strict=True))
        return math.expm1(u) + (count[0] - 1) * math.exp(u) + others

    # In u = ln p_0, since p_0 itself may be nearer to 1 than numbers tell apart.
    u = float(brentq(surplus, -math.log(sum(count)) - 1.0, 0.0, xtol=1e-60, maxiter=1000))
    return [math.exp(e * u) for e in exponents]


# The choices that players had, and what they took: the data of the model.


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveChoices:
    """T positions with n lines each.

    `delta[t, i]` is the scaled loss δ of line i, in the engine's order, so that line 0 is the engine's
    choice and loses nothing. `count[t, i]` says how many legal moves stand there: 1 for a line that was
    searched, 0 for no line, more for the moves behind the last line, which stand at its value.
    `played[t]` is the line of the move that was played.
    """

    delta: NDArray[np.float64]
    count: NDArray[np.float64]
    played: NDArray[np.int64]

    def __post_init__(self) -> None:
        """Check the shapes and the numbers."""
        if self.delta.ndim != 2 or self.delta.shape != self.count.shape:
            raise UsageError(
                f"expected one count for each loss, found {self.delta.shape} and {self.count.shape}"
            )
        if self.played.shape != self.delta.shape[:1]:
            raise UsageError(
                f"expected one move for each of {len(self.delta)} positions, found {len(self.played)}"
            )
        if not np.isfinite(self.delta).all() or (self.delta < 0).any():
            raise UsageError("expected losses of 0 or more, found a negative or no number")
        if len(self) and (
            (self.played < 0).any()
            or (self.played >= self.delta.shape[1]).any()
            or (self.count[np.arange(len(self)), self.played] < 1).any()
        ):
            raise UsageError("expected every move played among its position's lines")

    @classmethod
    def from_lines(
        cls,
        values: NDArray[Any],
        *,
        legal: NDArray[Any],
        played: NDArray[Any],
        own: NDArray[Any] | None = None,
    ) -> MoveChoices:
        """Return the choices from an engine's lines.

        Parameters
        ----------
        values
            Of each line in pawns from the mover's side, best first; NaN where there is no line.
        legal
            Number of legal moves of each position.
        played
            Line of the move played; −1 where it is in none of them.
        own
            Value of such a move from a search of its own. It takes a line of its own, since leaving it
            out would leave out the blunders.

        Examples
        --------
        >>> choices = MoveChoices.from_lines(
        ...     np.array([[0.3, 0.1]]), legal=np.array([30]), played=np.array([-1]), own=np.array([-2.0])
        ... )
        >>> choices.count.tolist(), choices.delta.round(3).tolist()
        ([[1.0, 1.0, 1.0, 27.0]], [[0.0, 0.167, 1.361, 0.167]])
        """
        values = np.asarray(values, dtype=np.float64)
        played = np.asarray(played, dtype=np.int64)
        known = ~np.isnan(values)
        lines = known.sum(axis=1)
        if (lines == 0).any() or not known[:, :1].all():
            raise UsageError("expected at least one line for every position")
        outside = played < 0
        if outside.any() and (own is None or np.isnan(own[outside]).any()):
            raise UsageError(
                f"{int(outside.sum())} moves played are in none of the lines and have no value of their "
                "own: search them alone, do not leave them out"
            )
        T, n = values.shape
        delta = np.zeros((T, n + 2))
        count = np.zeros((T, n + 2))
        best = values[:, :1]
        delta[:, :n] = np.where(known, scaled_loss(best, np.where(known, values, best)), 0.0)
        count[:, :n] = known
        if own is not None:
            delta[outside, n] = scaled_loss(best[outside, 0], np.asarray(own)[outside])
            count[outside, n] = 1.0
        # The moves behind the last line cannot be better than it, and nobody looked how much worse.
        delta[:, n + 1] = delta[np.arange(T), lines - 1]
        count[:, n + 1] = np.maximum(np.asarray(legal) - lines - outside, 0)
        delta[:, n + 1] = np.where(count[:, n + 1] > 0, delta[:, n + 1], 0.0)
        return cls(delta=delta, count=count, played=np.where(outside, n, played))

    def __len__(self) -> int:
        """Return the number of positions."""
        return len(self.played)

    def __getitem__(self, rows: Any) -> MoveChoices:
        """Return some of the positions."""
        return MoveChoices(delta=self.delta[rows], count=self.count[rows], played=self.played[rows])

    @property
    def loss(self) -> NDArray[np.float64]:
        """The scaled loss of each move played."""
        return self.delta[np.arange(len(self)), self.played]

    @property
    def matched(self) -> NDArray[np.bool_]:
        """Whether the played move is the engine's first line."""
        return np.asarray(self.played == 0)

    @property
    def scaled_error(self) -> float:
        """The scaled average error of the moves played."""
        return float(self.loss.mean()) if len(self) else float("nan")

    @property
    def match_rate(self) -> float:
        """The share of moves that are the engine's first-listed one."""
        return float(self.matched.mean()) if len(self) else float("nan")


# What a player of skill (s, c) is expected to do in given positions [IPR (5)].


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


def solved(choices: MoveChoices, s: float, c: float) -> Solved:
    """Solve every position for p_0."""
    check_skill(s, c)
    p, w = np.empty_like(choices.delta), np.empty_like(choices.delta)
    slopes = np.empty((len(choices), 2))
    u = solve(choices.delta, choices.count, s, c, p, w, slopes)
    return Solved(u, p, w, slopes)


def probabilities(choices: MoveChoices, s: float, c: float) -> NDArray[np.float64]:
    """Return the probability of one move at each line; times `choices.count` each row adds up to 1."""
    return solved(choices, s, c).p


def project(choices: MoveChoices, s: float, c: float) -> Projection:
    """Project the match rate and the scaled average error on these positions.

    Examples
    --------
    >>> from arpad.moves.ipr.model import MoveChoices
    >>> two = MoveChoices(delta=np.array([[0.0, 0.3]]), count=np.ones((1, 2)), played=np.array([0]))
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
