"""The chart of a greatness run: G-scores over the years, and below them the strength of events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.errors import UsageError
from arpad.publish.chart_style import INK, MUTED, PALETTE, altair, dressed

if TYPE_CHECKING:
    from arpad.pool.greatness import Greatness

__all__ = ["greatness_chart"]

WIDE, HIGH, LOW = 900, 400, 200
"""Pixels: a century and a half needs more room than an event."""

NAMED = 14
"""Performances, and half as many events, that are named if there is room."""

LETTER, LINE, GAP = 6.0, 14.0, 8.0
"""Pixels that a letter is wide, that a line of words is high, and from a point to its name."""


def greatness_chart(found: Greatness, *, failed: bool = False) -> Any:
    """Chart G against the year, and tournament strength below."""
    alt = altair()
    great = found.table(failed=failed).filter(pl.col("year").is_not_null())
    strong = found.strengths(failed=failed).filter(pl.col("year").is_not_null())
    if strong.is_empty():
        raise UsageError(
            "there is nothing to draw: no event of a known year has ratings and a number two"
        )
    years = pl.concat([great["year"], strong["year"]])
    first, last = int(years.min()), int(years.max())  # type: ignore[arg-type]
    room = max(2.0, 0.02 * (last - first))
    x = alt.X(
        "year:Q", title=None, axis=alt.Axis(format="d", tickMinStep=1, grid=False),
        scale=alt.Scale(domain=(first - room, last + room), nice=False),
    )  # fmt: skip
    span = (first - room, last + room)
    upper = _panel(great, "g_score", "G-score", x, span, HIGH, NAMED)
    lower = _panel(strong, "strength", "tournament strength", x, span, LOW, NAMED // 2)
    sources = ", ".join(dict.fromkeys(s for s in strong["ratings"].to_list() if s))
    return dressed(
        alt.vconcat(upper, lower, spacing=22).resolve_scale(color="independent"),
        "Great performances and strong events",
        f"{great.height:,} performances in {strong.height:,} events, {first}–{last}; ratings: {sources}",
        sized=False,
    )


def _panel(
    rows: pl.DataFrame,
    by: str,
    title: str,
    x: Any,
    span: tuple[float, float],
    high: int,
    named: int,
) -> Any:
    alt = altair()
    values = rows[by].to_numpy()
    low, top = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    margin = 0.06 * max(top - low, 1.0)
    scale = alt.Scale(domain=(low - margin, top + 1.8 * margin), nice=False)
    y = alt.Y(f"{by}:Q", title=title, scale=scale)
    base = alt.Chart(rows.select("year", by))
    dots = base.mark_circle(size=16, opacity=0.35, color=PALETTE[0], clip=True).encode(x=x, y=y)
    labels = _labels(rows, by, span, (low - margin, top + 1.8 * margin), high, named)
    marks = alt.Chart(labels).mark_circle(size=30, opacity=1, color=PALETTE[1]).encode(x=x, y=y)
    layers = [dots, marks]
    for side, sign in (("left", GAP), ("right", -GAP)):
        text = alt.Chart(labels.filter(pl.col("align") == side)).encode(x=x, y=y, text="label:N")
        layers += [
            text.mark_text(align=side, dx=sign, fontSize=11, stroke="white", strokeWidth=3.5, strokeJoin="round"),
            text.mark_text(align=side, dx=sign, fontSize=11, color=INK),
        ]  # fmt: skip
    if by == "strength" and low < 100 < top:
        rule = alt.Chart(pl.DataFrame({by: [100.0]})).mark_rule(strokeDash=[3, 4], color=MUTED)
        layers.insert(0, rule.encode(y=y))
    return alt.layer(*layers).properties(width=WIDE, height=high)


def _labels(
    rows: pl.DataFrame,
    by: str,
    span: tuple[float, float],
    limits: tuple[float, float],
    high: int,
    named: int,
) -> pl.DataFrame:
    """Return the best, named on the side where there is room; whoever would cover another is not named."""
    across, up = WIDE / (span[1] - span[0]), high / (limits[1] - limits[0])
    taken: list[tuple[float, float, float]] = []
    found = []
    for row in rows.sort(by, descending=True, maintain_order=True).iter_rows(named=True):
        words = _words(row)
        at, height, wide = (row["year"] - span[0]) * across, row[by] * up, LETTER * len(words)
        for align, begin in (("left", at + GAP), ("right", at - GAP - wide)):
            box = (begin, begin + wide, height)
            if (
                begin >= 0
                and begin + wide <= WIDE
                and not any(_touch(box, other) for other in taken)
            ):
                taken.append(box)
                found.append({"year": row["year"], by: row[by], "label": words, "align": align})
                break
        if len(found) == named:
            break
    schema = {"year": pl.Int64, by: pl.Float64, "label": pl.String, "align": pl.String}
    return pl.DataFrame(found, schema=schema)


def _touch(one: tuple[float, float, float], other: tuple[float, float, float]) -> bool:
    return one[0] < other[1] and other[0] < one[1] and abs(one[2] - other[2]) < LINE


def _words(row: dict[str, Any]) -> str:
    event = str(row["event"])
    if "player" not in row:
        return f"{event} {row['year']}"
    return f"{str(row['player']).split(',')[0]}, {event.split(':', maxsplit=1)[0]} {row['year']}"
