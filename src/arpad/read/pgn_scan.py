"""Where the games are in a piece of PGN, and what their headers say: the readable reference.

`scan` looks at one piece of a file and finds, for every game in it, the places of the tags that
arpad uses, about how many plies the main line has, a hash of it, and how it ends. `pgn_kernel.scan`
does the same at the memory's speed; a property test says that they agree.

The rules, which both follow:

- A tag stands at the start of a line: ``[Name "value"]``. Its value runs to the last quote of the line.
- A tag begins a new game when moves have come since the last tag, or when it is there already and
  is `Event` or comes after a blank line. A second copy of a tag within one game is ignored.
- ``{…}`` comments may span lines; within one, only ``[Event "`` at the start of a line ends the game
  (the comment was never closed). ``;`` comments run to the end of the line, ``%`` lines are skipped.
- The main line is what is left without comments, variations (in parentheses) and NAGs. A ply is a
  word of it that begins with a file or a piece, behind white space or the dot of a move number.
- The last word says how the game ends; a mate sign just before it, that the board does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

__all__ = [
    "ENDINGS",
    "FLAG_MATE",
    "FLAG_OPEN_COMMENT",
    "TAGS",
    "TAG_LINE",
    "Found",
    "comment_open",
    "scan",
]

TAGS = (
    "Event",
    "Site",
    "Date",
    "Round",
    "White",
    "Black",
    "Result",
    "WhiteElo",
    "BlackElo",
    "WhiteFideId",
    "BlackFideId",
    "WhiteTitle",
    "BlackTitle",
    "FEN",
    "Termination",
    "Variant",
)
ENDINGS = ("", "1-0", "0-1", "1/2-1/2", "*")
FLAG_MATE = 1
FLAG_OPEN_COMMENT = 2
MATE_SUFFIX = 2
"""Letters that may follow the mate sign: ``#!!``."""

WEIGHTS = np.random.default_rng(1960).integers(1, 1 << 57, 256, dtype=np.uint64)
"""The hash of a main line is the sum of the weights of its letters, white space left out.

Two games with the same letters in another order share a hash: as they also share players, date, event,
round and result, they are hardly two games.
"""

TAG_LINE = re.compile(rb'\[([A-Za-z][A-Za-z0-9_]*)[ \t]*"(.*)"')
_TAG_NUMBER = {name.encode(): number for number, name in enumerate(TAGS)}
_SPECIAL = re.compile(rb"\{[^}]*\}?|;[^\n]*|[()]|\$\d*|[^{}();$]+|\}")
_PLY = re.compile(rb"(?<![^\s.])[abcdefghKQRBNPO]")
_ENDING_NUMBER = {text.encode(): number for number, text in enumerate(ENDINGS)}


@dataclass(slots=True)
class Found:
    """One game in a piece of PGN; offsets count from the start of the piece."""

    begin: int
    line: int
    values: list[tuple[int, int]] = field(default_factory=lambda: [(-1, -1)] * len(TAGS))
    text: int = -1
    end: int = 0
    plies: int = 0
    moves: int = 0
    ending: int = 0
    flags: int = 0
    tags: int = 0
    lines: list[bytes] = field(default_factory=list, repr=False)


def scan(data: bytes, line: int = 1) -> list[Found]:
    """Return the games in a piece of PGN that begins and ends where a game does.

    Parameters
    ----------
    line
        The number of its first line.
    """
    games: list[Found] = []
    game: Found | None = None
    blank = False
    comment = False
    start = 0
    while start < len(data):
        newline = data.find(b"\n", start)
        stop = len(data) if newline < 0 else newline
        text = data[start:stop]
        tag = TAG_LINE.match(text) if text[:1] == b"[" else None
        if comment and tag is not None and tag[1] == b"Event":
            comment = False
        if tag is not None and not comment:
            number = _TAG_NUMBER.get(tag[1], -1)
            present = game is not None and number >= 0 and game.values[number][0] >= 0
            if game is None or game.text >= 0 or (present and (blank or number == 0)):
                _close(games, game, start)
                game = Found(start, line)
                present = False
            game.tags += 1
            if number >= 0 and not present:
                game.values[number] = (start + tag.start(2), start + tag.end(2))
            blank = False
        elif not comment and text[:1] == b"%":
            pass
        elif not text.strip(b" \t\r\x0b\x0c"):
            blank = True
        else:
            if game is None:
                game = Found(start, line)
            if game.text < 0:
                game.text = start
            game.lines.append(text)
            comment = comment_open(text, comment)
        start = stop + 1
        line += 1
    _close(games, game, len(data))
    return games


def comment_open(text: bytes, comment: bool) -> bool:
    """Say whether a ``{`` comment is open at the end of a line of moves."""
    while True:
        if comment:
            closing = text.find(b"}")
            if closing < 0:
                return True
            text, comment = text[closing + 1 :], False
        opening, rest = text.find(b"{"), text.find(b";")
        if opening < 0 or 0 <= rest < opening:
            return False
        text, comment = text[opening + 1 :], True


def _close(games: list[Found], game: Found | None, end: int) -> None:
    if game is None:
        return
    game.end = end
    if game.lines:
        _read_moves(game)
    games.append(game)


def _read_moves(game: Found) -> None:
    text = b"\n".join(game.lines)
    if any(sign in text for sign in (b"{", b";", b"(", b")", b"$", b"}")):
        text, comment = _main_line(text)
        game.flags |= FLAG_OPEN_COMMENT if comment else 0
    game.plies = len(_PLY.findall(text))
    words = text.split()
    game.ending = _ENDING_NUMBER.get(words[-1], 0) if words else 0
    letters = b"".join(words)
    behind = len(letters) - letters.rfind(b"#") - 1 - len(ENDINGS[game.ending])
    if b"#" in letters and behind <= MATE_SUFFIX:
        game.flags |= FLAG_MATE
    if game.plies:
        game.moves = int(WEIGHTS[np.frombuffer(letters, dtype=np.uint8)].sum())


def _main_line(text: bytes) -> tuple[bytes, bool]:
    """Return the text without comments, variations and NAGs, and whether a comment stays open."""
    depth = 0
    kept: list[bytes] = []
    comment = False
    for token in _SPECIAL.findall(text):
        first = token[:1]
        if first == b"(":
            depth += 1
        elif first == b")":
            depth = max(0, depth - 1)
        elif first == b"{":
            comment = token[-1:] != b"}"
        elif depth == 0 and first not in b";$}":
            kept.append(token)
            continue
        kept.append(b" ")
    return b"".join(kept), comment
