"""Average error: by how much the moves played fall short of the engine's, raw and scaled.

After Regan, Macieja and Haworth (2012), section 4. Values are pawns from White's side, one a position;
everything here works on plain arrays, position by position.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from arpad.errors import UsageError
from arpad.moves.intrinsic.scaled import scaled_loss

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["ErrorFilters", "Filters", "MoveErrors", "kept_positions", "move_errors"]

Judged = Literal["previous", "here"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Which moves count; the defaults are the paper's.

    Parameters
    ----------
    first_turn
        Moves before this one are opening lore. 9: the paper skips turns 1 to 8.
    window
        Pawns of advantage beyond which a game counts as decided.
    judged
        Where the window looks: at the position before (the paper's "already at the previous move"), or
        at the position itself, for positions that were analysed without their games.
    repeated
        Whether a position that stood on the board before is left out.
    forced
        Whether the only legal move counts.
    """

    first_turn: int = 9
    window: float = 3.00
    judged: Judged = "previous"
    repeated: bool = True
    forced: bool = True

    def __post_init__(self) -> None:
        """Check the numbers."""
        if self.first_turn < 1:
            raise UsageError(f"expected a first turn of 1 or more, found {self.first_turn}")
        if not self.window > 0:
            raise UsageError(f"expected a window above 0 pawns, found {self.window!r}")
        if self.judged not in ("previous", "here"):
            raise UsageError(f"expected judged: previous or here, found {self.judged!r}")

    def parameters(self) -> dict[str, object]:
        """Return the filters by name."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorFilters(Filters):
    """Which moves count for average error: two filters more, which no calibration has.

    Parameters
    ----------
    last_turn
        The last move that counts; None: to the end. The paper's figure 5 takes moves 17 to 32.
    first_of_repeated
        Whether the first time counts that a repeated position stands on the board; False: every turn "involved in
        repetitions" is left out, the first, too.
    """

    last_turn: int | None = None
    first_of_repeated: bool = True

    def __post_init__(self) -> None:
        """Check the numbers."""
        super(ErrorFilters, self).__post_init__()
        if self.last_turn is not None and self.last_turn < self.first_turn:
            raise UsageError(
                f"expected a last turn from the first one, {self.first_turn}, on; found {self.last_turn}"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveErrors:
    """The moves that count: `row` is the position in which each was played.

    `raw` is in pawns, `scaled` is the integral of 1/(1+|z|) over the same stretch; `advantage` is what
    the mover had, in pawns; `turn` is the number of the move on a score sheet.
    """

    row: NDArray[np.int64]
    raw: NDArray[np.float64]
    scaled: NDArray[np.float64]
    matched: NDArray[np.bool_]
    advantage: NDArray[np.float64]
    turn: NDArray[np.int64]
    left_out: dict[str, int]
    """How many moves each filter took, and how many had no value."""

    def __len__(self) -> int:
        """Return how many moves count."""
        return len(self.row)


def kept_positions(
    game: ArrayLike,
    ply: ArrayLike,
    value: ArrayLike,
    *,
    filters: Filters,
    position: ArrayLike | None = None,
    legal: ArrayLike | None = None,
    moved: ArrayLike | None = None,
) -> tuple[NDArray[np.bool_], dict[str, int]]:
    """Say of each position whether the move out of it counts, and how many each filter took.

    Only positions in which a move was `moved` are counted as taken; None: all of them.
    """
    game, ply = np.asarray(game), np.asarray(ply)
    value = np.asarray(value, dtype=np.float64)
    follows = np.zeros(len(game), dtype=np.bool_)
    follows[1:] = (game[1:] == game[:-1]) & (ply[1:] == ply[:-1] + 1)
    before = np.full(len(game), np.nan)
    before[1:] = np.where(follows[1:], value[:-1], np.nan)
    looked = before if filters.judged == "previous" else value
    more = filters if isinstance(filters, ErrorFilters) else ErrorFilters()
    kept = np.ones(len(game), dtype=np.bool_)
    counted = kept.copy() if moved is None else np.asarray(moved, dtype=np.bool_)
    taken: dict[str, int] = {}

    def take(name: str, out: NDArray[np.bool_]) -> None:
        taken[name] = int((kept & counted & out).sum())
        kept[out] = False

    take("opening", ply // 2 + 1 < filters.first_turn)
    if more.last_turn is not None:
        take("late", ply // 2 + 1 > more.last_turn)
    take("decided", np.abs(looked) > filters.window)
    if filters.repeated and position is not None:
        take("repeated", _repeated(game, np.asarray(position), first=not more.first_of_repeated))
    if not filters.forced and legal is not None:
        take("forced", np.asarray(legal) == 1)
    return kept, taken


def move_errors(
    game: ArrayLike,
    ply: ArrayLike,
    value: ArrayLike,
    white: ArrayLike,
    best: ArrayLike,
    *,
    filters: Filters | None = None,
    position: ArrayLike | None = None,
    legal: ArrayLike | None = None,
    played: ArrayLike | None = None,
) -> MoveErrors:
    """Return the error of every move that counts: 0 if it is the engine's choice, else before minus after.

    Parameters
    ----------
    game, ply, value
        Position by position, in order of game and ply; ply 0 is the starting position. Values are pawns
        from White's side, NaN where unknown.
    white
        Whether White is to move.
    best
        Whether the move played in the position is the engine's choice.
    position
        What tells positions apart, to find repeated ones.
    legal
        How many legal moves there are, to find forced ones.
    played
        The value of the move played among the lines of the same search (Multi-PV), from White's side. None:
        the value of the position that it led to (Single-PV).

    Examples
    --------
    >>> found = move_errors([0] * 3, [16, 17, 18], [0.3, 0.1, 0.4], [True, False, True], [False] * 3)
    >>> found.raw.round(2).tolist(), found.turn.tolist()
    ([0.2, 0.3], [9, 9])
    """
    filters = filters or Filters()
    game, ply = np.asarray(game), np.asarray(ply)
    value, white = np.asarray(value, dtype=np.float64), np.asarray(white, dtype=np.bool_)
    best = np.asarray(best, dtype=np.bool_)
    line = None if played is None else np.asarray(played, dtype=np.float64)
    if len({len(x) for x in (game, ply, value, white, best, value if line is None else line)}) > 1:
        raise UsageError("expected as many games, plies, values, movers and choices")
    after, moved = _after(game, ply, value)
    if line is not None:
        after, moved = line, moved | np.isfinite(line)
    kept, taken = kept_positions(
        game, ply, value, filters=filters, position=position, legal=legal, moved=moved
    )
    known = np.isfinite(value) & (np.isfinite(after) | best)
    taken["unknown"] = int((kept & moved & ~known).sum())
    row = np.flatnonzero(kept & moved & known)
    sign = np.where(white[row], 1.0, -1.0)
    here = sign * value[row]
    there = np.where(best[row], here, sign * after[row])
    return MoveErrors(
        row=row,
        raw=np.maximum(here - there, 0.0),
        scaled=scaled_loss(here, there),
        matched=best[row],
        advantage=here,
        turn=ply[row] // 2 + 1,
        left_out=taken,
    )


def _after(
    game: NDArray[np.int64], ply: NDArray[np.int64], value: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the value of the position after each, and whether there is one in the same game."""
    moved = np.zeros(len(game), dtype=np.bool_)
    moved[:-1] = (game[1:] == game[:-1]) & (ply[1:] == ply[:-1] + 1)
    after = np.full(len(game), np.nan)
    after[:-1] = value[1:]
    return after, moved


def _repeated(
    game: NDArray[np.int64], position: NDArray[np.generic], *, first: bool
) -> NDArray[np.bool_]:
    """Say of each position whether the same stood on the board earlier in its game, or, with `first`, at any other time."""
    _, code = np.unique(position, return_inverse=True)
    both = np.stack([game.astype(np.int64), code.astype(np.int64)], axis=1)
    _, start, again, times = np.unique(
        both, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    if first:
        return np.asarray(times[again.reshape(-1)] > 1)
    seen = np.ones(len(game), dtype=np.bool_)
    seen[start] = False
    return seen
