"""An HTML report in one file: no script, no network, light and dark, fit to print."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from arpad.publish.language import Language
from arpad.publish.tables import DIGITS, HEADINGS, cell

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl


UPRIGHT, SIDEWAYS = 182.0, 269.0
"""Millimetres of an A4 page, within its margins, that a table has to itself."""
LARGEST, SMALLEST = 10.0, 6.0
"""Points of print; below the smallest a page is turned on its side."""
LONG = 42
"""Digits beyond which a cell is broken into lines: a name has fewer."""
WIDE = "½—WMwm@%"
"""Characters that are wider than a digit, by about a half."""
CHARACTER, GAP = 0.235, 2.0
"""Millimetres that a character is wide in one point of print; characters between columns."""


@dataclass(frozen=True, slots=True)
class PageSection:
    """A heading with a table, a picture (SVG text), or words below it."""

    heading: str
    table: pl.DataFrame | None = None
    picture: str | None = None
    words: str = ""
    digits: Mapping[str, int] = field(default_factory=dict)
    """Decimals of the table's columns, where they are not the usual ones."""
    points: tuple[str, ...] = ()
    """Sentences below the words, one a line."""


def page(title: str, subtitle: str, sections: Sequence[PageSection], language: Language | None = None) -> str:
    """Return the report as HTML; headings are in the language."""
    import jinja2

    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    template = environment.from_string(
        (files("arpad.publish") / "templates" / "report.html").read_text("utf-8")
    )
    say = language or Language()
    prepared = [_prepared(s, say) for s in sections]
    sideways = any(_print(s["wide"], UPRIGHT) < SMALLEST for s in prepared)
    for section in prepared:
        section["print"] = round(_print(section["wide"], SIDEWAYS if sideways else UPRIGHT), 1)
    return template.render(title=title, subtitle=subtitle, sections=prepared, sideways=sideways, say=say)


def _print(wide: float, room: float) -> float:
    """Return the size of print, in points, in which a table of this many characters fits the room."""
    return min(LARGEST, room / (CHARACTER * wide)) if wide else LARGEST


def _width(columns: Sequence[Mapping[str, Any]], rows: Sequence[Sequence[Mapping[str, Any]]]) -> float:
    """Return how many characters a table is wide."""
    cells = zip(columns, *rows, strict=True)
    return sum(max(_letters(c["text"]) for c in column) + GAP for column in cells)


def _letters(text: str) -> float:
    """Return how wide a cell is, in digits; what is longer than a name is broken on paper."""
    return min(len(text) + 0.6 * sum(text.count(c) for c in WIDE), LONG)


def _prepared(section: PageSection, say: Language) -> dict[str, Any]:
    columns, rows = [], []
    if section.table is not None:
        for name, kind in section.table.schema.items():
            text = HEADINGS.get(name, name).replace("_", " ")
            columns.append({"text": say(text), "numeric": kind.is_numeric()})
        rows = [
            [
                _cell(cell(name, value, {**DIGITS, **section.digits}), say if column["numeric"] else None)
                for name, value, column in zip(section.table.columns, row, columns, strict=True)
            ]
            for row in section.table.iter_rows()
        ]
    return {
        "wide": _width(columns, rows),
        "heading": say(section.heading),
        "words": section.words,
        "points": section.points,
        "columns": columns,
        "rows": rows,
        "picture": section.picture,
    }


def _cell(text: str, number: Language | None) -> dict[str, Any]:
    """Return a cell as the template has it, a number as the language writes it."""
    shown = number.number(text) if number else text
    return {"text": shown, "numeric": number is not None, "long": _is_long(shown)}


def _is_long(text: str) -> bool:
    return len(text) + 0.6 * sum(text.count(c) for c in WIDE) > LONG
