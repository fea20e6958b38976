"""An HTML report in one file: no script, no network, light and dark, fit to print."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.resources import files
from typing import TYPE_CHECKING

from arpad.publish.tables import DIGITS, HEADINGS, cell

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

__all__ = ["Section", "page"]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with a table, a picture (SVG text), or words below it."""

    heading: str
    table: pl.DataFrame | None = None
    picture: str | None = None
    words: str = ""
    digits: Mapping[str, int] = field(default_factory=dict)
    """Decimals of the table's columns, where they are not the usual ones."""


def page(title: str, subtitle: str, sections: Sequence[Section]) -> str:
    """Return the report as HTML."""
    import jinja2

    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True
    )
    template = environment.from_string(
        (files("arpad.publish") / "templates" / "report.html").read_text("utf-8")
    )
    return template.render(
        title=title, subtitle=subtitle, sections=[_prepared(s) for s in sections]
    )


def _prepared(section: Section) -> dict[str, object]:
    columns, rows = [], []
    if section.table is not None:
        for name, kind in section.table.schema.items():
            columns.append({"text": HEADINGS.get(name, name), "numeric": kind.is_numeric()})
        rows = [
            [
                {
                    "text": cell(name, value, {**DIGITS, **section.digits}),
                    "numeric": column["numeric"],
                }
                for name, value, column in zip(section.table.columns, row, columns, strict=True)
            ]
            for row in section.table.iter_rows()
        ]
    return {
        "heading": section.heading,
        "words": section.words,
        "columns": columns,
        "rows": rows,
        "picture": section.picture,
    }
