"""Charts of a pool's health: cohorts, shapes, exchange between segments, the account."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.pool.shape import STEP
from arpad.publish.chart_style import MUTED, PALETTE, altair, dressed

if TYPE_CHECKING:
    from arpad.pool.account import Account
    from arpad.pool.cohort import Cohort
    from arpad.pool.exchange import Exchange
    from arpad.pool.shape import Shape

__all__ = ["account_chart", "cohort_chart", "exchange_chart", "shape_chart"]

TWO_SIGMA = 2
MOST_SEGMENTS = 30
ROW = 24


def cohort_chart(cohort: Cohort) -> Any:
    """Chart the cohort's mean, list by list, beside that of the people who are on every list."""
    alt = altair()
    rows = cohort.rows
    error = TWO_SIGMA * pl.col("error").fill_null(0)
    same = f"the same {rows['same_players'][0]:,} people"
    whole = pl.lit("everybody of the cohort")
    frame = pl.concat(
        [
            rows.select("list", "date", whole.alias("who"), mean="mean", low=pl.col("mean") - error,
                        high=pl.col("mean") + error),
            rows.filter(pl.col("same_mean").is_not_null()).select(
                "list", "date", pl.lit(same).alias("who"), mean="same_mean", low="same_mean", high="same_mean"),
        ]
    )  # fmt: skip
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
            "low:Q", title="mean rating, ± two standard errors", axis=alt.Axis(format="d"),
            scale=alt.Scale(zero=False, padding=25),
        ),
        y2="high:Q",
    )  # fmt: skip
    lines = base.mark_line(strokeWidth=2).encode(y="mean:Q")
    dots = base.mark_circle(size=60, opacity=1).encode(y="mean:Q")
    return dressed(
        rules + lines + dots, f"Players {cohort.who}", cohort.summary().split(": ", 1)[1]
    )


def _ticks(days: list[Any]) -> list[dict[str, int]]:
    """Return a tick for every list, or for a dozen of them."""
    some = days[:: max(1, len(days) // 12)]
    return [{"year": d.year, "month": d.month, "date": d.day} for d in some]


def shape_chart(shape: Shape) -> Any:
    """Chart each list's share of players by rating."""
    step = float(str(shape.parameters["step"]))
    order = shape.rows["list"].to_list()
    lines = _shares(shape.histogram, step, "list", order, "share of the list")
    return dressed(lines, "Shape of the pool", shape.summary())


def account_chart(account: Account) -> Any:
    """Chart with what ratings people entered a pool, left it, and stayed in it."""
    tallies = dict(account.histogram.group_by("who").agg(pl.col("players").sum()).iter_rows())
    words = {"entered": "entered, R_i", "left": "left, R_q", "stayed": "stayed, on the last list"}
    names = {who: f"{text} ({tallies[who]:,})" for who, text in words.items() if who in tallies}
    frame = account.histogram.with_columns(pl.col("who").replace(names))
    lines = _shares(frame, STEP, "who", list(names.values()), "share of each group")
    return dressed(lines, "Who enters and who leaves the pool", account.summary().split(";")[0])


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
        "middle:Q",
        title="rating",
        axis=alt.Axis(format="d", labelOverlap=True),
        scale=alt.Scale(zero=False),
    )
    y = alt.Y("share:Q", title=f"{title} in {step:g} points", axis=alt.Axis(format="%"))
    base = alt.Chart(frame.with_columns((pl.col("from") + step / 2).alias("middle")))
    encoded = base.encode(x=x, y=y, color=colour)
    return encoded.mark_line(strokeWidth=2) + encoded.mark_circle(size=26, opacity=1)


def exchange_chart(exchange: Exchange, *, least: int = 1) -> Any:
    """Chart what each segment gained in a performance, with two errors to each side."""
    alt = altair()
    ways = list(exchange.rows.columns[: exchange.rows.columns.index("players")])
    shown = exchange.rows.filter(pl.col("performances") >= least)
    if shown.height > MOST_SEGMENTS:
        shown = (
            shown.sort("performances", descending=True)
            .head(MOST_SEGMENTS)
            .sort("gain", descending=True)
        )
    frame = shown.with_columns(
        (pl.col("gain") - TWO_SIGMA * pl.col("error").fill_null(0)).alias("low"),
        (pl.col("gain") + TWO_SIGMA * pl.col("error").fill_null(0)).alias("high"),
    )
    names = [
        f"{', '.join(map(str, row[:-1]))} ({row[-1]:,})"
        for row in shown.select(*ways, "performances").iter_rows()
    ]
    frame = frame.with_columns(pl.Series("who", names, dtype=pl.String))
    y = alt.Y("who:N", sort=names, title=None, axis=alt.Axis(labelLimit=300))
    base = alt.Chart(frame)
    zero = (
        alt.Chart(pl.DataFrame({"at": [0.0]}))
        .mark_rule(color=MUTED, strokeDash=[3, 3])
        .encode(x="at:Q")
    )
    rules = base.mark_rule(strokeWidth=2, color="#9bbcf2").encode(
        x=alt.X(
            "low:Q",
            title="points gained in an event, ± two standard errors",
            axis=alt.Axis(tickCount=8, labelOverlap=True),
        ),
        x2="high:Q",
        y=y,
    )
    dots = base.mark_circle(size=60, color=PALETTE[0], opacity=1).encode(x="gain:Q", y=y)
    subtitle = f"{exchange.games:,} games, K {exchange.parameters['k']}; in brackets: performances"
    chart = dressed(zero + rules + dots, "Point exchange between segments", subtitle)
    return chart.properties(height=max(120, ROW * frame.height))
