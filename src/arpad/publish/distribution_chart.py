"""The chart of `arpad distribution`: the histogram of a pool with both shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.publish.chart_style import MUTED, PALETTE, altair, dressed

if TYPE_CHECKING:
    from arpad.pool.distribution import Distribution

__all__ = ["distribution_chart"]

NAMES = {"normal": "normal", "maxwell": "Maxwell–Boltzmann"}
POINTS = 401


def distribution_chart(found: Distribution, *, title: str, subtitle: str = "") -> Any:
    """Draw players by rating, with the normal and the Maxwell–Boltzmann curve over them."""
    alt = altair()
    counted = found.histogram
    edges = np.asarray(counted.edges)
    low, high = float(edges[0]), float(edges[-1])
    bars = pl.DataFrame(
        {
            "low": edges[:-1],
            "high": edges[1:],
            "count": np.asarray(counted.counts, dtype=float),
            "floor": 0.0,
        }
    )
    x = alt.X(
        "low:Q",
        title="rating",
        scale=alt.Scale(domain=(low, high), nice=False),
        axis=alt.Axis(format="d", labelOverlap=True, tickCount=12),
    )
    y = alt.Y(
        "count:Q",
        title=f"players in {counted.width:g} points",
        axis=alt.Axis(format=",d", tickMinStep=1),
        scale=alt.Scale(domainMin=0),
    )
    boxes = (
        alt.Chart(bars)
        .mark_rect(color="#b9d0f5", stroke="white", strokeWidth=1)
        .encode(x=x, x2="high:Q", y=y, y2="floor:Q")
    )
    if not found.fits:
        return dressed(boxes, title, subtitle)
    grid = np.linspace(low, high, POINTS)
    curves = pl.concat(
        pl.DataFrame(
            {"rating": grid, "count": fit.shape.density(grid) * counted.total * counted.width}
        ).with_columns(curve=pl.lit(NAMES[fit.shape.name]))
        for fit in found.fits
    )
    order = [NAMES[fit.shape.name] for fit in found.fits]
    lines = (
        alt.Chart(curves)
        .mark_line(strokeWidth=2.2)
        .encode(
            x="rating:Q",
            y="count:Q",
            color=alt.Color(
                "curve:N",
                sort=order,
                scale=alt.Scale(domain=order, range=[PALETTE[1], PALETTE[2]]),
                legend=alt.Legend(
                    title=None, orient="top", labelColor=MUTED, labelFontSize=12,
                    symbolStrokeWidth=2.5,
                ),
            ),
        )
    )  # fmt: skip
    return dressed(boxes + lines, title, subtitle)
