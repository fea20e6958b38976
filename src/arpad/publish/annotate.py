"""Evaluations and clocks written into the moves of a game, as comments that others read, too."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from arpad.read.movetext import Token, tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["annotated", "commands", "movetext"]

WIDTH = 80
"""Columns of a line in PGN's export format [PGN standard 4.3]."""

_OURS = re.compile(r"\s*\[%(?:eval|best|over)(?:\s[^\]]*)?\]", re.ASCII)


def commands(row: Mapping[str, Any], *, clocks: bool = False) -> str:
    """Return what is known of a position as commands of a PGN comment.

    Parameters
    ----------
    row
        A row of `EvaluatedGames.table`.
    clocks
        Write the clock and the time spent, too.

    Examples
    --------
    >>> commands({"cp": -5, "mate": None, "depth": 13, "best": "e2e4", "over": None})
    '[%eval -0.05,13] [%best e2e4]'
    """
    words = []
    depth = "" if row["depth"] is None else f",{row['depth']}"
    if row["mate"] is not None:
        words.append(f"[%eval #{row['mate']}{depth}]")
    elif row["cp"] is not None:
        sign, value = "-" if row["cp"] < 0 else "", abs(row["cp"])
        words.append(f"[%eval {sign}{value // 100}.{value % 100:02d}{depth}]")
    words += [f"[%{name} {row[name]}]" for name in ("best", "over") if row[name] is not None]
    if clocks:
        named = (("clk", row["clock"]), ("emt", row["spent"]))
        words += [f"[%{name} {_time(value)}]" for name, value in named if value is not None]
    return " ".join(words)


def annotated(text: str, rows: Sequence[Mapping[str, Any]]) -> str | None:
    """Return moves with the evaluations of `rows` in place of those they had.

    All else stays: comments, clocks, variations, NAGs. None where the moves are not those of `rows`.

    Examples
    --------
    >>> said = {"san": None, "cp": 13, "mate": None, "depth": None, "best": None, "over": None}
    >>> annotated("1. e4 $1 {fine} (1. d4) e5 *", [said, {**said, "san": "e4"}])
    '{[%eval 0.13]} 1. e4 $1 {[%eval 0.13] fine} (1. d4) e5 *'
    """
    groups: list[list[Token]] = [[]]
    for token in tokens(text):
        if token.kind == "san":
            groups.append([])
        if token.kind in ("san", "nag", "comment"):
            groups[-1].append(token)
    sans = [group[0].value for group in groups[1:]]
    if [row["san"] for row in rows[1:]] != sans[: len(rows) - 1] or not rows:
        return None
    edits = [
        edit
        for number, (row, group) in enumerate(zip(rows, groups, strict=False))
        for edit in _edits(text, group, commands(row), first=number == 0)
    ]
    parts, at = [], 0
    for start, stop, new in edits:
        parts += [text[at:start], new]
        at = stop
    return "".join([*parts, text[at:]])


def movetext(rows: Sequence[Mapping[str, Any]], result: str, *, number: int, white: bool) -> str:
    """Return the moves of a game with everything that is known of its positions.

    Parameters
    ----------
    number, white
        The number of the first move, and whether White makes it.
    """
    words: list[str] = []
    numbered = True  # a comment, or the beginning, lies before the move
    for row in rows:
        if row["san"] is not None:
            if white:
                words.append(f"{number}.")
            elif numbered:
                words.append(f"{number}...")
            words.append(row["san"])
            number, white = number + (not white), not white
        said = commands(row, clocks=True)
        numbered = bool(said) or row["san"] is None
        if said:
            words.append(f"{{{said}}}")
    return "\n".join(_lines([*words, result]))


def _edits(text: str, group: list[Token], said: str, *, first: bool) -> list[tuple[int, int, str]]:
    """Return the places of a move's comments that change, and what stands there then."""
    edits: list[tuple[int, int, str]] = []
    at = 0 if first else group[0].stop
    to_place = said
    for token in group if first else group[1:]:
        beside = not text[at : token.start].strip()
        if token.kind == "nag":
            at = token.stop if beside else at
            continue
        rest = _OURS.sub("", token.value)
        if to_place and beside and text[token.start] == "{":
            edits.append((token.start, token.stop, _comment(to_place, rest)))
            to_place = ""
        elif rest != token.value:
            edits.append((token.start, token.stop, _again(text[token.start], rest)))
    if to_place:
        new = f"{{{to_place}}} " if first else f" {{{to_place}}}"
        edits.insert(0, (at, at, new))
    return edits


def _comment(said: str, rest: str) -> str:
    rest = rest.strip()
    return f"{{{said}{' ' if rest else ''}{rest}}}"


def _again(sign: str, rest: str) -> str:
    if not rest.strip():
        return ""
    return f"{{{rest}}}" if sign == "{" else f";{rest}"


def _time(seconds: float) -> str:
    whole, thousandths = divmod(round(seconds * 1000), 1000)
    part = f".{thousandths:03d}".rstrip("0").rstrip(".")
    return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}{part}"


def _lines(words: list[str]) -> list[str]:
    lines, line = [], ""
    for word in words:
        if line and len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line]
