"""The moves of games as they stand in a PGN file, piece by piece: memory stays flat."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from arpad.read.pgn import by_kernel, by_reference, is_large
from arpad.read.pgn_columns import decoded
from arpad.read.pgn_moves import movetext, tag
from arpad.read.pgn_pieces import pieces
from arpad.read.report import Report
from arpad.read.source import Source
from arpad.schema import schema

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arpad.read.pgn_columns import Scanned

__all__ = ["LONGEST_TEXT", "TEXTS", "movetexts"]

LONGEST_TEXT = 1 << 20
"""Bytes of one game's moves and comments; what is longer is no game, and not kept."""

ESCAPED = b"\n%"

TEXTS = schema(
    {
        "line": pl.Int64,  # at which the game begins
        "fen": pl.String,  # null: the usual starting position
        "variant": pl.String,  # as the tag says it
        "text": pl.String,  # moves, comments, variations, result; null: too long
    }
)


def movetexts(path: str, lines: pl.Series, *, kernel: bool | None = None) -> Iterator[pl.DataFrame]:
    """Give the texts of the games that begin at some lines, some megabytes at a time (`TEXTS`).

    Parameters
    ----------
    lines
        The line at which each game begins, as `pgn.read_pgn_and` returns them.
    kernel
        Use the compiled scanner; by default for large files only.
    """
    source = Source(path, Report())
    scan = by_kernel if (is_large(source) if kernel is None else kernel) else by_reference
    before = 0
    for data, end in pieces(source):
        piece = scan(data, end)
        found = pl.DataFrame(
            {
                "line": piece.columns["line"] + before,
                "fen": tag(piece.tags["FEN"]),
                "variant": tag(piece.tags["Variant"]),
            }
        ).with_row_index("at")
        found = found.filter(pl.col("line").is_in(lines.implode()))
        texts = pl.Series("text", [_text(piece, at) for at in found["at"]], dtype=pl.String)
        yield found.with_columns(texts).select(
            pl.col(name).cast(kind) for name, kind in TEXTS.items()
        )
        before += piece.lines


def _text(piece: Scanned, game: int) -> str | None:
    """Return what stands behind the tags, without escaped lines and what no database takes."""
    begin, end = piece.columns["text"][game], piece.columns["end"][game]
    if begin < 0:
        return ""
    if end - begin > LONGEST_TEXT:
        return None
    raw = piece.data[begin:end]
    text = movetext(piece, game) if ESCAPED in raw else decoded(raw)
    return text.replace("\r\n", "\n").replace("\0", "").strip()
