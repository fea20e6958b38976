"""A rating list as a file: CSV, HTML, PDF, XLSX, ODS, FIDE's TXT and XML."""

from __future__ import annotations

import io
import math
from base64 import b64encode
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args
from xml.sax.saxutils import escape

import polars as pl

from arpad.errors import UsageError
from arpad.files import write_bytes
from arpad.model import filled, schema
from arpad.publish.language import MINUS, Letterhead
from arpad.publish.output import ods_bytes, plain_text, safe_csv
from arpad.publish.tables import HEADINGS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import date


# A rating list as CSV: every column, every digit, for programs and spreadsheets.


def list_csv(sheet: ListSheet) -> bytes:
    """Return the list as CSV in UTF-8; columns are the same whatever is known."""
    return safe_csv(sheet.rows).encode(errors="replace")


# A rating list as it goes out: its rows, and what stands above them.

ListState = Literal["draft", "published", "correction"]
COLUMNS = schema(
    {
        "rank": pl.Int64,  # equal ratings share it; null: not ranked
        "number": pl.Int64,  # of the player in the ledger
        "id": pl.String,  # FIDE's, where it is known
        "name": pl.String,  # as published
        "title": pl.String,
        "federation": pl.String,
        "sex": pl.String,  # m, w
        "birth": pl.String,  # YYYY, YYYY-MM or YYYY-MM-DD; every format but CSV shows the year alone
        "rating": pl.Float64,
        "change": pl.Float64,  # since the list before
        "games": pl.Int64,  # of the period
        "total_games": pl.Int64,
        "deviation": pl.Float64,
        "k": pl.Float64,
        "status": pl.String,  # provisional, established, inactive, …
    }
)
"""Columns of a list; a missing value is null."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListSheet:
    """One list, ready to be written in any format.

    Parameters
    ----------
    rows
        Any of `COLUMNS`, `name` and `rating` at least. They are put in order: by rank, then name, then number.

    Examples
    --------
    >>> from datetime import date
    >>> rows = pl.DataFrame({"rank": [2, 1], "name": ["Bo", "Al"], "rating": [1500.0, 1600.0]})
    >>> sheet = ListSheet(name="2026-11", policy="club", closing=date(2026, 10, 31), rows=rows)
    >>> sheet.rows["name"].to_list(), sheet.heading()
    (['Al', 'Bo'], 'Rating list 2026-11')
    """

    name: str
    policy: str
    closing: date
    rows: pl.DataFrame
    state: ListState = "published"
    system: str | None = None
    effective: date | None = None
    """First day on which it holds; None: the day after closing is as good as any."""
    time_control: str | None = None
    face: str = ""
    """Version of a corrected list: with correction 1, or as first published."""
    total: int | None = field(default=None)
    """Players of the whole list, where `rows` are its top only."""
    letterhead: Letterhead = field(default_factory=Letterhead)
    """The club, its logo, and the language of HTML, PDF and spreadsheets."""

    def __post_init__(self) -> None:
        missing = {"name", "rating"} - set(self.rows.columns)
        if missing:
            raise UsageError(f"expected rows with name and rating, found none called {sorted(missing)}")
        known = {c: self.rows[c] for c in COLUMNS if c in self.rows.columns}
        rows = filled(known, COLUMNS).sort("rank", "name", "number", nulls_last=True)
        object.__setattr__(self, "rows", rows)

    def top(self, count: int | None) -> ListSheet:
        """Return the list with its first players only; those of the last rank stay together."""
        if count is None or count >= self.rows.height:
            return self
        last = self.rows["rank"][count - 1]
        ranked = pl.col("rank") <= last if last is not None else pl.int_range(pl.len()) < count
        rows = self.rows.filter(ranked)
        return replace(self, rows=rows, total=self.total or self.rows.height)

    def heading(self) -> str:
        """Return what the list is called."""
        head = self.letterhead
        return head.title or head.language("Rating list {name}", name=self.name)

    def subtitle(self) -> str:
        """Return the policy, the days, the number of players, and whether it holds."""
        say = self.letterhead.language
        count = self.rows.height
        players = say.count("{n} player", "{n} players", count)
        if self.total is not None and self.total > count:
            shown = say.number(f"{count:,}")
            players = say.count(
                "the first {count} of {n} player", "the first {count} of {n} players", self.total, count=shown
            )
        by = None if self.system in (None, self.policy) else say("by {system}", system=self.system)
        words = [
            f"{self.policy}, {by}" if by else self.policy,
            say(self.time_control or ""),
            say("events to {day}", day=say.day(self.closing)),
            say("in force from {day}", day=say.day(self.effective)) if self.effective else None,
            players,
        ]
        return " · ".join(w for w in words if w)

    def mark(self) -> str:
        """Return what a reader must not miss: that it is a draft, a correction, or was corrected."""
        return self.letterhead.language(
            {
                "draft": "Draft: not published, and it may change.",
                "published": f"Figures {self.face}." if self.face else "",
                "correction": "Correction of a published list.",
            }[self.state]
        )

    def column(self, name: str, *, short: bool = True) -> str:
        """Return the heading of a column; `short` where there is little room."""
        text = HEADINGS.get(name, name.replace("_", " "))
        return self.letterhead.language(SHORT.get(name, text) if short else text)

    def unrounded(self) -> int:
        """Return how many ratings are not whole."""
        return int((self.rows["rating"] != self.rows["rating"].round(0)).sum())

    def shown(self) -> list[str]:
        """Return the columns that say anything; rank, name and rating always."""
        return [c for c in COLUMNS if c in ("rank", "name", "rating") or not self.rows[c].is_null().all()]


# A rating list in FIDE's layouts: the present TXT of one time control, and the XML.
#
# What is written here `read.rating_list` reads back to the same ids, names, ratings, games and K. Both layouts
# have whole ratings, years of birth and ids of digits; a player without a FIDE id has the ledger's number.

LAYOUT = (
    ("fideid", "ID Number", 15),
    ("name", "Name", 61),
    ("country", "Fed", 4),
    ("sex", "Sex", 4),
    ("title", "Tit", 5),
    ("w_title", "WTit", 5),
    ("o_title", "OTit", 15),
    ("foa_title", "FOA", 4),
    ("rating", "", 6),  # the heading is the month, such as NOV26
    ("games", "Gms", 4),
    ("k", "K", 3),
    ("birthday", "B-day", 6),
    ("flag", "Flag", 5),
)
"""Tag in the XML, heading in the text, and width there of each column, the blank behind it included."""
FideRow = dict[str, str]
"""One player as FIDE's files have him, by tag."""
MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
SEXES = {"m": "M", "w": "F"}
TITLES = ("GM", "IM", "FM", "CM", "WGM", "WIM", "WFM", "WCM")
EMPTY = {"rating": "0", "games": "0", "birthday": "0000"}
"""What stands in the text where a figure is unknown."""
MOST = {"rating": 99_999, "games": 999, "k": 99}
"""The greatest numbers for which the text has room."""
ROOM = LAYOUT[1][2] - 1
"""Letters of a name in the text."""


