"""The pictures of a game, as wide as the page and in its colours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from arpad.publish.chart_style import INK
from arpad.publish.gain_chart import course_chart, game_chart

if TYPE_CHECKING:
    from arpad.moves.gain_report import GainReport

__all__ = ["Picture", "picture"]

Picture = Literal["evaluation", "gain", "strength"]

SHARED = ("$schema", "config", "datasets")
HEIGHTS = {"evaluation": 200, "gain": 180, "strength": 300}


def picture(report: GainReport, what: Picture) -> dict[str, Any]:
    """Return one picture as Vega-Lite: the evaluation after each move, the gain of each, or the strength."""
    if what == "strength":
        whole: dict[str, Any] = course_chart(report).to_dict()
        part = whole
    else:
        whole = game_chart(report).to_dict()
        part = whole["vconcat"][("evaluation", "gain").index(what)]
    spec = {**{k: whole[k] for k in SHARED if k in whole}, **part}
    spec |= {
        "width": "container",
        "height": HEIGHTS[what],
        "autosize": {"type": "fit-x", "contains": "padding"},
    }
    return _coloured(spec)  # type: ignore[no-any-return]


def _coloured(value: Any) -> Any:
    """Put the colour of the page's text in the place of ink: it is light in the dark."""
    if isinstance(value, dict):
        return {name: _coloured(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_coloured(inner) for inner in value]
    return "currentColor" if value == INK else value
