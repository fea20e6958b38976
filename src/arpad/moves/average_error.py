"""Average error: by how much the moves played fall short of the engine's."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from arpad.errors import InputError, UsageError
from arpad.model import schema
from arpad.moves.evaluated_games import MATE, evaluated_from
from arpad.moves.gain import CENTIPAWNS, movers, position_values, scaled_loss
from arpad.read.pgn.games import turn_numbers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from arpad.model import Games
    from arpad.moves.evaluated_games import EvaluatedGames, GamesWithValues
    from arpad.moves.ipr.decisions import Decisions


# Average error: by how much the moves played fall short of the engine's, raw and scaled.
#
# After Regan, Macieja and Haworth (2012), section 4. Values are pawns from White's side, one a position;
# everything here works on plain arrays, position by position.

Judged = Literal["previous", "here"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Filters of moves; the defaults are the paper's.

    Parameters
    ----------
    first_turn
        Moves before this one are opening lore. 9: the paper skips turns 1 to 8.
    window
        Pawns of advantage beyond which a game counts as decided.
    judged
        Where the window looks: at the position before (the paper's "already at the previous move"), or
        at the position itself, for positions that were analysed without their games.
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
    """Filters of moves for average error, with two that calibrations lack.

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
    """Number of moves that each filter removed, and of moves without a value."""

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
    number: ArrayLike | None = None,
) -> tuple[NDArray[np.bool_], dict[str, int]]:
    """Say of each position whether the move out of it counts, and how many each filter took.

    Only positions in which a move was `moved` are counted as taken; None: all of them. `number` is that of the
    move to be made; None: counted from `ply`.
    """
    game, ply = np.asarray(game), np.asarray(ply)
    turn = ply // 2 + 1 if number is None else np.asarray(number)
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

    take("opening", turn < filters.first_turn)
    if more.last_turn is not None:
        take("late", turn > more.last_turn)
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
    number: ArrayLike | None = None,
) -> MoveErrors:
    """Return the error of every move that counts: 0 if it is the engine's choice, else before minus after.

    Parameters
    ----------
    game, ply, value
        Position by position, in order of game and ply; ply 0 is the starting position. Values are pawns
        from White's side, NaN where unknown.
    best
        Whether the move played in the position is the engine's choice.
    position
        What tells positions apart, to find repeated ones.
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
        game, ply, value, filters=filters, position=position, legal=legal, moved=moved, number=number
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
        turn=ply[row] // 2 + 1 if number is None else np.asarray(number)[row],
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


def _repeated(game: NDArray[np.int64], position: NDArray[np.generic], *, first: bool) -> NDArray[np.bool_]:
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


# The error of every move of evaluated games that counts, by player; and what was left out, and why.

CAP = MATE / CENTIPAWNS
"""Pawns at which values are cut off; a mate counts as much."""
ERRORS = schema(
    {
        "game": pl.Int32,  # row of `games.table`
        "ply": pl.Int32,  # of the position in which the move was made
        "turn": pl.Int32,  # number of the move on a score sheet
        "white": pl.Boolean,  # whether White made it
        "player": pl.Int32,  # row of `games.players`
        "raw": pl.Float64,  # pawns
        "scaled": pl.Float64,
        "matched": pl.Boolean,  # whether it is the engine's choice; null: nobody says what that is
        "advantage": pl.Float64,  # what the mover had before, in pawns
    }
)
LEFT_OUT = {
    "opening": "before move {first_turn}",
    "late": "after move {last_turn}",
    "decided": "beyond ±{window:.2f} already",
    "repeated": "in repeated positions",
    "forced": "forced",
    "unknown": "without an evaluation",
    "failed": "in positions that have no lines",
    "not_searched": "outside the lines and not searched alone",
}
"""Name of each filter in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameErrors:
    """Moves with their errors, in order of game and ply: the columns of `ERRORS`."""

    games: Games
    table: pl.DataFrame
    filters: Filters
    cap: float
    method: str
    """Single-PV or Multi-PV."""
    source: str
    """Engine and settings behind the evaluations."""
    left_out: dict[str, int]
    forfeits: int = 0
    """Games decided without play, whose move or two do not count."""
    is_part: bool = False
    """Whether these are only some of the moves that count; `left_out` then refers to all games."""

    def __len__(self) -> int:
        """Return how many moves count."""
        return self.table.height

    def column(self, name: str) -> NDArray[np.float64]:
        """Return a column as an array."""
        return self.table[name].to_numpy()

    def part(self, moves: pl.Series | pl.Expr) -> GameErrors:
        """Return the moves for which a mask is true."""
        return replace(self, table=self.table.filter(moves), is_part=True)

    def parameters(self) -> dict[str, object]:
        """Return how errors were taken, by name."""
        return {
            "evaluations": self.source,
            "method": self.method,
            "cap": self.cap,
            **self.filters.parameters(),
        }

    def notes(self) -> list[str]:
        """Say in words what was left out, and what the figures rest on."""
        said = []
        if self.forfeits:
            many = "games" if self.forfeits > 1 else "game"
            said.append(f"{self.forfeits} {many} decided without play left out")
        if lost := left_out_words(self.left_out, self.filters):
            said.append(f"left out{', of all games that were read' * self.is_part}: {lost}")
        if self.method == "Single-PV" and self.table["matched"].null_count() == self.table.height:
            said.append(
                "the engine's own choices are unknown: where a player made them, the change of the value counts as "
                "an error, so errors are a little too large"
            )
        return said


