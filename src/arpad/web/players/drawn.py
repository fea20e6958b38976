"""Charts of players: what they show in a sentence, and their Vega-Lite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arpad.publish.player_chart import ratings_over_time
from arpad.web.contexts import Chart

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from arpad.office.showing.courses import Course

__all__ = ["course_says", "rating_charts", "vega"]


def rating_charts(number: int, courses: Sequence[Course]) -> list[Chart]:
    """Return the chart of a player's ratings; none where a single one stands at a single day."""
    if not any(len(course.points) > 1 for course in courses):
        return []
    return [
        Chart(
            title="Rating over time; bands are one standard error to each side",
            href=f"/charts/players/{number}/ratings",
            says="; ".join(course_says(course) for course in courses),
        )
    ]


def course_says(course: Course, name: str = "") -> str:
    """Return what a line shows, for those who cannot see it."""
    first, last = course.points[0], course.points[-1]
    high = max(course.points, key=lambda p: p.rating)
    return (
        f"{name or course.policy}: {first.rating:.0f} on {first.day}, {last.rating:.0f} on {last.day},"
        f" highest {high.rating:.0f} on {high.day}"
    )


def vega(
    lines: Mapping[str, Sequence[tuple[date, float, float | None]]], title: str
) -> dict[str, Any]:
    """Return ratings over time as Vega-Lite, as wide as the page has room for."""
    chart = ratings_over_time(lines, title=title).properties(
        width="container", height=300, autosize={"type": "fit", "contains": "padding"}
    )
    return dict(chart.to_dict(validate=False))
