"""The calibration curve of one system: what was scored where so much was expected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.publish.chart_style import MUTED, PALETTE, altair, dressed

if TYPE_CHECKING:
    from arpad.lab.prediction import Prediction

__all__ = ["calibration_curve_chart"]

KINDS = ("own", "recalibrated")


def calibration_curve_chart(found: Prediction, system: str) -> Any:
    """Chart the mean score of games in which about so much was expected of White, with its 95 % interval."""
    alt = altair()
    frame = found.curves.filter(pl.col("system") == system)
    whole = alt.Scale(domain=[0, 1], nice=False)
    x = alt.X("expected:Q", title="expected of White", scale=whole, axis=alt.Axis(format=".1f", tickCount=6))  # fmt: skip
    y = alt.Y("score:Q", title="scored by White", scale=whole, axis=alt.Axis(format=".1f", tickCount=6))  # fmt: skip
    colour = alt.Color(
        "curve:N", title=None, scale=alt.Scale(domain=KINDS, range=[PALETTE[1], PALETTE[0]]),
        legend=alt.Legend(orient="top", symbolOpacity=1),
    )  # fmt: skip
    ends = alt.Chart(pl.DataFrame({"expected": [0.0, 1.0], "score": [0.0, 1.0]}))
    base = alt.Chart(frame).encode(x=x, color=colour)
    layers = [
        ends.mark_line(color=MUTED, strokeDash=[4, 4], strokeWidth=1.2).encode(x=x, y=y),
        base.mark_rule(strokeWidth=2, opacity=0.4).encode(y=alt.Y("low:Q", scale=whole, title="scored by White"), y2="high:Q"),
        base.mark_line(strokeWidth=1.6).encode(y=y),
        base.mark_circle(opacity=1, size=45).encode(y=y),
    ]  # fmt: skip
    return dressed(
        alt.layer(*layers),
        f"Calibration of {system}",
        f"{found.counts.scored:,} games; the nearer to the line the better. Bars: 95 % of a bin's mean score",
    )
