"""Intrinsic ratings as a chart: each with both intervals, beside Elo and performance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.errors import UsageError
from arpad.publish.chart_style import INK, PALETTE, WIDTH, altair, dressed

if TYPE_CHECKING:
    from arpad.moves.intrinsic.report import IprReport

__all__ = ["ipr_chart"]

MOST = 40
"""Rows that a page has room for."""
STEP = 26
"""Pixels a row."""


def ipr_chart(report: IprReport) -> Any:
    """Chart the ratings, a row each: thick the interval of ±2σ, thin the actual one."""
    rows = report.rows.filter(pl.col("ipr").is_not_null())
    if not rows.height:
        raise UsageError("--chart: expected a rating to draw, found none")
    left = rows.height - MOST
    # Only what is drawn: a column beside it may hold what no chart can read.
    shown = rows.head(MOST).select(
        pl.Series("label", _labels(report, rows.head(MOST))),
        "ipr", "low", "high", "low_actual", "high_actual", "elo", "performance",
    )  # fmt: skip
    alt = altair()
    order = shown["label"].to_list()
    y = alt.Y(
        "label:N", sort=order, title=None, axis=alt.Axis(labelLimit=260, grid=True, ticks=False)
    )
    measures = ["IPR", "Elo", "performance"]
    there = [
        m for m, c in zip(measures, ("ipr", "elo", "performance"), strict=True)
        if c in shown.columns and shown[c].count()
    ]  # fmt: skip
    colour = alt.Color(
        "measure:N",
        scale=alt.Scale(domain=measures, range=[PALETTE[0], INK, PALETTE[1]]),
        legend=alt.Legend(title=None, orient="top", values=there),
    )
    shape = alt.Shape(
        "measure:N",
        scale=alt.Scale(domain=measures, range=["circle", "diamond", "triangle-up"]),
        legend=alt.Legend(title=None, orient="top", values=there),
    )
    points = _points(shown)
    ends = [*points["value"], *shown["low_actual"], *shown["high_actual"]]
    low, high = min(ends), max(ends)
    x = alt.Scale(domain=(50 * (low // 50), 50 * (high // 50 + 1)), nice=False)
    base = alt.Chart(shown)
    thin = base.mark_rule(strokeWidth=1.5, color=PALETTE[0], opacity=0.6).encode(
        y=y,
        x=alt.X("low_actual:Q", title="rating", scale=x, axis=alt.Axis(format="d")),
        x2="high_actual:Q",
    )
    thick = base.mark_rule(strokeWidth=5, color=PALETTE[0], opacity=0.45).encode(
        y=y, x=alt.X("low:Q", scale=x), x2="high:Q"
    )
    marks = alt.Chart(points).mark_point(size=70, filled=True, opacity=1).encode(
        y=y, x=alt.X("value:Q", scale=x), color=colour, shape=shape
    )  # fmt: skip
    more = f" {left} more rows are not drawn." if left > 0 else ""
    subtitle = [
        f"Calibration {report.calibration.name}; {int(rows['moves'].sum()):,} moves.{more}",
        "Thick: ±2σ as projected; thin: σ 1.4 times as wide, as the paper's trials found.",
    ]
    return dressed(thin + thick + marks, "Intrinsic performance ratings", subtitle).properties(
        width=WIDTH, height=max(STEP * shown.height, 2 * STEP)
    )


def _labels(report: IprReport, rows: pl.DataFrame) -> list[str]:
    """Return what each row is called, no two alike."""
    found: list[str] = []
    for row in rows.to_dicts():
        name = " · ".join(str(row[b]) for b in report.by)
        same = sum(f == name or f.startswith(f"{name} (") for f in found)
        found.append(f"{name} ({same + 1})" if same else name)
    return found


def _points(shown: pl.DataFrame) -> pl.DataFrame:
    parts = [
        shown.select("label", pl.col(column).cast(pl.Float64).alias("value"), pl.lit(measure).alias("measure"))
        for measure, column in (("Elo", "elo"), ("performance", "performance"), ("IPR", "ipr"))
        if column in shown.columns
    ]  # fmt: skip
    return pl.concat(parts).drop_nulls("value")
