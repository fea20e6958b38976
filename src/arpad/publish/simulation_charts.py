"""Charts of `arpad simulate`: out of spec over time, games until in spec, one player's path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.publish.chart_style import INK, MUTED, PALETTE, altair, dressed

if TYPE_CHECKING:
    from arpad.lab.simulation import Simulation

__all__ = ["path_chart", "spec_chart", "until_chart"]

PATH_HEIGHT = 240
"""Pixels of one player's chart, where there are several."""


def spec_chart(found: Simulation, *, title: str = "Ratings out of spec") -> Any:
    """Chart how many players are out of spec after every round; a band is one standard deviation over runs."""
    alt = altair()
    frame = found.table().with_columns(
        (pl.col("out_of_spec") - pl.col("spread")).clip(0).alias("low"),
        (pl.col("out_of_spec") + pl.col("spread")).alias("high"),
    )
    x = alt.X("round:Q", title="rounds played", axis=alt.Axis(format="d", grid=False))
    y = alt.Y("out_of_spec:Q", title="players out of spec", axis=alt.Axis(format=",d"))
    colour = _colours(alt, found)
    base = alt.Chart(frame)
    parts = base.mark_line(strokeWidth=2.2).encode(x=x, y=y, color=colour)
    if found.runs > 1:
        band = base.mark_area(opacity=0.18).encode(x=x, y=alt.Y("low:Q"), y2="high:Q", color=colour)
        parts = band + parts
    return dressed(parts + _ends(alt, frame, colour), title, _subtitle(found))


def until_chart(found: Simulation) -> Any:
    """Chart the mean number of games until in spec by true rating, with one standard deviation."""
    alt = altair()
    frame = found.until().drop_nulls("mean")
    frame = frame.with_columns(
        (pl.col("mean") - pl.col("spread")).clip(0).fill_null(pl.col("mean")).alias("low"),
        (pl.col("mean") + pl.col("spread")).fill_null(pl.col("mean")).alias("high"),
    )
    x = alt.X(
        "true:Q", title="true rating", axis=alt.Axis(format="d", grid=False), scale=alt.Scale(zero=False, padding=18)
    )  # fmt: skip
    colour = _colours(alt, found)
    base = alt.Chart(frame)
    y = alt.Y("low:Q", title="games until in spec")
    rules = base.mark_rule(strokeWidth=2, opacity=0.4).encode(x=x, y=y, y2="high:Q", color=colour)
    line = base.mark_line(strokeWidth=1.4, opacity=0.8).encode(x=x, y="mean:Q", color=colour)
    dots = base.mark_circle(size=60, opacity=1).encode(x=x, y="mean:Q", color=colour)
    players = int(frame["players"][0]) if frame.height else 0
    missed = int(found.until()["missed"].sum())
    more = f"; {missed:,} never were" if missed else ""
    subtitle = f"{_subtitle(found)}; {players} players of each rating{more}"
    return dressed(rules + line + dots, "Games until in spec", subtitle)


def path_chart(found: Simulation, count: int) -> Any:
    """Chart the ratings of the first `count` watched players, with the truth and its band of tolerance."""
    alt = altair()
    charts = [_path(alt, found, i) for i in range(count)]
    several = count > 1
    for i, chart in enumerate(charts):
        charts[i] = chart.properties(
            width=620, height=PATH_HEIGHT if several else 340,
            **({"title": _named(found, i)} if several else {}),
        )  # fmt: skip
    whole = alt.vconcat(*charts) if several else charts[0]
    title = "Players on their way" if several else f"A player of true rating {found.watch[0]:.0f}"
    return dressed(whole, title, _subtitle(found), sized=False)


def _path(alt: Any, found: Simulation, player: int) -> Any:
    tolerance = float(found.parameters["tolerance"])  # type: ignore[arg-type]
    frame = found.path(player).with_columns(
        (pl.col("true") - tolerance).alias("low"), (pl.col("true") + tolerance).alias("high")
    )
    x = alt.X("round:Q", title="rounds played", axis=alt.Axis(format="d", grid=False))
    scale = alt.Scale(zero=False)
    y = alt.Y("rating:Q", title="rating", axis=alt.Axis(format="d"), scale=scale)
    truth = alt.Chart(frame.filter(pl.col("system") == frame["system"][0]))
    band = truth.mark_area(opacity=0.12, color=MUTED).encode(
        x=x, y=alt.Y("low:Q", scale=scale), y2="high:Q"
    )
    true = truth.mark_line(color=INK, strokeDash=[4, 3], strokeWidth=1.2).encode(
        x=x, y=alt.Y("true:Q", scale=scale)
    )
    line = alt.Chart(frame).mark_line(strokeWidth=1.8).encode(x=x, y=y, color=_colours(alt, found))
    return band + true + line


def _named(found: Simulation, player: int) -> dict[str, object]:
    return {"text": f"true rating {found.watch[player]:.0f}", "anchor": "start", "fontSize": 12, "color": MUTED, "fontWeight": "normal"}  # fmt: skip


def _colours(alt: Any, found: Simulation) -> Any:
    names = [result.label for result in found.systems]
    legend = alt.Legend(title=None, orient="top") if len(names) > 1 else None
    colours = [PALETTE[i % len(PALETTE)] for i in range(len(names))]
    return alt.Color("system:N", legend=legend, scale=alt.Scale(domain=names, range=colours))


def _ends(alt: Any, frame: pl.DataFrame, colour: Any) -> Any:
    last = frame.filter(pl.col("round") == pl.col("round").max())
    ends = last.with_columns(pl.col("out_of_spec").map_elements(lambda n: f"{n:,.0f}", return_dtype=pl.String).alias("label"))  # fmt: skip
    return (
        alt.Chart(ends)
        .mark_text(align="left", dx=5, fontSize=12)
        .encode(x="round:Q", y="out_of_spec:Q", text="label:N", color=colour)
    )


def _subtitle(found: Simulation) -> str:
    p = found.parameters
    runs = "" if found.runs == 1 else f"; mean of {found.runs} runs, band: one standard deviation"
    start = f"start {p['start']}"
    return f"{p['players']:,} players ({p['population']}, {start}), world {p['world']}, pairing {p['pairing']}; in spec: within {p['tolerance']:g} points{runs}"  # fmt: skip
