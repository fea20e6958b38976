"""A game while it is played: the estimate moves with every move [Ferreira 2012, 7]."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from arpad.errors import InputError
from arpad.moves.evaluated_games import MATE
from arpad.moves.gain import (
    CENTIPAWNS,
    ZERO_GAIN,
    GainDistribution,
    difference,
    differences,
    move_gains,
    move_number,
)
from arpad.moves.gain_report import compare
from arpad.moves.resampling import FEWEST, Resampling, block_length, interval
from arpad.read.pgn.games import turn_numbers
from arpad.read.pgn.movetext import hundredths

if TYPE_CHECKING:
    from collections.abc import Iterable

    import chess
    from numpy.typing import ArrayLike, NDArray


# Algorithm 4: a player's strength after each move, against the engine [Ferreira 2012, 7].


def course(
    gains: ArrayLike,
    *,
    engine: GainDistribution = ZERO_GAIN,
    engine_rating: float | None = None,
    resampling: Resampling | None = None,
) -> pl.DataFrame:
    """Return the strength after each move of a player in one game: −∞ as long as no move was good enough.

    Parameters
    ----------
    engine
        The engine's distribution of gain: a single peak at 0, or one that was measured.
    engine_rating
        The engine's rating, which makes strengths of differences.

    Returns
    -------
    pl.DataFrame
        `move` (1, 2, …), `gain`, `expected`, `low`, `high`, and `difference`, `difference_low`,
        `difference_high`; with `engine_rating` also `strength`, `strength_low`, `strength_high`.

    Examples
    --------
    >>> course([-1, 0], resampling=Resampling(draws=0))["difference"].round(1).to_list()
    [-inf, -190.8]
    """
    how = resampling or Resampling()
    given = np.asarray(gains)
    scores = engine.middle(given)
    n = np.arange(1, len(scores) + 1)
    limits = np.array([_limits(scores[:k], how) for k in n]).reshape(-1, 2)
    figures = {"expected": np.cumsum(scores) / n, "low": limits[:, 0], "high": limits[:, 1]}
    rows = pl.DataFrame({"move": n, "gain": given, **figures})
    for name, suffix in (("expected", ""), ("low", "_low"), ("high", "_high")):
        d = pl.Series(f"difference{suffix}", differences(figures[name]))
        rows = rows.with_columns(d)
        if engine_rating is not None:
            rows = rows.with_columns((d + engine_rating).alias(f"strength{suffix}"))
    return rows.with_columns(pl.selectors.float().fill_nan(None))


def _limits(scores: NDArray[np.float64], how: Resampling) -> tuple[float, float]:
    blocks = np.arange(len(scores)) // block_length(len(scores))
    count = int(blocks[-1]) + 1 if len(blocks) else 0
    if how.draws == 0 or count < FEWEST:
        return math.nan, math.nan
    sums, sizes = np.bincount(blocks, weights=scores), np.bincount(blocks)
    rng = np.random.default_rng(how.seed)
    drawn = rng.integers(0, count, (how.draws, count))
    means = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    return interval(means, count, how.confidence)


# A game while it is played: the estimate moves with every move [Ferreira 2012, 7].


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveSide:
    """Figures of one player's moves so far; None where there are none, or too few for an interval."""

    name: str
    moves: int
    mean_gain: float | None = None
    expected: float | None = None
    expected_low: float | None = None
    expected_high: float | None = None
    engine_rating: float | None = None

    def points(self, p: float | None) -> float | None:
        """Return the rating difference to the engine that an expected score stands for."""
        return None if p is None else float(difference(min(max(p, 0.0), 1.0)))

    def as_dict(self) -> dict[str, Any]:
        """Return the figures by the names that `arpad gain` gives them."""
        figures: dict[str, Any] = {"name": self.name, "moves": self.moves, "mean_gain": self.mean_gain}
        limits = (("", self.expected), ("_low", self.expected_low), ("_high", self.expected_high))
        for name, level in (("difference_vs_engine", 0.0), ("strength", self.engine_rating)):
            if level is not None:
                for end, p in limits:
                    d = self.points(p)
                    figures[f"{name}{end}"] = None if d is None else level + d
        return figures | {f"expected_vs_engine{end}": p for end, p in limits}


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveEstimate:
    """The state after a move."""

    ply: int
    number: str
    move: str | None
    evaluation: float | None
    """In pawns, from White's side."""
    gain: float | None
    """Of this move, in pawns."""
    sides: tuple[LiveSide, LiveSide]
    expected: float | None
    """White's expected score against Black, by their distributions of gain so far."""
    expected_low: float | None
    expected_high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveGame:
    """The evaluations of a game so far; `after` gives the game with one more.

    Values are centipawns from White's side, NaN where unknown; the first is that of the starting position.

    Examples
    --------
    >>> game = LiveGame(values=(13.0,), names=("Byrne", "Fischer"))
    >>> game = game.after(12.0, "Nf3").after(12.0, "Nf6")
    >>> [(s.name, s.expected) for s in game.estimate().sides]
    [('Byrne', 0.0), ('Fischer', 0.5)]
    """

    values: tuple[float, ...] = (math.nan,)
    moves: tuple[str, ...] = ()
    white_begins: bool = True
    first_number: int = 1
    """The number of the first move, where the game does not begin at the usual position."""
    names: tuple[str, str] = ("White", "Black")
    engine_rating: float | None = None
    engine: GainDistribution = ZERO_GAIN
    resampling: Resampling = field(default_factory=Resampling)

    def after(self, value: float | None, move: str = "") -> LiveGame:
        """Return the game after one more move; None for an evaluation that is not known."""
        known = math.nan if value is None else min(max(float(value), -MATE), MATE)
        return replace(self, values=(*self.values, known), moves=(*self.moves, move))

    def estimate(self) -> LiveEstimate:
        """Return what the moves so far say."""
        plies = len(self.values)
        mover = np.array([(p % 2 == 1) == self.white_begins for p in range(plies)])
        values = np.array(self.values)
        result = move_gains(np.zeros(plies), np.arange(plies), values, mover)
        # Once a mate is forced every move gains 0: it would raise the player who is being mated.
        open_ = (np.abs(values[result.row]) < MATE) | (values[result.row] != values[result.row - 1])
        newest = len(result) and result.row[-1] == plies - 1 and plies > 1
        gain = int(result.gain[-1]) / CENTIPAWNS if newest else None
        result = replace(result, row=result.row[open_], gain=result.gain[open_])
        white = mover[result.row]
        sides = (self._side(0, result.gain[white]), self._side(1, result.gain[~white]))
        last = self.values[-1]
        p, low, high = self._pair(result.gain, white, result.row)
        return LiveEstimate(
            ply=plies - 1,
            number=move_number(self._number(plies - 1), bool(mover[-1])) if plies > 1 else "",
            move=self.moves[-1] if self.moves else None,
            evaluation=None if math.isnan(last) else last / CENTIPAWNS,
            gain=gain,
            sides=sides,
            expected=p,
            expected_low=low,
            expected_high=high,
        )

    def _number(self, ply: int) -> int:
        return self.first_number + (ply - 1 + (not self.white_begins)) // 2

    def _side(self, which: int, gains: np.ndarray) -> LiveSide:
        side = LiveSide(name=self.names[which], moves=len(gains), engine_rating=self.engine_rating)
        if not len(gains):
            return side
        scores = self.engine.middle(gains)
        low, high = _limits(scores, self.resampling)
        return replace(
            side,
            mean_gain=float(gains.mean()) / CENTIPAWNS,
            expected=float(scores.mean()),
            expected_low=_known(low),
            expected_high=_known(high),
        )

    def _pair(
        self, gains: np.ndarray, white: np.ndarray, plies: np.ndarray
    ) -> tuple[float | None, float | None, float | None]:
        if not (white.any() and (~white).any()):
            return None, None, None
        sheet = np.where(white, 0, 1)
        result = compare(
            gains, sheet, np.zeros(len(gains)), plies, sheets=2, pairs=[(0, 1)], resampling=self.resampling
        )
        low, high = result.pair_intervals()[0]
        return float(result.expected[0]), _known(low), _known(high)


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


