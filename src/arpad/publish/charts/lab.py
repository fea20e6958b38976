"""Charts of predictions and simulations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.errors import UsageError
from arpad.publish.charts.style import HEIGHT, INK, MUTED, PALETTE, WIDTH, altair, dressed

if TYPE_CHECKING:
    from arpad.lab.pra_calibration import PraCalibration
    from arpad.lab.predict import Prediction, PredictionRow
    from arpad.lab.simulate import Simulation


# The charts of `arpad predict`: systems side by side with intervals, and their calibration curves.

ROW = 24  # height of a system's row
PANEL = (190, 150)  # width and height of one calibration curve
ACROSS = 3  # curves side by side
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
    scale = alt.Scale(domain=[min(0.0, float(frame["low"].min())), 1.18 * reach or 0.001], nice=False)  # type: ignore[arg-type]
    x = alt.X(
        "difference:Q",
        scale=scale,
        title=f"log loss more than {found.reference}",
        axis=alt.Axis(format=".3f", tickCount=7),
    )
    colour = alt.Color(
        "constants:N",
        title=None,
        scale=alt.Scale(domain=kinds, range=[COLOURS[kind] for kind in kinds]),
        legend=alt.Legend(orient="top") if len(kinds) > 1 else None,
    )
    base = alt.Chart(frame)
    zero = alt.Chart(pl.DataFrame({"at": [0.0]})).mark_rule(color=MUTED).encode(x="at:Q")
    chart = alt.layer(
        zero,
        base.mark_rule(strokeWidth=3, opacity=0.4)
        .encode(y=y, x=x, x2="high:Q", color=colour)
        .transform_calculate(difference="datum.low"),
        base.mark_circle(size=70, opacity=1).encode(y=y, x=x, color=colour),
        base.mark_text(align="left", dx=8, fontSize=11, color=INK).encode(
            y=y, x="high:Q", text=alt.Text("headline:Q", format=".4f")
        ),
    ).properties(width=WIDTH, height=ROW * len(order))
    words = "recalibrated " if _scored(found)[0].recalibrated is not None else ""
    return dressed(
        chart,
        "Which system predicts best?",
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
        *(
            (pl.col(end) - pl.col("expected")).alias(name)
            for end, name in (("score", "off"), ("low", "off_low"), ("high", "off_high"))
        )
    )
    if frame.is_empty():
        raise UsageError(f"{scored} games are too few for a calibration curve: no bin has {fewest} of them")
    best = f"; the best {MOST_PANELS} of {len(every)} systems" if len(every) > MOST_PANELS else ""
    colour = alt.Color(
        "curve:N",
        title=None,
        scale=alt.Scale(domain=KINDS, range=[PALETTE[1], PALETTE[0]]),
        legend=alt.Legend(orient="top"),
    )
    x = alt.X(
        "expected:Q",
        title="expected of White",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(tickCount=5, format=".1f"),
    )
    y = alt.Y("off:Q", title="scored − expected", axis=alt.Axis(tickCount=6, format="+.2f"))
    base = alt.Chart(frame)
    zero = base.mark_rule(color=MUTED).encode(y=alt.datum(0.0))
    panel = alt.layer(
        zero,
        base.mark_rule(strokeWidth=2, opacity=0.35).encode(
            x=x, y=alt.Y("off_low:Q", title="scored − expected"), y2="off_high:Q", color=colour
        ),
        base.mark_line(strokeWidth=1.5, opacity=0.7).encode(x=x, y=y, color=colour),
        base.mark_circle(size=22, opacity=1).encode(x=x, y=y, color=colour),
    ).properties(width=PANEL[0], height=PANEL[1])
    grid = panel.facet(
        facet=alt.Facet(
            "system:N", sort=names, title=None, header=alt.Header(labelFontSize=13, labelColor=INK)
        ),
        columns=ACROSS,
        spacing=18,
    )
    return dressed(
        grid,
        "Do actual scores agree with expected scores?",
        [
            f"{scored:,} games from {_since(found)}{best}; the nearer to the line the better. Bars: 95 % of a bin's mean score; bins of fewer than {fewest} games are left out.",
            "own: by the system's own curve; recalibrated: with White's advantage and scale of the validation window",
        ],
        sized=False,
    )


def _since(found: Prediction) -> str:
    from arpad.lab.walk import day_called

    return day_called(found.windows.test_from)


def _scored(found: Prediction) -> list[PredictionRow]:
    scored = [each for each in found.standings if each.gap is not None]
    if not scored:
        raise UsageError("there is nothing to chart: no system could be scored on these games")
    return scored


def _row(each: PredictionRow) -> dict[str, object]:
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


# Charts of `arpad simulate`: out of spec over time, games until in spec, one player's path.

PATH_HEIGHT = 240  # pixels of one player's chart, where there are several
ASIDE = 8  # rating points that the bars of two systems stand apart
LABEL = 14  # pixels between two figures at the ends of lines


def simulation_chart(found: Simulation, *, paths: int = 0, until: bool = False) -> Any:
    """Chart the paths of the first watched players, games until in spec, or who is out of spec over time."""
    if paths:
        return path_chart(found, paths)
    return until_chart(found) if until else spec_chart(found)


def calibration_chart(found: PraCalibration) -> Any:
    """Chart who is out of spec with PRA's constants and with those that were found."""
    return spec_chart(found.check, title="PRA's constants: the author's and those found")


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
        parts += base.mark_area(opacity=0.18).encode(
            x=x, y=alt.Y("low:Q", scale=scale), y2="high:Q", color=quiet
        )
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
        "true:Q",
        title="true rating",
        axis=alt.Axis(format="d", grid=False),
        scale=alt.Scale(zero=False, padding=18, nice=False),
    )
    quiet = _colours(alt, found, legend=False)
    base = alt.Chart(frame)
    y = alt.Y("low:Q", title="games until in spec")
    rules = base.mark_rule(strokeWidth=2, opacity=0.4).encode(x=x, y=y, y2="high:Q", color=quiet)
    line = base.mark_line(strokeWidth=1.4).encode(x=x, y="mean:Q", color=_colours(alt, found))
    # Hollow: somebody never was in spec, and the mean of the others is too small.
    dots = base.mark_point(size=60, opacity=1, strokeWidth=2, filled=False).encode(
        x=x, y="mean:Q", color=quiet, fill=alt.condition("datum.missed > 0", alt.value("white"), quiet)
    )
    whole = found.until()
    each, missed = int(whole["players"][0]), int(whole["missed"].sum())
    rounds = found.parameters["rounds"]
    more = (
        f"; hollow: {missed:,} players never in spec within {rounds:,} rounds are left out" if missed else ""
    )
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
            width=WIDTH,
            height=PATH_HEIGHT if several else HEIGHT,
            **({"title": _named(found, i)} if several else {}),
        )
    whole = alt.vconcat(*charts) if several else charts[0]
    title = "Players over time" if several else f"A player of true rating {found.watch[0]:.0f}"
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
    band = truth.mark_area(opacity=0.12, color=MUTED).encode(x=x, y=alt.Y("low:Q", scale=scale), y2="high:Q")
    true = truth.mark_line(color=INK, strokeDash=[4, 3], strokeWidth=1.2).encode(
        x=x, y=alt.Y("true:Q", scale=scale)
    )
    line = alt.Chart(frame).mark_line(strokeWidth=1.8).encode(x=x, y=y, color=_colours(alt, found))
    return band + true + line


