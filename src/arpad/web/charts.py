"""Charts on a page: as wide as their place, readable on a phone and on a dark page."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from arpad.publish.charts.style import GRID, INK, MUTED

if TYPE_CHECKING:
    from collections.abc import Iterator


LINE = 42
"""Letters that fit under a chart on a phone."""
APART = 6
"""Pixels between two figures of an axis."""
INKED = ("color", "fill", "stroke", "labelColor")


def drawn(chart: Any) -> dict[str, Any]:
    """Return a chart as Vega-Lite; what is drawn in ink takes the colour of the page's words."""
    # Whether Vega-Lite allows it was checked when it was built, and takes longer than drawing it.
    whole = chart.properties(width="container").to_dict(validate=False)
    found: dict[str, Any] = _without_ink(whole)
    for encoding in _encodings(found):
        _narrow(encoding)
    return found


def _encodings(part: Any) -> Iterator[dict[str, Any]]:
    if isinstance(part, dict):
        for key, value in part.items():
            if key == "encoding":
                yield value
            elif key != "datasets":
                yield from _encodings(value)
    elif isinstance(part, list):
        for each in part:
            yield from _encodings(each)


def _narrow(encoding: dict[str, Any]) -> None:
    """Break long titles of axes into lines, and leave room between their figures."""
    for name in ("x", "y"):
        channel = encoding.get(name, {})
        title = channel.get("title")
        if isinstance(title, str) and len(title) > LINE:
            channel["title"] = textwrap.wrap(title, LINE)
        axis = channel.get("axis", {}) if name == "x" else None
        if axis is not None and channel.get("type") in ("quantitative", "temporal"):
            channel["axis"] = {"labelOverlap": "greedy", "labelSeparation": APART, **axis}


def _without_ink(part: Any) -> Any:
    """Return a part of a chart without its own ink.

    Examples
    --------
    >>> _without_ink({"mark": {"type": "text", "color": "#1f2328"}, "width": 9})
    {'mark': {'type': 'text'}, 'width': 9}
    """
    if isinstance(part, dict):
        return {k: _without_ink(v) for k, v in part.items() if not (k in INKED and v == INK)}
    return [_without_ink(each) for each in part] if isinstance(part, list) else part


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
