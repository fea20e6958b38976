"""Gain per move as charts: a game, its players' histograms, and their strength after each move.

Figures 1, 3 and 6 of Ferreira 2012.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.moves.course import course
from arpad.moves.gain import CENTIPAWNS
from arpad.moves.gain_tables import labels
from arpad.moves.measured import move_number
from arpad.publish.chart_style import HEIGHT, INK, MUTED, PALETTE, WIDTH, altair, dressed

if TYPE_CHECKING:
    from arpad.moves.gain_report import GainReport

__all__ = ["course_chart", "game_chart", "histogram_chart"]

LIMITS = (-150, 100)
"""Centipawns that a histogram shows [figure 3]."""
DEEPEST = -500
"""Rating points below which the strength curve is cut off, −∞ with it [figure 6]."""
EVALUATIONS = 12.0
"""Pawns at which evaluations are cut off in a picture: a mate would flatten everything else."""


def game_chart(report: GainReport) -> Any:
    """Chart the evaluation after each move, and below it the gain of each move, by player [figure 1]."""
    alt = altair()
    gains = report.gains
    frame = _moves(report)
    first = frame.row(0, named=True)
    start = {"half_move": first["half_move"] - 0.5, "evaluation": _cut(first["before"])}
    line = pl.concat(
        [pl.DataFrame([start]), frame.select("half_move", pl.col("after").alias("evaluation"))],
        how="vertical_relaxed",
    ).with_columns(pl.col("evaluation").clip(-EVALUATIONS, EVALUATIONS))
    names = _names(report)
    x = alt.X(
        "half_move:Q",
        title="move",
        scale=alt.Scale(nice=False, zero=False, padding=6),
        axis=alt.Axis(format="d", tickMinStep=1, grid=False),
    )
    zero = alt.Chart(pl.DataFrame({"y": [0.0]})).mark_rule(color=MUTED).encode(y="y:Q")
    above = zero + alt.Chart(line).mark_line(
        color=INK, strokeWidth=1.8, interpolate="step-after"
    ).encode(x=x, y=alt.Y("evaluation:Q", title="evaluation (pawns, White's side)"))
    bars = (
        alt.Chart(frame)
        .mark_bar(size=max(2, min(5, 400 / frame.height)))
        .encode(
            x=x,
            y=alt.Y("gain:Q", title="gain (pawns, own side)"),
            color=_colour(alt, names),
        )
    )
    cut = "; cut off at ±12 pawns" if frame["cut"].any() else ""
    chart = alt.vconcat(
        above.properties(width=WIDTH, height=200),
        (zero + bars).properties(width=WIDTH, height=200),
    ).resolve_scale(x="shared")
    subtitle = f"{gains.source}; gain of each move below{cut}"
    return dressed(chart, gains.title(int(gains.table["game"][0])), subtitle, sized=False)


def histogram_chart(report: GainReport, *, most: int = 12) -> Any:
    """Chart each player's distribution of gain, one bar a centipawn, from −150 to 100 [figure 3]."""
    alt = altair()
    rows = []
    sheets = report.players.with_row_index("sheet").sort("moves", descending=True).head(most)
    titles: dict[int, str] = {}
    names = labels(report.players)
    for row in sheets.sort("sheet").to_dicts():
        found = report.comparison.distribution(row["sheet"])
        inside = ((found.gain >= LIMITS[0]) & (found.gain <= LIMITS[1])).nonzero()[0]
        outside = 1 - float(found.frequency[inside].sum())
        away = f"; {100 * outside:.0f} % of them outside" if outside > 0.005 else ""
        title = f"{names[row['sheet']]}: {row['moves']} moves{away}"
        while title in titles.values():
            title += " "  # two events of one name: rows of the same title would be drawn as one
        titles[row["sheet"]] = title
        rows += [(title, int(found.gain[i]), float(found.frequency[i])) for i in inside]
    frame = pl.DataFrame(
        rows, schema={"who": pl.String, "gain": pl.Int64, "frequency": pl.Float64}, orient="row"
    )
    bars = (
        alt.Chart(frame)
        .mark_bar(size=1.9, color=PALETTE[0])
        .encode(
            x=alt.X("gain:Q", title="gain (centipawns)", scale=alt.Scale(domain=LIMITS, nice=False)),
            y=alt.Y("frequency:Q", title="share of moves", axis=alt.Axis(tickCount=4)),
        )
        .properties(width=WIDTH, height=150 if len(titles) <= 4 else 90)
        .facet(
            row=alt.Row("who:N", title=None, sort=list(titles.values()),
                        header=alt.Header(labelOrient="top", labelAnchor="start", labelColor=INK, labelFontSize=12)),
        )
    )  # fmt: skip
    left_out = report.players.height - len(titles)
    more = f"; {left_out} more players are not shown" if left_out else ""
    return dressed(
        bars,
        f"Gain per move, {report.title}",
        f"{report.gains.source}; one bar a centipawn{more}",
        sized=False,
    )


