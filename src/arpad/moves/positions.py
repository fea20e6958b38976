"""Positions of games as engines and stores know them, and moves as people write them."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING

import chess
import numpy as np
import polars as pl

from arpad.errors import InputError
from arpad.model import schema
from arpad.read.pgn.games import TURN, turn_numbers

if TYPE_CHECKING:
    from arpad.moves.evaluated_games import EvaluatedGames
    from arpad.read.source import Action, Report


# Positions as engines and stores know them: four fields of a FEN, written in one way only.

KINGS_AND_QUEENS = frozenset("KQkq-")
"""Pattern of castling rights in ordinary chess."""


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


def legal_moves(epds: pl.Series) -> pl.Series:
    """Return how many legal moves each position has, as the column `legal`."""
    known = {epd: board_of(epd).legal_moves.count() for epd in epds.unique()}
    return pl.Series("legal", [known[epd] for epd in epds], dtype=pl.Int32)


def tidy_epd(text: str) -> str:
    """Return the EPD by which a position is known, from any FEN of it.

    Examples
    --------
    >>> tidy_epd("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1")
    'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -'
    """
    return epd_of(board_of(text))


# The EPD of one position after another along a game: only what a move has changed is written again.

_RIGHTS = ((chess.H1, "K"), (chess.A1, "Q"), (chess.H8, "k"), (chess.A8, "q"))
_LETTERS = ("pnbrqk", "PNBRQK")


class QuickEpd:
    """A board that knows its EPD, the same that `position.epd_of` writes, and can go back.

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
def _written(pawns: int, knights: int, bishops: int, rooks: int, queens: int, kings: int, white: int) -> str:
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


# Moves as people write them, found on a board.

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
    plain = _SIGNS.sub("", san).replace(":", "x").replace("(", "").replace(")", "")
    return plain[1:] if plain.startswith("P") and "@" not in plain else plain


# From which position a game starts: the usual one, one that was set up, or one of Chess960.

_960 = re.compile(r"960|fischer", re.IGNORECASE)
_CHESS = re.compile(
    r"|standard|normal|chess|regular|classical|orthodox|from ?position|set ?-?up|\?|-", re.IGNORECASE
)
_IMPOSSIBLE = {
    chess.STATUS_EMPTY: "no piece is on the board",
    chess.STATUS_NO_WHITE_KING: "White has no king",
    chess.STATUS_NO_BLACK_KING: "Black has no king",
    chess.STATUS_TOO_MANY_KINGS: "a side has two kings",
    chess.STATUS_PAWNS_ON_BACKRANK: "a pawn stands on the first or the last rank",
    chess.STATUS_OPPOSITE_CHECK: "the side that is not to move stands in check",
}


def is_ordinary_chess(variant: str | None) -> bool:
    """Say whether a game's variant tag means ordinary chess, from whatever position.

    Examples
    --------
    >>> is_ordinary_chess("Standard"), is_ordinary_chess(None), is_ordinary_chess("Chess960")
    (True, True, False)
    """
    return _CHESS.fullmatch((variant or "").strip()) is not None


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
    if not chess960 and not is_ordinary_chess(variant):
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


# The positions of games: every board once where games share a beginning.

POSITIONS = schema(
    {
        "game": pl.Int32,  # row of `games.table`
        "ply": pl.Int32,  # 0: the starting position
        "epd": pl.String,  # four fields of the FEN; en passant only where such a capture is legal
        "uci": pl.String,  # the move played from here; null at the end; 0000: a null move
        "turn": TURN,
        "over": pl.String,  # mate, stalemate or insufficient (material); null: the game can go on
        "number": pl.Int32,  # of the move that is to be made, as a score sheet counts
    }
)


def positions(games: EvaluatedGames, *, report: Report | None = None) -> pl.DataFrame:
    """Return every position of some games, with the columns of `POSITIONS`.

    Only mate and stalemate leave no legal move; with insufficient material the game is over, too, by
    rule [FIDE E.01 5.2.2]. Draws that depend on what came before (repetition, fifty moves) are not in
    a position. At a move that is not legal, or means two, a game ends: what is left of it is left
    out, and the report says so. A game from a position that cannot be, or of a variant with other
    rules, has no rows.

    Examples
    --------
    >>> from arpad.model import Games
    >>> from arpad.moves.evaluated_games import EvaluatedGames
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
    table = walk.table(list(moves))
    places = table.select("game", "ply").to_numpy().T
    number = turn_numbers(games.starts["fen"], *places).astype(np.int32)
    return table.with_columns(pl.Series("number", number))


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
