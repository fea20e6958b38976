"""Reports on the history of chess: best averages, whole-history curves, greatness."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from arpad.pool.greatness.assessment import CAUTIONS
from arpad.publish.tables import PLAIN_WIDTH, cell, fitting_table, rich_table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from arpad.pool.greatness.run import Greatness
    from arpad.pool.history import History
    from arpad.publish.tables import WideTable
    from arpad.rate.whr.system import WholeHistory

POINTS = dict.fromkeys(("rating", "error", "peak", "peak_error", "age", "points"), 0)
GREATNESS_DIGITS = {"rating": 0, "no. 2": 0, "±": 0, "G": 1, "strength": 2}
SHORT = {"g_score": "G", "g_error": "±", "number_two": "no. 2", "ratings": "by"}
"""Headings of the tables of greatness."""
SPARE = ("rating", "category", "site")
"""Columns that a narrow screen does without, in turn."""
LONG = 48
"""Letters of an event's name that a table has room for."""
BESIDE = 10
"""Letters that the year and the gaps take beside an event and its reasons."""
OWN = (
    "own: our own ratings of the year, smoothed over the games of the years around, this event's among them: "
    "so its result is part of them."
)
ERROR = "±: standard error of G from uncertain ratings; chance in the games is not in it."


def history_report(
    result: History,
    *,
    top: int = 20,
    players: Sequence[str] = (),
    years: Sequence[int] = (),
    ages: bool = False,
    crosstable: int | None = None,
) -> list[object]:
    """Write the best averages, or the best of some years, or the crosstable of a half decade; and ages."""
    if crosstable is not None:
        caption = "Points/games against each other; games and points: against everybody."
        table = fitting_table(result.crosstable(crosstable, top), POINTS)
        return [table, "", caption, f"{result.summary()}."]
    parts: list[object] = []
    for year in years:
        mean = result.top_average(year, top)
        title = (
            f"{year}: crosstable of {mean.first}–{mean.last}; average {mean.rating:.0f} ± {mean.error:.0f}"
        )
        parts += [title, "", rich_table(result.top(year, top).drop("first", "last"), digits=POINTS), ""]
    if not parts:
        parts = [fitting_table(_readable(result.best(top, players)), POINTS), ""]
    if ages:
        title = "Points above age 21; 21 and 63 are taken to be level"
        parts += [rich_table(result.development(), title=title, digits=POINTS), "", *_levels(result), ""]
    return [*parts, result.summary()]


def _readable(best: pl.DataFrame) -> pl.DataFrame:
    years = pl.format("{}–{}", "first", "last").alias("years")
    return best.select(
        *("rank", "player", "rating", "error", "games"),
        years,
        "peak",
        "peak_error",
        pl.col("peak_year").cast(pl.String).alias("in"),
        *(["age"] if best["age"].is_not_null().any() else []),
    )


def _levels(result: History) -> list[object]:
    """Return the ages at which levels were passed, where most of those who reached one were seen below it."""
    every = result.ages_at()
    seen = every.filter(every["players"] > every["above"])
    hidden = every.filter(every["players"] <= every["above"])
    lines: list[object] = []
    if seen.height:
        lines.append(rich_table(seen, title="Ages at levels", digits={"level": 0, "age": 1, "error": 1}))
    if hidden.height:
        cells = ", ".join(
            f"{n} of {n + above} at {level:.0f}"
            for level, n, above in hidden.select("level", "players", "above").iter_rows()
        )
        lines.append(f"Age at a level: too few were seen below it before they reached it ({cells}).")
    return lines


def whole_history_report(
    result: WholeHistory, *, table: pl.DataFrame, day: date | None = None, players: Sequence[str] = ()
) -> list[object]:
    """Write the list of a day, or the curves of some players year by year."""
    parts: list[object] = []
    for name in players:
        parts += [rich_table(_yearly(result.curve(name)), title=name, digits=POINTS), ""]
    if not players:
        title = f"{day or result.last}: {table.height:,} of {result.source['players']:,} players"
        parts = [fitting_table(table, POINTS, title), ""]
    return [*parts, result.summary()]


def _yearly(curve: pl.DataFrame) -> pl.DataFrame:
    """Return where a curve stood after the last game of each year."""
    year = pl.col("date").dt.year().cast(pl.String).alias("year")
    return curve.group_by(year, maintain_order=True).agg(
        pl.col("rating", "error").last(), pl.col("games").sum(), pl.col("date").last().alias("last")
    )


def greatness_report(
    result: Greatness, *, top: int = 20, failed: bool = False, width: int = PLAIN_WIDTH
) -> list[object]:
    """Write the greatest performances, the strongest events, and what wants a person's eye, in lines of a width."""
    great, strong = result.table(top, failed=failed), result.strengths(top, failed=failed)
    parts: list[object] = [f"No G-score of {result.parameters['least']:g} or more.", ""]
    if great.height:
        parts = [_table(_performances(great), "Greatness"), ""]
    if strong.height:
        parts += [_table(_events(strong), "Tournament strength"), ""]
    if notes := _notes(great, strong):
        parts += [*notes, ""]
    if not failed and (hidden := result.hidden()):
        number = "1 performance" if hidden == 1 else f"{hidden:,} performances"
        parts += [f"Not listed: {number} in events whose ratings failed the test.", ""]
    return [*parts, *_inspected(result, top, width), result.summary()]


def _performances(great: pl.DataFrame) -> pl.DataFrame:
    scores = [cell("points", score) for score in great["score"]]
    great = great.with_columns(
        pl.format("{} of {}", pl.Series(scores, dtype=pl.String), "games").alias("scored")
    )
    error = ["g_error"] if great["g_error"].is_not_null().any() else []
    return great.select(
        *("rank", "player", "event", "year", "g_score"),
        *error,
        *("category", "scored", "rating", "number_two", "ratings"),
        *_marked(great),
    )


def _events(strong: pl.DataFrame) -> pl.DataFrame:
    return strong.select(
        *("rank", "event", "site", "year", "strength", "players", "games", "number_two", "ratings"),
        *_marked(strong),
    )


def _marked(rows: pl.DataFrame) -> list[str]:
    return ["caution"] if (rows["caution"] != "").any() else []


def _table(rows: pl.DataFrame, title: str) -> WideTable:
    short = rows.with_columns(pl.col("year").cast(pl.String), _cut("event", LONG)).rename(SHORT, strict=False)
    return fitting_table(short, GREATNESS_DIGITS, title, spare=SPARE)


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


def _inspected(result: Greatness, top: int, width: int) -> list[object]:
    """Return the events that want a person's eye: the worst fits first, those without ratings last."""
    look = result.to_inspect()
    if look.is_empty():
        return []
    verdict = pl.col("verdict").replace_strict({"failed": 0, "unrated": 2}, default=1, return_dtype=pl.Int8)
    worst = -(pl.col("chi_square") / pl.col("critical")).log().abs()
    few = look.sort(verdict, worst, "year", nulls_last=True, maintain_order=True).head(top)
    few = few.select("event", "year", "reasons").with_columns(_cut("event", LONG))
    event = max(len("event"), *(len(name) for name in few["event"]))
    few = few.with_columns(_cut("reasons", max(width - event - BESIDE, LONG)))
    title = f"To check by hand, worst first: {few.height:,} of {look.height:,}"
    return [_table(few, title), ""]
