"""From which position a game starts: the usual one, one that was set up, or one of Chess960."""

from __future__ import annotations

import re

import chess

from arpad.errors import InputError

__all__ = ["starting_board"]

_960 = re.compile(r"960|fischer", re.IGNORECASE)
_CHESS = re.compile(
    r"|standard|normal|chess|regular|classical|orthodox|from ?position|set ?-?up|\?|-",
    re.IGNORECASE,
)
_IMPOSSIBLE = {
    chess.STATUS_EMPTY: "no piece is on the board",
    chess.STATUS_NO_WHITE_KING: "White has no king",
    chess.STATUS_NO_BLACK_KING: "Black has no king",
    chess.STATUS_TOO_MANY_KINGS: "a side has two kings",
    chess.STATUS_PAWNS_ON_BACKRANK: "a pawn stands on the first or the last rank",
    chess.STATUS_OPPOSITE_CHECK: "the side that is not to move stands in check",
}


def starting_board(fen: str | None = None, variant: str | None = None) -> chess.Board:
    """Return the board on which a game starts.

    Parameters
    ----------
    fen
        The tag of that name: X-FEN or Shredder-FEN, all six fields or the first of them.
    variant
        The tag of that name. Where it says nothing, castling rights that only Chess960 has say it.

    Examples
    --------
    >>> starting_board("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9").chess960
    True
    >>> starting_board("8/8/8/8/8/8/8/K7 w - - 0 1")
    Traceback (most recent call last):
    arpad.errors.InputError: FEN '8/8/8/8/8/8/8/K7 w - - 0 1': Black has no king
    """
    chess960 = bool(_960.search(variant or ""))
    if not chess960 and not _CHESS.fullmatch((variant or "").strip()):
        raise InputError(f"expected chess or Chess960, found the variant {variant!r}")
    if not fen or fen.strip() in ("?", "-"):
        return chess.Board(chess960=chess960)
    try:
        board = chess.Board(fen.strip(), chess960=chess960)
        if not chess960 and board.status() & chess.STATUS_BAD_CASTLING_RIGHTS:
            other = chess.Board(fen.strip(), chess960=True)
            board = board if other.status() & chess.STATUS_BAD_CASTLING_RIGHTS else other
    except ValueError as error:
        raise InputError(f"expected a position, found FEN {fen!r}: {error}") from None
    status = board.status()
    for sign, why in _IMPOSSIBLE.items():
        if status & sign:
            raise InputError(f"FEN {fen!r}: {why}")
    return board
