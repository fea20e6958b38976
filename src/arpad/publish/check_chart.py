"""The chart of `arpad check`: expected against actual score, and the deviations with their normal curve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.publish.chart_style import INK, MUTED, PALETTE, altair, dressed

if TYPE_CHECKING:
    from arpad.pool.check import Check

__all__ = ["check_chart"]

PANEL = 320
"""Width of one of the two pictures, in pixels."""
ROOM = 300
"""Their height."""
NAMES = {"promised": "chance alone", "own": "normal, with their own σ"}


def check_chart(found: Check, *, title: str, subtitle: str = "") -> Any:
    """Draw the groups of expected score beside the histogram of deviations."""
    alt = altair()
    panels = [_groups(found)]
    if found.histogram is not None:
        panels.append(_deviations(found))
    pair = alt.hconcat(*panels, spacing=36).resolve_scale(color="independent")
    return dressed(pair, title, subtitle, sized=False)


def _groups(found: Check) -> Any:
    alt = altair()
    frame = found.calibration.bins.with_columns(
        low=(pl.col("actual") - 2 * pl.col("sigma")), high=(pl.col("actual") + 2 * pl.col("sigma"))
    )
    start = 0.5 if found.calibration.side == "favourite" else 0.0
    reach = [float(frame["low"].min() or start), float(frame["high"].max() or 1.0)]  # type: ignore[arg-type]
    scale = alt.Scale(domain=(max(0.0, min(start, reach[0])), 1.0), nice=False, clamp=True)
    axis = alt.Axis(format=".1f", tickCount=6)
    who = "favourite" if found.calibration.side == "favourite" else "White"
    x = alt.X("expected:Q", title=f"expected score of the {who}", scale=scale, axis=axis)
    y = alt.Y("actual:Q", title="actual score, ± 2σ", scale=scale, axis=axis)
    line = pl.DataFrame({"expected": [0.0, 1.0], "actual": [0.0, 1.0]})
    right = (
        alt.Chart(line)
        .mark_line(color=MUTED, strokeDash=[4, 4], strokeWidth=1.5, clip=True)
        .encode(x=x, y=y)
    )
    base = alt.Chart(frame)
    bars = base.mark_rule(color=PALETTE[0], strokeWidth=2, clip=True).encode(
        x=x, y=alt.Y("low:Q", scale=scale), y2="high:Q"
    )
    dots = base.mark_circle(color=PALETTE[0], size=55, opacity=1).encode(x=x, y=y)
    return (right + bars + dots).properties(width=PANEL, height=ROOM)


def _deviations(found: Check) -> Any:
    alt = altair()
    counted = found.histogram
    assert counted is not None
    edges = np.asarray(counted.edges)
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
        title="(W − W_e) / σ",
        scale=alt.Scale(domain=(float(edges[0]), float(edges[-1])), nice=False),
        axis=alt.Axis(tickCount=10, format="d"),
    )
    each = "players" if found.parameters["per"] == "player" else "entries"
    boxes = (
        alt.Chart(bars)
        .mark_rect(color="#b9d0f5", stroke="white", strokeWidth=1)
        .encode(
            x=x,
            x2="high:Q",
            y=alt.Y(
                "count:Q",
                title=each,
                axis=alt.Axis(format=",d", tickMinStep=1),
                scale=alt.Scale(domainMin=0),
            ),
            y2="floor:Q",
        )
    )
    grid = np.linspace(edges[0], edges[-1], 301)
    curves = pl.concat(
        pl.DataFrame(
            {"z": grid, "count": shape.density(grid) * counted.total * counted.width}
        ).with_columns(curve=pl.lit(NAMES[name]))
        for name, shape in found.shapes.items()
    )
    order = [NAMES[name] for name in found.shapes]
    colour = alt.Color(
        "curve:N",
        sort=order,
        scale=alt.Scale(domain=order, range=[PALETTE[1], INK]),
        legend=alt.Legend(
            title=None,
            orient="top",
            labelColor=MUTED,
            symbolStrokeWidth=2.5,
            fillColor="white",
        ),
    )
    lines = alt.Chart(curves).mark_line(strokeWidth=2).encode(x="z:Q", y="count:Q", color=colour)
    return (boxes + lines).properties(width=PANEL, height=ROOM)
