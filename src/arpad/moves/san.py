"""Moves as people write them, found on a board."""

from __future__ import annotations

import re
from functools import lru_cache

import chess

__all__ = ["find_move"]

_SIGNS = re.compile(r"(?:[+#!?]|e\.p\.|ep)+$")
_NULL = frozenset({"--", "Z0", "@@@@"})
CACHED = 1 << 16
"""Words kept: the moves that occur in some millions of games are about a tenth of this."""


def find_move(board: chess.Board, san: str) -> chess.Move:
    """Return the legal move that a word means.

    Besides SAN: other signs behind it (``++``, ``!?``, ``e.p.``), ``0-0``, ``Pe4``, ``ed:c6``, ``e8(Q)``, long notation,
    and a null move, if the side to move is not in check.

    Raises
    ------
    chess.InvalidMoveError, chess.IllegalMoveError, chess.AmbiguousMoveError
        The word is no move, no legal one, or more than one.

    Examples
    --------
    >>> find_move(chess.Board(), "Pe4!?").uci()
    'e2e4'
    """
    plain = _plain(san)
    if plain in _NULL:
        if board.is_check():
            raise chess.IllegalMoveError(f"null move in check: {plain!r} in {board.fen()}")
        return chess.Move.null()
    return board.parse_san(plain)


@lru_cache(CACHED)
def _plain(san: str) -> str:
    """Return a move without signs, in the way that python-chess reads it."""
    plain = _SIGNS.sub("", san).replace(":", "x").replace("(", "").replace(")", "")
    return plain[1:] if plain.startswith("P") and "@" not in plain else plain