def _named(found: Simulation, player: int) -> dict[str, object]:
    return {
        "text": f"true rating {found.watch[player]:.0f}",
        "anchor": "start",
        "fontSize": 12,
        "color": MUTED,
        "fontWeight": "normal",
    }


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
    return [
        f"{p['players']:,} players ({p['population']}), {found.conditions}; in spec: within {p['tolerance']:g} points"
    ]


# The calibration curve of one system: actual scores by expected score.


def calibration_curve_chart(found: Prediction, system: str) -> Any:
    """Chart the mean score of games in which about so much was expected of White, with its 95 % interval."""
    alt = altair()
    frame = found.curves.filter(pl.col("system") == system)
    whole = alt.Scale(domain=[0, 1], nice=False)
    x = alt.X("expected:Q", title="expected of White", scale=whole, axis=alt.Axis(format=".1f", tickCount=6))
    y = alt.Y("score:Q", title="scored by White", scale=whole, axis=alt.Axis(format=".1f", tickCount=6))
    colour = alt.Color(
        "curve:N",
        title=None,
        scale=alt.Scale(domain=KINDS, range=[PALETTE[1], PALETTE[0]]),
        legend=alt.Legend(orient="top", symbolOpacity=1),
    )
    ends = alt.Chart(pl.DataFrame({"expected": [0.0, 1.0], "score": [0.0, 1.0]}))
    base = alt.Chart(frame).encode(x=x, color=colour)
    layers = [
        ends.mark_line(color=MUTED, strokeDash=[4, 4], strokeWidth=1.2).encode(x=x, y=y),
        base.mark_rule(strokeWidth=2, opacity=0.4).encode(
            y=alt.Y("low:Q", scale=whole, title="scored by White"), y2="high:Q"
        ),
        base.mark_line(strokeWidth=1.6).encode(y=y),
        base.mark_circle(opacity=1, size=45).encode(y=y),
    ]
    return dressed(
        alt.layer(*layers),
        f"Calibration of {system}",
        f"{found.counts.scored:,} games; the nearer to the line the better. Bars: 95 % of a bin's mean score",
    )
