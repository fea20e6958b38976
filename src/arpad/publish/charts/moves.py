"""Charts of gain per move and of average error."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from arpad.errors import InputError, UsageError
from arpad.moves.gain import CENTIPAWNS, move_number
from arpad.moves.gain_report import labels
from arpad.moves.live import course
from arpad.publish.charts.style import HEIGHT, INK, MUTED, PALETTE, WIDTH, altair, banded, dressed, headroom

if TYPE_CHECKING:
    from arpad.moves.error_report import ErrorGroups, ErrorTrend
    from arpad.moves.gain_report import GainReport


# Gain per move as charts: a game, its players' histograms, and their strength after each move.
#
# Figures 1, 3 and 6 of Ferreira 2012.

BARS = {1000: 1, 200: 5, 0: 10}
"""Centipawns a bar, by the fewest moves of a player: one bar a centipawn makes a comb of a single game."""
LIMITS = (-150, 100)  # centipawns that a histogram shows [figure 3]
DEEPEST = -500  # rating points below which the strength curve is cut off, −∞ with it [figure 6]
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
    above = zero + alt.Chart(line).mark_line(color=INK, strokeWidth=1.8, interpolate="step-after").encode(
        x=x, y=alt.Y("evaluation:Q", title="evaluation (pawns, White's side)")
    )
    bars = (
        alt.Chart(frame)
        .mark_bar(size=max(2, min(5, 400 / frame.height)))
        .encode(x=x, y=alt.Y("gain:Q", title="gain (pawns, own side)"), color=_colour(alt, names))
    )
    cut = "; cut off at ±12 pawns" if frame["cut"].any() else ""
    chart = alt.vconcat(
        above.properties(width=WIDTH, height=200), (zero + bars).properties(width=WIDTH, height=200)
    ).resolve_scale(x="shared")
    subtitle = f"{gains.source}; gain of each move below{cut}"
    return dressed(chart, gains.title(int(gains.table["game"][0])), subtitle, sized=False)


def histogram_chart(report: GainReport, *, most: int = 12) -> Any:
    """Chart each player's distribution of gain from −150 to 100, one bar a centipawn if there are moves enough [figure 3]."""
    alt = altair()
    rows = []
    sheets = report.players.with_row_index("sheet").sort("moves", descending=True).head(most)
    titles: dict[int, str] = {}
    names = labels(report.players)
    wide = next(w for least, w in BARS.items() if sheets["moves"].to_numpy().min(initial=1000) >= least)
    for row in sheets.sort("sheet").to_dicts():
        result = report.comparison.distribution(row["sheet"])
        inside = ((result.gain >= LIMITS[0]) & (result.gain <= LIMITS[1])).nonzero()[0]
        outside = 1 - float(result.frequency[inside].sum())
        away = f"; {100 * outside:.0f} % of them outside" if outside > 0.005 else ""
        title = f"{names[row['sheet']]}: {row['moves']} moves{away}"
        while title in titles.values():
            title += " "  # two events of one name: rows of the same title would be drawn as one
        titles[row["sheet"]] = title
        middle = np.round(result.gain[inside] / wide).astype(int) * wide
        rows += [
            (title, int(g), float(result.frequency[inside][middle == g].sum())) for g in np.unique(middle)
        ]
    frame = pl.DataFrame(
        rows, schema={"who": pl.String, "gain": pl.Int64, "frequency": pl.Float64}, orient="row"
    )
    bars = (
        alt.Chart(frame)
        .mark_bar(size=1.9 * wide, color=PALETTE[0])
        .encode(
            x=alt.X("gain:Q", title="gain (centipawns)", scale=alt.Scale(domain=LIMITS, nice=False)),
            y=alt.Y("frequency:Q", title="share of moves", axis=alt.Axis(tickCount=4)),
        )
        .properties(width=WIDTH, height=150 if len(titles) <= 4 else 90)
        .facet(
            row=alt.Row(
                "who:N",
                title=None,
                sort=list(titles.values()),
                header=alt.Header(labelOrient="top", labelAnchor="start", labelColor=INK, labelFontSize=12),
            )
        )
    )
    left_out = report.players.height - len(titles)
    more = f"; {left_out} more players are not shown" if left_out else ""
    return dressed(
        bars,
        f"Gain per move, {report.title}",
        f"{report.gains.source}; one bar {'a centipawn' if wide == 1 else f'{wide} centipawns'}{more}",
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
        pl.col(f"difference{s}").clip(DEEPEST, ceiling).alias(f"shown{s}") for s in ("", "_low", "_high")
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
    y = alt.Y("shown:Q", title="points to the engine", scale=alt.Scale(domain=(DEEPEST, ceiling), nice=False))
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
    return dressed(alt.layer(*bands, line, end), title, f"{report.gains.source}{says}{gone}").properties(
        height=HEIGHT, width=WIDTH
    )


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
        pl.Series("number", [move_number(n, w) for n, w in table.select("number", "white").iter_rows()]),
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


# The crosstable of an event as a chart: who is expected to score what against whom [Ferreira 2012, table 1].

CELL = 62  # pixels of a cell
MOST = 20  # players beyond whom cells cannot be read


def crosstable_chart(report: GainReport) -> Any:
    """Chart the expected scores of an event, best perceived rating first; each cell: score, expected, points."""
    if report.standing is None or report.view != "event":
        raise UsageError("expected perceived ratings of one event for a crosstable, found none")
    order = report.standing.rows["player"].to_list()
    if len(order) > MOST:
        raise UsageError(f"expected at most {MOST} players in a crosstable chart, found {len(order)}")
    alt = altair()
    frame = _cells(report)
    ratings = _ratings(report)
    rows = alt.Y(
        "player:N",
        sort=ratings["label"].to_list(),
        title=None,
        axis=alt.Axis(labelFontSize=12, labelColor=INK, ticks=False, domain=False, labelLimit=320),
    )
    columns = alt.X(
        "opponent:N",
        sort=order,
        title=None,
        axis=alt.Axis(
            orient="top", labelAngle=-35, labelColor=INK, ticks=False, domain=False, labelLimit=160
        ),
    )
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
        base.mark_text(dy=dy, fontSize=size, color=colour, fontWeight=weight).encode(text=f"{name}:N")
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
    labels = {r["player"]: f"{r['player']}  {_number(r['perceived'], signed)}" for r in table.to_dicts()}
    return pl.DataFrame({"player": list(labels), "label": list(labels.values())})


def _cells(report: GainReport) -> pl.DataFrame:
    labels = dict(_ratings(report).iter_rows())
    result = []
    for row in report.pairs.to_dicts():
        score, games = row["score"], row["games"]
        result += [
            _cell(labels[row["player"]], row["opponent"], score, row["expected"], row["difference"]),
            _cell(
                labels[row["opponent"]], row["player"], games - score, 1 - row["expected"], -row["difference"]
            ),
        ]
    return pl.DataFrame(result)


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


# Average error as charts: by turn number, advantage or year as lines, by player, game, event or category as dots.
#
# Figures 2 and 3 of Regan, Macieja and Haworth 2012.

LEAST = 50  # moves below which a point of a line is mostly chance, and is not drawn
ERROR_CHART_MOST = 30  # dots that a page has room for
ROW = 22
MOST_TICKS = 14
CONTROL = 40  # the move at which the first time control stands
NAMES = {"raw": "raw, in pawns", "scaled": "scaled"}
LINES = {"turn": "move", "advantage": "advantage of the player to move (pawns)", "year": "year"}
TITLES = {
    "turn": "Average error by turn number",
    "advantage": "Average error by advantage",
    "year": "Average error by year",
    "player": "Average error by player",
    "game": "Average error by game",
    "event": "Average error by event",
    "category": "Average error by tournament category",
}


def error_chart(groups: ErrorGroups, *, least: int = LEAST) -> Any:
    """Chart average error, raw and scaled, with its limits, in the form that fits the grouping.

    Parameters
    ----------
    least
        Moves below which a point of a line is not drawn.
    """
    if groups.by in LINES:
        return _lines(groups, least)
    return _dots(groups)


def _lines(groups: ErrorGroups, least: int) -> Any:
    """Chart both errors against a number; with eras in two panels, a line an era."""
    rows = groups.rows.filter(pl.col("moves") >= least)
    if not rows.height:
        raise InputError(f"expected groups of at least {least} moves to draw, found none: give more games")
    rows = rows.with_columns(at=_place(groups))
    thin = groups.rows.height - rows.height
    says = f"shaded: {100 * float(groups.parameters['confidence']):g} %"
    if thin:
        says += f"; {thin:,} point{'' if thin == 1 else 's'} of fewer than {least} moves not drawn"
    subtitle = [_who(groups), says]
    if "era" in rows.columns:
        return dressed(_by_era(groups, rows), TITLES[groups.by], subtitle, sized=False)
    alt = altair()
    lines = {words: _long(rows, name) for name, words in NAMES.items()}
    shown = banded(alt, lines, _x(alt, groups, rows), title="average error")
    chart = alt.layer(*_guides(alt, groups, rows), shown)
    return dressed(chart, TITLES[groups.by], subtitle)


def _by_era(groups: ErrorGroups, rows: pl.DataFrame) -> Any:
    alt = altair()
    eras = rows["era"].unique(maintain_order=True).to_list()
    top = headroom([_long(rows, name) for name in NAMES])
    panels = []
    for number, (name, words) in enumerate(NAMES.items()):
        lines = {era: _long(rows.filter(pl.col("era") == era), name) for era in eras}
        shown = banded(
            alt, lines, _x(alt, groups, rows), title=f"average error, {words}", top=top, legend=number == 0
        )
        panel = alt.layer(*_guides(alt, groups, rows), shown)
        panels.append(panel.properties(width=WIDTH * 0.58, height=HEIGHT))
    return alt.hconcat(*panels)


def _place(groups: ErrorGroups) -> pl.Expr:
    """Return where a group stands: a stretch of advantage in its middle."""
    key = pl.col("key").cast(pl.Float64)
    if groups.by != "advantage":
        return key
    return (key - 0.5 * key.sign()) * float(groups.parameters["step"])


def _long(rows: pl.DataFrame, name: str) -> pl.DataFrame:
    return rows.select("at", value=name, low=f"{name}_low", high=f"{name}_high").sort("at")


def _x(alt: Any, groups: ErrorGroups, rows: pl.DataFrame) -> Any:
    years = rows["at"].unique().sort().to_list()
    if groups.by == "year" and len(years) <= MOST_TICKS:
        axis = alt.Axis(format="d", values=years)
    elif groups.by == "advantage":
        axis = alt.Axis(format="+.1f", labelExpr="datum.value == 0 ? '0' : datum.label")
    else:
        axis = alt.Axis(format="d")
    return alt.X(
        "at:Q", title=LINES[groups.by], axis=axis, scale=alt.Scale(zero=False, nice=False, padding=12)
    )


def _guides(alt: Any, groups: ErrorGroups, rows: pl.DataFrame) -> list[Any]:
    """Return the rule at move 40, or at equality, where there is something on both sides of it."""
    at = {"turn": float(CONTROL), "advantage": 0.0}.get(groups.by)
    first, last = rows["at"].min(), rows["at"].max()
    if at is None or first is None or last is None or not float(first) < at < float(last):  # type: ignore[arg-type]
        return []
    frame = pl.DataFrame({"at": [at], "text": [f"move {CONTROL}" if groups.by == "turn" else ""]})
    base = alt.Chart(frame).encode(x="at:Q")
    return [
        base.mark_rule(color=MUTED, strokeDash=[3, 3]),
        base.mark_text(align="left", dx=5, color=MUTED, fontSize=11, baseline="top").encode(
            y=alt.value(2), text="text:N"
        ),
    ]


def _dots(groups: ErrorGroups) -> Any:
    """Chart each group's errors as two columns of dots with their limits."""
    alt = altair()
    rows = groups.rows
    if rows.height > ERROR_CHART_MOST:
        rows = (
            rows.with_row_index("row")
            .sort("moves", descending=True, maintain_order=True)
            .head(ERROR_CHART_MOST)
            .sort("row")
        )
    left_out = groups.rows.height - rows.height
    tally = [f"{n:,}" for n in rows["moves"]]
    word = "category " if groups.by == "category" else ""
    names = [f"{word}{t} ({n})" for t, n in zip(rows["label"], tally, strict=True)]
    era = rows["era"].to_list() if "era" in rows.columns else [""] * rows.height
    names = [f"{n}, {e}" if e else n for n, e in zip(names, era, strict=True)]
    names = [f"{n}{' ' * names[:i].count(n)}" for i, n in enumerate(names)]  # of one name, two rows
    frame = rows.with_columns(pl.Series("who", names))
    panels = []
    for number, (name, words) in enumerate(NAMES.items()):
        mine = frame.select("who", value=name, low=f"{name}_low", high=f"{name}_high")
        y = alt.Y(
            "who:N",
            sort=names,
            title=None,
            axis=alt.Axis(labelLimit=330, labelColor=INK) if number == 0 else None,
        )
        title = f"average error, {words}"
        base = alt.Chart(mine)
        limits = base.mark_rule(strokeWidth=3, opacity=0.35, color=PALETTE[number]).encode(
            x=alt.X(
                "low:Q", title=title, scale=alt.Scale(zero=True), axis=alt.Axis(tickCount=5, labelFlush=False)
            ),
            x2="high:Q",
            y=y,
        )
        dot = base.mark_circle(size=60, opacity=1, color=PALETTE[number]).encode(x="value:Q", y=y)
        panels.append((limits + dot).properties(width=WIDTH * 0.45, height=max(60, ROW * rows.height)))
    more = f"; {left_out:,} with fewer moves are not shown" if left_out else ""
    share = 100 * float(groups.parameters["confidence"])
    says = f"in brackets: moves; lines: {share:g} %{more}"
    return dressed(alt.hconcat(*panels), TITLES[groups.by], [_who(groups), says], sized=False)


def _who(groups: ErrorGroups) -> str:
    all_ = groups.total.row(0, named=True)
    filters = groups.errors.filters
    last = filters.parameters().get("last_turn")
    to = "" if last is None else f" to {last}"
    return (
        f"{all_['moves']:,} moves in {all_['games']:,} games, from move {filters.first_turn}{to}, within ±{filters.window:.2f}; "
        f"{groups.errors.method}, {groups.errors.source}"
    )


# Scaled average error by year and tournament category, as a moving average [IPR figures 4 and 5].


def trend_chart(trend: ErrorTrend, measure: Literal["scaled", "raw"] = "scaled") -> Any:
    """Chart a line for each pair of categories, and a cross for each run of years above the highest line."""
    alt = altair()
    rows = trend.rows
    names = rows["line"].unique(maintain_order=True).to_list()
    x = alt.X(
        "at:Q",
        title="year, the last of the span",
        axis=_years(alt, rows["year"]),
        scale=alt.Scale(zero=False, nice=False, padding=12),
    )
    unit = "scaled" if measure == "scaled" else "raw, in pawns"
    title = f"average error, {unit}"
    lines = {
        name if name == "all" else f"category {name}": _with_gaps(
            rows.filter(pl.col("line") == name), measure
        )
        for name in names
    }
    crosses = trend.marks.select(value=measure, high=f"{measure}_high")
    parts = [banded(alt, lines, x, title=title, top=headroom([*lines.values(), crosses]))]
    if trend.marks.height:
        parts.append(_crosses(alt, trend.marks, measure, x))
    p = trend.parameters
    to = "" if p.get("last_turn") is None else f" to {p['last_turn']}"
    share = 100 * float(p["confidence"])
    subtitle = [
        (
            f"{len(trend.errors):,} moves from move {p['first_turn']}{to}, within ±{p['window']:.2f}; {trend.errors.method}, "
            f"{trend.errors.source}"
        ),
        f"moving average over {p['span']} years; shaded: {share:g} %"
        + (f"; ×: events above category {p['highest']}, a run of years" if trend.marks.height else ""),
    ]
    by = "Average error by tournament category" if p["categories"] else "Average error"
    return dressed(alt.layer(*parts), f"{by} over the years", subtitle)


def _years(alt: Any, year: pl.Series) -> Any:
    """Return an axis of whole years: every one where there is room."""
    some = year.unique().sort().to_list()
    return alt.Axis(format="d", values=some) if len(some) <= MOST_TICKS else alt.Axis(format="d")


def _with_gaps(rows: pl.DataFrame, measure: str) -> pl.DataFrame:
    """Return the points of a line; an empty row where years are missing breaks it."""
    points = rows.select(
        at=pl.col("year").cast(pl.Float64), value=measure, low=f"{measure}_low", high=f"{measure}_high"
    ).sort("at")
    first, last = rows["year"].min(), rows["year"].max()
    every = pl.DataFrame({"at": pl.int_range(first, last + 1, eager=True).cast(pl.Float64)})  # type: ignore[operator, arg-type]
    return every.join(points, on="at", how="left", maintain_order="left")


def _crosses(alt: Any, marks: pl.DataFrame, measure: str, x: Any) -> Any:
    frame = marks.select(
        at=pl.col("year").cast(pl.Float64), value=measure, low=f"{measure}_low", high=f"{measure}_high"
    )
    base = alt.Chart(frame)
    limits = base.mark_rule(color=INK, opacity=0.4, strokeWidth=2).encode(x=x, y=alt.Y("low:Q"), y2="high:Q")
    cross = base.mark_point(shape="cross", angle=45, size=90, color=INK, filled=True, opacity=1).encode(
        x=x, y="value:Q"
    )
    return limits + cross
