"""Charts of `arpad simulate`: out of spec over time, games until in spec, one player's path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.publish.chart_style import HEIGHT, INK, MUTED, PALETTE, WIDTH, altair, dressed

if TYPE_CHECKING:
    from arpad.lab.simulation import Simulation

__all__ = ["path_chart", "player_path", "spec_chart", "until_chart"]

PATH_HEIGHT = 240
"""Pixels of one player's chart, where there are several."""
ASIDE = 8
"""Rating points that the bars of two systems stand apart."""
LABEL = 14
"""Pixels between two figures at the ends of lines."""


def spec_chart(found: Simulation, *, title: str = "Ratings out of spec") -> Any:
    """Chart how many players are out of spec after every round; a band is one standard deviation over runs."""
    alt = altair()
    frame = found.table().with_columns(
        (pl.col("out_of_spec") - pl.col("spread")).clip(0).alias("low"),
        (pl.col("out_of_spec") + pl.col("spread")).alias("high"),
    )
    x = _rounds(alt, found)
    highest = 1.05 * float(frame.select(pl.max_horizontal("out_of_spec", "high").max()).item() or 1)
    scale = alt.Scale(domain=(0, max(highest, 1.0)), nice=False)
    y = alt.Y("out_of_spec:Q", title="players out of spec", axis=alt.Axis(format=",d"), scale=scale)
    base = alt.Chart(frame)
    parts = base.mark_line(strokeWidth=2.2).encode(x=x, y=y, color=_colours(alt, found))
    if found.runs > 1:
        quiet = _colours(alt, found, legend=False)
        parts += base.mark_area(opacity=0.18).encode(x=x, y=alt.Y("low:Q", scale=scale), y2="high:Q", color=quiet)  # fmt: skip
    how = [f"mean of {found.runs} runs; bands: one standard deviation"] if found.runs > 1 else []
    return dressed(parts + _ends(alt, found, frame, highest), title, [*_subtitle(found), *how])


def until_chart(found: Simulation) -> Any:
    """Chart the mean number of games until in spec by true rating, with one standard deviation."""
    alt = altair()
    frame = found.until().drop_nulls("mean")
    names = [result.label for result in found.systems]
    beside = [ASIDE * (names.index(name) - (len(names) - 1) / 2) for name in frame["system"]]
    frame = frame.with_columns(
        pl.col("true") + pl.Series(beside, dtype=pl.Float64),
        (pl.col("mean") - pl.col("spread")).clip(0).fill_null(pl.col("mean")).alias("low"),
        (pl.col("mean") + pl.col("spread")).fill_null(pl.col("mean")).alias("high"),
    )
    x = alt.X(
        "true:Q", title="true rating", axis=alt.Axis(format="d", grid=False),
        scale=alt.Scale(zero=False, padding=18, nice=False),
    )  # fmt: skip
    quiet = _colours(alt, found, legend=False)
    base = alt.Chart(frame)
    y = alt.Y("low:Q", title="games until in spec")
    rules = base.mark_rule(strokeWidth=2, opacity=0.4).encode(x=x, y=y, y2="high:Q", color=quiet)
    line = base.mark_line(strokeWidth=1.4).encode(x=x, y="mean:Q", color=_colours(alt, found))
    # Hollow: somebody never was in spec, and the mean of the others is too small.
    dots = base.mark_point(size=60, opacity=1, strokeWidth=2, filled=False).encode(
        x=x, y="mean:Q", color=quiet,
        fill=alt.condition("datum.missed > 0", alt.value("white"), quiet),
    )  # fmt: skip
    whole = found.until()
    each, missed = int(whole["players"][0]), int(whole["missed"].sum())
    rounds = found.parameters["rounds"]
    more = f"; hollow: {missed:,} who never were in {rounds:,} rounds are left out" if missed else ""  # fmt: skip
    several = "; bars: one standard deviation" if each > 1 else ""
    count = f"{each} player{'' if each == 1 else 's'} of each rating{several}{more}"
    return dressed(line + rules + dots, "Games until in spec", [*_subtitle(found), count])


def path_chart(found: Simulation, count: int) -> Any:
    """Chart the ratings of the first `count` watched players, with the truth and its band of tolerance."""
    alt = altair()
    charts = [_path(alt, found, i) for i in range(count)]
    several = count > 1
    for i, chart in enumerate(charts):
        charts[i] = chart.properties(
            width=WIDTH, height=PATH_HEIGHT if several else HEIGHT,
            **({"title": _named(found, i)} if several else {}),
        )  # fmt: skip
    whole = alt.vconcat(*charts) if several else charts[0]
    title = "Players on their way" if several else f"A player of true rating {found.watch[0]:.0f}"
    return dressed(whole, title, _subtitle(found), sized=False)


def player_path(found: Simulation, player: int) -> Any:
    """Chart the ratings of one watched player, with the truth and its band of tolerance."""
    title = f"A player of true rating {found.watch[player]:.0f}"
    return dressed(_path(altair(), found, player), title, _subtitle(found))


def _path(alt: Any, found: Simulation, player: int) -> Any:
    tolerance = float(found.parameters["tolerance"])  # type: ignore[arg-type]
    frame = found.path(player).with_columns(
        (pl.col("true") - tolerance).alias("low"), (pl.col("true") + tolerance).alias("high")
    )
    x = _rounds(alt, found)
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


def _rounds(alt: Any, found: Simulation) -> Any:
    scale = alt.Scale(domain=(0, max(int(found.parameters["rounds"]), 1)), nice=False)  # type: ignore[call-overload]
    axis = alt.Axis(format="d", grid=False, tickMinStep=1)
    return alt.X("round:Q", title="rounds played", axis=axis, scale=scale)


def _colours(alt: Any, found: Simulation, *, legend: bool = True) -> Any:
    names = [result.label for result in found.systems]
    shown = alt.Legend(title=None, orient="top") if legend and len(names) > 1 else None
    colours = [PALETTE[i % len(PALETTE)] for i in range(len(names))]
    return alt.Color("system:N", legend=shown, scale=alt.Scale(domain=names, range=colours))


def _ends(alt: Any, found: Simulation, frame: pl.DataFrame, highest: float) -> Any:
    """Write the last figure beside the end of each line, apart from the others."""
    last = frame.filter(pl.col("round") == pl.col("round").max()).sort("out_of_spec")
    places: list[float] = []
    for value in last["out_of_spec"]:
        places.append(max(value, places[-1] + LABEL * highest / HEIGHT) if places else value)
    words = [f"{value:,.0f}" for value in last["out_of_spec"]]
    ends = last.with_columns(pl.Series("place", places), pl.Series("label", words))
    return (
        alt.Chart(ends)
        .mark_text(align="left", dx=5, fontSize=12)
        .encode(x="round:Q", y="place:Q", text="label:N", color=_colours(alt, found, legend=False))
    )


def _subtitle(found: Simulation) -> list[str]:
    p = found.parameters
    return [f"{p['players']:,} players ({p['population']}), {found.conditions}; in spec: within {p['tolerance']:g} points"]  # fmt: skip
