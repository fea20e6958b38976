"""A player's rating from list to list, or from game to game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arpad.publish.chart_style import PALETTE, altair, dressed

if TYPE_CHECKING:
    import polars as pl

__all__ = ["rating_course"]

MARKED = 60
"""Points that have room for a mark each."""


def rating_course(course: pl.DataFrame, *, title: str, subtitle: str = "") -> Any:
    """Chart a rating over time.

    Parameters
    ----------
    course
        `day` (dates, or numbers where no date is known) and `rating`; no rating is a gap.
    """
    alt = altair()
    dated = not course.schema["day"].is_numeric()
    days = course["day"].drop_nulls()
    known = course["rating"].drop_nulls()
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)  # type: ignore[arg-type]
    room = max(5.0, 0.08 * (high - low))
    span = (days.max() - days.min()).days if dated and len(days) else 0  # type: ignore[operator,union-attr]
    x = alt.X(
        "day:T" if dated else "day:Q",
        title=None if dated else "game",
        axis=alt.Axis(format="%b %Y" if span < 1500 else "%Y", labelOverlap=True, tickCount=8)
        if dated
        else alt.Axis(format="d", tickMinStep=1),
    )
    y = alt.Y(
        "rating:Q",
        title="rating",
        scale=alt.Scale(domain=(low - room, high + room), nice=False, zero=False),
        axis=alt.Axis(format="d", tickCount=6, tickMinStep=1),
    )
    line = alt.Chart(course).mark_line(
        color=PALETTE[0],
        strokeWidth=2,
        interpolate="step-after" if dated else "linear",
        point={"color": PALETTE[0], "size": 28} if course.height <= MARKED else False,
    )
    return dressed(line.encode(x=x, y=y), title, subtitle)
