"""Average error as charts: by turn number, advantage or year as lines, by player, game, event or category as dots.

Figures 2 and 3 of Regan, Macieja and Haworth 2012.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.errors import InputError
from arpad.publish.bands import banded, headroom
from arpad.publish.chart_style import HEIGHT, INK, MUTED, PALETTE, WIDTH, altair, dressed

if TYPE_CHECKING:
    from arpad.moves.error_groups import ErrorGroups

__all__ = ["LEAST", "error_chart"]

LEAST = 50
"""Moves below which a point of a line is mostly chance, and is not drawn."""
MOST = 30
"""Dots that a page has room for."""
ROW = 22
MOST_TICKS = 14
CONTROL = 40
"""The move at which the first time control stands."""
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
        raise InputError(
            f"expected groups of at least {least} moves to draw, found none: give more games"
        )
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
        )  # fmt: skip
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
        "at:Q",
        title=LINES[groups.by],
        axis=axis,
        scale=alt.Scale(zero=False, nice=False, padding=12),
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
    if rows.height > MOST:
        rows = rows.with_row_index("row").sort("moves", descending=True, maintain_order=True).head(MOST).sort("row")  # fmt: skip
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
                "low:Q",
                title=title,
                scale=alt.Scale(zero=True),
                axis=alt.Axis(tickCount=5, labelFlush=False),
            ),
            x2="high:Q",
            y=y,
        )
        dot = base.mark_circle(size=60, opacity=1, color=PALETTE[number]).encode(x="value:Q", y=y)
        panels.append(
            (limits + dot).properties(width=WIDTH * 0.45, height=max(60, ROW * rows.height))
        )
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
