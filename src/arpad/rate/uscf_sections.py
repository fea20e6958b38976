"""Games as the U.S. procedures see them: event by event, in time order; none of them twice."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from arpad.model import Games

__all__ = ["Repeated", "Section", "sections"]

Repeated = Literal["skip", "rate"]
"""An event that stands there twice: rate it once, or as often as it stands there."""


TOO_ALIKE = 10
"""Games from which two events without dates and rounds, equal in all results, are one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One event: who met whom."""

    number: int
    name: str
    day: date | None
    """Its first day; None where nothing says."""
    rounds: int
    sides: Mapping[int, Sequence[tuple[int, float]]]
    """Each player's ``(opponent, score)`` pairs."""
    rows: Mapping[int, Sequence[int]] = field(default_factory=dict)
    """The rows of those games, where they are numbered."""


def sections(games: Games, repeated: Repeated) -> tuple[list[Section], list[str]]:
    """Return the events in the order of their first games, and what to know about them.

    Games that name no event go together by date. An event repeats another if it has the same games: the
    same players and colours, results, rounds and dates.
    """
    found: list[Section] = []
    notes: list[str] = []
    seen: dict[frozenset[tuple[object, int]], str] = {}
    for part in _parted(games.rateable()).partition_by("part", maintain_order=True):
        section = _section(len(found), part, games)
        key = part.select("white", "black", "score", "round", "date").iter_rows()
        games_of = frozenset(Counter(key).items())
        # Four undated losses to the same four may well happen twice; ten equal results do not.
        dated = part["date"].null_count() < part.height or part["round"].null_count() < part.height
        same = dated or part.height >= TOO_ALIKE or seen.get(games_of) == section.name
        if games_of in seen and same:
            words = f"{section.name} has the same games ({part.height}) as {seen[games_of]}, reported twice"
            notes.append(f"{words}: rated {'once' if repeated == 'skip' else 'each time'}")
            if repeated == "skip":
                continue
        seen.setdefault(games_of, section.name)
        found.append(section)
    return found, notes


def _parted(played: pl.DataFrame) -> pl.DataFrame:
    """Give each event a number; one that began earlier comes first."""
    day = pl.when(pl.col("event").is_null()).then("date")
    key = pl.struct("event", day.alias("_day"))
    return (
        played.with_columns(key.alias("_key"), pl.int_range(pl.len()).alias("_at"))
        .with_columns(pl.col("_at").first().over("_key").alias("part"))
        .drop("_key", "_at")
        .sort("part", maintain_order=True)
    )


def _section(number: int, part: pl.DataFrame, games: Games) -> Section:
    sides: dict[int, list[tuple[int, float]]] = {}
    for white, black, score in part.select("white", "black", "score").iter_rows():
        sides.setdefault(white, []).append((black, score))
        sides.setdefault(black, []).append((white, 1 - score))
    rows: dict[int, list[int]] = {}
    if "row" in part.columns:
        for white, black, row in part.select("white", "black", "row").iter_rows():
            rows.setdefault(white, []).append(row)
            rows.setdefault(black, []).append(row)
    at = part["event"][0]
    event = None if at is None or at >= len(games.events) else games.events[at]
    days: list[date] = part["date"].drop_nulls().to_list()
    day = min(days) if days else event.start if event else None
    named = event.name if event else f"the event of {day}" if day else f"event {number + 1}"
    numbers = part["round"].str.extract(r"^(\d{1,4})").cast(pl.Int64).drop_nulls().to_list()
    announced = (event.rounds or 0) if event else 0
    rounds = max(announced, *numbers, *(len(met) for met in sides.values()))
    return Section(number=number, name=named, day=day, rounds=rounds, sides=sides, rows=rows)
