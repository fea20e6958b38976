"""The choices that players had, and what they took: the data of the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from arpad.errors import UsageError
from arpad.moves.intrinsic.scaled import scaled_loss

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Choices"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
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
    ) -> Choices:
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
        >>> choices = Choices.from_lines(
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

    def __getitem__(self, rows: Any) -> Choices:
        """Return some of the positions."""
        return Choices(delta=self.delta[rows], count=self.count[rows], played=self.played[rows])

    @property
    def loss(self) -> NDArray[np.float64]:
        """The scaled loss of each move played."""
        return self.delta[np.arange(len(self)), self.played]

    @property
    def matched(self) -> NDArray[np.bool_]:
        """Whether the move played is the engine's first-listed one."""
        return np.asarray(self.played == 0)

    @property
    def scaled_error(self) -> float:
        """The scaled average error of the moves played."""
        return float(self.loss.mean()) if len(self) else float("nan")

    @property
    def match_rate(self) -> float:
        """The share of moves that are the engine's first-listed one."""
        return float(self.matched.mean()) if len(self) else float("nan")
