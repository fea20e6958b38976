"""The model of move choice with skill (s, c), one position at a time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import brentq

from arpad.errors import UsageError
from arpad.moves.gain import scaled_loss
from arpad.moves.ipr.kernels import moments, solve

if TYPE_CHECKING:
    from collections.abc import Sequence

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
