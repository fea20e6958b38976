"""The scores of a match as a chart: how probable each one is [Elo 8.83, 8.92]."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.publish.chart_style import MUTED, PALETTE, WIDTH, altair, dressed

if TYPE_CHECKING:
    from arpad.event.match_forecast import Forecast

__all__ = ["final_score", "match_scores"]

LEAST = 0.0005
"""Scores less probable than this have no bar that could be seen."""

COLOURS = {"won": PALETTE[0], "drawn": MUTED, "lost": PALETTE[1]}
LABELLED = 28
"""Bars that have room for their figure above them."""


def match_scores(found: Forecast, *, title: str, subtitle: str = "") -> Any:
    """Chart the probability of every final score, highest score of the first player on the right."""
    alt = altair()
    shown = found.scores.filter(pl.col("probability") >= LEAST).reverse()
    frame = shown.with_columns(
        final=pl.Series(map(final_score, shown["score"], shown["opponent"]), dtype=pl.String),
        percent=(100 * pl.col("probability")).round(1).cast(pl.String),
    )
    names = [name for name in COLOURS if name in frame["result"].to_list()]
    order = frame["final"].to_list()
    crowded = len(order) > LABELLED // 2
    x = alt.X(
        "final:N", sort=order, title="final score",
        axis=alt.Axis(labelAngle=-90 if crowded else 0, labelOverlap=True),
    )  # fmt: skip
    # Room for the figure above the highest bar.
    room = 1.08 * max(frame["probability"].to_list(), default=1.0)
    base = alt.Chart(frame)
    bars = base.mark_bar().encode(
        x=x,
        y=alt.Y(
            "probability:Q",
            title="probability",
            axis=alt.Axis(format="%", tickCount=6),
            scale=alt.Scale(domain=(0, room), nice=False),
        ),
        color=alt.Color(
            "result:N",
            scale=alt.Scale(domain=names, range=[COLOURS[n] for n in names]),
            legend=alt.Legend(title=None, orient="top") if len(names) > 1 else None,
        ),
    )
    figures = base.mark_text(dy=-7, fontSize=10, color=MUTED).encode(
        x=x, y="probability:Q", text="percent:N"
    )
    chart = bars + figures if len(order) <= LABELLED else bars
    return dressed(chart, title, subtitle).properties(width=WIDTH)


def final_score(own: float, other: float) -> str:
    """Return a score as people write it.

    Examples
    --------
    >>> final_score(6.5, 5.5), final_score(0.5, 2)
    ('6½–5½', '½–2')
    """
    return f"{_halves(own)}–{_halves(other)}"


def _halves(points: float) -> str:
    whole = int(points)
    return str(whole) if points == whole else f"{whole or ''}½"
