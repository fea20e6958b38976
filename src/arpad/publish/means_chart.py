"""The chart of a pool's mean, list by list, with its error and the middle half of the players."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.publish.chart_style import PALETTE, altair, dressed

if TYPE_CHECKING:
    from arpad.pool.shape import Shape

__all__ = ["means_chart"]

TWO_SIGMA = 2


def means_chart(shape: Shape) -> Any:
    """Chart the mean of every list with two standard errors, over the band of the middle half."""
    alt = altair()
    error = TWO_SIGMA * pl.col("sd").fill_null(0) / pl.col("players").sqrt()
    frame = shape.rows.select(
        "list", "mean", "quartile", "quartile_3",
        low=pl.col("mean") - error, high=pl.col("mean") + error,
    )  # fmt: skip
    axis = alt.Axis(labelAngle=0, labelOverlap=True, grid=False)
    x = alt.X("list:N", title=None, sort=shape.rows["list"].to_list(), axis=axis, scale=alt.Scale(type="point"))  # fmt: skip
    scale = alt.Scale(zero=False)
    base = alt.Chart(frame).encode(x=x)
    y = alt.Y("quartile:Q", title="rating", axis=alt.Axis(format="d"), scale=scale)
    band = base.mark_area(opacity=0.16, color=PALETTE[0]).encode(y=y, y2="quartile_3:Q")
    rules = base.mark_rule(strokeWidth=3, opacity=0.45, color=PALETTE[0]).encode(
        y=alt.Y("low:Q", scale=scale), y2="high:Q"
    )
    line = base.mark_line(strokeWidth=2, color=PALETTE[0]).encode(y="mean:Q")
    dots = base.mark_circle(size=45, opacity=1, color=PALETTE[0]).encode(y="mean:Q")
    return dressed(
        band + rules + line + dots,
        "Mean rating, list by list",
        "Band: the middle half of the players. Bars: two standard errors of the mean",
    )
