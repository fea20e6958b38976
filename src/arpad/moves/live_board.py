"""Tokens to a game that is being played: legal moves on a board, each with its evaluation."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from arpad.errors import InputError
from arpad.moves.evaluated import MATE
from arpad.moves.measured import move_number

if TYPE_CHECKING:
    from collections.abc import Iterable

    import chess

    from arpad.moves.move_stream import Token

__all__ = ["LiveBoard", "Played"]

Judge = Callable[[str], float | None]
"""Takes a position (EPD) to centipawns from White's side."""


@dataclass(slots=True)
class Played:
    """A move, or the starting position, with the evaluation of the position it led to, if known."""

    move: str
    value: float | None = None
    settled: bool = False
    """Whether nothing more can be said of it."""


@dataclass(slots=True)
class LiveBoard:
    """A game as far as it has come.

    Parameters
    ----------
    judge
        Evaluates positions; without one, evaluations must come with the moves.

    Examples
    --------
    >>> from arpad.moves.move_stream import tokens
    >>> board = LiveBoard()
    >>> board.take(tokens("{ [%eval 0.13] } 1. e4 0.30 e7e5 *"))
    >>> [(p.move, p.value, p.settled) for p in board.played], board.result
    ([('', 13.0, True), ('e4', 30.0, True), ('e5', None, True)], '*')
    """

    judge: Judge | None = None
    tags: dict[str, str] = field(default_factory=dict)
    played: list[Played] = field(default_factory=lambda: [Played("")])
    result: str | None = None
    _board: chess.Board | None = None

    @property
    def white_begins(self) -> bool:
        """Whether White made the first move."""
        fen = self.tags.get("FEN", "").split()
        return len(fen) < 2 or fen[1] != "b"

    def take(self, tokens: Iterable[Token]) -> None:
        """Go on with what was said; what comes behind the result is another game, and is left."""
        for token in tokens:
            if self.result is not None:
                return
            if token.kind == "tag":
                self._tag(token)
            elif token.kind == "value":
                self._value(token)
            elif token.kind == "move":
                self._move(token.text)
            else:
                self.result = token.text
                self.played[-1].settled = True

    def _tag(self, token: Token) -> None:
        if len(self.played) == 1:
            self.tags[token.name] = token.text

    def _value(self, token: Token) -> None:
        last = self.played[-1]
        if self.judge is None and last.value is None and token.value is not None:
            last.value = token.value
            last.settled = True

    def _move(self, text: str) -> None:
        board = self._started()
        ply = len(self.played)
        move = _legal(board, text)
        if move is None:
            where = move_number(ply, board.turn)
            side = "White" if board.turn else "Black"
            raise InputError(
                f"expected a legal move for {side} at {where}, found {text!r}: give SAN (Nf3) or UCI (g1f3)"
            )
        san = board.san(move)
        self.played[-1].settled = True
        board.push(move)
        self.played.append(Played(san))
        self._judged(board)

    def _started(self) -> chess.Board:
        """Return the board; the first time, set up as the tags say and evaluated."""
        if self._board is None:
            from arpad.moves.starting import starting_board

            self._board = starting_board(self.tags.get("FEN"), self.tags.get("Variant"))
            self._judged(self._board)
        return self._board

    def _judged(self, board: chess.Board) -> None:
        """Give the newest position its value: by the rules, or by the engine."""
        newest = self.played[-1]
        if board.is_checkmate():
            newest.value = float(-MATE if board.turn else MATE)
        elif board.is_stalemate() or board.is_insufficient_material():
            newest.value = 0.0
        elif self.judge is not None:
            from arpad.moves.position import epd_of

            newest.value = self.judge(epd_of(board))
        else:
            return
        newest.settled = True

    def values(self) -> tuple[float, ...]:
        """Return the evaluation of each position, cut off at ±39.00, NaN where unknown."""
        return tuple(
            math.nan if p.value is None else min(max(p.value, -MATE), MATE) for p in self.played
        )


def _legal(board: chess.Board, text: str) -> chess.Move | None:
    from arpad.moves.san import find_move

    try:
        return find_move(board, text)
    except ValueError:
        pass
    try:
        return board.parse_uci(text)
    except ValueError:
        return None
