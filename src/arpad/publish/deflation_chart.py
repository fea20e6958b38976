"""The chart of `arpad monitor deflation`: a dot and its interval for each segment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.publish.chart_style import MUTED, PALETTE, altair, dressed

if TYPE_CHECKING:
    from arpad.pool.deflation import Deflation

__all__ = ["deflation_chart"]

MOST_SEGMENTS = 30
ROW = 26


def deflation_chart(found: Deflation, *, least: int = 1) -> Any:
    """Chart by how many points the ratings of each segment are too low; the busiest, where there are many."""
    alt = altair()
    shown = found.rows.filter((pl.col("games") >= least) & pl.col("points").is_not_null())
    shown = shown.sort("games", descending=True).head(MOST_SEGMENTS)
    shown = shown.sort("points", descending=True)
    names = [f"{name} ({games:,})" for name, games in shown.select("segment", "games").iter_rows()]
    frame = shown.with_columns(
        pl.Series("who", names, dtype=pl.String),
        pl.col("points_low").fill_null(pl.col("points")),
        pl.col("points_high").fill_null(pl.col("points")),
    )
    y = alt.Y("who:N", sort=names, title=None, axis=alt.Axis(labelLimit=300))
    zero = (
        alt.Chart(pl.DataFrame({"at": [0.0]}))
        .mark_rule(color=MUTED, strokeDash=[3, 3])
        .encode(x="at:Q")
    )
    base = alt.Chart(frame)
    x = alt.X(
        "points_low:Q",
        title="points by which ratings are too low (left of 0: too high), with 95 % interval",
        axis=alt.Axis(tickCount=8, labelOverlap=True),
    )
    rules = base.mark_rule(strokeWidth=2, color="#9bbcf2").encode(x=x, x2="points_high:Q", y=y)
    dots = base.mark_circle(size=60, color=PALETTE[0], opacity=1).encode(x="points:Q", y=y)
    chart = dressed(zero + rules + dots, "Score against expectation", _subtitle(found))
    return chart.properties(height=max(120, ROW * frame.height))


def _subtitle(found: Deflation) -> str:
    given = found.parameters
    more = [f"{word} {given[word]:g}" for word in ("floor", "ageing") if given[word] is not None]
    return ", ".join([f"By {given['by']}; {found.games:,} games between segments (in brackets: of each)", *more])  # fmt: skip