def period(sheet: ListSheet) -> str:
    """Return the month of a list, as FIDE's headings have it: NOV26."""
    day = sheet.effective or sheet.closing
    return f"{MONTHS[day.month - 1]}{day.year % 100:02}"


def fide_rows(sheet: ListSheet) -> list[FideRow]:
    """Return the players by name, as FIDE sorts them; ids are checked to be unlike."""
    rows = [_row(r) for r in sheet.rows.iter_rows(named=True)]
    _check_ids(rows)
    return sorted(rows, key=lambda r: (r["name"].casefold(), r["name"], len(r["fideid"]), r["fideid"]))


def list_fide_txt(sheet: ListSheet) -> bytes:
    """Return the list as FIDE's fixed-width text, in UTF-8."""
    head = _line([name or period(sheet) for _, name, _ in LAYOUT])
    lines = [_line([r[tag] or EMPTY.get(tag, "") for tag, _, _ in LAYOUT]) for r in fide_rows(sheet)]
    return ("\n".join([head, *lines]) + "\n").encode(errors="replace")


def list_fide_xml(sheet: ListSheet) -> bytes:
    """Return the list as FIDE's XML."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<playerslist>"]
    for r in fide_rows(sheet):
        zeros = {tag: r[tag] or "0" for tag in ("rating", "games")}
        inside = "".join(f"<{tag}>{escape(text)}</{tag}>" for tag, text in (r | zeros).items())
        lines.append(f"<player>{inside}</player>")
    lines.append("</playerslist>")
    return ("\n".join(lines) + "\n").encode(errors="replace")


def fide_losses(sheet: ListSheet, *, text: bool) -> list[str]:
    """Say what FIDE's layouts cannot carry of a list; in the text names have less room."""
    rows = sheet.rows
    own = rows["id"].fill_null("").str.contains(r"^[0-9]+$")
    foreign = rows["title"].is_not_null() & ~rows["title"].str.to_uppercase().is_in(TITLES)
    outside = [(rows[c] < 0) | (rows[c] > most) for c, most in MOST.items()]
    result = [
        (sheet.unrounded(), "with a rating that was rounded to whole points"),
        (int((~own).sum()), "with the ledger's number, without a FIDE id"),
        (int(foreign.sum()), "with a title that FIDE does not give: left out"),
        (int(sum(s.fill_null(False).sum() for s in outside)), "with a figure too small or too large"),
        (
            int((rows["name"].str.len_chars() > ROOM).sum()) if text else 0,
            f"with a name of more than {ROOM} letters, cut",
        ),
    ]
    return [f"{n:,} player{'' if n == 1 else 's'} {words}" for n, words in result if n]


