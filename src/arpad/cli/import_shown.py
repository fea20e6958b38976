"""What `arpad import` says: for people, as rows, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arpad.office.intake.import_result import Imported

__all__ = ["document", "people", "rows"]

SHOWN = 20
"""Events and players that a table for people names; JSON has all of them."""

FIGURES = {
    "file": pl.String, "format": pl.String, "import": pl.Int64, "events": pl.Int64,
    "here": pl.Int64, "changed": pl.Int64, "games": pl.Int64, "by_id": pl.Int64,
    "by_name": pl.Int64, "new": pl.Int64, "doubtful": pl.Int64,
}  # fmt: skip
WORDS = {"new": "new", "here": "here already", "changed": "changed report: in the queue"}


def rows(done: Sequence[Imported]) -> pl.DataFrame:
    """Return a row a file."""
    return pl.DataFrame([one.row() for one in done], schema=FIGURES)


def document(done: Sequence[Imported], *, dry_run: bool) -> dict[str, Any]:
    """Return everything."""
    return {"dry_run": dry_run, "files": [one.as_dict() for one in done]}


def people(done: Sequence[Imported], *, dry_run: bool) -> list[object]:
    """Return what a person wants to know: each file in a sentence, then what is not plain."""
    parts: list[object] = ["Nothing was written. This would change:"] if dry_run else []
    for one in done:
        parts.append(one.summary())
        parts += [f"  {note}" for note in _notes(one)]
        parts += _tables(one, dry_run=dry_run)
    if any(one.doubtful or one.count("changed") for one in done) and not dry_run:
        parts.append("arpad queue shows what waits for a decision")
    return parts


def _notes(one: Imported) -> list[str]:
    notes = []
    if one.unsaid:
        notes.append(
            f"{one.unsaid:,} event{'' if one.unsaid == 1 else 's'} without a time control: standard (--time-control says otherwise)"
        )
    if one.completed:
        notes.append(
            f"{one.completed:,} player{'' if one.completed == 1 else 's'} completed: birth, federation, title or sex"
        )
    if one.format in ("fide", "list") and one.listed is None and one.earlier is None:
        notes.append("no day is known of this list: its ratings are left out (--date gives it)")
    return notes


def _tables(one: Imported, *, dry_run: bool) -> list[object]:
    from arpad.publish.tables import rich_table

    found: list[object] = []
    events = one.events if dry_run else one.events.filter(pl.col("what") != "new")
    if events.height:
        shown = events.head(SHOWN).with_columns(
            pl.col("what").replace_strict(WORDS, return_dtype=pl.String)
        )
        found.append(rich_table(shown.rename({"time_control": "time control"})))
        found += _more(events.height, "events")
    doubtful = one.people.filter(pl.col("how") == "doubtful")
    named = one.people.filter(pl.col("how") == "name") if dry_run else doubtful.clear()
    if named.height:
        shown = named.head(SHOWN).select("name", "player", "known", pl.col("score").alias("match"))
        found.append(rich_table(shown, title="Found by name"))
        found += _more(named.height, "players")
    if doubtful.height:
        shown = one.doubts.head(SHOWN).join(
            doubtful.select(pl.col("name").alias("in the file"), at="player"),
            on="at",
            maintain_order="left",
        )
        shown = shown.select(
            "in the file", pl.col("name").alias("may be"), "player", pl.col("score").alias("match"),
            "reason",
        )  # fmt: skip
        found.append(rich_table(shown, title="Doubtful: new players until somebody decides"))
        found += _more(one.doubts.height, "candidates")
    return found


def _more(count: int, what: str) -> list[object]:
    return [f"… and {count - SHOWN:,} more {what} (--format json has all)"] if count > SHOWN else []
