"""Charts of intrinsic ratings and their calibration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.errors import UsageError
from arpad.publish.charts.style import INK, MUTED, PALETTE, WIDTH, altair, dressed

if TYPE_CHECKING:
    from arpad.moves.ipr.calibration import Calibration
    from arpad.moves.ipr.report import IprReport


# Intrinsic ratings as a chart: each with both intervals, beside Elo and performance.

MOST = 40
"""Rows that a page has room for."""
STEP = 26
"""Pixels a row."""


def ipr_chart(report: IprReport) -> Any:
    """Chart the ratings, a row each: thick the interval of ±2σ, thin the actual one."""
    rows = report.rows.filter(pl.col("ipr").is_not_null())
    if not rows.height:
        raise UsageError("expected a rating to draw, found none", code="nothing-to-draw")
    left = rows.height - MOST
    first, last = report.calibration.ends
    # Only what is drawn: a column beside it may hold what no chart can read.
    shown = rows.head(MOST).select(
        pl.Series("label", _labels(report, rows.head(MOST))),
        "ipr",
        pl.col("low", "low_actual").fill_null(first),
        pl.col("high", "high_actual").fill_null(last),
        "elo",
        "performance",
    )
    alt = altair()
    order = shown["label"].to_list()
    y = alt.Y("label:N", sort=order, title=None, axis=alt.Axis(labelLimit=260, grid=True, ticks=False))
    measures = ["IPR", "Elo", "performance"]
    there = [
        m
        for m, c in zip(measures, ("ipr", "elo", "performance"), strict=True)
        if c in shown.columns and shown[c].count()
    ]
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
        y=y, x=alt.X("low_actual:Q", title="rating", scale=x, axis=alt.Axis(format="d")), x2="high_actual:Q"
    )
    thick = base.mark_rule(strokeWidth=5, color=PALETTE[0], opacity=0.45).encode(
        y=y, x=alt.X("low:Q", scale=x), x2="high:Q"
    )
    marks = (
        alt.Chart(points)
        .mark_point(size=70, filled=True, opacity=1)
        .encode(y=y, x=alt.X("value:Q", scale=x), color=colour, shape=shape)
    )
    more = f" {left} more rows are not drawn." if left > 0 else ""
    subtitle = [
        f"Calibration {report.calibration.name}; {int(rows['moves'].sum()):,} moves.{more}",
        "Thick: ±2σ; thin: σ of the moves 1.4 times as wide, as the paper's trials found. Cut off at the line's marks.",
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
        shown.select(
            "label", pl.col(column).cast(pl.Float64).alias("value"), pl.lit(measure).alias("measure")
        )
        for measure, column in (("Elo", "elo"), ("performance", "performance"), ("IPR", "ipr"))
        if column in shown.columns
    ]
    return pl.concat(parts).drop_nulls("value")


# The chart of `arpad ipr calibrate`: marks and line above, residuals below.

ABOVE, BELOW = 300, 130
MARGIN = 50
"""Points left and right of the outermost marks."""


def calibration_chart(calibration: Calibration) -> Any:
    """Chart the projected error of each mark with two standard errors, the line, and how far each mark is off it."""
    alt = altair()
    frame = _frame(calibration)
    ratings = [m.rating for m in calibration.marks]
    low, high = min(ratings) - MARGIN, max(ratings) + MARGIN
    reach = alt.Scale(domain=[low, high], nice=False)

    def across(title: str | None) -> Any:
        return alt.X("rating:Q", scale=reach, title=title, axis=alt.Axis(format="d", tickCount=12))

    colour = alt.Color(
        "marks:N",
        title=None,
        scale=alt.Scale(domain=["in the line", "outside"], range=[PALETTE[0], PALETTE[1]]),
        legend=alt.Legend(orient="top-right"),
    )
    base = alt.Chart(frame)
    ends = calibration.line
    line = alt.Chart(
        pl.DataFrame({"rating": [low, high], "ae": [ends.error(low), ends.error(high)]})
    ).mark_line(color=MUTED, strokeWidth=1.5)
    above = alt.layer(
        line.encode(
            x=across(None), y=alt.Y("ae:Q", title="projected average error AE_e", scale=alt.Scale(zero=False))
        ),
        base.mark_rule(strokeWidth=2, opacity=0.45).encode(
            x=across(None), y="ae_low:Q", y2="ae_high:Q", color=colour
        ),
        base.mark_circle(size=70, opacity=1).encode(x=across(None), y="ae_e:Q", color=colour),
    ).properties(width=WIDTH, height=ABOVE)
    zero = alt.Chart(pl.DataFrame({"at": [0.0]})).mark_rule(color=MUTED).encode(y="at:Q")
    below = alt.layer(
        zero,
        base.mark_rule(strokeWidth=2, opacity=0.45).encode(
            x=across("Elo"), y=alt.Y("off_low:Q", title="IPR − Elo"), y2="off_high:Q", color=colour
        ),
        base.mark_circle(size=70, opacity=1).encode(x=across("Elo"), y="residual:Q", color=colour),
    ).properties(width=WIDTH, height=BELOW)
    return dressed(
        alt.vconcat(above, below, spacing=12),
        f"Calibration {calibration.name}",
        [calibration.summary(), "Bars are two standard errors, the moves of a game taken together"],
        sized=False,
    )


def _frame(calibration: Calibration) -> pl.DataFrame:
    wide = 2 * pl.col("ae_sigma")
    in_elo = wide * calibration.line.slope
    return calibration.table().with_columns(
        pl.when("in_line").then(pl.lit("in the line")).otherwise(pl.lit("outside")).alias("marks"),
        (pl.col("ae_e") - wide).alias("ae_low"),
        (pl.col("ae_e") + wide).alias("ae_high"),
        (pl.col("residual") - in_elo).alias("off_low"),
        (pl.col("residual") + in_elo).alias("off_high"),
    )
