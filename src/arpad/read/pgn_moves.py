"""Moves, evaluations and clocks out of pieces of PGN, as columns: by the reference or by the kernel.

`look` is what `pgn.read_pgn_and` wants: it takes a piece in which the games were found already.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from arpad.read import pgn_scan
from arpad.read.movetext import Marks, doubts, mainline, marks
from arpad.read.pgn_columns import Scanned, decoded
from arpad.schema import schema

if TYPE_CHECKING:
    from arpad.read.report import Report

__all__ = ["MARKS", "PLIES", "STARTS", "TURN", "look"]

TURN = pl.Enum(["w", "b"])

MARKS = schema(
    {
        "cp": pl.Int32,  # centipawns, from White's side; null: not known, or a mate score
        "mate": pl.Int32,  # moves to mate; negative: Black mates; 0: mate is on the board
        "depth": pl.Int32,  # of the engine's search
        "clock": pl.Float64,  # seconds left to who has moved
        "spent": pl.Float64,  # seconds spent on the move
        "best": pl.String,  # the engine's choice in this position, UCI
        "over": pl.String,  # how the game has ended on the board: mate, stalemate, …
    }
)
PLIES = schema(
    {
        "line": pl.Int64,  # at which the game begins
        "ply": pl.Int32,  # 0: the starting position
        "turn": TURN,  # who is to move in this position
        "san": pl.String,  # the move that led here; null at ply 0
        **MARKS,
    }
)
STARTS = schema({"line": pl.Int64, "fen": pl.String, "variant": pl.String})

OPEN_VARIATION = "a variation ( is never closed: moves behind it are not read"
BEHIND_RESULT = "moves stand behind the result: they are not read"


def look(piece: Scanned, file: str, report: Report) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the plies (`PLIES`) and the starting positions (`STARTS`) of the games in a piece."""
    starts = _starts(piece)
    found: list[list[tuple[str | None, Marks]]] = []
    for line, text, end in zip(*(piece.columns[c] for c in ("line", "text", "end")), strict=True):
        moves = movetext(piece.data[text:end]) if text >= 0 else ""
        _note(report, file, line, *doubts(moves))
        found.append(_plies(moves))
    counts = [len(game) for game in found]
    rows = [row for game in found for row in game]
    columns = {
        "san": [san for san, _ in rows],
        **{name: [getattr(said, name) for _, said in rows] for name in MARKS},
    }
    plies = pl.DataFrame(columns, schema={"san": pl.String, **MARKS})
    return _numbered(plies, starts, pl.Series(counts, dtype=pl.UInt32)), starts


def movetext(data: bytes) -> str:
    """Return the moves of one game without lines that are escaped by ``%``."""
    return "\n".join(decoded(b"\n".join(game.lines)) for game in pgn_scan.scan(data))


def _plies(text: str) -> list[tuple[str | None, Marks]]:
    before, plies = mainline(text)
    return [(None, marks([before])), *((ply.san, ply.marks) for ply in plies)]


def _starts(piece: Scanned) -> pl.DataFrame:
    tags = {
        name.lower(): pl.Series(
            [decoded(value) or None for value in piece.tags[name]], dtype=pl.String
        )
        for name in ("FEN", "Variant")
    }
    return pl.DataFrame({"line": piece.columns["line"], **tags}, schema=STARTS)


def _numbered(plies: pl.DataFrame, starts: pl.DataFrame, counts: pl.Series) -> pl.DataFrame:
    """Give every ply its game's line, its number, and who is to move behind it."""
    black = starts["fen"].str.split(" ").list.get(1, null_on_oob=True).eq_missing("b")
    games = pl.DataFrame({"line": starts["line"], "black": black.cast(pl.Int32), "count": counts})
    of_game = games.with_columns(pl.col("count").cum_sum().alias("end")).select(
        pl.col("line", "black", "end", "count").repeat_by("count").explode()
    )
    ply = pl.int_range(pl.len(), dtype=pl.Int32) - (pl.col("end") - pl.col("count")).cast(pl.Int32)
    parity = (ply + pl.col("black")) % 2
    turn = pl.when(parity == 0).then(pl.lit("w")).otherwise(pl.lit("b")).cast(TURN)
    numbers = of_game.select("line", ply.alias("ply"), turn.alias("turn"))
    return pl.concat([numbers, plies], how="horizontal").select(PLIES.names())


def _note(report: Report, file: str, line: int, is_open: bool, behind: bool) -> None:
    if is_open:
        report.add(file, line, "noted", OPEN_VARIATION)
    if behind:
        report.add(file, line, "noted", BEHIND_RESULT)
