"""The chart of a greatness run: G-scores over the years, and below them the strength of events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.errors import UsageError
from arpad.publish.chart_style import INK, MUTED, PALETTE, altair, dressed

if TYPE_CHECKING:
    from arpad.pool.greatness.lists import Greatness

__all__ = ["greatness_chart"]

WIDE, HIGH, LOW = 900, 400, 200
"""Pixels: a century and a half needs more room than an event."""

NAMED, STRONG = 14, 4
"""Performances, and events, that are named if there is room."""

MARK = "*"
"""Behind a name: to be read with caution."""

NARROW = 20.0
"""The least span of an axis: a single event needs no hundredths."""

LETTER, LINE, GAP = 6.0, 14.0, 8.0
"""Pixels that a letter is wide, that a line of words is high, and from a point to its name."""


WITH_CAUTION = f". {MARK} and faint: to be read with caution"


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
    sources = sorted(s for s in strong["ratings"].unique().to_list() if s)
    colour = alt.Color(
        "ratings:N", title="ratings from", scale=alt.Scale(domain=sources, range=PALETTE),
        legend=alt.Legend(orient="bottom", symbolOpacity=1, titleColor=MUTED, titleFontWeight="normal"),
    )  # fmt: skip
    upper = _panel(great, "g_score", "G-score", x, span, HIGH, NAMED, colour)
    lower = _panel(strong, "strength", "tournament strength", x, span, LOW, STRONG, colour)
    marked = bool((great["caution"] != "").any() or (strong["caution"] != "").any())
    return dressed(
        alt.vconcat(upper, lower, spacing=22),
        "Great performances and strong events",
        _subtitle(great.height, strong.height, first, last) + (WITH_CAUTION if marked else ""),
        sized=False,
    )


def _subtitle(great: int, strong: int, first: int, last: int) -> str:
    performances = f"{great:,} performance{'' if great == 1 else 's'}"
    events = f"{strong:,} event{'' if strong == 1 else 's'}"
    return f"{performances} in {events}, {first if first == last else f'{first}–{last}'}"


def _panel(
    rows: pl.DataFrame,
    by: str,
    title: str,
    x: Any,
    span: tuple[float, float],
    high: int,
    named: int,
    colour: Any,
) -> Any:
    alt = altair()
    values = rows[by].to_numpy()
    low, top = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    if top - low < NARROW:
        low, top = (low + top - NARROW) / 2, (low + top + NARROW) / 2
    margin = 0.06 * (top - low)
    head = margin * (1.8 if by == "g_score" else 3.5)
    scale = alt.Scale(domain=(low - margin, top + head), nice=False)
    y = alt.Y(f"{by}:Q", title=title, scale=scale)
    base = alt.Chart(rows.select("year", by, "ratings", faint=pl.col("caution") != ""))
    dots = base.mark_circle(size=16, clip=True).encode(
        x=x, y=y, color=colour,
        opacity=alt.condition(alt.datum.faint, alt.value(0.15), alt.value(0.35)),
    )  # fmt: skip
    labels = _labels(rows, by, span, (low - margin, top + head), high, named)
    marks = alt.Chart(labels).mark_circle(size=34).encode(
        x=x, y=y, color=colour,
        opacity=alt.condition(alt.datum.faint, alt.value(0.4), alt.value(1.0)),
    )  # fmt: skip
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
        words = _words(row) + (f" {MARK}" if row["caution"] else "")
        at, height, wide = (row["year"] - span[0]) * across, row[by] * up, LETTER * len(words)
        for align, begin in (("left", at + GAP), ("right", at - GAP - wide)):
            box = (min(begin, at - GAP), max(begin + wide, at + GAP), height)
            if (
                begin >= 0
                and begin + wide <= WIDE
                and not any(_touch(box, other) for other in taken)
            ):
                taken.append(box)
                found.append(
                    {
                        "year": row["year"],
                        by: row[by],
                        "label": words,
                        "align": align,
                        "ratings": row["ratings"],
                        "faint": bool(row["caution"]),
                    }
                )
                break
        if len(found) == named:
            break
    words_of = dict.fromkeys(("label", "align", "ratings"), pl.String)
    schema = {"year": pl.Int64, by: pl.Float64, **words_of, "faint": pl.Boolean}
    return pl.DataFrame(found, schema=schema)


def _touch(one: tuple[float, float, float], other: tuple[float, float, float]) -> bool:
    return one[0] < other[1] and other[0] < one[1] and abs(one[2] - other[2]) < LINE


def _words(row: dict[str, Any]) -> str:
    event, _, pair = str(row["event"]).partition(": ")
    year = "" if str(row["year"]) in event else f" {row['year']}"
    if "player" not in row:
        return f"{pair} {row['year']}" if pair else event + year
    surname = str(row["player"]).split(",")[0]
    others = [name for name in pair.split(" – ") if name != surname] if pair else []
    return f"{surname} – {others[0]} {row['year']}" if others else f"{surname}, {event}{year}"
