"""Evaluations of positions by an engine, from White's side, and their columns in a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    import polars as pl


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineLine:
    """One line of an engine's answer: its first move and what it is worth.

    Parameters
    ----------
    move
        The first move, in the engine's notation (e2e4, e7e8q; castling e1g1, in Chess960 e1h1).
    cp
        Centipawns from White's side; None where a mate was seen.
    mate
        Moves to mate, positive when White mates, negative when Black does; None where none was seen.
    depth
        The depth that this evaluation belongs to.
    nodes
        Positions that the engine had visited when it gave this line.
    """

    move: str
    cp: int | None
    mate: int | None
    depth: int
    nodes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """A position and the engine's lines, best first for the side to move.

    Parameters
    ----------
    epd
        The position: the first four fields of its FEN.
    lines
        One for each of MultiPV, fewer where there are fewer legal moves.
    searchmoves
        The only moves that were looked at, with spaces between; empty: all of them.
    nodes
        Positions visited in the whole search, for speed; not kept.
    """

    epd: str
    lines: tuple[EngineLine, ...]
    searchmoves: str = ""
    nodes: int = 0


def evaluation_schema() -> pl.Schema:
    """Return the columns of a table of evaluations: one row a line."""
    import polars as pl

    return pl.Schema(
        {
            "epd": pl.String(),
            "searchmoves": pl.String(),  # empty: every move was looked at
            "line": pl.Int16(),  # 1 is the best for the side to move
            "move": pl.String(),
            "cp": pl.Int32(),  # from White's side; null where a mate was seen
            "mate": pl.Int16(),  # moves; positive: White mates
            "depth": pl.Int16(),
            "nodes": pl.Int64(),
        }
    )


def evaluation_frame(evaluations: Iterable[Evaluation]) -> pl.DataFrame:
    """Return evaluations as a table.

    Examples
    --------
    >>> line = EngineLine(move="e2e4", cp=31, mate=None, depth=13, nodes=50_000)
    >>> start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
    >>> evaluation_frame([Evaluation(epd=start, lines=(line,))]).row(0)[1:]
    ('', 1, 'e2e4', 31, None, 13, 50000)
    """
    import polars as pl

    rows = [
        (e.epd, e.searchmoves, number, x.move, x.cp, x.mate, x.depth, x.nodes)
        for e in evaluations
        for number, x in enumerate(e.lines, 1)
    ]
    return pl.DataFrame(rows, schema=evaluation_schema(), orient="row")
