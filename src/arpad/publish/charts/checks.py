"""Charts of fits: expected against actual, scales, draws, match scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.publish.charts.style import MUTED, PALETTE, WIDTH, altair, dressed, histogram_with_shapes

if TYPE_CHECKING:
    from arpad.event.match import Forecast
    from arpad.pool.check import Check
    from arpad.pool.draw_check import DrawCheck
    from arpad.pool.scales import ScaleFit
    from arpad.pool.significance import CurveComparison


# The chart of `arpad check`: expected against actual score, and the deviations with their normal curve.

PANEL = 320  # width of one of the two pictures, in pixels
ROOM = 300  # their height
NAMES = {"promised": "chance alone", "own": "normal, with their own σ"}


def check_chart(found: Check, *, title: str, subtitle: str = "", paper: bool = False) -> Any:
    """Draw the groups of expected score beside the deviations: their histogram, or probability paper [2.74, 2.77]."""
    alt = altair()
    panels = [_groups(found)]
    if found.histogram is not None and not paper:
        panels.append(_deviations(found))
    elif found.histogram is not None:
        from arpad.publish.charts.pool import probability_paper

        shape = found.shapes.get("own") or found.shapes["promised"]
        panels.append(probability_paper(found.histogram, shape, title="(W − W_e) / σ"))
    pair = alt.hconcat(*panels, spacing=36).resolve_scale(color="independent")
    return dressed(pair, title, subtitle, sized=False)


def _groups(found: Check) -> Any:
    alt = altair()
    frame = found.calibration.bins.with_columns(
        low=(pl.col("actual") - 2 * pl.col("sigma")), high=(pl.col("actual") + 2 * pl.col("sigma"))
    )
    start = 0.5 if found.calibration.side == "favourite" else 0.0
    reach = [float(frame["low"].min() or start), float(frame["high"].max() or 1.0)]  # type: ignore[arg-type]
    scale = alt.Scale(domain=(max(0.0, min(start, reach[0])), 1.0), nice=False, clamp=True)
    axis = alt.Axis(format=".1f", tickCount=6)
    who = "favourite" if found.calibration.side == "favourite" else "White"
    x = alt.X("expected:Q", title=f"expected score of the {who}", scale=scale, axis=axis)
    y = alt.Y("actual:Q", title="actual score, ± 2σ", scale=scale, axis=axis)
    line = pl.DataFrame({"expected": [0.0, 1.0], "actual": [0.0, 1.0]})
    right = (
        alt.Chart(line).mark_line(color=MUTED, strokeDash=[4, 4], strokeWidth=1.5, clip=True).encode(x=x, y=y)
    )
    base = alt.Chart(frame)
    bars = base.mark_rule(color=PALETTE[0], strokeWidth=2, clip=True).encode(
        x=x, y=alt.Y("low:Q", scale=scale), y2="high:Q"
    )
    dots = base.mark_circle(color=PALETTE[0], size=55, opacity=1).encode(x=x, y=y)
    return (right + bars + dots).properties(width=PANEL, height=ROOM)


def _deviations(found: Check) -> Any:
    alt = altair()
    assert found.histogram is not None
    each = "players" if found.parameters["per"] == "player" else "entries"
    shapes = {NAMES[name]: shape for name, shape in found.shapes.items()}
    ticks = alt.Axis(tickCount=10, format="d")
    chart = histogram_with_shapes(found.histogram, shapes, axes=("(W − W_e) / σ", each), ticks=ticks)
    return chart.properties(width=PANEL, height=ROOM)


# The chart of `arpad book curves`: probability functions, and the distributions that they integrate [1.43, 8.72, 8.73].

WIDEST = 800
"""Rating difference at each end of the picture."""


def curves_chart(found: CurveComparison, *, title: str, subtitle: str = "") -> Any:
    """Draw expected scores by the rating difference, and their slopes."""
    alt = altair()
    D = np.arange(-WIDEST, WIDEST + 1, 2, dtype=np.float64)
    parts = []
    for name, curve in found.curves.items():
        P = np.asarray(curve.expected(D))
        parts.append(pl.DataFrame({"curve": name, "D": D, "P": P, "slope": 1000 * np.gradient(P, D)}))
    frame = pl.concat(parts)
    colour = alt.Color(
        "curve:N", sort=list(found.curves), scale=alt.Scale(range=PALETTE[: len(found.curves)]), title=None
    )
    x = alt.X("D:Q", title="rating difference", scale=alt.Scale(domain=(-WIDEST, WIDEST), nice=False))
    panels = [
        alt.Chart(frame)
        .mark_line(strokeWidth=2)
        .encode(x=x, y=alt.Y(f"{column}:Q", title=label), color=colour)
        .properties(width=PANEL, height=ROOM)
        for column, label in (("P", "expected score"), ("slope", "distribution: dP/dD a thousand points"))
    ]
    return dressed(alt.hconcat(*panels, spacing=36), title, subtitle, sized=False)


# The chart of `arpad scales`: players as points, the fitted curve, its band.

MOST_POINTS = 2000
STEPS = 120
SEED = 1994
OUTER = 0.001
"""Share of the points at each end that may fall off the picture: a wild rating would flatten the curve."""


def scale_chart(found: ScaleFit, *, axes: tuple[str, str], at_games: float = 6) -> Any:
    """Draw the fit along its first predictor; the second, games, is held at `at_games`."""
    alt = altair()
    name = found.on[0]
    low, high = found.reach(name)
    more = [at_games] if "games" in found.on else []
    line = found.table([[x, *more] for x in np.linspace(low, high, STEPS)])
    bottom, top = _heights(found, line)
    shown = found.points.filter(pl.col("value").is_between(bottom, top))
    some = shown if shown.height <= MOST_POINTS else shown.sample(MOST_POINTS, seed=SEED)
    x = alt.X(
        f"{name}:Q",
        title=axes[0],
        scale=alt.Scale(domain=(low, high), nice=False, padding=8),
        axis=alt.Axis(format="d", tickCount=8),
    )
    y = alt.Y(
        "value:Q", title=axes[1], scale=alt.Scale(domain=(bottom, top), nice=False), axis=alt.Axis(format="d")
    )
    dots = alt.Chart(some).mark_circle(size=14, color=MUTED, opacity=0.3, clip=True).encode(x=x, y=y)
    base = alt.Chart(line)
    band = base.mark_area(color=PALETTE[1], opacity=0.35, clip=True).encode(
        x=x, y=alt.Y("low:Q", title=axes[1]), y2="high:Q"
    )
    curve = base.mark_line(color=PALETTE[1], strokeWidth=2.5, clip=True).encode(x=x, y=y)
    return dressed(dots + band + curve, _title(found, at_games), _subtitle(found, some.height))


def _heights(found: ScaleFit, line: pl.DataFrame) -> tuple[float, float]:
    values = found.points["value"].to_numpy()
    bottom, top = np.quantile(values, [OUTER, 1 - OUTER])
    curve = line["value"].to_numpy()
    bottom, top = min(bottom, curve.min()), max(top, curve.max())
    room = 0.03 * max(top - bottom, 1.0)
    return float(bottom - room), float(top + room)


def _title(found: ScaleFit, at_games: float) -> str:
    if found.on[0] == "rating":
        return "From one scale to the other"
    return "Rating by age" + (f", at {at_games:g} games" if "games" in found.on else "")


def _subtitle(found: ScaleFit, shown: int) -> str:
    dots = f"{shown:,} of them shown; " if shown < found.n else ""
    interval = f"{float(str(found.parameters['confidence'])):.0%}"
    return (
        f"Robust loess, span {found.span:g}, {found.n:,} players ({dots}σ {found.spread:.0f} points); "
        f"band: {interval} interval of the curve"
    )


# The chart of `arpad draws`: the share of draws by rating difference, a colour a level, observed and predicted.

LEAST = (100, 10, 1)  # games of a group that is shown; the next where no group has this many
MOST = len(PALETTE)


def draw_chart(found: DrawCheck, *, title: str, subtitle: str = "") -> Any:
    """Draw observed shares as dots with ± 2σ and the model's as lines."""
    alt = altair()
    dots = _dots(found)
    lines = _lines(found, dots)
    order = dots["name"].unique(maintain_order=True).to_list()
    reach = _reach(dots)
    top = min(1.0, max(float(dots["high"].max()), float(lines["share"].max()), 0.1))  # type: ignore[arg-type]
    x = alt.X(
        "difference:Q",
        title="rating difference, White's advantage in it",
        scale=alt.Scale(domain=(0, reach), nice=False),
        axis=alt.Axis(values=list(range(0, int(reach) + 1, 100))),
    )
    y = alt.Y(
        "share:Q",
        title="share of draws",
        axis=alt.Axis(format="%", tickCount=7),
        scale=alt.Scale(domain=(0, top)),
    )
    colour = alt.Color(
        "name:N",
        sort=order,
        scale=alt.Scale(domain=order, range=PALETTE[: len(order)]),
        legend=alt.Legend(title="mean rating", labelColor=MUTED, titleColor=MUTED, titleFontWeight="normal"),
    )
    curves = alt.Chart(lines).mark_line(strokeWidth=2, clip=True).encode(x=x, y=y, color=colour)
    base = alt.Chart(dots)
    bars = base.mark_rule(strokeWidth=1.5, clip=True).encode(
        x=alt.X("mean_difference:Q"), y=alt.Y("low:Q"), y2="high:Q", color=colour
    )
    points = base.mark_circle(size=45, opacity=1).encode(
        x=alt.X("mean_difference:Q"), y=alt.Y("observed:Q"), color=colour
    )
    return dressed(curves + bars + points, title, subtitle)


