"""Style of every chart, its file formats, bands and labels; line drawings without a chart library."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.files import write_bytes, write_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from arpad.pool.distribution import DistributionShape, Histogram


# How every chart looks, and how it is written: one grammar for the web, PNG and SVG, all of it offline.

INK, MUTED, GRID = "#1f2328", "#59636e", "#e4e8ec"
FONT = "Helvetica, Arial, sans-serif"
PALETTE = ["#1f6feb", "#d1570a", "#1a7f37", "#8250df", "#bf3989", "#9a6700", "#0a7c86", "#6e7781"]
"""Told apart by people who do not see red or green as others do, and dark enough on white."""
HEIGHT, WIDTH = 340, 620


def altair() -> Any:
    """Return the chart library, which takes .4 s to load."""
    try:
        import altair as alt
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"{error}: pip install 'arpad[charts]'", name=error.name) from None

    alt.data_transformers.disable_max_rows()
    return alt


def dressed(chart: Any, title: str, subtitle: str | list[str] = "", *, sized: bool = True) -> Any:
    """Give a chart its title, size, fonts and colours; charts side by side have sizes of their own."""
    size = {"width": WIDTH, "height": HEIGHT} if sized else {}
    return (
        chart.properties(
            **size,
            title={
                "text": title,
                "subtitle": subtitle,
                "anchor": "start",
                "fontSize": 16,
                "color": INK,
                "subtitleColor": MUTED,
                "subtitleFontSize": 12,
                "offset": 14,
            },
            padding={"left": 10, "right": 20, "top": 10, "bottom": 10},
            background="white",
        )
        .configure(font=FONT)
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=MUTED,
            titleColor=MUTED,
            gridColor=GRID,
            domainColor=GRID,
            tickColor=GRID,
            labelFontSize=11,
            titleFontSize=12,
            titleFontWeight="normal",
        )
    )


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


# Parts that several charts have.

PALE = "#9bbcf2"
BAR = "#b9d0f5"


def rule_at(alt: Any, value: float = 0.0, *, upright: bool = True, dashed: bool = False) -> Any:
    """Return a rule across a chart, upright or level."""
    rule = alt.Chart(pl.DataFrame({"at": [value]})).mark_rule(
        color=MUTED, strokeDash=[3, 3] if dashed else alt.Undefined
    )
    return rule.encode(x="at:Q") if upright else rule.encode(y="at:Q")


def interval_rows(
    frame: pl.DataFrame,
    value: str,
    *,
    axis: Mapping[str, Any],
    below: Sequence[Any] = (),
    labels: int = 300,
    titles: tuple[str, str | list[str]],
    row: int,
) -> Any:
    """Chart a row for each `who`, in the order of the frame: a dot at `value` and its limits `low` and `high`."""
    alt = altair()
    y = alt.Y("who:N", sort=frame["who"].to_list(), title=None, axis=alt.Axis(labelLimit=labels))
    base = alt.Chart(frame)
    rules = base.mark_rule(strokeWidth=2, color=PALE).encode(x=alt.X("low:Q", **axis), x2="high:Q", y=y)
    dots = base.mark_circle(size=60, color=PALETTE[0], opacity=1).encode(x=f"{value}:Q", y=y)
    chart = dressed(alt.layer(*below, rules, dots), *titles)
    return chart.properties(height=max(120, row * frame.height))


def histogram_with_shapes(
    counted: Histogram, shapes: Mapping[str, DistributionShape], *, axes: tuple[str, str], ticks: Any
) -> Any:
    """Chart a histogram with named distributions over it.

    ticks: the axis of the values.
    """
    alt = altair()
    edges = np.asarray(counted.edges)
    low, high = float(edges[0]), float(edges[-1])
    bars = pl.DataFrame(
        {"low": edges[:-1], "high": edges[1:], "count": np.asarray(counted.counts, dtype=float), "floor": 0.0}
    )
    x = alt.X("low:Q", title=axes[0], scale=alt.Scale(domain=(low, high), nice=False), axis=ticks)
    y = alt.Y(
        "count:Q", title=axes[1], axis=alt.Axis(format=",d", tickMinStep=1), scale=alt.Scale(domainMin=0)
    )
    boxes = alt.Chart(bars).mark_rect(color=BAR, stroke="white", strokeWidth=1)
    boxes = boxes.encode(x=x, x2="high:Q", y=y, y2="floor:Q")
    if not shapes:
        return boxes
    grid = np.linspace(low, high, 401)
    curves = pl.concat(
        pl.DataFrame({"at": grid, "count": shape.density(grid) * counted.total * counted.width}).with_columns(
            curve=pl.lit(name)
        )
        for name, shape in shapes.items()
    )
    colour = alt.Color(
        "curve:N",
        sort=list(shapes),
        scale=alt.Scale(domain=list(shapes), range=[PALETTE[1], PALETTE[2]]),
        legend=alt.Legend(
            title=None, orient="top", labelColor=MUTED, symbolStrokeWidth=2.5, fillColor="white"
        ),
    )
    return boxes + alt.Chart(curves).mark_line(strokeWidth=2.2).encode(x="at:Q", y="count:Q", color=colour)


# Lines with their limits shaded, many in one chart: what every chart of a course with uncertainty is made of.

HEADROOM = 1.5
"""The axis goes at most so far above the highest point: limits of few games would squeeze the rest."""


def banded(
    alt: Any,
    lines: Mapping[str, pl.DataFrame],
    x: Any,
    *,
    title: str,
    top: float | None = None,
    legend: bool = True,
) -> Any:
    """Return a layer with each line over its limits: columns `at`, `value`, `low`, `high`; a null breaks a line.

    Parameters
    ----------
    lines
        By their names, in the order of the key.
    top
        Where the axis ends; limits beyond it are cut off. None: see `headroom`.
    """
    names = list(lines)
    top = headroom(list(lines.values())) if top is None else top
    colour = alt.Color(
        "which:N",
        sort=names,
        scale=alt.Scale(domain=names, range=PALETTE),
        legend=alt.Legend(title=None, orient="top", labelLimit=300, columns=5)
        if legend and len(names) > 1
        else None,
    )
    scale = alt.Scale(domain=(0, top), nice=False)
    bands, strokes = [], []
    for number, (name, given) in enumerate(lines.items()):
        frame = given.with_columns(pl.col("low", "high").clip(upper_bound=top), which=pl.lit(name)).sort("at")
        # Not by the shared scale of colours: the key would take the pale ones of the areas.
        plain = PALETTE[number % len(PALETTE)]
        bands.append(
            alt.Chart(frame)
            .mark_area(opacity=0.15, color=plain)
            .encode(x=x, y=alt.Y("low:Q", title=title, scale=scale), y2="high:Q")
        )
        shown = alt.Chart(frame).encode(x=x, y=alt.Y("value:Q", title=title, scale=scale), color=colour)
        strokes += [shown.mark_line(strokeWidth=2), shown.mark_circle(size=20, opacity=1)]
    return alt.layer(*bands, *strokes)


def headroom(frames: Sequence[pl.DataFrame]) -> float:
    """Return where the axis of some lines ends: at their highest limit, or not far above their highest point."""
    highest = max((_most(f, "value") for f in frames), default=0.0)
    limit = max((_most(f, "high") for f in frames), default=0.0)
    return min(HEADROOM * highest, max(1.05 * highest, limit)) if highest > 0 else 1.0


def _most(frame: pl.DataFrame, name: str) -> float:
    known = frame[name].drop_nulls().to_list()
    return max(known, default=0.0)


# Where the names beside the points of a chart go: none over another, none beyond the edge.

LETTER, LINE = 6.2, 13.0  # pixels that a letter is wide and a line is high in print of 11 pixels
APART = 8.0  # pixels from a point to its name
POINT = 5.0  # pixels from the middle of a point to what may stand beside it
Box = tuple[float, float, float, float]  # left, right, bottom and top, in pixels from the lower left corner


@dataclass(frozen=True, slots=True)
class Label:
    """A name and where it is anchored, in pixels from the lower left corner."""

    point: int
    text: str
    x: float
    y: float
    align: Literal["left", "right"] = "left"
    """The end of the name that is at `x`."""

    def box(self) -> Box:
        """Return the room that the name takes."""
        long = LETTER * len(self.text)
        left = self.x if self.align == "left" else self.x - long
        return left, left + long, self.y - LINE / 2, self.y + LINE / 2


def placed(
    points: Sequence[tuple[float, float]],
    texts: Sequence[tuple[int, str]],
    *,
    width: float,
    height: float,
    lines: Sequence[Box] = (),
) -> list[Label]:
    """Return the names that have room: right of their point, left of it, or above or below.

    Parameters
    ----------
    points
        All points of the chart, in pixels; a name may cover none of them.
    texts
        The row of a point and its name, the most important first: it has the first choice.
    lines
        What a name should not cover, if it can be helped.

    Examples
    --------
    >>> [(label.text, label.x) for label in placed([(10, 50), (60, 50)], [(0, "Ann")], width=90, height=90)]
    [('Ann', 18.0)]
    """
    taken = [(x - POINT, x + POINT, y - POINT, y + POINT) for x, y in points]
    result: list[Label] = []
    for row, text in texts:
        others = (*taken[:row], *taken[row + 1 :])
        free = [
            label
            for label in _candidates(row, text, *points[row])
            if _inside(label.box(), width, height) and not any(_meet(label.box(), other) for other in others)
        ]
        if not free:
            continue
        clear = (each for each in free if not any(_meet(each.box(), line) for line in lines))
        chosen = next(clear, free[0])
        result.append(chosen)
        taken.append(chosen.box())
    return result


def _candidates(row: int, text: str, x: float, y: float) -> Iterable[Label]:
    above, below = y + LINE * 0.8, y - LINE * 0.8
    yield Label(row, text, x + APART, y)
    yield Label(row, text, x - APART, y, "right")
    for high in (above, below):
        yield Label(row, text, x + POINT, high)
        yield Label(row, text, x - POINT, high, "right")


def _inside(box: Box, width: float, height: float) -> bool:
    return box[0] >= 0 and box[1] <= width and box[2] >= 0 and box[3] <= height


def _meet(a: Box, b: Box) -> bool:
    return a[0] < b[1] and b[0] < a[1] and a[2] < b[3] and b[2] < a[3]


def surnames(names: Sequence[str]) -> list[str]:
    """Return what stands before the comma of each name, or the whole name where two share that.

    Examples
    --------
    >>> surnames(["Polgar, Judit", "Polgar, Sofia", "Short, Nigel D", "Ivkov"])
    ['Polgar, Judit', 'Polgar, Sofia', 'Short', 'Ivkov']
    """
    short = [name.split(",", 1)[0].strip() or name for name in names]
    return [s if short.count(s) == 1 else n for s, n in zip(short, names, strict=True)]


if TYPE_CHECKING:
    Point = tuple[date | float, float, float | None]
    """Where, how high, and one standard error."""

LEFT, RIGHT = 70.0, 990.0
"""The first and the last point, in thousandths of the width: the figures of the axis stand at the left."""
TOP, BOTTOM = 12, 24  # pixels above and below the plot
REACH, ROOM = 150.0, 10.0
"""Points that a band may reach beyond the lines before it is cut off (the first ones know little), and the edge."""
STEPS = (1, 2, 2.5, 5, 10)
MARKED = 120  # points of a line that have room for a mark each


@cache
def _template() -> Any:
    import jinja2

    return jinja2.Environment(loader=jinja2.PackageLoader("arpad.publish"), autoescape=True).get_template(
        "lines.svg"
    )


def _drawn(kind: str, **values: object) -> str:
    return str(getattr(_template().module, kind)(values))


def _through(values: Sequence[float], left: float, right: float, low: float, high: float) -> str:
    """Return evenly spaced corners of a line in a box; "" for fewer than two."""
    if len(values) < 2:
        return ""
    wide, tall = (right - left) / (len(values) - 1), (high - low) / ((max(values) - min(values)) or 1.0)
    return " ".join(
        f"{left + i * wide:.1f},{high - (v - min(values)) * tall:.1f}" for i, v in enumerate(values)
    )


def sparkline(values: Sequence[float]) -> str:
    """Return a trend as a small picture that says its ends; "" for fewer than two.

    Examples
    --------
    >>> sparkline([1500, 1520, 1510])[40:105]
    'role="img" aria-label="1500 to 1510"><polyline points="2.0,21.0 5'
    """
    points = _through(values, 2, 98, 3, 21)
    return _drawn("spark", points=points, says=f"{values[0]:.0f} to {values[-1]:.0f}") if points else ""


def card(*, ratings: Sequence[float], **words: str) -> str:
    """Return a picture of 1200 by 630 pixels for links on other sites: `name`, `facts`, `rating`, `listed`, `title`."""
    return _drawn("card", points=_through(ratings, 60, 1140, 360, 560), **words)


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return round numbers between two.

    Examples
    --------
    >>> ticks(1480, 1562)
    [1480.0, 1500.0, 1520.0, 1540.0, 1560.0]
    """
    wide = max(high - low, 1e-9)
    power = 10.0 ** math.floor(math.log10(wide / most))
    step = next(power * s for s in STEPS if wide / (power * s) <= most)
    first = math.ceil(low / step - 1e-9)
    return [step * n for n in range(first, math.floor(high / step + 1e-9) + 1)]


