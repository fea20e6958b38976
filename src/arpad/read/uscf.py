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
from typing import TYPE_CHECKING

from arpad.errors import FormatError
from arpad.read.source import decode
from arpad.read.trf import FIELDS, TrfFile, TrfPlayer, TrfRound

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arpad.model import Games
    from arpad.read.source import Source


RESULTS = {"W": "1", "L": "0", "D": "=", "X": "+", "F": "-"}
"""The federation's results against an opponent, and FIDE's."""
BYES = {"B": "U", "H": "H", "X": "+", "F": "-", "Z": "Z", "U": "", "": "", "-": ""}
"""Without an opponent's number: full and half-point bye, forfeits whose opponent is not named, not paired."""
MOST_GAMES = 10_000
"""More games than this are not written behind a provisional rating; a damaged file may say so."""


def read_uscf(source: Source) -> Games:
    """Read one section of an event; its lines are brought together as those of a TRF file are."""
    text = decode(source.everything(), source.name, source.report)
    first = text.lstrip("\ufeff").split("\n", 1)[0]
    section = TrfFile(source.name, source.report, first_line_counts=True)
    try:
        for line, player, rounds, colours in (
            _csv_rows(text) if first.lower().startswith("pair,") else _rows(text)
        ):
            _take(section, line, player, rounds, colours)
    except csv.Error as error:
        raise FormatError(f"expected a table as CSV: {error}", file=source.name) from None
    if not section.players:
        raise FormatError("expected a USCF crosstable, found no player lines", file=source.name)
    return section.games()


def _csv_rows(text: str) -> Iterator[tuple[int, dict[str, str], list[str], str]]:
    """Yield the line, what is said of the player, the results and the colours of each row."""
    for line, cells in enumerate(csv.DictReader(io.StringIO(text)), start=2):
        rounds: list[str] = []
        while (cell := cells.get(f"r{len(rounds) + 1}")) is not None:
            rounds.append(cell)
        ours = {"number": "pair", "rating": "pre", "provisional": "pre_prov_games"}
        player = {name: cells.get(ours.get(name, name)) or "" for name in ("name", "id", "points", *ours)}
        yield line, player, rounds, cells.get("colours") or ""


def _rows(text: str) -> Iterator[tuple[int, dict[str, str], list[str], str]]:
    lines = [[cell.strip() for cell in line.split("|")] for line in text.split("\n")]
    for at, cells in enumerate(lines):
        if not (cells[0].isdecimal() and len(cells) > 3 and re.match(r"\d", cells[2])):
            continue
        below = lines[at + 1] if at + 1 < len(lines) else []
        card = re.match(r"(\d*)\s*/?\s*R?:?\s*(\d*)(?:P(\d+))?", below[1] if len(below) > 1 else "")
        said = card.groups("") if card else ("", "", "")
        player = {"number": cells[0], "name": cells[1].title(), "points": cells[2]}
        player |= zip(("id", "rating", "provisional"), said, strict=True)
        rounds = cells[3:-1] if not cells[-1] else cells[3:]  # the line ends in a bar
        yield at + 1, player, rounds, "".join((c[:1] or "-") for c in below[3 : 3 + len(rounds)])


def _take(section: TrfFile, line: int, player: dict[str, str], rounds: list[str], colours: str) -> None:
    """Enter a player with the results as TRF writes them."""
    number = player["number"].strip()
    if not number.isdecimal():
        why = f"expected a pairing number in 'pair', found {number!r}"
        section.report.add(section.file, line, "skipped", why)
        return
    if earlier := section.players.get(int(number)):
        why = f"pairing number {number} is in line {earlier.line} already"
        section.report.add(section.file, line, "skipped", why)
        return
    text = dict.fromkeys(FIELDS, "") | player
    for name in ("points", "rating", "provisional"):
        found = re.fullmatch(r"\d+(\.\d+)?", text[name].strip())
        text[name] = f"{float(found[0]):g}" if found else ""
    if text["provisional"]:
        text["provisional"] = str(int(min(float(text["provisional"]), MOST_GAMES)))
    entry = TrfPlayer(line, int(number), text)
    for at, cell in enumerate(rounds, start=1):
        colour = {"W": "w", "B": "b"}.get(colours[at - 1 : at].upper(), "")
        entry.rounds.append(_round(section, line, at, "".join(cell.split()).upper(), colour))
    section.players[entry.number] = entry


def _round(section: TrfFile, line: int, at: int, cell: str, colour: str) -> TrfRound:
    """Return a result such as W12 as TRF has it; what is none is reported, and nothing was played."""
    found = re.fullmatch(r"([A-Z-]?)(\d*)", cell)
    code, opponent = (found[1], int(found[2] or 0)) if found else ("", 0)
    if opponent and code in RESULTS:
        return TrfRound(opponent, colour, RESULTS[code])
    if found and not opponent and code in BYES:
        return TrfRound(0, "", BYES[code])
    if not found:
        why = f"round {at}: expected a result such as W12, found {cell!r}"
    elif opponent:
        why = f"round {at}, {cell!r}: code {code!r} is not known"
    else:
        why = f"round {at}: {cell!r} names no opponent"
    section.report.add(section.file, line, "skipped", why)
    return TrfRound(0, "", "")
