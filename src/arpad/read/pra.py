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
from arpad.read.result_words import settle_byes
from arpad.read.source import decode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arpad.read.source import Report, Source


MISSING = "-"
"""The mark of a missing rating; the text itself has none."""
HEAD_LINES = 3
END = -1
"""In the place of both players: the list of games ends here."""


def read_pra(source: Source) -> Games:
    """Read one event."""
    text = decode(source.everything(), source.name, source.report)
    lines = [(number, line.strip()) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
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
    players = [_player(source.name, *line, count) for line in lines[HEAD_LINES:last]]
    what = f"the rating of the world's number two behind {count} players"
    number_two = _rating(source.name, *lines[last], what)
    event = Event(name=name.replace("_", " "), rating_system=system, number_two=number_two)
    triples = list(_triples(lines[last + 1 :], len(players), source.name, source.report))
    games = _games(triples, players, event)
    return settle_byes(games, source.name, source.report, [None] * len(games))[0]


def _player(file: str, number: int, line: str, count: str) -> Player:
    rating, name = (*line.split(None, 1), "")[:2]
    if not name.strip():
        raise InputError(
            f"expected {count} lines with a rating and a name, found {line!r}: a missing rating is written {MISSING!r}",
            file=file,
            line=number,
        )
    return Player(name=name.strip(), rating=_rating(file, number, rating))


def _rating(file: str, number: int, text: str, what: str = "a rating") -> float | None:
    if text == MISSING:
        return None
    try:
        value = float("nan" if "_" in text else text)  # Python reads 2_700 as 2700
    except ValueError:
        value = float("nan")
    if not 0 <= value <= MAX_RATING:
        raise InputError(
            f"expected {what}, up to {MAX_RATING:g}, found {text!r}: a missing rating is written {MISSING!r}",
            file=file,
            line=number,
        )
    return value or None


def _triples(
    lines: list[tuple[int, str]], players: int, file: str, report: Report
) -> Iterator[tuple[int, int, float]]:
    """Yield the games; whatever is none goes to the report with its line."""
    ended = False
    for number, triple in _threes(lines, file, report):
        words = " ".join(triple)
        try:
            white, black, score = _game(triple)
        except ValueError:
            report.add(file, number, "skipped", f"expected 'white black score', found {words!r}")
            continue
        if white == black == END:
            ended = True  # and on, for what may stand behind it
            continue
        if not (1 <= white <= players and 1 <= black <= players):
            why = f"expected player numbers from 1 to {players}, found {white} and {black} in {words!r}"
        elif white == black:
            why = f"player {white} against himself: a game needs two"
        elif not 0 <= score <= 1:
            why = f"expected White's share of the point, a score from 0 to 1, found {triple[2]} in {words!r}"
        else:
            yield white - 1, black - 1, score
            continue
        report.add(file, number, "skipped", why)
    if not ended:
        line = lines[-1][0] if lines else None
        report.add(file, line, "repaired", "the closing -1 -1 -1.0 is missing: is the file complete?")


def _threes(lines: list[tuple[int, str]], file: str, report: Report) -> Iterator[tuple[int, list[str]]]:
    """Yield three words at a time with their line, up to the closing three.

    A triple may go on in the next line. Where one is cut short, the games behind it must not shift: a
    line that is complete starts again.
    """
    waiting: list[tuple[int, str]] = []
    ended = False
    for number, line in lines:
        words = line.split()
        if ended:
            report.add(file, number, "skipped", f"text behind the closing -1 -1 -1.0: {words[0]!r}")
            return
        if waiting and len(words) % 3 == 0 and all(map(_is_game, _chunks(words))):
            yield waiting[0][0], [word for _, word in waiting]
            waiting = []
        waiting += [(number, word) for word in words]
        while len(waiting) >= 3:
            triple = [word for _, word in waiting[:3]]
            rest = waiting[3:]
            if not _is_game(triple) and waiting[0][0] == number and len(rest) % 3:
                triple, rest = [word for _, word in waiting], []
            yield waiting[0][0], triple
            waiting = rest
            if triple[:2] == [str(END)] * 2:
                ended = True
                if waiting:
                    why = f"text behind the closing -1 -1 -1.0: {waiting[0][1]!r}"
                    report.add(file, number, "skipped", why)
                    return
    if waiting and not ended:
        yield waiting[0][0], [word for _, word in waiting]


def _chunks(words: list[str]) -> Iterator[list[str]]:
    return (words[at : at + 3] for at in range(0, len(words), 3))


def _is_game(triple: list[str]) -> bool:
    """Say whether three words look like a game: two whole numbers and a number."""
    try:
        _game(triple)
    except ValueError:
        return False
    return True


def _game(words: list[str]) -> tuple[int, int, float]:
    if len(words) != 3 or any("_" in word for word in words):  # Python reads 1_1 as 11
        raise ValueError
    return int(words[0]), int(words[1]), float(words[2])


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