def _dots(found: DrawCheck) -> pl.DataFrame:
    """Return the groups with enough games; the highest levels first."""
    grids = (found.grid.filter(pl.col("games") >= least) for least in LEAST)
    grid = next(g for g in grids if g.height)
    busy = grid.group_by("level").agg(pl.col("games").sum()).sort("games", descending=True).head(MOST)
    return (
        grid.filter(pl.col("level").is_in(busy["level"].implode()))
        .with_columns(
            low=(pl.col("observed") - 2 * pl.col("sigma")).clip(0, 1),
            high=(pl.col("observed") + 2 * pl.col("sigma")).clip(0, 1),
            name=pl.format("{} – {}", pl.col("level").cast(pl.Int64), pl.col("level_to").cast(pl.Int64) - 1),
        )
        .sort("level", "difference", descending=[True, False])
    )


def _reach(dots: pl.DataFrame) -> float:
    return float(max(200.0, *dots["difference_to"].to_list()))


def _lines(found: DrawCheck, dots: pl.DataFrame) -> pl.DataFrame:
    """Return what the model says in the middle of each level."""
    reach = _reach(dots)
    D = np.linspace(0.0, reach, 161)
    E = np.asarray(found.curve.expected(D))
    parts = []
    for level, to, name in dots.select("level", "level_to", "name").unique().iter_rows():
        share = found.fit.model.rate(np.full_like(D, (level + to) / 2), E)
        parts.append(pl.DataFrame({"difference": D, "share": share}).with_columns(name=pl.lit(name)))
    return pl.concat(parts)


