"""The chart of the Tournament App: P-Zero against rating, its line, residuals and flags."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.event.app.flags import LARGE
from arpad.publish.chart_style import HEIGHT, INK, MUTED, PALETTE, WIDTH, altair, dressed
from arpad.publish.labels import placed, surnames

if TYPE_CHECKING:
    from arpad.event.app import AppReport
    from arpad.publish.labels import Box

__all__ = ["fit_chart"]

CROWD, TALL = 20, 1.5
"""Players beyond whom only flagged ones are named, and how much higher their picture is."""
LONGEST = 18
"""Letters of a name beside a point."""
PIECE = 8.0
"""Pixels of the line that names are kept from at a time."""
EDGE = 0.06
"""The share of the picture that is left free at every side."""
KINDS = {
    "in spec": (PALETTE[0], "circle"),
    "upward pressure": (PALETTE[2], "triangle-up"),
    "downward pressure": (PALETTE[3], "triangle-down"),
    "LR, large residual": (PALETTE[1], "diamond"),
}
"""How the points look: by colour and by shape."""


def fit_chart(found: AppReport, *, title: str | None = None) -> Any:
    """Draw the rating of every player over his P-Zero, the line, and the residuals."""
    alt = altair()
    rows = _rows(found)
    height = HEIGHT * (TALL if rows.height > CROWD else 1)
    x = _reach(rows["p_zero"])
    y = _reach(pl.concat([rows["rating"], rows["line"] - LARGE, rows["line"] + LARGE]))
    across = alt.X("p_zero:Q", title="P-Zero", scale=_scale(x))
    up = alt.Y("rating:Q", title="rating", scale=_scale(y), axis=alt.Axis(format="d"))
    layers = [
        *_lines(found, x, y, across, up),
        _strokes(rows, across, up),
        _points(rows, across, up),
        _names(rows, x, y, height, across, up),
    ]
    chart = alt.layer(*layers).properties(width=WIDTH, height=height)
    return dressed(chart, title or f"{found.name}: ratings and results", _words(found), sized=False)


def _rows(found: AppReport) -> pl.DataFrame:
    """Return the players on the chart: those with a rating who played, with their place on the line."""
    fit = found.fit
    assert fit is not None
    return (
        found.players.filter(pl.col("residual").is_not_null())
        .select("name", "rating", "p_zero", "residual", kind=_kind())
        .with_columns(line=fit.intercept + fit.slope * pl.col("p_zero"))
    )


def _kind() -> pl.Expr:
    upward, downward, large = list(KINDS)[1:]
    return (
        pl.when(pl.col("flag") == "LR").then(pl.lit(large))
        .when(pl.col("flag") == "up").then(pl.lit(upward))
        .when(pl.col("flag") == "down").then(pl.lit(downward))
        .otherwise(pl.lit("in spec"))
    )  # fmt: skip


def _reach(values: pl.Series) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())  # type: ignore[arg-type]
    free = EDGE * (high - low) or 1.0
    return low - free, high + free


def _scale(reach: tuple[float, float]) -> Any:
    return altair().Scale(domain=reach, nice=False, zero=False)


def _lines(
    found: AppReport, x: tuple[float, float], y: tuple[float, float], across: Any, up: Any
) -> list[Any]:
    alt = altair()
    fit = found.fit
    assert fit is not None
    ends = pl.DataFrame({"p_zero": list(x)}).with_columns(
        rating=fit.intercept + fit.slope * pl.col("p_zero")
    )
    band = ends.with_columns(low=pl.col("rating") - LARGE, high=pl.col("rating") + LARGE)
    grey = (
        alt.Chart(band)
        .mark_area(color=PALETTE[0], opacity=0.08, clip=True)
        .encode(x=across, y=alt.Y("low:Q", scale=_scale(y), title="rating"), y2="high:Q")
    )
    line = alt.Chart(ends).mark_line(color=INK, strokeWidth=1.5, clip=True).encode(x=across, y=up)
    if not fit.flipped:
        return [grey, line]
    middle, level = fit.centroid
    turned = ends.with_columns(rating=level - fit.slope * (pl.col("p_zero") - middle))
    dashes = alt.Chart(turned).mark_line(color=MUTED, strokeWidth=1.5, strokeDash=[5, 4], clip=True)
    return [grey, line, dashes.encode(x=across, y=up)]


def _strokes(rows: pl.DataFrame, across: Any, up: Any) -> Any:
    return (
        altair().Chart(rows).mark_rule(strokeWidth=1, opacity=0.55)
        .encode(x=across, y=up, y2="line:Q", color=_colour(rows))
    )  # fmt: skip


def _points(rows: pl.DataFrame, across: Any, up: Any) -> Any:
    alt = altair()
    kinds = _present(rows)
    shape = alt.Shape(
        "kind:N",
        scale=alt.Scale(domain=kinds, range=[KINDS[k][1] for k in kinds]),
        legend=_legend(),
    )
    size = 55 if rows.height <= CROWD else 30
    return (
        alt.Chart(rows).mark_point(filled=True, size=size, opacity=1)
        .encode(x=across, y=up, color=_colour(rows), shape=shape)
    )  # fmt: skip


def _present(rows: pl.DataFrame) -> list[str]:
    return [kind for kind in KINDS if kind in rows["kind"].to_list()]


def _colour(rows: pl.DataFrame) -> Any:
    alt = altair()
    kinds = _present(rows)
    scale = alt.Scale(domain=kinds, range=[KINDS[k][0] for k in kinds])
    return alt.Color("kind:N", scale=scale, legend=_legend())


def _legend() -> Any:
    return altair().Legend(
        title=None,
        orient="bottom",
        labelColor=MUTED,
        labelFontSize=12,
        symbolOpacity=1,
        columnPadding=24,
    )


def _names(
    rows: pl.DataFrame,
    x: tuple[float, float],
    y: tuple[float, float],
    height: float,
    across: Any,
    up: Any,
) -> Any:
    """Name everybody in a small event and the flagged in a large one, where there is room."""
    alt = altair()
    wide, high = WIDTH / (x[1] - x[0]), height / (y[1] - y[0])
    points = [
        ((p - x[0]) * wide, (r - y[0]) * high)
        for p, r in rows.select("p_zero", "rating").iter_rows()
    ]
    names = [_shortened(name) for name in surnames(rows["name"].to_list())]
    kinds = rows["kind"].to_list()
    off = rows["residual"].fill_null(0.0).abs().to_list()
    wanted = [i for i in range(rows.height) if rows.height <= CROWD or kinds[i] != "in spec"]
    wanted.sort(key=lambda i: (kinds[i] == "in spec", -off[i]))
    line = [(level - y[0]) * high for level in rows["line"]]
    labels = placed(
        points,
        [(i, names[i]) for i in wanted],
        width=WIDTH,
        height=height,
        lines=_strokes_and_line(points, line),
    )
    frame = pl.DataFrame(
        {
            "p_zero": [x[0] + label.x / wide for label in labels],
            "rating": [y[0] + label.y / high for label in labels],
            "text": [label.text for label in labels],
            "kind": [kinds[label.point] for label in labels],
            "align": [label.align for label in labels],
        },
        schema={
            "p_zero": pl.Float64,
            "rating": pl.Float64,
            **dict.fromkeys(("text", "kind", "align"), pl.String),
        },
    )
    text = alt.Chart(frame).mark_text(align=alt.expr("datum.align"), baseline="middle", fontSize=11)
    colour = alt.when(alt.datum.kind == "in spec").then(alt.value(MUTED)).otherwise(_colour(rows))
    return text.encode(x=across, y=up, text="text:N", color=colour)


def _strokes_and_line(points: list[tuple[float, float]], line: list[float]) -> list[Box]:
    """Return the boxes of what names should not cover: strokes, and the line in short pieces."""
    boxes = [
        (x - 1, x + 1, min(own, level), max(own, level))
        for (x, own), level in zip(points, line, strict=True)
    ]
    (low, first), (far, last) = (
        pick((x, at) for (x, _), at in zip(points, line, strict=True)) for pick in (min, max)
    )
    rise = (last - first) / (far - low) if far > low else 0.0
    for step in range(int(WIDTH / PIECE)):
        x = step * PIECE
        at = first + rise * (x - low)
        boxes.append((x, x + PIECE, at - PIECE / 4, at + PIECE / 4))
    return boxes


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def _words(found: AppReport) -> str:
    fit = found.fit
    assert fit is not None
    relation = ">" if fit.chi_square > fit.critical else "≤"
    verdict = "passed" if fit.passed else "failed"
    turned = "; dashed: turned round for performances" if fit.flipped else ""
    return (
        f"r = {fit.r:.2f}; χ² = {fit.chi_square:.3f} {relation} {fit.critical:.3f}, {fit.degrees} degrees of freedom: "
        f"{verdict}; band: ± {LARGE:g} points{turned}"
    )
