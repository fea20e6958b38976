"""Strength from moves as charts: over time with its band, side by side, intrinsic ratings and their calibration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.moves.strength.posterior import GRID as RATINGS
from arpad.moves.strength.posterior import Prior, timeline
from arpad.publish.charts.style import INK, MUTED, PALETTE, WIDTH, altair, dressed

if TYPE_CHECKING:
    from arpad.moves.ipr.calibration import Calibration
    from arpad.moves.ipr.report import IprReport
    from arpad.moves.strength.report import PlayerStrength, StrengthComparison, StrengthReport


MOST = 30  # players that a page has room for
STEP = 30  # pixels a player
COURSE = 4  # games from which a player's strength has a course


def strength_chart(report: StrengthReport) -> Any:
    """Chart one player's strength game by game, or the strengths of several, with their intervals."""
    players = [p for p in report.players if p.moves]
    if not players:
        raise UsageError("expected players with moves to draw, found none")
    if len(players) == 1 and players[0].games >= COURSE:
        return _course(players[0])
    return _beside(players, report.confidence)


def comparison_chart(both: StrengthComparison) -> Any:
    """Chart what is believed of two players' strengths: two curves, and where they overlap."""
    alt = altair()
    players = (both.first, both.second)
    frame = pl.concat(
        pl.DataFrame(
            {
                "strength": RATINGS,
                "density": p.posterior.probability / (RATINGS[1] - RATINGS[0]) * 100,
                "player": [p.name] * len(RATINGS),
            }
        )
        for p in players
    )
    seen = frame.filter(pl.col("density") > frame["density"].max() * 0.003)["strength"]  # type: ignore[operator]
    low, high = float(seen.min()), float(seen.max())  # type: ignore[arg-type]
    frame = frame.filter(pl.col("strength").is_between(low, high))
    area = (
        alt.Chart(frame)
        .mark_area(opacity=0.35, line=True)
        .encode(
            x=alt.X(
                "strength:Q",
                title="strength (rating points)",
                scale=alt.Scale(domain=(low, high), nice=False),
                axis=alt.Axis(format="d", grid=False),
            ),
            y=alt.Y("density:Q", title="probability for 100 points", stack=None, axis=alt.Axis(format="%")),
            color=_colours(alt, [p.name for p in players]),
        )
    )
    return dressed(area, f"{both.first.name} and {both.second.name}", both.lines()[2])