def measure_errors(
    evaluated: GamesWithValues,
    *,
    filters: Filters | None = None,
    positions: pl.DataFrame | None = None,
    cap: float = CAP,
) -> GameErrors:
    """Return the error of every move that counts, Single-PV: the value before it minus the value after it.

    A game that was decided without play does not count.

    Parameters
    ----------
    positions
        What `positions.positions` returned for these games. None: made here, if a filter or the engine's choices
        need boards.

    Examples
    --------
    >>> from arpad.model import Games
    >>> from arpad.moves.evaluated_games import EvaluatedGames
    >>> rows = {"game": [0] * 3, "ply": [0, 1, 2], "san": [None, "f3", "e5"], "cp": [13, -60, -50]}
    >>> games = EvaluatedGames.build(Games.build([("A", "B", 0.0)]), rows)
    >>> measure_errors(games, filters=Filters(first_turn=1)).table["raw"].round(2).to_list()
    [0.73, 0.1]
    """
    evaluated = evaluated_from(evaluated)
    filters = filters or ErrorFilters()
    check_cap(cap, filters)
    fought = (evaluated.games.table["status"] != "forfeit").to_numpy()
    rows = evaluated.table.filter(fought[evaluated.table["game"].to_numpy()])
    chosen = rows["best"].count() > 0
    if positions is None and (filters.repeated or not filters.forced or chosen):
        positions = _boards(replace(evaluated, table=rows))
    if positions is not None:
        own = positions.select("game", "ply", "epd", "uci")
        rows = rows.join(own, on=["game", "ply"], how="inner", maintain_order="left")
    result = _errors(evaluated, rows, filters, cap)
    table = _table(evaluated.games, rows, result)
    errors = GameErrors(
        games=evaluated.games,
        table=table,
        filters=filters,
        cap=cap,
        method="Single-PV",
        source=evaluated.source,
        left_out=result.left_out,
        forfeits=int((~fought).sum()),
    )
    if not len(errors):
        raise InputError(_nothing(errors, rows))
    return errors


def check_cap(cap: float, filters: Filters) -> None:
    """Raise unless values are cut off beyond the window: it would find nothing decided."""
    if not cap > filters.window:
        raise UsageError(f"expected a cap above the window of {filters.window:.2f} pawns, found {cap!r}")


def left_out_words(left_out: dict[str, int], filters: Filters) -> str:
    """Return what each filter took, in words.

    Examples
    --------
    >>> left_out_words({"opening": 160, "decided": 12, "unknown": 0}, Filters())
    '160 moves before move 9, 12 beyond ±3.00 already'
    """
    taken = [(n, LEFT_OUT[k].format(**filters.parameters())) for k, n in left_out.items() if n]
    parts = [f"{n:,} {words}" for n, words in taken]
    if taken:
        first, words = taken[0]
        parts[0] = f"{first:,} move{'' if first == 1 else 's'} {words}"
    return ", ".join(parts)