# The scores of a match as a chart: how probable each one is [Elo 8.83, 8.92].

MATCH_CHART_LEAST = 0.0005  # scores less probable than this have no bar that could be seen
COLOURS = {"won": PALETTE[0], "drawn": MUTED, "lost": PALETTE[1]}
LABELLED = 28  # bars that have room for their figure above them


def match_scores(found: Forecast, *, title: str, subtitle: str = "") -> Any:
    """Chart the probability of every final score, highest score of the first player on the right."""
    alt = altair()
    shown = found.scores.filter(pl.col("probability") >= MATCH_CHART_LEAST).reverse()
    frame = shown.with_columns(
        final=pl.Series(map(final_score, shown["score"], shown["opponent"]), dtype=pl.String),
        percent=(100 * pl.col("probability")).round(1).cast(pl.String),
    )
    names = [name for name in COLOURS if name in frame["result"].to_list()]
    order = frame["final"].to_list()
    crowded = len(order) > LABELLED // 2
    x = alt.X(
        "final:N",
        sort=order,
        title="final score",
        axis=alt.Axis(labelAngle=-90 if crowded else 0, labelOverlap=True),
    )
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
    figures = base.mark_text(dy=-7, fontSize=10, color=MUTED).encode(x=x, y="probability:Q", text="percent:N")
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
