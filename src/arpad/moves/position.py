"""Positions as engines and stores know them: four fields of a FEN, written in one way only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arpad.errors import InputError

if TYPE_CHECKING:
    import chess

__all__ = ["board_of", "epd_of", "is_chess960", "tidy_epd", "white_to_move"]


def epd_of(board: chess.Board) -> str:
    """Return the position as its EPD: en-passant square only where such a capture is legal.

    Chess960 writes the files of the rooks (HAha), ordinary chess KQkq: the text says which it is.
    Without castling rights the two are one position.
    """
    return board.epd(shredder=board.chess960, en_passant="legal")


def is_chess960(epd: str) -> bool:
    """Say whether castling in a position is Chess960's.

    Examples
    --------
    >>> is_chess960("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha -")
    True
    """
    return not set(epd.split(" ", 3)[2]) <= set("KQkq-")


def white_to_move(epd: str) -> bool:
    """Say whether White is to move."""
    return epd.split(" ", 2)[1] == "w"


def board_of(epd: str) -> chess.Board:
    """Return the board of an EPD or FEN; a position that cannot be is an error.

    Examples
    --------
    >>> board_of("8/8/8/8/8/8/8/K7 w - -")
    Traceback (most recent call last):
    arpad.errors.InputError: expected a position with one king a side, found '8/8/8/8/8/8/8/K7 w - -'
    """
    import chess

    fields = epd.split()
    if len(fields) < 4:
        raise InputError(f"expected a position (pieces, side, castling, en passant), found {epd!r}")
    try:
        board = chess.Board(" ".join(fields[:4]) + " 0 1", chess960=is_chess960(epd))
    except ValueError as error:
        raise InputError(f"expected a position, found {epd!r}: {error}") from None
    if any((board.kings & side).bit_count() != 1 for side in board.occupied_co):
        raise InputError(f"expected a position with one king a side, found {epd!r}")
    if board.was_into_check():
        raise InputError(f"the side that is not to move stands in check: {epd!r}")
    if board.pawns & chess.BB_BACKRANKS:
        raise InputError(f"a pawn stands on the first or the last rank: {epd!r}")
    return board


def tidy_epd(text: str) -> str:
    """Return the EPD by which a position is known, from any FEN of it.

    Examples
    --------
    >>> tidy_epd("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1")
    'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -'
    """
    return epd_of(board_of(text))
