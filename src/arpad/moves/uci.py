"""What UCI engines print, read from bytes: as little of it as an evaluation needs."""

from __future__ import annotations

import re
from dataclasses import dataclass

from arpad.errors import EngineError
from arpad.evaluation import Line

__all__ = ["Answer", "Option", "read_answer", "read_option", "whole_number", "without_chatter"]

MOST = {b"cp": 2**31 - 1, b"mate": 2**15 - 1, b"depth": 2**15 - 1, b"nodes": 2**63 - 1}
"""What the columns of a table of evaluations hold; a larger number is nonsense."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A UCI option as the engine declares it.

    Examples
    --------
    >>> read_option("option name Hash type spin default 16 min 1 max 1024")
    Option(name='Hash', type='spin', default='16', least=1, most=1024, choices=())
    """

    name: str
    type: str
    default: str = ""
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()


_WORDS = ("name", "type", "default", "min", "max")
_WHOLE = re.compile(r"-?[0-9]{1,18}")


def read_option(text: str) -> Option:
    """Return the option that a line declares."""
    parts: dict[str, list[str]] = {}
    choices: list[list[str]] = []
    current: list[str] = []
    for word in text.split()[1:]:
        if word == "var":  # a choice of several: there is one for each
            current = []
            choices.append(current)
        elif word in _WORDS and word not in parts:
            current = parts.setdefault(word, [])
        else:
            current.append(word)
    joined = {key: " ".join(words) for key, words in parts.items()}
    if not joined.get("name"):
        raise EngineError(f"expected an option with a name, found {text!r}")
    return Option(
        name=joined["name"],
        type=joined.get("type", ""),
        default=joined.get("default", ""),
        least=whole_number(joined.get("min", "")),
        most=whole_number(joined.get("max", "")),
        choices=tuple(" ".join(words) for words in choices),
    )


def whole_number(text: str) -> int | None:
    """Return the whole number that a text is; None for any other text.

    Examples
    --------
    >>> whole_number("-5"), whole_number("--5"), whole_number("²")
    (-5, None, None)
    """
    return int(text) if _WHOLE.fullmatch(text) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An engine's answer to `go`, from White's side.

    `lines` are those of the last depth at which every line was given, together and exactly; `wanted` is how many
    there could have been: fewer are right only where there are fewer legal moves. `best` is empty when
    the engine says that there is no move; `nodes` is what the whole search visited. `over` is what an engine says of a finished game: "mate",
    "draw" or empty.
    """

    lines: tuple[Line, ...]
    best: str
    wanted: int
    over: str = ""
    nodes: int = 0


def read_answer(output: bytes, *, white: bool, multipv: int = 1) -> Answer:
    r"""Return what a search came to, from all that the engine printed, up to its `bestmove`.

    Scores that are only bounds are never taken. The lines are read from the last to the first, until
    a depth is whole: the rest is never looked at.

    Parameters
    ----------
    white
        Whether White is to move: engines speak from the mover's side.
    multipv
        How many lines were asked for.

    Examples
    --------
    >>> said = b"info depth 2 multipv 1 score cp -20 nodes 90 pv e7e5 g1f3\nbestmove e7e5"
    >>> read_answer(said, white=False).lines
    (Line(move='e7e5', cp=20, mate=None, depth=2, nodes=90),)
    """
    rows = output.split(b"\n")
    best = _best(rows)
    block: list[Line] = []  # from its last line up
    number_above = 0
    whole: list[Line] = []
    over, nodes = "", 0
    for row in reversed(rows):
        if not row.startswith(b"info ") or b" score " not in row:
            continue
        nodes = nodes or _nodes(row)
        found = _line(row, white, best if multipv == 1 else "")
        if found is None:
            continue
        number, line = found
        if not line.move:
            over = over or ("mate" if line.mate == 0 else "draw")
            continue
        if not block or number != number_above - 1 or line.depth != block[0].depth:
            block = []  # lines of two depths are not one answer
        block.append(line)
        number_above = number
        if number == 1:
            if len(block) > len(whole):
                whole = block
            if len(whole) >= multipv:
                break
            block = []
    lines = tuple(reversed(whole))[:multipv]
    return Answer(lines=lines, best=best, wanted=multipv, over=over, nodes=nodes)


def _best(rows: list[bytes]) -> str:
    for row in reversed(rows):
        if row.startswith(b"bestmove"):
            words = row.split()
            if len(words) < 2:
                break
            best = words[1].decode(errors="replace")
            return "" if best in ("(none)", "0000", "NULL") else best
    raise EngineError("expected bestmove and a move, found none in what the engine said")


def _nodes(row: bytes) -> int:
    """Return how many positions had been visited by then, also where the score is only a bound."""
    words = row.split(b" nodes ", 1)[-1].split(b" ", 1)
    return int(words[0]) if b" nodes " in row and words[0].isdigit() else 0


def _line(row: bytes, white: bool, fallback: str) -> tuple[int, Line] | None:
    """Return the number of a line and the line; None for a bound or for what cannot be read."""
    head, _, moves = row.partition(b" pv ")
    words = head.split()
    if b"lowerbound" in words or b"upperbound" in words:
        return None
    try:
        at = words.index(b"score")
        kind, value = words[at + 1], int(words[at + 2])
        number = int(words[words.index(b"multipv") + 1]) if b"multipv" in words else 1
        depth = int(words[words.index(b"depth") + 1]) if b"depth" in words else 0
        nodes = int(words[words.index(b"nodes") + 1]) if b"nodes" in words else 0
    except (ValueError, IndexError):
        return None
    if kind not in (b"cp", b"mate") or abs(value) > MOST[kind]:
        return None
    if not (0 <= depth <= MOST[b"depth"] and 0 <= nodes <= MOST[b"nodes"]):
        return None
    value = value if white else -value
    move = moves.split(maxsplit=1)[0].decode(errors="replace") if moves.strip() else fallback
    cp, mate = (value, None) if kind == b"cp" else (None, value)
    return number, Line(move=move, cp=cp, mate=mate, depth=depth, nodes=nodes)


def without_chatter(output: bytes) -> bytes:
    r"""Drop what says nothing about a score, so that a long search does not fill the memory.

    Examples
    --------
    >>> without_chatter(b"info depth 30 currmove e2e4 currmovenumber 1\ninfo depth 3 score cp 1\nin")
    b'\ninfo depth 3 score cp 1\nin'
    """
    *whole, rest = output.split(b"\n")
    return b"\n".join([b"", *(row for row in whole if b" score " in row), rest])
