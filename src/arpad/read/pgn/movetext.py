"""The moves of one game: SAN, evaluations, clocks, comments and NAGs of the main line.

This is the readable reference; `moves_kernel` does the same at the memory's speed, and a property test
says that they agree. The rules, which both follow:

- The main line is what stands outside variations (in parentheses, nested at will) and before the
  first result (`ENDINGS`); a ``;`` comment runs to the end of the line.
- A move is a word that, behind its number, begins with a file or a piece, or is ``0-0…``, or a null
  move (``--``, ``Z0``, ``@@@@``); ``e.p.`` is none. The signs ``!`` and ``?`` behind it are dropped.
  The piece of a promotion may stand in parentheses right behind the square, ``e8(Q)``.
- Of each kind of command (``[%eval …]``, ``[%clk …]``, …) the first that is well formed counts, in the
  comments behind the move, or before the first move for the starting position.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


ENDINGS = ("1-0", "0-1", "1/2-1/2", "*")
"""The words that end a game [PGN standard 8.2.6]."""
OPEN_VARIATION = "a variation ( is never closed: moves behind it are not read"
BEHIND_RESULT = "moves stand behind the result: they are not read"
_TOKEN = re.compile(r"\{([^}]*)\}?|;([^\n]*)|([()])|\$([0-9]+)|([^\s{}();$]+(?:\([QRBN]\)[^\s{}();$]*)?)")
_NUMBER = re.compile(r"^(?:[0-9]+\.+|\.+)+")
_PLY = re.compile(r"[a-hKQRBNPO]|0-0|--|Z0|@@@@|[A-Z][a-h1-8x:-]{0,3}?[a-h][1-8]")
"""Beginning of a move. Sf3 and Txe1 are moves in other languages: the replay of the game reports them;
without them the next move would belong to the wrong player.
"""
_EVAL = re.compile(
    r"\[%eval\s+(?:#([-+]?[0-9]{1,4})|([-+]?)([0-9]{1,6}(?:\.[0-9]*)?|\.[0-9]+))(?:,([0-9]{1,4}))?\s*\]",
    re.ASCII,
)
_TIME = r"\s+([0-9]{1,4}):([0-9]{1,2}):([0-9]{1,2}(?:\.[0-9]{1,9})?)\s*\]"
_CLOCK = re.compile(r"\[%clk" + _TIME, re.ASCII)
_SPENT = re.compile(r"\[%emt" + _TIME, re.ASCII)
_BEST = re.compile(r"\[%best\s+([a-h][1-8][a-h][1-8][qrbn]?)\s*\]", re.ASCII)
_OVER = re.compile(r"\[%over\s+([a-z]{1,20})\s*\]", re.ASCII)
_COMMAND = re.compile(r"\[%[^\]]*\]")


@dataclass(frozen=True, slots=True)
class Marks:
    """Values that the commands in a comment give for a position.

    `cp` is in centipawns from White's side, `mate` the moves to mate (negative: Black mates): one of the
    two or neither. `clock` (left to the player who has moved) and `spent` (on the move) are in seconds.
    `best` is the engine's choice in UCI, `over` how the game has ended on the board: arpad's own.
    """

    cp: int | None = None
    mate: int | None = None
    depth: int | None = None
    clock: float | None = None
    spent: float | None = None
    best: str | None = None
    over: str | None = None


_SILENT = Marks()


@dataclass(frozen=True, slots=True)
class Ply:
    """One half-move of the main line; `marks` is what its comments say in commands."""

    san: str
    nags: tuple[int, ...] = ()
    comment: str = ""
    marks: Marks = _SILENT

    @property
    def eval(self) -> float | None:
        """The evaluation in pawns, from White's side."""
        return None if self.marks.cp is None else self.marks.cp / 100

    @property
    def mate(self) -> int | None:
        """Moves to mate; negative: Black mates."""
        return self.marks.mate

    @property
    def clock(self) -> float | None:
        """Seconds left to the player who has moved."""
        return self.marks.clock


@dataclass(frozen=True, slots=True)
class MoveToken:
    """One word of the main line, and where it stands in the text."""

    kind: str
    """``san``, ``nag``, ``comment``, ``end`` or ``doubt``."""
    value: str
    start: int
    stop: int


def mainline(text: str) -> tuple[str, list[Ply]]:
    """Return the comment before the first move, and the plies.

    Examples
    --------
    >>> before, plies = mainline("{[%eval 0.13]} 1. e4 $1 {[%eval 0.2] [%clk 0:01:02]} (1. d4) e5 1-0")
    >>> [p.san for p in plies], plies[0].eval, plies[0].clock, plies[0].nags
    (['e4', 'e5'], 0.2, 62.0, (1,))
    """
    before: list[str] = []
    plies: list[Ply] = []
    san = ""
    nags: list[int] = []
    comments: list[str] = []
    for token in tokens(text):
        if token.kind == "san":
            if san:
                plies.append(_ply(san, nags, comments))
            san, nags, comments = token.value, [], []
        elif token.kind == "nag":
            nags.append(int(token.value))
        elif token.kind == "comment":
            (comments if san else before).append(token.value.strip())
    if san:
        plies.append(_ply(san, nags, comments))
    return " ".join(before), plies