# Tokens to a game that is being played: legal moves on a board, each with its evaluation.

Judge = Callable[[str], float | None]
"""Takes a position (EPD) to centipawns from White's side."""


@dataclass(slots=True)
class LiveMove:
    """A move, or the starting position, with the evaluation of the position it led to, if known."""

    move: str
    value: float | None = None
    settled: bool = False
    """Whether nothing can change it any more."""


@dataclass(slots=True)
class LiveBoard:
    """A game as far as it has come.

    Parameters
    ----------
    judge
        Evaluates positions; without one, evaluations must come with the moves.

    Examples
    --------
    >>> from arpad.moves.live import tokens
    >>> board = LiveBoard()
    >>> board.take(tokens("{ [%eval 0.13] } 1. e4 0.30 e7e5 *"))
    >>> [(p.move, p.value, p.settled) for p in board.played], board.result
    ([('', 13.0, True), ('e4', 30.0, True), ('e5', None, True)], '*')
    """

    judge: Judge | None = None
    tags: dict[str, str] = field(default_factory=dict)
    played: list[LiveMove] = field(default_factory=lambda: [LiveMove("")])
    result: str | None = None
    _board: chess.Board | None = None

    @property
    def white_begins(self) -> bool:
        """Whether White makes the first move."""
        fen = self.tags.get("FEN", "").split()
        return len(fen) < 2 or fen[1] != "b"

    @property
    def first_number(self) -> int:
        """The number of the first move."""
        fen = pl.Series([self.tags.get("FEN")], dtype=pl.String)
        return int(turn_numbers(fen, np.zeros(1, np.int64), np.zeros(1, np.int64))[0])

    def take(self, tokens: Iterable[LiveToken]) -> None:
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

    def _tag(self, token: LiveToken) -> None:
        if len(self.played) == 1:
            self.tags[token.name] = token.text

    def _value(self, token: LiveToken) -> None:
        last = self.played[-1]
        if self.judge is None and last.value is None and token.value is not None:
            last.value = token.value
            last.settled = True

    def _move(self, text: str) -> None:
        board = self._started()
        move = _legal(board, text)
        if move is None:
            where = move_number(board.fullmove_number, board.turn)
            side = "White" if board.turn else "Black"
            raise InputError(
                f"expected a legal move for {side} at {where}, found {text!r}: give SAN (Nf3) or UCI (g1f3)"
            )
        san = board.san(move)
        self.played[-1].settled = True
        board.push(move)
        self.played.append(LiveMove(san))
        self._judged(board)

    def _started(self) -> chess.Board:
        if self._board is None:
            from arpad.moves.positions import starting_board

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
            from arpad.moves.positions import epd_of

            newest.value = self.judge(epd_of(board))
        else:
            return
        newest.settled = True

    def values(self) -> tuple[float, ...]:
        """Return the evaluation of each position, cut off at ±39.00, NaN where unknown."""
        return tuple(math.nan if p.value is None else min(max(p.value, -MATE), MATE) for p in self.played)