def course_chart(report: GainReport) -> Any:
    """Chart each player's difference to the engine after each move, with its interval [figure 6]."""
    alt = altair()
    parts = []
    for white in (True, False):
        mine = report.gains.table.filter(pl.col("white") == white)
        if mine.height:
            run = course(mine["gain"], resampling=report.comparison.resampling)
            name = report.gains.games.players["name"][mine["player"][0]]
            parts.append(run.with_columns(pl.lit(name).alias("player"), (mine["ply"] + 1) // 2))
    frame = pl.concat(parts)
    top = max([50.0, *(v for v in frame["difference"] if math.isfinite(v))])
    ceiling = min(200.0, math.ceil((top + 20) / 50) * 50)
    frame = frame.with_columns(
        pl.col(f"difference{s}").clip(DEEPEST, ceiling).alias(f"shown{s}")
        for s in ("", "_low", "_high")
    )
    gone = "; −∞ is drawn at the bottom" if (frame["difference"] == -math.inf).any() else ""
    texts = frame["difference"].map_elements(_points, return_dtype=pl.String)
    frame = frame.select("player", "ply", "shown", "shown_low", "shown_high", texts.alias("text"))
    names = _names(report)
    x = alt.X(
        "ply:Q",
        title="move",
        scale=alt.Scale(nice=False, zero=False, padding=20),
        axis=alt.Axis(format="d", tickMinStep=1),
    )
    y = alt.Y(
        "shown:Q",
        title="points to the engine",
        scale=alt.Scale(domain=(DEEPEST, ceiling), nice=False),
    )
    base = alt.Chart(frame)
    # One area each, in a plain colour: a shared scale would give the key the pale colours of the areas.
    bands = [
        alt.Chart(frame.filter(pl.col("player") == name))
        .mark_area(opacity=0.13, color=colour)
        .encode(x=x, y=alt.Y("shown_low:Q"), y2="shown_high:Q")
        for name, colour in zip(names, (PALETTE[1], PALETTE[0]), strict=False)
    ]
    line = base.mark_line(strokeWidth=2.2, interpolate="step-after").encode(
        x=x, y=y, color=_colour(alt, names)
    )
    last = frame.group_by("player", maintain_order=True).last()
    end = (
        alt.Chart(last)
        .mark_text(align="left", dx=6, fontSize=12, fontWeight="bold")
        .encode(x=x, y=y, text="text:N", color=_colour(alt, names))
    )
    share = 100 * float(report.parameters["confidence"])
    says = f"; shaded: {share:g} %, moves drawn in blocks" if report.parameters["draws"] else ""
    title = f"Strength after each move, {report.gains.title(int(report.gains.table['game'][0]))}"
    return dressed(
        alt.layer(*bands, line, end), title, f"{report.gains.source}{says}{gone}"
    ).properties(height=HEIGHT, width=WIDTH)


def _points(d: float) -> str:
    return ("−∞" if d < 0 else "∞") if math.isinf(d) else f"{d:+.0f}".replace("-", "−")


def _cut(cp: int) -> float:
    return max(-EVALUATIONS, min(EVALUATIONS, cp / CENTIPAWNS))


def _moves(report: GainReport) -> pl.DataFrame:
    table = report.gains.table
    pawns = {c: pl.col(c) / CENTIPAWNS for c in ("after", "gain")}
    limit = pl.lit(EVALUATIONS)
    return table.with_columns(
        ((pl.col("ply") + 1) / 2).alias("half_move"),
        ((pawns["after"].abs() > limit) | (pawns["gain"].abs() > limit)).alias("cut"),
        pl.Series("player", report.gains.games.players["name"].gather(table["player"])),
        pawns["after"],
        pawns["gain"].clip(-EVALUATIONS, EVALUATIONS),
        pl.Series(
            "number", [move_number(p, w) for p, w in table.select("ply", "white").iter_rows()]
        ),
    )


def _names(report: GainReport) -> list[str]:
    """Return White's name, then Black's."""
    row = report.gains.games.table.row(int(report.gains.table["game"][0]), named=True)
    names = report.gains.games.players["name"]
    return list(dict.fromkeys([names[row["white"]], names[row["black"]]]))


def _colour(alt: Any, names: list[str]) -> Any:
    return alt.Color(
        "player:N",
        scale=alt.Scale(domain=names, range=[PALETTE[1], PALETTE[0]][: len(names)]),
        legend=alt.Legend(title=None, orient="top"),
    )
