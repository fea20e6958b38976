"""The text format of Berard's Tournament App.

Name, number of players, rating system, a line ``rating name`` for each player, the rating of the
world's number two, then triples ``white black white's-score`` that end in ``-1 -1 -1.0``. Any white
space separates; several triples may share a line. arpad writes a missing rating as ``-``; for the
number two, too.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from arpad.errors import FormatError, InputError
from arpad.model import Event, Games, Player
from arpad.read.collect import MAX_RATING
from arpad.read.source import decode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arpad.read.report import Report
    from arpad.read.source import Source

__all__ = ["MISSING", "read_pra"]

MISSING = "-"
"""The mark of a missing rating; the text itself has none."""

HEAD_LINES = 3


def read_pra(source: Source) -> Games:
    """Read one event."""
    text = decode(source.everything(), source.name, source.report)
    lines = [
        (number, line.strip())
        for number, line in enumerate(text.split("\n"), start=1)
        if line.strip()
    ]
    if len(lines) < HEAD_LINES + 2:
        raise FormatError(
            "expected the PRA text format (name, number of players, rating system, players, games), "
            f"found only {len(lines)} lines",
            file=source.name,
        )
    (_, name), (count_line, count), (_, system) = lines[:HEAD_LINES]
    if not re.fullmatch(r"[0-9]{1,6}", count) or int(count) < 1:
        raise InputError(
            f"expected the number of players, found {count!r}", file=source.name, line=count_line
        )
    last = HEAD_LINES + int(count)
    if len(lines) < last + 1:
        raise InputError(
            f"expected {count} players and the number-two rating, found {len(lines) - HEAD_LINES} lines",
            file=source.name,
            line=lines[-1][0],
        )
    players = [_player(source.name, *line) for line in lines[HEAD_LINES:last]]
    number_two = _rating(source.name, *lines[last])
    event = Event(name=name.replace("_", " "), rating_system=system, number_two=number_two)
    return _games(
        list(_triples(lines[last + 1 :], len(players), source.name, source.report)), players, event
    )


def _player(file: str, number: int, line: str) -> Player:
    rating, name = (*line.split(None, 1), "")[:2]
    if not name.strip():
        raise InputError(
            f"expected a rating and a name, found {line!r}: a missing rating is written {MISSING!r}",
            file=file,
            line=number,
        )
    return Player(name=name.strip(), rating=_rating(file, number, rating))


def _rating(file: str, number: int, text: str) -> float | None:
    if text == MISSING:
        return None
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not 0 <= value <= MAX_RATING:
        raise InputError(
            f"expected a rating up to {MAX_RATING:g}, found {text!r}: a missing rating is written {MISSING!r}",
            file=file,
            line=number,
        )
    return value or None


def _triples(
    lines: list[tuple[int, str]], players: int, file: str, report: Report
) -> Iterator[tuple[int, int, float]]:
    words = ((number, word) for number, line in lines for word in line.split())
    ended = False
    for number, first in words:
        triple = [first, *(word for _, word in zip(range(2), (w for _, w in words), strict=False))]
        if ended:
            report.add(file, number, "skipped", f"text behind the closing -1 -1 -1.0: {first!r}")
            return
        try:
            white, black, score = int(triple[0]), int(triple[1]), float(triple[2])
        except (ValueError, IndexError):
            why = f"expected 'white black score', found {' '.join(triple)!r}"
            report.add(file, number, "skipped", why)
            continue
        if white == black == -1:
            ended = True
        elif not (1 <= white <= players and 1 <= black <= players):
            why = f"expected player numbers from 1 to {players}, found {white} and {black}"
            report.add(file, number, "skipped", why)
        elif white == black:
            report.add(file, number, "skipped", f"player {white} against himself: a game needs two")
        elif not 0 <= score <= 1:
            report.add(file, number, "skipped", f"expected a score from 0 to 1, found {triple[2]}")
        else:
            yield white - 1, black - 1, score
    if not ended:
        line = lines[-1][0] if lines else None
        report.add(
            file, line, "repaired", "the closing -1 -1 -1.0 is missing: is the file complete?"
        )


def _games(triples: list[tuple[int, int, float]], players: list[Player], event: Event) -> Games:
    ratings = [p.rating for p in players]
    columns = {
        "white": [w for w, _, _ in triples],
        "black": [b for _, b, _ in triples],
        "score": [s for _, _, s in triples],
        "event": [0] * len(triples),
        "white_rating": [ratings[w] for w, _, _ in triples],
        "black_rating": [ratings[b] for _, b, _ in triples],
    }
    return Games.assemble(columns, players, [event])
