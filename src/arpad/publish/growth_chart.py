"""The chart of `arpad monitor growth`: counts and the curve through them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.publish.chart_style import MUTED, PALETTE, altair, dressed

if TYPE_CHECKING:
    from arpad.pool.growth import Growth

__all__ = ["growth_chart"]

POINTS = 200
"""Points that a curve is drawn through."""


def growth_chart(
    found: Growth, counts: pl.DataFrame, *, floor: float | None = None, until: float | None = None
) -> Any:
    """Chart the number of players at each date, the logistic curve, and the level that it tends to."""
    alt = altair()
    years = counts["year"].to_numpy()
    last = max(float(years.max()), until or 0.0)
    time = np.linspace(float(years.min()), last, POINTS)
    x = alt.X("year:Q", title=None, axis=alt.Axis(format="d"), scale=alt.Scale(nice=False, zero=False, padding=10))  # fmt: skip
    y = alt.Y("players:Q", title="players" if floor is None else f"players of {floor:g} or more")
    curve = alt.Chart(pl.DataFrame({"year": time, "players": found.count(time)}))
    layers = [
        curve.mark_line(color=PALETTE[0], strokeWidth=2).encode(x=x, y=y),
        alt.Chart(counts).mark_circle(size=50, color=PALETTE[1], opacity=1).encode(x=x, y=y),
    ]
    if found.saturated:  # else the level is a guess, and would squeeze the rest
        level = alt.Chart(pl.DataFrame({"players": [found.n_max]}))
        layers.append(level.mark_rule(color=MUTED, strokeDash=[4, 4]).encode(y=y))
    return dressed(alt.layer(*layers), "Growth of the number of players", found.summary())
