"""Charts on a page: as wide as their place, readable on a phone and on a dark page."""

from __future__ import annotations

import hashlib
import json
import textwrap
import threading
from typing import TYPE_CHECKING, Any

from cachetools import LRUCache

from arpad.publish.charts.style import INK

if TYPE_CHECKING:
    from collections.abc import Iterator


LINE = 42  # letters that fit under a chart on a phone
APART = 6  # pixels between two figures of an axis


def drawn(chart: Any) -> dict[str, Any]:
    """Return a chart as Vega-Lite; what is drawn in ink takes the colour of the page's words."""
    # Whether Vega-Lite allows it was checked when it was built, and takes longer than drawing it.
    whole = chart.properties(width="container").to_dict(validate=False)
    result: dict[str, Any] = inked(whole)
    for encoding in _encodings(result):
        _narrow(encoding)
    return result


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


def inked(part: Any) -> Any:
    """Return a part of a chart with the colour of the page's words in the place of ink: it is light in the dark.

    Examples
    --------
    >>> inked({"mark": {"type": "text", "color": "#1f2328"}, "width": 9})
    {'mark': {'type': 'text', 'color': 'currentColor'}, 'width': 9}
    """
    if isinstance(part, dict):
        return {name: inked(value) for name, value in part.items()}
    if isinstance(part, list):
        return [inked(each) for each in part]
    return "currentColor" if part == INK else part


LIGHT = {"ink": "#1f2328", "muted": "#59636e", "line": "#d8dee4"}
DARK = {"ink": "#e6edf3", "muted": "#9aa5b1", "line": "#30363d"}
"""The colours of the style sheet."""
WIDTHS = {"page": 1100, "phone": 350}
_drawn: LRUCache[bytes, str] = LRUCache(64)
_drawing = threading.Lock()


def svg_of(chart: dict[str, Any], *, wide: int, dark: bool) -> str:
    """Draw a Vega-Lite chart so many pixels wide, in the colours of a light or a dark page."""
    import vl_convert

    spec = json.dumps(_dressed(chart, wide, DARK if dark else LIGHT))
    key = hashlib.blake2b(spec.encode()).digest()
    with (
        _drawing
    ):  # a picture takes some hundredths of a second: one at a time leaves the other processor to pages
        if key not in _drawn:
            _drawn[key] = str(vl_convert.vegalite_to_svg(spec))
        return _drawn[key]


def _dressed(chart: dict[str, Any], wide: int, colours: dict[str, str]) -> dict[str, Any]:
    ink, muted, line = colours.values()
    axis = {
        "labelColor": muted,
        "titleColor": muted,
        "gridColor": line,
        "domainColor": line,
        "tickColor": line,
        "titleFontWeight": "normal",
    }
    words = {"labelColor": muted, "titleColor": ink}
    config = {
        n: v
        for n, v in chart.get("config", {}).items()
        if n not in ("axis", "legend", "header", "title", "view")
    }
    config |= {"background": None, "axis": axis, "legend": words, "header": words, "view": {"stroke": None}}
    config |= {
        "title": {"color": ink},
        "text": {"color": ink},
        "font": "system-ui, Helvetica, Arial, sans-serif",
    }
    plain = {n: v for n, v in chart.items() if n not in ("background", "title", "config", "padding")}
    sized: dict[str, Any] = _sized(plain, wide, ink)
    return {**sized, "config": config}


def _sized(part: Any, wide: int, ink: str) -> Any:
    """Return a part of a chart with the width of its place, and with ink for the colour of the page's words."""
    if isinstance(part, dict):
        whole = {n: _sized(v, wide, ink) for n, v in part.items()}
        if part.get("width") == "container":
            whole |= {"width": wide, "autosize": {"type": "fit-x", "contains": "padding"}}
        return whole
    if isinstance(part, list):
        return [_sized(each, wide, ink) for each in part]
    return ink if part == "currentColor" else part
