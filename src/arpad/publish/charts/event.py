"""Charts of the Tournament App and of a greatness run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.errors import UsageError
from arpad.event.tournament_app.repair import LARGE
from arpad.publish.charts.style import HEIGHT, INK, MUTED, PALETTE, WIDTH, altair, dressed, placed, surnames

if TYPE_CHECKING:
    from arpad.event.tournament_app.report import AppReport
    from arpad.pool.greatness.run import Greatness
    from arpad.publish.charts.style import Box


# The chart of the Tournament App: P-Zero against rating, its line, residuals and flags.

CROWD, TALL = 20, 1.5  # players beyond whom only flagged ones are named, and how much higher their picture is
LONGEST = 18  # letters of a name beside a point
PIECE = 8.0  # pixels of the line that names are kept from at a time
EDGE = 0.06  # the share of the picture that is left free at every side
KINDS = {
    "in spec": (PALETTE[0], "circle"),
    "upward pressure": (PALETTE[2], "triangle-up"),
    "downward pressure": (PALETTE[3], "triangle-down"),
    "LR, large residual": (PALETTE[1], "diamond"),
}
"""Kinds of points: colour and shape."""


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


def later_chart(lists: pl.DataFrame) -> Any:
    """Draw χ² of later lists against the ratings after the event, with the thresholds of the test."""
    alt = altair()
    names = {"chi_square_pra": "after the event, PRA", "chi_square_elo": "unrepaired, Elo"}
    tests = {"lower": "lower threshold", "critical": "critical value"}
    rows = lists.unpivot(index="list", on=[*names, *tests], variable_name="line", value_name="chi_square")
    rows = rows.with_columns(pl.col("line").replace(names | tests)).drop_nulls()
    order = [*names.values(), *tests.values()]
    colours = alt.Scale(domain=order, range=[*PALETTE[:2], MUTED, INK])
    base = alt.Chart(rows).encode(
        x=alt.X("list:N", sort=lists["list"].to_list(), title="list"),
        y=alt.Y("chi_square:Q", title="χ²"),
        color=alt.Color("line:N", sort=order, scale=colours, title=None),
    )
    measured = alt.FieldOneOfPredicate("line", list(names.values()))
    points = base.transform_filter(measured).mark_point(filled=True)
    return dressed(base.mark_line() + points, title="Later lists against the ratings after the event")


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
        pl.when(pl.col("flag") == "LR")
        .then(pl.lit(large))
        .when(pl.col("flag") == "up")
        .then(pl.lit(upward))
        .when(pl.col("flag") == "down")
        .then(pl.lit(downward))
        .otherwise(pl.lit("in spec"))
    )


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
    ends = pl.DataFrame({"p_zero": list(x)}).with_columns(rating=fit.intercept + fit.slope * pl.col("p_zero"))
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
        altair()
        .Chart(rows)
        .mark_rule(strokeWidth=1, opacity=0.55)
        .encode(x=across, y=up, y2="line:Q", color=_colour(rows))
    )


def _points(rows: pl.DataFrame, across: Any, up: Any) -> Any:
    alt = altair()
    kinds = _present(rows)
    shape = alt.Shape(
        "kind:N", scale=alt.Scale(domain=kinds, range=[KINDS[k][1] for k in kinds]), legend=_legend()
    )
    size = 55 if rows.height <= CROWD else 30
    return (
        alt.Chart(rows)
        .mark_point(filled=True, size=size, opacity=1)
        .encode(x=across, y=up, color=_colour(rows), shape=shape)
    )


def _present(rows: pl.DataFrame) -> list[str]:
    return [kind for kind in KINDS if kind in rows["kind"].to_list()]


def _colour(rows: pl.DataFrame) -> Any:
    alt = altair()
    kinds = _present(rows)
    scale = alt.Scale(domain=kinds, range=[KINDS[k][0] for k in kinds])
    return alt.Color("kind:N", scale=scale, legend=_legend())


def _legend() -> Any:
    return altair().Legend(
        title=None, orient="bottom", labelColor=MUTED, labelFontSize=12, symbolOpacity=1, columnPadding=24
    )


def _names(
    rows: pl.DataFrame, x: tuple[float, float], y: tuple[float, float], height: float, across: Any, up: Any
) -> Any:
    """Name everybody in a small event and the flagged in a large one, where there is room."""
    alt = altair()
    wide, high = WIDTH / (x[1] - x[0]), height / (y[1] - y[0])
    points = [((p - x[0]) * wide, (r - y[0]) * high) for p, r in rows.select("p_zero", "rating").iter_rows()]
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
        (x - 1, x + 1, min(own, level), max(own, level)) for (x, own), level in zip(points, line, strict=True)
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


# The chart of a greatness run: G-scores over the years, and below them the strength of events.

WIDE, HIGH, LOW = 900, 400, 200  # Pixels: a century and a half needs more room than an event
NAMED, STRONG = 14, 4  # performances, and events, that are named if there is room
MARK = "*"  # behind a name: to be read with caution
NARROW = 20.0  # the least span of an axis: a single event needs no hundredths
LETTER, LINE, GAP = 6.0, 14.0, 8.0
"""Pixels that a letter is wide, that a line of words is high, and from a point to its name."""
WITH_CAUTION = f". {MARK} and faint: to be read with caution"


def greatness_chart(found: Greatness, *, failed: bool = False) -> Any:
    """Chart G against the year, and tournament strength below."""
    alt = altair()
    great = found.table(failed=failed).filter(pl.col("year").is_not_null())
    strong = found.strengths(failed=failed).filter(pl.col("year").is_not_null())
    if strong.is_empty():
        raise UsageError("there is nothing to draw: no event of a known year has ratings and a number two")
    years = pl.concat([great["year"], strong["year"]])
    first, last = int(years.min()), int(years.max())  # type: ignore[arg-type]
    room = max(2.0, 0.02 * (last - first))
    x = alt.X(
        "year:Q",
        title=None,
        axis=alt.Axis(format="d", tickMinStep=1, grid=False),
        scale=alt.Scale(domain=(first - room, last + room), nice=False),
    )
    span = (first - room, last + room)
    sources = sorted(s for s in strong["ratings"].unique().to_list() if s)
    colour = alt.Color(
        "ratings:N",
        title="ratings from",
        scale=alt.Scale(domain=sources, range=PALETTE),
        legend=alt.Legend(orient="bottom", symbolOpacity=1, titleColor=MUTED, titleFontWeight="normal"),
    )
    upper = _panel(great, "g_score", "G-score", x, span, HIGH, NAMED, colour)
    lower = _panel(strong, "strength", "tournament strength", x, span, LOW, STRONG, colour)
    marked = bool((great["caution"] != "").any() or (strong["caution"] != "").any())
    return dressed(
        alt.vconcat(upper, lower, spacing=22),
        "Great performances and strong events",
        _subtitle(great.height, strong.height, first, last) + (WITH_CAUTION if marked else ""),
        sized=False,
    )


def _subtitle(great: int, strong: int, first: int, last: int) -> str:
    performances = f"{great:,} performance{'' if great == 1 else 's'}"
    events = f"{strong:,} event{'' if strong == 1 else 's'}"
    return f"{performances} in {events}, {first if first == last else f'{first}–{last}'}"


def _panel(
    rows: pl.DataFrame,
    by: str,
    title: str,
    x: Any,
    span: tuple[float, float],
    high: int,
    named: int,
    colour: Any,
) -> Any:
    alt = altair()
    values = rows[by].to_numpy()
    low, top = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    if top - low < NARROW:
        low, top = (low + top - NARROW) / 2, (low + top + NARROW) / 2
    margin = 0.06 * (top - low)
    head = margin * (1.8 if by == "g_score" else 3.5)
    scale = alt.Scale(domain=(low - margin, top + head), nice=False)
    y = alt.Y(f"{by}:Q", title=title, scale=scale)
    base = alt.Chart(rows.select("year", by, "ratings", faint=pl.col("caution") != ""))
    dots = base.mark_circle(size=16, clip=True).encode(
        x=x, y=y, color=colour, opacity=alt.condition(alt.datum.faint, alt.value(0.15), alt.value(0.35))
    )
    labels = _labels(rows, by, span, (low - margin, top + head), high, named)
    marks = (
        alt.Chart(labels)
        .mark_circle(size=34)
        .encode(
            x=x, y=y, color=colour, opacity=alt.condition(alt.datum.faint, alt.value(0.4), alt.value(1.0))
        )
    )
    layers = [dots, marks]
    for side, sign in (("left", GAP), ("right", -GAP)):
        text = alt.Chart(labels.filter(pl.col("align") == side)).encode(x=x, y=y, text="label:N")
        layers += [
            text.mark_text(
                align=side, dx=sign, fontSize=11, stroke="white", strokeWidth=3.5, strokeJoin="round"
            ),
            text.mark_text(align=side, dx=sign, fontSize=11, color=INK),
        ]
    if by == "strength" and low < 100 < top:
        rule = alt.Chart(pl.DataFrame({by: [100.0]})).mark_rule(strokeDash=[3, 4], color=MUTED)
        layers.insert(0, rule.encode(y=y))
    return alt.layer(*layers).properties(width=WIDE, height=high)


def _labels(
    rows: pl.DataFrame, by: str, span: tuple[float, float], limits: tuple[float, float], high: int, named: int
) -> pl.DataFrame:
    """Return the best, named on the side where there is room; a name that would cover another is left out."""
    across, up = WIDE / (span[1] - span[0]), high / (limits[1] - limits[0])
    taken: list[tuple[float, float, float]] = []
    result = []
    for row in rows.sort(by, descending=True, maintain_order=True).iter_rows(named=True):
        words = _greatness_chart_words(row) + (f" {MARK}" if row["caution"] else "")
        at, height, wide = (row["year"] - span[0]) * across, row[by] * up, LETTER * len(words)
        for align, begin in (("left", at + GAP), ("right", at - GAP - wide)):
            box = (min(begin, at - GAP), max(begin + wide, at + GAP), height)
            if begin >= 0 and begin + wide <= WIDE and not any(_touch(box, other) for other in taken):
                taken.append(box)
                result.append(
                    {
                        "year": row["year"],
                        by: row[by],
                        "label": words,
                        "align": align,
                        "ratings": row["ratings"],
                        "faint": bool(row["caution"]),
                    }
                )
                break
        if len(result) == named:
            break
    words_of = dict.fromkeys(("label", "align", "ratings"), pl.String)
    schema = {"year": pl.Int64, by: pl.Float64, **words_of, "faint": pl.Boolean}
    return pl.DataFrame(result, schema=schema)


def _touch(one: tuple[float, float, float], other: tuple[float, float, float]) -> bool:
    return one[0] < other[1] and other[0] < one[1] and abs(one[2] - other[2]) < LINE


def _greatness_chart_words(row: dict[str, Any]) -> str:
    event, _, pair = str(row["event"]).partition(": ")
    year = "" if str(row["year"]) in event else f" {row['year']}"
    if "player" not in row:
        return f"{pair} {row['year']}" if pair else event + year
    surname = str(row["player"]).split(",")[0]
    others = [name for name in pair.split(" – ") if name != surname] if pair else []
    return f"{surname} – {others[0]} {row['year']}" if others else f"{surname}, {event}{year}"
