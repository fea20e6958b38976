"""Line charts as small SVG text, drawn without a chart library: a page shows them at once and without scripts."""

from __future__ import annotations

import math
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

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
