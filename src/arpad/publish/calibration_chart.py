"""The chart of `arpad ipr calibrate`: marks and line above, residuals below."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.publish.chart_style import MUTED, PALETTE, WIDTH, altair, dressed

if TYPE_CHECKING:
    from arpad.moves.intrinsic.calibration import Calibration

__all__ = ["calibration_chart"]

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
        "marks:N", title=None, scale=alt.Scale(domain=["in the line", "outside"], range=[PALETTE[0], PALETTE[1]]),
        legend=alt.Legend(orient="top-right"),
    )  # fmt: skip
    base = alt.Chart(frame)
    ends = calibration.line
    line = alt.Chart(
        pl.DataFrame({"rating": [low, high], "ae": [ends.error(low), ends.error(high)]})
    ).mark_line(color=MUTED, strokeWidth=1.5)
    above = alt.layer(
        line.encode(x=across(None), y=alt.Y("ae:Q", title="projected average error AE_e", scale=alt.Scale(zero=False))),
        base.mark_rule(strokeWidth=2, opacity=0.45).encode(x=across(None), y="ae_low:Q", y2="ae_high:Q", color=colour),
        base.mark_circle(size=70, opacity=1).encode(x=across(None), y="ae_e:Q", color=colour),
    ).properties(width=WIDTH, height=ABOVE)  # fmt: skip
    zero = alt.Chart(pl.DataFrame({"at": [0.0]})).mark_rule(color=MUTED).encode(y="at:Q")
    below = alt.layer(
        zero,
        base.mark_rule(strokeWidth=2, opacity=0.45).encode(x=across("Elo"), y=alt.Y("off_low:Q", title="IPR − Elo"), y2="off_high:Q", color=colour),
        base.mark_circle(size=70, opacity=1).encode(x=across("Elo"), y="residual:Q", color=colour),
    ).properties(width=WIDTH, height=BELOW)  # fmt: skip
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
