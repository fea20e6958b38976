"""A rating list in FIDE's layouts: the present TXT of one time control, and the XML.

What is written here `read.fide_list` reads back to the same ids, names, ratings, games and K. Both layouts
have whole ratings, years of birth and ids of digits; whoever has no id of FIDE stands with the ledger's number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from arpad.errors import UsageError
from arpad.publish.list_sheet import plain_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arpad.publish.list_sheet import ListSheet

__all__ = ["FideRow", "fide_losses", "fide_rows", "list_fide_txt", "list_fide_xml", "period"]

LAYOUT = (
    ("ID Number", 15),
    ("Name", 61),
    ("Fed", 4),
    ("Sex", 4),
    ("Tit", 5),
    ("WTit", 5),
    ("OTit", 15),
    ("FOA", 4),
    ("", 6),  # the month, such as NOV26
    ("Gms", 4),
    ("K", 3),
    ("B-day", 6),
    ("Flag", 5),
)
"""Heading and width of each column, the blank behind it included; as in FIDE's files since 2012."""
MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
SEXES = {"m": "M", "w": "F"}
TITLES = ("GM", "IM", "FM", "CM", "WGM", "WIM", "WFM", "WCM")
MOST = {"rating": 99_999, "games": 999, "k": 99}
"""The greatest numbers for which the text has room."""
ROOM = LAYOUT[1][1] - 1
"""Letters of a name in the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FideRow:
    """One player as FIDE's files have him: everything is text."""

    id: str
    name: str
    federation: str
    sex: str
    title: str
    rating: str
    games: str
    k: str
    birth: str
    flag: str

    @property
    def woman_title(self) -> str:
        """Return a women's title, which stands in two columns."""
        return self.title if self.title.startswith("W") else ""


def period(sheet: ListSheet) -> str:
    """Return the month of a list, as FIDE's headings have it: NOV26."""
    day = sheet.effective or sheet.closing
    return f"{MONTHS[day.month - 1]}{day.year % 100:02}"


def fide_rows(sheet: ListSheet) -> list[FideRow]:
    """Return the players by name, as FIDE sorts them; ids are checked to be unlike."""
    rows = [_row(r) for r in sheet.rows.iter_rows(named=True)]
    _check_ids(rows)
    return sorted(rows, key=lambda r: (r.name.casefold(), r.name, len(r.id), r.id))


def list_fide_txt(sheet: ListSheet) -> bytes:
    """Return the list as FIDE's fixed-width text, in UTF-8."""
    names = [name or period(sheet) for name, _ in LAYOUT]
    lines = [_line(names)]
    lines += [
        _line(
            (r.id, r.name, r.federation, r.sex, r.title, r.woman_title, "", "",
             r.rating or "0", r.games or "0", r.k, r.birth or "0000", r.flag)
        )
        for r in fide_rows(sheet)
    ]  # fmt: skip
    return ("\n".join(lines) + "\n").encode(errors="replace")


def list_fide_xml(sheet: ListSheet) -> bytes:
    """Return the list as FIDE's XML."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<playerslist>"]
    for r in fide_rows(sheet):
        cells = (
            ("fideid", r.id), ("name", r.name), ("country", r.federation), ("sex", r.sex),
            ("title", r.title), ("w_title", r.woman_title), ("o_title", ""), ("foa_title", ""),
            ("rating", r.rating or "0"), ("games", r.games or "0"), ("k", r.k),
            ("birthday", r.birth), ("flag", r.flag),
        )  # fmt: skip
        inside = "".join(f"<{tag}>{escape(text)}</{tag}>" for tag, text in cells)
        lines.append(f"<player>{inside}</player>")
    lines.append("</playerslist>")
    return ("\n".join(lines) + "\n").encode(errors="replace")


def fide_losses(sheet: ListSheet, *, text: bool) -> list[str]:
    """Say what FIDE's layouts cannot carry of a list; in the text names have less room."""
    rows = sheet.rows
    own = rows["id"].fill_null("").str.contains(r"^[0-9]+$")
    foreign = rows["title"].is_not_null() & ~rows["title"].str.to_uppercase().is_in(TITLES)
    outside = [(rows[c] < 0) | (rows[c] > most) for c, most in MOST.items()]
    found = [
        (sheet.unrounded(), "with a rating that was rounded to whole points"),
        (int((~own).sum()), "with the ledger's number, for want of an id of FIDE"),
        (int(foreign.sum()), "with a title that FIDE does not give: left out"),
        (int(sum(s.fill_null(False).sum() for s in outside)), "with a figure too small or too large"),
        (int((rows["name"].str.len_chars() > ROOM).sum()) if text else 0,
         f"with a name of more than {ROOM} letters, cut"),
    ]  # fmt: skip
    return [f"{n:,} player{'' if n == 1 else 's'} {words}" for n, words in found if n]


def _line(cells: Sequence[str]) -> str:
    # One character less than the width: a blank stays between two columns.
    parts = [text[: width - 1].ljust(width) for text, (_, width) in zip(cells, LAYOUT, strict=True)]
    return "".join(parts).rstrip()


def _row(row: Mapping[str, object]) -> FideRow:
    woman = row["sex"] == "w"
    inactive = row["status"] == "inactive"
    title = plain_text(_text(row["title"])).upper()
    return FideRow(
        id=_id(row),
        name=plain_text(_text(row["name"])),
        federation=plain_text(_text(row["federation"])).upper()[:3],
        sex=SEXES.get(_text(row["sex"]), ""),
        title=title if title in TITLES else "",
        rating=_whole(row["rating"], MOST["rating"]),
        games=_whole(row["games"], MOST["games"]),
        k=_whole(row["k"], MOST["k"]),
        birth=_text(row["birth"])[:4],
        flag=("w" if woman else "") + ("i" if inactive else ""),
    )


def _id(row: Mapping[str, object]) -> str:
    given = plain_text(_text(row["id"]))
    if given.isascii() and given.isdigit():
        return given
    if row["number"] is None:
        raise UsageError(
            f"expected an id of digits for {_text(row['name'])!r}, found {given!r} and no number in the ledger: "
            "FIDE's layouts want one"
        )
    return str(row["number"])


def _check_ids(rows: Sequence[FideRow]) -> None:
    seen: dict[str, str] = {}
    for r in rows:
        if r.id in seen:
            raise UsageError(
                f"expected ids that are unlike, found {r.id} for {seen[r.id]!r} and for {r.name!r}: an id of FIDE is "
                "another player's number in the ledger; --ids ledger gives everybody the ledger's number"
            )
        seen[r.id] = r.name


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _whole(value: object, most: int) -> str:
    """Return a number without decimals, halves away from zero; what does not fit is the most that does."""
    if value is None:
        return ""
    number = float(str(value))
    if not math.isfinite(number):
        return ""
    return str(max(0, min(most, math.floor(number + 0.5))))
