"""The chart of `arpad draws`: the share of draws by rating difference, a colour a level, observed and predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.publish.chart_style import MUTED, PALETTE, altair, dressed

if TYPE_CHECKING:
    from arpad.pool.draw_check import DrawCheck

__all__ = ["draw_chart"]

LEAST = (100, 10, 1)
"""Games of a group that is shown; the next where no group has so many."""
MOST = len(PALETTE)


def draw_chart(found: DrawCheck, *, title: str, subtitle: str = "") -> Any:
    """Draw observed shares as dots with ± 2σ and the model's as lines."""
    alt = altair()
    dots = _dots(found)
    lines = _lines(found, dots)
    order = dots["name"].unique(maintain_order=True).to_list()
    reach = _reach(dots)
    top = min(1.0, max(float(dots["high"].max()), float(lines["share"].max()), 0.1))  # type: ignore[arg-type]
    x = alt.X(
        "difference:Q",
        title="rating difference, White's advantage in it",
        scale=alt.Scale(domain=(0, reach), nice=False),
        axis=alt.Axis(values=list(range(0, int(reach) + 1, 100))),
    )
    y = alt.Y(
        "share:Q",
        title="share of draws",
        axis=alt.Axis(format="%", tickCount=7),
        scale=alt.Scale(domain=(0, top)),
    )
    colour = alt.Color(
        "name:N",
        sort=order,
        scale=alt.Scale(domain=order, range=PALETTE[: len(order)]),
        legend=alt.Legend(
            title="mean rating", labelColor=MUTED, titleColor=MUTED, titleFontWeight="normal"
        ),
    )
    curves = alt.Chart(lines).mark_line(strokeWidth=2, clip=True).encode(x=x, y=y, color=colour)
    base = alt.Chart(dots)
    bars = base.mark_rule(strokeWidth=1.5, clip=True).encode(
        x=alt.X("mean_difference:Q"), y=alt.Y("low:Q"), y2="high:Q", color=colour
    )
    points = base.mark_circle(size=45, opacity=1).encode(
        x=alt.X("mean_difference:Q"), y=alt.Y("observed:Q"), color=colour
    )
    return dressed(curves + bars + points, title, subtitle)


def _dots(found: DrawCheck) -> pl.DataFrame:
    """Return the groups with enough games; the highest levels first."""
    grids = (found.grid.filter(pl.col("games") >= least) for least in LEAST)
    grid = next(g for g in grids if g.height)
    busy = (
        grid.group_by("level").agg(pl.col("games").sum()).sort("games", descending=True).head(MOST)
    )
    return (
        grid.filter(pl.col("level").is_in(busy["level"].implode()))
        .with_columns(
            low=(pl.col("observed") - 2 * pl.col("sigma")).clip(0, 1),
            high=(pl.col("observed") + 2 * pl.col("sigma")).clip(0, 1),
            name=pl.format(
                "{} – {}", pl.col("level").cast(pl.Int64), pl.col("level_to").cast(pl.Int64) - 1
            ),
        )
        .sort("level", "difference", descending=[True, False])
    )


def _reach(dots: pl.DataFrame) -> float:
    return float(max(200.0, *dots["difference_to"].to_list()))


def _lines(found: DrawCheck, dots: pl.DataFrame) -> pl.DataFrame:
    """Return what the model says in the middle of each level."""
    reach = _reach(dots)
    D = np.linspace(0.0, reach, 161)
    E = np.asarray(found.curve.expected(D))
    parts = []
    for level, to, name in dots.select("level", "level_to", "name").unique().iter_rows():
        share = found.fit.model.rate(np.full_like(D, (level + to) / 2), E)
        parts.append(pl.DataFrame({"difference": D, "share": share}).with_columns(name=pl.lit(name)))  # fmt: skip
    return pl.concat(parts)
