"""The chart of lifetime curves: a line and its uncertainty for each player, named at its end [Elo 5.52]."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.publish.chart_style import PALETTE, altair, dressed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from arpad.pool.history import History

__all__ = ["HIGH", "WIDE", "lifetime_chart", "places"]

WIDE, HIGH = 860, 440
"""Pixels: a century and a half needs more room than an event."""

LETTER, LINE = 6.6, 15.0
"""Pixels that a letter of a name is wide, and that a name is high."""

DISTANCE = 7.0
"""Pixels from the end of a line to its name."""

COVERED, CROSSED, REACH = 1000.0, 40.0, 60
"""Pixels that a name would rather move than cover another name, or a line; steps that it may move."""

SILENCE = 5
"""Years without a game after which a line is broken."""


def lifetime_chart(lives: Mapping[str, pl.DataFrame], history: History) -> Any:
    """Chart lifetime curves with one standard error to each side."""
    alt = altair()
    frame = pl.concat(_pieces(name, life) for name, life in lives.items())
    low, high = _edges(frame)
    first, last = int(frame["year"].to_numpy().min()), int(frame["year"].to_numpy().max())
    room = max(3.0, (last - first) * 0.03)
    ends = places(frame, (first - room, last + room), (low, high))
    colour = alt.Color(
        "player:N", legend=None, scale=alt.Scale(domain=list(lives), range=_colours(len(lives)))
    )
    x = alt.X(
        "year:Q", title=None, axis=alt.Axis(format="d", tickMinStep=1, grid=False),
        scale=alt.Scale(domain=(first - room, last + room), nice=False),
    )  # fmt: skip
    y = alt.Y(
        "rating:Q",
        title="rating",
        axis=alt.Axis(format="d"),
        scale=alt.Scale(domain=(low, high), nice=False),
    )
    played = alt.Chart(frame.filter(pl.col("piece") >= 0))
    parts = alt.Detail("piece:N")
    bands = played.mark_area(opacity=0.14, clip=True).encode(
        x=x,
        y=alt.Y("low:Q", scale=alt.Scale(domain=(low, high), nice=False)),
        y2="high:Q",
        color=colour,
        detail=parts,
    )
    lines = played.mark_line(strokeWidth=2.4, clip=True).encode(
        x=x, y=y, color=colour, detail=parts
    )
    gaps = alt.Chart(frame).mark_line(strokeWidth=1, strokeDash=[2, 4], opacity=0.6, clip=True).encode(
        x=x, y=y, color=colour
    )  # fmt: skip
    dots = (
        alt.Chart(ends)
        .mark_point(size=34, filled=True, opacity=1)
        .encode(x="end:Q", y="height:Q", color=colour)
    )
    text = alt.Chart(ends).encode(x="at:Q", y="place:Q", text="label:N")
    halo = text.mark_text(
        align="left", fontSize=12, stroke="white", strokeWidth=4, strokeJoin="round"
    )
    words = text.mark_text(align="left", fontSize=12).encode(color=colour)
    chart = dressed(
        gaps + bands + lines + dots + halo + words, _title(list(lives)), _subtitle(history)
    )
    return chart.properties(width=WIDE, height=HIGH)


def _colours(count: int) -> list[str]:
    return [PALETTE[i % len(PALETTE)] for i in range(count)]


def _pieces(name: str, life: pl.DataFrame) -> pl.DataFrame:
    """Return a curve with its band; `piece` counts the parts between long silences, −1 inside one."""
    years = life.filter(pl.col("games") > 0)["year"].to_list()
    piece = {}
    number = 0
    for before, after in zip(years, [*years[1:], years[-1]], strict=True):
        piece[before] = number
        if after - before > SILENCE:
            number += 1
        else:
            piece.update(dict.fromkeys(range(before, after), number))
    return life.with_columns(
        pl.lit(name).alias("player"),
        (pl.col("rating") - pl.col("error")).alias("low"),
        (pl.col("rating") + pl.col("error")).alias("high"),
        pl.Series("piece", [piece.get(year, -1) for year in life["year"]], dtype=pl.Int64),
    )


def _edges(frame: pl.DataFrame) -> tuple[float, float]:
    """Return the lowest and highest rating shown: the lines whole, and their bands as far as half a class."""
    played = frame.filter(pl.col("piece") >= 0)
    low = max(float(played["low"].to_numpy().min()), float(frame["rating"].to_numpy().min()) - 50)
    high = min(float(played["high"].to_numpy().max()), float(frame["rating"].to_numpy().max()) + 50)
    return low - 10, high + 10


def places(
    frame: pl.DataFrame, across: tuple[float, float], upright: tuple[float, float]
) -> pl.DataFrame:
    """Put each name beside the end of its line, moved until it covers as little as can be."""
    per_year, per_point = WIDE / (across[1] - across[0]), HIGH / (upright[1] - upright[0])
    lines = {
        str(name): _fine((life["year"].to_numpy() - across[0]) * per_year, (upright[1] - life["rating"].to_numpy()) * per_point)
        for (name,), life in frame.sort("year").group_by("player", maintain_order=True)
    }  # fmt: skip
    taken: list[_Box] = []
    rows = []
    for name in sorted(lines, key=lambda n: lines[n][0][-1]):
        label = name.split(",", maxsplit=1)[0]
        end_x, end_y = float(lines[name][0][-1]), float(lines[name][1][-1])
        boxes = _around(end_x, end_y, LETTER * len(label))
        chosen = min(boxes, key=lambda box: box[0] + _covered(box[1], lines, taken))[1]
        taken.append(chosen)
        rows.append(
            (name, across[0] + end_x / per_year, upright[1] - end_y / per_point,
             across[0] + chosen[0] / per_year, upright[1] - (chosen[2] + chosen[3]) / 2 / per_point, label)
        )  # fmt: skip
    numbers = dict.fromkeys(("end", "height", "at", "place"), pl.Float64)
    return pl.DataFrame(
        rows, schema={"player": pl.String, **numbers, "label": pl.String}, orient="row"
    )


_Box = tuple[float, float, float, float]
"""Left, right, top and bottom in pixels."""


def _fine(
    x: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return a line with so many points that none of it passes unseen between two."""
    steps = np.linspace(0, len(x) - 1, 8 * len(x))
    whole = np.arange(len(x))
    return np.interp(steps, whole, x), np.interp(steps, whole, y)


