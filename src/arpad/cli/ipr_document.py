"""`arpad ipr` for programs: JSON and CSV."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from arpad.cli.ipr_games import AskedGames
    from arpad.moves.intrinsic.report import IprReport

__all__ = ["document", "rows"]

DIGITS = {"mm": 4, "ae": 5, "ae_raw": 4, "s": 5, "c": 5, "ae_e": 5, "gain": 4}
"""Decimals of figures that are not points; points have one."""
POINTS = 1


def rows(report: IprReport) -> pl.DataFrame:
    """Return the table, for CSV."""
    return report.rows.with_columns(
        pl.col(name).round(DIGITS.get(name, POINTS))
        for name, kind in report.rows.schema.items()
        if kind == pl.Float64
    )


def document(report: IprReport, asked: AskedGames, files: list[str]) -> dict[str, object]:
    """Return everything: rows, averages, calibration, settings, and what was left out."""
    from arpad.cli.ipr_calibration import calibration_document

    done = asked.answered
    notes = [*asked.notes(), *report.notes]
    actions = ("skipped", "repaired", "noted")
    whole = report.whole
    return {
        "by": list(report.by),
        "summary": f"{report.summary()}.",
        f"{report.by[0]}s": [_plain(row) for row in rows(report).to_dicts()],
        "averages": [_plain(row) for row in _rounded(report.averages).to_dicts()],
        "all_moves": {
            "moves": whole.moves,
            "mm": _number(round(whole.match_rate, 4)),
            "ae": _number(round(whole.error, 5)),
            **(
                {}
                if whole.rating is None
                else {
                    "s": round(whole.rating.fit.s, 5),
                    "c": round(whole.rating.fit.c, 5),
                    "ipr": round(whole.rating.ipr, POINTS),
                    "low": round(whole.rating.low, POINTS),
                    "high": round(whole.rating.high, POINTS),
                    "low_actual": round(whole.rating.low_actual, POINTS),
                    "high_actual": round(whole.rating.high_actual, POINTS),
                }
            ),
            "note": whole.note or None,
        },
        "parameters": {
            k: round(v, POINTS) if isinstance(v, float) else v for k, v in report.parameters.items()
        },
        "calibration": calibration_document(report.calibration),
        "input": {
            "files": files,
            "games": len(asked.games),
            "fingerprint": asked.games.fingerprint(),
            "asked": done.asked,
            "searched_alone": done.alone,
            "known": done.known,
            "analysed": done.analysed,
            "failed": done.failed,
        },
        "left_out": {"moves": dict(report.left_out), "games": list(asked.forfeits)},
        "notes": notes,
        **{
            a: [n.as_dict() for n in asked.evaluated.report.notes if n.action == a] for a in actions
        },
    }


def _rounded(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.selectors.float().round(POINTS))


def _plain(row: dict[str, object]) -> dict[str, object]:
    return {k: (v or None) if k == "note" else _number(v) for k, v in row.items()}


def _number(value: object) -> object:
    """Return a figure as JSON has it: none where it is no number, a word where it is infinite."""
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value
