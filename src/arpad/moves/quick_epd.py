"""The EPD of one position after another along a game: only what a move has changed is written anew."""

from __future__ import annotations

from functools import lru_cache

import chess

from arpad.moves.position import epd_of

__all__ = ["QuickEpd"]

_RIGHTS = ((chess.H1, "K"), (chess.A1, "Q"), (chess.H8, "k"), (chess.A8, "q"))
_LETTERS = ("pnbrqk", "PNBRQK")


class QuickEpd:
    """A board that knows its EPD, the same that `position.epd_of` writes, and can go back.

    Parameters
    ----------
    board
        The starting position; it is changed.

    Examples
    --------
    >>> quick = QuickEpd(chess.Board())
    >>> quick.push(chess.Move.from_uci("e2e4"))
    >>> quick.epd()
    'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -'
    """

    def __init__(self, board: chess.Board) -> None:
        board.castling_rights = board.clean_castling_rights()
        self.board = board
        self._ranks = [[_rank(board, number) for number in range(7, -1, -1)]]

    def push(self, move: chess.Move) -> None:
        """Make a move."""
        self.board.push(move)
        ranks = self._ranks[-1]
        if move:
            ranks = ranks.copy()
            # A move changes its two ranks; the pawn taken en passant stands on the first of them.
            for number in {move.from_square >> 3, move.to_square >> 3}:
                ranks[7 - number] = _rank(self.board, number)
        self._ranks.append(ranks)

    def pop(self) -> None:
        """Take a move back."""
        self.board.pop()
        self._ranks.pop()

    def epd(self) -> str:
        """Return the position's EPD."""
        board = self.board
        if board.chess960:
            return epd_of(board)
        square = board.ep_square
        passing = square is not None and board.has_legal_en_passant()
        return " ".join(
            (
                "/".join(self._ranks[-1]),
                "w" if board.turn else "b",
                _castling(board.castling_rights),
                chess.SQUARE_NAMES[square] if passing and square is not None else "-",
            )
        )


def _rank(board: chess.Board, number: int) -> str:
    by = number << 3
    return _written(
        board.pawns >> by & 255,
        board.knights >> by & 255,
        board.bishops >> by & 255,
        board.rooks >> by & 255,
        board.queens >> by & 255,
        board.kings >> by & 255,
        board.occupied_co[chess.WHITE] >> by & 255,
    )


@lru_cache(1 << 17)
def _written(
    pawns: int, knights: int, bishops: int, rooks: int, queens: int, kings: int, white: int
) -> str:
    """Return one rank as FEN writes it, from the bits of its eight squares."""
    text, empty = "", 0
    for file in range(8):
        bit = 1 << file
        for kind, mask in enumerate((pawns, knights, bishops, rooks, queens, kings)):
            if mask & bit:
                text += (str(empty) if empty else "") + _LETTERS[bool(white & bit)][kind]
                empty = 0
                break
        else:
            empty += 1
    return text + (str(empty) if empty else "")


@lru_cache(64)
def _castling(rights: int) -> str:
    return "".join(letter for rook, letter in _RIGHTS if rights >> rook & 1) or "-"
