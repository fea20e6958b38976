"""The positions of games: every board once where games share a beginning."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

import chess
import numpy as np
import polars as pl

from arpad.errors import InputError
from arpad.moves.quick_epd import QuickEpd
from arpad.moves.san import find_move
from arpad.moves.starting import starting_board
from arpad.read.pgn_moves import TURN
from arpad.schema import schema

if TYPE_CHECKING:
    from arpad.moves.evaluated import EvaluatedGames
    from arpad.read.report import Action, Report

__all__ = ["POSITIONS", "positions"]

POSITIONS = schema(
    {
        "game": pl.Int32,  # row of `games.table`
        "ply": pl.Int32,  # 0: the starting position
        "epd": pl.String,  # four fields of the FEN; en passant only where such a capture is legal
        "uci": pl.String,  # the move played from here; null at the end; 0000: a null move
        "turn": TURN,
        "over": pl.String,  # mate, stalemate or insufficient (material); null: the game can go on
    }
)


def positions(games: EvaluatedGames, *, report: Report | None = None) -> pl.DataFrame:
    """Return every position of some games, with the columns of `POSITIONS`.

    Only mate and stalemate leave no legal move; with insufficient material the game is over, too, by
    rule [FIDE E.01 5.2.2]. Draws that depend on what came before (repetition, fifty moves) are not in
    a position. At a move that is not legal, or means two, a game ends: what is left of it is left
    out, and the report says so. A game from a position that cannot be, or of a variant with other
    rules, has no rows.

    Parameters
    ----------
    report
        Where that is said; None: the report of the games.

    Examples
    --------
    >>> from arpad.model import Games
    >>> from arpad.moves.evaluated import EvaluatedGames
    >>> rows = {"game": [0, 0], "ply": [0, 1], "san": [None, "e4"]}
    >>> table = positions(EvaluatedGames.build(Games.build([("A", "B", 1.0)]), rows))
    >>> table["uci"].to_list(), table["epd"][1]
    (['e2e4', None], 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -')
    """
    lines = games.table.group_by("game", maintain_order=True).agg(
        pl.col("san").slice(1).fill_null("?")  # a table may not say which move it was
    )
    moves: dict[int, list[str]] = dict(lines.iter_rows())
    tags = games.starts.select(pl.col("fen", "variant").fill_null("")).rows()
    walk = _Walk()
    # In this order a game has its longest common beginning with the one before it.
    for game in sorted(moves, key=lambda g: (tags[g], moves[g])):
        walk.play(game, tags[game], moves[game])
    report = games.report if report is None else report
    names = games.games.players["name"]
    for game, (action, why) in sorted(walk.faults.items()):
        file, line = games.starts.select("file", "line").row(game)
        white, black = (names[p] for p in games.games.table.select("white", "black").row(game))
        report.add(file or "games", line, action, f"{white} - {black}: {why}")
    return walk.table(list(moves))


class _Walk:
    """Plays games one after the other; goes back only as far as two of them have in common.

    Positions are numbered as they come up; a game is a list of such numbers.
    """

    def __init__(self) -> None:
        self.epds: list[str] = []
        self.ucis: list[str] = []  # the move that led to a position
        self.turns: list[bool] = []
        self.over: dict[int, str] = {}
        self.games: dict[int, list[int]] = {}
        self.faults: dict[int, tuple[Action, str]] = {}
        self._tags: tuple[str, str] | None = None
        self._quick: QuickEpd | None = None
        self._path: list[str] = []  # the moves on the board
        self._nodes: list[int] = []  # the positions from the first to the one on the board

    def play(self, game: int, tags: tuple[str, str], sans: list[str]) -> None:
        """Play a game from its starting position (FEN, variant) to its end, or as far as it goes."""
        try:
            quick = self._begin(tags)
        except InputError as error:
            self.games[game] = []
            self.faults[game] = "skipped", f"{error.reason}: the game is left out"
            return
        common = sum(1 for _ in takewhile(bool, map(str.__eq__, self._path, sans)))
        while len(self._path) > common:
            quick.pop()
            self._path.pop()
            self._nodes.pop()
        for ply in range(common, len(sans)):
            if not self._move(quick, sans[ply]):
                self._fault(game, quick.board, sans, ply)
                break
        if quick.board.is_checkmate():
            self.over[self._nodes[-1]] = "mate"
        elif quick.board.is_stalemate():
            self.over[self._nodes[-1]] = "stalemate"
        self.games[game] = self._nodes.copy()

    def _begin(self, tags: tuple[str, str]) -> QuickEpd:
        if self._quick is None or tags != self._tags:
            self._quick = None
            self._quick = QuickEpd(starting_board(*tags))
            self._tags, self._path, self._nodes = tags, [], []
            self._add(self._quick, "")
        return self._quick

    def _move(self, quick: QuickEpd, san: str) -> bool:
        try:
            move = find_move(quick.board, san)
        except ValueError:
            return False
        uci = quick.board.uci(move)
        quick.push(move)
        self._path.append(san)
        self._add(quick, uci)
        return True

    def _add(self, quick: QuickEpd, uci: str) -> None:
        board = quick.board
        self._nodes.append(len(self.epds))
        if not board.pawns | board.rooks | board.queens and board.is_insufficient_material():
            self.over[len(self.epds)] = "insufficient"
        self.epds.append(quick.epd())
        self.ucis.append(uci)
        self.turns.append(board.turn)

    def _fault(self, game: int, board: chess.Board, sans: list[str], ply: int) -> None:
        if ply == len(sans) - 1 and sans[ply] == "0-0":
            return  # not castling, but how some write that both have lost
        word = f"{board.fullmove_number}{'.' if board.turn else '...'} {sans[ply]}"
        why = "is no move in English notation"
        try:
            find_move(board, sans[ply])
        except chess.AmbiguousMoveError:
            why = "may be more than one move"
        except chess.IllegalMoveError:
            why = "is not legal"
        except ValueError:
            pass
        rest = len(sans) - ply
        plies = "half-move is" if rest == 1 else f"{rest} half-moves are"
        self.faults[game] = "repaired", f"{word} {why}: the last {plies} left out"

    def table(self, games: list[int]) -> pl.DataFrame:
        """Return the positions of games in the order given."""
        counts = [len(self.games[g]) for g in games]
        nodes = pl.Series([n for g in games for n in self.games[g]], dtype=pl.UInt32)
        moves = pl.Series(self.ucis, dtype=pl.String).gather(nodes).alias("uci")
        over = pl.Series(self.over.values(), dtype=pl.String)
        ended = pl.DataFrame({"node": pl.Series(self.over.keys(), dtype=pl.UInt32), "over": over})
        numbers = pl.Series(np.repeat(np.array(games, dtype=np.int32), counts))
        frame = pl.DataFrame(
            {
                "game": numbers,
                "node": nodes,
                "epd": pl.Series(self.epds, dtype=pl.String).gather(nodes),
                "uci": moves,
                "white": pl.Series(self.turns, dtype=pl.Boolean).gather(nodes),
            }
        ).join(ended, on="node", how="left", maintain_order="left")
        turn = pl.when("white").then(pl.lit("w")).otherwise(pl.lit("b"))
        return frame.select(
            "game",
            pl.int_range(pl.len(), dtype=pl.Int32).over("game").alias("ply"),
            "epd",
            pl.col("uci").shift(-1).over("game"),
            turn.cast(TURN).alias("turn"),
            "over",
        )
