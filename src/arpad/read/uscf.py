"""A USCF crosstable: the text that the federation's pages print, or the same as CSV.

The text has two lines a player::

    1 | ANNA EXAMPLE                    |3.0  |W   4|D   2|L   3|H    |
   NY | 12345678 / R: 1794   ->1817     |N:2  |W    |B    |W    |     |

The CSV has the columns ``pair, points, pre, pre_prov_games, post, post_prov_games, r1 … rN, colours``
and, if wanted, ``name`` and ``id``.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arpad.errors import FormatError
from arpad.model import Event, Games, Player
from arpad.read.collect import MAX_RATING
from arpad.read.result_words import settle_byes
from arpad.read.source import decode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arpad.model import Status
    from arpad.read.source import Report, Source


OPPOSITE = {"W": "L", "L": "W", "D": "D", "X": "F", "F": "X"}
SHARE = {"W": 1.0, "D": 0.5, "L": 0.0, "X": 1.0, "F": 0.0}
BYES = {"B": 1.0, "H": 0.5, "X": 1.0, "F": 0.0, "Z": 0.0}
"""Without an opponent's number: full and half-point bye, forfeits whose opponent is not named."""
MOST_GAMES = 10_000
"""More games than this are not written behind a provisional rating; a damaged file may say so."""
UNPLAYED = ("U", "", "-")


@dataclass(frozen=True, slots=True)
class _UscfRow:
    line: int
    number: int
    name: str
    id: str | None
    points: float | None
    pre: float | None
    pre_games: int | None
    """Games of a provisional rating."""
    rounds: tuple[str, ...]
    colours: str


def read_uscf(source: Source) -> Games:
    """Read one section of an event."""
    text = decode(source.everything(), source.name, source.report)
    first = text.lstrip("\ufeff").split("\n", 1)[0]
    is_csv = first.lower().startswith("pair,")
    try:
        result = list(_csv_rows(text, source.name, source.report) if is_csv else _text_rows(text))
    except csv.Error as error:
        raise FormatError(f"expected a table as CSV: {error}", file=source.name) from None
    rows: dict[int, _UscfRow] = {}
    for row in result:
        if row.number in rows:
            why = f"pairing number {row.number} is in line {rows[row.number].line} already"
            source.report.add(source.name, row.line, "skipped", why)
        else:
            rows[row.number] = row
    if not rows:
        raise FormatError("expected a USCF crosstable, found no player lines", file=source.name)
    return _games(rows, source.name, source.report)


def _csv_rows(text: str, file: str, report: Report) -> Iterator[_UscfRow]:
    for line, cells in enumerate(csv.DictReader(io.StringIO(text)), start=2):
        number = (cells.get("pair") or "").strip()
        if not number.isdecimal():
            report.add(file, line, "skipped", f"expected a pairing number in 'pair', found {number!r}")
            continue
        rounds: list[str] = []
        while (cell := cells.get(f"r{len(rounds) + 1}")) is not None:
            rounds.append(cell.strip().upper())
        yield _UscfRow(
            line,
            int(number),
            cells.get("name") or f"Player {number}",
            cells.get("id") or None,
            _number(cells.get("points")),
            _number(cells.get("pre")),
            _games_of(cells.get("pre_prov_games")),
            tuple(rounds),
            (cells.get("colours") or "").upper(),
        )


def _text_rows(text: str) -> Iterator[_UscfRow]:
    lines = text.split("\n")
    for at, line in enumerate(lines):
        cells = [c.strip() for c in line.split("|")]
        if not (cells[0].isdecimal() and len(cells) > 3 and re.match(r"\d", cells[2])):
            continue
        below = [c.strip() for c in lines[at + 1].split("|")] if at + 1 < len(lines) else []
        card = below[1] if len(below) > 1 else ""
        result = re.match(r"(\d*)\s*/?\s*R?:?\s*(\d*)(?:P(\d+))?", card)
        results = cells[3:-1] if not cells[-1] else cells[3:]  # the line ends in a bar
        rounds = tuple(re.sub(r"\s+", "", c).upper() for c in results)
        colours = "".join((c[:1] or "-") for c in below[3 : 3 + len(rounds)]).upper()
        yield _UscfRow(
            at + 1,
            int(cells[0]),
            cells[1].title(),
            (result[1] or None) if result else None,
            _number(cells[2]),
            _number(result[2]) if result else None,
            _games_of(result[3]) if result else None,
            rounds,
            colours,
        )


def _number(text: str | None) -> float | None:
    result = re.match(r"\d+(\.\d+)?$", (text or "").strip())
    return float(result[0]) if result else None


