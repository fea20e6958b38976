"""Strength from moves as charts: one player's over time with its band, or several players side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.moves.strength.posterior import GRID as RATINGS
from arpad.moves.strength.posterior import Prior, timeline
from arpad.publish.charts.style import INK, MUTED, PALETTE, WIDTH, altair, dressed

if TYPE_CHECKING:
    from arpad.moves.strength.report import PlayerStrength, StrengthComparison, StrengthReport


MOST = 30
"""Players that a page has room for."""
STEP = 30
"""Pixels a player."""
COURSE = 4
"""Games from which a player's strength has a course."""


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
