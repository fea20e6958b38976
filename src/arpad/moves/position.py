"""Positions as engines and stores know them: four fields of a FEN, written in one way only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arpad.errors import InputError

if TYPE_CHECKING:
    import chess

KINGS_AND_QUEENS = frozenset("KQkq-")
"""How ordinary chess writes castling rights."""

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
    return not set(epd.split(None, 3)[2]) <= KINGS_AND_QUEENS


def white_to_move(epd: str) -> bool:
    """Say whether White is to move."""
    return epd.split(None, 2)[1] == "w"


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
        board = _placed(fields[0], chess960=not set(fields[2]) <= KINGS_AND_QUEENS)
        if board is None:  # python-chess knows what is wrong
            board = chess.Board(" ".join(fields[:4]) + " 0 1")
        board.set_castling_fen(fields[2])
        board.turn = {"w": chess.WHITE, "b": chess.BLACK}[fields[1]]
        board.ep_square = None if fields[3] == "-" else chess.parse_square(fields[3])
    except (ValueError, KeyError) as error:
        raise InputError(f"expected a position, found {epd!r}: {error}") from None
    if any((board.kings & side).bit_count() != 1 for side in board.occupied_co):
        raise InputError(f"expected a position with one king a side, found {epd!r}")
    if board.was_into_check():
        raise InputError(f"the side that is not to move stands in check: {epd!r}")
    if board.pawns & chess.BB_BACKRANKS:
        raise InputError(f"a pawn stands on the first or the last rank: {epd!r}")
    return board


def _placed(placement: str, *, chess960: bool) -> chess.Board | None:
    """Return a board with pieces on it, three times as fast as python-chess; None: it is not well formed.

    A position is made into a board for every question: this is most of what we do beside the engine.
    """
    import chess

    masks = dict.fromkeys("PNBRQKpnbrqk", 0)
    square = 64
    ranks = placement.split("/")
    for rank in ranks:
        square -= 8
        at = 1 << square
        after_number = False
        for letter in rank:
            if letter in masks:
                masks[letter] |= at
                at <<= 1
                after_number = False
            elif letter in "12345678" and not after_number:
                at <<= int(letter)
                after_number = True
            else:
                return None
        if at != 1 << square + 8:
            return None
    if len(ranks) != 8:
        return None
    board = chess.Board(None, chess960=chess960)
    board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings = (
        masks[white] | masks[white.lower()] for white in "PNBRQK"
    )
    sides = [sum(masks[p] for p in letters) for letters in ("pnbrqk", "PNBRQK")]
    board.occupied_co = sides
    board.occupied = sides[0] | sides[1]
    return board


def tidy_epd(text: str) -> str:
    """Return the EPD by which a position is known, from any FEN of it.

    Examples
    --------
    >>> tidy_epd("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1")
    'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -'
    """
    return epd_of(board_of(text))
