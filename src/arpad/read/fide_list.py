"""FIDE rating lists in all layouts, and FIDE's printout of one player's events."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import polars as pl

from arpad.errors import FormatError, InputError
from arpad.model import PLAYER_SCHEMA, Ratings, schema
from arpad.read.fields import parse_day
from arpad.read.source import decode
from arpad.read.text_table import LINE, finite_number, small_table
from arpad.read.trf import SEXES, TITLES

if TYPE_CHECKING:
    from arpad.read.source import Report, Source


# Columns are found from the heading, so that a list arpad has never seen may still be read.

ROWS = schema({**PLAYER_SCHEMA, "games": pl.Int32, "flag": pl.String})
_WORDS = {
    "id": "id_number idnumber code",
    "name": "name",
    "title": "tit titl title",
    "federation": "fed country",
    "sex": "sex",
    "games": "gms sgm games",
    "k": "sk k",
    "birth": "b-day birthday born",
    "flag": "flag",
    "": "wtit otit foa rrtng rgm rk brtng bgm bk",
}
"""What the headings say, in the order in which they are seen."""
_HEADINGS = {word: name for name, words in _WORDS.items() for word in words.split()} | {"id number": "id"}
MOST_K, LEAST_RATING, FEW = 100, 100, 10
"""No list of FIDE has a larger K or a lower rating; in lists of fewer players than `FEW` any rating is read."""
_RUN_TOGETHER = {"titlfed": 4, "gamesborn": 5}
"""Two words of the headings of 2005 to 2012, and where the second begins."""
HEADING = re.compile(r"^\s*(ID[ _]?NUMBER|CODE)\b.*\bNAME\b", re.IGNORECASE)
ROW = re.compile(
    r"\s*(?P<id>\d{3,9})\s+(?P<name>\S.*?)\s+(?:(?P<title>[a-z]{1,2})\s+)?(?P<federation>[A-Z]{3})\s+(?P<rating>\d{3,4})"
    r"\s+(?P<games>\d{1,3})(?:\s+(?P<birth>[\d.][\d. ]*))?(?:\s+(?P<sex>[MFW]))?(?:\s+(?P<flag>[a-z]{1,2}))?\s*"
)
"""A line of the lists without a heading: JUL03, OCT03, JAN04 and APR05."""
_PERIOD = re.compile(r"(JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)\d{2}|S?RTNG", re.IGNORECASE)
_XML = {name: name for name in ("name", "sex", "title", "rating", "games", "k", "flag")} | {
    "fideid": "id",
    "country": "federation",
    "birthday": "birth",
}


@dataclass(frozen=True, slots=True)
class RatingList:
    """A published rating list: `rows` has one row a player, `period` is its name, such as NOV24."""

    rows: pl.DataFrame
    period: str | None = None

    def ratings(self) -> Ratings:
        """Return the list as ratings to start from."""
        # `games` of a published list are those of its period: not what K goes by
        rows = self.rows.rename({"name": "player", "games": "period_games"}).with_columns(
            pl.col("rating").rank("min", descending=True).cast(pl.Int64).alias("rank")
        )
        return Ratings(
            system="published", rows=rows, parameters={"period": self.period}, source={"players": rows.height}
        )


def read_fide_list(source: Source) -> RatingList:
    """Read a rating list in any of FIDE's layouts."""
    data = source.everything()
    if data.lstrip()[:1] == b"<":
        return _from_xml(data, source.name, source.report)
    text = decode(data, source.name, source.report)
    lines = text.replace("\r", "").split("\n")
    for at, line in enumerate(lines[:20]):
        if HEADING.match(line):
            return _from_lines(lines, at, source.name, source.report)
    if is_headless(lines[:20]):
        source.report.add(
            source.name, 1, "noted", "a list without a heading: its columns were recognised by their content"
        )
        rows = _from_rows(list(enumerate(lines, start=1)), source.name, source.report)
        name = source.name.rsplit("/", 1)[-1]
        named = re.search(r"(JAN|APR|JUL|OCT)\d\d(?=FRL)", name, re.IGNORECASE)
        return RatingList(rows, named[0].upper() if named else None)
    raise FormatError("expected a heading with 'ID Number' or 'ID_NUMBER', found none", file=source.name)


