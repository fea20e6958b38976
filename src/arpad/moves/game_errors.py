"""The error of every move of evaluated games that counts, by player; and what was left out, and why."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.errors import InputError, UsageError
from arpad.moves.average_error import ErrorFilters, Filters, move_errors
from arpad.moves.evaluated import MATE
from arpad.moves.gain import CENTIPAWNS
from arpad.moves.measured import position_values
from arpad.schema import schema

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.model import Games
    from arpad.moves.average_error import MoveErrors
    from arpad.moves.evaluated import EvaluatedGames

__all__ = [
    "CAP",
    "ERRORS",
    "LEFT_OUT",
    "GameErrors",
    "check_cap",
    "left_out_words",
    "measure_errors",
    "nothing_counts",
]

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
"""What each filter takes, in words."""


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
    """Who evaluated the positions, and how."""
    left_out: dict[str, int]
    forfeits: int = 0
    """Games decided without play, whose move or two do not count."""
    is_part: bool = False
    """Whether these are some of the moves that count: `left_out` then speaks of all games."""

    def __len__(self) -> int:
        """Return how many moves count."""
        return self.table.height

    def column(self, name: str) -> NDArray[np.float64]:
        """Return a column as an array."""
        return self.table[name].to_numpy()

    def part(self, moves: pl.Series | pl.Expr) -> GameErrors:
        """Return the moves for which a mask is true."""
        return replace(self, table=self.table.filter(moves), is_part=True)

    def title(self, game: int) -> str:
        """Return who played whom, with the round where it is known."""
        names = self.games.players["name"]
        row = self.games.table.row(game, named=True)
        white, black = (names[row[s]] if row[s] is not None else "?" for s in ("white", "black"))
        return f"{white} – {black}" + (f", round {row['round']}" if row["round"] else "")

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
                "nobody says what the engine would have played: its own choices count with whatever the value changed "
                "by, so errors are a little too large"
            )
        return said


def measure_errors(
    evaluated: EvaluatedGames,
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
    cap
        Pawns at which values are cut off; a mate counts as much.

    Raises
    ------
    InputError
        If no move counts.

    Examples
    --------
    >>> from arpad.model import Games
    >>> from arpad.moves.evaluated import EvaluatedGames
    >>> rows = {"game": [0] * 3, "ply": [0, 1, 2], "san": [None, "f3", "e5"], "cp": [13, -60, -50]}
    >>> games = EvaluatedGames.build(Games.build([("A", "B", 0.0)]), rows)
    >>> measure_errors(games, filters=Filters(first_turn=1)).table["raw"].round(2).to_list()
    [0.73, 0.1]
    """
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
    found = _errors(evaluated, rows, filters, cap)
    table = _table(evaluated.games, rows, found)
    errors = GameErrors(
        games=evaluated.games,
        table=table,
        filters=filters,
        cap=cap,
        method="Single-PV",
        source=evaluated.source,
        left_out=found.left_out,
        forfeits=int((~fought).sum()),
    )
    if not len(errors):
        raise InputError(_nothing(errors, rows))
    return errors


def check_cap(cap: float, filters: Filters) -> None:
    """Raise unless values are cut off beyond the window: it would find nothing decided."""
    if not cap > filters.window:
        raise UsageError(
            f"expected a cap above the window of {filters.window:.2f} pawns, found {cap!r}"
        )


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
    return f"expected moves that count, found none of {moves:,} ({lost}): loosen the filters, or give more games"


def _boards(evaluated: EvaluatedGames) -> pl.DataFrame:
    from arpad.moves.positions import positions

    table = evaluated.table
    if (table["ply"] > 0).any() and not table["san"].count():
        raise InputError(
            "expected the moves (`san`) beside the values, to find repeated and forced positions, found none: "
            "count them, too (repeated=False, forced=True)"
        )
    return positions(evaluated)


def _errors(
    evaluated: EvaluatedGames, rows: pl.DataFrame, filters: Filters, cap: float
) -> MoveErrors:
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
        legal=_legal(rows["epd"]) if boards and not filters.forced else None,
    )


def _legal(epds: pl.Series) -> NDArray[np.int64]:
    """Return the number of legal moves in each position."""
    from arpad.moves.position import board_of

    different = epds.unique()
    counts = [board_of(e).legal_moves.count() for e in different]
    table = pl.DataFrame({"epd": different, "legal": pl.Series(counts, dtype=pl.Int64)})
    return (
        epds.to_frame("epd").join(table, on="epd", how="left", maintain_order="left")["legal"]
    ).to_numpy()


def _table(games: Games, rows: pl.DataFrame, found: MoveErrors) -> pl.DataFrame:
    here = rows[found.row]
    game, white = here["game"].to_numpy(), (here["turn"] == "w").to_numpy()
    sides = [games.table[s].fill_null(-1).to_numpy()[game] for s in ("white", "black")]
    matched = pl.select(pl.when(here["best"].is_not_null()).then(pl.Series(found.matched)))
    table = pl.DataFrame(
        {
            "game": game,
            "ply": here["ply"],
            "turn": found.turn,
            "white": white,
            "player": np.where(white, *sides),
            "raw": found.raw,
            "scaled": found.scaled,
            "matched": matched.to_series(),
            "advantage": found.advantage,
        }
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
