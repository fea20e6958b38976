"""Charts of ratings: over games, and the best of a list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.publish.chart_style import HEIGHT, PALETTE, altair, dressed, save, svg

if TYPE_CHECKING:
    from arpad.model import Games, Ratings
    from arpad.rate.elo import Elo

__all__ = ["paths", "rating_paths", "save", "svg", "top_ratings"]

LABEL_HEIGHT = 15.0
"""Pixels that a name at the end of a line needs."""


def paths(system: Elo, games: Games, before: Ratings | None = None) -> pl.DataFrame:
    """Return each player's rating before the first game and after every game."""
    names = games.players["name"].to_list()
    rows: list[tuple[str, int, float]] = []
    current: dict[int, float] = {}
    played: dict[int, int] = {}
    for step in system.steps(games, before):
        p = step.player
        if p not in played:
            played[p] = 0
            current[p] = step.rating
            rows.append((names[p], 0, step.rating))
        played[p] += 1
        current[p] += step.change
        rows.append((names[p], played[p], current[p]))
    schema = {"player": pl.String, "game": pl.Int64, "rating": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def rating_paths(frame: pl.DataFrame, *, title: str, subtitle: str = "") -> Any:
    """Chart ratings over games, one line a player, named at its end."""
    alt = altair()
    low, high = float(frame["rating"].min()), float(frame["rating"].max())  # type: ignore[arg-type]
    room = max(high - low, 1.0) * 0.08
    domain = (low - room, high + room)
    last = int(frame["game"].to_numpy().max())
    ends = _apart(frame.sort("game").group_by("player", maintain_order=True).last(), domain)
    colour = alt.Color(
        "player:N", legend=None, scale=alt.Scale(range=PALETTE), sort=ends["player"].to_list()
    )
    y = alt.Y(
        "rating:Q",
        title="rating",
        axis=alt.Axis(format="d"),
        scale=alt.Scale(domain=domain, nice=False),
    )
    x = alt.X(
        "game:Q", title="games played", axis=alt.Axis(tickMinStep=1, format="d"),
        scale=alt.Scale(domain=(0, last), nice=False),
    )  # fmt: skip
    lines = (
        alt.Chart(frame)
        .mark_line(point=alt.OverlayMarkDef(size=34), strokeWidth=2)
        .encode(x=x, y=y, color=colour)
    )
    labels = (
        alt.Chart(ends)
        .mark_text(align="left", dx=9, fontSize=12)
        .encode(x="game:Q", y=alt.Y("place:Q"), text="label:N", color=colour)
    )
    return dressed(lines + labels, title, subtitle)


def top_ratings(ratings: Ratings, *, top: int = 20, title: str, subtitle: str = "") -> Any:
    """Chart the best ratings with one standard deviation to each side."""
    alt = altair()
    frame = ratings.rows.filter(pl.col("rating").is_not_null()).head(top)
    if "error" not in frame.columns:
        frame = frame.with_columns(pl.lit(0.0).alias("error"))
    frame = frame.with_columns(
        (pl.col("rating") - pl.col("error")).alias("low"),
        (pl.col("rating") + pl.col("error")).alias("high"),
        pl.concat_str("rank", pl.lit(". "), "player").alias("who"),
    )
    order = frame["who"].to_list()
    y = alt.Y("who:N", sort=order, title=None, axis=alt.Axis(labelLimit=240))
    base = alt.Chart(frame)
    bars = base.mark_rule(strokeWidth=2, color="#9bbcf2").encode(
        x=alt.X(
            "low:Q",
            title="rating, with one standard deviation to each side",
            axis=alt.Axis(format="d", labelOverlap=True),
            scale=alt.Scale(zero=False),
        ),
        x2="high:Q",
        y=y,
    )
    dots = base.mark_circle(size=60, color=PALETTE[0], opacity=1).encode(x="rating:Q", y=y)
    chart = dressed(bars + dots, title, subtitle)
    return chart.properties(height=max(120, 22 * frame.height))


def _apart(ends: pl.DataFrame, domain: tuple[float, float]) -> pl.DataFrame:
    """Move the names at the ends of lines so far apart that they can be read."""
    gap = LABEL_HEIGHT * (domain[1] - domain[0]) / HEIGHT
    ends = ends.sort("rating", descending=True)
    places: list[float] = []
    for rating in ends["rating"]:
        places.append(min(rating, places[-1] - gap) if places else rating)
    # Names that were pushed below the frame push the others up again.
    for i in range(len(places) - 1, -1, -1):
        floor = domain[0] + gap / 2 if i == len(places) - 1 else places[i + 1] + gap
        places[i] = max(places[i], floor)
    return ends.with_columns(
        pl.Series("place", places),
        pl.format("{}  {}", "player", pl.col("rating").round(0).cast(pl.Int64)).alias("label"),
    )