def _line(cells: Sequence[str]) -> str:
    # One character less than the width: a blank stays between two columns.
    parts = [text[: width - 1].ljust(width) for text, (_, _, width) in zip(cells, LAYOUT, strict=True)]
    return "".join(parts).rstrip()


def _row(row: Mapping[str, object]) -> FideRow:
    title = plain_text(_text(row["title"])).upper()
    title = title if title in TITLES else ""
    return {
        "fideid": _id(row),
        "name": plain_text(_text(row["name"])),
        "country": plain_text(_text(row["federation"])).upper()[:3],
        "sex": SEXES.get(_text(row["sex"]), ""),
        "title": title,
        "w_title": title if title.startswith("W") else "",
        "o_title": "",
        "foa_title": "",
        **{name: _whole(row[name], most) for name, most in MOST.items()},
        "birthday": _text(row["birth"])[:4],
        "flag": ("w" if row["sex"] == "w" else "") + ("i" if row["status"] == "inactive" else ""),
    }


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
        number, name = r["fideid"], r["name"]
        if number in seen:
            raise UsageError(
                f"expected ids that are unlike, found {number} for {seen[number]!r} and for {name!r}: an id of FIDE is "
                "another player's number in the ledger",
                code="ids-clash",
            )
        seen[number] = name


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


# A rating list as a page: HTML in one file, fit to print, and the same as PDF.

LEFT_OUT = ("number", "sex", "k")
"""Columns that a notice board does not need."""
SHORT = {"total_games": "in all", "federation": "fed.", "deviation": "±", "birth": "born"}
SIGNED = ("change",)
LIST_PAGE_MOST = 2000
"""Players of a PDF: about forty pages."""


def list_html(sheet: ListSheet) -> bytes:
    """Return the list as HTML: no script, no network, light and dark."""
    return _page(sheet).encode(errors="replace")