def _games_of(text: str | None) -> int | None:
    """Return the games of a provisional rating, the 7 in 1234P7; None for an established one."""
    result = _number(text)
    return None if result is None else int(min(result, MOST_GAMES))


def _rating(row: _UscfRow, file: str, report: Report) -> float | None:
    if row.pre is None or 0 < row.pre <= MAX_RATING:
        return row.pre
    if row.pre:
        why = f"expected a rating from 1 to {MAX_RATING:g}, found {row.pre:g}: taken as unrated"
        report.add(file, row.line, "repaired", why)
    return None


def _games(rows: dict[int, _UscfRow], file: str, report: Report) -> Games:
    order = {number: at for at, number in enumerate(rows)}
    table: dict[str, list[object]] = {
        name: [] for name in ("white", "black", "score", "black_score", "status", "round")
    }
    for row in rows.values():
        _check_points(row, file, report)
        for number, cell in enumerate(row.rounds, start=1):
            _take(table, rows, order, row, number, cell, file, report)
    ratings = [_rating(row, file, report) for row in rows.values()]
    columns: dict[str, object] = {
        **table,
        "event": [0] * len(table["white"]),
        "white_rating": [ratings[w] for w in table["white"]],  # type: ignore[call-overload]
        "black_rating": [None if b is None else ratings[b] for b in table["black"]],  # type: ignore[call-overload]
    }
    people = [
        Player(name=r.name, id=r.id, rating=rating, total_games=None if rating is None else r.pre_games)
        for r, rating in zip(rows.values(), ratings, strict=True)
    ]
    games = Games.assemble(columns, people, [Event(name=file.rsplit("/", 1)[-1])])
    lines = [list(rows.values())[w].line for w in table["white"]]  # type: ignore[call-overload]
    games = settle_byes(games, file, report, lines)[0]
    return Games(games.table.sort("round", maintain_order=True), games.players, games.events)


def _take(  # noqa: C901
    table: dict[str, list[object]],
    rows: dict[int, _UscfRow],
    order: dict[int, int],
    row: _UscfRow,
    number: int,
    cell: str,
    file: str,
    report: Report,
) -> None:
    result = re.fullmatch(r"([A-Z-]?)(\d*)", cell)
    if not result:
        report.add(
            file, row.line, "skipped", f"round {number}: expected a result such as W12, found {cell!r}"
        )
        return
    code, opponent = result[1], int(result[2] or 0)
    if not opponent:
        if code in BYES:
            _append(table, order[row.number], None, BYES[code], None, "bye", number)
        elif code not in UNPLAYED:
            report.add(file, row.line, "skipped", f"round {number}: {cell!r} names no opponent")
        return
    if opponent == row.number:
        why = f"round {number}: player {opponent} against himself: a game needs two"
        report.add(file, row.line, "skipped", why)
        return
    other = rows.get(opponent)
    if other is None or code not in OPPOSITE:
        why = "no line of its own" if other is None else f"code {code!r} is not known"
        report.add(file, row.line, "skipped", f"round {number}, {cell!r}: {why}")
        return
    reply = other.rounds[number - 1] if number <= len(other.rounds) else ""
    expected = f"{OPPOSITE[code]}{row.number}"
    if reply != expected:
        if row.number > opponent and reply[1:] == str(row.number):
            return  # reported, and taken, with the line that stands first
        why = (
            f"round {number}: {cell} here, but {reply or 'nothing'} in line {other.line}; this line is taken"
        )
        report.add(file, row.line, "repaired", why)
    elif row.number > opponent:
        return
    status: Status = "forfeit" if code in "XF" else "played"
    colour, theirs = (r.colours[number - 1 : number] for r in (row, other))
    share = SHARE[code]
    if colour == "B" or (colour != "W" and theirs == "W"):
        _append(table, order[opponent], order[row.number], 1 - share, share, status, number)
    else:
        _append(table, order[row.number], order[opponent], share, 1 - share, status, number)


def _append(table: dict[str, list[object]], *values: object) -> None:
    *rest, number = values
    for name, value in zip(table, [*rest, str(number)], strict=True):
        table[name].append(value)


def _check_points(row: _UscfRow, file: str, report: Report) -> None:
    if row.points is None:
        return
    total = 0.0
    for cell in row.rounds:
        code, opponent = cell[:1], cell[1:]
        total += SHARE.get(code, 0.0) if opponent else BYES.get(code, 0.0)
    if abs(total - row.points) > 1e-9:
        why = f"points do not add up: the line says {row.points:g}, its results give {total:g}"
        report.add(file, row.line, "noted", why)
