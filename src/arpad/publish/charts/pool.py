"""Charts of a pool's health."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.pool.lifetime import LEVELS
from arpad.pool.monitors import STEP
from arpad.publish.charts.style import (
    MUTED,
    PALETTE,
    altair,
    dressed,
    histogram_with_shapes,
    interval_rows,
    rule_at,
)

if TYPE_CHECKING:
    from arpad.pool.deflation import Deflation, Exchange
    from arpad.pool.demography import Growth, Potential
    from arpad.pool.distribution import Distribution, Histogram
    from arpad.pool.distribution import DistributionShape as Shape_
    from arpad.pool.lifetime import AgeCurves
    from arpad.pool.monitors import Cohort, PoolAccount, PoolShape


# The chart of `arpad distribution`: the histogram of a pool with both shapes.

NAMES = {"normal": "normal", "maxwell": "Maxwell–Boltzmann"}


def distribution_chart(found: Distribution, *, title: str, subtitle: str = "", paper: bool = False) -> Any:
    """Draw players by rating, with the normal and the Maxwell–Boltzmann curve over them.

    On probability paper, one for each shape, a pool that has the shape is a straight line [2.77, 9.15].
    """
    alt = altair()
    if paper and found.fits:
        papers = [probability_paper(found.histogram, fit.shape, title="rating") for fit in found.fits]
        return dressed(alt.hconcat(*papers, spacing=36), title, subtitle, sized=False)
    shapes = {NAMES[fit.shape.name]: fit.shape for fit in found.fits}
    axes = ("rating", f"players in {found.histogram.width:g} points")
    ticks = alt.Axis(format="d", labelOverlap=True, tickCount=12)
    return dressed(histogram_with_shapes(found.histogram, shapes, axes=axes, ticks=ticks), title, subtitle)


PERCENTS = (0.1, 1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 99.9)
"""Shares that probability paper has a line for."""


def probability_paper(counted: Histogram, shape: Shape_, *, title: str) -> Any:
    """Draw the cumulative distribution on paper on which the shape is a straight line [2.77, 9.15]."""
    alt = altair()
    edges = np.asarray(counted.edges)
    cumulative = np.cumsum(counted.counts) / counted.total
    places = [shape.at(p / 100) for p in PERCENTS]
    inside = (cumulative > PERCENTS[0] / 200) & (cumulative < 1 - PERCENTS[0] / 200)
    dots = pl.DataFrame(
        {"at": edges[1:][inside], "place": [shape.at(float(share)) for share in cumulative[inside]]}
    )
    line = pl.DataFrame({"at": [places[0], places[-1]], "place": [places[0], places[-1]]})
    labels = "; ".join(
        f"abs(datum.value - {at:.6g}) < 1e-4 * (1 + abs({at:.6g})) ? '{p:g}'"
        for at, p in zip(places, PERCENTS, strict=True)
    )
    x = alt.X(
        "at:Q",
        title=title,
        scale=alt.Scale(zero=False, nice=False, padding=10),
        axis=alt.Axis(format=".4~g", tickCount=7),
    )
    y = alt.Y(
        "place:Q",
        title=f"% below, on {NAMES[shape.name]} paper",
        scale=alt.Scale(domain=(places[0], places[-1]), nice=False),
        axis=alt.Axis(values=places, labelExpr=labels.replace("; ", " : ") + " : ''", labelOverlap=True),
    )
    straight = alt.Chart(line).mark_line(color=PALETTE[1], strokeWidth=1.5, clip=True).encode(x=x, y=y)
    return (
        straight
        + alt.Chart(dots).mark_circle(size=36, color=PALETTE[0], opacity=1, clip=True).encode(x=x, y=y)
    ).properties(width=PAPER, height=PAPER)


PAPER = 330  # width and height of a sheet, in pixels


# The chart of `arpad book potential`: a band of lives.


def potential_chart(found: Potential, *, title: str = "Master potential", subtitle: str = "") -> Any:
    """Draw the band of imagined lives, with the levels of masters, international masters and grandmasters."""
    alt = altair()
    base = alt.Chart(found.table())
    x = alt.X("age:Q", title="age", scale=alt.Scale(zero=False, nice=False))
    scale, whole = alt.Scale(zero=False), alt.Axis(format="d")
    layers = [
        base.mark_area(opacity=0.15, color=PALETTE[0]).encode(
            x=x, y=alt.Y(f"{low} %:Q", title="rating", scale=scale, axis=whole), y2=f"{high} %:Q"
        )
        for low, high in ((10, 90), (25, 75))
    ]
    levels = (
        alt.Chart(pl.DataFrame({"level": LEVELS}))
        .mark_rule(color=MUTED, strokeDash=[4, 4])
        .encode(y="level:Q")
    )
    median = base.mark_line(color=PALETTE[0], strokeWidth=2.2).encode(x=x, y=alt.Y("50 %:Q", scale=scale))
    return dressed(alt.layer(levels, *layers, median), title, subtitle or found.summary())


def age_chart(found: AgeCurves, *, title: str = "Rating and age", subtitle: str = "") -> Any:
    """Draw ratings by age, a line a column: ideal curves, or that of a player beside the averages of 6.32."""
    alt = altair()
    frame = found.rows.unpivot(index="age", variable_name="curve", value_name="R").drop_nulls()
    names = frame["curve"].unique(maintain_order=True).to_list()
    lines = (
        alt.Chart(frame)
        .mark_line(strokeWidth=2, interpolate="monotone")
        .encode(
            x=alt.X("age:Q", title="age", scale=alt.Scale(zero=False, nice=False)),
            y=alt.Y("R:Q", title="rating", scale=alt.Scale(zero=False), axis=alt.Axis(format="d")),
            color=alt.Color("curve:N", sort=names, scale=alt.Scale(range=PALETTE[: len(names)]), title=None),
        )
    )
    return dressed(lines, title, subtitle)


# The chart of `arpad monitor deflation`: a dot and its interval for each segment.

MOST_SEGMENTS = 30
ROW = 26


def deflation_chart(found: Deflation, *, least: int = 1) -> Any:
    """Chart by how many points the ratings of each segment are too low; the busiest, where there are many."""
    alt = altair()
    shown = found.rows.filter((pl.col("games") >= least) & pl.col("points").is_not_null())
    shown = shown.sort("games", descending=True).head(MOST_SEGMENTS)
    shown = shown.sort("points", descending=True)
    names = [f"{name} ({games:,})" for name, games in shown.select("segment", "games").iter_rows()]
    frame = shown.with_columns(
        pl.Series("who", names, dtype=pl.String),
        low=pl.col("points_low").fill_null(pl.col("points")),
        high=pl.col("points_high").fill_null(pl.col("points")),
    )
    title = "points by which ratings are too low (left of 0: too high), with 95 % interval"
    return interval_rows(
        frame,
        "points",
        axis={"title": title, "axis": alt.Axis(tickCount=8, labelOverlap=True)},
        below=[rule_at(alt, dashed=True)],
        titles=("Score against expectation", _subtitle(found)),
        row=ROW,
    )


def _subtitle(found: Deflation) -> str:
    given = found.parameters
    more = [f"{word} {given[word]:g}" for word in ("floor", "ageing") if given[word] is not None]
    return ", ".join(
        [f"By {given['by']}; {found.games:,} games between segments (in brackets: of each)", *more]
    )


# The chart of a pool's mean, list by list, with its error and the middle half of the players.

TWO_SIGMA = 2


def means_chart(shape: PoolShape) -> Any:
    """Chart the mean of every list with two standard errors, over the band of the middle half."""
    alt = altair()
    error = TWO_SIGMA * pl.col("sd").fill_null(0) / pl.col("players").sqrt()
    frame = shape.rows.select(
        "list", "mean", "quartile", "quartile_3", low=pl.col("mean") - error, high=pl.col("mean") + error
    )
    axis = alt.Axis(labelAngle=0, labelOverlap=True, grid=False)
    x = alt.X(
        "list:N", title=None, sort=shape.rows["list"].to_list(), axis=axis, scale=alt.Scale(type="point")
    )
    scale = alt.Scale(zero=False)
    base = alt.Chart(frame).encode(x=x)
    y = alt.Y("quartile:Q", title="rating", axis=alt.Axis(format="d"), scale=scale)
    band = base.mark_area(opacity=0.16, color=PALETTE[0]).encode(y=y, y2="quartile_3:Q")
    rules = base.mark_rule(strokeWidth=3, opacity=0.45, color=PALETTE[0]).encode(
        y=alt.Y("low:Q", scale=scale), y2="high:Q"
    )
    line = base.mark_line(strokeWidth=2, color=PALETTE[0]).encode(y="mean:Q")
    dots = base.mark_circle(size=45, opacity=1, color=PALETTE[0]).encode(y="mean:Q")
    return dressed(
        band + rules + line + dots,
        "Mean rating, list by list",
        "Band: the middle half of the players. Bars: two standard errors of the mean",
    )


# Charts of a pool's health: cohorts, shapes, exchange between segments, the account.

MONITOR_CHARTS_ROW = 24


def cohort_chart(cohort: Cohort) -> Any:
    """Chart the cohort's mean, list by list, beside that of the people who are on every list."""
    alt = altair()
    rows = cohort.rows
    error = TWO_SIGMA * pl.col("error").fill_null(0)
    same = f"the same {rows['same_players'][0]:,} people"
    whole = pl.lit("everybody of the cohort")
    frame = pl.concat(
        [
            rows.select(
                "list",
                "date",
                whole.alias("who"),
                mean="mean",
                low=pl.col("mean") - error,
                high=pl.col("mean") + error,
            ),
            rows.filter(pl.col("same_mean").is_not_null()).select(
                "list", "date", pl.lit(same).alias("who"), mean="same_mean", low="same_mean", high="same_mean"
            ),
        ]
    )
    if frame["date"].null_count():
        x = alt.X("list:N", title=None, sort=rows["list"].to_list(), axis=alt.Axis(labelAngle=0))
    else:
        axis = alt.Axis(format="%b %Y", values=_ticks(rows["date"].to_list()))
        x = alt.X("date:T", title=None, axis=axis, scale=alt.Scale(padding=40))
        frame = frame.with_columns(pl.col("date").dt.to_string("%Y-%m-%d"))
    colour = alt.Color(
        "who:N",
        title=None,
        sort=None,
        scale=alt.Scale(range=PALETTE),
        legend=alt.Legend(orient="bottom", labelLimit=300, symbolOpacity=1),
    )
    base = alt.Chart(frame).encode(x=x, color=colour)
    rules = base.mark_rule(strokeWidth=3, opacity=0.4).encode(
        y=alt.Y(
            "low:Q",
            title="mean rating, ± two standard errors",
            axis=alt.Axis(format="d"),
            scale=alt.Scale(zero=False, padding=25),
        ),
        y2="high:Q",
    )
    lines = base.mark_line(strokeWidth=2).encode(y="mean:Q")
    dots = base.mark_circle(size=60, opacity=1).encode(y="mean:Q")
    return dressed(rules + lines + dots, f"Players {cohort.who}", cohort.summary().split(": ", 1)[1])


