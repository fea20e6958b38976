"""Names of openings by their first moves; the longest line that a game begins with names it."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

_FIRST = re.compile(r"\s*(?:\{[^}]*\}|\([^()]*\)|\$\d+|\d+\.+|([^\s{}()$.]+))")
DEEPEST = 16
"""Half-moves of the longest line."""


class Opening(NamedTuple):
    """Code of the Encyclopaedia of Chess Openings, and the usual name."""

    code: str
    name: str

    @property
    def family(self) -> str:
        """The name without its variation."""
        return self.name.partition(",")[0]


@cache
def _lines() -> dict[tuple[str, ...], Opening]:
    result = {}
    text = (files("arpad") / "samples" / "openings.txt").read_text("utf-8")
    for line in text.splitlines():
        head, _, moves = line.partition(":")
        code, _, name = head.partition(" ")
        result[tuple(move.rstrip("+") for move in moves.split())] = Opening(code, name)
    return result


def opening(moves: Sequence[str]) -> Opening | None:
    """Return the opening of a game by its first moves in SAN; None: it has none.

    Examples
    --------
    >>> opening(["e4", "c5", "Nf3", "d6", "Bb5+", "Bd7"])
    Opening(code='B51', name='Sicilian Defence, Moscow')
    """
    plain = [move.rstrip("+#!?") for move in moves[:DEEPEST]]
    return next(
        (_lines()[key] for n in range(len(plain), 0, -1) if (key := tuple(plain[:n])) in _lines()), None
    ) or (_lines()[()] if plain else None)


def opening_of_text(text: str, *, most: int = DEEPEST) -> Opening | None:
    """Return the opening of moves as PGN has them, without looking at more of the text than it needs.

    Examples
    --------
    >>> opening_of_text("1. d4 {[%clk 0:05:00]} d5 2. c4 (2. Bf4) e6 1/2-1/2").name
    "Queen's Gambit Declined"
    """
    moves: list[str] = []
    for match in _FIRST.finditer(text):
        if match[1]:
            moves.append(match[1])
        if len(moves) == most:
            break
    return opening(moves)
