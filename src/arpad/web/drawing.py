"""Charts on a page: as wide as their place, and without ink that a dark page would swallow."""

from __future__ import annotations

from typing import Any

from arpad.publish.chart_style import INK

__all__ = ["drawn"]

INKED = ("color", "fill", "stroke", "labelColor")


def drawn(chart: Any) -> dict[str, Any]:
    """Return a chart as Vega-Lite; what is drawn in ink takes the colour of the page's words."""
    # Whether Vega-Lite allows it was checked when it was built, and takes longer than drawing it.
    whole = chart.properties(width="container").to_dict(validate=False)
    found: dict[str, Any] = _without_ink(whole)
    return found


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
