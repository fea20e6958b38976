"""The crosstable of an event as a chart: who is expected to score what against whom [Ferreira 2012, table 1]."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.errors import UsageError
from arpad.publish.chart_style import INK, MUTED, altair, dressed

if TYPE_CHECKING:
    from arpad.moves.gain_report import GainReport

__all__ = ["crosstable_chart"]

CELL = 62
"""Pixels of a cell."""
MOST = 20
"""Players beyond whom cells cannot be read."""


def crosstable_chart(report: GainReport) -> Any:
    """Chart the expected scores of an event, best perceived rating first; each cell: score, expected, points."""
    if report.standing is None or report.view != "event":
        raise UsageError("expected perceived ratings of one event for a crosstable, found none")
    order = report.standing.rows["player"].to_list()
    if len(order) > MOST:
        raise UsageError(
            f"expected at most {MOST} players in a crosstable chart, found {len(order)}"
        )
    alt = altair()
    frame = _cells(report)
    ratings = _ratings(report)
    rows = alt.Y("player:N", sort=ratings["label"].to_list(), title=None,
                 axis=alt.Axis(labelFontSize=12, labelColor=INK, ticks=False, domain=False, labelLimit=320))  # fmt: skip
    columns = alt.X("opponent:N", sort=order, title=None,
                    axis=alt.Axis(orient="top", labelAngle=-35, labelColor=INK, ticks=False, domain=False, labelLimit=160))  # fmt: skip
    widest = max([0.05, *(abs(p - 0.5) for p in frame["expected"])])
    base = alt.Chart(frame).encode(x=columns, y=rows)
    boxes = base.mark_rect(stroke="white", strokeWidth=2).encode(
        color=alt.Color(
            "expected:Q",
            scale=alt.Scale(
                domain=[0.5 - widest, 0.5, 0.5 + widest],
                range=["#f5b98f", "#f6f8fa", "#9ec1f7"],
                interpolate="rgb",
            ),
            legend=None,
        )
    )
    lines = [
        base.mark_text(dy=dy, fontSize=size, color=colour, fontWeight=weight).encode(
            text=f"{name}:N"
        )
        for name, dy, size, colour, weight in (
            ("score", -15, 11, MUTED, "normal"),
            ("share", 1, 13, INK, "bold"),
            ("points", 16, 11, MUTED, "normal"),
        )
    ]
    size = CELL * len(order)
    chart = (boxes + lines[0] + lines[1] + lines[2]).properties(width=size, height=size * 0.86)
    subtitle = f"In each cell: score, expected score, rating difference; beside the name: perceived rating. {report.gains.source}"
    return dressed(chart, report.title, subtitle, sized=False)


def _ratings(report: GainReport) -> pl.DataFrame:
    table = report.standing.rows if report.standing else pl.DataFrame()
    signed = report.standing is not None and report.standing.level is None
    labels = {
        r["player"]: f"{r['player']}  {_number(r['perceived'], signed)}" for r in table.to_dicts()
    }
    return pl.DataFrame({"player": list(labels), "label": list(labels.values())})


def _cells(report: GainReport) -> pl.DataFrame:
    labels = dict(_ratings(report).iter_rows())
    found = []
    for row in report.pairs.to_dicts():
        score, games = row["score"], row["games"]
        found += [
            _cell(labels[row["player"]], row["opponent"], score, row["expected"], row["difference"]),
            _cell(labels[row["opponent"]], row["player"], games - score, 1 - row["expected"], -row["difference"]),
        ]  # fmt: skip
    return pl.DataFrame(found)


def _cell(label: str, opponent: str, score: float, p: float, d: float) -> dict[str, object]:
    whole = int(score)
    shown = str(whole) if score == whole else f"{whole or ''}½"
    return {
        "player": label,
        "opponent": opponent,
        "score": shown,
        "expected": p,
        "share": f"{p:.2f}".replace("0.", ".", 1),
        "points": _number(d, True),
    }


def _number(d: float, signed: bool) -> str:
    if math.isinf(d):
        return "−∞" if d < 0 else "+∞"
    text = f"{d:+.0f}" if signed else f"{d:.0f}"
    return "0" if float(text) == 0 else text.replace("-", "−")
