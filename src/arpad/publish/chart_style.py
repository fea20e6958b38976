"""How every chart looks, and how it is written: one grammar for the web, PNG and SVG, all of it offline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from arpad.errors import UsageError
from arpad.publish.atomic import write_bytes, write_text

__all__ = [
    "GRID",
    "HEIGHT",
    "INK",
    "MUTED",
    "PALETTE",
    "WIDTH",
    "altair",
    "check_name",
    "dressed",
    "save",
    "svg",
]

INK, MUTED, GRID = "#1f2328", "#59636e", "#e4e8ec"
FONT = "Helvetica, Arial, sans-serif"
PALETTE = ["#1f6feb", "#d1570a", "#1a7f37", "#8250df", "#bf3989", "#9a6700", "#0a7c86", "#6e7781"]
"""Told apart by people who do not see red or green as others do, and dark enough on white."""

HEIGHT, WIDTH = 340, 620


def altair() -> Any:
    """Return the chart library, which takes .4 s to load."""
    import altair as alt

    alt.data_transformers.disable_max_rows()
    return alt


def dressed(chart: Any, title: str, subtitle: str | list[str] = "", *, sized: bool = True) -> Any:
    """Give a chart its title, size, fonts and colours; charts side by side have sizes of their own."""
    size = {"width": WIDTH, "height": HEIGHT} if sized else {}
    return (
        chart.properties(
            **size,
            title={"text": title, "subtitle": subtitle, "anchor": "start", "fontSize": 16, "color": INK,
                   "subtitleColor": MUTED, "subtitleFontSize": 12, "offset": 14},
            padding={"left": 10, "right": 20, "top": 10, "bottom": 10},
            background="white",
        )
        .configure(font=FONT)
        .configure_view(stroke=None)
        .configure_axis(labelColor=MUTED, titleColor=MUTED, gridColor=GRID, domainColor=GRID, tickColor=GRID,
                        labelFontSize=11, titleFontSize=12, titleFontWeight="normal")
    )  # fmt: skip


def svg(chart: Any) -> str:
    """Return a chart as SVG text."""
    import vl_convert

    return str(vl_convert.vegalite_to_svg(chart.to_json()))


def check_name(path: str | Path) -> None:
    """Raise unless a chart can be written under a name: better before long work than after it."""
    if Path(path).suffix.lower() not in (".png", ".svg"):
        raise UsageError(f"expected a chart's name to end in .png or .svg, found {str(path)!r}")


def save(chart: Any, path: str | Path) -> None:
    """Write a chart as PNG or SVG, by the ending of the name."""
    check_name(path)
    if Path(path).suffix.lower() == ".svg":
        write_text(path, svg(chart))
    else:
        import vl_convert

        write_bytes(path, vl_convert.vegalite_to_png(chart.to_json(), scale=2))
