"""FIDE rating lists: the old fixed-width files, the present TXT, and the XML.

Columns are found from the heading, so that a list arpad has never seen may still be read.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import polars as pl

from arpad.errors import FormatError
from arpad.model import Ratings
from arpad.read.fields import parse_day
from arpad.read.source import decode
from arpad.read.trf_layout import SEXES, TITLES
from arpad.schema import PLAYER_SCHEMA, schema

if TYPE_CHECKING:
    from arpad.read.report import Report
    from arpad.read.source import Source

__all__ = ["RatingList", "read_fide_list"]

ROWS = schema({**PLAYER_SCHEMA, "games": pl.Int32, "flag": pl.String})

_HEADINGS = {
    "id_number": "id",
    "id number": "id",
    "name": "name",
    "tit": "title",
    "title": "title",
    "fed": "federation",
    "country": "federation",
    "sex": "sex",
    "gms": "games",
    "games": "games",
    "k": "k",
    "b-day": "birth",
    "birthday": "birth",
    "born": "birth",
    "flag": "flag",
    "wtit": "",
    "otit": "",
    "foa": "",
}
_PERIOD = re.compile(
    r"(JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)\d{2}|S?RTNG", re.IGNORECASE
)
_XML = {
    "fideid": "id",
    "name": "name",
    "country": "federation",
    "sex": "sex",
    "title": "title",
    "rating": "rating",
    "games": "games",
    "k": "k",
    "birthday": "birth",
    "flag": "flag",
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
            system="published",
            rows=rows,
            parameters={"period": self.period},
            source={"players": rows.height},
        )


def read_fide_list(source: Source) -> RatingList:
    """Read a rating list in any of FIDE's layouts."""
    data = source.everything()
    if data.lstrip()[:1] == b"<":
        return _from_xml(data, source.name, source.report)
    text = decode(data, source.name, source.report)
    lines = text.replace("\r", "").split("\n")
    for at, line in enumerate(lines[:20]):
        if re.search(r"\bID[ _]NUMBER\b", line, re.IGNORECASE):
            return _from_lines(lines, at, source.name, source.report)
    raise FormatError(
        "expected a heading with 'ID Number' or 'ID_NUMBER', found none", file=source.name
    )


def _columns(heading: str, sample: list[str]) -> dict[str, tuple[int, int | None]]:
    """Say where each column begins and ends.

    In some older files the words of the heading do not stand over their columns: where one of them would
    cut through the data, and the data falls into as many blocks as there are words, the blocks count. Else
    each column begins with its word.
    """
    words = [(m.start(), m[0]) for m in re.finditer(r"ID[ _]NUMBER|\S+", heading, re.IGNORECASE)]
    blocks = _blocks(sample)
    starts = [start for start, _ in words]
    places: list[tuple[int, int | None]]
    if len(blocks) == len(words) and _cut(starts[1:], sample):
        places = [(a, b) for a, b in blocks]
    else:
        places = list(zip([0, *starts[1:]], [*starts[1:], None], strict=True))
    found: dict[str, tuple[int, int | None]] = {}
    for (_, word), place in zip(words, places, strict=True):
        name = _HEADINGS.get(word.lower(), "rating" if _PERIOD.fullmatch(word) else "")
        if name:
            found.setdefault(name, place)
    return found


def _cut(starts: list[int], sample: list[str]) -> bool:
    """Say whether a column that begins with its word would begin inside a word of the data."""
    odd = [
        sum(" " not in row[at - 1 : at + 1] and len(row) > at for row in sample) for at in starts
    ]
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
    body = [
        (n, line) for n, line in enumerate(lines[heading + 1 :], start=heading + 2) if line.strip()
    ]
    places = _columns(lines[heading], [line for _, line in body[:5000]])
    if not {"id", "name", "rating"} <= set(places):
        missing = {"id", "name", "rating"} - set(places)
        raise FormatError(
            f"expected columns {', '.join(sorted(missing))} in the heading", file=file
        )
    cells: dict[str, list[str | None]] = {name: [] for name in ROWS}
    for number, line in body:
        row = {name: line[a:b].strip() for name, (a, b) in places.items()}
        if not row["id"].isdigit():
            report.add(file, number, "skipped", f"expected an id number, found {row['id']!r}")
            continue
        for name in ROWS:
            cells[name].append(row.get(name) or None)
    period = next((m[0].upper() for m in _PERIOD.finditer(lines[heading])), None)
    return RatingList(_typed(cells), period)


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
    return frame.select(
        pl.col(n).cast(kind, strict=False) for n, kind in ROWS.items()
    ).with_columns(pl.when(pl.col("rating") > 0).then("rating").alias("rating"))


def _birth(text: str | None) -> str | None:
    if not text:
        return None
    if re.fullmatch(r"\d{4}", text):
        return text if text != "0000" else None
    if found := re.fullmatch(
        r"(\d{2})\.(\d{2})\.(\d{2})", text
    ):  # 17.01.72: these lists end in 2004
        text = f"{found[1]}.{found[2]}.19{found[3]}"
    day = parse_day(text)
    return day.isoformat() if day else None
