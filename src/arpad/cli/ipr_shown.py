"""`arpad ipr` for people: the paper's tables 3 to 5 in form, with the lines below them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.cli.gain_shown import figure
from arpad.moves.intrinsic.averages import DEVIATION

if TYPE_CHECKING:
    from arpad.cli.ipr_games import AskedGames
    from arpad.moves.intrinsic.report import IprReport

__all__ = ["people"]

SHOWN_NOTES = 10

Row = dict[str, Any]


def people(report: IprReport, asked: AskedGames) -> list[object]:
    """Return what a person sees."""
    from arpad.publish.tables import rich_table

    notes = [*asked.notes(), *report.notes]
    shown = [f"Note: {n}." for n in notes[:SHOWN_NOTES]]
    if len(notes) > SHOWN_NOTES:
        shown = [
            *shown[:-1],
            f"… and {len(notes) - SHOWN_NOTES:,} notes more: --format json has them",
            f"Note: {notes[-1]}.",
        ]
    return [
        f"{report.summary()}.",
        _counted(report, asked),
        "",
        rich_table(_table(report)),
        "",
        *_explained(report),
        "",
        *shown,
    ]


def _table(report: IprReport) -> pl.DataFrame:
    lines = [_line(row, report) for row in report.rows.to_dicts()]
    below = [
        _line({**row, "moves": None}, report) | {"moves": _figure(row.get("moves"))}
        for row in report.averages.to_dicts()
    ]
    if report.rows.height > 1:
        below.append(_line(_whole(report), report))
    frame = pl.DataFrame([*lines, *below], schema=dict.fromkeys(lines[0], pl.String))
    right = [c for c in frame.columns if c not in report.by]
    frame = frame.with_columns(_right(frame[c]) for c in right)
    blank = [c for c in frame.columns if not any(str(v or "").strip() for v in frame[c])]
    return frame.drop(blank)


def _line(row: Row, report: IprReport) -> dict[str, str]:
    get = row.get
    first, *others = report.by
    share = get("mm")
    signed = get("name") != DEVIATION
    ipr = _figure(get("ipr"))
    if get("at_least") is not None:
        ipr = f"≥ {_figure(get('at_least'))}"
    return {
        first: str(get("name")),
        **{str(b): str(get(b) or "") for b in others},
        "games": _figure(get("games")),
        "moves": _figure(get("moves")),
        "MM %": _figure(None if share is None else 100 * share, 1),
        "AE": _figure(get("ae"), 3),
        "s": _figure(get("s"), 3),
        "c": _figure(get("c"), 3),
        "IPR": ipr,
        "±2σ": _range(get("low"), get("high")),
        "actual": _range(get("low_actual"), get("high_actual")),
        "cat.": _figure(get("category")),
        "Elo": _figure(get("elo")),
        "IPR−Elo": _figure(get("ipr_minus_elo"), signed=signed),
        "TPR": _figure(get("performance")),
        "IPR−TPR": _figure(get("ipr_minus_performance"), signed=signed),
        "gain": _figure(get("gain_estimate")),
        "accuracy": _figure(get("lichess_accuracy"), 1),
    }


def _whole(report: IprReport) -> Row:
    found = report.whole
    row: Row = {
        "name": "all moves in one run",
        "moves": found.moves,
        "mm": found.match_rate,
        "ae": found.error,
    }
    if found.rating is not None:
        rated = found.rating
        row |= {
            "s": rated.fit.s, "c": rated.fit.c, "ipr": rated.ipr, "low": rated.low, "high": rated.high,
            "low_actual": rated.low_actual, "high_actual": rated.high_actual,
        }  # fmt: skip
    return row


def _explained(report: IprReport) -> list[str]:
    actual, sigmas = report.parameters["actual"], report.parameters["sigmas"]
    level = report.parameters["gain_engine_rating"]
    lines = [
        "MM: moves that are the engine's first; AE: scaled average error; s, c: sensitivity and consistency, fitted to the moves;",
        f"±2σ: IPR ± {sigmas:g}σ as the model projects it; actual: σ {actual:g} times as wide, as the paper's trials found.",
    ]
    if "performance" in report.rows.columns and report.rows["performance"].count():
        lines.append("TPR: performance rating of the results, against opponents with ratings.")
    if level is not None:
        how = report.parameters["gain_engine_rating_from"]
        lines.append(
            f"gain: strength by gain per move, the engine at {level:.0f} ({how}); accuracy: Lichess's, over the moves evaluated."
        )
    return lines


def _counted(report: IprReport, asked: AskedGames) -> str:
    from arpad.moves.intrinsic.report_notes import WORDS

    taken = [f"{n:,} {WORDS.get(k, k)}" for k, n in report.left_out.items() if n]
    said = f"Not counted: {', '.join(taken)}." if taken else "Every move counts."
    alone = asked.answered.alone
    return said + (f" Outside the lines, searched alone: {alone:,}." if alone else "")


def _figure(value: float | None, digits: int = 0, *, signed: bool = False) -> str:
    return "" if value is None else figure(float(value), digits, signed=signed)


def _range(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{_figure(low)}–{_figure(high)}"


def _right(column: pl.Series) -> pl.Series:
    """Let figures stand right."""
    texts = [t or "" for t in column]
    wide = max(map(len, texts), default=0)
    return pl.Series(column.name, [t.rjust(wide) for t in texts], dtype=pl.String)
