"""Games as people write them down: a line for each, ``Alt, Jo - Bau, Bo 1-0``, or a table without headings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import counted
from arpad.read.fields import read_dates
from arpad.read.result_words import is_bye, read_result
from arpad.read.text_table import LINE, section_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arpad.read.source import Report


_BOARD = r"\s*(?:\(?\d{1,3}[.):]?\s+|\d{1,3}[.)])?"
_NAME = r"[^\W\d_][^\d()\[\]{};|/:\t]*?"
_RATED = r"(?:\s*[(\[]\s*(?P<{0}_rating>\d{{3,4}})\s*[)\]])?"
_WHITE, _BLACK = (f"(?P<{side}>{_NAME}){_RATED.format(side)}" for side in ("white", "black"))
_BETWEEN = r"\s+(?:[-–—]|vs?\.?|gegen|contre|contra|contro|tegen|против|przeciw|mot|proti|ellen)\s+"
_POINTS = r"(?:1/2|½|[01](?:[.,][05])?|\+|-)"
_RESULT = rf"(?P<result>{_POINTS}\s*[-–—:]\s*{_POINTS}(?:\s*(?:ff?|k))?|½|1/2|[^\W\d_]+)"
_LINES = [
    re.compile(rf"{_BOARD}{pattern}\s*\.?\s*", re.IGNORECASE)
    for pattern in (rf"{_WHITE}{_BETWEEN}{_BLACK}\s*[:,;]?\s+{_RESULT}", rf"{_WHITE}\s+{_RESULT}\s+{_BLACK}")
]
_PAIRING = re.compile(rf"\s*{_WHITE}{_BETWEEN}{_BLACK}\s*", re.IGNORECASE)
_SIDES = ("white", "black")
AGREEING = 0.75
"""The share of lines below the first game, at least, that are games, rounds or empty."""


def _game(line: str) -> dict[str, str | None] | None:
    """Return the players, their ratings and the result in a line; None where it is no game."""
    for pattern in _LINES:
        found = pattern.fullmatch(line)
        outcome = read_result(found["result"]) if found else None
        if found and outcome and (not found["result"].isalpha() or outcome.score == 0.5):
            return found.groupdict()
    return None


def is_written_out(lines: Sequence[str]) -> bool:
    """Say whether some lines are games written one after the other."""
    return sum(_game(line) is not None for line in lines) >= 2


def games_in_lines(text: str, file: str, report: Report) -> pl.DataFrame | None:
    r"""Return the games of a text with a line for each, None where it is no such text.

    Examples
    --------
    >>> from arpad.read.source import Report
    >>> text = "Round 2\nAlt, Jo (1850) - Bau, Bo 1-0\n2. Cem ½-½ Dorn"
    >>> games_in_lines(text, "night.txt", Report()).select("white", "black", "result", "round").rows()
    [('Alt, Jo', 'Bau, Bo', '1-0', '2'), ('Cem', 'Dorn', '½-½', '2')]
    """
    rows: list[dict[str, str | int | None]] = []
    section: dict[str, str] = {}
    others: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        if game := _game(line):
            rows.append({**game, **section, LINE: number})
        elif said := section_of(line):
            section |= said
        elif rows:
            others.append((number, line.strip()))
    if len(rows) < 2 or len(rows) < AGREEING * (len(rows) + len(others)):
        return None
    report.add(file, 1, "noted", f"no table: a line for each of {counted(len(rows), 'game')}, White first")
    whys = (f"expected a game such as 'Alt - Bau 1-0', found {line[:60]!r}" for _, line in others)
    report.each(file, "skipped", (number for number, _ in others), whys, named=True)
    names = [*_SIDES, "result", "white_rating", "black_rating", "round", "date"]
    columns = {name: [row.get(name) for row in rows] for name in names}
    frame = pl.DataFrame(columns, schema=dict.fromkeys(names, pl.String))
    known = [name for name in names if name in (*_SIDES, "result") or frame[name].null_count() < len(rows)]
    return frame.select(known).with_columns(pl.Series(LINE, [row[LINE] for row in rows], dtype=pl.Int64))


def games_without_headings(frame: pl.DataFrame, file: str, report: Report) -> pl.DataFrame | None:
    """Return the games of a table without headings; None where its columns do not say which is which.

    It has one column of results, and two of names: those of White, then those of Black.
    """
    kinds: dict[str, list[str]] = {"name": [], "result": [], "date": []}
    columns = [name for name in frame.columns if name != LINE]
    for name in columns:
        cells = [cell.strip() for cell in frame[name].drop_nulls() if cell.strip()]
        if kind := _kind(cells):
            kinds[kind].append(name)
    if len(kinds["name"]) != 2 or len(kinds["result"]) != 1:
        return None
    white, black = kinds["name"]
    chosen = {"white": white, "black": black, "result": kinds["result"][0]}
    if len(kinds["date"]) == 1:
        chosen["date"] = kinds["date"][0]
    places = [f"{columns.index(theirs) + 1} {ours}" for ours, theirs in chosen.items()]
    rest = [str(at) for at, name in enumerate(columns, start=1) if name not in chosen.values()]
    why = f"no headings: columns {', '.join(places)}" + (f"; not read: {', '.join(rest)}" if rest else "")
    report.add(file, int(frame[LINE][0]), "noted", why)
    return frame.select(*(pl.col(theirs).alias(ours) for ours, theirs in chosen.items()), LINE)


def split_pairings(column: pl.Series) -> list[pl.Series] | None:
    """Return White and Black where every cell of a column names both: ``Alt - Bau``, ``Ann vs Bob``."""
    cells = [cell for cell in column.drop_nulls() if cell.strip()]
    if len(cells) < 2 or not all(map(_PAIRING.fullmatch, cells)):
        return None
    found = [_PAIRING.fullmatch(cell or "") for cell in column]
    return [pl.Series(side, [m and m[side].strip() for m in found], dtype=pl.String) for side in _SIDES]


def _kind(cells: Sequence[str]) -> str | None:
    """Return whether a column has results, days or names, None where it has something else."""
    if len(cells) < 2:
        return None
    if all(re.search(r"\S\s*[-:–—½/]\s*\S|½", cell) and read_result(cell) for cell in cells):
        return "result"
    if (read_dates(pl.Series(cells), "dmy")["precision"] == "day").fill_null(False).all():
        return "date"
    named = [cell for cell in cells if re.search(r"[^\W\d_]{2}", cell) and not read_result(cell)]
    several = len(set(cells)) > max(1, len(cells) // 10)
    return "name" if several and all(cell in named or is_bye(cell) for cell in cells) else None
