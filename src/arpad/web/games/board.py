"""A board as a picture: python-chess draws it, without anything that a strict policy would refuse."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import chess
import chess.svg

if TYPE_CHECKING:
    import polars as pl

__all__ = ["drawn"]

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
ARROW = "#15781B80"
"""The engine's choice: python-chess's green."""

COLOURS = {
    "square light": "#f0d9b5",
    "square dark": "#b58863",
    "square light lastmove": "#cdd16a",
    "square dark lastmove": "#aaa23b",
    "margin": "#3a3a3a",
    "coord": "#f0f0f0",
}

ET.register_namespace("", SVG)
ET.register_namespace("xlink", XLINK)


def drawn(positions: pl.DataFrame, ply: int, *, best: str | None, white_below: bool) -> str:
    """Return the position after so many half-moves, as SVG: the last move marked, the engine's choice as an arrow.

    Parameters
    ----------
    positions
        Of one game, as `moves.positions` has them.
    best
        The engine's choice in the position, UCI.
    """
    epd = str(positions["epd"][ply])
    picture = chess.svg.board(
        chess.BaseBoard(epd.split(" ", 1)[0]),
        orientation=chess.WHITE if white_below else chess.BLACK,
        lastmove=_move(positions["uci"][ply - 1]) if ply else None,
        check=_check(epd),
        arrows=[
            chess.svg.Arrow(m.from_square, m.to_square, color=ARROW)
            for m in [_move(best)]
            if m is not None
        ],
        colors=COLOURS,
    )
    return _plain(picture)


def _move(uci: str | None) -> chess.Move | None:
    move = chess.Move.from_uci(uci) if uci else None
    return move or None  # a null move goes nowhere


def _check(epd: str) -> int | None:
    """Return where the king stands that is in check."""
    board = chess.Board(f"{epd} 0 1", chess960=True)
    return board.king(board.turn) if board.is_check() else None


def _plain(picture: str) -> str:
    """Return the same picture with attributes in the place of styles."""
    root = ET.fromstring(picture)
    for element in root.iter():
        for rule in (element.attrib.pop("style", None) or "").split(";"):
            name, colon, value = rule.partition(":")
            if colon:
                element.set(name.strip(), value.strip())
    for described in root.findall(f"{{{SVG}}}desc"):
        root.remove(described)
    return ET.tostring(root, encoding="unicode")
