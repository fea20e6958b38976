"""Scaled average error by year and tournament category, as a moving average [IPR figures 4 and 5]."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from arpad.publish.bands import banded, headroom
from arpad.publish.chart_style import INK, altair, dressed

if TYPE_CHECKING:
    from arpad.moves.error_trend import ErrorTrend

__all__ = ["trend_chart"]

MOST_TICKS = 14


def trend_chart(trend: ErrorTrend, measure: Literal["scaled", "raw"] = "scaled") -> Any:
    """Chart a line for each pair of categories, and a cross for each run of years above the highest line."""
    alt = altair()
    rows = trend.rows
    names = rows["line"].unique(maintain_order=True).to_list()
    x = alt.X(
        "at:Q",
        title="year, the last of the span",
        axis=_years(alt, rows["year"]),
        scale=alt.Scale(zero=False, nice=False, padding=12),
    )
    unit = "scaled" if measure == "scaled" else "raw, in pawns"
    title = f"average error, {unit}"
    lines = {
        name if name == "all" else f"category {name}": _with_gaps(
            rows.filter(pl.col("line") == name), measure
        )
        for name in names
    }
    crosses = trend.marks.select(value=measure, high=f"{measure}_high")
    parts = [banded(alt, lines, x, title=title, top=headroom([*lines.values(), crosses]))]
    if trend.marks.height:
        parts.append(_crosses(alt, trend.marks, measure, x))
    p = trend.parameters
    to = "" if p.get("last_turn") is None else f" to {p['last_turn']}"
    share = 100 * float(p["confidence"])
    subtitle = [
        (f"{len(trend.errors):,} moves from move {p['first_turn']}{to}, within ±{p['window']:.2f}; {trend.errors.method}, "
        f"{trend.errors.source}"),
        f"moving average over {p['span']} years; shaded: {share:g} %"
        + (f"; ×: events above category {p['highest']}, a run of years" if trend.marks.height else ""),
    ]  # fmt: skip
    by = "Average error by tournament category" if p["categories"] else "Average error"
    return dressed(alt.layer(*parts), f"{by} over the years", subtitle)


def _years(alt: Any, year: pl.Series) -> Any:
    """Return an axis of whole years: every one where there is room."""
    some = year.unique().sort().to_list()
    return alt.Axis(format="d", values=some) if len(some) <= MOST_TICKS else alt.Axis(format="d")


def _with_gaps(rows: pl.DataFrame, measure: str) -> pl.DataFrame:
    """Return the points of a line; an empty row where years are missing breaks it."""
    points = rows.select(
        at=pl.col("year").cast(pl.Float64), value=measure, low=f"{measure}_low", high=f"{measure}_high"
    ).sort("at")  # fmt: skip
    first, last = rows["year"].min(), rows["year"].max()
    every = pl.DataFrame({"at": pl.int_range(first, last + 1, eager=True).cast(pl.Float64)})  # type: ignore[operator, arg-type]
    return every.join(points, on="at", how="left", maintain_order="left")


def _crosses(alt: Any, marks: pl.DataFrame, measure: str, x: Any) -> Any:
    frame = marks.select(
        at=pl.col("year").cast(pl.Float64), value=measure, low=f"{measure}_low", high=f"{measure}_high"
    )  # fmt: skip
    base = alt.Chart(frame)
    limits = base.mark_rule(color=INK, opacity=0.4, strokeWidth=2).encode(
        x=x, y=alt.Y("low:Q"), y2="high:Q"
    )
    cross = base.mark_point(
        shape="cross", angle=45, size=90, color=INK, filled=True, opacity=1
    ).encode(x=x, y="value:Q")
    return limits + cross