def _days(low: float, high: float) -> Iterator[tuple[float, str]]:
    """Give first days of years, or of months where there are few years, with their labels."""
    first, last = date.fromordinal(int(low)), date.fromordinal(math.ceil(high))
    months = (last.year - first.year) * 12 + last.month - first.month
    step = next(s for s in (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 6000) if months / s <= 7)
    number = -(-(first.year * 12 + first.month - 1) // step) * step
    for each in range(number, last.year * 12 + last.month, step):
        day = date(each // 12, each % 12 + 1, 1)
        if low <= day.toordinal() <= high:
            yield float(day.toordinal()), f"{day.year}" if step >= 12 else f"{day:%b %Y}"


def limits(lines: Mapping[str, Sequence[Point]]) -> tuple[float, float]:
    """Return the lowest and the highest rating shown: the lines whole, their bands as far as is reasonable."""
    points = [(y, e or 0.0) for line in lines.values() for _, y, e in line]
    ratings = [y for y, _ in points]
    low = max(min(y - e for y, e in points), min(ratings) - REACH)
    return low - ROOM, min(max(y + e for y, e in points), max(ratings) + REACH) + ROOM


def line_chart(lines: Mapping[str, Sequence[Point]], *, says: str, height: int = 280) -> str:
    """Return ratings over days, or over numbers; bands are one standard error to each side.

    A rating stands until the next one, and the last one as long as the chart goes. Colours are classes (`c0`, `c1`, …).

    Parameters
    ----------
    says
        For those who cannot see it.
    """
    dated = any(isinstance(p[0], date) for points in lines.values() for p in points)
    plain = {
        name: [(float(x.toordinal() if isinstance(x, date) else x), y, e) for x, y, e in points]
        for name, points in lines.items()
        if points
    }
    if not plain:
        return ""
    first, last = (pick(x for points in plain.values() for x, _, _ in points) for pick in (min, max))
    last += (last - first) * 0.02 or 1.0
    low, high = limits(lines)

    def at(x: float) -> float:
        return round(LEFT + (RIGHT - LEFT) * (x - first) / (last - first), 1)

    def up(y: float) -> float:
        return round(TOP + (height - TOP - BOTTOM) * (high - y) / (high - low), 1)

    def outline(points: Sequence[tuple[float, float, float | None]], shift: float) -> list[str]:
        heights = [up(y + shift * (e or 0.0)) for _, y, e in points]
        places = [*(at(x) for x, _, _ in points), RIGHT]
        steps = [(x, h) for i, h in enumerate(heights) for x in places[i : i + 2]]
        return [f"{x} {h}" for x, h in steps]

    shown = [
        {
            "name": name,
            "path": " ".join(outline(points, 0.0)),
            "band": " ".join([*outline(points, 1.0), *outline(points, -1.0)[::-1]])
            if any(e for _, _, e in points)
            else "",
            "points": [
                (
                    at(x),
                    up(y),
                    f"{date.fromordinal(int(x)) if dated else f'{x:g}'}: {y:.0f}{f' ± {e:.0f}' if e else ''}",
                )
                for x, y, e in points
            ]
            if len(points) <= MARKED
            else [],
        }
        for name, points in plain.items()
    ]
    across = _days(first, last) if dated else ((v, f"{v:.10g}") for v in ticks(first, last))
    return _drawn(
        "lines",
        height=height,
        says=says,
        lines=shown,
        up=[(up(value), f"{value:.10g}") for value in ticks(low, high, 5)],
        across=[(at(x), text) for x, text in across],
    )


def win_chart(shares: Sequence[float | None], marks: Mapping[int, str], *, height: int = 120) -> str:
    """Return White's chance after each half-move, from 0 to 1: an area as Lichess draws it.

    Parameters
    ----------
    marks
        Half-moves with a dot, and its class: `blunder`, `mistake`, `inaccuracy`.
    """
    wide = 1000 / max(len(shares) - 1, 1)
    places = {
        ply: (round(ply * wide, 1), round(height * (1 - s), 1))
        for ply, s in enumerate(shares)
        if s is not None
    }
    if not places:
        return ""
    return _drawn(
        "wins",
        height=height,
        says="White's chance to win, move by move",
        path=" ".join(f"{x} {y}" for x, y in places.values()),
        start=min(places.values())[0],
        end=max(places.values())[0],
        dots=[(*places[ply], kind) for ply, kind in marks.items() if ply in places],
    )
