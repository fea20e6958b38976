"""The charts of `arpad predict`: systems side by side with intervals, and their calibration curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.errors import UsageError
from arpad.publish.chart_style import INK, MUTED, PALETTE, WIDTH, altair, dressed

if TYPE_CHECKING:
    from arpad.lab.prediction import Prediction, Standing

__all__ = ["calibration_curves", "systems_side_by_side"]

ROW = 24
"""Height of a system's row."""
PANEL = (190, 150)
"""Width and height of one calibration curve."""
ACROSS = 3
"""Curves side by side."""
MOST_PANELS = 9
FEWEST = {0: 5, 500: 15, 5000: 50}
"""By the games of the test: bins with fewer games are left out, as their bars would hide the others."""
COLOURS = {"as published": PALETTE[0], "as told": PALETTE[1], "tuned": PALETTE[2]}
KINDS = ("own", "recalibrated")


def systems_side_by_side(found: Prediction) -> Any:
    """Chart how far each system's log loss is from the reference's, with its interval, best first."""
    alt = altair()
    frame = pl.DataFrame([_row(each) for each in _scored(found)])
    order = frame["system"].to_list()
    kinds = [kind for kind in COLOURS if kind in frame["constants"].to_list()]
    reach = max(float(frame["high"].max()), 0.0)  # type: ignore[arg-type]
    y = alt.Y("system:N", sort=order, title=None, axis=alt.Axis(labelFontSize=12, labelLimit=220))
    scale = alt.Scale(domain=[min(0.0, float(frame["low"].min())), 1.18 * reach or 0.001], nice=False)  # type: ignore[arg-type]  # fmt: skip
    x = alt.X("difference:Q", scale=scale, title=f"log loss more than {found.reference}", axis=alt.Axis(format=".3f", tickCount=7))  # fmt: skip
    colour = alt.Color(
        "constants:N", title=None, scale=alt.Scale(domain=kinds, range=[COLOURS[kind] for kind in kinds]),
        legend=alt.Legend(orient="top") if len(kinds) > 1 else None,
    )  # fmt: skip
    base = alt.Chart(frame)
    zero = alt.Chart(pl.DataFrame({"at": [0.0]})).mark_rule(color=MUTED).encode(x="at:Q")
    chart = alt.layer(
        zero,
        base.mark_rule(strokeWidth=3, opacity=0.4).encode(y=y, x=x, x2="high:Q", color=colour).transform_calculate(difference="datum.low"),
        base.mark_circle(size=70, opacity=1).encode(y=y, x=x, color=colour),
        base.mark_text(align="left", dx=8, fontSize=11, color=INK).encode(y=y, x="high:Q", text=alt.Text("headline:Q", format=".4f")),
    ).properties(width=WIDTH, height=ROW * len(order))  # fmt: skip
    words = "recalibrated " if _scored(found)[0].recalibrated is not None else ""
    return dressed(
        chart,
        "Which system foretells best?",
        [
            f"{found.counts.scored:,} games from {_since(found)}, a {found.period} ahead. Figures are {words}log losses;",
            f"bars are 95 % intervals of the difference, from {found.draws:,} draws of {found.counts.blocks:,} events",
        ],
        sized=False,
    )


def calibration_curves(found: Prediction) -> Any:
    """Chart, for the best systems, what was scored beyond what was expected, by what was expected."""
    alt = altair()
    every = [each.system for each in _scored(found)]
    names, scored = every[:MOST_PANELS], found.counts.scored
    fewest = max(few for least, few in FEWEST.items() if scored >= least)
    frame = found.curves.filter(pl.col("system").is_in(names) & (pl.col("n") >= fewest)).with_columns(
        *((pl.col(end) - pl.col("expected")).alias(name) for end, name in (("score", "off"), ("low", "off_low"), ("high", "off_high")))
    )  # fmt: skip
    if frame.is_empty():
        raise UsageError(f"{scored} games are too few for a calibration curve: no bin has {fewest} of them")  # fmt: skip
    best = f"; the best {MOST_PANELS} of {len(every)} systems" if len(every) > MOST_PANELS else ""
    colour = alt.Color(
        "curve:N", title=None, scale=alt.Scale(domain=KINDS, range=[PALETTE[1], PALETTE[0]]),
        legend=alt.Legend(orient="top"),
    )  # fmt: skip
    x = alt.X("expected:Q", title="expected of White", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(tickCount=5, format=".1f"))  # fmt: skip
    y = alt.Y("off:Q", title="scored − expected", axis=alt.Axis(tickCount=6, format="+.2f"))
    base = alt.Chart(frame)
    zero = base.mark_rule(color=MUTED).encode(y=alt.datum(0.0))
    panel = alt.layer(
        zero,
        base.mark_rule(strokeWidth=2, opacity=0.35).encode(x=x, y=alt.Y("off_low:Q", title="scored − expected"), y2="off_high:Q", color=colour),
        base.mark_line(strokeWidth=1.5, opacity=0.7).encode(x=x, y=y, color=colour),
        base.mark_circle(size=22, opacity=1).encode(x=x, y=y, color=colour),
    ).properties(width=PANEL[0], height=PANEL[1])  # fmt: skip
    grid = panel.facet(
        facet=alt.Facet("system:N", sort=names, title=None, header=alt.Header(labelFontSize=13, labelColor=INK)),
        columns=ACROSS, spacing=18,
    )  # fmt: skip
    return dressed(
        grid,
        "Is what they expect what is scored?",
        [
            f"{scored:,} games from {_since(found)}{best}; the nearer to the line the better. Bars: 95 % of a bin's mean score; bins of fewer than {fewest} games are left out.",
            "own: by the system's own curve; recalibrated: with White's advantage and scale of the validation window",
        ],
        sized=False,
    )


def _since(found: Prediction) -> str:
    from arpad.lab.windows import day_called

    return day_called(found.windows.test_from)


def _scored(found: Prediction) -> list[Standing]:
    scored = [each for each in found.standings if each.gap is not None]
    if not scored:
        raise UsageError("there is nothing to chart: no system could be scored on these games")
    return scored


def _row(each: Standing) -> dict[str, object]:
    gap = each.gap
    assert gap is not None
    return {
        "system": each.system,
        "constants": each.constants,
        "difference": gap.difference,
        "low": gap.low,
        "high": gap.high,
        "headline": each.headline,
    }
