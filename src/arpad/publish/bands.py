"""Lines with their limits shaded, many in one chart: what every chart of a course with uncertainty is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.publish.chart_style import PALETTE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["HEADROOM", "banded", "headroom"]

HEADROOM = 1.5
"""The axis goes at most so far above the highest point: limits of few games would squeeze the rest."""


def banded(
    alt: Any,
    lines: Mapping[str, pl.DataFrame],
    x: Any,
    *,
    title: str,
    top: float | None = None,
    legend: bool = True,
) -> Any:
    """Return a layer with each line over its limits: columns `at`, `value`, `low`, `high`; a null breaks a line.

    Parameters
    ----------
    lines
        By their names, in the order of the key.
    top
        Where the axis ends; limits beyond it are cut off. None: see `headroom`.
    """
    names = list(lines)
    top = headroom(list(lines.values())) if top is None else top
    colour = alt.Color(
        "which:N",
        sort=names,
        scale=alt.Scale(domain=names, range=PALETTE),
        legend=alt.Legend(title=None, orient="top", labelLimit=300, columns=5)
        if legend and len(names) > 1
        else None,
    )
    scale = alt.Scale(domain=(0, top), nice=False)
    bands, strokes = [], []
    for number, (name, given) in enumerate(lines.items()):
        frame = given.with_columns(
            pl.col("low", "high").clip(upper_bound=top), which=pl.lit(name)
        ).sort("at")
        # Not by the shared scale of colours: the key would take the pale ones of the areas.
        plain = PALETTE[number % len(PALETTE)]
        bands.append(
            alt.Chart(frame)
            .mark_area(opacity=0.15, color=plain)
            .encode(x=x, y=alt.Y("low:Q", title=title, scale=scale), y2="high:Q")
        )
        shown = alt.Chart(frame).encode(
            x=x, y=alt.Y("value:Q", title=title, scale=scale), color=colour
        )
        strokes += [shown.mark_line(strokeWidth=2), shown.mark_circle(size=20, opacity=1)]
    return alt.layer(*bands, *strokes)


def headroom(frames: Sequence[pl.DataFrame]) -> float:
    """Return where the axis of some lines ends: at their highest limit, or not far above their highest point."""
    highest = max((_most(f, "value") for f in frames), default=0.0)
    limit = max((_most(f, "high") for f in frames), default=0.0)
    return min(HEADROOM * highest, max(1.05 * highest, limit)) if highest > 0 else 1.0


def _most(frame: pl.DataFrame, name: str) -> float:
    known = frame[name].drop_nulls().to_list()
    return max(known, default=0.0)
