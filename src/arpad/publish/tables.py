"""Tables for people: numbers right, names left, as many digits as mean something."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

__all__ = ["HEADINGS", "as_text", "cell", "fitted", "rich_table"]

HEADINGS = {
    "rank": "#",
    "id": "ID",
    "error": "±",
    "k": "K",
    "expected": "W_e",
    "score": "W",
    "total_games": "games in all",
    "performance_error": "±",
    "peak_error": "±",
    "sonneborn_berger": "SB",
    "buchholz_cut": "buchholz −1",
    "white_advantage": "White's advantage",
}
"""Columns whose heading is not their name."""

DIGITS = {
    "direct": 1,
    "buchholz": 1,
    "buchholz_cut": 1,
    "progressive": 1,
    "rating": 1,
    "before": 1,
    "change": 1,
    "error": 0,
    "expected": 2,
    "score": 1,
    "points": 1,
    "k": 0,
    "ingo": 1,
    "grade": 1,
    "ratio": 0,
    **dict.fromkeys(("performance_1", "performance_2", "performance_3", "performance_4"), 0),
}
SIGNED = ("change",)
EXPENDABLE = (
    "id", "status", "left_out", "score", "expected", "performance_4", "performance_3",
    "performance_2", "performance_1", "before", "note",
)  # fmt: skip
GAP = 3
PLAIN_WIDTH = 160
"""Columns of text where there is no terminal to ask."""


def cell(name: str, value: object, digits: Mapping[str, int] = DIGITS) -> str:
    """Return one value as people read it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        text = f"{value:.{digits.get(name, 2)}f}"
        if name in ("score", "points") and text.endswith(".0"):
            text = text[:-2]
        return f"+{text}" if name in SIGNED and value > 0 else text
    if isinstance(value, int) and name not in ("rank", "id"):
        return f"{value:,}"
    return str(value)


def fitted(
    frame: pl.DataFrame, width: int, digits: Mapping[str, int] | None = None
) -> pl.DataFrame:
    """Leave out whole columns, the least needed first, until a table fits; numbers are never cut."""
    shown = {**DIGITS, **(digits or {})}

    def needed() -> int:
        widths = []
        for name in frame.columns:
            cells = [len(cell(name, value, shown)) for value in frame[name].head(2000)]
            widths.append(max([len(HEADINGS.get(name, name)), *cells]) + GAP)
        return sum(widths)

    for name in EXPENDABLE:
        if needed() <= width:
            break
        frame = frame.drop(name, strict=False)
    return frame


def rich_table(
    frame: pl.DataFrame, *, title: str | None = None, digits: Mapping[str, int] | None = None
) -> Table:
    """Return a frame as a table for the terminal."""
    table = Table(
        box=SIMPLE_HEAD, title=title, title_justify="left", pad_edge=False, show_edge=False
    )
    shown = {**DIGITS, **(digits or {})}
    for name, kind in frame.schema.items():
        numeric = kind.is_numeric() or name == "rank"
        table.add_column(
            HEADINGS.get(name, name), justify="right" if numeric else "left", no_wrap=True
        )
    for row in frame.iter_rows():
        table.add_row(*(Text(cell(n, v, shown)) for n, v in zip(frame.columns, row, strict=True)))
    return table


def as_text(*parts: object, width: int | None = None) -> str:
    """Return what the terminal would show, without colours."""
    console = Console(width=width or PLAIN_WIDTH, color_system=None, force_terminal=False)
    with console.capture() as capture:
        for part in parts:
            console.print(part, soft_wrap=isinstance(part, str))
    return "\n".join(line.rstrip() for line in capture.get().split("\n"))