def _columns(heading: str, sample: list[str]) -> dict[str, tuple[int, int | None]]:
    """Say where each column begins and ends.

    In some older files the words of the heading do not stand over their columns: where one of them would
    cut through the data, and the data falls into as many blocks as there are words, the blocks count. Else
    each column begins with its word. Nothing is returned where the rows tell more than the heading.
    """
    words = _words_of(heading)
    blocks = _blocks(sample)
    starts = [start for start, _ in words]
    places: list[tuple[int, int | None]]
    cut = _cut(starts[1:], sample)
    if cut and len(blocks) != len(words) and is_headless(sample):
        return {}
    if cut and len(blocks) == len(words):
        places = [(a, b) for a, b in blocks]
    else:
        places = list(zip([0, *starts[1:]], [*starts[1:], None], strict=True))
    result: dict[str, tuple[int, int | None]] = {}
    for (_, word), place in zip(words, places, strict=True):
        if name := _name_of(word):
            result.setdefault(name, place)
    return result


def _name_of(word: str) -> str | None:
    """Return what a word of a heading means; nothing for what is not wanted, None for what is not known."""
    return _HEADINGS.get(word.lower(), "rating" if _PERIOD.fullmatch(word) else None)


def _words_of(heading: str) -> list[tuple[int, str]]:
    """Return the words of a heading, each with the column at which it begins."""
    words: list[tuple[int, str]] = []
    for result in re.finditer(r"ID[ _]?NUMBER|\S+", heading, re.IGNORECASE):
        at, word = result.start(), result[0]
        if cut := _RUN_TOGETHER.get(word.lower()):
            words += [(at, word[:cut]), (at + cut, word[cut:])]
        else:
            words.append((at, word))
    return words


def is_headless(lines: list[str]) -> bool:
    """Say whether lines are those of a list that has lost its heading."""
    filled = [line for line in lines if line.strip()]
    return len(filled) > 1 and all(map(ROW.fullmatch, filled))


def _from_rows(body: list[tuple[int, str]], file: str, report: Report) -> pl.DataFrame:
    """Read rows by what stands in them, wherever it stands."""
    cells: dict[str, list[str | None]] = {name: [] for name in ROWS}
    for number, line in body:
        result = ROW.fullmatch(line)
        if result is None:
            if line.strip("\x1a \t"):
                report.add(file, number, "skipped", "expected id, name, federation and rating")
            continue
        row = result.groupdict()
        for name in ROWS:
            cells[name].append((row.get(name) or "").strip() or None)
    return _typed(cells)