def list_pdf(sheet: ListSheet) -> bytes:
    """Return the list as PDF, A4."""
    from arpad.publish.output import PageSection
    from arpad.publish.pdf import pdf

    if sheet.rows.height > LIST_PAGE_MOST:
        most = _that_fit(sheet)
        raise UsageError(
            f"expected at most {LIST_PAGE_MOST:,} players for a PDF, found {sheet.rows.height:,}",
            code="too-many-for-pdf" if most else "tied-for-pdf",
            fields={"most": most},
        )
    names, whole = _list_columns(sheet)
    rows = sheet.rows.select(
        pl.col(c) if c in whole else pl.Series(c, _texts(sheet, c, None), dtype=pl.String) for c in names
    ).rename({c: SHORT[c] for c in names if c in SHORT})
    digits = {SHORT.get(c, c): 0 if exact else 1 for c, exact in whole.items()}
    details = [plain_text(t) for t in (sheet.letterhead.club, sheet.subtitle(), sheet.mark()) if t]
    sections = [PageSection("", table=rows, digits=digits)]
    return pdf(plain_text(sheet.heading()), details, sections, letterhead=sheet.letterhead)


def _list_columns(sheet: ListSheet) -> tuple[list[str], dict[str, bool]]:
    """Return the columns that are shown, and of those with numbers whether all are whole."""
    names = [c for c in sheet.shown() if c not in LEFT_OUT]
    whole = {
        c: COLUMNS[c].is_integer() or bool((sheet.rows[c] == sheet.rows[c].round(0)).all())
        for c in names
        if COLUMNS[c].is_numeric()
    }
    return names, whole


def _that_fit(sheet: ListSheet) -> int:
    """Return how many of the first players fit, those of the last rank together."""
    last = sheet.rows["rank"][LIST_PAGE_MOST]
    return LIST_PAGE_MOST if last is None else sheet.rows.filter(pl.col("rank") < last).height


def _page(sheet: ListSheet) -> str:
    import jinja2

    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    template = environment.from_string(
        (files("arpad.publish") / "templates" / "rating_list.html").read_text("utf-8")
    )
    names, whole = _list_columns(sheet)
    columns = [{"name": c, "text": sheet.column(c), "numeric": c in whole} for c in names]
    cells = [_texts(sheet, c, whole.get(c)) for c in names]
    head = sheet.letterhead
    return template.render(
        title=plain_text(sheet.heading()),
        subtitle=plain_text(sheet.subtitle()),
        mark=sheet.mark(),
        columns=columns,
        rows=list(zip(*cells, strict=True)),
        created=sheet.closing.isoformat(),
        club=plain_text(head.club),
        logo=f"data:image/{head.logo_kind};base64,{b64encode(head.logo).decode()}" if head.logo else "",
        say=head.language,
    )


def _texts(sheet: ListSheet, name: str, whole: bool | None) -> list[str]:
    values, say = sheet.rows[name].to_list(), sheet.letterhead.language
    if name == "status":
        return [say(plain_text(v)) for v in values]
    if whole is None:
        return [plain_text(_year(name, v or "")) for v in values]
    sign = "+" if name in SIGNED else ""
    form = f"{sign}.{0 if whole else 1}f"
    texts = ["" if v is None else say.number(_number(float(v), form)) for v in values]
    return [text.replace("-", MINUS) for text in texts]


def _number(value: float, form: str) -> str:
    text = format(value, form)
    plain = text.strip("+-0.") == ""  # no +0, no −0.0
    return text.lstrip("+-") if plain else text.replace("-", "−")


# A rating list as a workbook: numbers are numbers, names are text and never a formula.

LIST_XLSX_MOST = 1_048_575
"""Rows that a sheet has below its heading."""
NARROW, WIDE = 6, 48
"""Characters that a column is wide, at least and at most."""
SAMPLE = 2000
"""Rows that its width is taken from."""
FORMATS = {"change": "+0;-0;0", "rating": "0", "deviation": "0", "k": "0"}
FINE = {"change": "+0.0;-0.0;0", "rating": "0.0", "deviation": "0.0", "k": "0.#"}
"""Columns that are printed whole unless one of their numbers is not."""