def evaluations(text: str) -> tuple[list[tuple[str | None, Marks]], list[str]]:
    """Return the move that led to each position (none to the first) with what is said of it; doubts.

    Examples
    --------
    >>> rows, doubts = evaluations("{[%eval .13]} 1. e4 {[%eval 0.2]} e5 1-0 2. Nf3")
    >>> [(san, said.cp) for san, said in rows], doubts
    ([(None, 13), ('e4', 20), ('e5', None)], ['moves stand behind the result: they are not read'])
    """
    rows: list[tuple[str | None, Marks]] = []
    doubts: list[str] = []
    san: str | None = None
    comments: list[str] = []
    for token in tokens(text):
        if token.kind == "san":
            rows.append((san, marks(comments)))
            san, comments = token.value, []
        elif token.kind == "comment":
            comments.append(token.value)
        elif token.kind == "doubt":
            doubts.append(token.value)
    rows.append((san, marks(comments)))
    return rows, doubts


def tokens(text: str) -> Iterator[MoveToken]:
    """Yield moves, NAGs and comments of the main line up to the result; variations are left out.

    At the end come the doubts: a variation that is never closed, moves behind the result.
    """
    depth = 0
    for result in _TOKEN.finditer(text):
        brace, rest, bracket, nag, word = result.groups()
        if bracket:
            depth = max(0, depth + (1 if bracket == "(" else -1))
        elif depth:
            continue
        elif word in ENDINGS:
            yield MoveToken("end", word, *result.span())
            if _has_move(text[result.end() :]):
                yield MoveToken("doubt", BEHIND_RESULT, result.end(), len(text))
            return
        elif word:
            san = _san(word)
            if san:
                yield MoveToken("san", san.rstrip("!?"), result.end() - len(san), result.end())
        elif nag:
            yield MoveToken("nag", nag, *result.span())
        else:
            yield MoveToken("comment", brace if brace is not None else rest, *result.span())
    if depth:
        yield MoveToken("doubt", OPEN_VARIATION, len(text), len(text))


def _san(word: str) -> str:
    """Return the move in a word, without its number; nothing where there is none."""
    san = _NUMBER.sub("", word)
    return san if len(san) > 1 and _PLY.match(san) and san not in ("e.p.", "ep") else ""


def _has_move(text: str) -> bool:
    """Say whether a move of a main line comes before the next result."""
    depth = 0
    for result in _TOKEN.finditer(text):
        bracket, word = result[3], result[5]
        if bracket:
            depth = max(0, depth + (1 if bracket == "(" else -1))
        elif word and not depth:
            if word in ENDINGS:
                return False
            if _san(word):
                return True
    return False


def marks(comments: Sequence[str]) -> Marks:
    """Return what the commands in comments say.

    Examples
    --------
    >>> marks(["well played", "[%eval #-3] [%clk 0:09:59.5]"])
    Marks(cp=None, mate=-3, depth=None, clock=599.5, spent=None, best=None, over=None)
    """
    if not any("[%" in text for text in comments):
        return _SILENT
    cp, mate, depth = None, None, None
    if result := _first(_EVAL, comments):
        if result[1] is not None:
            mate = int(result[1])
        else:
            cp = hundredths(result[3]) * (-1 if result[2] == "-" else 1)
        depth = int(result[4]) if result[4] else None
    best, over = _first(_BEST, comments), _first(_OVER, comments)
    return Marks(
        cp,
        mate,
        depth,
        _seconds(_first(_CLOCK, comments)),
        _seconds(_first(_SPENT, comments)),
        best[1] if best else None,
        over[1] if over else None,
    )


def _ply(san: str, nags: list[int], comments: list[str]) -> Ply:
    text = " ".join(c for c in comments if c)
    plain = " ".join(_COMMAND.sub(" ", text).split())
    return Ply(san, tuple(nags), plain, marks(comments))


def _first(pattern: re.Pattern[str], comments: Sequence[str]) -> re.Match[str] | None:
    return next((result for text in comments if (result := pattern.search(text))), None)


def hundredths(pawns: str) -> int:
    """Return centipawns for pawns without a sign; a half is rounded up, by the digits as they stand.

    Examples
    --------
    >>> hundredths("1.005"), hundredths(".5"), hundredths("2")
    (101, 50, 200)
    """
    whole, _, part = pawns.partition(".")
    part += "000"
    return int(whole or "0") * 100 + int(part[:2]) + (part[2] >= "5")


def _seconds(found: re.Match[str] | None) -> float | None:
    if found is None:
        return None
    return int(found[1]) * 3600 + int(found[2]) * 60 + float(found[3])
