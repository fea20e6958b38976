"""Moves and evaluations as they come: PGN in pieces, or one move a line, in SAN or UCI.

``[White "Byrne"]`` names a player, ``[%eval 0.13]`` in a comment, or a plain ``0.13``, ``-112cp`` or ``#-3`` behind a
move, evaluates the position; whatever stands before the first move speaks of the starting position.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from arpad.moves.evaluated import MATE
from arpad.read.movetext import hundredths

__all__ = ["MoveStream", "Token", "centipawns", "tokens"]

RESULTS = ("1-0", "0-1", "1/2-1/2", "*")

Kind = Literal["tag", "move", "value", "result"]


@dataclass(frozen=True, slots=True)
class Token:
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
      | (?P<word>[^\s{}()\[\];]+)""",
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


def tokens(text: str) -> list[Token]:
    """Return what a piece of text says; variations are left out.

    Examples
    --------
    >>> [(t.kind, t.text) for t in tokens("{ [%eval 0.13] } 1. Nf3 0.12 Nf6 (1... d5) *")]
    [('value', '0.13'), ('move', 'Nf3'), ('value', '0.12'), ('move', 'Nf6'), ('result', '*')]
    """
    found: list[Token] = []
    depth = 0
    for part in _PART.finditer(text):
        if part["tag"]:
            found.append(Token("tag", part["what"], name=part["name"]))
        elif part["open"]:
            depth += 1
        elif part["close"]:
            depth = max(0, depth - 1)
        elif depth == 0 and (part["comment"] or part["bare"]):
            said = _EVAL.search(part["comment"] or part["bare"])
            if said:
                found.append(Token("value", said[1], value=centipawns(_pawns(said[1]))))
        elif depth == 0 and part["word"]:
            found += _word(part["word"])
    return found


def _pawns(text: str) -> str:
    """Give a whole number of pawns, which %eval may hold, its point."""
    return f"{text}.0" if re.fullmatch(r"[+-]?\d+", text) else text


def _word(word: str) -> list[Token]:
    if word in RESULTS:
        return [Token("result", word)]
    value = centipawns(word)
    if value is not None or word == "#0":
        return [Token("value", word, value=value)]
    move = _NUMBER.sub("", word).rstrip("!?")
    return [Token("move", move)] if move not in ("", "e.p.", "ep") and not move.isdigit() else []


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

    def feed(self, text: str) -> list[Token]:
        """Return what is whole now."""
        whole = self.rest + text
        cut = self._finished(whole)
        self.rest = whole[cut:]
        return tokens(whole[:cut])

    def end(self) -> list[Token]:
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