def list_xlsx(sheet: ListSheet) -> bytes:
    """Return the list as XLSX: a sheet with the players, and one on what list it is."""
    import xlsxwriter

    if sheet.rows.height > LIST_XLSX_MOST:
        raise UsageError(
            f"expected at most {LIST_XLSX_MOST:,} players for XLSX, found {sheet.rows.height:,}",
            code="too-many-for-xlsx",
        )
    memory = io.BytesIO()
    book = xlsxwriter.Workbook(memory, {"in_memory": True, "strings_to_formulas": False})
    # The list's own day: a file of the same list is the same to the byte.
    day = datetime(sheet.closing.year, sheet.closing.month, sheet.closing.day, tzinfo=UTC)
    book.set_properties(
        {
            "title": plain_text(sheet.heading()),
            "subject": plain_text(sheet.subtitle()),
            "created": day.replace(tzinfo=None),
        }
    )
    _players(book, sheet)
    _about(book, sheet)
    book.close()
    return memory.getvalue()


def list_ods(sheet: ListSheet) -> bytes:
    """Return the list as an OpenDocument spreadsheet: the same sheets as XLSX."""
    say, shown = sheet.letterhead.language, sheet.shown()
    columns = [sheet.rows[c].to_list() if COLUMNS[c].is_numeric() else _texts(sheet, c, None) for c in shown]
    head = [sheet.column(c, short=False) for c in shown]
    return ods_bytes({say("List"): [head, *zip(*columns, strict=True)], say("About"): _about_lines(sheet)})


def _players(book: Any, sheet: ListSheet) -> None:
    page = book.add_worksheet(sheet.letterhead.language("List"))
    head = book.add_format({"bold": True, "bottom": 1, "valign": "top"})
    right = book.add_format({"bold": True, "bottom": 1, "valign": "top", "align": "right"})
    shown = sheet.shown()
    for at, name in enumerate(shown):
        numeric = COLUMNS[name].is_numeric()
        title = sheet.column(name, short=False)
        page.write_string(0, at, title, right if numeric else head)
        whole = not numeric or bool((sheet.rows[name] == sheet.rows[name].round(0)).all())
        pattern = (FORMATS if whole else FINE).get(name)
        page.set_column(
            at, at, _width(sheet, name, title), book.add_format({"num_format": pattern or "General"})
        )
        for row, value in _cells(sheet, name):
            if numeric:
                page.write_number(row, at, value)
            else:
                page.write_string(row, at, value)
    page.freeze_panes(1, shown.index("name") + 1)
    page.autofilter(0, 0, max(sheet.rows.height, 1), len(shown) - 1)
    page.repeat_rows(0)
    page.set_paper(9)  # A4
    page.fit_to_pages(1, 0)
    page.set_footer("&C&P / &N")


def _about(book: Any, sheet: ListSheet) -> None:
    page = book.add_worksheet(sheet.letterhead.language("About"))
    page.set_column(0, 0, 16)
    page.set_column(1, 1, WIDE)
    lines = _about_lines(sheet)
    for row, (what, value) in enumerate(lines):
        page.write_string(row, 0, what)
        page.write_string(row, 1, value)
    if sheet.letterhead.logo is not None:
        page.insert_image(len(lines) + 1, 0, "logo", {"image_data": io.BytesIO(sheet.letterhead.logo)})


def _about_lines(sheet: ListSheet) -> list[tuple[str, str]]:
    """Return what a spreadsheet says of the list on a sheet of its own."""
    head, say = sheet.letterhead, sheet.letterhead.language
    lines = (
        ("club", head.club),
        ("title", head.title),
        ("list", sheet.name),
        ("state", say(sheet.state)),
        ("figures", say(sheet.face)),
        ("policy", sheet.policy),
        ("system", sheet.system),
        ("time control", say(sheet.time_control or "")),
        ("closing", say.day(sheet.closing)),
        ("in force from", say.day(sheet.effective) if sheet.effective else None),
        ("players", say.number(f"{sheet.rows.height:,}")),
    )
    return [(say(what), plain_text(value)) for what, value in lines if value]


