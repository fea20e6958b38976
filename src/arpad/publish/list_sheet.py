"""A rating list as it goes out: its rows, and what stands above them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

import polars as pl

from arpad.errors import UsageError
from arpad.schema import filled, schema

if TYPE_CHECKING:
    from datetime import date

__all__ = ["COLUMNS", "ListSheet", "ListState", "plain_text"]

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
"""What a list may say of a player; what it does not know is null."""

CONTROL = re.compile(r"[\x00-\x1f\x7f-\xa0\u2028\u2029\ud800-\udfff\ufffe\uffff]")
"""Ends of lines, what no printer prints, and what XML forbids."""


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
    """Which figures, where the list was corrected: with correction 1, or as first published."""
    total: int | None = field(default=None)
    """Players of the whole list, where `rows` are its top only."""

    def __post_init__(self) -> None:
        missing = {"name", "rating"} - set(self.rows.columns)
        if missing:
            raise UsageError(
                f"expected rows with name and rating, found none called {sorted(missing)}"
            )
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
        return f"Rating list {self.name}"

    def subtitle(self) -> str:
        """Return the policy, the days, the number of players, and whether it holds."""
        count = self.rows.height
        players = f"{count:,} player{'' if count == 1 else 's'}"
        if self.total is not None and self.total > count:
            players = f"the first {count:,} of {self.total:,} players"
        words = [
            self.policy
            if self.system in (None, self.policy)
            else f"{self.policy}, by {self.system}",
            self.time_control,
            f"events to {self.closing.isoformat()}",
            f"in force from {self.effective.isoformat()}" if self.effective else None,
            players,
        ]
        return " · ".join(w for w in words if w)

    def mark(self) -> str:
        """Return what a reader must not miss: that it is a draft, a correction, or was corrected."""
        return {
            "draft": "Draft: not published, and it may change.",
            "published": f"Figures {self.face}." if self.face else "",
            "correction": "Correction of a published list.",
        }[self.state]

    def unrounded(self) -> int:
        """Return how many ratings are not whole."""
        return int((self.rows["rating"] != self.rows["rating"].round(0)).sum())

    def shown(self) -> list[str]:
        """Return the columns that say anything; rank, name and rating always."""
        return [
            c
            for c in COLUMNS
            if c in ("rank", "name", "rating") or not self.rows[c].is_null().all()
        ]


def plain_text(text: str | None) -> str:
    r"""Return a text on one line, without what no printer prints.

    Examples
    --------
    >>> plain_text(" O'Neil,\tBob\x00\n")
    "O'Neil, Bob"
    """
    return CONTROL.sub(" ", text or "").strip()
