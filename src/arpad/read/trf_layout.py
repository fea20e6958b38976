"""The layout of FIDE's tournament report files, TRF16 and TRF26: where what stands.

Columns are counted from 1, as the standard does; both ends belong to the field.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

__all__ = [
    "BYE_POINTS",
    "DEFAULT_POINTS",
    "FIELDS",
    "FIRST_ROUND",
    "HEADERS",
    "ROUND_WIDTH",
    "SEXES",
    "TITLES",
    "TrfPlayer",
    "TrfRound",
    "aligned",
    "birth_date",
    "cell",
]

FIELDS = {
    "number": (5, 8),
    "sex": (10, 10),
    "title": (11, 13),
    "name": (15, 47),
    "rating": (49, 52),
    "federation": (54, 56),
    "id": (58, 68),
    "birth": (70, 79),
    "points": (81, 84),
    "rank": (86, 89),
}
"""The player's line, 001; the same in TRF16 and TRF26."""

FIRST_ROUND, ROUND_WIDTH = 92, 10
"""Round r begins at 92 + 10 (r − 1): opponent 4 wide, colour at +5, result at +7."""

HEADERS = {
    "012": "name",
    "022": "site",
    "032": "federation",
    "042": "start",
    "052": "end",
    "062": "players",
    "072": "rated players",
    "082": "teams",
    "092": "kind",
    "102": "arbiter",
    "112": "deputies",
    "122": "time_control",
    "132": "round_dates",
}

TITLES = {
    "g": "GM",
    "m": "IM",
    "f": "FM",
    "c": "CM",
    "wg": "WGM",
    "wm": "WIM",
    "wf": "WFM",
    "wc": "WCM",
    "gf": "WGM",
    "mf": "WIM",
    "ff": "WFM",
    "cf": "WCM",
}
"""The short titles of older files; the full ones stand for themselves."""

SEXES = {"m": "m", "w": "w", "f": "w"}
"""TRF says m and w; FIDE's lists and some programs say f."""

KNOWN_OTHER = {
    "013",
    "142",
    "152",
    "162",
    "172",
    "182",
    "192",
    "202",
    "212",
    "222",
    "240",
    "250",
} | {
    "260",
    "299",
    "300",
    "310",
    "320",
    "330",
    "352",
    "362",
    "801",
    "802",
}
"""Records that are kept, or read elsewhere in the reader."""

BYE_POINTS = {
    "U": "P",
    "F": "W",
    "+": "W",
    "1": "W",
    "H": "D",
    "=": "D",
    "Z": "A",
    "-": "A",
    "0": "A",
}
"""Without an opponent: which of the event's point values a result code earns."""

DEFAULT_POINTS = {"W": 1.0, "D": 0.5, "L": 0.0, "A": 0.0, "P": 1.0}
"""Win, draw, loss, absence, pairing-allocated bye [TRF26 162]; XXS and BB lines say the same."""


@dataclass(frozen=True, slots=True)
class TrfRound:
    """What one player's line says of one round."""

    opponent: int
    colour: str
    result: str


@dataclass(slots=True)
class TrfPlayer:
    """One 001 line."""

    line: int
    number: int
    text: dict[str, str]
    rounds: list[TrfRound] = field(default_factory=list)


def cell(line: str, name: str) -> str:
    """Return one field of a player's line."""
    first, last = FIELDS[name]
    return line[first - 1 : last].strip()


def birth_date(text: str) -> str | None:
    """Return YYYY, YYYY-MM or YYYY-MM-DD from what stands in the birth field, or None."""
    found = re.match(r"(\d{4})(?:[./-](\d{2})[./-](\d{2}))?$", text.strip())
    if not found or found[1] == "0000":
        return None
    year, month, day = found.groups()
    if not month or month == "00":
        return year
    return f"{year}-{month}" if day == "00" else f"{year}-{month}-{day}"


def aligned(line: str) -> str:
    """Count columns in characters or, as some programs do, in bytes: whichever fits."""
    if line.isascii() or _in_place(line):
        return line
    stretched = line.encode("utf-8").decode("latin-1")
    if not _in_place(stretched):
        return line
    # Cut the name out of the bytes, then put it back as text in a field of the same width.
    first, last = FIELDS["name"]
    name = stretched[first - 1 : last].encode("latin-1").decode("utf-8", errors="replace")
    return stretched[: first - 1] + name.ljust(last - first + 1) + stretched[last:]


def _in_place(line: str) -> bool:
    blocks = [line[i : i + 8] for i in range(FIRST_ROUND - 1, len(line), ROUND_WIDTH)]
    return all(
        re.fullmatch(r"[ \d]{4} [wbWB -]? ?[\w=+ -]?\s*", b) is not None
        for b in blocks
        if b.strip()
    ) and (line[4:8].strip().isdigit())
