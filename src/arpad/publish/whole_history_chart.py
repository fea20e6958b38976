"""The chart of whole-history curves: a line and its uncertainty for each player, named at its end."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.publish.chart_style import PALETTE, altair, dressed
from arpad.publish.history_chart import HIGH, WIDE, places

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from arpad.rate.whole_history import WholeHistory

__all__ = ["whole_history_chart"]

FINE = 300
"""Places along the chart at which a curve is drawn at least."""

SILENCE = 1100
"""Days without a game after which a line is thin: what it shows there rests on the games around."""

FAR = 250
"""Points beyond the highest and lowest line that bands are shown."""

EPOCH, YEAR = 1970.0, 365.2425
"""The year from which days are counted, and how many it has."""


def whole_history_chart(found: WholeHistory, players: Sequence[str]) -> Any:
    """Chart the curves of some players, with one standard error to each side."""
    if not players:
        raise UsageError("expected at least one player to draw, found none")
    alt = altair()
    frame = _frame(found, players)
    across = _across(frame)
    low, high = _edges(frame)
    ends = places(frame, across, (low, high))
    ends = ends.with_columns(pl.Series(c, _days(ends[c].to_numpy())) for c in ("end", "at"))
    colours = [PALETTE[i % len(PALETTE)] for i in range(len(players))]
    colour = alt.Color(
        "player:N", legend=None, scale=alt.Scale(domain=list(players), range=colours)
    )
    edges = [str(day) for day in _days(np.array(across))]
    x = alt.X("date:T", title=None, axis=alt.Axis(grid=False), scale=alt.Scale(type="utc", domain=edges))  # fmt: skip
    scale = alt.Scale(domain=(low, high), nice=False)
    y = alt.Y("rating:Q", title="rating", axis=alt.Axis(format="d"), scale=scale)
    lines = alt.Chart(frame)
    bands = lines.mark_area(opacity=0.14, clip=True).encode(
        x=x, y=alt.Y("low:Q", scale=scale), y2="high:Q", color=colour
    )
    thin = lines.mark_line(strokeWidth=1, strokeDash=[2, 4], opacity=0.7, clip=True).encode(
        x=x, y=y, color=colour
    )
    strokes = (
        alt.Chart(frame.filter(pl.col("piece") >= 0))
        .mark_line(strokeWidth=2.2, clip=True)
        .encode(x=x, y=y, color=colour, detail="piece:N")
    )
    dots = (
        alt.Chart(ends)
        .mark_point(size=34, filled=True, opacity=1)
        .encode(x="end:T", y="height:Q", color=colour)
    )
    text = alt.Chart(ends).encode(x="at:T", y="place:Q", text="label:N")
    halo = text.mark_text(
        align="left", fontSize=12, stroke="white", strokeWidth=4, strokeJoin="round"
    )
    words = text.mark_text(align="left", fontSize=12).encode(color=colour)
    chart = dressed(bands + thin + strokes + dots + halo + words, _title(players), _subtitle(found))
    return chart.properties(width=WIDE, height=HIGH)


def _frame(found: WholeHistory, players: Sequence[str]) -> pl.DataFrame:
    """Return all curves with their bands; `year` is the date as a number."""
    spans = [found.curve(player)["date"] for player in players]
    days = max(dates[-1] for dates in spans) - min(dates[0] for dates in spans)
    step = max(1, days.days // FINE)
    return pl.concat(_line(player, found.curve(player, step=step)) for player in players)


def _line(player: str, curve: pl.DataFrame) -> pl.DataFrame:
    """Return one curve with its band; `piece` counts the parts between long silences, −1 inside one."""
    days = curve["date"].to_physical().to_numpy()
    played = days[curve["games"].to_numpy() > 0]
    before = np.searchsorted(played, days, side="right") - 1
    silent = np.diff(played, append=played[-1]) > SILENCE
    piece = np.r_[0, np.cumsum(silent)][before]
    return curve.select(
        pl.lit(player).alias("player"),
        "date",
        "rating",
        (pl.col("rating") - pl.col("error")).alias("low"),
        (pl.col("rating") + pl.col("error")).alias("high"),
        pl.Series("year", days / YEAR + EPOCH),
        pl.Series("piece", np.where(silent[before] & (days > played[before]), -1, piece)),
    )


def _across(frame: pl.DataFrame) -> tuple[float, float]:
    """Return the first and last year shown, with room for names."""
    year = frame["year"].to_numpy()
    first, last = float(year.min()), float(year.max())
    room = max(0.02, (last - first) * 0.03)
    return first - room, last + room


def _edges(frame: pl.DataFrame) -> tuple[float, float]:
    """Return the lowest and highest rating shown: the lines whole, and most of their bands."""
    rating = frame["rating"].to_numpy()
    low = max(float(frame["low"].to_numpy().min()), float(rating.min()) - FAR)
    high = min(float(frame["high"].to_numpy().max()), float(rating.max()) + FAR)
    return low - 10, high + 10


def _days(years: NDArray[np.float64]) -> list[date]:
    """Return the dates that numbers of years stand for; those of the calendar: months may be counted from 1."""
    first, last = date.min.toordinal(), date.max.toordinal()
    numbers = date(1970, 1, 1).toordinal() + np.round((years - EPOCH) * YEAR)
    return [date.fromordinal(int(n)) for n in np.clip(numbers, first, last)]


def _title(players: Sequence[str]) -> str:
    short = [n.split(",", maxsplit=1)[0] for n in players]
    return "Ratings of the whole history" + (
        f": {', '.join(short[:-1])} and {short[-1]}" if 1 < len(short) <= 4 else ""
    )


def _subtitle(found: WholeHistory) -> str:
    p = found.parameters
    return f"{found.source['games']:,} games at once, w² = {p['w2']:g} points² a day; bands are one standard error"
