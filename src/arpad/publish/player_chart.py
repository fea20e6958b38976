"""A player's ratings over time: a line and its band for each policy, or for each of two players."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.publish.chart_style import PALETTE, altair, dressed
from arpad.schema import schema

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

__all__ = ["ratings_over_time"]

MARKED = 80
"""Points that have room for a mark each."""

ROOM = 10.0
"""Points above and below the lines."""

REACH = 150.0
"""Points that a band may reach beyond the lines before it is cut off: the first ones know little."""

AFTER = 0.03
"""Share of the time shown that a line goes on after its last point."""

LINES = schema(
    {
        "line": pl.String,
        "day": pl.Date,
        "rating": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "open": pl.Boolean,  # not a point, but the last rating, which still stands
    }
)


def ratings_over_time(
    lines: Mapping[str, Sequence[tuple[date, float, float | None]]], *, title: str, subtitle: str = ""
) -> Any:  # fmt: skip
    """Chart ratings over time.

    Parameters
    ----------
    lines
        What a line is called, and its points: day, rating, and one standard error where it is known. A rating
        stands until the next point.
    """
    alt = altair()
    frame = _frame(lines)
    low, high = _edges(frame)
    span = _days(frame["day"])
    x = alt.X(
        "day:T",
        title=None,
        axis=alt.Axis(format="%b %Y" if span < 1500 else "%Y", labelOverlap=True, tickCount=6),
    )
    scale = alt.Scale(domain=(low, high), nice=False, zero=False)
    y = alt.Y(
        "rating:Q",
        title="rating",
        scale=scale,
        axis=alt.Axis(format="d", tickCount=6, tickMinStep=1),
    )
    names = list(lines)
    colour = alt.Color(
        "line:N",
        scale=alt.Scale(domain=names, range=[PALETTE[i % len(PALETTE)] for i in range(len(names))]),
        legend=alt.Legend(
            title=None,
            orient="top",
            labelLimit=400,
            symbolType="stroke",
            symbolOpacity=1,
            symbolStrokeWidth=3,
        )
        if len(names) > 1
        else None,
    )
    chart = alt.Chart(frame)
    band = chart.mark_area(opacity=0.18, interpolate="step-after", clip=True).encode(
        x=x, y=alt.Y("low:Q", scale=scale, title="rating"), y2="high:Q", color=colour
    )
    line = chart.mark_line(strokeWidth=2, interpolate="step-after", clip=True)
    parts = band + line.encode(x=x, y=y, color=colour)
    if frame.height <= MARKED:
        marks = chart.mark_point(size=26, filled=True, opacity=1).transform_filter(~alt.datum.open)
        parts += marks.encode(x=x, y=y, color=colour)
    return dressed(parts, title, subtitle)


def _frame(lines: Mapping[str, Sequence[tuple[date, float, float | None]]]) -> pl.DataFrame:
    """Return the points with their bands; each line goes on a little after its last one."""
    days = [day for points in lines.values() for day, _, _ in points]
    last = max(days, default=None)
    span = (max(days) - min(days)).days if days else 0
    rows: list[tuple[str, date, float, float, float, bool]] = []
    for name, points in lines.items():
        for day, rating, error in points:
            rows.append(
                (name, day, rating, rating - (error or 0.0), rating + (error or 0.0), False)
            )
        if points and last is not None:
            *start, _ = rows[-1]
            end = last + timedelta(days=max(5, round(AFTER * span)))
            rows.append((name, end, *start[2:], True))  # type: ignore[arg-type]
    return pl.DataFrame(rows, schema=LINES, orient="row")


def _days(days: pl.Series) -> int:
    return (days.max() - days.min()).days if len(days) else 0  # type: ignore[operator,union-attr]


def _edges(frame: pl.DataFrame) -> tuple[float, float]:
    """Return the lowest and the highest rating shown: the lines whole, their bands as far as is reasonable."""
    if frame.is_empty():
        return 0.0, 1.0
    lows, highs = frame["low"].to_numpy().min(), frame["high"].to_numpy().max()
    ratings = frame["rating"].to_numpy()
    return (
        float(max(lows, ratings.min() - REACH)) - ROOM,
        float(min(highs, ratings.max() + REACH)) + ROOM,
    )
