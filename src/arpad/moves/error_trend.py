"""Average error over the years by tournament category, as a moving average [figures 4 and 5]."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.errors import UsageError
from arpad.moves.error_groups import figures
from arpad.moves.error_labels import labels_of, pair_of
from arpad.moves.resampling import CONFIDENCE, FEWEST

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arpad.moves.game_errors import GameErrors

__all__ = ["HIGHEST_LINE", "SPAN", "ErrorTrend", "error_trend"]

SPAN = 4
"""Years of the moving average [section 4]."""
HIGHEST_LINE = 20
"""Above this category events were so few that the paper plots the mean of each run of years instead of a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorTrend:
    """Average error by year and category.

    `rows` has a row a line and year: `line` ("11–12"; "all" where categories are not told apart), `year`, the last of the
    span, `years` of it in which moves were made, and the columns of `ErrorGroups.rows`. `marks` has the runs of years above
    the highest line: `line`, `first`, `year` (the last), and the same figures.
    """

    rows: pl.DataFrame
    marks: pl.DataFrame
    parameters: Mapping[str, Any]
    notes: tuple[str, ...]
    errors: GameErrors

    def table(self) -> pl.DataFrame:
        """Return the lines, year by year."""
        return self.rows

    def summary(self) -> str:
        """Return one sentence."""
        years = [*self.rows["year"], *self.marks["first"], *self.marks["year"]]
        span = self.parameters["span"]
        lines = self.rows["line"].n_unique()
        return (
            f"Average error, moving average over {span} year{'' if span == 1 else 's'}, {min(years)}–{max(years)}: "
            f"{lines} line{'' if lines == 1 else 's'}, {len(self.errors):,} moves ({self.errors.method}, {self.errors.source})"
        )


def error_trend(
    errors: GameErrors,
    *,
    categories: bool = True,
    span: int = SPAN,
    highest: int | None = HIGHEST_LINE,
    confidence: float = CONFIDENCE,
) -> ErrorTrend:
    """Return the average error of every `span` years, each named by its last year, by pairs of categories.

    All moves of the span count alike: it is the sum of their errors by their number, not a mean of yearly means. A span in
    which nothing was played has no row.

    Parameters
    ----------
    categories
        Whether to tell categories apart, two by two as the paper does: 11 and 12, 13 and 14, …
    highest
        The category above which each run of years is one mark. Runs are apart where a whole span of years is empty. None:
        lines only.
    """
    if span < 1:
        raise UsageError(f"expected a span of at least one year, found {span}")
    filed, outside = _filed(errors, categories)
    above = pl.lit(False) if highest is None else pl.col("category") > highest
    lines = filed.filter(~above)
    rows = _lines(lines, span, confidence)
    marks = _marks(filed.filter(above), highest, span, confidence)
    notes = list(errors.notes())
    if outside:
        notes.append(f"{outside:,} moves have no year or no category: they are left out")
    if few := int((rows["error_by"] == "moves").sum()):
        notes.append(
            f"fewer than {FEWEST} games in {few:,} of {rows.height:,} spans: their error is that of single moves"
        )
    return ErrorTrend(
        rows=rows,
        marks=marks,
        parameters={
            **errors.parameters(),
            "categories": categories,
            "span": span,
            "highest": highest if categories else None,
            "confidence": confidence,
        },
        notes=tuple(notes),
        errors=errors,
    )


def _filed(errors: GameErrors, categories: bool) -> tuple[pl.DataFrame, int]:
    """Return the moves with `year`, `category` and `line`, and how many have none."""
    moves = errors.table.with_columns(year=labels_of(errors, "year")["key"])
    if categories:
        moves = moves.with_columns(category=labels_of(errors, "category")["key"])
        names = {c: _line(c) for c in moves["category"].drop_nulls().unique().to_list()}
        moves = moves.with_columns(
            line=pl.col("category").replace_strict(names, default=None, return_dtype=pl.String)
        )
    else:
        moves = moves.with_columns(category=pl.lit(0, dtype=pl.Int32), line=pl.lit("all"))
    inside = moves.filter(pl.col("year").is_not_null() & pl.col("category").is_not_null())
    return inside, moves.height - inside.height


def _line(category: int) -> str:
    return "below 1" if category < 1 else "{}–{}".format(*pair_of(category))


def _lines(moves: pl.DataFrame, span: int, confidence: float) -> pl.DataFrame:
    """Return the figures of every line and span; a move counts in as many spans as there are years in one."""
    last = moves["year"].max()
    copies = [
        moves.with_columns(end=pl.col("year") + k).filter(pl.col("end") <= pl.lit(last))
        for k in range(span)
    ]
    spread = pl.concat(copies)
    order = spread.select("line", pl.col("category").alias("first")).group_by("line").min()
    groups = spread.select("line", year="end")
    found = figures(spread, groups, confidence=confidence)
    years = spread.group_by("line", pl.col("end").alias("year")).agg(
        years=pl.col("year").n_unique()
    )
    return (
        found.join(years, on=["line", "year"], how="left", maintain_order="left")
        .join(order, on="line", how="left", maintain_order="left")
        .sort("first", "year")
        .select("line", "year", "years", pl.exclude("line", "year", "years", "first"))
    )


def _marks(moves: pl.DataFrame, highest: int | None, span: int, confidence: float) -> pl.DataFrame:
    """Return the mean of each run of years, at its last year."""
    played = moves["year"].unique().sort().to_list()
    starts = [b for a, b in pairwise(played) if b - a > span]
    first = pl.col("year") * 0  # a plain 0 would be one row, however many moves there are
    later = [(pl.col("year") >= s).cast(pl.Int32) for s in starts]
    run = moves.select(run=pl.sum_horizontal(first, *later))
    groups = run.with_columns(line=pl.lit(f"above {highest}"))
    found = figures(moves, groups, confidence=confidence)
    ends = (
        moves.select("year")
        .with_columns(run["run"])
        .group_by("run")
        .agg(first=pl.col("year").min(), year=pl.col("year").max())
    )
    return (
        found.join(ends, on="run", how="left", maintain_order="left")
        .sort("year")
        .select("line", "first", "year", pl.exclude("line", "first", "year", "run"))
    )