def _cells(sheet: ListSheet, name: str) -> Iterator[tuple[int, Any]]:
    values = sheet.rows[name] if COLUMNS[name].is_numeric() else _texts(sheet, name, None)
    for row, value in enumerate(values, start=1):
        if value not in (None, ""):
            yield row, value


def _year(name: str, value: str) -> str:
    return value[:4] if name == "birth" else value


def _width(sheet: ListSheet, name: str, title: str) -> int:
    longest = max((len(str(v)) for _, v in zip(range(SAMPLE), sheet.rows[name], strict=False)), default=0)
    if name == "birth":
        longest = 4
    return min(max(len(title) + 3, longest + 1, NARROW), WIDE)  # 3: the filter's button


# Every format in which a rating list goes out, by the name it has on the command line.

Ids = Literal["fide", "ledger"]
"""Ids in FIDE's layouts: FIDE ids where known, or the ledger's numbers for everybody."""
EXPORTS: dict[str, Callable[[ListSheet], bytes]] = {
    "csv": list_csv,
    "xlsx": list_xlsx,
    "ods": list_ods,
    "txt": list_fide_txt,
    "xml": list_fide_xml,
    "html": list_html,
    "pdf": list_pdf,
}
"""Writers of a list by format; the same list always gives the same bytes."""
ENDINGS = {"htm": "html"}
SHOWN_LETTERS = 20
"""Letters that a note names."""


def export_format(path: str | Path) -> str:
    """Return the format that a file's name asks for.

    Examples
    --------
    >>> export_format("lists/2026-11.XLSX")
    'xlsx'
    """
    ending = Path(path).suffix.lower().removeprefix(".")
    result = ENDINGS.get(ending, ending)
    if result not in EXPORTS:
        raise UsageError(
            f"expected a file that ends in .{', .'.join(EXPORTS)}, found {str(path)!r}", code="unknown-ending"
        )
    return result


def export_bytes(sheet: ListSheet, format: str, *, ids: Ids = "fide") -> tuple[bytes, list[str]]:
    """Return a list in some format, and what that format could not carry."""
    if format not in EXPORTS:
        raise UsageError(f"expected a format, one of {', '.join(EXPORTS)}; found {format!r}")
    if ids not in get_args(Ids):
        raise UsageError(f"expected ids, fide or ledger; found {ids!r}")
    fide = format in ("txt", "xml")
    lost = fide_losses(sheet, text=format == "txt") if fide else _letters_lost(sheet, format)
    if fide and ids == "ledger":
        lost = [words for words in lost if "without a FIDE id" not in words]
        sheet = replace(sheet, rows=sheet.rows.with_columns(pl.lit(None, pl.String).alias("id")))
    return EXPORTS[format](sheet), lost


def _letters_lost(sheet: ListSheet, format: str) -> list[str]:
    """Say which letters of the names a PDF cannot show."""
    if format != "pdf":
        return []
    from arpad.publish.pdf import missing_letters

    head = sheet.letterhead
    lost = missing_letters([*sheet.rows["name"].drop_nulls(), head.club, sheet.heading()])
    more = "…" if len(lost) > SHOWN_LETTERS else ""
    count = f"{len(lost):,} letter{'' if len(lost) == 1 else 's'}"
    return [f"{count} not in the font, written plainly or as ?: {lost[:SHOWN_LETTERS]}{more}"] if lost else []


def export_list(
    sheet: ListSheet, path: str | Path, *, format: str | None = None, ids: Ids = "fide"
) -> list[str]:
    """Write a list, completely or not at all; return a sentence for everything that the format cannot hold."""
    data, lost = export_bytes(sheet, format or export_format(path), ids=ids)
    write_bytes(path, data)
    return lost
