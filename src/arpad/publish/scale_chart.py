"""The chart of `arpad scales`: players as points, the fitted curve, its band."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.publish.chart_style import MUTED, PALETTE, altair, dressed

if TYPE_CHECKING:
    from arpad.pool.scales import ScaleFit

__all__ = ["scale_chart"]

MOST_POINTS = 2000
STEPS = 120
SEED = 1994
OUTER = 0.001
"""Share of the points at each end that may fall off the picture: a wild rating would flatten the curve."""


def scale_chart(found: ScaleFit, *, axes: tuple[str, str], at_games: float = 6) -> Any:
    """Draw the fit along its first predictor; the second, games, is held at `at_games`."""
    alt = altair()
    name = found.on[0]
    low, high = found.reach(name)
    more = [at_games] if "games" in found.on else []
    line = found.table([[x, *more] for x in np.linspace(low, high, STEPS)])
    bottom, top = _heights(found, line)
    shown = found.points.filter(pl.col("value").is_between(bottom, top))
    some = shown if shown.height <= MOST_POINTS else shown.sample(MOST_POINTS, seed=SEED)
    x = alt.X(
        f"{name}:Q",
        title=axes[0],
        scale=alt.Scale(domain=(low, high), nice=False, padding=8),
        axis=alt.Axis(format="d", tickCount=8),
    )
    y = alt.Y(
        "value:Q",
        title=axes[1],
        scale=alt.Scale(domain=(bottom, top), nice=False),
        axis=alt.Axis(format="d"),
    )
    dots = alt.Chart(some).mark_circle(size=14, color=MUTED, opacity=0.3, clip=True).encode(x=x, y=y)  # fmt: skip
    base = alt.Chart(line)
    band = base.mark_area(color=PALETTE[1], opacity=0.35, clip=True).encode(
        x=x, y=alt.Y("low:Q", title=axes[1]), y2="high:Q"
    )
    curve = base.mark_line(color=PALETTE[1], strokeWidth=2.5, clip=True).encode(x=x, y=y)
    return dressed(dots + band + curve, _title(found, at_games), _subtitle(found, some.height))


def _heights(found: ScaleFit, line: pl.DataFrame) -> tuple[float, float]:
    values = found.points["value"].to_numpy()
    bottom, top = np.quantile(values, [OUTER, 1 - OUTER])
    curve = line["value"].to_numpy()
    bottom, top = min(bottom, curve.min()), max(top, curve.max())
    room = 0.03 * max(top - bottom, 1.0)
    return float(bottom - room), float(top + room)


def _title(found: ScaleFit, at_games: float) -> str:
    if found.on[0] == "rating":
        return "From one scale to the other"
    return "Rating by age" + (f", at {at_games:g} games" if "games" in found.on else "")


def _subtitle(found: ScaleFit, shown: int) -> str:
    dots = f"{shown:,} of them shown; " if shown < found.n else ""
    interval = f"{float(str(found.parameters['confidence'])):.0%}"
    return (
        f"Robust loess, span {found.span:g}, {found.n:,} players ({dots}σ {found.spread:.0f} points); "
        f"band: {interval} interval of the curve"
    )
