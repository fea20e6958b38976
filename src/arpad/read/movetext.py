"""The moves of one game: SAN, evaluations, clocks, comments and NAGs of the main line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Ply", "mainline"]

_TOKEN = re.compile(r"\{([^}]*)\}?|;([^\n]*)|([()])|\$(\d+)|([^\s{}();$]+)")
_NUMBER = re.compile(r"^(?:\d+\.+|\.+)+")
_PLY = re.compile(r"[a-hKQRBNPO]|0-0|--|Z0|@@@@")
_EVAL = re.compile(r"\[%eval\s+(#?[-+]?\d+(?:\.\d+)?)(?:,(\d+))?\s*\]")
_CLOCK = re.compile(r"\[%clk\s+(\d+):(\d{1,2}):(\d{1,2}(?:\.\d+)?)\s*\]")
_COMMAND = re.compile(r"\[%[^\]]*\]")


@dataclass(frozen=True, slots=True)
class Ply:
    """One half-move of the main line.

    `eval` is in pawns from White's side, `mate` the moves to mate (negative: Black mates); a comment
    has one of the two or neither. `clock` is in seconds.
    """

    san: str
    nags: tuple[int, ...] = ()
    comment: str = ""
    eval: float | None = None
    mate: int | None = None
    depth: int | None = None
    clock: float | None = None


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
    for kind, value in _tokens(text):
        if kind == "san":
            if san:
                plies.append(_ply(san, nags, comments))
            san, nags, comments = value, [], []
        elif kind == "nag":
            nags.append(int(value))
        else:
            (comments if san else before).append(value.strip())
    if san:
        plies.append(_ply(san, nags, comments))
    return " ".join(before), plies


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    """Yield SAN, NAGs and comments of the main line; variations are left out."""
    depth = 0
    for found in _TOKEN.finditer(text):
        brace, rest, bracket, nag, word = found.groups()
        if bracket:
            depth = max(0, depth + (1 if bracket == "(" else -1))
        elif depth:
            continue
        elif nag:
            yield "nag", nag
        elif word:
            word = _NUMBER.sub("", word)
            if len(word) > 1 and _PLY.match(word) and word not in ("e.p.", "ep"):
                yield "san", word.rstrip("!?")
        else:
            yield "comment", brace if brace is not None else rest


def _ply(san: str, nags: list[int], comments: list[str]) -> Ply:
    text = " ".join(c for c in comments if c)
    value, mate, depth = None, None, None
    if found := _EVAL.search(text):
        if found[1].startswith("#"):
            mate = int(float(found[1][1:]))
        else:
            value = float(found[1])
        depth = int(found[2]) if found[2] else None
    clock = None
    if found := _CLOCK.search(text):
        clock = int(found[1]) * 3600 + int(found[2]) * 60 + float(found[3])
    plain = " ".join(_COMMAND.sub(" ", text).split())
    return Ply(san, tuple(nags), plain, value, mate, depth, clock)