def _ticks(days: list[Any]) -> list[dict[str, int]]:
    """Return a tick for every list, or for a dozen of them."""
    some = days[:: max(1, len(days) // 12)]
    return [{"year": d.year, "month": d.month, "date": d.day} for d in some]


def shape_chart(shape: PoolShape) -> Any:
    """Chart each list's share of players by rating."""
    step = float(str(shape.parameters["step"]))
    order = shape.rows["list"].to_list()
    lines = _shares(shape.histogram, step, "list", order, "share of the list")
    return dressed(lines, "Shape of the pool", shape.summary())


def account_chart(account: PoolAccount) -> Any:
    """Chart with what ratings people entered a pool, left it, and stayed in it."""
    tallies = dict(account.histogram.group_by("who").agg(pl.col("players").sum()).iter_rows())
    words = {"entered": "entered, R_i", "left": "left, R_q", "stayed": "stayed, on the last list"}
    names = {who: f"{text} ({tallies[who]:,})" for who, text in words.items() if who in tallies}
    frame = account.histogram.with_columns(pl.col("who").replace(names))
    lines = _shares(frame, STEP, "who", list(names.values()), "share of each group")
    return dressed(lines, "Players who enter and leave the pool", account.summary().split(";")[0])


def _shares(frame: pl.DataFrame, step: float, by: str, order: list[str], title: str) -> Any:
    alt = altair()
    colour = alt.Color(
        f"{by}:N",
        sort=order,
        title=None,
        scale=alt.Scale(range=PALETTE),
        legend=alt.Legend(orient="top-right", labelLimit=260),
    )
    x = alt.X(
        "middle:Q", title="rating", axis=alt.Axis(format="d", labelOverlap=True), scale=alt.Scale(zero=False)
    )
    y = alt.Y("share:Q", title=f"{title} in {step:g} points", axis=alt.Axis(format="%"))
    base = alt.Chart(
        with_empty_classes(frame, step, by).with_columns((pl.col("from") + step / 2).alias("middle"))
    )
    encoded = base.encode(x=x, y=y, color=colour)
    return encoded.mark_line(strokeWidth=2) + encoded.mark_circle(size=26, opacity=1)


def with_empty_classes(frame: pl.DataFrame, step: float, by: str) -> pl.DataFrame:
    """Return a histogram with a row of share 0 for every empty class between the first and the last of a group.

    Examples
    --------
    >>> rows = pl.DataFrame({"list": ["a", "a"], "from": [1500.0, 1700.0], "share": [0.5, 0.5]})
    >>> with_empty_classes(rows, 100.0, "list")["share"].to_list()
    [0.5, 0.0, 0.5]
    """
    ends = frame.group_by(by, maintain_order=True).agg(low=pl.col("from").min(), high=pl.col("from").max())
    classes = [
        (group, low + step * at)
        for group, low, high in ends.iter_rows()
        for at in range(round((high - low) / step) + 1)
    ]
    whole = pl.DataFrame(classes, schema={by: frame.schema[by], "from": frame.schema["from"]}, orient="row")
    return whole.join(frame, on=[by, "from"], how="left", maintain_order="left").with_columns(
        pl.col("share").fill_null(0)
    )


def exchange_chart(exchange: Exchange, *, least: int = 1) -> Any:
    """Chart what each segment gained in a performance, with two errors to each side."""
    alt = altair()
    ways = list(exchange.rows.columns[: exchange.rows.columns.index("players")])
    shown = exchange.rows.filter(pl.col("performances") >= least)
    if shown.height > MOST_SEGMENTS:
        shown = shown.sort("performances", descending=True).head(MOST_SEGMENTS).sort("gain", descending=True)
    frame = shown.with_columns(
        (pl.col("gain") - TWO_SIGMA * pl.col("error").fill_null(0)).alias("low"),
        (pl.col("gain") + TWO_SIGMA * pl.col("error").fill_null(0)).alias("high"),
    )
    names = [
        f"{', '.join(map(str, row[:-1]))} ({row[-1]:,})"
        for row in shown.select(*ways, "performances").iter_rows()
    ]
    subtitle = f"{exchange.games:,} games, K {exchange.parameters['k']}; in brackets: performances"
    title = "points gained in an event, ± two standard errors"
    return interval_rows(
        frame.with_columns(pl.Series("who", names, dtype=pl.String)),
        "gain",
        axis={"title": title, "axis": alt.Axis(tickCount=8, labelOverlap=True)},
        below=[rule_at(alt, dashed=True)],
        titles=("Point exchange between segments", subtitle),
        row=MONITOR_CHARTS_ROW,
    )


# The chart of `arpad monitor growth`: counts and the curve through them.

GROWTH_CHART_POINTS = 200  # points that a curve is drawn through


def growth_chart(
    found: Growth,
    counts: pl.DataFrame | None = None,
    *,
    floor: float | None = None,
    until: float | None = None,
) -> Any:
    """Chart the number of players at each date, the logistic curve, and the level that it tends to."""
    alt = altair()
    if counts is None:  # twice the time to the half of the level
        counts = pl.DataFrame({"year": [found.origin, 2 * found.half - found.origin]})
    years = counts["year"].to_numpy()
    last = max(float(years.max()), until or 0.0)
    time = np.linspace(float(years.min()), last, GROWTH_CHART_POINTS)
    x = alt.X(
        "year:Q", title=None, axis=alt.Axis(format="d"), scale=alt.Scale(nice=False, zero=False, padding=10)
    )
    y = alt.Y("players:Q", title="players" if floor is None else f"players of {floor:g} or more")
    curve = alt.Chart(pl.DataFrame({"year": time, "players": found.count(time)}))
    layers = [
        curve.mark_line(color=PALETTE[0], strokeWidth=2).encode(x=x, y=y),
        *(
            [alt.Chart(counts).mark_circle(size=50, color=PALETTE[1], opacity=1).encode(x=x, y=y)]
            if counts.width > 1
            else []
        ),
    ]
    if found.saturated:  # else the level is a guess, and would squeeze the rest
        level = alt.Chart(pl.DataFrame({"players": [found.n_max]}))
        layers.append(level.mark_rule(color=MUTED, strokeDash=[4, 4]).encode(y=y))
    return dressed(alt.layer(*layers), "Growth of the number of players", found.summary())
