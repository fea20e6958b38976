"""A live estimate as a line, as JSON, or as a table that is drawn again and again."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from arpad.cli.gain_shown import figure

if TYPE_CHECKING:
    from arpad.moves.live import LiveEstimate, LiveSide

__all__ = ["json_line", "table", "text_line"]


def text_line(now: LiveEstimate) -> str:
    """Return one line: the move, its evaluation and gain, and both players' points to the engine.

    Examples
    --------
    >>> from arpad.moves.live import LiveGame
    >>> game = LiveGame(values=(13.0,)).after(12.0, "Nf3").after(12.0, "Nf6")
    >>> text_line(game.estimate())
    '1...  Nf6         .12  gain     .00 | White      −∞ | Black       0'
    """
    sides = " | ".join(_side(s) for s in now.sides)
    evaluation = figure(now.evaluation, 2) or "?"
    gain = figure(now.gain, 2) or "?"
    return f"{now.number:<5} {now.move or '':<8} {evaluation:>6}  gain {gain:>7} | {sides}"


def _side(side: LiveSide) -> str:
    points = figure(side.points(side.expected), 0, signed=True) or "?"
    text = f"{side.name} {points:>7}"
    low, high = (figure(side.points(p), 0) for p in (side.expected_low, side.expected_high))
    if low or high:
        text += f" ({low} … {high})"
    if side.engine_rating is not None and side.expected is not None:
        text += f" = {figure(side.engine_rating + (side.points(side.expected) or 0.0), 0)}"
    return text


def json_line(now: LiveEstimate) -> str:
    """Return everything on one line of JSON."""
    from arpad.moves.expected import difference
    from arpad.publish import jsonout

    pair: dict[str, Any] = {"player": now.sides[0].name, "opponent": now.sides[1].name}
    for end, p in (("", now.expected), ("_low", now.expected_low), ("_high", now.expected_high)):
        pair[f"expected{end}"] = p
        pair[f"difference{end}"] = None if p is None else float(difference(p))
    document = {
        "ply": now.ply,
        "number": now.number,
        "move": now.move,
        "evaluation": now.evaluation,
        "gain": now.gain,
        "players": [_plain(s.as_dict()) for s in now.sides],
        "pair": _plain(pair),
    }
    return jsonout.line(document)


def _plain(figures: dict[str, Any]) -> dict[str, Any]:
    def number(value: Any) -> Any:
        if isinstance(value, float) and math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        return round(value, 6) if isinstance(value, float) else value

    return {k: number(v) for k, v in figures.items()}


def table(now: LiveEstimate, confidence: float) -> Any:
    """Return the table that a terminal shows in one place."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    share = f"{100 * confidence:g} %"
    strengths = now.sides[0].engine_rating is not None
    title = f"{now.number} {now.move or ''}  evaluation {figure(now.evaluation, 2) or '?'}  gain {figure(now.gain, 2) or '?'}"
    shown = Table(
        title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False, show_edge=False
    )
    shown.add_column("player")
    for name in (
        "moves",
        "gain",
        "vs engine",
        "points",
        share,
        *(["strength"] if strengths else []),
    ):
        shown.add_column(name, justify="right")
    for side in now.sides:
        low, high = (figure(side.points(p), 0) for p in (side.expected_low, side.expected_high))
        cells = [
            side.name,
            str(side.moves),
            figure(side.mean_gain, 3, signed=True),
            figure(side.expected, 3),
            figure(side.points(side.expected), 0, signed=True),
            f"{low} … {high}" if low or high else "too few moves",
        ]
        if strengths and side.expected is not None and side.engine_rating is not None:
            cells.append(figure(side.engine_rating + (side.points(side.expected) or 0.0), 0))
        shown.add_row(*cells)
    return shown
