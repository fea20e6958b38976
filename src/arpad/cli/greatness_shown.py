"""`arpad greatness` for people: three lists, what their words mean, and what to mind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from arpad.cli.output import width
from arpad.pool.greatness.caution import CAUTIONS
from arpad.publish.tables import cell, fitted, rich_table

if TYPE_CHECKING:
    from arpad.pool.greatness.lists import Greatness

__all__ = ["nothing", "people"]

DIGITS = {"rating": 0, "no. 2": 0, "±": 0, "G": 1, "strength": 2}

SHORT = {"g_score": "G", "g_error": "±", "number_two": "no. 2", "ratings": "by"}
"""Headings of the tables."""

SPARE = ("rating", "category", "site")
"""Columns that a narrow screen does without, in turn."""

LONG = 48
"""Letters of an event's name that a table has room for."""

BESIDE = 10
"""Letters that the year and the gaps take beside an event and its reasons."""

OWN = (
    "own: our own ratings of the year, smoothed over the games of the years around, this event's among them: "
    "they know how it ended."
)
ERROR = "±: one standard error that uncertain ratings give to G; luck is not in it."


def people(found: Greatness, top: int, *, failed: bool) -> list[object]:
    """Return what a person sees."""
    great, strong = found.table(top, failed=failed), found.strengths(top, failed=failed)
    parts: list[object] = [f"No G-score of {found.parameters['least']:g} or more.", ""]
    if great.height:
        parts = [_table(_performances(great), "Greatness"), ""]
    if strong.height:
        parts += [_table(_events(strong), "Tournament strength"), ""]
    if notes := _notes(great, strong):
        parts += [*notes, ""]
    return [*parts, *_inspected(found, top), found.summary()]


def nothing(found: Greatness) -> str:
    """Return why there are no G-scores."""
    if not found.records:
        why = found.left_out["reason"].value_counts(sort=True)
        most = (
            f": {why['reason'][0]} ({why['count'][0]:,} of {found.left_out.height:,})"
            if why.height
            else ": there is none of these years"
        )
        return f"no event could be run{most}"
    return (
        "no event has ratings and a number two, so there are no G-scores: give ratings with --list, "
        "or number two with --number-two"
    )


def _performances(great: pl.DataFrame) -> pl.DataFrame:
    scores = [cell("points", score) for score in great["score"]]
    great = great.with_columns(
        pl.format("{} of {}", pl.Series(scores, dtype=pl.String), "games").alias("scored")
    )
    error = ["g_error"] if great["g_error"].is_not_null().any() else []
    return great.select("rank", "player", "event", "year", "g_score", *error, "category", "scored", "rating",
                        "number_two", "ratings", *_marked(great))  # fmt: skip


def _events(strong: pl.DataFrame) -> pl.DataFrame:
    return strong.select("rank", "event", "site", "year", "strength", "players", "games", "number_two", "ratings",
                         *_marked(strong))  # fmt: skip


def _marked(rows: pl.DataFrame) -> list[str]:
    return ["caution"] if (rows["caution"] != "").any() else []


def _table(rows: pl.DataFrame, title: str) -> object:
    short = rows.with_columns(pl.col("year").cast(pl.String), _cut("event", LONG)).rename(
        SHORT, strict=False
    )
    return rich_table(fitted(short, width(), DIGITS, spare=SPARE), title=title, digits=DIGITS)


def _cut(name: str, room: int) -> pl.Expr:
    """Return a column of words, cut where there is no room for them."""
    long = pl.col(name).str.len_chars() > room
    return pl.when(long).then(pl.col(name).str.slice(0, room - 1) + "…").otherwise(name).alias(name)


def _notes(great: pl.DataFrame, strong: pl.DataFrame) -> list[str]:
    """Return what the words of the two lists mean, as far as they occur."""
    marks = {m for rows in (great, strong) for words in rows["caution"] for m in words.split(", ")}
    notes = [f"{mark}: {words}." for mark, words in CAUTIONS.items() if mark in marks]
    if "own" in {*great["ratings"], *strong["ratings"]}:
        notes.insert(0, OWN)
    if great["g_error"].is_not_null().any():
        notes.insert(0, ERROR)
    return notes


def _inspected(found: Greatness, top: int) -> list[object]:
    """Return the events that want a person's eye: the worst fits first, those without ratings last."""
    look = found.to_inspect()
    if look.is_empty():
        return []
    verdict = pl.col("verdict").replace_strict(
        {"failed": 0, "unrated": 2}, default=1, return_dtype=pl.Int8
    )
    worst = -(pl.col("chi_square") / pl.col("critical")).log().abs()
    few = look.sort(verdict, worst, "year", nulls_last=True, maintain_order=True).head(top)
    few = few.select("event", "year", "reasons").with_columns(_cut("event", LONG))
    event = max(len("event"), *(len(name) for name in few["event"]))
    few = few.with_columns(_cut("reasons", max(width() - event - BESIDE, LONG)))
    title = f"For a person's eye, worst first: {few.height:,} of {look.height:,}"
    return [_table(few, title), ""]