def _cut(starts: list[int], sample: list[str]) -> bool:
    """Say whether a column that begins with its word would begin inside a word of the data."""
    odd = [sum(" " not in row[at - 1 : at + 1] and len(row) > at for row in sample) for at in starts]
    return any(count > len(sample) // 1000 for count in odd)


def _blocks(sample: list[str]) -> list[tuple[int, int]]:
    """Return the runs of columns that are not blank; one line in a thousand may be out of order."""
    filled = [0] * (max(map(len, sample), default=0) + 1)
    for row in sample:
        for i, letter in enumerate(row):
            filled[i] += letter != " "
    used = [count > len(sample) // 1000 for count in filled]
    edges = [i for i in range(len(used)) if used[i] != (used[i - 1] if i else False)]
    return list(zip(edges[::2], edges[1::2], strict=True))


def _from_lines(lines: list[str], heading: int, file: str, report: Report) -> RatingList:
    body = [(n, line) for n, line in enumerate(lines[heading + 1 :], start=heading + 2) if line.strip()]
    places = _columns(lines[heading], [line for _, line in body[:5000]])
    period = next((m[0].upper() for m in _PERIOD.finditer(lines[heading])), None)
    if not places:
        return RatingList(_from_rows(body, file, report), period)
    if not {"id", "name", "rating"} <= set(places):
        missing = {"id", "name", "rating"} - set(places)
        raise FormatError(f"expected columns {', '.join(sorted(missing))} in the heading", file=file)
    strange = [word for _, word in _words_of(lines[heading]) if _name_of(word) is None]
    if strange:
        why = f"columns that are not known, and not read: {', '.join(strange)}"
        report.add(file, heading + 1, "noted", why)
    cells: dict[str, list[str | None]] = {name: [] for name in ROWS}
    for number, line in body:
        row = {name: line[a:b].strip() for name, (a, b) in places.items()}
        if not row["id"].isdigit():
            report.add(file, number, "skipped", f"expected an id number, found {row['id']!r}")
            continue
        for name in ROWS:
            cells[name].append(row.get(name) or None)
    rows = _typed(cells)
    low = (pl.col("rating") < LEAST_RATING) & (rows.height >= FEW)
    if rows.filter((pl.col("k") > MOST_K) | low).height * 10 > rows.height:
        raise FormatError(
            "the columns of this list are not below their headings", file=file, line=heading + 1
        )
    return RatingList(rows, period)


def _from_xml(data: bytes, file: str, report: Report) -> RatingList:
    cells: dict[str, list[str | None]] = {name: [] for name in ROWS}
    number = 0
    try:
        # Player by player: the whole list as a tree would need gigabytes.
        for _, element in ET.iterparse(io.BytesIO(data)):
            if element.tag != "player":
                continue
            number += 1
            row = {_XML[e.tag]: (e.text or "").strip() for e in element if e.tag in _XML}
            element.clear()
            if not row.get("id", "").isdecimal():
                why = f"player {number}: expected a fideid, found {row.get('id')!r}"
                report.add(file, None, "skipped", why)
                continue
            for name in ROWS:
                cells[name].append(row.get(name) or None)
    except ET.ParseError as error:
        if not cells["id"]:
            raise FormatError(f"expected XML, found a mistake in it: {error}", file=file) from None
        why = f"the XML breaks off behind {number} players: {error}"
        report.add(file, error.position[0], "repaired", why)
    if not cells["id"]:
        raise FormatError("expected <player> elements with a <fideid>, found none", file=file)
    return RatingList(_typed(cells))


def _typed(cells: dict[str, list[str | None]]) -> pl.DataFrame:
    cells["title"] = [TITLES.get(t.lower(), t.upper()) if t else None for t in cells["title"]]
    cells["sex"] = [SEXES.get(s.lower()) if s else None for s in cells["sex"]]
    cells["birth"] = [_birth(b) for b in cells["birth"]]
    frame = pl.DataFrame(cells, schema=dict.fromkeys(ROWS, pl.String))
    return frame.select(pl.col(n).cast(kind, strict=False) for n, kind in ROWS.items()).with_columns(
        pl.when(pl.col("rating") > 0).then("rating").alias("rating")
    )


def _birth(text: str | None) -> str | None:
    if not text:
        return None
    if re.fullmatch(r"\d{4}", text):
        return text if text != "0000" else None
    if result := re.fullmatch(r"(\d{2})\.(\d{2})\.(\d{2})", text):  # 17.01.72: these lists end in 2004
        text = f"{result[1]}.{result[2]}.19{result[3]}"
    day = parse_day(text)
    if day is None and (year := re.search(r"(?<!\d)(1[89]|20)\d\d(?!\d)", text)):
        return year[0]  # 00.00.1972
    return day.isoformat() if day else None


# FIDE's printout of one player's events, as CSV: fed, city, ro, w, n, chg [USCF 1994, 6.1, 6.3].

COLUMNS = {
    "fed": "where it was played",
    "city": "the event",
    "ro": "FIDE rating before",
    "w": "score",
    "n": "games",
    "chg": "score less expected score",
}
"""The columns that are used, in any order and beside any others; `Rc`, `K` and `Kchg` are not needed."""


@dataclass(frozen=True, slots=True)
class PrintoutLine:
    """One event as the printout has it."""

    line: int
    federation: str
    city: str
    rating: float
    score: float
    games: int
    change: float


def read_printout(source: Source) -> list[PrintoutLine]:
    """Return the lines of a printout; whatever cannot be read is an error with its line."""
    file = source.name
    frame = small_table(file, {"ro"}, source.report)
    if missing := [name for name in COLUMNS if name not in frame.columns]:
        why = f"expected the columns {', '.join(COLUMNS)}; found no {', '.join(missing)}"
        raise FormatError(why, file=file, line=1)
    rows = frame.with_columns(pl.col(*COLUMNS).fill_null("").str.strip_chars())
    return [
        _line(row, file, row[LINE])
        for row in rows.iter_rows(named=True)
        if any(row[name] for name in COLUMNS)
    ]


def _line(cells: dict[str, str], file: str, line: int) -> PrintoutLine:
    before, score, games, change = (
        finite_number(cells[name], file, line, f"a number ({COLUMNS[name]}) in {name}")
        for name in ("ro", "w", "n", "chg")
    )
    if games != int(games):
        raise InputError(f"n: expected whole games, found {cells['n']!r}", file=file, line=line)
    return PrintoutLine(line, cells["fed"], cells["city"], before, score, int(games), change)
