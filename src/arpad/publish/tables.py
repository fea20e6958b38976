"""Tables for people: numbers right, names left, as many digits as mean something."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import polars as pl


HEADINGS = {
    "rank": "#",
    "id": "ID",
    "error": "±",
    "rd": "RD",
    "own_error": "own ±",
    "k": "K",
    "expected": "W_e",
    "score": "W",
    "total_games": "games in all",
    "performance_error": "±",
    "peak_error": "±",
    "sonneborn_berger": "SB",
    "buchholz_cut": "buchholz −1",
    "white_advantage": "White's advantage",
    "p_zero": "P-Zero",
    "g_score": "G",
    "pra_after": "PRA after",
    "elo_after": "Elo after",
    "g_category": "category",
    "chi_square": "χ²",
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
    "rd": 0,
    "own_error": 0,
    "expected": 2,
    "score": 1,
    "points": 1,
    "k": 0,
    "ingo": 1,
    "grade": 1,
    "ratio": 0,
    "volatility": 5,
    **dict.fromkeys(("performance_1", "performance_2", "performance_3", "performance_4"), 0),
}
HIDDEN = 0.005
"""Points by which a score in tenths may be off; beyond, the point was split finer: it has hundredths."""
SIGNED = ("change",)
EXPENDABLE = (
    *("carried", "id", "status", "left_out", "score", "expected", "performance_4", "performance_3"),
    *("performance_2", "performance_1", "before", "note"),
)
NAMES = ("name", "player", "white", "black")
LONGEST = 40
"""Letters of a name that a table for people has room for."""
GAP = 3
HEAD = 2
"""Columns before the name that each block repeats."""
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Control characters of a terminal."""
UNGROUPED = {"rank", "id", "year", "birth", "death", "best", "rating"}
"""Columns whose whole numbers have no comma at the thousands."""
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
        if not text.strip("-0."):
            text = text.removeprefix("-")
        if name.rstrip() in ("score", "points"):
            text = text.removesuffix(".0")
            if digits.get(name) == 1 and abs(value - float(text)) > HIDDEN:
                text = f"{value:.2f}"
        return f"+{text}" if name in SIGNED and value > 0 and text.strip("0.") else text
    if isinstance(value, int) and name not in UNGROUPED:
        return f"{value:,}"
    text = printable(str(value)).replace("\n", " ").replace("\t", " ")
    if name in NAMES and len(text) > LONGEST:
        text = f"{text[: LONGEST - 1]}…"
    return text


def printable(text: str) -> str:
    r"""Return a text without what would move or colour a terminal; ends of lines and tabs stay.

    Examples
    --------
    >>> printable("\x1b[31mred\x07, O'Neil")
    "�[31mred�, O'Neil"
    """
    return text if text.isprintable() else CONTROL.sub("�", text)


def fitted(
    frame: pl.DataFrame,
    width: int,
    digits: Mapping[str, int] | None = None,
    *,
    spare: Sequence[str] = EXPENDABLE,
) -> pl.DataFrame:
    """Leave out whole columns, those of `spare` in turn, if a table fits then; numbers are never cut."""
    whole = frame
    shown = {**DIGITS, **(digits or {})}

    def needed() -> int:
        widths = []
        for name in frame.columns:
            cells = [len(cell(name, value, shown)) for value in frame[name].head(2000)]
            widths.append(max([len(HEADINGS.get(name, name)), *cells]) + GAP)
        return sum(widths)

    for name in spare:
        if needed() <= width:
            break
        frame = frame.drop(name, strict=False)
    # What does not fit without them either is printed in blocks, with nothing left out.
    return frame if needed() <= width else whole


@dataclass(frozen=True, slots=True)
class WideTable:
    """A table that is printed in several blocks where the screen is too narrow for one.

    Each block begins with the columns that say whose line it is; nothing is cut or squeezed.
    """

    frame: pl.DataFrame
    title: str | None
    digits: Mapping[str, int]
    spare: Sequence[str] = ()
    """Columns that are left out, in turn, where the table fits then."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[object]:
        """Give the blocks that fit the screen."""
        frame = fitted(self.frame, options.max_width, self.digits, spare=self.spare)
        for i, columns in enumerate(self._blocks(options.max_width, frame.columns)):
            if i:
                yield ""
            yield self._table(columns, self.title if i == 0 else None)

    def _texts(self, name: str) -> list[str]:
        return [cell(name, value, self.digits) for value in self.frame[name]]

    def _blocks(self, width: int, columns: list[str]) -> list[list[str]]:
        wide = {
            n: max([len(HEADINGS.get(n, n)), *(cell_len(t) for t in self._texts(n))]) + GAP for n in columns
        }
        if sum(wide.values()) - GAP <= width:
            return [columns]
        words = [i for i, name in enumerate(columns) if str(self.frame.schema[name]) == "String"]
        head = columns[: words[0] + 1] if words and words[0] <= HEAD else []
        blocks: list[list[str]] = [[*head]]
        for name in columns[len(head) :]:
            full = sum(wide[n] for n in blocks[-1]) + wide[name] - GAP > width
            if full and len(blocks[-1]) > len(head):
                blocks.append([*head])
            blocks[-1].append(name)
        return blocks

    def _table(self, columns: list[str], title: str | None) -> Table:
        table = Table(box=SIMPLE_HEAD, title=title, title_justify="left", pad_edge=False, show_edge=False)
        for name in columns:
            numeric = self.frame.schema[name].is_numeric() or name == "rank"
            table.add_column(HEADINGS.get(name, name), justify="right" if numeric else "left", no_wrap=True)
        for row in self.frame.select(columns).iter_rows():
            texts = (cell(n, v, self.digits) for n, v in zip(columns, row, strict=True))
            table.add_row(*(Text(t) for t in texts))
        return table


def rich_table(
    frame: pl.DataFrame, *, title: str | None = None, digits: Mapping[str, int] | None = None
) -> WideTable:
    """Return a frame as a table for the terminal, with every column."""
    return WideTable(frame, title, {**DIGITS, **(digits or {})})


def fitting_table(
    frame: pl.DataFrame,
    digits: Mapping[str, int] | None = None,
    title: str | None = None,
    *,
    spare: Sequence[str] = EXPENDABLE,
) -> WideTable:
    """Return a frame as a table for the terminal that does without some columns where there is no room."""
    return WideTable(frame, title, {**DIGITS, **(digits or {})}, spare)


def plain_console(**options: Any) -> Console:
    """Return a console on which names are names: ``[/]`` is no markup, ``:one:`` no picture."""
    return Console(highlight=False, markup=False, emoji=False, **options)


def as_text(*parts: object, width: int | None = None) -> str:
    r"""Return what the terminal would show, without colours.

    Examples
    --------
    >>> as_text("[/] of [bold] :one:").strip()
    '[/] of [bold] :one:'
    """
    console = plain_console(width=width or PLAIN_WIDTH, color_system=None, force_terminal=False)
    with console.capture() as capture:
        for part in parts:
            if isinstance(part, str):
                console.print(printable(part), soft_wrap=True)
            else:
                console.print(part)
    return "\n".join(line.rstrip() for line in capture.get().split("\n"))