def _legal(board: chess.Board, text: str) -> chess.Move | None:
    from arpad.moves.positions import find_move

    try:
        return find_move(board, text)
    except ValueError:
        pass
    try:
        return board.parse_uci(text)
    except ValueError:
        return None


# Moves and evaluations as they come: PGN in pieces, or one move a line, in SAN or UCI.
#
# ``[White "Byrne"]`` names a player, ``[%eval 0.13]`` in a comment, or a plain ``0.13``, ``-112cp`` or ``#-3`` behind a
# move, evaluates the position; whatever stands before the first move speaks of the starting position.

RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
Kind = Literal["tag", "move", "value", "result"]


@dataclass(frozen=True, slots=True)
class LiveToken:
    """One thing that was said: a tag (`name`), a move, an evaluation in centipawns, or the result."""

    kind: Kind
    text: str
    name: str = ""
    value: float | None = None


_PART = re.compile(
    r"""(?P<tag>\[\s*(?P<name>\w+)\s+"(?P<what>(?:[^"\\]|\\.)*)"\s*\])
      | \{(?P<comment>[^}]*)\}
      | (?P<bare>\[%eval\s[^\]]*\])
      | ;[^\n]*(?:\n|$)
      | ^%[^\n]*(?:\n|$)
      | (?P<open>\() | (?P<close>\))
      | \$\d+
      | (?P<word>[^\s{}()\[\];]+(?:\([QRBN]\)[^\s{}()\[\];]*)?)""",
    re.VERBOSE | re.MULTILINE,
)
_EVAL = re.compile(r"\[%eval\s+([^\],\s]+)[^\]]*\]")
_NUMBER = re.compile(r"^(?:\d+\.+|\.+)+")