def _course(player: PlayerStrength) -> Any:
    alt = altair()
    games = sorted(player.by_game, key=lambda g: g.date)
    shared = 0.0 if player.company is None else player.company / len(games)
    curve = timeline(np.array([g.likelihood + shared for g in games]), Prior())
    rows = pl.DataFrame(
        [
            {
                "number": i,
                "strength": p.mean,
                "low": p.interval(player.confidence)[0],
                "high": p.interval(player.confidence)[1],
                "rating": g.rating,
                "date": g.date or "",
            }
            for i, (p, g) in enumerate(zip(curve, games, strict=True), 1)
        ],
        schema_overrides={"rating": pl.Float64},
    )
    ends = [*rows["low"], *rows["high"], *rows["rating"].drop_nulls()]
    scale = alt.Scale(domain=(50 * (min(ends) // 50), 50 * (max(ends) // 50 + 1)), nice=False)
    x = alt.X(
        "number:Q",
        title="game",
        scale=alt.Scale(domain=(1, len(games)), nice=False),
        axis=alt.Axis(format="d", tickMinStep=1, grid=False),
    )
    base = alt.Chart(rows)
    band = base.mark_area(color=PALETTE[0], opacity=0.18).encode(
        x=x, y=alt.Y("low:Q", title="rating points", scale=scale, axis=alt.Axis(format="d")), y2="high:Q"
    )
    names = ["strength from moves", "rating in the file"]
    parts = [rows.select("number", pl.col("strength").alias("value"), what=pl.lit(names[0]))]
    if rows["rating"].count():
        parts.append(
            rows.filter(pl.col("rating").is_not_null()).select(
                "number", pl.col("rating").alias("value"), what=pl.lit(names[1])
            )
        )
    there = names[: len(parts)]
    line = (
        alt.Chart(pl.concat(parts))
        .mark_line(strokeWidth=2.2)
        .encode(
            x=x,
            y=alt.Y("value:Q", scale=scale),
            color=alt.Color(
                "what:N",
                scale=alt.Scale(domain=there, range=[PALETTE[0], PALETTE[1]][: len(there)]),
                legend=alt.Legend(title=None, orient="top"),
            ),
            strokeDash=alt.StrokeDash(
                "what:N", scale=alt.Scale(domain=there, range=[[1, 0], [5, 3]][: len(there)]), legend=None
            ),
        )
    )
    dates = [g.date for g in games if g.date]
    when = f"; {dates[0]} to {dates[-1]}" if dates and dates[0] != dates[-1] else ""
    low, high = player.interval
    subtitle = [
        (
            f"All games together: {player.strength:.0f} ({low:.0f}–{high:.0f}); "
            f"{player.moves:,} moves in {player.games} games{when}."
        ),
        f"The band holds the strength with {player.confidence:.0%}; each game also informs its neighbours.",
    ]
    return dressed(band + line, f"{player.name}: strength from moves", subtitle)


def _beside(players: list[PlayerStrength], confidence: float) -> Any:
    alt = altair()
    shown = sorted(players[:MOST], key=lambda p: -p.strength)
    names = _labels(shown)
    frame = pl.DataFrame(
        [
            {
                "player": name,
                "strength": p.strength,
                "low": p.interval[0],
                "high": p.interval[1],
                "rating": p.rating,
            }
            for name, p in zip(names, shown, strict=True)
        ],
        schema_overrides={"rating": pl.Float64},
    )
    ends = [*frame["low"], *frame["high"], *frame["rating"].drop_nulls()]
    scale = alt.Scale(domain=(50 * (min(ends) // 50), 50 * (max(ends) // 50 + 1)), nice=False)
    y = alt.Y(
        "player:N", sort=names, title=None, axis=alt.Axis(labelLimit=260, ticks=False, labelFontSize=12)
    )
    rule = (
        alt.Chart(frame)
        .mark_rule(strokeWidth=6, color=PALETTE[0], opacity=0.3, strokeCap="round")
        .encode(
            y=y, x=alt.X("low:Q", title="rating points", scale=scale, axis=alt.Axis(format="d")), x2="high:Q"
        )
    )
    kinds = ["strength from moves", "rating in the file"]
    points = pl.concat(
        [
            frame.select("player", pl.col("strength").alias("value"), what=pl.lit(kinds[0])),
            frame.filter(pl.col("rating").is_not_null()).select(
                "player", pl.col("rating").alias("value"), what=pl.lit(kinds[1])
            ),
        ]
    )
    there = kinds[: points["what"].n_unique()]
    legend = alt.Legend(title=None, orient="top")
    marks = (
        alt.Chart(points)
        .mark_point(size=90, filled=True, opacity=1)
        .encode(
            y=y,
            x=alt.X("value:Q", scale=scale),
            color=alt.Color(
                "what:N", scale=alt.Scale(domain=there, range=[PALETTE[0], INK][: len(there)]), legend=legend
            ),
            shape=alt.Shape(
                "what:N",
                scale=alt.Scale(domain=there, range=["circle", "diamond"][: len(there)]),
                legend=legend,
            ),
        )
    )
    left = len(players) - len(shown)
    more = f" {left} more players are not drawn." if left > 0 else ""
    subtitle = f"Bars hold the strength with {confidence:.0%}.{more}"
    return dressed(rule + marks, "Strength from moves", subtitle).properties(
        width=WIDTH, height=max(STEP * len(shown), 3 * STEP)
    )


def _labels(players: list[PlayerStrength]) -> list[str]:
    return [f"{p.name} · {p.games} game{'' if p.games == 1 else 's'}" for p in players]


def _colours(alt: Any, names: list[str]) -> Any:
    return alt.Color(
        "player:N",
        scale=alt.Scale(domain=names, range=[PALETTE[0], PALETTE[1]]),
        legend=alt.Legend(title=None, orient="top", labelColor=MUTED),
    )


# Intrinsic ratings as a chart: each with both intervals, beside Elo and performance.

IPR_MOST = 40  # rows that a page has room for
IPR_STEP = 26  # pixels a row


def ipr_chart(report: IprReport) -> Any:
    """Chart the ratings, a row each: thick the interval of ±2σ, thin the actual one."""
    rows = report.rows.filter(pl.col("ipr").is_not_null())
    if not rows.height:
        raise UsageError("expected a rating to draw, found none", code="nothing-to-draw")
    left = rows.height - IPR_MOST
    first, last = report.calibration.ends
    # Only what is drawn: a column beside it may hold what no chart can read.
    shown = rows.head(IPR_MOST).select(
        pl.Series("label", _ipr_labels(report, rows.head(IPR_MOST))),
        "ipr",
        pl.col("low", "low_actual").fill_null(first),
        pl.col("high", "high_actual").fill_null(last),
        "elo",
        "performance",
    )
    alt = altair()
    order = shown["label"].to_list()
    y = alt.Y("label:N", sort=order, title=None, axis=alt.Axis(labelLimit=260, grid=True, ticks=False))
    measures = ["IPR", "Elo", "performance"]
    there = [
        m
        for m, c in zip(measures, ("ipr", "elo", "performance"), strict=True)
        if c in shown.columns and shown[c].count()
    ]
    colour = alt.Color(
        "measure:N",
        scale=alt.Scale(domain=measures, range=[PALETTE[0], INK, PALETTE[1]]),
        legend=alt.Legend(title=None, orient="top", values=there),
    )
    shape = alt.Shape(
        "measure:N",
        scale=alt.Scale(domain=measures, range=["circle", "diamond", "triangle-up"]),
        legend=alt.Legend(title=None, orient="top", values=there),
    )
    points = _points(shown)
    ends = [*points["value"], *shown["low_actual"], *shown["high_actual"]]
    low, high = min(ends), max(ends)
    x = alt.Scale(domain=(50 * (low // 50), 50 * (high // 50 + 1)), nice=False)
    base = alt.Chart(shown)
    thin = base.mark_rule(strokeWidth=1.5, color=PALETTE[0], opacity=0.6).encode(
        y=y, x=alt.X("low_actual:Q", title="rating", scale=x, axis=alt.Axis(format="d")), x2="high_actual:Q"
    )
    thick = base.mark_rule(strokeWidth=5, color=PALETTE[0], opacity=0.45).encode(
        y=y, x=alt.X("low:Q", scale=x), x2="high:Q"
    )
    marks = (
        alt.Chart(points)
        .mark_point(size=70, filled=True, opacity=1)
        .encode(y=y, x=alt.X("value:Q", scale=x), color=colour, shape=shape)
    )
    more = f" {left} more rows are not drawn." if left > 0 else ""
    subtitle = [
        f"Calibration {report.calibration.name}; {int(rows['moves'].sum()):,} moves.{more}",
        "Thick: ±2σ; thin: σ of the moves 1.4 times as wide, as the paper's trials found. Cut off at the line's marks.",
    ]
    return dressed(thin + thick + marks, "Intrinsic performance ratings", subtitle).properties(
        width=WIDTH, height=max(IPR_STEP * shown.height, 2 * IPR_STEP)
    )


def _ipr_labels(report: IprReport, rows: pl.DataFrame) -> list[str]:
    """Return what each row is called, no two alike."""
    result: list[str] = []
    for row in rows.to_dicts():
        name = " · ".join(str(row[b]) for b in report.by)
        same = sum(f == name or f.startswith(f"{name} (") for f in result)
        result.append(f"{name} ({same + 1})" if same else name)
    return result


def _points(shown: pl.DataFrame) -> pl.DataFrame:
    parts = [
        shown.select(
            "label", pl.col(column).cast(pl.Float64).alias("value"), pl.lit(measure).alias("measure")
        )
        for measure, column in (("Elo", "elo"), ("performance", "performance"), ("IPR", "ipr"))
        if column in shown.columns
    ]
    return pl.concat(parts).drop_nulls("value")


# The chart of `arpad ipr calibrate`: marks and line above, residuals below.

ABOVE, BELOW = 300, 130
MARGIN = 50  # points left and right of the outermost marks


def calibration_chart(calibration: Calibration) -> Any:
    """Chart the projected error of each mark with two standard errors, the line, and how far each mark is off it."""
    alt = altair()
    frame = _frame(calibration)
    ratings = [m.rating for m in calibration.marks]
    low, high = min(ratings) - MARGIN, max(ratings) + MARGIN
    reach = alt.Scale(domain=[low, high], nice=False)

    def across(title: str | None) -> Any:
        return alt.X("rating:Q", scale=reach, title=title, axis=alt.Axis(format="d", tickCount=12))

    colour = alt.Color(
        "marks:N",
        title=None,
        scale=alt.Scale(domain=["in the line", "outside"], range=[PALETTE[0], PALETTE[1]]),
        legend=alt.Legend(orient="top-right"),
    )
    base = alt.Chart(frame)
    ends = calibration.line
    line = alt.Chart(
        pl.DataFrame({"rating": [low, high], "ae": [ends.error(low), ends.error(high)]})
    ).mark_line(color=MUTED, strokeWidth=1.5)
    above = alt.layer(
        line.encode(
            x=across(None), y=alt.Y("ae:Q", title="projected average error AE_e", scale=alt.Scale(zero=False))
        ),
        base.mark_rule(strokeWidth=2, opacity=0.45).encode(
            x=across(None), y="ae_low:Q", y2="ae_high:Q", color=colour
        ),
        base.mark_circle(size=70, opacity=1).encode(x=across(None), y="ae_e:Q", color=colour),
    ).properties(width=WIDTH, height=ABOVE)
    zero = alt.Chart(pl.DataFrame({"at": [0.0]})).mark_rule(color=MUTED).encode(y="at:Q")
    below = alt.layer(
        zero,
        base.mark_rule(strokeWidth=2, opacity=0.45).encode(
            x=across("Elo"), y=alt.Y("off_low:Q", title="IPR − Elo"), y2="off_high:Q", color=colour
        ),
        base.mark_circle(size=70, opacity=1).encode(x=across("Elo"), y="residual:Q", color=colour),
    ).properties(width=WIDTH, height=BELOW)
    return dressed(
        alt.vconcat(above, below, spacing=12),
        f"Calibration {calibration.name}",
        [calibration.summary(), "Bars are two standard errors, the moves of a game taken together"],
        sized=False,
    )


def _frame(calibration: Calibration) -> pl.DataFrame:
    wide = 2 * pl.col("ae_sigma")
    in_elo = wide * calibration.line.slope
    return calibration.table().with_columns(
        pl.when("in_line").then(pl.lit("in the line")).otherwise(pl.lit("outside")).alias("marks"),
        (pl.col("ae_e") - wide).alias("ae_low"),
        (pl.col("ae_e") + wide).alias("ae_high"),
        (pl.col("residual") - in_elo).alias("off_low"),
        (pl.col("residual") + in_elo).alias("off_high"),
    )
