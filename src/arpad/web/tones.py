"""Charts that are made for paper, in tones that are seen on a light page and on a dark one."""

from __future__ import annotations

from typing import Any

from arpad.publish.chart_style import GRID, INK, MUTED

__all__ = ["toned"]

MIDDLE = "#7d8590"
"""Grey with a contrast of about 4 to 1 against the light page and 5 to 1 against the dark one."""
TONES = {INK: MIDDLE, MUTED: MIDDLE, GRID: MIDDLE}


def toned(chart: Any) -> Any:
    """Return the description of a chart with its inks replaced; colours that mean something stay.

    Examples
    --------
    >>> toned({"mark": {"color": "#1f2328"}, "data": [1, "#d1570a"]})
    {'mark': {'color': '#7d8590'}, 'data': [1, '#d1570a']}
    """
    if isinstance(chart, dict):
        return {name: toned(value) for name, value in chart.items()}
    if isinstance(chart, list):
        return [toned(value) for value in chart]
    return TONES.get(chart, chart) if isinstance(chart, str) else chart