def _around(x: float, y: float, wide: float) -> list[tuple[float, _Box]]:
    """Return the places for a name around the end of its line, with what each costs, in pixels."""
    found = []
    for k in range(REACH):
        for move in (2.0 * k, -2.0 * k):
            for left, price in (
                (x + DISTANCE, 0.0),
                (x - wide / 2, 12.0),
                (x - DISTANCE - wide, 20.0),
            ):
                top = y + move - LINE / 2
                found.append((abs(move) + price, (left, left + wide, top, top + LINE)))
    return found


def _covered(box: _Box, lines: Mapping[str, Any], taken: list[_Box]) -> float:
    """Return what a place costs for the names and lines that it covers, or for leaving the picture."""
    left, right, top, bottom = box
    names = sum(left < b + 4 and a - 4 < right and top < d and c < bottom for a, b, c, d in taken)
    crossed = sum(
        bool(((x > left - 3) & (x < right + 3) & (y > top - 2) & (y < bottom + 2)).any())
        for x, y in lines.values()
    )
    return COVERED * (names + (top < 0) + (bottom > HIGH) + (left < 0)) + CROSSED * crossed


def _title(names: list[str]) -> str:
    short = [n.split(",", maxsplit=1)[0] for n in names]
    return "Lifetime ratings" + (
        f": {', '.join(short[:-1])} and {short[-1]}" if 1 < len(short) <= 4 else ""
    )


def _subtitle(history: History) -> str:
    p = history.parameters
    every = "every year" if p["step"] == 1 else f"every {p['step']} years"
    how = f"{p['window']}-year crosstables {every}"
    return f"{history.source['games']:,} games, {how}, linked by shared players; bands are one standard error; level: {p['level']}"