def nothing_counts(errors: GameErrors, moves: int) -> str:
    """Say that every move was left out, and why."""
    lost = left_out_words(errors.left_out, errors.filters)
    return (
        f"expected moves that count, found none of {moves:,} ({lost}): loosen the filters, or give more games"
    )


def _boards(evaluated: EvaluatedGames) -> pl.DataFrame:
    from arpad.moves.positions import positions

    table = evaluated.table
    if (table["ply"] > 0).any() and not table["san"].count():
        raise InputError(
            "expected the moves (`san`) beside the values, to find repeated and forced positions, found none: "
            "count them, too (repeated=False, forced=True)"
        )
    return positions(evaluated)


def _errors(evaluated: EvaluatedGames, rows: pl.DataFrame, filters: Filters, cap: float) -> MoveErrors:
    from arpad.moves.positions import legal_moves

    here = replace(evaluated, table=rows.select(evaluated.table.columns))
    boards = "epd" in rows.columns
    best = rows["best"] == rows["uci"] if boards else pl.repeat(False, rows.height, eager=True)
    return move_errors(
        rows["game"].to_numpy(),
        rows["ply"].to_numpy(),
        position_values(here, round(cap * CENTIPAWNS)) / CENTIPAWNS,
        (rows["turn"] == "w").to_numpy(),
        best.fill_null(False).to_numpy(),
        filters=filters,
        position=rows["epd"].rank("dense").to_numpy() if boards else None,
        legal=legal_moves(rows["epd"]).to_numpy() if boards and not filters.forced else None,
        number=turn_numbers(evaluated.starts["fen"], *rows.select("game", "ply").to_numpy().T),
    )


def _table(games: Games, rows: pl.DataFrame, found: MoveErrors) -> pl.DataFrame:
    here = rows[found.row]
    white = (here["turn"] == "w").to_numpy()
    table = here.with_columns(
        turn=found.turn,
        white=white,
        player=movers(games, here["game"].to_numpy(), white),
        raw=found.raw,
        scaled=found.scaled,
        matched=pl.when(pl.col("best").is_not_null()).then(pl.Series(found.matched, dtype=pl.Boolean)),
        advantage=found.advantage,
    )
    return table.select(pl.col(name).cast(kind) for name, kind in ERRORS.items())


def _nothing(errors: GameErrors, rows: pl.DataFrame) -> str:
    moves = int((rows["ply"] > 0).sum())
    if not moves:
        return f"expected games with moves, found none among {len(errors.games)}"
    known = rows.select(pl.any_horizontal(pl.col("cp", "mate").is_not_null()).sum()).item()
    if not known:
        return (
            f"expected evaluations such as {{ [%eval 0.13] }} behind the moves, found none behind {moves:,}: let an engine "
            "analyse the games"
        )
    return nothing_counts(errors, moves)


# Average error from an engine's lines (Multi-PV): what the best line is worth minus what the move played is worth.


def decision_errors(decisions: Decisions, games: Games, *, source: str, cap: float = CAP) -> GameErrors:
    """Return the error of every decision; both values come from one search, a move outside the lines from its own."""
    check_cap(cap, decisions.filters)
    worth = decisions.column("value").astype(np.float64)
    best = np.clip(worth, -cap, cap)
    chosen = np.clip(worth - decisions.column("lost"), -cap, cap)
    table = decisions.rows.select("game", "ply", "turn", "white", "player").with_columns(
        raw=np.maximum(best - chosen, 0.0),
        scaled=scaled_loss(best, chosen),
        matched=pl.Series(decisions.choices.matched, dtype=pl.Boolean),
        advantage=best,
    )
    errors = GameErrors(
        games=games,
        table=table.select(pl.col(name).cast(kind) for name, kind in ERRORS.items()),
        filters=decisions.filters,
        cap=cap,
        method="Multi-PV",
        source=source,
        left_out=dict(decisions.left_out),
        forfeits=int((games.table["status"] == "forfeit").sum()),
    )
    if not len(errors):
        raise InputError(nothing_counts(errors, sum(decisions.left_out.values())))
    return errors