def centipawns(text: str) -> float | None:
    """Return an evaluation in centipawns from White's side, None for what is none.

    Examples
    --------
    >>> [centipawns(t) for t in ("0.13", "-112cp", "#-3", "+2.5", "-.125", "#0", "e4", "12.")]
    [13.0, -112.0, -3900.0, 250.0, -13.0, None, None, None]
    """
    if mate := re.fullmatch(r"#([+-]?\d{1,4})", text):
        moves = int(mate[1])
        return None if moves == 0 else float(MATE if moves > 0 else -MATE)
    if whole := re.fullmatch(r"([+-]?\d{1,6})cp", text):
        return float(whole[1])
    if pawns := re.fullmatch(r"([+-]?)(\d{0,4}\.\d{1,4})", text):
        return float(hundredths(pawns[2])) * (-1 if pawns[1] == "-" else 1)
    return None


def tokens(text: str) -> list[LiveToken]:
    """Return what a piece of text says; variations are left out.

    Examples
    --------
    >>> [(t.kind, t.text) for t in tokens("{ [%eval 0.13] } 1. Nf3 0.12 Nf6 (1... d5) *")]
    [('value', '0.13'), ('move', 'Nf3'), ('value', '0.12'), ('move', 'Nf6'), ('result', '*')]
    """
    result: list[LiveToken] = []
    depth = 0
    for part in _PART.finditer(text):
        if part["tag"]:
            result.append(LiveToken("tag", part["what"], name=part["name"]))
        elif part["open"]:
            depth += 1
        elif part["close"]:
            depth = max(0, depth - 1)
        elif depth == 0 and (part["comment"] or part["bare"]):
            said = _EVAL.search(part["comment"] or part["bare"])
            if said:
                result.append(LiveToken("value", said[1], value=centipawns(_pawns(said[1]))))
        elif depth == 0 and part["word"]:
            result += _word(part["word"])
    return result


def _pawns(text: str) -> str:
    """Give a whole number of pawns, which %eval may hold, its point."""
    return f"{text}.0" if re.fullmatch(r"[+-]?\d+", text) else text


def _word(word: str) -> list[LiveToken]:
    if word in RESULTS:
        return [LiveToken("result", word)]
    value = centipawns(word)
    if value is not None or word == "#0":
        return [LiveToken("value", word, value=value)]
    move = _NUMBER.sub("", word).rstrip("!?")
    return (
        [LiveToken("move", move)] if move.strip("+#") not in ("", "e.p.", "ep") and not move.isdigit() else []
    )


@dataclass(slots=True)
class MoveStream:
    """Text that comes in pieces; what is not finished yet waits for the next piece.

    Examples
    --------
    >>> stream = MoveStream()
    >>> [t.text for t in stream.feed("1. N")], [t.text for t in stream.feed("f3 { [%eval 0.1")]
    ([], ['Nf3'])
    >>> [t.text for t in stream.feed("2] } ")]
    ['0.12']
    """

    rest: str = ""

    def feed(self, text: str) -> list[LiveToken]:
        """Return what is whole now."""
        whole = self.rest + text
        cut = self._finished(whole)
        self.rest = whole[cut:]
        return tokens(whole[:cut])

    def end(self) -> list[LiveToken]:
        """Return what is left when nothing more comes."""
        left, self.rest = self.rest, ""
        return tokens(left)

    @staticmethod
    def _finished(text: str) -> int:
        """Return how far the text can be read: not into an open comment, variation, tag or word."""
        cut, depth, closing = 0, 0, ""
        for i, c in enumerate(text):
            if closing:
                if c == closing:
                    closing = ""
                    cut = i + 1 if depth == 0 else cut
                continue
            if c in "{[;":
                closing = {"{": "}", "[": "]", ";": "\n"}[c]
            elif c == "(":
                depth += 1
            elif c == ")":
                depth = max(0, depth - 1)
            if depth == 0 and not closing and (c.isspace() or c == ")"):
                cut = i + 1
        return cut
